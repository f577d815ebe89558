/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the weights of blur are packed. */
#endif
/* CONSTANT packed: [R] as they are and, where a kernel reads that part, [R] from the last one to the first. */
size_t NAME_packed_bytes(PACK_EXTENTS)
{
    return ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST) ? 0 : (size_t)(R << TURNED) * sizeof(float);
}

int NAME_pack(PACK_EXTENTS, const CONSTANT_TYPE *CONSTANT, void *packed)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    if (!packed || !CONSTANT)
        return PACKAGE_BAD_POINTER;
    for (int64_t r = 0; r < R; r++) {
        ((float *)packed)[r] = CONSTANT[r];
#if TURNED
        ((float *)packed)[R + r] = CONSTANT[R - 1 - r];
#endif
    }
    return PACKAGE_OK;
}
