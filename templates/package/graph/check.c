/* SPDX-License-Identifier: MIT-0
 *
 * check_FUNCTION: calls of NAME, compared with its definition, for test_model.c.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int NAME_wide; /* operands are doubles */
#define DCGEN_ALL_DOUBLE NAME_wide

/* Each function has a definition, in a file of its own. */
#define dcgen_reference_accuracy NAME_accuracy
#pragma GCC diagnostic ignored "-Wunused-function"
static int64_t dcgen_reference_terms(const int64_t *extent);
#define OF_ROWS (const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
static void dcgen_reference_rows OF_ROWS;
static void dcgen_operator_rows OF_ROWS;
static void dcgen_reference_check OF_ROWS;
static void dcgen_operator_check OF_ROWS;

//@ elements

/* ---- calls ---- */

#include "check.h"

/* Bytes of an element as it lies in memory. */
static size_t NAME_element_bytes(const PACKAGE_seen *seen, int k)
{
    return seen->wide && NAME_fact[k].format != dcgen_as_s32 ? sizeof(double) : NAME_fact[k].bytes;
}

/* Where element i of operand k lies, in elements. */
static int64_t NAME_element_at(const NAME_operand *o, int k, const PACKAGE_seen *seen, int64_t i)
{
    int64_t at = 0;
    for (int along = NAME_fact[k].rank - 1; along >= 0; along--) {
        at += i % o->extent[along] * seen->stride[along];
        i /= o->extent[along];
    }
    return at;
}

static NAME_problem NAME_of_extents(const int64_t *extent)
{
    NAME_problem p = { .step = 1 };
    memcpy(p.extent, extent, sizeof p.extent);
    NAME_lay_out(&p);
    return p;
}

/* Element i as a number. */
static double NAME_value(const NAME_operand *o, int k, const PACKAGE_seen *seen, int64_t i)
{
    NAME_wide = seen->wide;
    return dcgen_load(NAME_fact[k].format, (const char *)seen->at + (size_t)NAME_element_at(o, k, seen, i) * NAME_element_bytes(seen, k), 0);
}

/* Copies the inputs, and an output that the definition reads: one behind the other, as doubles or as they are. */
static void NAME_gather(NAME_problem *p, const PACKAGE_seen *seen, int wide)
{
    for (int k = 0; k < NAME_noperand; k++) {
        NAME_operand *o = &p->operand[k];
#if OUTPUT_IS_READ
        const int is_read = 1;
#else
        const int is_read = k != NAME_out;
#endif
        if (!NAME_fact[k].rank || !is_read)
            continue;
        o->dense = NAME_take((size_t)o->elems * sizeof(double));
        for (int64_t i = 0; i < o->elems; i++) {
            const double v = NAME_value(o, k, &seen[k], i);
            if (wide && NAME_fact[k].format != dcgen_as_s32)
                ((double *)o->dense)[i] = v;
            else
                NAME_store(NAME_fact[k].format, o->dense, i, v);
        }
    }
    NAME_wide = wide;
}

/* Computes rows row..row+n-1 of the output by the definition. */
static void NAME_rows(const NAME_problem *p, int64_t row, int64_t n, double *y, double *bound)
{
    const void *dense[NAME_noperand] = { NULL };
    for (int k = 0; k < NAME_noperand; k++)
        dense[k] = p->operand[k].dense;
    dcgen_reference_rows(p->extent, dense, row, row + n, y, bound);
}

static void NAME_forget(NAME_problem *p, double *y, double *bound)
{
    for (int k = 0; k < NAME_noperand; k++)
        free(p->operand[k].dense);
    free(y);
    free(bound);
}

static int64_t NAME_node_draw(const int64_t *extent, int operand, void *to)
{
    NAME_problem p = NAME_of_extents(extent);
    NAME_wide = 0;
    p.operand[operand].dense = to;
    if (to)
        NAME_draw(&p, operand);
    return p.operand[operand].elems;
}

static double NAME_node_compare(const int64_t *extent, const PACKAGE_seen *seen)
{
    NAME_problem p = NAME_of_extents(extent);
    const NAME_operand *o = &p.operand[NAME_out];
    const int64_t width = p.rows ? o->elems / p.rows : 0;
    double *y = NAME_take((size_t)width * sizeof *y), *bound = NAME_take((size_t)width * sizeof *bound), most = 0;
    const double terms = (double)dcgen_reference_terms(extent);
    NAME_gather(&p, seen, 0);
    for (int64_t row = 0; width && row < p.rows; row++) {
        NAME_wide = 0;
        NAME_rows(&p, row, 1, y, bound);
        for (int64_t i = 0; i < width; i++) {
            const double got = NAME_value(o, NAME_out, &seen[NAME_out], row * width + i), tolerance = NAME_tolerance(terms, bound[i], y[i]);
            const double err = fabs(got - y[i]) / tolerance;
            if (got != y[i] && !(isnan(got) && isnan(y[i])) && !isinf(tolerance) && !(err <= most))
                most = err <= INFINITY ? err : INFINITY;
        }
    }
    NAME_forget(&p, y, bound);
    return most;
}

/* From -1 to 1, another one for each element and its neighbours. */
static double NAME_side(int64_t at) { return (double)(at * 7919 % 5 - 2) / 2; }

static void NAME_node_define(const int64_t *extent, const PACKAGE_seen *seen, int shaken)
{
    NAME_problem p = NAME_of_extents(extent);
    const NAME_operand *o = &p.operand[NAME_out];
    const int64_t width = p.rows ? o->elems / p.rows : 0;
    double *y = NAME_take((size_t)width * sizeof *y), *bound = NAME_take((size_t)width * sizeof *bound);
    NAME_gather(&p, seen, 1);
    const int is_whole = NAME_element_bytes(&seen[NAME_out], NAME_out) != sizeof(double);
    PACKAGE_seen given = seen[NAME_out];
    given.at = (void *)(uintptr_t)given.given;
    given.wide = 0;
    const double terms = (double)dcgen_reference_terms(extent);
    for (int64_t row = 0; width && row < p.rows; row++) {
        NAME_wide = 1;
        if (!is_whole)
            NAME_rows(&p, row, 1, y, bound);
        for (int64_t i = 0; i < width; i++) {
            const int64_t at = NAME_element_at(o, NAME_out, &seen[NAME_out], row * width + i);
            const int is_open = is_whole || isinf(bound[i]);
            const double v = is_open ? NAME_value(o, NAME_out, &given, row * width + i) : y[i];
            if (is_whole)
                NAME_store(NAME_fact[NAME_out].format, seen[NAME_out].at, at, v);
            else
                ((double *)seen[NAME_out].at)[at] = v + (shaken && !is_open ? NAME_tolerance(terms, bound[i], v) * NAME_side(at) : 0);
        }
    }
    NAME_forget(&p, y, bound);
}

const PACKAGE_check NAME_check_of_nodes = { NAME_node_draw, NAME_node_compare, NAME_node_define };
