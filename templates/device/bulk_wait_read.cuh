/* SPDX-License-Identifier: MIT-0 */
/* cp.async.bulk.wait_group.read: waits until all but the thread's last `groups` groups of tensor stores have read shared memory. */
template <int groups> static __device__ __forceinline__ void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}
