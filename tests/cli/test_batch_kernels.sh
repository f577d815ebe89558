#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow,thorough timeout=180
#
# Kernels of batch_matmul for this CPU, called as a package calls them.
# - Those that pack operands on the stack compute with no memory there that nobody wrote. It would change no result, as what comes of it is not
#   stored, but where it holds denormal numbers each operation takes a hundred times as long. The CPU notes in MXCSR that it met one.
# - They are right where matrices are heads inside the rows of [tokens][12][64]: a kernel may treat rows that are so far apart in a way of its own.
. "$SRC/tests/cli/lib.sh"

cat >call.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask);

enum { BATCHES = 3, MOST = 128 * 128, HEAD = 64, ROW = 12 * HEAD, DENORMAL_MET = 2, ALL_MET = 0x3f };

static float A[128 * ROW], B[128 * ROW], Y[128 * ROW];

/* Leaves denormal numbers where the next call has its variables. */
static __attribute__((noinline)) void paint(void)
{
    volatile uint32_t stack[1 << 17];
    for (size_t i = 0; i < sizeof stack / sizeof *stack; i++)
        stack[i] = 1234567;
}

static int check(int64_t M, int64_t N, int64_t K)
{
    const int64_t extent[] = { 1, BATCHES, M, N, K, BATCHES * M * K, M * K, A_KM ? M : K, BATCHES * K * N, K * N, B_NK ? K : N,
                               BATCHES * M * N, M * N, N };
    for (int i = 0; i < BATCHES * MOST; i++)
        A[i] = B[i] = 1 + (float)(i % 7);
    paint();
    _mm_setcsr(_mm_getcsr() & ~(unsigned)ALL_MET);
    const int code = dcgen_run(extent, (void *[]){ A, B, Y }, NULL, 0, 1);
    const unsigned met = _mm_getcsr() & DENORMAL_MET;
    if (code || met)
        printf("M=%d N=%d K=%d: code %d%s\n", (int)M, (int)N, (int)K, code, met ? ", denormal numbers were met" : "");
    return code || met;
}

/* Whole numbers, so that sums are exact in any order. */
static int check_heads(int64_t M, int64_t N, int64_t K)
{
    const int64_t extent[] = { 1, BATCHES, M, N, K, 0, HEAD, ROW, 0, HEAD, ROW, 0, HEAD, ROW };
    int wrong = 0;
    for (int i = 0; i < 128 * ROW; i++) {
        A[i] = (float)(i * 7 % 11 - 5);
        B[i] = (float)(i * 5 % 13 - 6);
        Y[i] = -1;
    }
    wrong += dcgen_run(extent, (void *[]){ A, B, Y }, NULL, 0, 1) != 0;
    for (int64_t m = 0; m < M; m++)
        for (int64_t i = 0; i < ROW; i++) {
            const int64_t head = i / HEAD, n = i % HEAD;
            float want = 0;
            for (int64_t k = 0; k < K; k++)
                want += A[(A_KM ? k * ROW + m : m * ROW + k) + head * HEAD] * B[(B_NK ? n * ROW + k : k * ROW + n) + head * HEAD];
            wrong += Y[m * ROW + i] != (head < BATCHES && n < N ? want : -1);
        }
    if (wrong)
        printf("heads, M=%d N=%d K=%d: %d elements are wrong\n", (int)M, (int)N, (int)K, wrong);
    return wrong;
}

int main(void)
{
    static const int64_t sizes[] = { 1, 3, 4, 8, 11, 16, 21, 40, 43, 65, 100, 128 };
    int failed = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            failed += check(sizes[i], sizes[j], 64) + check(sizes[i], sizes[j], 7) + check(sizes[i], sizes[j], 128);
    for (int64_t size = 17; size <= 64; size += size < 60 ? 13 : 1) /* rows along k are no longer than a head */
        failed += check_heads(A_KM ? size : 2 * size, size, B_NK || !A_KM ? 64 : 2 * size) + check_heads(size, 64, 64) +
                  check_heads(A_KM ? 64 : 128, 50, 61);
    return failed > 0;
}
END

# kernel TARGET A B TEMPLATE NAME=VALUE...: A and B are layouts
kernel() {
    target=$1 a=$2 b=$3
    shift 3
    if [ "$target" != portable ] && ! grep -qwE "$target(bw)?" /proc/cpuinfo; then
        skipped "$* on a CPU without $target"
        return
    fi
    cat >spec.cfg <<SPEC
name = "stack"; op = "batch_matmul"; dtype = "f32"; target = ["$target"]; layout = { A = "$a"; B = "$b"; };
shapes = ( { B0 = 1; B1 = 3; M = 16; N = 16; K = 64; } );
SPEC
    run 0 try "$@" spec.cfg --templates "$SRC/templates" --dump source
    cp "$out" kernel.c
    cc -O2 -std=gnu17 -Wno-psabi -Werror=cast-qual "-DA_KM=$([ "$a" = KM ] && echo 1 || echo 0)" "-DB_NK=$([ "$b" = NK ] && echo 1 || echo 0)" call.c kernel.c -o call ||
        failed "cannot be compiled"
    ./call >told || failed "$* on $target, A $a, B $b: $(head -n 3 told)"
}

if [ "$(uname -m)" != x86_64 ]; then
    skipped "not an x86-64 CPU"
    exit 0
fi
section kernels
for b in NK KN; do
    kernel avx512 MK $b pack_bmm MR=8 NV=3 PF=0 HOLD=1 HALF=1
    kernel avx512 KM $b pack_bmm MR=12 NV=2 PF=1 HOLD=2 HALF=0
    kernel avx2 MK $b pack_bmm MR=4 NV=2 PF=1 HOLD=1 HALF=0
    kernel portable MK $b pack_bmm MR=4 NV=2 PF=1 HOLD=1 HALF=0
done
kernel avx512 MK KN direct_bmm MR=8 NV=3 PF=1 HOLD=1 HALF=1
kernel avx512 MK NK dot_bmm MR=4 NR=4
kernel portable MK NK dot_bmm MR=2 NR=4
