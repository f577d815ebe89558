/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of rows, so that each template compiles as it stands: here of a formula that copies.
 */
#include "../family/standalone.h"

typedef struct {
    int64_t M, N;
    const float *x;
    float *Y;
    void *scratch;
} NAME_args;
typedef struct {
    int64_t m;
} NAME_place;
typedef struct {
    float *kept;
    int stream;
} NAME_row_MACHINE, NAME_vector_MACHINE;

static inline int64_t NAME_rows(const NAME_args *a) { return a->M; }
static inline int64_t NAME_columns(const NAME_args *a) { return a->N; }
static inline NAME_place NAME_place_of(const NAME_args *a, int64_t row) { return (void)a, (NAME_place){ row }; }
static inline void NAME_next(const NAME_args *a, NAME_place *at) { (void)a, at->m++; }
static inline float *NAME_output_MACHINE(const NAME_args *a, NAME_place at) { return a->Y + at.m * a->N; }
static inline void PACKAGE_fence_MACHINE(void) { }
static inline void NAME_fetch_MACHINE(const NAME_args *a, NAME_place at, int64_t n) { (void)a, (void)at, (void)n; }
static inline void NAME_begin_P_MACHINE(NAME_row_MACHINE *row) { (void)row; }
static inline void NAME_aside_P_MACHINE(NAME_row_MACHINE *row, int nu) { (void)row, (void)nu; }
static inline void NAME_end_P_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int nu)
{
    (void)a, (void)row, (void)at, (void)nu;
}
static inline void NAME_pass_P_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int64_t n, int64_t lanes, int u,
                                       NAME_vector_MACHINE *v, int fresh)
{
    (void)row, (void)u, (void)v, (void)fresh;
    for (int64_t i = n; i < n + lanes; i++)
        a->Y[at.m * a->N + i] = a->x[at.m * a->N + i];
}

typedef struct {
    int unused;
} NAME_block_MACHINE;
static inline int64_t NAME_beside_MACHINE(const NAME_args *a, NAME_place at) { return a->M - at.m; }
static inline NAME_place NAME_behind_MACHINE(NAME_place at, int64_t rows) { return (NAME_place){ at.m + rows }; }
static inline void NAME_load_block_MACHINE(const NAME_args *a, NAME_place at, int64_t n, int64_t rows, int64_t lanes, NAME_block_MACHINE *block)
{
    (void)a, (void)at, (void)n, (void)rows, (void)lanes, (void)block;
}
static inline void NAME_cell_MACHINE(const NAME_args *a, NAME_place at, int64_t n, int64_t lanes, const NAME_block_MACHINE *block, int r)
{
    (void)block;
    for (int64_t i = n; i < n + lanes; i++)
        a->Y[(at.m + r) * a->N + i] = a->x[i * a->M + at.m + r];
}
