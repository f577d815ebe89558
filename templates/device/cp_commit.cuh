/* SPDX-License-Identifier: MIT-0 */
/* cp.async.commit_group: the thread's copies since the last one become a group, which may be empty. */
static __device__ __forceinline__ void cp_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
