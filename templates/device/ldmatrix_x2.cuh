/* SPDX-License-Identifier: MIT-0 */
/* ldmatrix.sync.aligned.m8n8.x2.shared.b16: the warp loads 2 matrices of 8 x 8 16-bit elements. Lanes 0..7 and
 * 8..15 point at the 16-byte rows of the first and second matrix; the pointers of lanes 16..31 are not used. In
 * r[i], of matrix i, lane l receives elements 2*(l%4), 2*(l%4)+1 of row l/4. */
static __device__ __forceinline__ void ldmatrix_x2(unsigned (&r)[2], const void *smem_row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"((unsigned)__cvta_generic_to_shared(smem_row))
                 : "memory");
}
