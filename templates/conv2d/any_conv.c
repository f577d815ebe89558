/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "any_conv";
op      = "conv2d";
family  = "cpu";
doc     = "any convolution, slowly, a vector of filters at a time: for calls that no other kernel serves";
packed  = true;
dtypes  = ["f32"];
params  = ();
values  = ( { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
general = ( { target = ["avx512", "avx2", "portable"]; } );
tile = { N = "1"; G = "LANES"; H = "1"; W = "1"; C = "1"; K = "LANES"; R = "1"; S = "1"; };
own_terms = true;
terms = ( { name = "sums"; expr = "2000 * THREADS + N * P * Q * ceil_div(OC, LANES) * (R * S * C * 14 + 40) / THREADS"; doc = "cycles: each FMA waits for the one before"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#endif
/* KERNEL: pixels of Y one by one, a vector of filters at a time.
 *   F, packed     as pack.c has it; where groups have a channel and a filter each, filters of 16 groups side by side */
/* The sums of `filters` filters from f on, of a pixel whose first tap is at row h and column w. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE PACKAGE_floats_MACHINE
KERNEL_sum(const NAME_args *a, int64_t n, int64_t h, int64_t w, int64_t g, const float *f, int64_t filters)
{
    PACKAGE_floats_MACHINE sum = { 0 };
    for (int64_t r = 0; r < a->R; r++)
        for (int64_t s = 0; s < a->S; s++) {
            const int64_t at_h = h + r * NAME_DIL_H(a), at_w = w + s * NAME_DIL_W(a);
            if (at_h < 0 || at_h >= a->H || at_w < 0 || at_w >= a->W)
                continue;
            const float *of_tap = f + (r * a->S + s) * a->C * 16;
#if LAYOUT_X_NCHW
            const int64_t apart = STRIDED(X, a->X_stride[1], a->H * a->W); /* elements from a channel to the next */
            const float *x = a->X + STRIDED(X, n * a->X_stride[0] + g * a->C * a->X_stride[1] + at_h * a->X_stride[2], ((n * a->IC + g * a->C) * a->H + at_h) * a->W) + at_w;
#else
            const int64_t apart = 1;
            const float *x = a->X + STRIDED(X, n * a->X_stride[0] + at_h * a->X_stride[1] + at_w * a->X_stride[2], ((n * a->H + at_h) * a->W + at_w) * a->IC) + g * a->C;
#endif
            if (a->C == 1 && a->K == 1) { /* each filter has a channel of its own */
#if LAYOUT_X_NCHW
                float channel[LANES] = { 0 };
                for (int64_t k = 0; k < filters; k++)
                    channel[k] = x[k * apart];
                x = channel;
#endif
                sum += PACKAGE_load_MACHINE(x, filters) * PACKAGE_load_MACHINE(of_tap, LANES);
            } else
                for (int64_t c = 0; c < a->C; c++)
                    sum += PACKAGE_all_MACHINE(x[c * apart]) * PACKAGE_load_MACHINE(of_tap + c * 16, LANES);
        }
    return sum;
}

/* Part `task` of `ntask` of the call. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t side = a->C == 1 && a->K == 1 ? a->G : a->K; /* filters whose panels lie side by side */
    for (int64_t row = a->N * a->P * task / ntask; row < a->N * a->P * (task + 1) / ntask; row++)
        for (int64_t q = 0; q < a->Q; q++)
            for (int64_t oc = 0, filters; oc < a->OC; oc += filters) {
                const int64_t k = oc % side, n = row / a->P, p = row % a->P;
                const float *f = a->F + (oc / side * ((side + 15) / 16) + k / 16) * NAME_PANEL(a->R * a->S * a->C) + k % 16;
                filters = side - k < LANES ? side - k : LANES;
                PACKAGE_floats_MACHINE sum = KERNEL_sum(a, n, p * NAME_STRIDE_H(a) - NAME_PAD_T(a), q * NAME_STRIDE_W(a) - NAME_PAD_L(a), oc / a->K, f, filters);
#if LAYOUT_Y_NCHW
                for (int64_t i = 0; i < filters; i++) {
                    PACKAGE_floats_MACHINE y = PACKAGE_all_MACHINE(sum[i]);
#if HAS_EPILOGUE
                    y = NAME_epilogue_MACHINE(a, y, n, oc + i, p, q, 1);
#endif
                    a->Y[STRIDED(Y, n * a->Y_stride[0] + (oc + i) * a->Y_stride[1] + p * a->Y_stride[2], ((n * a->OC + oc + i) * a->P + p) * a->Q) + q] = y[0];
                }
#else
#if HAS_EPILOGUE
                sum = NAME_epilogue_MACHINE(a, sum, n, p, q, oc, filters);
#endif
                PACKAGE_store_MACHINE(a->Y + STRIDED(Y, n * a->Y_stride[0] + p * a->Y_stride[1] + q * a->Y_stride[2], (row * a->Q + q) * a->OC) + oc, sum, filters);
#endif
            }
    return 0;
}
