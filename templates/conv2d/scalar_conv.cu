/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "scalar_conv";
op      = "conv2d";
family  = "cuda";
doc     = "any convolution, slowly, an element of Y a thread, fp32 sums: for calls that no other kernel serves";
packed  = false;
layouts = { X = ["NHWC", "NCHW"]; Y = ["NHWC"]; };
params  = ();
values  = ( { name = "NT"; expr = "128"; doc = "threads of a block"; } );
general = ( { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; } );
tile = { N = "1"; G = "1"; H = "1"; W = "1"; C = "1"; K = "1"; R = "1"; S = "1"; };
derived = (
  { name = "TILE_ROWS"; expr = "NT"; doc = "elements of a block"; },
  { name = "TILE_COLS"; expr = "1"; doc = "likewise"; },
  { name = "TILE_SUM"; expr = "1"; doc = "taps of a step"; },
  { name = "TILES"; expr = "ceil_div(N * P * Q * OC, NT)"; doc = "blocks"; },
  { name = "SUM_STEPS"; expr = "R * S * C"; doc = "steps of a block"; },
  { name = "STEP_FLOPS"; expr = "2 * NT"; doc = "operations of a step"; },
  { name = "STEP_READS"; expr = "2 * NT"; doc = "elements that a step reads, from L1"; },
  { name = "TILE_READS"; expr = "2 * NT * R * S * C"; doc = "elements from L2"; },
  { name = "ISSUE"; expr = "40"; doc = "instructions of a warp for a tap: an FMA, two loads with their addresses and bounds"; },
  { name = "LDS"; expr = "STEP_READS * ELEM_BYTES / 128"; doc = "wavefronts: X and F from L1"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_F16=1 or _BF16 */
#include "standalone.cuh"
#define NT 128
#endif
/* KERNEL: thread i of all blocks computes element i of Y. */
#include "element.cuh"

static __device__ __forceinline__ float KERNEL_sum(const NAME_args &a, int n, int h, int w, int oc)
{
    float sum = 0;
#pragma unroll 1
    for (int r = 0; r < a.R; r++)
#pragma unroll 1
        for (int s = 0; s < a.S; s++) {
            const int at_h = h + r * NAME_DIL_H(a), at_w = w + s * NAME_DIL_W(a);
            if (at_h < 0 || at_h >= a.H || at_w < 0 || at_w >= a.W)
                continue;
#if LAYOUT_X_NCHW
            const int64_t apart = STRIDED(X, a.X_stride[1], (int64_t)a.H * a.W);
            const LEFT_TYPE *x = a.X + STRIDED(X, n * a.X_stride[0] + at_h * a.X_stride[2] + at_w, (int64_t)n * a.IC * apart + (int64_t)at_h * a.W + at_w) + oc / a.K * a.C * apart;
#else
            const LEFT_TYPE *x = a.X + STRIDED(X, n * a.X_stride[0] + at_h * a.X_stride[1] + at_w * a.X_stride[2], (((int64_t)n * a.H + at_h) * a.W + at_w) * a.IC) + oc / a.K * a.C;
#endif
#pragma unroll 1
            for (int c = 0; c < a.C; c++)
#if LAYOUT_X_NCHW
                sum = fmaf(PACKAGE_device::LEFT_ELEMENT_to_float(__ldg(x + c * apart)), KERNEL_tap(a, oc, r, s, c), sum);
#else
                sum = fmaf(PACKAGE_device::LEFT_ELEMENT_to_float(__ldg(x + c)), KERNEL_tap(a, oc, r, s, c), sum);
#endif
        }
    return sum;
}

static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const uint64_t i = (uint64_t)blockIdx.x * NT + threadIdx.x, pixel = i / a.OC, line = pixel / a.Q;
    const int n = line / a.P, p = line % a.P, q = pixel % a.Q, oc = i % a.OC;
    if (n >= a.N)
        return;
    float sum = KERNEL_sum(a, n, p * NAME_STRIDE_H(a) - NAME_PAD_T(a), q * NAME_STRIDE_W(a) - NAME_PAD_L(a), oc);
#if HAS_EPILOGUE
    sum = NAME_epilogue(a, sum, n, p, q, oc);
#endif
    /* as a number: of arguments of more than 128 bytes nvcc keeps a pointer's parts in registers, until some spill */
    *(RESULT_TYPE *)((uintptr_t)a.Y + STRIDED(Y, (n * a.Y_stride[0] + p * a.Y_stride[1] + q * a.Y_stride[2] + oc), i) * ELEM_BYTES) = PACKAGE_device::RESULT_ELEMENT_of(sum);
#endif
}
