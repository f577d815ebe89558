/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What kernels for an instruction set call to go along a row, a vector at a time: before each pass, for each vector, behind many, behind the pass. */
#endif
/* FORMULA: values of a row, those of up to eight vectors side by side before they are one; and what later passes need of a vector. */
typedef struct {
//@ fields
    float *kept;
    int stream;
} NAME_row_MACHINE;
typedef struct {
//@ kept
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
//@ begin
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_pass_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int64_t PLACE, int64_t lanes, const int u,
    NAME_vector_MACHINE *v, const int fresh)
{
//@ places
//@ body
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void NAME_aside_PASS_MACHINE(NAME_row_MACHINE *row, const int nu)
{
//@ aside
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
NAME_end_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, const int nu)
{
//@ end_of_pass
}

//@ end
#if FETCHES
static inline __attribute__((always_inline)) void NAME_fetch_MACHINE(const NAME_args *a, NAME_place at, int64_t PLACE)
{
//@ fetch
}

#endif
#pragma GCC diagnostic pop
