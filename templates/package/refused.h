/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How a function of the package begins: it refuses extents that are not legal and operands that are missing, and has nothing to do where the output has
 * no elements. */
#endif
    if (!NAME_is_legal(AXES))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat derived
    if (OUTPUT_IS_EMPTY)
        return PACKAGE_OK;
//@ repeat operands
#if IS_STRIDED
    if (!NAME_are_strides(OPERAND_stride, NSTRIDE))
        return PACKAGE_BAD_EXTENT;
#endif
    if (!OPERAND && HAS_ELEMENTS)
        return PACKAGE_BAD_POINTER;
//@ end
