/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "pixel by pixel, V vectors of neighbouring channels at a time";
dtypes  = ["f32"];
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
params  = ( { name = "V"; choices = [1, 2, 4]; doc = "vectors of channels at a time"; } );
values  = (
  { name = "IS_LINEAR"; expr = "1";            doc = "1: bilinear, 0: the nearest pixel"; },
  { name = "L3"; expr = "L3_BYTES + (L3_BYTES == 0) * 1073741824"; doc = "bytes of X and Y that caches may hold: else Y is stored past them"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = ( { need = "V == 1 || !EPILOGUE_CALLS"; why = "a call keeps few vectors in registers"; } );
general = ( { target = ["avx512", "avx2", "portable"]; V = 1; } );
scratch = "16 * Q"; # where each column of Y comes from
tile    = { N = "1"; C = "V*LANES"; H = "1"; W = "1"; P = "1"; Q = "1"; };
own_terms = true;
derived = ( { name = "PIXELS"; expr = "N * P * Q"; doc = "of Y"; } );
terms   = (
  { name = "call";  expr = "2000 * THREADS + 30 * Q"; doc = "a call's fixed cost; places of columns"; },
  { name = "loads"; expr = "PIXELS * ceil_div(C, LANES) * (1 + IS_LINEAR) / THREADS"; doc = "of each vector four loads, two a cycle; a store"; },
  { name = "steps"; expr = "PIXELS * (8 + 2 * ceil_div(C, V*LANES)) / THREADS"; doc = "a pixel's start, the loop over channels"; },
  { name = "bytes"; expr = "(N * H * W * C + PIXELS * C) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = (
  { name = "vectors"; expr = "log2(V)"; doc = "at a time"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define V 2
#endif
/* KERNEL: each pixel of Y from one or four pixels of X.
 *   X[n][h][w][c]    at X + ((n*H + h)*W + w)*C + c
 *   Y[n][p][q][c]    at Y + ((n*P + p)*Q + q)*C + c */
#include "place.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* Where a column of Y comes from, in scratch memory. */
typedef struct {
    int32_t first, second;
    float near, far;
} KERNEL_column;

/* A pixel of Y, and the pixels of X around its place with their weights: above or below, on the left or on the right. */
typedef struct {
    int64_t n, p, q;
    const float *x00;
    float *y;
    int stream; /* Y is stored past the caches */
#if IS_LINEAR
    const float *x01, *x10, *x11;
    float w00, w01, w10, w11;
#endif
} KERNEL_pixel;

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE KERNEL_load(const float *p, int64_t lanes)
{
    return lanes == LANES ? (PACKAGE_floats_MACHINE)(*(const KERNEL_vec *)p) : PACKAGE_load_MACHINE(p, lanes);
}

/* A vector of channels from c on. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_vector(const NAME_args *a, const KERNEL_pixel *at, int64_t c, int64_t lanes)
{
    (void)a;
    PACKAGE_floats_MACHINE y = KERNEL_load(at->x00 + c, lanes);
#if IS_LINEAR
    y = y * PACKAGE_all_MACHINE(at->w00) + KERNEL_load(at->x01 + c, lanes) * PACKAGE_all_MACHINE(at->w01)
        + KERNEL_load(at->x10 + c, lanes) * PACKAGE_all_MACHINE(at->w10) + KERNEL_load(at->x11 + c, lanes) * PACKAGE_all_MACHINE(at->w11);
#endif
#if HAS_EPILOGUE
    y = NAME_epilogue_MACHINE(a, y, at->n, at->p, at->q, c, lanes);
#endif
    PACKAGE_stream_MACHINE(at->y + c, y, lanes, at->stream);
}

/* All channels of a pixel. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_channels(const NAME_args *a, const KERNEL_pixel *place)
{
    const KERNEL_pixel at = *place; /* stores to Y do not change it */
    int64_t c = 0;
    for (; c + V * LANES <= a->C; c += V * LANES)
        PACKAGE_UNROLL(4)
        for (int v = 0; v < V; v++)
            KERNEL_vector(a, &at, c + v * LANES, LANES);
#if V > 1
    for (; c + LANES <= a->C; c += LANES)
        KERNEL_vector(a, &at, c, LANES);
#endif
    if (c < a->C)
        KERNEL_vector(a, &at, c, a->C - c);
}

/* Part `task` of `ntask` of the call: rows of Y. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    KERNEL_column *column = (KERNEL_column *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a));
    for (int64_t q = 0; q < a->Q; q++) {
        const KERNEL_place at = KERNEL_place_of(a, q, a->Q, a->W);
#if IS_LINEAR
        column[q] = (KERNEL_column){ (int32_t)at.first, (int32_t)at.second, KERNEL_near(&at), KERNEL_far(&at) };
#else
        column[q].first = (int32_t)at.first;
#endif
    }
    const int exceeds = 4.0 * (double)(a->N * a->C) * (double)(a->H * a->W + a->P * a->Q) > L3;
    const int stream = exceeds && a->C % LANES == 0 && (uintptr_t)a->Y % VECTOR_BYTES == 0;
    for (int64_t row = a->N * a->P * task / ntask; row < a->N * a->P * (task + 1) / ntask; row++) {
        const int64_t n = row / a->P, p = row % a->P;
        const KERNEL_place at = KERNEL_place_of(a, p, a->P, a->H);
        const float *above = a->X + (n * a->H + at.first) * a->W * a->C;
#if IS_LINEAR
        const float *below = a->X + (n * a->H + at.second) * a->W * a->C;
        const float near = KERNEL_near(&at), far = KERNEL_far(&at);
#endif
        for (int64_t q = 0; q < a->Q; q++) {
            const KERNEL_column *from = &column[q];
            const KERNEL_pixel pixel = { .n = n, .p = p, .q = q, .x00 = above + from->first * a->C, .y = a->Y + (row * a->Q + q) * a->C, .stream = stream,
#if IS_LINEAR
                                         .x01 = above + from->second * a->C, .x10 = below + from->first * a->C, .x11 = below + from->second * a->C,
                                         .w00 = near * from->near, .w01 = near * from->far, .w10 = far * from->near, .w11 = far * from->far,
#endif
            };
            KERNEL_channels(a, &pixel);
        }
    }
    if (stream)
        PACKAGE_fence_MACHINE();
    return 0;
}
