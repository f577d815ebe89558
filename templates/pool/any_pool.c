/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "any pooling, slowly, element by element: for calls that no other kernel serves";
dtypes  = ["f32"];
params  = ();
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
general = ( { target = ["avx512", "avx2", "portable"]; } );
tile    = { N = "1"; C = "LANES"; H = "1"; W = "LANES"; R = "1"; S = "1"; };
own_terms = true;
terms   = ( { name = "taps"; expr = "2000 * THREADS + N * P * Q * C * (R * S * 6 + 30) / THREADS"; doc = "cycles: each tap waits for the one before"; } );
*/
#ifndef DCGEN /* to compile this file as it stands */
#include "standalone.h"
#endif
/* KERNEL: elements of Y one by one; the formula on a vector of those along its last extent. */
#include "window.h"

/* Element (h, w) of channel c of image n. */
static inline __attribute__((always_inline)) float KERNEL_x(const NAME_args *a, int64_t n, int64_t h, int64_t w, int64_t c)
{
#if LAYOUT_X_NCHW
    return a->X[((n * a->C + c) * a->H + h) * a->W + w];
#else
    return a->X[((n * a->H + h) * a->W + w) * a->C + c];
#endif
}

static TARGET_ATTRIBUTE float KERNEL_element(const NAME_args *a, int64_t n, int64_t p, int64_t q, int64_t c)
{
    const KERNEL_span rows = KERNEL_rows_of(a, p), columns = KERNEL_columns_of(a, q);
    const int64_t top = p * NAME_STRIDE_H(a) - NAME_PAD_T(a), left = q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    float acc = KERNEL_NOTHING;
    for (int64_t r = rows.first; r < rows.end; r++)
        for (int64_t s = columns.first; s < columns.end; s++) {
            const float x = KERNEL_x(a, n, top + r * NAME_DIL_H(a), left + s * NAME_DIL_W(a), c);
#if IS_MAX
            acc = x > acc ? x : acc;
#else
            acc += x;
#endif
        }
#if IS_MAX
    return acc;
#else
    return acc * KERNEL_part(a, rows.end - rows.first, a->R) * KERNEL_part(a, columns.end - columns.first, a->S);
#endif
}

/* Part `task` of `ntask` of the call: lines along Y's last extent. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
#if LAYOUT_Y_NCHW
    const int64_t lines = a->N * a->C * a->P, length = a->Q;
#else
    const int64_t lines = a->N * a->P * a->Q, length = a->C;
#endif
    for (int64_t line = lines * task / ntask; line < lines * (task + 1) / ntask; line++)
        for (int64_t i = 0; i < length; i += LANES) {
            const int64_t lanes = length - i < LANES ? length - i : LANES;
            float part[LANES] = { 0 };
#if LAYOUT_Y_NCHW
            const int64_t p = line % a->P, c = line / a->P % a->C, n = line / a->P / a->C;
            for (int64_t j = 0; j < lanes; j++)
                part[j] = KERNEL_element(a, n, p, i + j, c);
#else
            const int64_t q = line % a->Q, p = line / a->Q % a->P, n = line / a->Q / a->P;
            for (int64_t j = 0; j < lanes; j++)
                part[j] = KERNEL_element(a, n, p, q, i + j);
#endif
            PACKAGE_floats_MACHINE y = PACKAGE_load_MACHINE(part, LANES);
#if HAS_EPILOGUE
#if LAYOUT_Y_NCHW
            y = NAME_epilogue_MACHINE(a, y, n, c, p, i, lanes);
#else
            y = NAME_epilogue_MACHINE(a, y, n, p, q, i, lanes);
#endif
#endif
            PACKAGE_store_MACHINE(a->Y + line * length + i, y, lanes);
        }
    return 0;
}
