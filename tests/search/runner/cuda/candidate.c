/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate: a dense kernel for the fake GPU (fake.h), compiled once for each behaviour:
 *
 *   BEHAVIOUR 0 right   1 two kernels a call, through scratch memory   2 writes behind the output   3 writes an input
 *             4 leaves its counter   5 leaves an element   6 writes behind the scratch memory   7 packs W
 *             8 packs W, then spoils it   9 cannot be launched   10 illegal address   11 never ends   12 refuses
 *             13 fails without saying so   14 wrong unless operands are 16-byte aligned   15 segmentation fault
 *             16 as 14, and says so   17 refuses, and says why
 *             18 for a call: adds extent[0] to each of extent[1] words, by way of scratch memory
 *             19 the same, and writes behind the output   20 the same, and changes the input
 *             21 wrong after 100 calls   22 writes nothing after 100 calls   23 writes behind the output after 100
 *             calls   24 gives other bits each time, all within the tolerance
 *             25 takes 2.3 s to load   26 takes 1.3 s to start its first call   27 right, but leaves its counter
 *
 * It takes TAKES_NS nanoseconds, 4000 unless said.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "tests/search/runner/cuda/fake.h"

#ifndef HAS_BIAS
#define HAS_BIAS 0
#endif
#ifndef TAKES_NS
#define TAKES_NS 4000
#endif
#if BEHAVIOUR == 16
const int dcgen_aligned = 16;
#endif
#if BEHAVIOUR == 17
const char *dcgen_why(int code) { return code == -3 ? "not on a Sunday" : "?"; }
#endif

enum { cudaErrorInvalidValue = 1, cudaErrorIllegalAddress = 700 };
int cudaMalloc(void **p, size_t bytes);

#if BEHAVIOUR == 25
static __attribute__((constructor)) void load(void) { usleep(2300000); }
#endif

typedef struct {
    int64_t M, N, K;
    float *X, *W, *bias, *Y, *scratch, *counters;
} Args;

static void compute(const Args *a)
{
    for (int64_t m = 0; m < a->M; m++)
        for (int64_t n = 0; n < a->N; n++) {
            float sum = HAS_BIAS ? a->bias[n] : 0;
            for (int64_t k = 0; k < a->K; k++)
                sum += a->X[m * a->K + k] * a->W[n * a->K + k];
            a->Y[m * a->N + n] = sum;
        }
}

static void run(void *arg)
{
    Args *a = arg;
    const int64_t last = a->M * a->N - 1;
    static int ncall;
    float kept = a->Y ? a->Y[last] : 0;
    const bool worn = ++ncall > 100;
    if (BEHAVIOUR != 22 || !worn)
        compute(a);
    switch (BEHAVIOUR) {
    case 2:
        a->Y[last + 1] = 1;
        break;
    case 3:
        a->X[0] += 1;
        break;
    case 4:
        a->Y[0] += a->counters[0];
        a->counters[0] += 1;
        break;
    case 5:
        a->Y[last] = kept;
        break;
    case 27:
        a->counters[0] += 1;
        break;
    case 6:
        a->scratch[64] = 1;
        break;
    case 8:
        a->W[1] += 1;
        break;
    case 10:
        fake_fault(cudaErrorIllegalAddress);
        break;
    case 11:
        fake_hang();
        break;
    case 14:
    case 16:
        a->Y[0] += (uintptr_t)a->Y % 16 ? 1 : 0;
        break;
    case 21:
        a->Y[0] += worn;
        break;
    case 23:
        a->Y[last + (worn ? 2 : 0)] = a->Y[last];
        break;
    case 24:
        a->Y[0] += (float)(ncall % 2) * 1e-6f;
        break;
    case 15:
        *(volatile int *)8 = 1;
        break;
    default:
        break;
    }
}

#if BEHAVIOUR == 1
/* The parts of a call: the first leaves its sums in scratch memory, the second stores them. */
static void run_first(void *arg)
{
    Args a = *(Args *)arg;
    a.Y = a.scratch;
    compute(&a);
    a.counters[0] += 1;
}

static void run_second(void *arg)
{
    Args *a = arg;
    for (int64_t i = 0; i < a->M * a->N; i++)
        a->Y[i] = a->scratch[i] * a->counters[0]; /* the counter is 1, or the result is wrong */
    a->counters[0] = 0;
}
#endif

#if BEHAVIOUR >= 18 && BEHAVIOUR <= 20
static void add(void *arg)
{
    Args *a = arg;
    for (int64_t i = 0; i < a->N; i++)
        ((int *)a->scratch)[i] = ((int *)a->X)[i];
    for (int64_t i = 0; i < a->N + (BEHAVIOUR == 19); i++)
        ((int *)a->W)[i] = ((int *)a->scratch)[i] + (int)a->M;
    ((int *)a->X)[0] += BEHAVIOUR == 20;
}
#define run add
#endif

int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    Args a = { extent[0], extent[1], extent[2], operand[0], operand[1], operand[2], operand[2 + HAS_BIAS],
               scratch,   counters };
    static int nlaunch;
    if (!stream)
        return cudaErrorInvalidValue;
    if (BEHAVIOUR == 26 && nlaunch++ == 0)
        usleep(1300000);
    if (BEHAVIOUR == 9)
        return cudaErrorInvalidValue;
    if (BEHAVIOUR == 12 || BEHAVIOUR == 17)
        return -3;
    if (BEHAVIOUR == 13)
        cudaMalloc((void **)&a.scratch, (size_t)1 << 40); /* fails */
#if BEHAVIOUR == 1
    fake_launch(run_first, &a, sizeof a, TAKES_NS);
    fake_launch(run_second, &a, sizeof a, TAKES_NS);
#endif
    if (BEHAVIOUR != 1)
        fake_launch(run, &a, sizeof a, TAKES_NS);
    return 0;
}

#if BEHAVIOUR == 7 || BEHAVIOUR == 8
int64_t dcgen_packed_bytes(const int64_t *extent) { return extent[1] * extent[2] * (int64_t)sizeof(float); }

int dcgen_pack(const int64_t *extent, const void *w, void *packed)
{
    memcpy(packed, w, (size_t)dcgen_packed_bytes(extent));
    return 0;
}
#endif

int64_t dcgen_scratch(const int64_t *extent, int64_t ntask)
{
    (void)ntask;
    if (BEHAVIOUR >= 18 && BEHAVIOUR <= 20)
        return extent[0] == 77 ? -1 : 4 * extent[1];
    return BEHAVIOUR == 1 ? extent[0] * extent[1] * 4 : BEHAVIOUR == 6 ? 256 : 0;
}

int64_t dcgen_counters(const int64_t *extent)
{
    (void)extent;
    return BEHAVIOUR == 1 || BEHAVIOUR == 4 || BEHAVIOUR == 27 ? 256 : 0;
}
