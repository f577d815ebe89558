/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_check: each kernel of a file against the definition, on extents around every kind of tail, as one part and as three, no two of
 * which may write the same element. Behind an operand's last element begins memory that nobody may read. Behind the kernels, whose table is
 * `kernel`; HAS_BIAS, LAYOUT_KN and PACKED say what they are for. Exit code 0: all are right.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_M = 29, MOST_N = 200, MOST_K = 1100 };

static float X[MOST_M * MOST_K], W[MOST_N * MOST_K], bias[MOST_N], Y[MOST_M * MOST_N], written[MOST_M * MOST_N];
#if PACKED
static float packed[(MOST_N + 15) / 16 * pkg_PANEL(MOST_K)];
#endif

static void fill(float *x, int n, unsigned seed)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525U + 1013904223U;
        x[i] = (float)(seed >> 8) * 0x1p-23F - 1.0F;
    }
}

static int is_right(const pkg_args *a, int64_t m, int64_t n)
{
    double sum = HAS_BIAS ? bias[n] : 0, magnitude = fabs(sum);
    for (int64_t k = 0; k < a->K; k++) {
        const double term = (double)X[m * a->K + k] * W[LAYOUT_KN ? k * a->N + n : n * a->K + k];
        sum += term;
        magnitude += fabs(term);
    }
    return fabs(Y[m * a->N + n] - sum) <= (double)(a->K + 1) * 0x1p-24 * magnitude;
}

enum { AREA = 1 << 20, PAGE = 1 << 16 };
static char *area_of[3];
static int narea;

/* A copy of n floats whose end is the end of what may be read. */
static const float *guarded(const float *from, int64_t n)
{
    char *area = mmap(NULL, AREA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED || n * 4 > AREA || mprotect(area + AREA, PAGE, PROT_NONE) != 0)
        exit(2);
    area_of[narea++] = area;
    return memcpy(area + AREA - n * 4, from, (size_t)n * 4);
}

static int run_parts(int which, const pkg_args *a, int64_t ntask)
{
    for (int64_t i = 0; i < a->M * a->N; i++)
        written[i] = NAN;
    for (int64_t task = ntask - 1; task >= 0; task--) {
        for (int64_t i = 0; i < a->M * a->N; i++)
            Y[i] = NAN;
        if (kernel[which](a, task, ntask) != 0)
            return 1;
        for (int64_t i = 0; i < a->M * a->N; i++)
            if (!isnan(Y[i]) && !isnan(written[i]))
                return printf("kernel %d: two of %d parts write Y[%d]\n", which, (int)ntask, (int)i);
            else if (!isnan(Y[i]))
                written[i] = Y[i];
    }
    memcpy(Y, written, sizeof Y);
    return 0;
}

static int check(int which, int64_t M, int64_t N, int64_t K, int64_t ntask)
{
    pkg_args a = { .M = M, .N = N, .K = K, .X = guarded(X, M * K), .Y = Y };
#if PACKED
    if (pkg_pack(N, K, W, packed) != 0)
        return 1;
    a.W = guarded(packed, (int64_t)pkg_packed_bytes(N, K) / 4);
#else
    a.W = guarded(W, N * K);
#endif
#if HAS_BIAS
    a.bias = guarded(bias, N);
#endif
    const int code = run_parts(which, &a, ntask);
    while (narea > 0)
        munmap(area_of[--narea], AREA + PAGE);
    if (code != 0)
        return 1;
    for (int64_t i = 0; i < M * N; i++)
        if (!is_right(&a, i / N, i % N)) {
            printf("kernel %d: M=%d N=%d K=%d, %d parts: Y[%d] is wrong\n", which, (int)M, (int)N, (int)K, (int)ntask, (int)i);
            return 1;
        }
    return 0;
}

int main(void)
{
    static const int64_t extent[][3] = { { 1, 1, 1 },   { 2, 17, 3 },   { 3, 100, 8 },   { 5, 33, 39 },
                                         { 14, 48, 0 }, { 29, 200, 71 }, { 7, 16, 1100 }, { 13, 131, 530 } };
    enum { NKERNEL = sizeof kernel / sizeof *kernel, NEXTENT = sizeof extent / sizeof *extent };
    int wrong = 0;
    fill(X, MOST_M * MOST_K, 1), fill(W, MOST_N * MOST_K, 2), fill(bias, MOST_N, 3);
    for (int k = 0; k < NKERNEL; k++)
        for (int i = 0; i < NEXTENT; i++)
            for (int ntask = 1; ntask <= 3; ntask += 2)
                wrong += check(k, extent[i][0], extent[i][1], extent[i][2], ntask);
    return wrong != 0;
}
