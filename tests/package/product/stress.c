/* SPDX-License-Identifier: Apache-2.0
 *
 * stress: the package NAME called by many threads at once, in each way that a call may be carried out: alone, on a pool
 * of the caller's own, on one pool that all share, through a parallel_for of the product, on threads started for the
 * call; with each kernel. Inputs are shared, outputs are not. For thread sanitizer above all.
 */
#include <pthread.h>
#include "NAME_pool.h"
#include "NAME_problem.h"

enum { CALLERS = 6, ROUNDS = 6, PARTS = 3 }; /* a round for each kernel that a package of spec/ has, and one more */

typedef struct {
    void (*body)(void *arg, int i);
    void *arg;
    int i;
} Part;

static void *part_run(void *arg)
{
    const Part *p = arg;
    p->body(p->arg, p->i);
    return NULL;
}

/* A product's own, the simplest there is. */
static void thread_each(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    pthread_t *thread = NAME_take((size_t)n * sizeof *thread);
    Part *part = NAME_take((size_t)n * sizeof *part);
    (void)ctx;
    for (int i = 0; i < n; i++) {
        part[i] = (Part){ body, arg, i };
        if (pthread_create(&thread[i], NULL, part_run, &part[i]))
            abort();
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    free(part);
}

typedef enum { ALONE, OWN_POOL, SHARED_POOL, PARALLEL_FOR, THREADS, NWAY } Way;
static const char *const way_name[NWAY] = { "alone", "own pool", "shared pool", "parallel_for", "threads" };

typedef struct {
    NAME_problem p;
    Way way;
    NAME_pool *shared;
    int wrong;
} Caller;

static NAME_exec exec_of(const Caller *c, NAME_pool *own)
{
    switch (c->way) {
    case OWN_POOL:
        return (NAME_exec){ .threads = PARTS, .parallel_for = NAME_pool_run, .ctx = own };
    case SHARED_POOL:
        return (NAME_exec){ .threads = PARTS, .parallel_for = NAME_pool_run, .ctx = c->shared };
    case PARALLEL_FOR:
        return (NAME_exec){ .threads = PARTS, .parallel_for = thread_each };
    case THREADS:
        return (NAME_exec){ .threads = PARTS };
    default:
        return (NAME_exec){ 0 };
    }
}

static void *call_often(void *arg)
{
    Caller *c = arg;
    NAME_pool *own = c->way == OWN_POOL ? NAME_pool_start(PARTS) : NULL;
    NAME_exec exec = exec_of(c, own);
    for (int r = 0; r < (c->way == THREADS ? 1 : ROUNDS); r++) {
        exec.kernel = r % (NAME_nkernel() + 1);
        c->wrong += !NAME_problem_solves_or(&c->p, &exec, NAME_BAD_KERNEL);
    }
    NAME_pool_stop(own);
    return NULL;
}

/* All callers at once; returns how many results were wrong. */
static int run_way(const NAME_problem *p, Way way, NAME_pool *shared)
{
    Caller c[CALLERS];
    pthread_t thread[CALLERS];
    int wrong = 0;
    for (int i = 0; i < CALLERS; i++) {
        c[i] = (Caller){ .p = *p, .way = way == NWAY ? (Way)(i % THREADS) : way, .shared = shared };
        c[i].p.Y = NAME_take((size_t)(p->M * p->N) * sizeof(float));
        c[i].p.workspace = NAME_take(NAME_workspace_bytes(p->M, p->N, p->K, NULL));
        if (pthread_create(&thread[i], NULL, call_often, &c[i]))
            abort();
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        wrong += c[i].wrong;
        free(c[i].p.Y);
        free(c[i].p.workspace);
    }
    if (wrong)
        printf("%s: %d wrong\n", way == NWAY ? "all ways at once" : way_name[way], wrong);
    return wrong;
}

int main(void)
{
    /* Work for three parts through a pool; for two parts on new threads. */
    NAME_problem small = NAME_problem_new(40, 160, 64), large = NAME_problem_new(96, 301, 300);
    NAME_pool *shared = NAME_pool_start(PARTS);
    int wrong = 0;
    for (int way = 0; way <= NWAY; way++)
        wrong += run_way(way == THREADS ? &large : &small, (Way)way, shared);
    NAME_pool_stop(shared);
    NAME_problem_free(&small);
    NAME_problem_free(&large);
    return wrong != 0;
}
