/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a CUDA template of rows, so that each template compiles as it stands, here of a formula that copies:
 *   nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -diag-suppress 177 -I templates -cubin templates/rows/lane_rows.cu
 */
#include "../family/standalone.cuh"

typedef struct {
    int M, N;
    const float *x;
    float *Y;
    void *scratch;
    unsigned *counters;
} NAME_args;

typedef struct {
    int m;
} NAME_place;
typedef struct {
    float sum;
} NAME_row;
template <int W> struct NAME_vector {
    float of[W];
};

static inline __host__ __device__ int64_t NAME_rows(const NAME_args &a) { return a.M; }
static inline __host__ __device__ int NAME_columns(const NAME_args &a) { return a.N; }
static __device__ __forceinline__ NAME_place NAME_place_of(const NAME_args &, unsigned row) { return { (int)row }; }
static __device__ __forceinline__ void NAME_next(const NAME_args &, NAME_place *at) { at->m++; }
static __device__ __forceinline__ unsigned NAME_addresses(const NAME_args &a) { return (unsigned)((uintptr_t)a.x | (uintptr_t)a.Y); }
static __device__ __forceinline__ void NAME_begin_P(NAME_row *) {}
template <int W, bool fresh> static __device__ __forceinline__ void
NAME_pass_P(const NAME_args &a, NAME_row *, NAME_place at, unsigned first, bool exists, NAME_vector<W> *v)
{
    PACKAGE_device::load_row(v->of, a.x + (int64_t)at.m * a.N + first);
    if (exists)
        PACKAGE_device::store_row(a.Y + (int64_t)at.m * a.N + first, v->of);
}
static __device__ __forceinline__ void NAME_aside_P(NAME_row *) {}
template <class Lanes> static __device__ __forceinline__ void NAME_end_P(const NAME_args &, NAME_row *, NAME_place, Lanes &, bool) {}
