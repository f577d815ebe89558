/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What kernels for an instruction set call to go by blocks of as many rows as a vector has lanes, where a formula has elements that lie across rows,
 * as those of x[n,m]. */
#endif
/* FORMULA: elements that lie across rows, of a block of rows and columns: a vector of each row. */
typedef struct {
    PACKAGE_floats_MACHINE FIELD[LANES]; //@ repeat loads
} NAME_block_MACHINE;

/* How many rows differ along EXTENT alone, from this one on; the place so many rows behind. */
static inline int64_t NAME_beside_MACHINE(const NAME_args *a, NAME_place at) { return a->EXTENT - at.BESIDE; }
static inline NAME_place NAME_behind_MACHINE(NAME_place at, int64_t rows)
{
    at.BESIDE += rows;
    return at;
}

/* Loads a block: the first `rows` rows from `at` on, and in each the first `lanes` elements from PLACE on. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_load_block_MACHINE(const NAME_args *a, NAME_place at, int64_t PLACE, int64_t rows, int64_t lanes, NAME_block_MACHINE *block)
{
    const int64_t EACH(places, INDEX = at.INDEX);
    EACH(places, (void)INDEX);
//@ before_loads
//@ repeat loads
    PACKAGE_UNROLL(LANES)
    for (int i = 0; i < LANES; i++)
#if IS_INTEGER
        block->FIELD[i] = i < lanes ? (PACKAGE_floats_MACHINE)LOAD(a->SOURCE + OFFSET, rows) : (PACKAGE_floats_MACHINE){ 0 };
#else
        block->FIELD[i] = i < lanes ? LOAD(a->SOURCE + OFFSET, rows) : (PACKAGE_floats_MACHINE){ 0 };
#endif
    PACKAGE_transpose_MACHINE(block->FIELD);
//@ end
}

/* Row r of a block. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_cell_MACHINE(const NAME_args *a, NAME_place at, int64_t PLACE, int64_t lanes, const NAME_block_MACHINE *block, const int r)
{
    const int64_t EACH(places, INDEX = OF_ROW);
    EACH(places, (void)INDEX);
//@ statements
#if IS_INT
    PACKAGE_store_ints_MACHINE(OUT, VALUE, lanes);
#else
    PACKAGE_store_MACHINE(OUT, VALUE, lanes);
#endif
}

