/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* In a function of the package: refuses a call whose output lies over an input (overlap.h). */
#endif
    const PACKAGE_block block[] = {
//@ repeat operands
#if IS_CONSTANT && PACKED
        { OPERAND, 1, 1, { (int64_t)CALL_packed_bytes(PACK_AXES) }, NULL, 0 },
#elif IS_STRIDED
        { OPERAND, sizeof(C_TYPE), RANK, { EACH(shape, ALONG) }, OPERAND_stride, MAY_BE_OUTPUT },
#else
        { OPERAND, sizeof(C_TYPE), RANK, { EACH(shape, ALONG) }, NULL, MAY_BE_OUTPUT },
#endif
//@ end
    };
#if OUTPUT_IS_STRIDED
    if (!PACKAGE_is_distinct(&block[OUTPUT_ARGUMENT]))
        return PACKAGE_BAD_OVERLAP;
#endif
    if (PACKAGE_overlap(block, NARGUMENT, OUTPUT_ARGUMENT))
        return PACKAGE_BAD_OVERLAP;
