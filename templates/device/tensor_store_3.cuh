/* SPDX-License-Identifier: MIT-0 */
/* cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group: starts the copy of a box in shared memory to the map's tensor, as a part of the
 * thread's next bulk_commit. Its first element is (i0, i1, i2), i0 along the last extent; elements outside the tensor are left out. */
static __device__ __forceinline__ void tensor_store_3(const CUtensorMap *map, const void *smem, int i0, int i1, int i2)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(i0), "r"(i1), "r"(i2),
                 "r"((unsigned)__cvta_generic_to_shared(smem))
                 : "memory");
}
