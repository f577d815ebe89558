/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the filters of conv1d are packed, for packed_filters.c. */
#endif
/* CONSTANT packed: [ceil(O/4)][C][R][4], four channels of Y side by side, zero beyond channel O. */
size_t NAME_packed_bytes(PACK_EXTENTS)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    uint64_t floats = (uint64_t)(O + 3) / 4 * 4;
    if (__builtin_mul_overflow(floats, (uint64_t)C, &floats) || __builtin_mul_overflow(floats, (uint64_t)R, &floats) ||
        floats > PTRDIFF_MAX / sizeof(float))
        return 0;
    return (size_t)floats * sizeof(float);
}

int NAME_pack(PACK_EXTENTS, const CONSTANT_TYPE *CONSTANT, void *packed)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    if (O == 0 || C == 0)
        return PACKAGE_OK;
    if (NAME_packed_bytes(PACK_AXES) == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || !CONSTANT)
        return PACKAGE_BAD_POINTER;
    float *to = packed;
    for (int64_t o = 0; o < O; o += 4)
        for (int64_t i = 0; i < C * R; i++)
            for (int64_t k = o; k < o + 4; k++)
                *to++ = k < O ? CONSTANT[k * C * R + i] : 0;
    return PACKAGE_OK;
}
