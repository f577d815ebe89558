/* SPDX-License-Identifier: MIT-0 */
/* wgmma.mma_async.sync.aligned: DTYPE_wgmma_N (tf32x3: one product of tf32) where a lies in registers, as DTYPE_mma has it for the 16 rows of each warp: g = t % 32 / 4, q = t % 4,
 *   16 bits: a[r]: row g + 8 * (r % 2), k = 2 * q + 8 * (r / 2) and, in the upper half, the next; 32 bits: row g + 8 * (r % 2), k = q + 4 * (r / 2) */
static __device__ __forceinline__ void DTYPE_wgmma_regs_N(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, int add)
{
#if EMULATOR
    dcgen_emu_wgmma(DTYPE_BF16 + 2 * (DTYPE_TF32 || DTYPE_TF32X3), N, d, 0, a, b, 0, add, __builtin_LINE());
#else
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, "
                 "%F, 0;\n" //@ repeat F = N / 2 + 5..N / 2 + 5
                 "wgmma.mma_async.sync.aligned."
#if DTYPE_TF32 || DTYPE_TF32X3
                 "m64n" "N" "k8.f32.tf32.tf32 {"
#else
                 "m64n" "N" "k16.f32.DTYPE.DTYPE {"
#endif
                 "%R, " //@ repeat R = 0..N / 2 - 2
                 "%R" //@ repeat R = N / 2 - 1..N / 2 - 1
                 "}, {%A, " //@ repeat A = N / 2..N / 2
                 "%A, " //@ repeat A = N / 2 + 1..N / 2 + 2
                 "%A}, " //@ repeat A = N / 2 + 3..N / 2 + 3
                 "%B, p, 1, 1" //@ repeat B = N / 2 + 4..N / 2 + 4
#if !DTYPE_TF32 && !DTYPE_TF32X3
                 ", 0"
#endif
                 ";\n}"
                 : "+f"(d[0])
                 , "+f"(d[R]) //@ repeat R = 1..N / 2 - 1
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
#endif
}
