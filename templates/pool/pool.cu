/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cuda";
doc     = "a thread an element of Y, EACH of them that lie NT apart: neighbouring threads read and write neighbouring elements";
params  = (
  { name = "NT";   choices = [64, 128, 256, 512]; doc = "threads of a block"; },
  { name = "EACH"; choices = [1, 2, 4];           doc = "elements of a thread"; } );
values  = (
  { name = "IS_MAX"; expr = "0";         doc = "1: the largest of a window, 0: the mean"; },
  { name = "BLOCK";  expr = "NT * EACH"; doc = "elements of a block"; } );
general = ( { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; NT = 128; EACH = 1; } );
tile    = { N = "1"; C = "BLOCK"; H = "1"; W = "BLOCK"; R = "1"; S = "1"; };
launch  = { x = "TILES * (ELEMENTS < 2147483648)"; }; # elements are counted in 31 bits
derived = (
  { name = "ELEMENTS"; expr = "N * P * Q * C"; doc = "of Y"; },
  { name = "TILES"; expr = "ceil_div(ELEMENTS, BLOCK)"; doc = "blocks"; },
  { name = "L2_ELEMS"; expr = "ELEMENTS + N * H * W * C * (1 + (R > STRIDE_H))"; doc = "elements from L2: rows of X that two blocks read come twice"; },
  { name = "LOOP"; expr = "ceil_div(MOST, LIVE) * (LIVE * BLOCK * (R * S * 14 + 90) / 128)"; doc = "cycles to issue the instructions of all blocks of an SM"; },
  { name = "ENDS"; expr = "(900 + 40 * R * S) * ceil_div(MOST, LIVE)"; doc = "cycles that blocks wait for memory"; } );
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

/* The largest or the mean of a window. The largest passes over NaN. */
static __device__ __forceinline__ float KERNEL_element(const NAME_args &a, const KERNEL_place &at)
{
    /* unsigned: a place before the image is one beyond it */
    const unsigned top = (unsigned)at.p * NAME_STRIDE_H(a) - NAME_PAD_T(a), left = (unsigned)at.q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
#if IS_MAX
    float acc = -INFINITY;
#else
    float acc = 0;
    int count = 0;
#endif
#pragma unroll 1
    for (int r = 0; r < a.R; r++) {
        const unsigned h = top + (unsigned)r * NAME_DIL_H(a);
        if (h >= (unsigned)a.H)
            continue;
#pragma unroll 4
        for (int s = 0; s < a.S; s++) {
            const unsigned w = left + (unsigned)s * NAME_DIL_W(a);
            if (w < (unsigned)a.W) {
#if IS_MAX
                acc = fmaxf(acc, KERNEL_x(a, at, h, w));
#else
                acc += KERNEL_x(a, at, h, w);
                count++;
#endif
            }
        }
    }
#if IS_MAX
    return acc;
#else
    return NAME_COUNT_PAD(a) ? acc / ((float)a.R * (float)a.S) : count > 0 ? acc / (float)count : 0;
#endif
}

#include "../image/elements.cuh"
