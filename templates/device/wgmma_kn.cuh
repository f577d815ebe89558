/* SPDX-License-Identifier: MIT-0 */
/* wgmma.mma_async.sync.aligned: DTYPE_wgmma_N where b is MN-major: a row in shared memory is one k. */
static __device__ __forceinline__ void DTYPE_wgmma_kn_N(float (&d)[N / 2], uint64_t a, uint64_t b, int add)
{
#if EMULATOR
    dcgen_emu_wgmma(DTYPE_BF16 + 2 * DTYPE_TF32, N, d, a, NULL, b, 1, add, __builtin_LINE());
#else
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, "
                 "%F, 0;\n" //@ repeat F = N / 2 + 2..N / 2 + 2
                 "wgmma.mma_async.sync.aligned."
                 "m64n" "N" "k16"
                 ".f32.DTYPE.DTYPE {"
                 "%R, " //@ repeat R = 0..N / 2 - 2
                 "%R" //@ repeat R = N / 2 - 1..N / 2 - 1
                 "}, %A, " //@ repeat A = N / 2..N / 2
                 "%B, p, 1, 1" //@ repeat B = N / 2 + 1..N / 2 + 1
                 ", 0, 1"
                 ";\n}"
                 : "+f"(d[0])
                 , "+f"(d[R]) //@ repeat R = 1..N / 2 - 1
                 : "l"(a), "l"(b), "r"(add));
#endif
}
