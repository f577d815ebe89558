/* SPDX-License-Identifier: MIT-0 */
/* cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group: starts the copy of a box in shared memory to the map's tensor, as a part of the
 * thread's next bulk_commit. Its first element is (i0, i1), i0 along the last extent; elements outside the tensor are left out. */
static __device__ __forceinline__ void tensor_store_2(const CUtensorMap *map, const void *smem, int i0, int i1)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(i0), "r"(i1),
                 "r"((unsigned)__cvta_generic_to_shared(smem))
                 : "memory");
}
