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
 *
 * After fork        The child has the pool but none of its workers: a run there does all tasks on the calling thread, and
 *                   PACKAGE_pool_stop frees the child's memory. The child may start a pool of its own. A child that a body forks
 *                   must not return from that body: it calls exec or _exit.
 * Signal handlers   None of these functions may be called there: they take locks and memory.
 * Cancelled threads A run that has workers, and PACKAGE_pool_stop, end first; then the thread does.
 * At exit           A pool may be left to the end of the process, unless a run is under way. It may also be stopped by a handler
 *                   of atexit, or by a destructor.
 * Unloading         Workers run the code of the library that holds this pool: it must not be unloaded before PACKAGE_pool_stop has
 *                   returned. A destructor of that library may stop the pool (on Windows DllMain may not: it would wait for ever). The
 *                   shared library that the package's CMakeLists.txt builds is never unloaded, where the linker knows -z nodelete.
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
