/* SPDX-License-Identifier: MIT-0 */
/* wgmma.mma_async.sync.aligned, M = 64, 32 bytes of k: starts d = a * b + (add ? d : 0) of a warpgroup, a 64 x k and b k x N of DTYPE in shared memory,
 * as wgmma_matrix says, both K-major. d is done behind wgmma_wait: thread t has of it, as d[i],
 *   row 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (t % 4) + i % 2 */
static __device__ __forceinline__ void DTYPE_wgmma_N(float (&d)[N / 2], uint64_t a, uint64_t b, int add)
{
#if EMULATOR
    dcgen_emu_wgmma(DTYPE_BF16 + 2 * DTYPE_TF32, N, d, a, NULL, b, 0, add, __builtin_LINE());
#else
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, "
                 "%F, 0;\n" //@ repeat F = N / 2 + 2..N / 2 + 2
                 "wgmma.mma_async.sync.aligned."
#if DTYPE_TF32
                 "m64n" "N" "k8"
#else
                 "m64n" "N" "k16"
#endif
                 ".f32.DTYPE.DTYPE {"
                 "%R, " //@ repeat R = 0..N / 2 - 2
                 "%R" //@ repeat R = N / 2 - 1..N / 2 - 1
                 "}, %A, " //@ repeat A = N / 2..N / 2
                 "%B, p, 1, 1" //@ repeat B = N / 2 + 1..N / 2 + 1
#if !DTYPE_TF32
                 ", 0, 0"
#endif
                 ";\n}"
                 : "+f"(d[0])
                 , "+f"(d[R]) //@ repeat R = 1..N / 2 - 1
                 : "l"(a), "l"(b), "r"(add));
#endif
}
