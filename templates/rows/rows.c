/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "rows";
op      = "rows";
family  = "cpu";
doc     = "row by row: a row of at most NV vectors stays in registers, a longer one is gone along once for each level of reductions";
dtypes  = ["f32"];
may_spill = true;
params = (
  { name = "NV";   choices = [1, 2, 4, 8, 12, 16]; doc = "vectors of the longest row that stays in registers"; },
  { name = "SIDE"; choices = [1, 2, 4, 8];     doc = "vectors side by side, whose sums are independent"; },
  { name = "PF";   choices = [0, 1];           doc = "1: the next row is asked for while this one is computed"; },
  { name = "FN";   choices = "N";              doc = "columns of the rows that it is for; 0: any"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "BLOCK"; expr = "SIDE * LANES";     doc = "columns side by side"; },
  { name = "MOST";  expr = "128";              doc = "so many blocks of a long row have sums of their own, which are then put aside, as a small number is lost in a large sum"; },
  { name = "KEPT";  expr = "max(L1_BYTES, 32768) / 8"; doc = "columns of the longest rows that are stored past the caches: half of L1 holds what is kept of one"; },
  { name = "L3";    expr = "L3_BYTES + (L3_BYTES == 0) * 1073741824"; doc = "bytes of operands that caches may hold: more are stored past them"; } );
constraints = (
  { need = "NV <= VECTOR_REGISTERS / 2"; why = "a row and what is computed of it must fit the vector registers"; },
  { need = "FN == 0 || NV == 1 || FN <= NV*LANES && 2*FN > NV*LANES"; why = "a longest row that the only one does not reach changes nothing"; } );
general = (
  { target = ["avx512", "avx2"]; NV = 4; SIDE = 4; PF = 0; FN = 0; },
  { target = "portable"; NV = 4; SIDE = 2; PF = 0; FN = 0; } );
tile = { M = "1"; N = "NV * LANES"; };
derived = ( { name = "ALL"; expr = "BATCH * M"; doc = "rows of all matrices"; } );
own_terms = true; # there are no sums of products, of which the family's are
terms = (
  { name = "call";    expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "lines";   expr = "ALL * N * ELEM_BYTES / 64 / THREADS"; doc = "cache lines of the output"; },
  { name = "rows";    expr = "ALL * ROW_PASSES * 8 / THREADS"; doc = "a row's sums become one value"; },
  { name = "vectors"; expr = "ALL * ROW_PASSES * ceil_div(N, LANES) / THREADS"; doc = "vectors of a row in each pass"; },
  { name = "single";  expr = "ROWS_ACROSS * ALL * N / THREADS"; doc = "elements that are loaded one by one, as they lie across rows"; },
  { name = "again";   expr = "ALL * ROW_PASSES * (N > NV * LANES) * ceil_div(N, LANES) / THREADS"; doc = "vectors that long rows load again"; } );
features = (
  { name = "side";  expr = "log2(SIDE)"; doc = "independent sums"; },
  { name = "fetch"; expr = "PF"; doc = "rows asked for ahead"; },
  { name = "short"; expr = "N <= NV * LANES"; doc = "a row stays in registers"; },
  { name = "rest";  expr = "log2(1 + LANES / max(N, 1))"; doc = "a vector for the last few columns, against a row"; },
  { name = "fixed"; expr = "FN > 0"; doc = "indices are computed of a known number of columns"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define NV 4
#define SIDE 4
#define PF 0
#define FN 0
#define BLOCK 64
#define MOST 128
#define KEPT 1024
#define L3 (1 << 25)
#define ROW_PASSES 1
#define R 4
#define P 0
#endif
/* KERNEL: rows of the output, one after the other. What happens to a vector of a row the formula says: NAME_pass_P. */

//@ repeat P = 0..ROW_PASSES-1
/* Pass P along a row: of so many vectors, a constant of each call; 0: of any number. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_pass_P(const int vectors, const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, NAME_vector_MACHINE *v)
{
    const int64_t columns = NAME_columns(a), rest = columns - (vectors - 1) * LANES;
    int64_t n = 0;
    NAME_begin_P_MACHINE(row);
    PACKAGE_UNROLL(16)
    for (int i = 0; i < vectors; i++)
        NAME_pass_P_MACHINE(a, row, at, i * LANES, i + 1 < vectors ? LANES : rest, i % SIDE, &v[i], 0);
    while (!vectors && n + BLOCK <= columns) {
        const int64_t end = columns - n < MOST * BLOCK ? columns : n + MOST * BLOCK;
        for (; n + BLOCK <= end; n += BLOCK)
            PACKAGE_UNROLL(8)
            for (int i = 0; i < SIDE; i++)
                NAME_pass_P_MACHINE(a, row, at, n + i * LANES, LANES, i, v, 1);
        if (n + BLOCK <= columns)
            NAME_aside_P_MACHINE(row, SIDE);
    }
    for (; !vectors && n + LANES <= columns; n += LANES)
        NAME_pass_P_MACHINE(a, row, at, n, LANES, 0, v, 1);
    if (!vectors && n < columns)
        NAME_pass_P_MACHINE(a, row, at, n, columns - n, 0, v, 1);
    NAME_end_P_MACHINE(a, row, at, vectors && vectors < SIDE ? vectors : SIDE);
}

//@ end
/* Rows begin..end-1, of so many vectors each; 0: of any number. If the operands exceed the caches, Y is stored past them, and what long rows keep
 * between passes lies in a buffer. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_all(const int vectors, const NAME_args *args, int64_t begin, int64_t end)
{
    NAME_args a = *args; /* as far as gcc knows, a store to Y may change the arguments where they lie */
#if FN
    a.N = FN;
#endif
    const int64_t columns = NAME_columns(&a);
    const int exceeds = columns <= KEPT && NAME_rows(&a) * columns * 8 > L3;
    float buffer[KEPT] __attribute__((aligned(VECTOR_BYTES)));
    NAME_place at = NAME_place_of(&a, begin), next = at;
    for (; begin < end; begin++, at = next) {
        float *y = NAME_output_MACHINE(&a, at);
        const int stream = exceeds && (uintptr_t)y % VECTOR_BYTES == 0;
        NAME_row_MACHINE row = { .kept = stream ? buffer : y, .stream = stream };
        NAME_vector_MACHINE v[NV];
        NAME_next(&a, &next);
#if PF
        if (begin + 1 < end)
            for (int64_t n = 0; n < columns; n += 16)
                NAME_fetch_MACHINE(&a, next, n);
#endif
//@ repeat P = 0..ROW_PASSES-1
        KERNEL_pass_P(vectors, &a, &row, at, v);
//@ end
    }
    if (exceeds)
        PACKAGE_fence_MACHINE();
}

#if !FN
#define KERNEL_OF(vectors) KERNEL_##vectors
static TARGET_ATTRIBUTE void KERNEL_any(const NAME_args *a, int64_t begin, int64_t end) { KERNEL_all(0, a, begin, end); }
//@ repeat R = 1..NV
static TARGET_ATTRIBUTE void KERNEL_OF(R)(const NAME_args *a, int64_t begin, int64_t end) { KERNEL_all(R, a, begin, end); }
//@ end
#endif

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t rows = NAME_rows(a), begin = rows * task / ntask, end = rows * (task + 1) / ntask;
#if FN
    KERNEL_all(FN <= NV * LANES ? (FN + LANES - 1) / LANES : 0, a, begin, end);
#else
    switch ((NAME_columns(a) + LANES - 1) / LANES) {
//@ repeat R = 1..NV
    case R: KERNEL_OF(R)(a, begin, end); break;
//@ end
    default: KERNEL_any(a, begin, end);
    }
#endif
    return 0;
}
