/* SPDX-License-Identifier: Apache-2.0
 *
 * block: executes a cluster of blocks, mostly of one. Each of their threads is a fiber with a stack of its own and runs
 * until it waits for others, then the next one runs. The order matters little to what is found: races are seen in the
 * shadows, whichever thread came first. What goes on by itself, copies and products, is done when all fibers wait. With
 * a seed the order is random instead: of fibers at each barrier and primitive, and of the ends of copies.
 */
#define _GNU_SOURCE
#include "search/runner/buffer.h"
#include "search/runner/emu/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static Worker idle; /* the worker of host code: its window has no bytes, so that accesses are not checked */
_Thread_local Worker *emu_worker = &idle;

/* ---- from one stack to another */

/* Pushes the registers that a called function must keep to the old stack, and pops those of the new one. On other
 * processors the C library switches, which costs two system calls. */
#if defined(__x86_64__)

void context_switch(Context *from, Context *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl context_switch\n"
        ".hidden context_switch\n"
        ".type context_switch, @function\n"
        "context_switch:\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size context_switch, .-context_switch\n");

enum { SAVED_REGISTERS = 6 };

/* A context that calls entry() when it is first switched to; entry must not return. */
static void context_new(Context *c, void *stack, size_t stack_bytes, void (*entry)(void))
{
    /* On entry of a function the stack pointer is 8 below a multiple of 16: there lies its return address. */
    uintptr_t *top = (uintptr_t *)(((uintptr_t)stack + stack_bytes) & ~(uintptr_t)15);
    *--top = 0;
    *--top = (uintptr_t)entry;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        *--top = 0;
    c->sp = top;
}

#else

static void context_new(Context *c, void *stack, size_t stack_bytes, void (*entry)(void))
{
    getcontext(&c->u);
    c->u.uc_stack.ss_sp = stack;
    c->u.uc_stack.ss_size = stack_bytes;
    c->u.uc_link = NULL;
    makecontext(&c->u, entry, 0);
}

static void context_switch(Context *from, Context *to) { swapcontext(&from->u, &to->u); }

#endif

static bool prepare_block(ClusterBlock *b)
{
    char *map;
    if (!b->shared && (map = map_guarded(SHARED_REACH, SHARED_SKEW + SHARED_BYTES, SHARED_REACH - SHARED_SKEW))) {
        b->window = (uintptr_t)map;
        b->shared = (unsigned char *)map + SHARED_REACH + SHARED_SKEW;
    }
    return b->shared && shadow_prepare(b);
}

bool worker_prepare(Worker *w, const Launch *l)
{
    bool good = true;
    w->nblock = (int)l->cluster;
    w->nthread = (int)(l->block[0] * l->block[1] * l->block[2]);
    w->nfiber = w->nblock * w->nthread;
    w->smem_bytes = (uint32_t)l->smem_bytes;
    for (; w->nstack < w->nfiber;
         w->nstack++) { /* a large array on the stack shall not reach over the guard below it */
        char *map = map_guarded(GUARD_BYTES, STACK_BYTES, 0);
        if (!map)
            return false;
        w->fiber[w->nstack].stack = (uintptr_t)map + GUARD_BYTES;
    }
    for (int i = 0; i < w->nblock && good; i++)
        good = prepare_block(&w->block[i]);
    return good;
}

void worker_free(Worker *w)
{
    wgmma_free(w);
    for (Fiber *f = w->fiber; f < w->fiber + w->nstack; f++) {
        munmap((char *)f->stack - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
        free(f->copy);
        free(f->access);
    }
    for (int i = 0; i < SITE_SLOTS; i++)
        free(w->site[i].instruction);
    for (ClusterBlock *b = w->block; b < w->block + MAX_CLUSTER; b++) {
        shadow_free(b);
        if (b->shared)
            munmap((void *)b->window, WINDOW_BYTES);
    }
    order_free(w);
    barriers_free(w);
    engine_free(w);
    free(w);
}

static void set_runnable(Worker *w, int thread) { w->runnable[thread / LANES] |= 1u << thread % LANES; }

/* A number that looks random. */
static uint64_t draw(Worker *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    return w->random ^= w->random << 17;
}

/* The next fiber to run: one of the same warp if possible, whose data are in the cache. -1: none. */
static int next_runnable(Worker *w)
{
    const int nwarp = (w->nfiber + LANES - 1) / LANES;
    const int first = w->random ? (int)(draw(w) % (uint64_t)nwarp) : w->running / LANES;
    int warp = first;
    while (!w->runnable[warp]) {
        warp = warp + 1 < nwarp ? warp + 1 : 0;
        if (warp == first)
            return -1;
    }
    return warp * LANES + __builtin_ctz(w->runnable[warp]);
}

/* What accesses look at, of the running fiber's block. */
static void look_at(Worker *w, ClusterBlock *b)
{
    w->at = b;
    w->shared = b->shared;
    w->line = b->line;
    w->window = b->window;
    w->floor = stamp_of(b->epoch, 0);
}

static void run_fiber(Worker *w, Context *from, int thread)
{
    Fiber *f = &w->fiber[thread];
    w->runnable[thread / LANES] &= ~(1u << thread % LANES);
    w->running = thread;
    if (w->nblock > 1)
        look_at(w, &w->block[thread / w->nthread]);
    w->stamp = stamp_of(f->time, thread);
    w->stack = f->stack;
    w->holding = f->nheld > 0;
    context_switch(from, &f->context);
}

_Noreturn void block_abort(Worker *w)
{
    Context abandoned;
    __atomic_store_n(&w->launch->stop, 1, __ATOMIC_RELAXED);
    context_switch(&abandoned, &w->home);
    abort(); /* nobody comes back */
}

/* ---- nobody can go on */

/* The first thread from `from` on and before `to` that is in that state (equal) or is not; -1: none. */
static int find_state(const Worker *w, int from, int to, FiberState state, bool equal)
{
    for (int i = from; i < to; i++)
        if ((w->fiber[i].state == state) == equal)
            return i;
    return -1;
}

static const char *state_text(const Worker *w, int thread, char *text, size_t bytes)
{
    const Fiber *f = &w->fiber[thread];
    if (f->state == EXITED)
        snprintf(text, bytes, "has exited");
    else if (f->state == AT_BARRIER)
        snprintf(text, bytes, "waits at __syncthreads of line %d", f->line);
    else if (f->state == AT_COLLECTIVE)
        snprintf(text, bytes, "waits in %s of line %d", collective_name[w->warp[thread / LANES].kind], f->line);
    else if (f->state == AT_WGMMA)
        snprintf(text, bytes, "waits in line %d for wgmma that not all of its warpgroup have started", f->line);
    else
        barrier_text(w, thread, text, bytes);
    return text;
}

/* A thread that waits: in a warp, else for bytes that do not come, else at a barrier of some, else at that of all. */
static int find_waiting(const Worker *w)
{
    static const FiberState order[] = { AT_COLLECTIVE, AT_WGMMA, AT_NAMED, AT_MBARRIER, AT_CLUSTER, AT_BARRIER };
    int waits = find_state(w, 0, w->nfiber, AT_COLLECTIVE, true);
    for (int i = 0; i < w->nfiber && waits < 0; i++)
        if (w->fiber[i].state == AT_MBARRIER && w->fiber[i].at->tx != 0)
            waits = i;
    for (size_t i = 0; i < sizeof order / sizeof *order && waits < 0; i++)
        waits = find_state(w, 0, w->nfiber, order[i], true);
    return waits;
}

/* Divergence: a thread waits for others that wait elsewhere, or that are no more. */
_Noreturn static void report_deadlock(Worker *w)
{
    char here[112], there[112];
    const int waits = find_waiting(w);
    const FiberState state = w->fiber[waits].state;
    const int first = state == AT_COLLECTIVE ? waits / LANES * LANES : waits / w->nthread * w->nthread;
    const int end = state == AT_COLLECTIVE ? first + LANES : first + w->nthread;
    const int other = find_state(w, first, end, state, false);
    w->running = waits;
    look_at(w, &w->block[waits / w->nthread]);
    if (other < 0)
        finding_fatal(w, 0, "%s, and so do all", state_text(w, waits, here, sizeof here));
    finding_fatal(w, 0, "%s, but thread %d %s", state_text(w, waits, here, sizeof here), other % w->nthread,
                  state_text(w, other, there, sizeof there));
}

/* Lets another fiber run. If none can, what goes on by itself gets done, the oldest first. */
static void wait_here(Worker *w)
{
    const int thread = w->running;
    int next;
    while ((next = next_runnable(w)) < 0)
        if (!engine_end_load(w, 0) && !wgmma_end_any(w))
            report_deadlock(w);
    if (next != thread)
        run_fiber(w, &w->fiber[thread].context, next);
    else
        w->runnable[thread / LANES] &= ~(1u << thread % LANES);
}

void fiber_wait(Worker *w, FiberState state)
{
    w->fiber[w->running].state = state;
    wait_here(w);
}

void fiber_wake(Worker *w, int fiber)
{
    w->fiber[fiber].state = RUNNING;
    set_runnable(w, fiber);
}

void fiber_pause(Worker *w)
{
    if (!w->random)
        return;
    const uint64_t x = draw(w);
    if (x % 4 == 0)
        engine_end_load(w, x >> 8);
    if (x % 2 == 0) {
        set_runnable(w, w->running);
        wait_here(w);
    }
}

/* ---- barriers */

static void release_barrier(Worker *w)
{
    const int first = first_fiber(w);
    w->at->nbarrier = 0;
    w->counts.barriers++;
    if (w->counting)
        count_flush(w);
    if (__atomic_load_n(&w->launch->stop, __ATOMIC_RELAXED))
        block_abort(w);
    for (int i = first; i < first + w->nthread; i++) {
        w->fiber[i].state = RUNNING;
        if (w->at->fenced)
            w->fiber[i].fences_at_barrier = w->fiber[i].fences;
        if (i != w->running)
            set_runnable(w, i);
    }
    w->at->fenced = false;
    order_barrier(w);
}

EXPORT void dcgen_emu_barrier(int line)
{
    Worker *w = emu_worker;
    ClusterBlock *b = w->at;
    Fiber *f = &w->fiber[w->running];
    const int first = first_fiber(w);
    if (b->nbarrier > 0 && line != b->barrier_line) {
        int other = find_state(w, first, first + w->nthread, AT_BARRIER, true);
        finding_fatal(w, 0, "is at __syncthreads of line %d, but thread %d waits at that of line %d", line,
                      other % w->nthread, b->barrier_line);
    }
    b->barrier_line = f->line = line;
    f->state = AT_BARRIER;
    if (++b->nbarrier < w->nthread)
        wait_here(w);
    else
        release_barrier(w);
}

EXPORT void dcgen_emu_fence(void)
{
    Worker *w = emu_worker;
    Fiber *f = &w->fiber[w->running];
    f->fences++;
    f->fence_epoch = w->at->epoch;
    w->at->fenced = true;
}

/* ---- collectives */

Collective *collective_enter(Worker *w, int kind, int line)
{
    const int warp = w->running / LANES, left = w->nfiber - warp * LANES;
    Collective *c = &w->warp[warp];
    spend(w, 0);
    if (left < LANES)
        finding_fatal(w, 0, "calls %s of line %d in a warp of %d threads; it takes %d", collective_name[kind], line,
                      left, LANES);
    if (c->arrived && (c->kind != kind || c->line != line)) {
        int other = warp * LANES + __builtin_ctz(c->arrived);
        finding_fatal(w, 0, "is at %s of line %d, but thread %d of its warp at %s of line %d", collective_name[kind],
                      line, other % w->nthread, collective_name[c->kind], c->line);
    }
    c->kind = kind;
    c->line = line;
    w->fiber[w->running].line = line;
    return c;
}

void collective_wait(Worker *w, Collective *c)
{
    const int lane = w->running % LANES, first = w->running - lane;
    c->arrived |= 1u << lane;
    w->fiber[w->running].state = AT_COLLECTIVE;
    if (c->arrived != 0xffffffff) {
        wait_here(w);
        return;
    }
    c->arrived = 0;
    w->counts.collectives++;
    collective_run(w, c);
    for (int i = first; i < first + LANES; i++)
        w->fiber[i].state = RUNNING;
    w->runnable[first / LANES] = ~(1u << lane);
}

static void run_thread(void)
{
    Worker *w = emu_worker;
    w->launch->call(w->launch->kernel, w->launch->args);
    Fiber *f = &w->fiber[w->running];
    f->state = EXITED;
    w->nexited++;
    w->at->nexited++;
    if (w->followed) {
        engine_check_exit(w);
        wgmma_check_exit(w);
    }
    if (w->nexited == w->nfiber)
        context_switch(&f->context, &w->home);
    wait_here(w);
    abort(); /* an exited thread is not resumed */
}

/* A permutation of 0..n-1 that looks random: neighbours in time are not neighbours in place. */
static uint64_t shuffled(uint64_t index, uint64_t n)
{
    uint64_t bits = 2;
    while ((uint64_t)1 << bits < n)
        bits += 2;
    const uint64_t half = bits / 2, mask = ((uint64_t)1 << half) - 1;
    do {
        for (uint64_t round = 1; round <= 4; round++) {
            uint64_t low = index & mask, high = index >> half;
            index = low << half | (high ^ ((low * 0x9e3779b97f4a7c15u * round) >> 40 & mask));
        }
    } while (index >= n);
    return index;
}

/* How far below the end of its memory a thread's stack begins: else all would share few sets of the cache. */
static size_t stack_colour(int thread)
{
    enum { STEP = 1088, COLOURS_BYTES = 16 << 10 };
    return (size_t)thread * STEP % COLOURS_BYTES;
}

static void begin_fiber(Worker *w, int i)
{
    Fiber *f = &w->fiber[i];
    memset(&f->ncopy, 0, sizeof *f - offsetof(Fiber, ncopy));
    f->time = 1;
    context_new(&f->context, (void *)f->stack, STACK_BYTES - stack_colour(i), run_thread);
    set_runnable(w, i);
}

static void begin_cluster(Worker *w, uint64_t index)
{
    const Launch *l = w->launch;
    const uint64_t cluster = shuffled(index, l->nblock / l->cluster);
    w->nexited = w->running = 0;
    w->budget = emu_current->block_budget;
    w->random = emu_current->seed ? emu_current->seed * 0x9e3779b97f4a7c15u + index : 0;
    w->time = 1;
    memset(w->runnable, 0, sizeof w->runnable);
    for (int i = 0; i < w->nblock; i++) {
        ClusterBlock *b = &w->block[i];
        const uint64_t block = cluster * l->cluster + (uint64_t)i;
        b->number = l->first_block + (uint32_t)block;
        launch_place(l, block, b->index);
        b->nbarrier = b->nexited = 0;
        b->epoch = 1;
        b->fenced = false;
        b->release = NULL;
        shadow_begin(w, b);
    }
    look_at(w, w->block);
    for (int i = 0; i < (w->nfiber + LANES - 1) / LANES; i++)
        w->warp[i].arrived = 0;
    for (int i = 0; i < w->nfiber; i++)
        begin_fiber(w, i);
    order_begin(w);
    barriers_begin(w);
    engine_begin(w);
    wgmma_begin(w);
}

void cluster_run(Worker *w, uint64_t index)
{
    begin_cluster(w, index);
    w->window_bytes = WINDOW_BYTES;
    w->stack_bytes = STACK_BYTES;
    w->nline = w->counting ? 0 : w->smem_bytes / LINE_BYTES;
    run_fiber(w, &w->home, 0);
    w->window_bytes = w->stack_bytes = w->nline = 0;
    if (w->counting)
        count_flush(w);
    w->counts.blocks += w->nblock;
    w->counts.threads += w->nfiber;
}

/* ---- what a thread asks of itself */

/* The kernel's uint3, in the two registers that it is returned in: made of three stores it would be waited for. */
typedef struct {
    uint64_t xy;
    uint32_t z;
} Index;

static Index index_of(unsigned x, unsigned y, unsigned z) { return (Index){ (uint64_t)y << 32 | x, z }; }
static Index index_at(const unsigned v[3]) { return index_of(v[0], v[1], v[2]); }

EXPORT Index dcgen_emu_thread_index(void)
{
    const unsigned *block = emu_worker->launch->block;
    unsigned t = (unsigned)(emu_worker->running - (emu_worker->at - emu_worker->block) * emu_worker->nthread);
    if (block[0] > t)
        return index_of(t, 0, 0);
    return index_of(t % block[0], t / block[0] % block[1], t / block[0] / block[1]);
}

EXPORT Index dcgen_emu_block_index(void) { return index_at(emu_worker->at->index); }
EXPORT Index dcgen_emu_block_dim(void) { return index_at(emu_worker->launch->block); }
EXPORT Index dcgen_emu_grid_dim(void) { return index_at(emu_worker->launch->grid); }
