/* SPDX-License-Identifier: Apache-2.0
 *
 * build_queue: see build_queue.h. Each batch has an arena of its own; queue_wait copies the results.
 */
#define _GNU_SOURCE
#include "search/build/build_queue.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "gen/base/process.h"

enum { WAIT_MS = 50, NICE = 10 };

/* The helper thread works on the batches without the lock, but for what follows it here and BuildBatch.later, next and done. */
struct BuildQueue {
    const Compiler *compiler;
    pthread_t thread;
    bool has_thread, has_ended; /* it is to be joined; nothing was left for it */
    pthread_mutex_t lock;
    pthread_cond_t finished; /* a batch is done */
    BuildBatch *first;
    atomic_int stop;
};

static bool is_busy(const BuildQueue *q)
{
    const BuildBatch *x = q->first;
    while (x && x->done)
        x = x->later;
    return x;
}

static void finish(BuildQueue *q, BuildBatch *x)
{
    x->done = true;
    pthread_cond_broadcast(&q->finished);
}

static void drop_all(BuildQueue *q, bool starved)
{
    for (BuildBatch *x = q->first; x; x = x->later)
        if (!x->done) {
            compile_drop(x, starved);
            finish(q, x);
        }
}

static void *queue_main(void *queue)
{
    BuildQueue *q = queue;
    const Stop stop = { .own = &q->stop };
    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread and its compilers: what measures comes first */
    pthread_mutex_lock(&q->lock);
    Jobs *jobs = jobs_new(q->compiler);
    while (jobs && is_busy(q) && !is_stopped(&stop)) {
        jobs_tend(jobs, q->first);
        BuildBatch *x = jobs_built(jobs, q->first);
        pthread_mutex_unlock(&q->lock);
        if (x)
            compile_end(q->compiler, x, &stop);
        else
            jobs_poll(jobs);
        pthread_mutex_lock(&q->lock);
        if (x)
            finish(q, x);
    }
    jobs_free(jobs);
    drop_all(q, !jobs);
    q->has_ended = true;
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void enqueue(BuildQueue *q, BuildBatch *x, bool in_front)
{
    BuildBatch **at = &q->first;
    while (*at && !in_front)
        at = &(*at)->later;
    x->later = *at;
    *at = x;
}

void queue_add(BuildQueue *q, Arena *a, Build *builds, int n, bool in_front)
{
    BuildBatch *x = ARENA_NEW(a, BuildBatch);
    *x = (BuildBatch){ .a = arena_new(), .result = a, .builds = builds, .n = n };
    pthread_mutex_lock(&q->lock);
    enqueue(q, x, in_front);
    const bool ended = q->has_thread && q->has_ended;
    pthread_mutex_unlock(&q->lock);
    if (ended)
        pthread_join(q->thread, NULL);
    if (q->has_thread && !ended)
        return;
    q->has_ended = false;
    atomic_store(&q->stop, 0);
    q->has_thread = pthread_create(&q->thread, NULL, queue_main, q) == 0;
    if (!q->has_thread) { /* none to be had: do it now */
        compile(q->compiler, x, &(Stop){ 0 });
        x->done = true;
    }
}

/* Waits for the batch, with the lock. */
static void wait_done(BuildQueue *q, const BuildBatch *x, double until_s, const volatile int *stop)
{
    while (!x->done) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += WAIT_MS * 1000000L;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&q->finished, &q->lock, &t);
        if (!x->done && ((stop && *stop) || process_clock_s() >= until_s))
            atomic_store(&q->stop, 1);
    }
}

/* The results come to where they were asked for. */
static void take_out(BuildQueue *q, BuildBatch *x)
{
    BuildBatch **at = &q->first;
    while (*at != x)
        at = &(*at)->later;
    *at = x->later;
    for (int i = 0; i < x->n; i++) {
        Build *build = &x->builds[i];
        build->why = arena_strdup(x->result, build->why);
        build->log = arena_strdup(x->result, build->log);
        build->so = build->so ? arena_strdup(x->result, build->so) : NULL;
    }
    arena_free(x->a);
}

bool queue_wait(BuildQueue *q, const Build *builds, double until_s, const volatile int *stop)
{
    bool in_time = true;
    pthread_mutex_lock(&q->lock);
    for (BuildBatch *x = q->first, *later; x; x = later) {
        later = x->later;
        if (builds && x->builds != builds)
            continue;
        wait_done(q, x, until_s, stop);
        for (int i = 0; i < x->n; i++)
            in_time = in_time && strcmp(x->builds[i].why, "interrupted") != 0;
        take_out(q, x);
    }
    pthread_mutex_unlock(&q->lock);
    return in_time;
}

bool queue_is_busy(BuildQueue *q)
{
    pthread_mutex_lock(&q->lock);
    const bool busy = is_busy(q);
    pthread_mutex_unlock(&q->lock);
    return busy;
}

BuildQueue *queue_new(Arena *a, const Compiler *c)
{
    BuildQueue *q = ARENA_NEW(a, BuildQueue);
    q->compiler = c;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->finished, NULL);
    return q;
}

void queue_cancel(BuildQueue *q)
{
    static const volatile int stop = 1;
    queue_wait(q, NULL, INFINITY, &stop);
}

void queue_free(BuildQueue *q)
{
    queue_cancel(q);
    if (q->has_thread)
        pthread_join(q->thread, NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->finished);
}
