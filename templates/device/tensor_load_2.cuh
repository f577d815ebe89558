/* SPDX-License-Identifier: MIT-0 */
/* cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes: starts the copy of a box of the map's tensor to shared memory,
 * whose bytes the barrier's phase waits for. Its first element is (i0, i1), i0 along the last extent; elements outside the tensor are 0. */
static __device__ __forceinline__ void tensor_load_2(void *smem, const CUtensorMap *map, uint64_t *bar, int i0, int i1)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     (unsigned)__cvta_generic_to_shared(smem)),
                 "l"(map), "r"(i0), "r"(i1), "r"((unsigned)__cvta_generic_to_shared(bar))
                 : "memory");
}
