/* SPDX-License-Identifier: MIT-0
 *
 * pool: see pool.h. A job is published as one 64-bit ticket {generation, tasks left}; whoever lowers the count of the
 * ticket by compare-and-swap owns a task. The caller takes part and waits only for tasks that a worker has taken,
 * never for a worker that has not come: a sleeping or descheduled worker costs nothing but its help.
 *
 * body, arg and ntask are read before the swap. A swap that succeeds proves that its task was still free, hence that
 * the job was still under way and that the caller had not begun to write the next one. (A worker that stops between
 * the two for exactly 2^32 jobs would be fooled.)
 *
 * Workers spin for SPIN_NS after their last job, then sleep. Spinning gives the core away every few hundred
 * nanoseconds to any other thread that wants it, so more threads than cores are slow at worst, not stuck.
 *
 * A worker that wakes often finds itself on the core of the caller that woke it, where the two would take turns until
 * the kernel balances its load, milliseconds later. Such a worker moves away at once.
 *
 * A child of fork has a copy of the pool, but none of its workers, and perhaps its lock as a worker held it. So a process
 * first asks whether the pool is its own. On Linux a page of the pool tells, which fork fills with zeros in the child: that
 * costs a load. Elsewhere the process's number does, which may cost a call of the system. (Handlers of pthread_atfork would
 * need a variable that all pools share, and not every system takes them back when a library is unloaded.)
 *
 * A call is not left when its thread is cancelled: workers would go on with operands that may be gone.
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE                 /* sched_getcpu, sched_setaffinity, MADV_WIPEONFORK */
#endif
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef DCGEN /* to compile this file as it stands */
#include "pool.h"
#else
#include "PACKAGE_pool.h"
#endif

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#ifndef _WIN32                     /* where nothing forks */
#include <sys/mman.h>
#include <unistd.h>
#endif

#ifndef PACKAGE_POOL_SPIN_NS
#define PACKAGE_POOL_SPIN_NS 200000    /* how long to spin for more work, or for the last worker, before sleeping */
#endif

enum { PAUSES = 32, CACHE_LINE = 64 };

typedef void Body(void *arg, int i);

struct PACKAGE_pool {
    alignas(CACHE_LINE) _Atomic uint64_t ticket;   /* generation << 32 | tasks left */
    _Atomic(Body *) body;
    _Atomic(void *) arg;
    atomic_int ntask;
    atomic_int caller_cpu;                         /* where the caller was when it published the job */
    alignas(CACHE_LINE) atomic_int done;           /* tasks that workers have finished in this generation */
    alignas(CACHE_LINE) atomic_int sleepers;       /* workers that sleep or are about to */
    atomic_bool caller_sleeps;
    atomic_bool busy;                              /* a call is under way */
    atomic_bool stopping;
    pthread_mutex_t lock;                          /* only around sleeping */
    pthread_cond_t wake, finished;
    void *memory;                                  /* what holds this, for free() */
    int *own;                                      /* a page that holds 1, and 0 in children of the process; NULL: there is none */
    long process;                                  /* the number of the process that started the pool */
    int nworker;
    pthread_t worker[];
};

static inline void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");                       /* "yield" does nothing on most cores */
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Spins until `ready` holds; false when that took longer than PACKAGE_POOL_SPIN_NS. */
static bool spin_until(struct PACKAGE_pool *p, bool (*ready)(struct PACKAGE_pool *, uint32_t), uint32_t value)
{
    for (int i = 0; i < PAUSES; i++) {
        if (ready(p, value))
            return true;
        cpu_pause();
    }
    for (int64_t end = now_ns() + PACKAGE_POOL_SPIN_NS; now_ns() < end; sched_yield()) {
        for (int i = 0; i < PAUSES; i++) {
            if (ready(p, value))
                return true;
            cpu_pause();
        }
    }
    return ready(p, value);
}

static uint32_t generation(struct PACKAGE_pool *p)
{
    return (uint32_t)(atomic_load(&p->ticket) >> 32);
}

static bool is_new_job(struct PACKAGE_pool *p, uint32_t seen)
{
    return generation(p) != seen;
}

static bool is_done(struct PACKAGE_pool *p, uint32_t count)
{
    return (uint32_t)atomic_load(&p->done) == count;
}

/* Does free tasks of the job under way until there are none; returns how many. Workers report each when finished. */
static int do_tasks(struct PACKAGE_pool *p, bool report)
{
    int count = 0;
    uint64_t t = atomic_load(&p->ticket);
    while ((uint32_t)t != 0) {
        Body *body = atomic_load_explicit(&p->body, memory_order_relaxed);
        void *arg = atomic_load_explicit(&p->arg, memory_order_relaxed);
        int i = atomic_load_explicit(&p->ntask, memory_order_relaxed) - (int)(uint32_t)t;
        if (!atomic_compare_exchange_strong(&p->ticket, &t, t - 1))
            continue;
        body(arg, i);
        count++;
        if (report)
            atomic_fetch_add(&p->done, 1);
        t = atomic_load(&p->ticket);
    }
    return count;
}

/* `sleepers` rises before the ticket is looked at again, and the caller publishes the ticket before it looks at
 * `sleepers`: one of the two sees the other, so no wake-up is lost. The same holds for caller_sleeps and done. */
static void worker_sleep(struct PACKAGE_pool *p, uint32_t seen)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (!is_new_job(p, seen))
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
}

#if defined(CPU_SETSIZE)           /* Linux, and no header before this file hid it */
static int current_cpu(void)
{
    return sched_getcpu();
}

/* To any other core that this thread may run on; afterwards the kernel is free to move it again. */
static void leave_cpu(int cpu)
{
    cpu_set_t allowed, others;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    others = allowed;
    CPU_CLR((size_t)cpu, &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}
#else
static int current_cpu(void)
{
    return -1;
}

static void leave_cpu(int cpu)
{
    (void)cpu;
}
#endif

static void leave_caller(struct PACKAGE_pool *p)
{
    int cpu = current_cpu();
    if (cpu >= 0 && cpu == atomic_load_explicit(&p->caller_cpu, memory_order_relaxed))
        leave_cpu(cpu);
}

static void *worker_main(void *pool)
{
    struct PACKAGE_pool *p = pool;
    uint32_t seen = 0;
    for (;;) {
        if (!spin_until(p, is_new_job, seen))
            worker_sleep(p, seen);
        seen = generation(p);
        if (atomic_load(&p->stopping))
            return NULL;
        leave_caller(p);
        do_tasks(p, true);
        if (atomic_load(&p->caller_sleeps)) {
            pthread_mutex_lock(&p->lock);
            pthread_cond_signal(&p->finished);
            pthread_mutex_unlock(&p->lock);
        }
    }
}

static void publish(struct PACKAGE_pool *p, uint32_t tasks_left)
{
    atomic_store(&p->ticket, (uint64_t)(generation(p) + 1) << 32 | tasks_left);
    if (atomic_load(&p->sleepers) == 0)
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void caller_wait(struct PACKAGE_pool *p, int count)
{
    if (spin_until(p, is_done, (uint32_t)count))
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->caller_sleeps, true);
    while (!is_done(p, (uint32_t)count))
        pthread_cond_wait(&p->finished, &p->lock);
    atomic_store(&p->caller_sleeps, false);
    pthread_mutex_unlock(&p->lock);
}

/* Was the pool started by this process, not by one that forked it? */
static bool is_own(const struct PACKAGE_pool *p)
{
#ifdef _WIN32
    (void)p;
    return true;
#else
    return p->own ? *p->own : p->process == getpid();
#endif
}

static void mark_own(struct PACKAGE_pool *p)
{
    p->own = NULL;
#ifndef _WIN32
    p->process = getpid();
#endif
#ifdef MADV_WIPEONFORK
    int *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    /* Some emulators take any advice, even one that there is not, and follow none. */
    if (madvise(page, sizeof *page, -1) == 0 || madvise(page, sizeof *page, MADV_WIPEONFORK) != 0) {
        munmap(page, sizeof *page);
        return;
    }
    *page = 1;
    p->own = page;
#endif
}

static void free_pool(struct PACKAGE_pool *p)
{
#ifdef MADV_WIPEONFORK
    if (p->own)
        munmap(p->own, sizeof *p->own);
#endif
    free(p->memory);
}

/* Until restore_cancel this thread is not cancelled. A system without the macro cancels no thread. */
static int hold_cancel(void)
{
    int before = 0;
#ifdef PTHREAD_CANCEL_DISABLE
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
#endif
    return before;
}

static void restore_cancel(int before)
{
#ifdef PTHREAD_CANCEL_DISABLE
    pthread_setcancelstate(before, &before);
#else
    (void)before;
#endif
}

/* A call on the workers; false: another call has them. */
static bool run_shared(struct PACKAGE_pool *p, int n, Body *body, void *arg)
{
    if (atomic_exchange(&p->busy, true))
        return false;
    atomic_store_explicit(&p->body, body, memory_order_relaxed);
    atomic_store_explicit(&p->arg, arg, memory_order_relaxed);
    atomic_store_explicit(&p->ntask, n, memory_order_relaxed);
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    atomic_store_explicit(&p->caller_cpu, current_cpu(), memory_order_relaxed);
    publish(p, (uint32_t)n - 1);                   /* task 0 is the caller's */
    body(arg, 0);
    int own = 1 + do_tasks(p, false);
    caller_wait(p, n - own);
    atomic_store(&p->busy, false);
    return true;
}

void PACKAGE_pool_run(void *pool, int n, void (*body)(void *arg, int i), void *arg)
{
    struct PACKAGE_pool *p = pool;
    bool is_run = false;
    if (n > 1 && p && p->nworker > 0 && is_own(p)) {
        const int before = hold_cancel();
        is_run = run_shared(p, n, body, arg);
        restore_cancel(before);
    }
    for (int i = 0; i < n && !is_run; i++)
        body(arg, i);
}

/* A signal of the program shall not run its handler on a worker. (Windows has none.) */
static void start_workers(struct PACKAGE_pool *p, int count)
{
#ifndef _WIN32
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
#endif
    while (p->nworker < count && pthread_create(&p->worker[p->nworker], NULL, worker_main, p) == 0)
        p->nworker++;
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &old, NULL);
#endif
}

PACKAGE_pool *PACKAGE_pool_start(int threads)
{
    int count = threads > 1 ? threads - 1 : 0;
    void *memory = malloc(CACHE_LINE + sizeof(struct PACKAGE_pool) + (size_t)count * sizeof(pthread_t));
    if (!memory)
        return NULL;
    struct PACKAGE_pool *p = (void *)((uintptr_t)memory / CACHE_LINE * CACHE_LINE + CACHE_LINE);
    p->memory = memory;
    atomic_init(&p->ticket, 0);
    atomic_init(&p->body, NULL);
    atomic_init(&p->arg, NULL);
    atomic_init(&p->ntask, 0);
    atomic_init(&p->caller_cpu, -1);
    atomic_init(&p->done, 0);
    atomic_init(&p->sleepers, 0);
    atomic_init(&p->caller_sleeps, false);
    atomic_init(&p->busy, false);
    atomic_init(&p->stopping, false);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->finished, NULL);
    p->nworker = 0;
    mark_own(p);
    start_workers(p, count);
    return p;
}

static void end_workers(struct PACKAGE_pool *p)
{
    atomic_store(&p->stopping, true);
    publish(p, 0);
    for (int i = 0; i < p->nworker; i++)
        pthread_join(p->worker[i], NULL);
    pthread_cond_destroy(&p->finished);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

void PACKAGE_pool_stop(PACKAGE_pool *p)
{
    if (!p)
        return;
    const int before = hold_cancel();
    if (is_own(p))
        end_workers(p);
    free_pool(p);
    restore_cancel(before);
}
