/* SPDX-License-Identifier: MIT-0 */
/* Vectors of VECTOR_BYTES, as GNU C has them: operators work on each lane, and a comparison gives ints, -1 or 0. */
typedef float PACKAGE_floats_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t PACKAGE_ints_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
