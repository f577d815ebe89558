/* SPDX-License-Identifier: MIT-0
 *
 * pool: threads for parallel sections of 5 to 100 microseconds, where waking a sleeping thread would cost more than
 * the work.
 *
 *     PACKAGE_pool *pool = PACKAGE_pool_start(4);          // this thread and three workers
 *     PACKAGE_pool_run(pool, n, body, arg);             // body(arg, 0) ... body(arg, n-1), returns when all are done
 *     PACKAGE_pool_stop(pool);
 *
 * PACKAGE_pool_run is what the field `parallel_for` of an exec struct wants, with the pool as its context. A body must return:
 * one that is left by a C++ exception or longjmp leaves the pool unusable.
 */
#ifndef PACKAGE_POOL_H
#define PACKAGE_POOL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PACKAGE_pool PACKAGE_pool;

/* `threads` counts the caller: threads - 1 workers start, fewer when the system refuses more. NULL: out of memory. */
PACKAGE_pool *PACKAGE_pool_start(int threads);

/* Ends the workers. No PACKAGE_pool_run may be under way. NULL is allowed. */
void PACKAGE_pool_stop(PACKAGE_pool *pool);

/* Runs body(arg, i) for i = 0..n-1 on the caller and the workers. Everything written before the call is seen by the
 * bodies, everything they wrote is seen after it. While one thread's call is under way, a call by another thread, or
 * by a body, does its tasks alone instead of waiting, so calls may nest and never block each other. pool NULL: the
 * caller does all. */
void PACKAGE_pool_run(void *pool, int n, void (*body)(void *arg, int i), void *arg);

#ifdef __cplusplus
}
#endif

#endif
