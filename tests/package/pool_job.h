/* SPDX-License-Identifier: Apache-2.0
 *
 * pool_job: jobs for the tests of the pool: one tells how often each of its tasks ran, of the other all tasks run at the same time. Included behind pool.c.
 */
#ifndef POOL_JOB_H
#define POOL_JOB_H

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

static void sleep_ns(long ns) { nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL); }

static void check_run(PACKAGE_pool *pool, int n)
{
    Job job = { { 0 } };
    PACKAGE_pool_run(pool, n, count_task, &job);
    for (int i = 0; i < MAX_TASK; i++)
        assert_int_equal(job.count[i], i < n);
}

#endif
