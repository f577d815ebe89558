/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_check: each kernel of the table `kernel` against the definition, on extents around every kind of tail, as one
 * part and as three, no two of which may write the same element, and none more than `busiest`. Nobody may touch what
 * lies behind an operand or before the output. Infinities in W reach their elements alone. HAS_BIAS, LAYOUT_W_KN and
 * PACKED say what the kernels are for. Exit code 0: all are right.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel_extents.h"

static float X[MOST_M * MOST_K], W[MOST_N * MOST_K], bias[MOST_N], written[MOST_M * MOST_N];
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

#if PACKED
/* Panels of 16 columns, K + 3 rows each; zero where W has nothing. */
static int is_packed(int64_t N, int64_t K)
{
    for (int64_t i = 0; i < (N + 15) / 16 * (K + 3) * 16; i++) {
        const int64_t n = i / 16 / (K + 3) * 16 + i % 16, k = i / 16 % (K + 3);
        if (packed[i] != (n < N && k < K ? W[LAYOUT_W_KN ? k * N + n : n * K + k] : 0))
            return 0;
    }
    return pkg_packed_bytes(N, K) == (K ? (size_t)((N + 15) / 16 * (K + 3) * 16 * 4) : 0);
}
#endif

static int is_right(const pkg_args *a, int64_t m, int64_t n)
{
    double sum = HAS_BIAS ? bias[n] : 0, magnitude = fabs(sum);
    for (int64_t k = 0; k < a->K; k++) {
        const double term = (double)X[m * a->K + k] * W[LAYOUT_W_KN ? k * a->N + n : n * a->K + k];
        sum += term;
        magnitude += fabs(term);
    }
    const double y = written[m * a->N + n];
    return isinf(sum) ? y == sum : fabs(y - sum) <= (double)(a->K + 1) * 0x1p-24 * magnitude;
}

/* Every third column of W gets an infinity, each in another row; or what it was. */
static void put_infinities(int64_t N, int64_t K, int there)
{
    static float was[MOST_N];
    for (int64_t n = 0; n < N && K; n += 3) {
        const int64_t k = K - 1 - 7 * n % K;
        float *w = &W[LAYOUT_W_KN ? k * N + n : n * K + k];
        if (there)
            was[n] = *w;
        *w = there ? INFINITY : was[n];
    }
}

enum { AREA = 1 << 20, PAGE = 1 << 16 };
static char *area_of[4];
static int narea;

/* Room for n floats whose end is the end of what may be read. */
static float *room(int64_t n)
{
    char *area = mmap(NULL, AREA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED || n * 4 > AREA || mprotect(area + AREA, PAGE, PROT_NONE) != 0)
        exit(2);
    area_of[narea++] = area;
    return (float *)(area + AREA - n * 4);
}

static const float *guarded(const float *from, int64_t n) { return memcpy(room(n), from, (size_t)n * 4); }

/* One of the parts, on an output of NaNs; what it wrote goes to `written`. */
static int run_part(int which, const pkg_args *a, int64_t task, int64_t ntask, int64_t most)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->M * a->N; i++)
        a->Y[i] = NAN;
    if (kernel[which](a, task, ntask) != 0)
        return 1;
    for (int64_t i = 0; i < a->M * a->N; i++) {
        if (isnan(a->Y[i]))
            continue;
        if (!isnan(written[i]))
            return printf("kernel %d: two of %d parts write Y[%d]\n", which, (int)ntask, (int)i);
        written[i] = a->Y[i];
        n++;
    }
    return ntask == PARTS && n > most ? printf("kernel %d: a part of %d writes %d elements\n", which, PARTS, (int)n)
                                      : 0;
}

enum { BEFORE = 64 };

static int run_parts(int which, const pkg_args *a, int64_t ntask, int64_t most)
{
    int code = 0;
    for (int64_t i = 0; i < a->M * a->N; i++)
        written[i] = NAN;
    for (int64_t task = ntask - 1; task >= 0 && !code; task--)
        code = run_part(which, a, task, ntask, most);
    for (int i = 1; i <= BEFORE && !code; i++)
        if (a->Y[-i] != 0)
            code = printf("kernel %d: writes before Y\n", which);
    return code;
}

static int check_as_it_is(int which, int i_extent, int64_t ntask)
{
    const int64_t M = kernel_extent[i_extent][0], N = kernel_extent[i_extent][1], K = kernel_extent[i_extent][2];
    pkg_args a = { .M = M, .N = N, .K = K, .X = guarded(X, M * K), .Y = room(M * N) };
#if PACKED
    memset(packed, 0xff, sizeof packed);
    if (pkg_pack(N, K, W, packed) != 0 || (K && !is_packed(N, K)))
        return printf("N=%d K=%d: W is not packed as it should be\n", (int)N, (int)K);
    a.W = guarded(packed, (int64_t)pkg_packed_bytes(N, K) / 4);
#else
    a.W = guarded(W, N * K);
#endif
#if HAS_BIAS
    a.bias = guarded(bias, N);
#endif
    const int code = run_parts(which, &a, ntask, busiest[which][i_extent]);
    while (narea > 0)
        munmap(area_of[--narea], AREA + PAGE);
    if (code != 0)
        return 1;
    for (int64_t i = 0; i < M * N; i++)
        if (!is_right(&a, i / N, i % N)) {
            printf("kernel %d: M=%d N=%d K=%d, %d parts: Y[%d] is wrong\n", which, (int)M, (int)N, (int)K, (int)ntask,
                   (int)i);
            return 1;
        }
    return 0;
}

static int check(int which, int i_extent, int64_t ntask, int infinities)
{
    const int64_t N = kernel_extent[i_extent][1], K = kernel_extent[i_extent][2];
    if (infinities)
        put_infinities(N, K, 1);
    const int code = check_as_it_is(which, i_extent, ntask);
    if (infinities)
        put_infinities(N, K, 0);
    return code;
}

int main(void)
{
    enum { NKERNEL = sizeof kernel / sizeof *kernel };
    int wrong = 0;
    fill(X, MOST_M * MOST_K, 1), fill(W, MOST_N * MOST_K, 2), fill(bias, MOST_N, 3);
    for (int k = 0; k < NKERNEL; k++)
        for (int i = 0; i < NEXTENT; i++)
            for (int ntask = 1; ntask <= PARTS; ntask += PARTS - 1)
                wrong += check(k, i, ntask, ntask > 1) != 0;
    return wrong != 0;
}
