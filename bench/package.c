/* SPDX-License-Identifier: Apache-2.0
 *
 * package: the package as a peer among others. With more than one thread it runs on its own pool.
 */
#include "bench/package.h"

#include <stdlib.h>
#include "bench/shapes.h"

/* A program with such a function has its own, which counts. */
__attribute__((weak)) const PackageFunction package_beside = { .name = NULL };

static Memory *region;

static void *take(size_t bytes) { return memory_take(region, bytes); }

void problem_make(Problem *p)
{
    region = p->mem;
    p->made = package_tested.problem(p->extent, p->operand, take);
}

void *problem_operand(const Problem *p, const char *name)
{
    const int i = names_find(NAMES(p->spec->op->operand, p->spec->op->noperand), name);
    return i < 0 ? NULL : p->operand[i];
}

bool peer_knows_plain(const Spec *spec) { return !spec->formula || spec->formula->bias >= 0; }

const float *problem_bias(const Problem *p) { return p->spec->formula ? p->operand[p->spec->formula->bias] : NULL; }

typedef struct {
    const PackageFunction *function;
    const void *problem;
    int constant; /* which operand; -1: none */
    int threads;
    void *pool;
} State;

static bool run(void *state)
{
    const State *s = state;
    return s->function->call(s->problem, s->threads, s->pool);
}

static void teardown(void *state)
{
    State *s = state;
    if (s->pool)
        s->function->pool_end(s->pool);
    free(s);
}

static Span constant(const void *state)
{
    const State *s = state;
    Span span = { 0 };
    if (s->constant >= 0)
        span.at = s->function->constant(s->problem, s->constant, &span.bytes);
    return span;
}

static State *state_new(const PackageFunction *f, const void *problem, int constant, int threads)
{
    State *s = malloc(sizeof *s);
    *s = (State){ f, problem, constant, threads, threads > 1 ? f->pool(threads) : NULL };
    return s;
}

/* `form` is not looked at: a package knows one alone. */
static void *setup(Problem *p, int form, int threads)
{
    (void)form;
    return state_new(&package_tested, p->made, p->spec->const_operand, threads);
}

static const char *no_obstacle(void) { return NULL; }
static const char *version(void) { return package_tested.name; }
static const Library library = { "dcgen", no_obstacle, version };
static bool knows_all(const Spec *spec) { return spec != NULL; }
const Peer package_peer = { &library, setup, run, teardown, knows_all, false, constant };

/* ---- the function beside it, on data of its own ---- */

static const Spec *beside_spec;

static const char *beside_open(void)
{
    if (!package_beside.name)
        return "the package has no function of this operator that adds a bias alone";
    beside_spec = shapes_spec(package_beside.spec, package_beside.function, BENCH_TEMPLATES);
    return beside_spec ? NULL : "its spec cannot be read";
}

static const char *beside_version(void) { return package_beside.name; }

/* Has it been tuned for such extents? */
static bool is_within(const Box *box, const int64_t *extent, int nextent)
{
    for (int i = 0; i < nextent; i++)
        if (extent[i] < box->min[i] || extent[i] > box->max[i])
            return false;
    return true;
}

static void *beside_setup(Problem *p, int form, int threads)
{
    void *operand[OP_MAX_OPERAND];
    (void)form;
    if (!is_within(&beside_spec->box, p->extent, p->spec->op->nextent))
        return NULL;
    const void *problem = package_beside.problem(p->extent, operand, take);
    State *s = state_new(&package_beside, problem, beside_spec->const_operand, threads);
    package_beside.spoil(problem);
    if (run(s) && package_beside.is_right(problem))
        return s;
    teardown(s);
    return NULL;
}

static const Library beside_library = { "dcgen-bias", beside_open, beside_version };
static bool is_more_than_bias(const Spec *spec) { return !peer_knows_plain(spec); }
const Peer beside_peer = { &beside_library, beside_setup, run, teardown, is_more_than_bias, true, constant };
