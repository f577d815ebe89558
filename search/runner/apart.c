/* SPDX-License-Identifier: Apache-2.0
 *
 * apart: operands that lie with gaps between their rows, and between blocks of rows, as callers of strided operands may
 * have them, in any order of their outer extents; inputs also with rows that are several at once, by strides of 0. Gaps
 * of inputs are NaN, so that reading them spoils the result; those of the output hold a byte that must stay.
 */
#include <string.h>
#include "search/runner/runner.h"

enum { NAN_BYTE = 0xff, GAP_BYTE = 0xa5 };

/* The outer extents as they lie in memory, that with the longest stride first; of equal ones in their order. */
static int order_of(const Apart *a, int order[OP_MAX_RANK])
{
    const int n = (int)a->rank - 1;
    for (int i = 0, at; i < n; order[at] = i, i++)
        for (at = i; at > 0 && a->stride[order[at - 1]] < a->stride[i]; at--)
            order[at] = order[at - 1];
    return n;
}

/* Do no two elements lie in one place? Each stride exceeds all that lies within it. */
static bool is_distinct(const Apart *a)
{
    int order[OP_MAX_RANK];
    int64_t within = a->extent[a->rank - 1]; /* elements, from the first to behind the last */
    bool is = true;
    for (int n = order_of(a, order); is && n-- > 0;) {
        const int64_t extent = a->extent[order[n]], stride = a->stride[order[n]];
        is = extent <= 1 || stride >= within;
        within += extent > 1 ? (extent - 1) * stride : 0;
    }
    return is;
}

bool apart_complete(Apart *a, int64_t elems, int64_t most, bool is_output)
{
    int64_t product = 1;
    a->span = elems > 0;
    for (int64_t i = a->rank - 1; i >= 0; i--) {
        int64_t last;
        const int64_t stride = i == a->rank - 1 ? 1 : a->stride[i];
        if (__builtin_mul_overflow(product, a->extent[i], &product) ||
            __builtin_mul_overflow(stride, a->extent[i] - 1, &last))
            return false;
        if (elems > 0 && (__builtin_add_overflow(a->span, last, &a->span) || a->span > most))
            return false;
    }
    return product == elems && (!is_output || elems == 0 || is_distinct(a));
}

static int64_t count_rows(const Apart *a)
{
    int64_t rows = a->span > 0;
    for (int64_t i = 0; i < a->rank - 1; i++)
        rows *= a->extent[i];
    return rows;
}

/* Where the k-th row in memory's order begins, and its number among those of the operand. */
static size_t row_at(const Apart *a, int64_t k, size_t *row)
{
    int order[OP_MAX_RANK];
    int64_t at = 0, place[OP_MAX_RANK] = { 0 }, number = 0;
    for (int n = order_of(a, order); n-- > 0; k /= a->extent[order[n]]) {
        place[order[n]] = k % a->extent[order[n]];
        at += place[order[n]] * a->stride[order[n]];
    }
    for (int64_t i = 0; i < a->rank - 1; i++)
        number = number * a->extent[i] + place[i];
    *row = (size_t)number;
    return (size_t)at;
}

/* Puts rows to their places; NULL: NaN. */
static void put_rows(const Apart *a, size_t bytes, const char *dense, char *to)
{
    const size_t row_bytes = (size_t)a->extent[a->rank - 1] * bytes;
    for (int64_t k = 0; k < count_rows(a); k++) {
        size_t row;
        char *at = to + row_at(a, k, &row) * bytes;
        if (dense)
            memcpy(at, dense + row * row_bytes, row_bytes);
        else
            memset(at, NAN_BYTE, row_bytes);
    }
}

void apart_put_input(const Apart *a, size_t bytes, const char *dense, char *to)
{
    memset(to, NAN_BYTE, (size_t)a->span * bytes);
    put_rows(a, bytes, dense, to);
}

void apart_put_output(const Apart *a, size_t bytes, const char *dense, char *to)
{
    memset(to, GAP_BYTE, (size_t)a->span * bytes);
    put_rows(a, bytes, dense, to);
}

void apart_take(const Apart *a, size_t bytes, const char *from, char *dense)
{
    const size_t row_bytes = (size_t)a->extent[a->rank - 1] * bytes;
    for (int64_t k = 0; k < count_rows(a); k++) {
        size_t row;
        const char *at = from + row_at(a, k, &row) * bytes;
        memcpy(dense + row * row_bytes, at, row_bytes);
    }
}

bool apart_take_output(const Apart *a, size_t bytes, const char *from, char *dense)
{
    const size_t row_bytes = (size_t)a->extent[a->rank - 1] * bytes;
    const char *end = from; /* behind the row before */
    apart_take(a, bytes, from, dense);
    for (int64_t k = 0; k < count_rows(a); k++) {
        size_t row;
        const char *at = from + row_at(a, k, &row) * bytes;
        for (; end < at; end++)
            if ((unsigned char)*end != GAP_BYTE)
                return false;
        end = at + row_bytes;
    }
    return true;
}
