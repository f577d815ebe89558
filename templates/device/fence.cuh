/* SPDX-License-Identifier: MIT-0 */
/* fence.sc.gpu: what this thread wrote before is seen by the whole device before what it writes later. */
static __device__ __forceinline__ void fence()
{
    __threadfence();
}
