/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The packed operand of one function in a file: for CPUs and GPUs. */
#endif
#if HAS_PACKING_HASH
/* A hash of how NAME is packed. */
#define NAME_PACKED_AS "PACKING_HASH"

#endif
/* What files of this operand begin with: one of another operand, type or way of packing is refused. */
static PACKAGE_file_head NAME_packed_head(PACK_EXTENTS, size_t bytes)
{
    const int64_t extents[] = { PACK_AXES };
    return PACKAGE_file_head_of("OP_NAME, EACH(packed_operands, OPERAND of STORED): " NAME_PACKED_AS, extents, sizeof extents, bytes);
}

int CALL_packed_header(PACK_EXTENTS, const void *packed, void *header)
{
    const size_t bytes = CALL_packed_bytes(PACK_AXES);
    if (bytes == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || !header)
        return PACKAGE_BAD_POINTER;
    PACKAGE_file_head head = NAME_packed_head(PACK_AXES, bytes);
    PACKAGE_file_seal(&head, PACKAGE_file_sum(packed, bytes));
    memcpy(header, &head, sizeof head);
    return PACKAGE_OK;
}

int CALL_packed_check(PACK_EXTENTS, const void *file, size_t bytes, int whole)
{
    const size_t packed_bytes = CALL_packed_bytes(PACK_AXES);
    if (packed_bytes == 0)
        return PACKAGE_BAD_EXTENT;
    if (!file)
        return PACKAGE_BAD_POINTER;
    PACKAGE_file_head head = NAME_packed_head(PACK_AXES, packed_bytes);
    return PACKAGE_file_is(&head, file, bytes, whole) ? PACKAGE_OK : PACKAGE_BAD_PACKED;
}
