/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix: where wgmma finds its operands in shared memory; see matrix.c.
 */
#ifndef DCGEN_EMU_MATRIX_H
#define DCGEN_EMU_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the descriptor's swizzle: 0, 32, 64, 128. */
unsigned matrix_swizzle(uint64_t descriptor);

/* Where what lies at an address of the shared window is when it is swizzled by so many bytes. */
uint32_t matrix_swizzled(uint32_t address, unsigned swizzle);

/* The address in the shared window of the element in row (of A) or column (of B) mn at k. across: the operand lies
 * along mn ("MN-major"), not along k. */
uint32_t matrix_address(uint64_t descriptor, unsigned elem_bytes, bool across, unsigned mn, unsigned k);

#endif
