/* SPDX-License-Identifier: Apache-2.0
 *
 * order: what lies behind what in a cluster, where more than __syncthreads says so: mbarriers, named barriers, barriers
 * of the cluster, copies and products that go on by themselves. These are vector clocks (Fidge, Mattern 1988).
 *
 * A clock holds for each fiber and each agent the last of its times of which all that it did is known to lie behind. A
 * fiber has one, and so has each barrier: who arrives adds what it knows and has done to the barrier's clock, and its
 * own time goes on; who waited takes the clock over. Times of different fibers are not compared, but behind a
 * __syncthreads all of a block's have one that is later than all before. An agent does what fibers have only started
 * (the copies that an mbarrier counts, the products of a warpgroup, a warp's copies to global memory), and is known to
 * whoever waited.
 *
 * The asynchronous proxy, through which copies and wgmma access memory, does not see stores before a proxy_fence that
 * lies behind them: of those a clock knows too, up to which time of each fiber they are fenced.
 *
 * All fibers of a block know of each other what lies before their last __syncthreads; there is no need to look. Clocks
 * are kept only from the first call on that needs them: before that a block has no order but by __syncthreads.
 */
#define _GNU_SOURCE
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_CLOCKS = MAX_FIBERS + 2 * MAX_AGENTS };

struct Order {
    uint32_t *words;
    size_t nword; /* in use */
    int nagent;
    Clock warp; /* what the lanes of a warp know that meet; in use for a moment */
};

static const size_t max_words = (size_t)MAX_CLOCKS * (2 * MAX_FIBERS + MAX_AGENTS);

void order_begin(Worker *w)
{
    if (w->order) {
        w->order->nword = 0;
        w->order->nagent = 0;
    }
    w->followed = false;
}

void order_free(Worker *w)
{
    if (w->order)
        munmap(w->order->words, max_words * sizeof *w->order->words);
    free(w->order);
}

Clock order_clock(Worker *w)
{
    struct Order *o = w->order;
    const size_t nknown = (size_t)w->nfiber + MAX_AGENTS, n = nknown + (size_t)w->nfiber;
    if (o->nword + n > max_words)
        finding_fatal(w, 0, "has too many barriers to be followed");
    Clock c = { o->words + o->nword, o->words + o->nword + nknown };
    memset(c.known, 0, n * sizeof *c.known);
    o->nword += n;
    return c;
}

void order_follow(Worker *w)
{
    if (w->followed)
        return;
    if (!w->order) {
        w->order = checked_memory(calloc(1, sizeof *w->order));
        w->order->words = mmap(NULL, max_words * sizeof *w->order->words, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        checked_memory(w->order->words == MAP_FAILED ? NULL : w->order->words);
    }
    w->followed = true;
    w->nline = 0;
    for (int i = 0; i < w->nfiber; i++)
        w->fiber[i].clock = order_clock(w);
    w->order->warp = order_clock(w);
}

int order_agent(Worker *w)
{
    if (w->order->nagent == MAX_AGENTS)
        finding_fatal(w, 0, "has too many barriers to be followed");
    return MAX_FIBERS + w->order->nagent++;
}

uint32_t order_tick(Worker *w)
{
    if (++w->time > MAX_TIME)
        finding_fatal(w, 0, "passes more barriers than can be followed");
    return w->time;
}

/* ---- what is known */

static uint32_t *of_id(const Worker *w, Clock c, int id)
{
    return c.known + (id < MAX_FIBERS ? id : w->nfiber + id - MAX_FIBERS);
}

static bool before_barrier(const Worker *w, int fiber, int id, uint32_t time)
{
    const int block = fiber / w->nthread;
    return id < MAX_FIBERS && id / w->nthread == block && time < w->block[block].epoch;
}

bool order_known(const Worker *w, int fiber, int id, uint32_t time)
{
    if (id == fiber || before_barrier(w, fiber, id, time))
        return true;
    return w->followed && id < MAX_FIBERS + MAX_AGENTS && *of_id(w, w->fiber[fiber].clock, id) >= time;
}

bool order_fenced(const Worker *w, int fiber, int id, uint32_t time)
{
    return id >= MAX_FIBERS || w->fiber[fiber].clock.fenced[id] >= time;
}

void order_learn(Worker *w, int fiber, int id, uint32_t time)
{
    uint32_t *known = of_id(w, w->fiber[fiber].clock, id);
    *known = *known > time ? *known : time;
}

void order_tell(const Worker *w, Clock c, int id, uint32_t time) { *of_id(w, c, id) = time; }

FAST static void join(uint32_t *to, const uint32_t *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

void order_join(const Worker *w, Clock to, Clock from)
{
    join(to.known, from.known, w->nfiber + w->order->nagent);
    join(to.fenced, from.fenced, w->nfiber);
}

static void set_time(Worker *w, int fiber, uint32_t time)
{
    if (time > MAX_TIME)
        finding_fatal(w, 0, "passes more barriers than can be followed");
    w->fiber[fiber].time = time;
    if (fiber == w->running)
        w->stamp = stamp_of(time, fiber);
}

void order_release(Worker *w, Clock to)
{
    const Fiber *f = &w->fiber[w->running];
    const uint32_t epoch = w->at->epoch;
    uint32_t *own = to.known + first_fiber(w);
    order_join(w, to, f->clock);
    for (int i = 0; i < w->nthread; i++) /* what lies before a __syncthreads is known without a clock */
        own[i] = own[i] >= epoch ? own[i] : epoch - 1;
    to.known[w->running] = f->time;
    set_time(w, w->running, f->time + 1);
}

void order_fence(Worker *w)
{
    Fiber *f = &w->fiber[w->running];
    const int first = first_fiber(w);
    join(f->clock.fenced, f->clock.known, w->nfiber);
    for (int i = first; i < first + w->nthread; i++)
        if (f->clock.fenced[i] < w->at->epoch)
            f->clock.fenced[i] = w->at->epoch - 1;
    f->clock.fenced[w->running] = f->time;
    set_time(w, w->running, f->time + 1);
}

void order_warp(Worker *w, int first)
{
    const int running = w->running;
    order_follow(w);
    const Clock all = w->order->warp;
    memset(all.known, 0, ((size_t)w->nfiber * 2 + MAX_AGENTS) * sizeof *all.known);
    for (w->running = first; w->running < first + LANES; w->running++)
        order_release(w, all);
    w->running = running;
    for (int i = first; i < first + LANES; i++)
        order_join(w, w->fiber[i].clock, all);
}

/* Each fiber of the running one's block takes over what any of them knows of agents, other blocks and fences; the
 * block's epoch becomes the last of their times, which is what it was where no clocks are kept. */
static void share_clocks(Worker *w)
{
    const int first = first_fiber(w), end = first + w->nthread;
    const Clock all = w->fiber[first].clock;
    for (int i = first; i < end; i++)
        if (w->fiber[i].time > w->at->epoch)
            w->at->epoch = w->fiber[i].time;
    for (int i = first + 1; i < end; i++)
        order_join(w, all, w->fiber[i].clock);
    for (int i = first + 1; i < end; i++)
        order_join(w, w->fiber[i].clock, all);
}

void order_barrier(Worker *w)
{
    const int first = first_fiber(w);
    if (w->followed)
        share_clocks(w);
    w->at->epoch++;
    for (int i = first; i < first + w->nthread; i++)
        set_time(w, i, w->at->epoch);
    w->floor = stamp_of(w->at->epoch, 0);
}
