/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the weights of words and their scales are packed, for byte_rows.c. */
#endif
/* CONSTANTS packed: [KW][N] words, and behind these [N] floats. */
size_t NAME_packed_bytes(PACK_EXTENTS)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat packed_derived
    uint64_t bytes = (uint64_t)(KW + 1) * 4;
    return __builtin_mul_overflow(bytes, (uint64_t)N, &bytes) || bytes > PTRDIFF_MAX ? 0 : (size_t)bytes;
}

int NAME_pack(PACK_EXTENTS, EACH(packed_operands, C_TYPE *OPERAND), void *packed)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat packed_derived
    if (N == 0)
        return PACKAGE_OK;
    if (NAME_packed_bytes(PACK_AXES) == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || (!W && KW > 0) || !scale)
        return PACKAGE_BAD_POINTER;
    int32_t *to = packed;
    for (int64_t i = 0; i < KW; i++)
        for (int64_t n = 0; n < N; n++)
            *to++ = W[n * KW + i];
    memcpy(to, scale, (size_t)N * sizeof *scale);
    return PACKAGE_OK;
}
