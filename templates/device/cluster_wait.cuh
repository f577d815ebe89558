/* SPDX-License-Identifier: MIT-0 */
/* barrier.cluster.wait.acquire: waits until all threads of the cluster's blocks have arrived. */
static __device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
