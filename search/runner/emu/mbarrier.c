/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier: barriers that threads arrive at and wait for apart. An mbarrier lies in 8 bytes of shared memory, which
 * nobody may access otherwise; what it is made of is kept here. Its phase ends when so many threads have arrived as it
 * expects and as many bytes have been copied as arrivals announced; then the next one begins, of the other parity. A
 * named barrier (bar.sync, bar.arrive) ends when so many threads as its callers say have come; the cluster's when all
 * of its blocks' threads have.
 *
 * Each has two clocks (order.c): what those bring who arrive, and what those take away who waited for the end of the
 * last phase. Copies that an mbarrier counts are done by an agent of its own.
 */
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>

enum { MBARRIER_BYTES = 8, MAX_ARRIVALS = (1 << 20) - 1, MAX_TX = (1 << 20) - 1, NAMED = 16 };

/* Threads that wait until all have come. */
typedef struct {
    int expected, arrived; /* expected 0: nobody has come yet */
    Clock bring, take;
    uint32_t ends; /* how often it ended */
} Rendezvous;

struct Barriers {
    bool stale; /* of a former cluster */
    int n;
    Mbarrier list[MAX_AGENTS];
    Rendezvous named[MAX_CLUSTER][NAMED], cluster;
    int arrivals[MAX_FIBERS]; /* at the cluster's barrier, that the fiber has not waited for: 0 or 1 */
    uint32_t seen[MAX_FIBERS];
};

void barriers_begin(Worker *w)
{
    if (w->wait)
        w->wait->stale = true;
}

void barriers_free(Worker *w) { free(w->wait); }

static struct Barriers *barriers(Worker *w)
{
    if (!w->wait)
        w->wait = checked_memory(calloc(1, sizeof *w->wait));
    if (w->wait->stale)
        memset(w->wait, 0, sizeof *w->wait);
    order_follow(w);
    return w->wait;
}

/* ---- mbarriers */

static Mbarrier *find(Worker *w, const ClusterBlock *b, uint32_t offset)
{
    struct Barriers *all = barriers(w);
    for (Mbarrier *m = all->list; m < all->list + all->n; m++)
        if (m->block == b && m->offset == offset)
            return m;
    return NULL;
}

static uint32_t offset_of(Worker *w, const void *p, int line, uintptr_t site)
{
    const uintptr_t offset = (uintptr_t)p - (uintptr_t)w->shared;
    w->fiber[w->running].line = line;
    spend(w, site);
    if (offset >= w->smem_bytes || w->smem_bytes - offset < MBARRIER_BYTES)
        finding_fatal(w, site, "has an mbarrier at %s, outside of the block's shared memory",
                      place_text(w, (uintptr_t)p));
    if (offset % MBARRIER_BYTES != 0)
        finding_fatal(w, site, "has an mbarrier at shared byte %u, which is not a multiple of %d", (uint32_t)offset,
                      MBARRIER_BYTES);
    return (uint32_t)offset;
}

Mbarrier *mbarrier_in(Worker *w, const ClusterBlock *b, uint32_t offset, uintptr_t site)
{
    Mbarrier *m = find(w, b, offset);
    if (!m)
        finding_fatal(w, site, "uses an mbarrier at shared byte %u, which nobody has initialised", offset);
    if (!order_known(w, w->running, m->made_by, m->made))
        finding(w, site, "uses the mbarrier at shared byte %u, which thread %d initialises without a barrier between",
                offset, m->made_by % w->nthread);
    return m;
}

static Mbarrier *own(Worker *w, const void *p, int line, uintptr_t site)
{
    return mbarrier_in(w, w->at, offset_of(w, p, line, site), site);
}

EXPORT void dcgen_emu_mbarrier_init(void *p, unsigned arrivals, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    const uint32_t offset = offset_of(w, p, line, site);
    struct Barriers *all = barriers(w);
    if (arrivals == 0 || arrivals > MAX_ARRIVALS)
        finding_fatal(w, site, "initialises an mbarrier for %u arrivals; it takes 1 to %d", arrivals, MAX_ARRIVALS);
    if (find(w, w->at, offset))
        finding_fatal(w, site, "initialises the mbarrier at shared byte %u once more", offset);
    if (all->n == MAX_AGENTS)
        finding_fatal(w, site, "has too many barriers to be followed");
    shared_make_barrier(w, offset, MBARRIER_BYTES, site);
    Mbarrier *m = &all->list[all->n++];
    *m = (Mbarrier){ .block = w->at, .offset = offset, .expected = arrivals, .pending = arrivals };
    m->bring = order_clock(w);
    m->take = order_clock(w);
    m->agent = order_agent(w);
    m->made_by = w->running;
    m->made = w->fiber[w->running].time;
}

/* Makes the mbarriers that the running thread initialised known to copies. */
static void show_barriers(Worker *w)
{
    struct Barriers *all = barriers(w);
    for (Mbarrier *m = all->list; m < all->list + all->n; m++)
        m->is_shown |= m->made_by == w->running;
}

EXPORT void dcgen_emu_mbarrier_init_fence(void) { show_barriers(emu_worker); }

EXPORT void dcgen_emu_proxy_fence(void)
{
    show_barriers(emu_worker);
    order_fence(emu_worker);
}

static void end_phase(Worker *w, Mbarrier *m)
{
    if (m->pending > 0 || m->tx != 0)
        return;
    m->phase ^= 1;
    m->pending = m->expected;
    order_join(w, m->take, m->bring);
    for (int i = 0; i < w->nfiber; i++) {
        Fiber *f = &w->fiber[i];
        if (f->state == AT_MBARRIER && f->at == m && f->parity != m->phase) {
            order_join(w, f->clock, m->take);
            fiber_wake(w, i);
        }
    }
}

static void announce(Worker *w, Mbarrier *m, int64_t bytes, uintptr_t site)
{
    m->tx += bytes;
    if (m->tx > MAX_TX || m->tx < -MAX_TX)
        finding_fatal(w, site, "has %lld bytes outstanding at the mbarrier at shared byte %u; the limit is %d",
                      (long long)m->tx, m->offset, MAX_TX);
}

static void arrive(Worker *w, Mbarrier *m, uintptr_t site)
{
    if (m->pending == 0)
        finding_fatal(w, site, "arrives at the mbarrier at shared byte %u, where all %u of its phase have arrived",
                      m->offset, m->expected);
    order_release(w, m->bring);
    m->pending--;
    end_phase(w, m);
}

void mbarrier_copied(Worker *w, Mbarrier *m, uint32_t time, uint32_t bytes)
{
    order_tell(w, m->bring, m->agent, time);
    announce(w, m, -(int64_t)bytes, 0);
    end_phase(w, m);
}

EXPORT void dcgen_emu_mbarrier_arrive(void *p, int bytes, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    Mbarrier *m = own(w, p, line, site);
    announce(w, m, bytes, site);
    arrive(w, m, site);
    fiber_pause(w);
}

EXPORT void dcgen_emu_mbarrier_arrive_at(void *p, unsigned rank, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    const uint32_t offset = offset_of(w, p, line, site);
    arrive(w, mbarrier_in(w, cluster_block(w, rank, site), offset, site), site);
    fiber_pause(w);
}

EXPORT void dcgen_emu_mbarrier_wait(void *p, unsigned parity, int line)
{
    const uintptr_t site = (uintptr_t)__builtin_return_address(0);
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    const Mbarrier *m = own(w, p, line, site);
    fiber_pause(w);
    if (m->phase != (parity & 1)) {
        order_join(w, f->clock, m->take);
        return;
    }
    f->at = m;
    f->parity = parity & 1;
    fiber_wait(w, AT_MBARRIER);
}

/* ---- barriers at which all wait for all */

static void begin_rendezvous(Worker *w, Rendezvous *r, int expected)
{
    r->expected = expected;
    if (!r->bring.known) {
        r->bring = order_clock(w);
        r->take = order_clock(w);
    }
}

/* Counts the running thread in. True: it was the last one. */
static bool come(Worker *w, Rendezvous *r)
{
    order_release(w, r->bring);
    if (++r->arrived < r->expected)
        return false;
    r->arrived = r->expected = 0;
    r->ends++;
    order_join(w, r->take, r->bring);
    return true;
}

static void release_waiting(Worker *w, const Rendezvous *r, FiberState state, int from, int to, unsigned id)
{
    for (int i = from; i < to; i++)
        if (w->fiber[i].state == state && w->fiber[i].parity == id) {
            order_join(w, w->fiber[i].clock, r->take);
            fiber_wake(w, i);
        }
}

static void come_to_named(int id, int threads, bool waits, int line, uintptr_t site)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    f->line = line;
    spend(w, site);
    if (id < 1 || id >= NAMED)
        finding_fatal(w, site, "uses barrier %d; there are 1 to %d, and that of __syncthreads", id, NAMED - 1);
    if (threads <= 0 || threads > w->nthread || threads % LANES != 0)
        finding_fatal(w, site, "uses barrier %d for %d threads of %d; it takes whole warps", id, threads, w->nthread);
    Rendezvous *r = &barriers(w)->named[w->at - w->block][id];
    if (r->expected && r->expected != threads)
        finding_fatal(w, site, "uses barrier %d for %d threads, others for %d", id, threads, r->expected);
    begin_rendezvous(w, r, threads);
    const int first = first_fiber(w);
    if (come(w, r)) {
        release_waiting(w, r, AT_NAMED, first, first + w->nthread, (unsigned)id);
        if (waits)
            order_join(w, f->clock, r->take);
        fiber_pause(w);
    } else if (waits) {
        f->parity = (unsigned)id;
        fiber_wait(w, AT_NAMED);
    }
}

EXPORT void dcgen_emu_barrier_sync(int id, int threads, int line)
{
    come_to_named(id, threads, true, line, (uintptr_t)__builtin_return_address(0));
}

EXPORT void dcgen_emu_barrier_arrive(int id, int threads, int line)
{
    come_to_named(id, threads, false, line, (uintptr_t)__builtin_return_address(0));
}

/* ---- the cluster */

ClusterBlock *cluster_block(Worker *w, unsigned rank, uintptr_t site)
{
    if (rank >= (unsigned)w->nblock)
        finding_fatal(w, site, "speaks to block %u of a cluster of %d", rank, w->nblock);
    ClusterBlock *b = &w->block[rank];
    if (b->nexited == w->nthread)
        finding_fatal(w, site, "speaks to block %u of the cluster, which has exited", rank);
    return b;
}

EXPORT unsigned dcgen_emu_cluster_rank(void) { return (unsigned)(emu_worker->at - emu_worker->block); }

EXPORT void dcgen_emu_cluster_arrive(int line)
{
    Worker *w = emu_worker;
    struct Barriers *all = barriers(w);
    w->fiber[w->running].line = line;
    spend(w, 0);
    if (all->arrivals[w->running])
        finding_fatal(w, 0, "arrives at the cluster's barrier without having waited for the last one");
    begin_rendezvous(w, &all->cluster, w->nfiber);
    all->arrivals[w->running] = 1;
    all->seen[w->running] = all->cluster.ends;
    if (come(w, &all->cluster))
        release_waiting(w, &all->cluster, AT_CLUSTER, 0, w->nfiber, 0);
    fiber_pause(w);
}

EXPORT void dcgen_emu_cluster_wait(int line)
{
    Worker *w = emu_worker;
    struct Barriers *all = barriers(w);
    Fiber *f = &w->fiber[w->running];
    f->line = line;
    if (!all->arrivals[w->running])
        finding_fatal(w, 0, "waits at the cluster's barrier without having arrived");
    all->arrivals[w->running] = 0;
    if (all->cluster.ends != all->seen[w->running]) {
        order_join(w, f->clock, all->cluster.take);
        return;
    }
    f->parity = 0;
    fiber_wait(w, AT_CLUSTER);
}

const char *barrier_text(const Worker *w, int fiber, char *text, size_t bytes)
{
    const Fiber *f = &w->fiber[fiber];
    const Mbarrier *m = f->at;
    if (f->state == AT_NAMED)
        snprintf(text, bytes, "waits at barrier %u of line %d", f->parity, f->line);
    else if (f->state == AT_CLUSTER)
        snprintf(text, bytes, "waits at the cluster's barrier of line %d", f->line);
    else
        snprintf(text, bytes,
                 "waits in line %d for the mbarrier at shared byte %u: %u of %u to arrive, %lld bytes to come", f->line,
                 m->offset, m->pending, m->expected, (long long)m->tx);
    return text;
}
