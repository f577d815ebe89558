/* SPDX-License-Identifier: MIT-0 */
/* Where p lies in the block's shared window: the 32-bit address that PTX takes for the .shared state space. */
static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
