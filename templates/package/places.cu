/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The same as places.c, for a thread of a GPU. */
#endif
/* A row of the output. */
typedef struct {
    int FIELDS;
} NAME_place;

static inline __host__ __device__ int64_t NAME_rows(const NAME_args &a) { return COUNT; }
static inline __host__ __device__ int NAME_columns(const NAME_args &a) { return COLUMNS; }

static __device__ __forceinline__ NAME_place NAME_place_of(const NAME_args &a, unsigned row)
{
    NAME_place at;
//@ repeat from_within
#if IS_OUTERMOST
    at.INDEX = row;
#else
    at.INDEX = row % ALONG;
    row /= ALONG;
#endif
//@ end
    return at;
}

static __device__ __forceinline__ void NAME_next(const NAME_args &a, NAME_place *at)
{
//@ repeat from_within
#if IS_OUTERMOST
    at->INDEX++;
#else
    if (++at->INDEX < ALONG)
        return;
    at->INDEX = 0;
#endif
//@ end
}

/* The addresses, or'ed, of what is read and written in vectors. */
static __device__ __forceinline__ unsigned NAME_addresses(const NAME_args &a)
{
    return ADDRESSES;
}

