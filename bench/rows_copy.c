/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_copy: memcpy to the output from an operand that is as large: it reads and writes the same bytes,
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

/* An operand of floats with as many elements as the output has in a call; -1: there is none. */
static int copied_operand(const Spec *spec, const int64_t *extent)
{
    double all = 0, elems = 0;
    expr_real_at(spec_output(spec)->elems, extent, &all);
    for (int i = 0; i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        if (o->role == ROLE_IN && strcmp(spec_element(spec, o)->name, "f32") == 0 &&
            expr_real_at(o->elems, extent, &elems) == EXPR_OK && elems == all)
            return i;
    }
    return -1;
}

static void *setup(Problem *p, int form, int threads)
{
    const DnnlRows r = rows_of(p);
    const int from = copied_operand(p->spec, p->extent);
    Copy *c = from < 0 ? NULL : malloc(sizeof *c);
    (void)form;
    if (!c)
        return NULL;
    *c = (Copy){ p->operand[from], (char *)r.Y, sizeof(float) * (size_t)(r.rows * r.columns), threads };
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

/* Formulas of floats that read as much as they write, and small operands beside that. */
static bool knows(const Spec *spec)
{
    return strcmp(spec_element(spec, spec_output(spec))->name, "f32") == 0 &&
           copied_operand(spec, spec->instance->extent) >= 0;
}

static const Library memcpy_library = { "memcpy", copy_open, gnu_get_libc_version };
const Peer rows_copy = { &memcpy_library, setup, run, free, knows, true, NULL };
