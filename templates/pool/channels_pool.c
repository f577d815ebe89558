/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "QT pixels of a row of Y x V vectors of channels, in registers over all taps";
dtypes  = ["f32"];
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
params  = (
  { name = "V";  choices = [1, 2, 3, 4, 6, 8, 12, 16, 24]; doc = "vectors of channels at a time"; },
  { name = "QT"; choices = [1, 2, 4]; doc = "pixels at a time, of those whose windows stand on the image: what of their rows lies side by side is read so"; },
  { name = "FR"; choices = "R";          doc = "rows of the windows that it is for; 0: any"; },
  { name = "FS"; choices = "S";          doc = "the same of columns"; } );
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "L3"; expr = "L3_BYTES + (L3_BYTES == 0) * 1073741824"; doc = "bytes of X and Y that caches may hold: else Y is stored past them"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
constraints = (
  { need = "QT == 1 || FR > 0"; why = "windows of several pixels are whole, which is known of known ones"; },
  { need = "(FR > 0) == (FS > 0) && FR * FS * V * QT <= 128"; why = "taps are code; longer code only costs instruction cache"; },
  { need = "V == 1 || !EPILOGUE_CALLS"; why = "a call keeps few vectors in registers"; },
  { need = "4 * V * QT <= 3 * VECTOR_REGISTERS"; why = "the vectors stay in registers"; } );
general = ( { target = ["avx512", "avx2", "portable"]; V = 1; QT = 1; FR = 0; FS = 0; } );
tile    = { N = "1"; C = "V*LANES"; H = "1"; W = "QT"; R = "1"; S = "1"; };
own_terms = true;
derived = (
  { name = "PIXELS"; expr = "N * P * Q"; doc = "of Y"; },
  { name = "STEPS"; expr = "ceil_div(C, V*LANES)"; doc = "blocks of V vectors of channels"; } );
terms   = (
  { name = "call";  expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "loads"; expr = "PIXELS * C * R * S / (2 * LANES * THREADS)"; doc = "two loads a cycle"; },
  { name = "taps";  expr = "PIXELS * STEPS * R * S * (1 + (FR == 0)) / THREADS"; doc = "the loop over taps"; },
  { name = "pixels"; expr = "PIXELS * (10 + 8 * STEPS) / (QT * THREADS)"; doc = "a pixel's start"; },
  { name = "bytes"; expr = "(N * H * W * C + PIXELS * C) * 4 / (16 * THREADS)"; doc = "X and Y from and to beyond L1"; } );
features = (
  { name = "vectors"; expr = "log2(V)"; doc = "sums at a time"; },
  { name = "pixels";  expr = "log2(QT)"; doc = "likewise"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define V 2
#define QT 4
#define FR 3
#define FS 3
#endif
/* KERNEL: each pixel of Y from the pixels under its window, a block of V vectors of channels of QT pixels at a time.
 *   X[n][h][w][c]    at X + ((n*H + h)*W + w)*C + c
 *   Y[n][p][q][c]    at Y + ((n*P + p)*Q + q)*C + c */
#include "window.h"

typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* A pixel of Y, and what is under it. */
typedef struct {
    int64_t n, p, q;
    KERNEL_span rows, columns;
    const float *x; /* the first pixel of X that stands on the image */
    float *y;
    int stream; /* Y is stored past the caches */
#if !IS_MAX
    float part;
#endif
} KERNEL_pixel;

static inline __attribute__((always_inline)) KERNEL_pixel KERNEL_pixel_of(const NAME_args *a, int64_t n, int64_t p, int64_t q, KERNEL_span rows, int stream)
{
    const KERNEL_span columns = KERNEL_columns_of(a, q);
    const int64_t h = p * NAME_STRIDE_H(a) - NAME_PAD_T(a) + rows.first * NAME_DIL_H(a), w = q * NAME_STRIDE_W(a) - NAME_PAD_L(a) + columns.first * NAME_DIL_W(a);
    return (KERNEL_pixel){ .n = n, .p = p, .q = q, .rows = rows, .columns = columns, .stream = stream,
                           .x = a->X + ((n * a->H + h) * a->W + w) * a->C, .y = a->Y + ((n * a->P + p) * a->Q + q) * a->C,
#if !IS_MAX
                           .part = KERNEL_part(a, rows.end - rows.first, a->R) * KERNEL_part(a, columns.end - columns.first, a->S),
#endif
    };
}

/* Channels c.. of a pixel and of those beside it, `pixels` in all, `vectors` of channels, of which the last one has `lanes`; windows of `rows` x
 * `columns`. Pixels, vectors and, but for 0, windows are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_block(const int pixels, const int vectors, const int64_t rows, const int64_t columns, const NAME_args *a, const KERNEL_pixel *at, int64_t c, int64_t lanes)
{
    const int64_t tap = NAME_DIL_W(a) * a->C, line = NAME_DIL_H(a) * a->W * a->C, pixel = NAME_STRIDE_W(a) * a->C;
    const float *x = at->x + c;
    PACKAGE_floats_MACHINE acc[QT][V];
    PACKAGE_UNROLL(8)
    for (int j = 0; j < pixels; j++)
        PACKAGE_UNROLL(24)
        for (int v = 0; v < vectors; v++)
            acc[j][v] = PACKAGE_all_MACHINE(KERNEL_NOTHING);
    for (int64_t r = 0; r < rows; r++, x += line)
        PACKAGE_UNROLL(4) /* a prefetcher that follows a load from one tap to the next is better off with a load for each of several */
        for (int64_t s = 0; s < columns; s++)
            PACKAGE_UNROLL(8)
            for (int j = 0; j < pixels; j++)
                PACKAGE_UNROLL(24)
                for (int v = 0; v < vectors; v++) {
                    const float *from = x + s * tap + j * pixel + v * LANES;
                    acc[j][v] = KERNEL_join(acc[j][v], lanes < LANES ? PACKAGE_load_MACHINE(from, lanes) : (PACKAGE_floats_MACHINE)(*(const KERNEL_vec *)from));
                }
    PACKAGE_UNROLL(8)
    for (int j = 0; j < pixels; j++)
        PACKAGE_UNROLL(24)
        for (int v = 0; v < vectors; v++) {
#if !IS_MAX
            acc[j][v] *= PACKAGE_all_MACHINE(at->part);
#endif
#if HAS_EPILOGUE
            acc[j][v] = NAME_epilogue_MACHINE(a, acc[j][v], at->n, at->p, at->q + j, c + v * LANES, lanes);
#endif
            PACKAGE_stream_MACHINE(at->y + j * a->C + c + v * LANES, acc[j][v], lanes, at->stream);
        }
}

/* All channels of so many pixels, one or QT. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_channels(const int pixels, const int64_t rows, const int64_t columns, const NAME_args *a, const KERNEL_pixel *place)
{
    const KERNEL_pixel at = *place; /* stores to Y do not change it */
    int64_t c = 0;
    for (; c + V * LANES <= a->C; c += V * LANES)
        KERNEL_block(pixels, V, rows, columns, a, &at, c, LANES);
#if V > 8
    for (; c + 8 * LANES <= a->C; c += 8 * LANES)
        KERNEL_block(pixels, 8, rows, columns, a, &at, c, LANES);
#endif
#if V > 1
    for (; c + LANES <= a->C; c += LANES)
        KERNEL_block(pixels, 1, rows, columns, a, &at, c, LANES);
#endif
    if (c < a->C)
        KERNEL_block(pixels, 1, at.rows.end - at.rows.first, at.columns.end - at.columns.first, a, &at, c, a->C - c);
}

static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_any(const NAME_args *a, const KERNEL_pixel *at)
{
    KERNEL_channels(1, at->rows.end - at->rows.first, at->columns.end - at->columns.first, a, at);
}

/* Part `task` of `ntask` of the call: rows of Y. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int exceeds = 4.0 * (double)(a->N * a->C) * (double)(a->H * a->W + a->P * a->Q) > L3;
    const int stream = exceeds && a->C % LANES == 0 && (uintptr_t)a->Y % VECTOR_BYTES == 0;
    for (int64_t row = a->N * a->P * task / ntask; row < a->N * a->P * (task + 1) / ntask; row++) {
        const KERNEL_span rows = KERNEL_rows_of(a, row % a->P);
        for (int64_t q = 0; q < a->Q; q++) {
            const KERNEL_pixel at = KERNEL_pixel_of(a, row / a->P, row % a->P, q, rows, stream);
#if FR
            if (at.rows.end - at.rows.first == FR && at.columns.end - at.columns.first == FS) {
                const KERNEL_span last = KERNEL_columns_of(a, q + QT - 1); /* windows between two whole ones are whole */
                if (QT > 1 && q + QT <= a->Q && last.end - last.first == FS) {
                    KERNEL_channels(QT, FR, FS, a, &at);
                    q += QT - 1;
                } else {
                    KERNEL_channels(1, FR, FS, a, &at);
                }
                continue;
            }
#endif
            KERNEL_any(a, &at);
        }
    }
    if (stream)
        PACKAGE_fence_MACHINE();
    return 0;
}
