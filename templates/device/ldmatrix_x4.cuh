/* SPDX-License-Identifier: MIT-0 */
/* ldmatrix.sync.aligned.m8n8.x4.shared.b16: the warp loads 4 matrices of 8 x 8 16-bit elements.
 * Lanes 8i..8i+7 point at the 16-byte rows of matrix i. In r[i], of matrix i,
 * lane l receives elements 2*(l%4), 2*(l%4)+1 of row l/4. */
static __device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *smem_row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(smem_row))
                 : "memory");
}
