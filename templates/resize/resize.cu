/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "a thread an element of Y, EACH of them that lie NT apart: neighbouring threads read and write neighbouring elements";
params  = (
  { name = "NT";   choices = [64, 128, 256, 512]; doc = "threads of a block"; },
  { name = "EACH"; choices = [1, 2, 4];           doc = "elements of a thread"; } );
values  = (
  { name = "IS_LINEAR"; expr = "1";     doc = "1: bilinear, 0: the nearest pixel"; },
  { name = "BLOCK";  expr = "NT * EACH"; doc = "elements of a block"; } );
general = ( { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; NT = 128; EACH = 1; } );
tile    = { N = "1"; C = "BLOCK"; H = "1"; W = "1"; P = "1"; Q = "BLOCK"; };
launch  = { x = "TILES * (ELEMENTS < 2147483648)"; }; # elements are counted in 31 bits
derived = (
  { name = "ELEMENTS"; expr = "N * P * Q * C"; doc = "of Y"; },
  { name = "TILES"; expr = "ceil_div(ELEMENTS, BLOCK)"; doc = "blocks"; },
  { name = "L2_ELEMS"; expr = "ELEMENTS + min(N * H * W * C, ELEMENTS * (1 + 3 * IS_LINEAR))"; doc = "elements from L2"; },
  { name = "LOOP"; expr = "ceil_div(MOST, LIVE) * (LIVE * BLOCK * (240 + 40 * IS_LINEAR) / 128)"; doc = "cycles to issue the instructions of all blocks of an SM"; },
  { name = "ENDS"; expr = "1500 * ceil_div(MOST, LIVE)"; doc = "cycles that blocks wait for memory"; } );
own_terms = true;
terms = (
  { name = "ns";
    expr = "LAUNCH_NS + max(max(CYCLES * 1000 / CLOCK_MHZ, ELEM_BYTES * L2_ELEMS / L2_GBS),"
           " ELEM_BYTES * DATA * (ELEM_BYTES * DATA > L2_BYTES / 2) / DRAM_GBS)";
    doc = "from the launch to the end of the last block"; } );
features = (
  { name = "threads"; expr = "log2(NT)";   doc = "of a block"; },
  { name = "each";    expr = "log2(EACH)"; doc = "elements of a thread"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands; for another type -DDTYPE_F16=1 or _BF16 */
#include "standalone.cuh"
#define NT 128
#define EACH 2
#define BLOCK 256
#endif
/* KERNEL: element e of Y, as Y lies: e = BLOCK*block + NT*i + thread for i < EACH. */
#include "../image/place.cuh"

/* The pixels of X, of `size` in a row (or a column), that pixel p of `results` in Y comes from: its place num / den is a quotient of integers, of
 * 32 bits where that suffices. */
struct KERNEL_pixels {
    int first, second;
    float near, far; /* what they are multiplied by */
};

template <typename Int> static __device__ __forceinline__ KERNEL_pixels KERNEL_work_out(const NAME_args &a, int p, int results, int size)
{
    const int coordinates = NAME_COORDINATES(a);
    const Int corners = results > 1 ? results - 1 : 1, den = coordinates == 0 ? (Int)2 * results : coordinates == 1 ? (Int)results : corners;
    Int num = coordinates == 0 ? ((Int)2 * p + 1) * size - results : coordinates == 1 ? (Int)p * size : (Int)p * (size - 1);
    num = num < 0 ? 0 : num < (size - 1) * den ? num : (size - 1) * den;
    KERNEL_pixels at;
    at.first = (int)(num / den);
    const Int beyond = num - at.first * den;
#if IS_LINEAR
    at.second = at.first + (beyond > 0);
    at.near = (float)(den - beyond) / (float)den;
    at.far = (float)beyond / (float)den;
#else
    const int rounding = NAME_ROUNDING(a);
    at.first += rounding == 0 ? 2 * beyond > den : rounding == 1 ? 0 : rounding == 2 ? 2 * beyond >= den : beyond > 0;
#endif
    return at;
}

static __device__ __forceinline__ KERNEL_pixels KERNEL_pixels_of(const NAME_args &a, int p, int results, int size)
{
    return (int64_t)results * size < 1 << 29 ? KERNEL_work_out<int>(a, p, results, size) : KERNEL_work_out<int64_t>(a, p, results, size);
}

static __device__ __forceinline__ float KERNEL_element(const NAME_args &a, const KERNEL_place &at)
{
    const KERNEL_pixels row = KERNEL_pixels_of(a, at.p, a.P, a.H), column = KERNEL_pixels_of(a, at.q, a.Q, a.W);
#if IS_LINEAR
    const float above = column.near * KERNEL_x(a, at, row.first, column.first) + column.far * KERNEL_x(a, at, row.first, column.second);
    const float below = column.near * KERNEL_x(a, at, row.second, column.first) + column.far * KERNEL_x(a, at, row.second, column.second);
    return row.near * above + row.far * below;
#else
    return KERNEL_x(a, at, row.first, column.first);
#endif
}

#include "../image/elements.cuh"
