/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "block_rows";
op      = "rows";
family  = "cpu";
doc     = "blocks of LANES rows and columns: what lies across rows, as x[n,m], is loaded along them and transposed in registers";
dtypes  = ["f32"];
may_spill = true;
params = (
  { name = "ROWS"; choices = [1, 2, 4, 8];    doc = "blocks of rows side by side, which go along the columns together"; },
  { name = "COLS"; choices = [0, 1, 2, 4, 8]; doc = "blocks of columns that all rows have before the next ones; 0: all"; } );
values = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = (
  { need = "ROWS_ACROSS > 0"; why = "no operand lies across the rows, or the formula reduces along them"; } );
general = (
  { target = ["avx512", "avx2"]; ROWS = 2; COLS = 0; },
  { target = "portable"; ROWS = 4; COLS = 0; } );
tile = { M = "ROWS * LANES"; N = "max(COLS, 1) * LANES"; };
own_terms = true; # there are no sums of products, of which the family's are
terms = (
  { name = "call";   expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "lines";  expr = "BATCH * OUT_ROWS * OUT_COLS * ELEM_BYTES / 64 / THREADS"; doc = "cache lines of the output"; },
  { name = "blocks"; expr = "BATCH * ceil_div(OUT_ROWS, LANES) * ceil_div(OUT_COLS, LANES) * LANES / THREADS"; doc = "vectors that are loaded, transposed and stored"; } );
features = (
  { name = "beside"; expr = "log2(ROWS)"; doc = "neighbouring elements that are read together"; },
  { name = "behind"; expr = "(COLS > 0) * log2(max(1, OUT_COLS / (max(COLS, 1) * LANES)))"; doc = "how often the rows are gone through"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define ROWS 2
#define COLS 0
#endif
/* KERNEL: rows of the output in groups of ROWS * LANES, each in blocks of LANES rows and columns. What a block computes the formula says. */

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_block(const NAME_args *a, NAME_place at, int64_t n, int64_t rows, int64_t lanes)
{
    NAME_block_MACHINE block;
    NAME_load_block_MACHINE(a, at, n, rows, lanes, &block);
    PACKAGE_UNROLL(16)
    for (int r = 0; r < LANES; r++)
        if (r < rows)
            NAME_cell_MACHINE(a, at, n, lanes, &block, r);
}

/* A block that is not whole. */
static __attribute__((noinline)) TARGET_ATTRIBUTE void KERNEL_edge(const NAME_args *a, NAME_place at, int64_t n, int64_t rows, int64_t lanes)
{
    KERNEL_block(a, at, n, rows, lanes);
}

/* Columns n..end-1 of neighbouring rows. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_group(const NAME_args *a, NAME_place at, int64_t rows, int64_t n, int64_t end)
{
    for (; n < end; n += LANES)
        for (int64_t r = 0; r < rows; r += LANES) {
            if (rows - r >= LANES && end - n >= LANES)
                KERNEL_block(a, NAME_behind_MACHINE(at, r), n, LANES, LANES);
            else
                KERNEL_edge(a, NAME_behind_MACHINE(at, r), n, rows - r < LANES ? rows - r : LANES, end - n < LANES ? end - n : LANES);
        }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *args, int64_t task, int64_t ntask)
{
    const NAME_args a = *args; /* as far as gcc knows, a store to Y may change the arguments where they lie */
    const int64_t all = NAME_rows(&a), columns = NAME_columns(&a), groups = (all + ROWS * LANES - 1) / (ROWS * LANES);
    const int64_t begin = groups * task / ntask * (ROWS * LANES), end = groups * (task + 1) / ntask * (ROWS * LANES);
    const int64_t last = end < all ? end : all, step = COLS ? COLS * LANES : columns;
    for (int64_t n = 0; n < columns; n += step)
        for (int64_t row = begin, rows; row < last; row += rows) {
            const NAME_place at = NAME_place_of(&a, row);
            const int64_t beside = NAME_beside_MACHINE(&a, at);
            rows = last - row < ROWS * LANES ? last - row : ROWS * LANES;
            rows = beside < rows ? beside : rows;
            KERNEL_group(&a, at, rows, n, n + step < columns ? n + step : columns);
        }
    return 0;
}
