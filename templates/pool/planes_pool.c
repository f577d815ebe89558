/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "images of few pixels: a vector of channels is turned so that they lie side by side, in scratch memory, pooled pixel by pixel, and turned back";
dtypes  = ["f32"];
layouts = { X = ["NCHW"]; Y = ["NCHW"]; };
params  = (
  { name = "FR"; choices = "R"; doc = "rows of the windows that it is for; 0: any"; },
  { name = "FS"; choices = "S"; doc = "the same of columns"; } );
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = ( { need = "(FR > 0) == (FS > 0) && FR * FS <= 64"; why = "taps are code; longer code only costs instruction cache"; } );
general = ( { target = ["avx512", "avx2", "portable"]; FR = 0; FS = 0; } );
serves  = "H * W <= 4096 && P * Q <= 4096"; # vectors of channels of so many pixels stay in L2
scratch = "4 * LANES * (H * W + P * Q + 3 * LANES)";
tile    = { N = "1"; C = "LANES"; H = "1"; W = "LANES"; R = "1"; S = "1"; };
own_terms = true;
derived = ( { name = "BLOCKS"; expr = "N * ceil_div(C, LANES)"; doc = "blocks of channels"; } );
terms   = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "turn";  expr = "BLOCKS * LANES * (ceil_div(H * W, LANES) + ceil_div(P * Q, LANES)) * 5 / THREADS"; doc = "vectors turned"; },
  { name = "taps";  expr = "BLOCKS * P * Q * (R * S * (1 + (FR == 0)) + 12) / THREADS"; doc = "pixels of Y"; },
  { name = "bytes"; expr = "(N * H * W * C + N * P * Q * C) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = ( { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define FR 3
#define FS 3
#endif
/* KERNEL: LANES channels of an image at a time.
 *   X[n][c][h][w]    at X + ((n*C + c)*H + h)*W + w
 *   Y[n][c][p][q]    at Y + ((n*C + c)*P + p)*Q + q
 *   x, y             in scratch memory, LANES channels a pixel: all pixels of X, then those of Y, each rounded up to whole blocks of LANES */
#include "window.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* `lanes` pixels of `channels` channels, whose planes lie `pixels` apart, to vectors of channels. channels: LANES, a constant, where there are as many. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_turn_block(const float *from, int64_t pixels, const int64_t channels, int64_t lanes, float *to)
{
    PACKAGE_floats_MACHINE v[LANES] = { 0 };
    PACKAGE_UNROLL(16)
    for (int64_t c = 0; c < channels; c++)
        v[c] = PACKAGE_load_MACHINE(from + c * pixels, lanes);
    PACKAGE_transpose_MACHINE(v);
    PACKAGE_UNROLL(16)
    for (int64_t j = 0; j < LANES; j++)
        *(KERNEL_vec *)(to + j * LANES) = (KERNEL_vec)v[j];
}

/* All pixels. */
static TARGET_ATTRIBUTE void KERNEL_turn(const float *from, int64_t pixels, int64_t channels, float *to)
{
    int64_t i = 0;
    if (channels == LANES) {
        for (; i + LANES <= pixels; i += LANES)
            KERNEL_turn_block(from + i, pixels, LANES, LANES, to + i * LANES);
        if (i < pixels)
            KERNEL_turn_block(from + i, pixels, LANES, pixels - i, to + i * LANES);
    } else
        for (; i < pixels; i += LANES)
            KERNEL_turn_block(from + i, pixels, channels, pixels - i < LANES ? pixels - i : LANES, to + i * LANES);
}

/* The same back, from pixel i of Y on, with the formula. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_turn_back_block(const NAME_args *a, const float *from, int64_t n, int64_t c0, const int64_t channels, int64_t i, int64_t lanes)
{
    PACKAGE_floats_MACHINE v[LANES];
    PACKAGE_UNROLL(16)
    for (int64_t j = 0; j < LANES; j++) /* those behind the last pixel hold anything */
        v[j] = (PACKAGE_floats_MACHINE)(*(const KERNEL_vec *)(from + j * LANES));
    PACKAGE_transpose_MACHINE(v);
    PACKAGE_UNROLL(16)
    for (int64_t c = 0; c < channels; c++) {
#if HAS_EPILOGUE
        v[c] = NAME_epilogue_MACHINE(a, v[c], n, c0 + c, i / a->Q, i % a->Q, lanes);
#endif
        PACKAGE_store_MACHINE(a->Y + (n * a->C + c0 + c) * a->P * a->Q + i, v[c], lanes);
    }
}

/* All pixels; with a formula vectors go along rows of Y. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_turn_back(const NAME_args *a, const float *from, int64_t n, int64_t c0, int64_t channels)
{
    const int64_t pixels = a->P * a->Q;
    for (int64_t i = 0, lanes; i < pixels; i += lanes, from += lanes * LANES) {
        lanes = pixels - i < LANES ? pixels - i : LANES;
#if HAS_EPILOGUE
        lanes = lanes < a->Q - i % a->Q ? lanes : a->Q - i % a->Q;
#else
        if (channels == LANES && lanes == LANES)
            KERNEL_turn_back_block(a, from, n, c0, LANES, i, LANES);
        else
#endif
            KERNEL_turn_back_block(a, from, n, c0, channels, i, lanes);
    }
}

/* The pixel of Y whose window has `rows` rows and `columns` columns on the image, from x on: constants of each call, where they are known. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
KERNEL_pixel(const int64_t rows, const int64_t columns, const NAME_args *a, const float *x)
{
    const int64_t apart = NAME_DIL_H(a) * a->W * LANES, step = NAME_DIL_W(a) * LANES;
    PACKAGE_floats_MACHINE acc = PACKAGE_all_MACHINE(KERNEL_NOTHING);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t s = 0; s < columns; s++)
            acc = KERNEL_join(acc, *(const KERNEL_vec *)(x + r * apart + s * step));
    return acc;
}

/* A row of Y. */
static TARGET_ATTRIBUTE void KERNEL_row(const NAME_args *a, const float *x, int64_t p, float *y)
{
    const KERNEL_span rows = KERNEL_rows_of(a, p);
    const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a) + rows.first * NAME_DIL_H(a), there = rows.end - rows.first;
    for (int64_t q = 0; q < a->Q; q++) {
        const KERNEL_span columns = KERNEL_columns_of(a, q);
        const int64_t w = q * NAME_STRIDE_W(a) - NAME_PAD_L(a) + columns.first * NAME_DIL_W(a), wide = columns.end - columns.first;
        const float *from = x + (h * a->W + w) * LANES;
        PACKAGE_floats_MACHINE acc;
#if FR
        if (there == FR && wide == FS)
            acc = KERNEL_pixel(FR, FS, a, from);
        else
#endif
            acc = KERNEL_pixel(there, wide, a, from);
#if !IS_MAX
        acc *= PACKAGE_all_MACHINE(KERNEL_part(a, there, a->R) * KERNEL_part(a, wide, a->S));
#endif
        PACKAGE_store_MACHINE(y + q * LANES, acc, LANES);
    }
}

/* Part `task` of `ntask` of the call: blocks of channels of images. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t blocks = (a->C + LANES - 1) / LANES, all = a->N * blocks, pixels = a->H * a->W;
    float *x = (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a)), *y = x + (pixels + LANES - 1) / LANES * LANES * LANES;
    for (int64_t i = all * task / ntask; i < all * (task + 1) / ntask; i++) {
        const int64_t n = i / blocks, c0 = i % blocks * LANES, channels = a->C - c0 < LANES ? a->C - c0 : LANES;
        KERNEL_turn(a->X + (n * a->C + c0) * pixels, pixels, channels, x);
        for (int64_t p = 0; p < a->P; p++)
            KERNEL_row(a, x, p, y + p * a->Q * LANES);
        KERNEL_turn_back(a, y, n, c0, channels);
    }
    return 0;
}
