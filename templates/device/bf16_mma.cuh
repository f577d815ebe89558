/* SPDX-License-Identifier: MIT-0 */
/* mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32: a warp's d += a * b, a 16 x 16, b 16 x 8 of bf16, d 16 x 8.
 * With g = lane / 4, q = lane % 4:
 *   a[r]: row g + 8*(r%2), k = 2*q + 8*(r/2) and, in the upper half, the next
 *   b[r]: column g, k = 2*q + 8*r and the next
 *   d[i]: row g + 8*(i/2), column 2*q + i%2 */
static __device__ __forceinline__ void bf16_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
