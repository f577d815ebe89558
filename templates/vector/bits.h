/* SPDX-License-Identifier: MIT-0 */
/* The bits of vectors, for sums that may pass over the ends of integers: those of ints must not. */
#ifndef DCGEN
#pragma once
#endif
typedef uint32_t PACKAGE_bits_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
