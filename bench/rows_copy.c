/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_copy: memcpy from the operand that a formula of rows is of to the output: it reads and writes the same bytes,
 * and nothing computes as fast.
 */
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include "bench/rows.h"

typedef struct {
    const char *from;
    char *to;
    size_t bytes;
    int threads;
} Copy;

static bool run(void *state)
{
    const Copy *c = state;
#pragma omp parallel for schedule(static) num_threads(c->threads) if (c->threads > 1)
    for (int i = 0; i < c->threads; i++) {
        const size_t begin = c->bytes * (size_t)i / (size_t)c->threads,
                     end = c->bytes * (size_t)(i + 1) / (size_t)c->threads;
        memcpy(c->to + begin, c->from + begin, end - begin);
    }
    return true;
}

static void *setup(Problem *p, int form, int threads)
{
    const DnnlRows r = rows_of(p);
    Copy *c = malloc(sizeof *c);
    (void)form;
    *c = (Copy){ (const char *)r.X, (char *)r.Y, sizeof(float) * (size_t)(r.rows * r.columns), threads };
    run(c);
    if (memcmp(c->to, c->from, c->bytes) == 0)
        return c;
    free(c);
    return NULL;
}

static const char *copy_open(void)
{
#ifdef _OPENMP
    return NULL;
#else
    return "bench was built without OpenMP";
#endif
}

/* Formulas of floats, whose first operand is as large as the output. */
static bool knows(const Spec *spec)
{
    const Op *op = spec->op;
    const Operand *x = &op->operand[0], *y = spec_output(spec);
    bool same = strcmp(spec->dtype, "f32") == 0 && !x->stored && x->layout[0].rank == y->layout[0].rank;
    for (int i = 0; same && i < x->layout[0].rank; i++)
        same = strcmp(expr_text(x->layout[0].extent[i]), expr_text(y->layout[0].extent[i])) == 0;
    return same;
}

static const Library memcpy_library = { "memcpy", copy_open, gnu_get_libc_version };
const Peer rows_copy = { &memcpy_library, setup, run, free, knows, true, NULL };
