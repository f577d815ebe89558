/* SPDX-License-Identifier: Apache-2.0
 *
 * protocol: rounds; in each round one burst of calls a contestant, the order reversed every other round. Before a burst
 * of several threads the process waits until the threads of the one before have gone to sleep. Limits are measured
 * before and after each round; a round in which the FMA peak was not there (the host of a virtual machine gave a core
 * to someone else) is held again.
 */
#include "bench/protocol.h"

#include <math.h>
#include <stddef.h>
#include "bench/clock.h"
#include "bench/package.h"
#include "gen/base/flush.h"
#include "search/runner/peak.h"

enum {
    BURST_NS = 2500000,
    PEAK_SAMPLE_NS = 2000000,
    COLD_PASSES = 5,   /* at least */
    WARM_NS = 4000000, /* untimed calls before a burst: caches, clock, threads asleep or on one core */
    WARM_CALLS = 2,    /* at least: the first brings the operands back from memory */
    MIN_CALLS = 3,
    NAP_NS = 20000000, /* two ticks of the kernel: CPU time of other threads counts as of the last one */
    IDLE_NS = 500000,  /* a process that burns less than this in a nap is at rest */
    MAX_NAPS = 20,
    WAKING = 3,      /* samples of the peak: cores that slept take some milliseconds to be all there */
    MAX_REPEATS = 1, /* rounds held again, times nround */
    MAX_SEEN = 256,
};
static const double DISTURBED = 0.85; /* of the best FMA peak seen with as many threads */

bool peer_cold;

/* Spinning threads of an idle library would take a core from the next one. */
static void wait_until_idle(void)
{
    struct timespec nap = { 0, NAP_NS };
    for (int i = 0; i < MAX_NAPS; i++) {
        double before_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
        nanosleep(&nap, NULL);
        if (clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns < IDLE_NS)
            return;
    }
}

/* Of all together; where something is flushed before each, they are timed one by one, without that. */
static double calls_ns(const Contestant *c, int ncall)
{
    const int nalone = c->constant.bytes ? ncall : 1;
    double time_ns = 0;
    for (int i = 0; i < nalone; i++) {
        flush(c->constant.at, c->constant.bytes);
        const double start_ns = clock_now_ns();
        for (int k = 0; k < ncall / nalone; k++)
            c->peer->run(c->state);
        time_ns += clock_now_ns() - start_ns;
    }
    return time_ns;
}

static void warm_up(const Contestant *c)
{
    double start_ns = clock_now_ns();
    for (int i = 0; i < WARM_CALLS || clock_now_ns() - start_ns < WARM_NS; i++)
        c->peer->run(c->state);
}

static double burst_ns(const Contestant *c, int threads)
{
    if (threads > 1)
        wait_until_idle();
    warm_up(c);
    return calls_ns(c, c->ncall) / c->ncall;
}

static int calls_for_burst(const Contestant *c)
{
    int ncall = 1;
    double time_ns;
    warm_up(c);
    while ((time_ns = calls_ns(c, ncall)) < BURST_NS / 8)
        ncall *= 2;
    double need = ceil((double)BURST_NS * ncall / time_ns);
    return need < MIN_CALLS ? MIN_CALLS : (int)need;
}

/* NULL when it is ready and right. */
static const char *contestant_prepare(Contestant *c, Problem *p)
{
    c->state = c->peer->setup(p, c->form, c->threads);
    if (!c->state)
        return "cannot be set up";
    package_tested.spoil(p->made);
    if (!c->peer->run(c->state))
        return "failed";
    if (!c->peer->apart && !package_tested.is_right(p->made))
        return "wrong result";
    if (peer_cold && c->peer->constant)
        c->constant = c->peer->constant(c->state);
    c->ncall = calls_for_burst(c);
    return NULL;
}

typedef struct {
    double peak_gflops, read_gbs;
} Limits;

/* Cold, the best of several passes: the kernel may begin the threads of one on the same core, and part them a tick
 * later. */
static double read_gbs(const Match *m, int way)
{
    const Span s = m->streamed;
    if (!m->streamed_cold)
        return peak_read_gbs(peak_best(), s.at, s.bytes, m->threads, way, PEAK_SAMPLE_NS);
    const double until_ns = clock_now_ns() + PEAK_SAMPLE_NS;
    double best = 0;
    for (int i = 0; i < COLD_PASSES || clock_now_ns() < until_ns; i++) {
        flush(s.at, s.bytes);
        best = fmax(best, peak_read_once_gbs(peak_best(), s.at, s.bytes, m->threads, way));
    }
    return best;
}

static Limits limits_measure(const Match *m)
{
    double peak_gflops = 0;
    if (m->threads > 1)
        wait_until_idle();
    for (int i = 0; i < (m->threads > 1 ? WAKING : 1); i++)
        peak_gflops = fmax(peak_gflops, peak_fma_gflops(peak_best(), m->threads, PEAK_SAMPLE_NS));
    return (Limits){ peak_gflops, read_gbs(m, m->read_way) };
}

/* Whether the machine was whole, as far as its FMA peak tells. */
static bool is_quiet(int threads, Limits before, Limits after)
{
    static double best[MAX_SEEN];
    double *seen = &best[threads < MAX_SEEN ? threads : MAX_SEEN - 1];
    *seen = fmax(*seen, fmax(before.peak_gflops, after.peak_gflops));
    return fmin(before.peak_gflops, after.peak_gflops) >= DISTURBED * *seen;
}

/* False: the round was disturbed. */
static bool round_run(Match *m, int round)
{
    bool reversed = round % 2;
    Limits before = limits_measure(m);
    for (int i = 0; i < m->ncontestant; i++) {
        Contestant *c = &m->contestant[reversed ? m->ncontestant - 1 - i : i];
        if (!c->left_out)
            c->time_ns[round] = burst_ns(c, m->threads);
    }
    Limits after = limits_measure(m);
    m->peak_gflops[round] = (before.peak_gflops + after.peak_gflops) / 2;
    m->read_gbs[round] = (before.read_gbs + after.read_gbs) / 2;
    return is_quiet(m->threads, before, after);
}

/* The way to read that was the fastest. */
static int best_way(const Match *m)
{
    int best = 0;
    double best_gbs = 0;
    for (int way = 0; way < PEAK_WAYS; way++) {
        const double gbs = read_gbs(m, way);
        best = gbs > best_gbs ? way : best;
        best_gbs = gbs > best_gbs ? gbs : best_gbs;
    }
    return best;
}

void match_run(Match *m, Problem *p)
{
    for (int i = 0; i < m->ncontestant; i++)
        m->contestant[i].left_out = contestant_prepare(&m->contestant[i], p);
    m->read_way = best_way(m);
    for (int round = 0; round < m->nround; round++)
        while (!round_run(m, round) && m->nrepeated < MAX_REPEATS * m->nround)
            m->nrepeated++;
    for (int i = 0; i < m->ncontestant; i++)
        if (m->contestant[i].state)
            m->contestant[i].peer->teardown(m->contestant[i].state);
}
