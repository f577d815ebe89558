/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The same as rows.c, for a thread of a GPU: W neighbouring elements at a time, which are loaded before a loop over them. Beyond the row's end they
 * are its last ones once more: only sums and stores ask whether they exist. */
#endif
/* FORMULA: values of a row, each of a thread's elements before it is one; and what later passes need of W elements. */
typedef struct {
//@ fields
    int unused;
} NAME_row;
template <int W> struct NAME_vector {
//@ kept
    int unused;
};

//@ repeat passes
static __device__ __forceinline__ void NAME_begin_PASS(NAME_row *row)
{
//@ begin
}

template <int W, bool fresh> static __device__ __forceinline__ void
NAME_pass_PASS(const NAME_args &a, NAME_row *row, NAME_place at, unsigned first, bool exists, NAME_vector<W> *v)
{
//@ places
//@ before
#pragma unroll
    for (int i = 0; i < W; i++) {
//@ body
    }
//@ behind
}

static __device__ __forceinline__ void NAME_aside_PASS(NAME_row *row)
{
//@ aside
}

template <class Lanes> static __device__ __forceinline__ void
NAME_end_PASS(const NAME_args &a, NAME_row *row, NAME_place at, Lanes &lanes, bool exists)
{
//@ end_of_pass
}

//@ end
