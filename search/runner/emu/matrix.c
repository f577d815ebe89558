/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix: where wgmma finds an element of an operand in shared memory, by the operand's descriptor: its start in bits
 * 13:0, the leading and the stride offset in 29:16 and 45:32, all in units of 16 bytes, the swizzle in 63:62 (1: 128
 * bytes, 2: 64, 3: 32). With S bytes of swizzle, T elements in 16 bytes, W in S, `mn` a row of A or a column of B:
 *
 *   along k,  swizzled      start + mn%8 * S + mn/8 * stride + k elements
 *             not swizzled  start + mn%8 * 16 + mn/8 * stride + k/T * leading + k%T elements
 *   along mn, swizzled      start + mn%W elements + mn/W * leading + k%8 * S + k/8 * stride
 *             not swizzled  start + mn%T elements + mn/T * stride + k%8 * 16 + k/8 * leading
 *
 * Swizzling then takes bits 7 to 9 of the address (as many as S has) for an exclusive or with bits 4 to 6.
 *
 * Source: PTX ISA (matrix descriptor), CuTe's cute/arch/mma_sm90_desc.hpp (canonical layouts).
 */
#include "search/runner/emu/matrix.h"

static unsigned field(uint64_t descriptor, int bit) { return (unsigned)(descriptor >> bit & 0x3fff) * 16; }

unsigned matrix_swizzle(uint64_t descriptor)
{
    static const unsigned bytes[] = { 0, 128, 64, 32 };
    return bytes[descriptor >> 62];
}

uint32_t matrix_swizzled(uint32_t address, unsigned swizzle)
{
    return address ^ (swizzle ? address >> 3 & (swizzle - 16) : 0);
}

uint32_t matrix_address(uint64_t descriptor, unsigned elem_bytes, bool across, unsigned mn, unsigned k)
{
    const unsigned swizzle = matrix_swizzle(descriptor), span = swizzle ? swizzle : 16;
    const unsigned leading = field(descriptor, 16), stride = field(descriptor, 32), in_span = span / elem_bytes;
    unsigned a = field(descriptor, 0);
    if (!across)
        a += mn % 8 * span + mn / 8 * stride +
             (swizzle ? k * elem_bytes : k / in_span * leading + k % in_span * elem_bytes);
    else if (swizzle)
        a += mn % in_span * elem_bytes + mn / in_span * leading + k % 8 * span + k / 8 * stride;
    else
        a += mn % in_span * elem_bytes + mn / in_span * stride + k % 8 * 16 + k / 8 * leading;
    return matrix_swizzled(a, swizzle);
}
