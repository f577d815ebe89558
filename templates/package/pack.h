/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What a package's header says of packing, for a candidate for CPUs. */
#endif
size_t NAME_packed_bytes(PACK_EXTENTS);
int NAME_pack(PACK_EXTENTS, EACH(packed_operands, C_TYPE *OPERAND), void *packed);
