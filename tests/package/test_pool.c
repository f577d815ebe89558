/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread pool of generated packages: every task runs exactly once, its writes are seen afterwards, and nothing
 * hangs, with fewer and more threads than cores, awake and asleep, nested and called from several threads; where its
 * process is copied (fork), and where its callers' threads are cancelled, no memory is lost either. Meant to be run
 * under tsan too.
 *
 *   ctest: replaces sanitized
 */
#define _GNU_SOURCE /* for pool.c, as a package compiles it */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>
#include <sched.h>

/* What the pool asks of the system: answered by a test itself, or counted. */
static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
static int (*cpu_now)(void) = sched_getcpu;
static int (*set_affinity)(pid_t, size_t, const cpu_set_t *) = sched_setaffinity;
static int (*sleep_on)(pthread_cond_t *, pthread_mutex_t *) = pthread_cond_wait;
static int (*advise)(void *, size_t, int) = madvise;
static int njoin, nfree, nunmap;
#define pthread_create(...) create(__VA_ARGS__)
#define sched_getcpu() cpu_now()
#define sched_setaffinity(...) set_affinity(__VA_ARGS__)
#define pthread_cond_wait(...) sleep_on(__VA_ARGS__)
#define madvise(...) advise(__VA_ARGS__)
#define pthread_join(...) (njoin++, pthread_join(__VA_ARGS__))
#define free(...) (nfree++, free(__VA_ARGS__))
#define munmap(...) (nunmap++, munmap(__VA_ARGS__))
#include "templates/package/pool.c"
#undef pthread_create
#undef sched_getcpu
#undef sched_setaffinity
#undef pthread_cond_wait
#undef madvise
#undef pthread_join
#undef free
#undef munmap

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

/* ---- jobs ---- */

enum { MAX_TASK = 1000 };

/* Plain ints: a task that ran twice, or unseen writes, are races for tsan. */
typedef struct {
    int count[MAX_TASK];
} Job;

static void count_task(void *arg, int i)
{
    Job *job = arg;
    job->count[i]++;
}

enum { MEETING = 4 };

/* Ends when all are there, each on a thread of its own. */
static void meet_task(void *arg, int i)
{
    atomic_int *met = arg;
    (void)i;
    atomic_fetch_add(met, 1);
    while (atomic_load(met) < MEETING)
        sched_yield();
}

static void meet(PACKAGE_pool *pool)
{
    atomic_int met = 0;
    PACKAGE_pool_run(pool, MEETING, meet_task, &met);
}

static void sleep_ns(long ns) { nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL); }

static void check_run(PACKAGE_pool *pool, int n)
{
    Job job = { { 0 } };
    PACKAGE_pool_run(pool, n, count_task, &job);
    for (int i = 0; i < MAX_TASK; i++)
        assert_int_equal(job.count[i], i < n);
}

static pthread_t caller;

/* ---- tasks ---- */

TEST(every_task_runs_once)
{
    static const int threads[] = { -1, 0, 1, 2, 3, 16 }, n[] = { -5, 0, 1, 2, 3, 7, 16, 100, MAX_TASK };
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        PACKAGE_pool *pool = PACKAGE_pool_start(threads[t]);
        assert_non_null(pool);
        assert_int_equal(pool->nworker, threads[t] > 1 ? threads[t] - 1 : 0);
        assert_int_equal((uintptr_t)pool % CACHE_LINE, 0);
        for (size_t i = 0; i < sizeof n / sizeof *n; i++)
            check_run(pool, n[i]);
        PACKAGE_pool_stop(pool);
    }
}

TEST(no_pool_runs_alone)
{
    check_run(NULL, 17);
    PACKAGE_pool_stop(NULL);
}

TEST(many_short_runs)
{
    enum { RUNS = 20000, TASKS = 4 };
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    Job job = { { 0 } };
    for (int r = 0; r < RUNS; r++)
        PACKAGE_pool_run(pool, TASKS, count_task, &job);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(job.count[i], RUNS);
    PACKAGE_pool_stop(pool);
}

/* Around the end of spinning, where a wake-up could get lost. */
TEST(runs_after_pauses)
{
    PACKAGE_pool *pool = PACKAGE_pool_start(2);
    for (int r = 0; r < 300; r++) {
        sleep_ns(r * 500);
        check_run(pool, 2);
    }
    PACKAGE_pool_stop(pool);
}

typedef struct {
    pthread_t main;
    atomic_int ran_elsewhere;
} Helpers;

static void slow_task(void *arg, int i)
{
    Helpers *h = arg;
    (void)i;
    sleep_ns(3000000);
    if (!pthread_equal(pthread_self(), h->main))
        atomic_fetch_add(&h->ran_elsewhere, 1);
    while (!atomic_load(&h->ran_elsewhere)) /* on a busy machine the worker may come late */
        sched_yield();
}

/* The sleeping worker is woken and takes its part; the caller, done first or last, waits for it beyond spinning. */
TEST(workers_help_after_sleep)
{
    PACKAGE_pool *pool = PACKAGE_pool_start(2);
    Helpers h = { .main = pthread_self() };
    sleep_ns(20000000);
    alarm(60); /* instead of for ever */
    PACKAGE_pool_run(pool, 7, slow_task, &h);
    alarm(0);
    assert_in_range(atomic_load(&h.ran_elsewhere), 1, 6);
    PACKAGE_pool_stop(pool);
}

/* A call of two tasks, of which the worker's ends last. */
typedef struct {
    PACKAGE_pool *pool;
    int cancel_type;
    atomic_bool begun, cancelled, ended, *until; /* the worker waits for this */
} Late;

static void late_task(void *arg, int i)
{
    Late *l = arg;
    if (i == 0) { /* the caller's: it is done as soon as a worker has the other */
        while (!atomic_load(&l->begun))
            sched_yield();
        return;
    }
    atomic_store(&l->begun, true);
    while (!atomic_load(l->until))
        sched_yield();
    sleep_ns(2000000); /* for the caller to let go of the lock, and wait; or to end, if it does */
    atomic_store(&l->ended, true);
}

/* A worker that is done last wakes the caller, which went to sleep over it. */
TEST(the_last_worker_wakes_the_caller)
{
    Late l = { .pool = PACKAGE_pool_start(2) };
    l.until = &l.pool->caller_sleeps;
    alarm(60);
    for (int r = 0; r < 5; r++) {
        atomic_store(&l.begun, false);
        PACKAGE_pool_run(l.pool, 2, late_task, &l);
        assert_false(atomic_load(&l.pool->caller_sleeps)); /* nor is it woken again */
    }
    alarm(0);
    PACKAGE_pool_stop(l.pool);
}

/* Workers that have nothing to do leave the cores to others, all of them, and come back. */
TEST(idle_workers_sleep)
{
    PACKAGE_pool *pool = PACKAGE_pool_start(MEETING);
    alarm(60);
    for (int r = 0; r < 3; r++) {
        while (atomic_load(&pool->sleepers) != MEETING - 1)
            sleep_ns(1000000);
        meet(pool);
    }
    alarm(0);
    PACKAGE_pool_stop(pool);
    assert_in_range(PACKAGE_POOL_SPIN_NS, 50000,
                    1000000); /* longer than between two layers, shorter than what anybody feels */
}

static atomic_int to_create;

static int create_some(pthread_t *t, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    return atomic_fetch_sub(&to_create, 1) > 0 ? pthread_create(t, attr, body, arg) : EAGAIN;
}

/* Where the system starts fewer threads there are fewer workers. */
TEST(threads_that_do_not_start_are_not_missed)
{
    create = create_some;
    for (int n = 0; n < 3; n++) {
        atomic_store(&to_create, n);
        PACKAGE_pool *pool = PACKAGE_pool_start(8);
        assert_non_null(pool);
        assert_int_equal(pool->nworker, n);
        check_run(pool, 20);
        PACKAGE_pool_stop(pool);
    }
    create = pthread_create;
}

enum { MOST_MASKS = 8 };
static int here;
static cpu_set_t masks[MOST_MASKS];
static atomic_int nmask;

static int always_here(void) { return here; }

static int note_affinity(pid_t thread, size_t bytes, const cpu_set_t *mask)
{
    const int i = atomic_fetch_add(&nmask, 1);
    if (thread == 0 && i < MOST_MASKS)
        memcpy(&masks[i], mask, bytes);
    return 0;
}

/* A worker on the caller's core leaves it for any other that it may run on, and may run on all of them afterwards. */
TEST(a_worker_leaves_the_callers_core)
{
    cpu_set_t allowed, others;
    struct PACKAGE_pool p = { 0 };
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) < 2) {
        puts("skipped: this process may run on one core only");
        skip();
    }
    for (here = 0; !CPU_ISSET((size_t)here, &allowed);)
        here++;
    others = allowed;
    CPU_CLR((size_t)here, &others);
    cpu_now = always_here;
    set_affinity = note_affinity;
    atomic_store(&nmask, 0);
    atomic_store(&p.caller_cpu, here + 1);
    leave_caller(&p);
    assert_int_equal(atomic_load(&nmask), 0);
    atomic_store(&p.caller_cpu, here);
    leave_caller(&p);
    assert_int_equal(atomic_load(&nmask), 2);
    assert_true(CPU_EQUAL(&masks[0], &others));
    assert_true(CPU_EQUAL(&masks[1], &allowed));
    leave_cpu(-1);
    leave_cpu(CPU_SETSIZE);
    assert_int_equal(atomic_load(&nmask), 2);
    PACKAGE_pool *pool =
        PACKAGE_pool_start(2); /* and so it goes in a job: caller and worker say that they are on one core */
    alarm(60);
    while (atomic_load(&nmask) < 4)
        check_run(pool, 2);
    alarm(0);
    PACKAGE_pool_stop(pool);
    cpu_now = sched_getcpu;
    set_affinity = sched_setaffinity;
}

typedef struct {
    PACKAGE_pool *pool;
    Job job;
} Caller;

static void *call_often(void *arg)
{
    Caller *c = arg;
    for (int r = 0; r < 2000; r++)
        PACKAGE_pool_run(c->pool, 5, count_task, &c->job);
    return NULL;
}

TEST(concurrent_callers)
{
    enum { CALLERS = 3 };
    PACKAGE_pool *pool = PACKAGE_pool_start(2);
    Caller c[CALLERS] = { { 0 } };
    pthread_t thread[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        c[i].pool = pool;
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        for (int k = 0; k < 5; k++)
            assert_int_equal(c[i].job.count[k], 2000);
    }
    PACKAGE_pool_stop(pool);
}

typedef struct {
    PACKAGE_pool *pool;
    Job inner[8];
} Nested;

static void run_inner(void *arg, int i)
{
    Nested *n = arg;
    PACKAGE_pool_run(n->pool, 10, count_task, &n->inner[i]);
}

TEST(calls_nest)
{
    Nested n = { .pool = PACKAGE_pool_start(3) };
    PACKAGE_pool_run(n.pool, 8, run_inner, &n);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 10; k++)
            assert_int_equal(n.inner[i].count[k], 1);
    PACKAGE_pool_stop(n.pool);
}

/* A worker that runs it tells the signals that it holds back. */
static void tell_signals(void *arg, int i)
{
    sigset_t *held = arg;
    (void)i;
    if (!pthread_equal(pthread_self(), caller))
        pthread_sigmask(SIG_SETMASK, NULL, held);
    else
        sleep_ns(1000000);
}

/* Signals of the program stay its own threads': those take the ones that they took before, the workers none. */
TEST(signals_stay_the_callers)
{
    sigset_t before, after, held;
    caller = pthread_self();
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1); /* held back before: so it is afterwards */
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &held, &before), 0);
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, &after), 0);
    assert_true(sigismember(&after, SIGUSR1));
    assert_false(sigismember(&after, SIGINT));
    assert_false(sigismember(&after, SIGTERM));
    sigemptyset(&held);
    for (int i = 0; i < 1000 && !sigismember(&held, SIGINT); i++)
        PACKAGE_pool_run(pool, 2, tell_signals, &held);
    assert_true(sigismember(&held, SIGINT));
    assert_true(sigismember(&held, SIGTERM));
    PACKAGE_pool_stop(pool);
}

TEST(stops_at_any_time)
{
    /* Not started, spinning, on the way to sleep (twice), asleep. */
    static const long wait_ns[] = { 0, 10000, 50000, 60000, 10000000 };
    for (int r = 0; r < 50; r++) {
        PACKAGE_pool *pool = PACKAGE_pool_start(4);
        if (r % 2)
            check_run(pool, 4);
        sleep_ns(wait_ns[r % 5]);
        PACKAGE_pool_stop(pool);
    }
}

/* ---- fork and cancellation ---- */

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

/* A child of fork has no workers: it does all tasks itself, and its stop frees its memory. The parent's pool stays as
 * it is. */
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

static void *call_until_cancelled(void *arg)
{
    Late *l = arg;
    pthread_setcanceltype(l->cancel_type, NULL);
    PACKAGE_pool_run(l->pool, 2, late_task, l);
    pthread_testcancel();
    return NULL;
}

/* A thread that is cancelled in a call ends when the call has. */
TEST(a_cancelled_thread_ends_its_call)
{
    static const int types[] = { PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS };
    for (int i = 0; i < (UNDER_ASAN ? 1 : 2); i++) {
        Late c = { .pool = PACKAGE_pool_start(2), .cancel_type = types[i], .until = &c.cancelled };
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
