/* SPDX-License-Identifier: MIT-0 */
/* The block's dynamic shared memory, whose size the launch gives; its first byte is aligned to 128. */
static __device__ __forceinline__ unsigned char *shared_memory()
{
    extern __shared__ __align__(128) unsigned char block_memory[];
    return block_memory;
}
