/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "depthwise";
op      = "conv2d";
family  = "cuda";
doc     = "a filter for each channel (C = 1, K = 1), fp32 sums: a thread has 4 channels of PX neighbouring pixels, taps lie in shared memory";
packed  = false;
layouts = { X = ["NHWC"]; Y = ["NHWC"]; };
params  = (
  { name = "LANES";   choices = [8, 16, 32];      doc = "threads side by side along channels, 4 channels each"; },
  { name = "NT";      choices = [64, 128, 256];   doc = "threads of a block"; },
  { name = "PX";      choices = [1, 2, 4, 6, 8];  doc = "neighbouring pixels of a row of Y that a thread computes"; },
  { name = "FIXED_S"; choices = "S";
    doc = "filters of so many rows and columns read each pixel of X once for all pixels of the thread; 0: any, once for each tap"; } );
values  = (
  { name = "CH";     expr = "4 * LANES";  doc = "channels of a block"; },
  { name = "GROUPS"; expr = "NT / LANES"; doc = "groups of PX pixels of a block"; },
  { name = "MINB";   expr = "384 / NT";   doc = "blocks that an SM shall hold; without a number the compiler spills for the sake of more"; },
  { name = "WINDOW"; expr = "2 * PX - 2 + FIXED_S"; doc = "pixels of a row of X behind those of a thread, of steps of 2"; } );
constraints = (
  { need = "PX > 1 || FIXED_S == 0";  why = "one pixel shares nothing"; },
  { need = "FIXED_S != 1";            why = "one tap shares nothing"; },
  { need = "4 * PX + 4 * FIXED_S + 4 * min(WINDOW, 8) <= 140"; why = "sums, a row of taps and loads on their way must fit registers"; } );
regs    = "min(168, 4 * PX + 4 * FIXED_S + 4 * WINDOW * (FIXED_S > 0) + 40)";
general = (
  { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; LANES = 16; NT = 128; PX = 4; FIXED_S = 0; } );
tile = { N = "1"; G = "CH"; H = "1"; W = "PX"; C = "1"; K = "1"; R = "1"; S = "1"; };
serves = "C == 1 && K == 1 && R * S <= 64 && (FIXED_S == 0 || R == S && DIL_W == 1 && STRIDE_W <= 2)";
launch = { x = "TILES * (N * P * ceil_div(Q, PX) < 2147483648)"; }; # pixels are counted in 31 bits
derived = (
  { name = "SHARES"; expr = "FIXED_S > 0 && G % 4 == 0";
    doc = "each pixel of X is read once for a row of taps"; },
  { name = "TILE_ROWS"; expr = "PX * GROUPS"; doc = "pixels of a block"; },
  { name = "TILE_COLS"; expr = "CH"; doc = "channels of a block"; },
  { name = "TILE_SUM"; expr = "1"; doc = "taps of a step"; },
  { name = "TILES"; expr = "ceil_div(N * P * ceil_div(Q, PX), GROUPS) * ceil_div(OC, CH)"; doc = "blocks"; },
  { name = "SUM_STEPS"; expr = "R * S * C"; doc = "steps of a block"; },
  { name = "STEP_FLOPS"; expr = "8 * NT * PX"; doc = "operations of a step"; },
  { name = "STEP_READS"; expr = "ceil_div(4 * NT * (SHARES * ((PX - 1) * STRIDE_W + S) + !SHARES * PX * S), S)";
    doc = "elements of X that a step reads, from L1"; },
  { name = "TILE_READS"; expr = "TILE_ROWS * CH * min(R, 1 + STRIDE_H) * STRIDE_W + CH * R * S"; doc = "elements from L2: some rows of X are another block's, too"; },
  { name = "SMEM"; expr = "min(R * S, 64) * CH * 4"; doc = "bytes of shared memory of a block: taps"; },
  { name = "UNIT"; expr = "4 * PX"; doc = "cycles of the FMA units for a warp's step"; },
  { name = "ISSUE"; expr = "4 * PX + (6 + 4 * (ELEM_BYTES == 2)) * STEP_READS / (4 * NT) + 6";
    doc = "instructions of a warp for a tap: FMAs, loads of X with their bounds, one of taps"; },
  { name = "LDS"; expr = "(STEP_READS * ELEM_BYTES + 4 * NT * 4) / 128"; doc = "wavefronts: X from L1, taps from shared memory"; },
  { name = "COPY"; expr = "STEP_READS * ELEM_BYTES / 64"; doc = "cycles to fetch it from L1"; },
  { name = "FIRST"; expr = "1200"; doc = "cycles until taps and the first pixels are there"; } );
features = (
  { name = "shares"; expr = "SHARES"; doc = "pixels of X are read once for a row of taps"; },
  { name = "pixels"; expr = "log2(PX)"; doc = "loads on their way of a thread"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_F16=1 or _BF16 */
#include "standalone.cuh"
#define LANES 16
#define NT 128
#define PX 4
#define FIXED_S 3
#define CH 64
#define GROUPS 8
#define MINB 3
#endif
/* KERNEL: a block computes CH channels of GROUPS groups of PX neighbouring pixels of rows of Y.
 *
 *   thread    channels oc = 4*lane .. 4*lane + 3 of the block's, lane = thread % LANES, of group thread / LANES
 *   sums      acc[i][l] is Y[n][p][q+i][oc+l]
 *   taps      tap r*S + s of the block's channels, as floats, in row r*S + s of shared memory, CH long
 */
struct KERNEL_place { /* of a thread */
    int n, p, q, oc;
    int h, w; /* of its first pixel's first tap, may be outside of the image; bits, as sums with them are unsigned */
    bool exists;
};

#include "element.cuh"

/* Blocks side by side along the channels; groups of pixels of a row of Y. */
static __device__ __forceinline__ unsigned KERNEL_across(const NAME_args &a) { return ((unsigned)a.OC - 1) / CH + 1; }
static __device__ __forceinline__ unsigned KERNEL_along(const NAME_args &a) { return ((unsigned)a.Q - 1) / PX + 1; }

static __device__ __forceinline__ KERNEL_place KERNEL_find(const NAME_args &a)
{
    const unsigned group = blockIdx.x / KERNEL_across(a) * GROUPS + threadIdx.x / LANES, line = group / KERNEL_along(a);
    KERNEL_place at;
    at.n = line / a.P;
    at.p = line % a.P;
    at.q = group % KERNEL_along(a) * PX;
    at.oc = blockIdx.x % KERNEL_across(a) * CH + threadIdx.x % LANES * 4;
    at.h = (unsigned)at.p * NAME_STRIDE_H(a) - NAME_PAD_T(a);
    at.w = (unsigned)at.q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    at.exists = at.n < a.N && at.oc < a.OC;
    return at;
}

/* The block's taps to shared memory. */
static __device__ __forceinline__ void KERNEL_load_taps(float *taps, const NAME_args &a)
{
    const int oc = blockIdx.x % KERNEL_across(a) * CH;
    for (int i = threadIdx.x; i < a.R * a.S * CH; i += NT) {
        const int tap = i / CH;
        taps[i] = oc + i % CH < a.OC ? KERNEL_tap(a, oc + i % CH, tap / a.S, tap % a.S, 0) : 0;
    }
    __syncthreads();
}

/* Four neighbouring channels from p on, of which `left` exist, if any. */
template <bool wide> static __device__ __forceinline__ void KERNEL_load(float (&v)[4], const LEFT_TYPE *p, bool exists, int left)
{
    LEFT_TYPE e[4] = { 0, 0, 0, 0 };
    if (wide) {
        if (exists)
            PACKAGE_device::load_row<4>(e, p);
    } else
#pragma unroll
        for (int l = 0; l < 4; l++)
            e[l] = exists && l < left ? __ldg(p + l) : (LEFT_TYPE)0;
#pragma unroll
    for (int l = 0; l < 4; l++)
        v[l] = PACKAGE_device::LEFT_ELEMENT_to_float(e[l]);
}

/* Where the thread's channels of row h, column w of its image are. */
static __device__ __forceinline__ const LEFT_TYPE *KERNEL_at(const NAME_args &a, const KERNEL_place &at, unsigned h, unsigned w)
{
    return a.X + STRIDED(X, at.n * a.X_stride[0] + (int)h * a.X_stride[1] + (int)w * a.X_stride[2], (((int64_t)at.n * a.H + (int)h) * a.W + (int)w) * a.IC) + at.oc;
}

/* acc += the sums of a depthwise convolution, tap by tap. */
template <bool wide>
static __device__ __forceinline__ void
KERNEL_by_taps(float (&acc)[PX][4], const float *taps, const NAME_args &a, const KERNEL_place &at)
{
#pragma unroll 1
    for (int r = 0; r < a.R; r++) {
        const unsigned h = at.h + (unsigned)r * NAME_DIL_H(a);
        if (h >= (unsigned)a.H)
            continue;
#pragma unroll 1
        for (int s = 0; s < a.S; s++) {
            const unsigned w = at.w + (unsigned)s * NAME_DIL_W(a);
            const float4 f = *(const float4 *)(taps + (r * a.S + s) * CH + threadIdx.x % LANES * 4);
#pragma unroll
            for (int i = 0; i < PX; i++) {
                const unsigned column = w + i * NAME_STRIDE_W(a);
                float x[4];
                KERNEL_load<wide>(x, KERNEL_at(a, at, h, column), column < (unsigned)a.W, a.IC - at.oc);
                acc[i][0] = fmaf(x[0], f.x, acc[i][0]);
                acc[i][1] = fmaf(x[1], f.y, acc[i][1]);
                acc[i][2] = fmaf(x[2], f.z, acc[i][2]);
                acc[i][3] = fmaf(x[3], f.w, acc[i][3]);
            }
        }
    }
}

#if FIXED_S
/* The same for FIXED_S rows and columns of taps, `step` columns from a pixel to the next: a pixel of X is read once for a row of taps. */
template <int step>
static __device__ __forceinline__ void
KERNEL_by_rows(float (&acc)[PX][4], const float *taps, const NAME_args &a, const KERNEL_place &at)
{
#pragma unroll 1
    for (int r = 0; r < FIXED_S; r++) {
        const unsigned h = at.h + (unsigned)r * NAME_DIL_H(a);
        if (h >= (unsigned)a.H)
            continue;
        const LEFT_TYPE *row = KERNEL_at(a, at, h, at.w);
        float f[FIXED_S][4];
#pragma unroll
        for (int s = 0; s < FIXED_S; s++) {
            const float4 q = *(const float4 *)(taps + (r * FIXED_S + s) * CH + threadIdx.x % LANES * 4);
            f[s][0] = q.x, f[s][1] = q.y, f[s][2] = q.z, f[s][3] = q.w;
        }
#pragma unroll
        for (int j = 0; j < (PX - 1) * step + FIXED_S; j++) {
            float x[4];
            KERNEL_load<true>(x, row + (int64_t)j * STRIDED(X, a.X_stride[2], a.IC), (unsigned)at.w + j < (unsigned)a.W, 4);
#pragma unroll
            for (int i = 0; i < PX; i++)
                if (j >= i * step && j < i * step + FIXED_S)
#pragma unroll
                    for (int l = 0; l < 4; l++)
                        acc[i][l] = fmaf(x[l], f[j - i * step][l], acc[i][l]);
        }
    }
}
#endif

/* Computes the formula of a pixel, rounds, and stores it. */
static __device__ __forceinline__ void
KERNEL_store(const NAME_args &a, const KERNEL_place &at, int pixel, const float (&sum)[4], bool wide)
{
    /* as a number: of arguments of more than 128 bytes nvcc keeps a pointer's parts in registers, until some spill */
    RESULT_TYPE *y = (RESULT_TYPE *)((uintptr_t)a.Y + (STRIDED(Y, at.n * a.Y_stride[0] + at.p * a.Y_stride[1] + (at.q + pixel) * a.Y_stride[2], (((uint64_t)at.n * a.P + at.p) * a.Q + at.q + pixel) * a.OC) + at.oc) * ELEM_BYTES);
    RESULT_TYPE e[4];
#pragma unroll
    for (int l = 0; l < 4; l++)
#if HAS_EPILOGUE
        e[l] = PACKAGE_device::RESULT_ELEMENT_of(NAME_epilogue(a, sum[l], at.n, at.p, at.q + pixel, min(at.oc + l, a.OC - 1)));
#else
        e[l] = PACKAGE_device::RESULT_ELEMENT_of(sum[l]);
#endif
    if (wide)
        PACKAGE_device::store_row<4>(y, e);
    else
#pragma unroll
        for (int l = 0; l < 4; l++)
            if (at.oc + l < a.OC)
                y[l] = e[l];
}

static __global__ void __launch_bounds__(NT, MINB) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *taps = (float *)PACKAGE_device::shared_memory();
    const KERNEL_place at = KERNEL_find(a);
    const bool wide_y = STRIDED(Y, (a.OC | a.Y_stride[0] | a.Y_stride[1] | a.Y_stride[2]), a.OC) % 4 == 0 && (uintptr_t)a.Y % (4 * ELEM_BYTES) == 0,
               wide = STRIDED(X, (a.IC | a.X_stride[0] | a.X_stride[1] | a.X_stride[2]), a.IC) % 4 == 0 && (uintptr_t)a.X % (4 * ELEM_BYTES) == 0;
    KERNEL_load_taps(taps, a);
    if (!at.exists)
        return;
    float acc[PX][4];
#pragma unroll
    for (int i = 0; i < PX; i++)
#pragma unroll
        for (int l = 0; l < 4; l++)
            acc[i][l] = 0;
#if FIXED_S
    if (wide && NAME_STRIDE_W(a) == 1)
        KERNEL_by_rows<1>(acc, taps, a, at);
    else if (wide && NAME_STRIDE_W(a) == 2)
        KERNEL_by_rows<2>(acc, taps, a, at);
    else
#endif
        if (wide)
        KERNEL_by_taps<true>(acc, taps, a, at);
    else
        KERNEL_by_taps<false>(acc, taps, a, at);
#pragma unroll
    for (int i = 0; i < PX; i++)
        if (at.q + i < a.Q)
            KERNEL_store(a, at, i, acc[i], wide_y);
#endif
}
