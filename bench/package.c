/* SPDX-License-Identifier: Apache-2.0
 *
 * package: the package as a peer among others. With more than one thread it runs on its own pool.
 */
#include "bench/package.h"

#include <stdlib.h>
#include "bench/peer.h"

static Memory *region;

static void *take(size_t bytes) { return memory_take(region, bytes); }

void problem_make(Problem *p)
{
    region = p->mem;
    p->made = package_problem(p->extent, p->operand, take);
}

static const char *no_obstacle(void) { return NULL; }
static const char *version(void) { return package_name; }
static const Library library = { "dcgen", no_obstacle, version };

typedef struct {
    const void *problem;
    int threads;
    void *pool;
} State;

/* `form` is not looked at: a package knows one alone. */
static void *setup(Problem *p, int form, int threads)
{
    State *s = malloc(sizeof *s);
    (void)form;
    *s = (State){ p->made, threads, threads > 1 ? package_pool(threads) : NULL };
    return s;
}

static bool run(void *state)
{
    const State *s = state;
    return package_call(s->problem, s->threads, s->pool);
}

static void teardown(void *state)
{
    State *s = state;
    if (s->pool)
        package_pool_end(s->pool);
    free(s);
}

const Peer package_peer = { &library, setup, run, teardown };
