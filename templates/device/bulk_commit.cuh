/* SPDX-License-Identifier: MIT-0 */
/* cp.async.bulk.commit_group: the tensor stores that this thread started since the last one are a group. */
static __device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
