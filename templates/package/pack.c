/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the constant operand is packed where the operator says nothing else. */
#endif
/* CONSTANT packed: its elements as they lie. */
size_t NAME_packed_bytes(PACK_EXTENTS)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat constants
    (void)AXIS; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat packed_derived
//@ repeat operands
#if IS_CONSTANT
    const int64_t along[] = { EACH(shape, ALONG) };
#endif
//@ end
    uint64_t bytes = sizeof(CONSTANT_TYPE);
    for (size_t k = 0; k < sizeof along / sizeof *along; k++) {
        if (along[k] <= 0 || bytes > PTRDIFF_MAX / (uint64_t)along[k])
            return 0;
        bytes *= (uint64_t)along[k];
    }
    return (size_t)bytes;
}

int NAME_pack(PACK_EXTENTS, const CONSTANT_TYPE *CONSTANT, void *packed)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat constants
    (void)AXIS; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat packed_derived
//@ repeat operands
#if IS_CONSTANT
    if (!(HAS_ELEMENTS))
        return PACKAGE_OK;
#endif
//@ end
    const size_t bytes = NAME_packed_bytes(PACK_AXES);
    if (bytes == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || !CONSTANT)
        return PACKAGE_BAD_POINTER;
    memcpy(packed, CONSTANT, bytes);
    return PACKAGE_OK;
}
