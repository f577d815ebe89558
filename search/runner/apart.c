/* SPDX-License-Identifier: Apache-2.0
 *
 * apart: operands that lie with gaps between their rows, and between blocks of rows, as callers of strided operands may
 * have them. Gaps of inputs are NaN, so that reading them spoils the result; those of the output hold a byte that must
 * stay.
 */
#include <string.h>
#include "search/runner/runner.h"

enum { NAN_BYTE = 0xff, GAP_BYTE = 0xa5 };

bool apart_complete(Apart *a, int64_t elems, int64_t most)
{
    int64_t product = 1, block = 1; /* block: the elements of one step along the extent */
    a->span = elems > 0;
    for (int64_t i = a->rank - 1; i >= 0; i--) {
        int64_t last;
        const int64_t stride = i == a->rank - 1 ? 1 : a->stride[i];
        if (stride < block || __builtin_mul_overflow(product, a->extent[i], &product) ||
            __builtin_mul_overflow(stride, a->extent[i] - 1, &last) ||
            __builtin_mul_overflow(stride, a->extent[i], &block))
            return false;
        if (elems > 0 && (__builtin_add_overflow(a->span, last, &a->span) || a->span > most))
            return false;
    }
    return product == elems;
}

static size_t row_at(const Apart *a, int64_t row)
{
    int64_t at = 0;
    for (int64_t i = a->rank - 2; i >= 0; i--) {
        at += row % a->extent[i] * a->stride[i];
        row /= a->extent[i];
    }
    return (size_t)at;
}

static int64_t count_rows(const Apart *a)
{
    int64_t rows = a->span > 0;
    for (int64_t i = 0; i < a->rank - 1; i++)
        rows *= a->extent[i];
    return rows;
}

void apart_put_input(const Apart *a, size_t bytes, const char *dense, char *to)
{
    const size_t row_bytes = (size_t)a->extent[a->rank - 1] * bytes;
    memset(to, NAN_BYTE, (size_t)a->span * bytes);
    for (int64_t row = 0; row < count_rows(a); row++)
        memcpy(to + row_at(a, row) * bytes, dense + (size_t)row * row_bytes, row_bytes);
}

void apart_put_output(const Apart *a, size_t bytes, char *to)
{
    memset(to, GAP_BYTE, (size_t)a->span * bytes);
    for (int64_t row = 0; row < count_rows(a); row++)
        memset(to + row_at(a, row) * bytes, NAN_BYTE, (size_t)a->extent[a->rank - 1] * bytes);
}

bool apart_take_output(const Apart *a, size_t bytes, const char *from, char *dense)
{
    const size_t row_bytes = (size_t)a->extent[a->rank - 1] * bytes;
    const char *end = from; /* behind the row before */
    for (int64_t row = 0; row < count_rows(a); row++) {
        const char *at = from + row_at(a, row) * bytes;
        for (; end < at; end++)
            if ((unsigned char)*end != GAP_BYTE)
                return false;
        memcpy(dense + (size_t)row * row_bytes, at, row_bytes);
        end = at + row_bytes;
    }
    return true;
}
