/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "scalar_conv";
op      = "conv_transpose2d";
family  = "cuda";
doc     = "a thread an element of Y, fp32 sums over the taps that it meets: any transposed convolution";
params  = ( { name = "NT"; choices = [64, 128, 256]; doc = "threads of a block"; } );
general = ( { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; NT = 128; } );
tile    = { N = "1"; G = "1"; H = "1"; W = "NT"; C = "1"; K = "NT"; R = "1"; S = "1"; };
launch  = { x = "TILES * (ELEMENTS < 2147483648)"; }; # elements are counted in 31 bits
derived = (
  { name = "ELEMENTS"; expr = "N * P * Q * OC"; doc = "of Y"; },
  { name = "TILES"; expr = "ceil_div(ELEMENTS, NT)"; doc = "blocks"; },
  { name = "DEPTH"; expr = "C * ceil_div(R, STRIDE_H) * ceil_div(S, STRIDE_W)"; doc = "products of an element"; },
  { name = "L2_ELEMS"; expr = "ELEMENTS + TILES * DEPTH * (1 + NT)"; doc = "elements from L2"; },
  { name = "LOOP"; expr = "ceil_div(MOST, LIVE) * (LIVE * NT * (DEPTH * 8 + R * S * 12 + 90) / 128)"; doc = "cycles to issue the instructions of all blocks of an SM"; },
  { name = "ENDS"; expr = "1200 * ceil_div(MOST, LIVE)"; doc = "cycles that blocks wait for memory"; } );
own_terms = true;
terms = (
  { name = "ns";
    expr = "LAUNCH_NS + max(max(CYCLES * 1000 / CLOCK_MHZ, ELEM_BYTES * L2_ELEMS / L2_GBS),"
           " ELEM_BYTES * DATA * (ELEM_BYTES * DATA > L2_BYTES / 2) / DRAM_GBS)";
    doc = "from the launch to the end of the last block"; } );
features = ( { name = "threads"; expr = "log2(NT)"; doc = "of a block"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_F16=1 or _BF16 */
#include "standalone.cuh"
#define NT 128
#endif
/* KERNEL: element e of Y, as Y lies: e = NT*block + thread. */
struct KERNEL_place {
    int n, p, q, oc;
};

static __device__ __forceinline__ KERNEL_place KERNEL_find(const NAME_args &a, unsigned e)
{
    KERNEL_place at;
#if LAYOUT_Y_NCHW
    at.q = e % a.Q, e /= a.Q;
    at.p = e % a.P, e /= a.P;
    at.oc = e % a.OC, at.n = e / a.OC;
#else
    at.oc = e % a.OC, e /= a.OC;
    at.q = e % a.Q, e /= a.Q;
    at.p = e % a.P, at.n = e / a.P;
#endif
    return at;
}

/* The sum over the channels of a tap: X at row h and column w, F at row r and column s. */
static __device__ __forceinline__ float KERNEL_tap(float sum, const NAME_args &a, const KERNEL_place &at, int h, int w, int r, int s)
{
    const int ic = at.oc / a.K * a.C, k = at.oc % a.K;
#if LAYOUT_X_NCHW
    const int64_t apart = (int64_t)a.H * a.W;
    const LEFT_TYPE *x = a.X + (((int64_t)at.n * a.IC + ic) * a.H + h) * a.W + w;
#else
    const int64_t apart = 1;
    const LEFT_TYPE *x = a.X + (((int64_t)at.n * a.H + h) * a.W + w) * a.IC + ic;
#endif
#if LAYOUT_F_CKRS
    const int64_t step = a.F_stride[0];
    const RIGHT_TYPE *f = a.F + (ic * a.F_stride[0] + k * a.F_stride[1] + r * a.F_stride[2] + s);
#elif LAYOUT_F_CRSK
    const int64_t step = a.F_stride[0];
    const RIGHT_TYPE *f = a.F + (ic * a.F_stride[0] + r * a.F_stride[1] + s * a.F_stride[2] + k);
#else
    const int64_t step = 1;
    const RIGHT_TYPE *f = a.F + (r * a.F_stride[0] + s * a.F_stride[1] + k * a.F_stride[2] + ic);
#endif
#pragma unroll 4
    for (int c = 0; c < a.C; c++, x += apart, f += step)
        sum = fmaf(PACKAGE_device::LEFT_ELEMENT_to_float(__ldg(x)), PACKAGE_device::RIGHT_ELEMENT_to_float(__ldg(f)), sum);
    return sum;
}

static __device__ __forceinline__ float KERNEL_sum(const NAME_args &a, const KERNEL_place &at)
{
    float sum = 0;
    for (int r = 0; r < a.R; r++) {
        const int64_t down = (int64_t)at.p + NAME_PAD_T(a) - (int64_t)r * NAME_DIL_H(a);
        if (down < 0 || down % NAME_STRIDE_H(a) != 0 || down / NAME_STRIDE_H(a) >= a.H)
            continue;
        for (int s = 0; s < a.S; s++) {
            const int64_t across = (int64_t)at.q + NAME_PAD_L(a) - (int64_t)s * NAME_DIL_W(a);
            if (across >= 0 && across % NAME_STRIDE_W(a) == 0 && across / NAME_STRIDE_W(a) < a.W)
                sum = KERNEL_tap(sum, a, at, (int)(down / NAME_STRIDE_H(a)), (int)(across / NAME_STRIDE_W(a)), r, s);
        }
    }
    return sum;
}

static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const unsigned e = blockIdx.x * NT + threadIdx.x;
    if (e >= (unsigned)a.N * a.P * a.Q * a.OC)
        return;
    const KERNEL_place at = KERNEL_find(a, e);
    float y = KERNEL_sum(a, at);
#if HAS_EPILOGUE
#if LAYOUT_Y_NCHW
    y = NAME_epilogue(a, y, at.n, at.oc, at.p, at.q);
#else
    y = NAME_epilogue(a, y, at.n, at.p, at.q, at.oc);
#endif
#endif
    a.Y[e] = PACKAGE_device::RESULT_ELEMENT_of(y);
#endif
}
