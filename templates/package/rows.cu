/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The same as rows.c, for a thread of a GPU: W neighbouring elements at a time, which are loaded before a loop over them. Beyond the row's end they
 * are its last ones once more: only sums and stores ask whether they exist. */
#endif
/* FORMULA: values of a row, each of a thread's elements before it is one; and what later passes need of W elements. */
typedef struct {
//@ repeat passes
//@ repeat reductions
#if IS_SUM
    float RESULT, PART, ASIDE;
#elif IS_ARGMAX
    int RESULT, WHERE;
    float PART;
#else
    float RESULT, PART;
#endif
//@ end
    TYPE FIELD; //@ repeat fields
//@ end
    int unused;
} NAME_row;
template <int W> struct NAME_vector {
    TYPE FIELD[W]; //@ repeat crossing
    int unused;
};

//@ repeat passes
static __device__ __forceinline__ void NAME_begin_PASS(NAME_row *row)
{
//@ repeat reductions
#if IS_SUM
    row->PART = row->ASIDE = 0;
#elif IS_LEAST
    row->PART = __builtin_inff();
#else
    row->PART = -__builtin_inff();
#endif
#if IS_ARGMAX
    row->WHERE = 0;
#endif
//@ end
}

template <int W, bool fresh> static __device__ __forceinline__ void
NAME_pass_PASS(const NAME_args &a, NAME_row *row, NAME_place at, unsigned first, bool exists, NAME_vector<W> *v)
{
//@ places
//@ before
#if STORES
    ELEMENT results[W];
#endif
#pragma unroll
    for (int i = 0; i < W; i++) {
#if USES_PLACE
        const int PLACE = first + i;
#endif
//@ body
//@ repeat reductions
#if IS_SUM
        row->PART += exists ? VALUE : 0;
#elif IS_GREATEST
        row->PART = PACKAGE_device::greater(VALUE, row->PART);
#elif IS_LEAST
        row->PART = PACKAGE_device::lesser(VALUE, row->PART);
#else
        const float ITEM = VALUE;
        row->WHERE = ITEM > row->PART ? PLACE : row->WHERE;
        row->PART = ITEM > row->PART ? ITEM : row->PART;
#endif
//@ end
#if STORES
        results[i] = VALUE;
#endif
    }
#if STORES
    if (exists)
        PACKAGE_device::store_row(OUT, results);
#endif
}

static __device__ __forceinline__ void NAME_aside_PASS(NAME_row *row)
{
//@ repeat reductions
#if IS_SUM
    row->ASIDE += row->PART;
    row->PART = 0;
#endif
//@ end
}

template <class Lanes> static __device__ __forceinline__ void
NAME_end_PASS(const NAME_args &a, NAME_row *row, NAME_place at, Lanes &lanes, bool exists)
{
//@ places_at_end
//@ repeat reductions
#if IS_SUM
    row->RESULT = lanes.sum(row->ASIDE + row->PART);
#elif IS_GREATEST
    row->RESULT = lanes.largest(row->PART);
#elif IS_LEAST
    row->RESULT = lanes.smallest(row->PART);
#else
    row->RESULT = lanes.place_of_largest(row->PART, row->WHERE);
#endif
//@ end
//@ end_of_pass
#if STORES_VALUE
    if (exists)
        *(OUT) = VALUE;
#endif
}

//@ end
