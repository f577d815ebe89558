/* SPDX-License-Identifier: MIT-0 */
/* cp.async.wait_group: waits until at most the last `groups` groups of this thread's copies are unfinished. Other
 * threads see the data behind a __syncthreads() that follows. */
template <int groups> static __device__ __forceinline__ void cp_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(groups) : "memory");
}
