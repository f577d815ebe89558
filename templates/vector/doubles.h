/* SPDX-License-Identifier: MIT-0 */
/* Half as many numbers of twice the digits, and their bits; and half a vector of floats. */
#ifndef DCGEN
#pragma once
#include "standalone.h"
#endif
typedef double PACKAGE_doubles_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t PACKAGE_longs_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t PACKAGE_double_bits_MACHINE __attribute__((vector_size(VECTOR_BYTES))); /* for sums that may pass over the ends of integers */
typedef float PACKAGE_half_floats_MACHINE __attribute__((vector_size(VECTOR_BYTES / 2)));
