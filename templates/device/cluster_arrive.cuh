/* SPDX-License-Identifier: MIT-0 */
/* barrier.cluster.arrive.release: every thread of the cluster's blocks arrives; what it did before is seen behind cluster_wait. */
static __device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
