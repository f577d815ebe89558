/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread pool of generated packages where its process is copied (fork), and where its callers' threads are cancelled:
 * nothing hangs, no memory is lost, and no task is left out. Meant to be run under tsan too.
 *
 *   ctest: replaces sanitized
 */
#define _GNU_SOURCE /* for pool.c, as a package compiles it */
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

/* What the pool asks of the system: answered by a test itself, or counted. */
static int (*sleep_on)(pthread_cond_t *, pthread_mutex_t *) = pthread_cond_wait;
static int (*advise)(void *, size_t, int) = madvise;
static int njoin, nfree, nunmap;
#define pthread_cond_wait(...) sleep_on(__VA_ARGS__)
#define madvise(...) advise(__VA_ARGS__)
#define pthread_join(...) (njoin++, pthread_join(__VA_ARGS__))
#define free(...) (nfree++, free(__VA_ARGS__))
#define munmap(...) (nunmap++, munmap(__VA_ARGS__))
#include "templates/package/pool.c"
#undef pthread_cond_wait
#undef madvise
#undef pthread_join
#undef free
#undef munmap
#include "pool_job.h"

#ifdef DCGEN_SANITIZE_thread
#define UNDER_TSAN 1 /* it allows no new threads in a child of fork */
#else
#define UNDER_TSAN 0
#endif
#ifdef DCGEN_SANITIZE_address
#define UNDER_ASAN 1 /* it takes frames that a cancelled thread leaves for live ones */
#else
#define UNDER_ASAN 0
#endif

static pthread_t caller;

static void meet(PACKAGE_pool *pool)
{
    atomic_int met = 0;
    PACKAGE_pool_run(pool, MEETING, meet_task, &met);
}

/* Runs `body` in a child of fork, which must end with 0 before long. */
static void in_child(int (*body)(PACKAGE_pool *), PACKAGE_pool *pool)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(body(pool));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void count_here(void *arg, int i)
{
    if (pthread_equal(pthread_self(), caller))
        count_task(arg, i);
}

/* 0: the calling thread does all, and stop frees what the pool holds. */
static int run_and_stop(PACKAGE_pool *pool)
{
    Job job = { { 0 } };
    caller = pthread_self();
    PACKAGE_pool_run(pool, 20, count_here, &job);
    for (int i = 0; i < 20; i++)
        if (job.count[i] != 1)
            return 1;
    const int unmaps = pool->own ? 1 : 0;
    njoin = nfree = nunmap = 0;
    PACKAGE_pool_stop(pool);
    return njoin == 0 && nfree == 1 && nunmap == unmaps ? 0 : 2;
}

/* The same in a child's child. Then the child, which needs no pool that it inherited, has one of its own. */
static int run_in_two(PACKAGE_pool *pool)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0)
        _exit(run_and_stop(pool));
    if (waitpid(child, &status, 0) != child || status != 0 || run_and_stop(pool) != 0)
        return 3;
    if (UNDER_TSAN)
        return 0;
    PACKAGE_pool *own = PACKAGE_pool_start(MEETING);
    meet(own);
    PACKAGE_pool_stop(own);
    if (njoin != MEETING - 1)
        return 4;
    return 0;
}

static int refuse_advice(void *page, size_t bytes, int advice)
{
    (void)page, (void)bytes, (void)advice;
    return -1;
}

static int ignore_advice(void *page, size_t bytes, int advice)
{
    (void)page, (void)bytes, (void)advice;
    return 0;
}

/* A child of fork has no workers: it does all tasks itself, and its stop frees its memory. The parent's pool stays as it is. */
TEST(a_forked_child_works_alone)
{
    int (*const advices[])(void *, size_t, int) = { madvise, refuse_advice, ignore_advice };
    for (int i = 0; i < 3; i++) {
        advise = advices[i];
        PACKAGE_pool *pool = PACKAGE_pool_start(MEETING);
        assert_int_equal(pool->own != NULL, i == 0);
        meet(pool);
        in_child(run_in_two, pool); /* with workers that spin */
        check_run(pool, 20);
        while (atomic_load(&pool->sleepers) != MEETING - 1)
            sleep_ns(1000000);
        in_child(run_in_two, pool); /* that sleep */
        check_run(pool, 20);
        njoin = nfree = nunmap = 0;
        PACKAGE_pool_stop(pool);
        assert_int_equal(njoin, MEETING - 1);
        assert_int_equal(nfree, 1);
        assert_int_equal(nunmap, i == 0);
    }
    advise = madvise;
}

static atomic_bool is_held, let_go;

static int hold_lock(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    atomic_store(&is_held, true);
    while (!atomic_load(&let_go))
        sched_yield();
    return pthread_cond_wait(cond, mutex);
}

/* A worker that holds the lock at the moment of fork holds it in the child for ever. */
TEST(a_forked_child_takes_no_lock)
{
    sleep_on = hold_lock;
    PACKAGE_pool *pool = PACKAGE_pool_start(2);
    while (!atomic_load(&is_held))
        sched_yield();
    in_child(run_and_stop, pool);
    atomic_store(&let_go, true);
    check_run(pool, 20);
    PACKAGE_pool_stop(pool);
    sleep_on = pthread_cond_wait;
}

typedef struct {
    PACKAGE_pool *pool;
    int type;
    atomic_bool begun, cancelled, ended;
} Cancelled;

static void task_of_cancelled(void *arg, int i)
{
    Cancelled *c = arg;
    if (i == 0) { /* the caller's */
        while (!atomic_load(&c->begun))
            sched_yield();
        return;
    }
    atomic_store(&c->begun, true);
    while (!atomic_load(&c->cancelled))
        sched_yield();
    sleep_ns(2000000); /* for the caller to end, if it does */
    atomic_store(&c->ended, true);
}

static void *call_until_cancelled(void *arg)
{
    Cancelled *c = arg;
    pthread_setcanceltype(c->type, NULL);
    PACKAGE_pool_run(c->pool, 2, task_of_cancelled, c);
    pthread_testcancel();
    return NULL;
}

/* A thread that is cancelled in a call ends when the call has. */
TEST(a_cancelled_thread_ends_its_call)
{
    static const int types[] = { PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS };
    for (int i = 0; i < (UNDER_ASAN ? 1 : 2); i++) {
        Cancelled c = { .pool = PACKAGE_pool_start(2), .type = types[i] };
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, call_until_cancelled, &c), 0);
        while (!atomic_load(&c.pool->caller_sleeps))
            sched_yield();
        pthread_cancel(thread);
        atomic_store(&c.cancelled, true);
        pthread_join(thread, &result);
        assert_ptr_equal(result, PTHREAD_CANCELED);
        assert_true(atomic_load(&c.ended));
        assert_false(atomic_load(&c.pool->busy));
        alarm(60);
        check_run(c.pool, 20);
        PACKAGE_pool_stop(c.pool);
        alarm(0);
    }
}

/* What a thread wants of being cancelled stays so. */
static void *keep_cancel_state(void *arg)
{
    static const int states[] = { PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ENABLE };
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    int *wrong = arg, now;
    for (int i = 0; i < 2; i++) {
        pthread_setcancelstate(states[i], &now);
        check_run(pool, 5);
        pthread_setcancelstate(states[i], &now);
        *wrong += now != states[i];
    }
    pthread_cancel(pthread_self()); /* at the next point where it may be */
    njoin = nfree = 0;
    PACKAGE_pool_stop(pool);
    *wrong += njoin != 2 || nfree != 1;
    pthread_testcancel();
    *wrong += 100;
    return NULL;
}

TEST(a_cancelled_thread_stops_the_whole_pool)
{
    pthread_t thread;
    int wrong = 0;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, keep_cancel_state, &wrong), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_int_equal(wrong, 0);
    assert_int_equal(nfree, 1);
}
