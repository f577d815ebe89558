/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What kernels for an instruction set call to go along a row, a vector at a time: before each pass, for each vector, behind many, behind the pass.
 * A pass has reductions: each has a RESULT, up to eight PARTs side by side, their places (WHERE: of argmax), and, as a sum that grows takes in what is
 * added with ever less care, parts of a long row that were put ASIDE. */
#endif
/* FORMULA: values of a row, those of up to eight vectors side by side before they are one; and what later passes need of a vector. */
typedef struct {
//@ repeat passes
//@ repeat reductions
#if IS_ARGMAX
    int64_t RESULT;
    PACKAGE_floats_MACHINE PART[8];
    PACKAGE_ints_MACHINE WHERE[8];
#else
    float RESULT;
    PACKAGE_floats_MACHINE PART[8];
#endif
#if IS_SUM
    PACKAGE_floats_MACHINE ASIDE;
#endif
//@ end
    TYPE FIELD; //@ repeat fields
//@ end
    float *kept;
    int stream;
} NAME_row_MACHINE;
typedef struct {
    TYPE FIELD; //@ repeat crossing
    int unused;
} NAME_vector_MACHINE;

/* A formula need not use all that these functions are given. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
static inline float *NAME_output_MACHINE(const NAME_args *a, NAME_place at)
{
//@ places_of_output
    return (float *)(OUT);
}

//@ repeat passes
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void NAME_begin_PASS_MACHINE(NAME_row_MACHINE *row)
{
//@ repeat reductions
    for (int u = 0; u < 8; u++)
#if IS_SUM
        row->PART[u] = PACKAGE_all_MACHINE(0);
    row->ASIDE = PACKAGE_all_MACHINE(0);
#elif IS_LEAST
        row->PART[u] = PACKAGE_all_MACHINE(__builtin_inff());
#else
        row->PART[u] = PACKAGE_all_MACHINE(-__builtin_inff());
#endif
#if IS_ARGMAX
    for (int u = 0; u < 8; u++)
        row->WHERE[u] = PACKAGE_all_ints_MACHINE(0);
#endif
//@ end
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_pass_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int64_t PLACE, int64_t lanes, const int u,
    NAME_vector_MACHINE *v, const int fresh)
{
//@ places
//@ body
//@ repeat reductions
#if IS_SUM
    row->PART[u] += PACKAGE_first_MACHINE(VALUE, lanes, 0);
#elif IS_GREATEST
    row->PART[u] = PACKAGE_max_MACHINE(PACKAGE_first_MACHINE(VALUE, lanes, -__builtin_inff()), row->PART[u]);
#elif IS_LEAST
    row->PART[u] = PACKAGE_min_MACHINE(PACKAGE_first_MACHINE(VALUE, lanes, __builtin_inff()), row->PART[u]);
#else
    PACKAGE_larger_MACHINE(&row->PART[u], &row->WHERE[u], PACKAGE_first_MACHINE(VALUE, lanes, -__builtin_inff()), (int32_t)PLACE);
#endif
//@ end
#if STORES
#if IS_INT
    PACKAGE_store_ints_MACHINE(OUT, VALUE, lanes);
#else
    PACKAGE_stream_MACHINE(OUT, VALUE, lanes, row->stream);
#endif
#endif
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void NAME_aside_PASS_MACHINE(NAME_row_MACHINE *row, const int nu)
{
//@ repeat reductions
#if IS_SUM
    for (int u = 1; u < nu; u++)
        row->PART[0] = row->PART[0] + row->PART[u];
    row->ASIDE += row->PART[0];
    for (int u = 0; u < 8; u++)
        row->PART[u] = PACKAGE_all_MACHINE(0);
#endif
//@ end
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_end_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, const int nu)
{
//@ places_at_end
//@ repeat reductions
#if IS_SUM
    for (int u = 1; u < nu; u++)
        row->PART[0] = row->PART[0] + row->PART[u];
    row->RESULT = PACKAGE_sum_of_MACHINE(row->ASIDE + row->PART[0]);
#elif IS_GREATEST
    for (int u = 1; u < nu; u++)
        row->PART[0] = PACKAGE_max_MACHINE(row->PART[0], row->PART[u]);
    row->RESULT = PACKAGE_largest_of_MACHINE(row->PART[0]);
#elif IS_LEAST
    for (int u = 1; u < nu; u++)
        row->PART[0] = PACKAGE_min_MACHINE(row->PART[0], row->PART[u]);
    row->RESULT = PACKAGE_smallest_of_MACHINE(row->PART[0]);
#else
    row->RESULT = PACKAGE_place_of_largest_MACHINE(row->PART, row->WHERE, nu);
#endif
//@ end
//@ end_of_pass
#if STORES_VALUE
    *(OUT) = VALUE;
#endif
}

//@ end
#if FETCHES
static inline __attribute__((always_inline)) void NAME_fetch_MACHINE(const NAME_args *a, NAME_place at, int64_t PLACE)
{
//@ fetch
}

#endif
#pragma GCC diagnostic pop
