/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch_calls: calls of a package of the operator blur, whose name is NAME, with one to three threads and each of its
 * kernels, on exactly as much scratch memory as the package asks for. All values are whole numbers so small that every
 * kernel is exact. PARTS: how many copies of the weights a packed operand has. SCRATCH: 1 if the kernels need scratch
 * memory, else 0.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define IS(name) JOIN(NAME, name)
typedef struct IS(exec) Exec;

#define CHECK(it)                                             \
    do {                                                      \
        if (!(it)) {                                          \
            printf("line %d: not true: %s\n", __LINE__, #it); \
            exit(1);                                          \
        }                                                     \
    } while (0)

typedef struct {
    int64_t B, H, W, R, S;
    float *X, *F, *Y, *want;
    void *packed;
} Problem;

static float *numbers(int64_t n, int most)
{
    float *x = malloc((size_t)n * sizeof *x);
    CHECK(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)((i * 7 + i / 11) % (2 * most + 1) - most);
    return x;
}

static int64_t results(const Problem *p) { return p->B * (p->H - p->R + 1) * (p->W - p->S + 1); }

static void define(Problem *p)
{
    const int64_t P = p->H - p->R + 1, Q = p->W - p->S + 1;
    for (int64_t i = 0; i < results(p); i++) {
        p->want[i] = 0;
        for (int64_t t = 0; t < p->R * p->S; t++)
            p->want[i] += p->F[t / p->S] * p->X[(i / Q / P * p->H + i / Q % P + t / p->S) * p->W + i % Q + t % p->S];
    }
}

/* One call, in memory of that very size. */
static void call(const Problem *p, const Exec *exec, size_t bytes)
{
    void *workspace = malloc(bytes);
    CHECK(workspace || bytes == 0);
    memset(workspace, 0xff, bytes);
    memset(p->Y, 0xff, (size_t)results(p) * sizeof *p->Y);
    CHECK(NAME(p->B, p->H, p->W, p->R, p->S, p->X, p->packed, p->Y, workspace, exec) == IS(OK));
    for (int64_t i = 0; i < results(p); i++)
        CHECK(p->Y[i] == p->want[i]);
    free(workspace);
    CHECK(NAME(p->B, p->H, p->W, p->R, p->S, p->X, p->packed, p->Y, NULL, exec) == (bytes ? IS(BAD_POINTER) : IS(OK)));
}

/* Every kernel, with one to three threads: each piece of the call has as much as a call on one thread. */
static void call_all(Problem p, IS(pool) * pool)
{
    p.X = numbers(p.B * p.H * p.W, 5);
    p.F = numbers(p.R, 3);
    p.Y = numbers(results(&p), 1);
    p.want = numbers(results(&p), 1);
    define(&p);
    CHECK(IS(packed_bytes)(p.R) == PARTS * (size_t)p.R * sizeof(float));
    p.packed = malloc(IS(packed_bytes)(p.R));
    CHECK(IS(pack)(p.R, p.F, p.packed) == IS(OK));
    const double flops = 2. * (double)(p.B * (p.H - p.R + 1)) * (double)((p.W - p.S + 1) * p.R * p.S);
    for (int kernel = 0; kernel <= IS(nkernel)(); kernel++) {
        Exec exec = { .kernel = kernel };
        const size_t one = IS(workspace_bytes)(p.B, p.H, p.W, p.R, p.S, &exec);
        CHECK((one > 0) == SCRATCH);
        for (int threads = 1; threads <= 3; threads++) {
            exec = (Exec){ .kernel = kernel, .threads = threads, .parallel_for = IS(pool_run), .ctx = pool };
            const int used = IS(worthwhile)(threads, flops, IS(POOLED_FLOPS)),
                      pieces = used > 1 ? IS(pieces)(used, flops) : 1;
            const size_t bytes = IS(workspace_bytes)(p.B, p.H, p.W, p.R, p.S, &exec);
            CHECK(bytes == (size_t)pieces * one);
            if (!kernel || NAME(p.B, p.H, p.W, p.R, p.S, p.X, p.packed, p.Y, NULL, &exec) != IS(BAD_KERNEL))
                call(&p, &exec, bytes);
        }
    }
    free(p.X), free(p.F), free(p.Y), free(p.want), free(p.packed);
}

/* Where there is nothing to do, and where there is something wrong, no memory is asked for. */
static void ask_for_nothing(void)
{
    const Exec below = { .kernel = -1 }, above = { .kernel = IS(nkernel)() + 1 };
    float x[4] = { 0 };
    CHECK(IS(workspace_bytes)(0, 8, 8, 2, 2, NULL) == 0);
    CHECK(IS(workspace_bytes)(1, 1, 8, 2, 2, NULL) == 0);
    CHECK(IS(workspace_bytes)(1, 8, 0, 2, 2, NULL) == 0);
    CHECK(NAME(1, 1, 8, 2, 2, NULL, NULL, NULL, NULL, NULL) == IS(OK));
    CHECK(IS(workspace_bytes)(-1, 8, 8, 2, 2, NULL) == 0);
    CHECK(IS(workspace_bytes)(1, (int64_t)INT32_MAX + 1, 8, 2, 2, NULL) == 0);
    CHECK(IS(workspace_bytes)(INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, NULL) == 0);
    CHECK(IS(workspace_bytes)(1, 2, 2, 1, 1, &below) == 0);
    CHECK(IS(workspace_bytes)(1, 2, 2, 1, 1, &above) == 0);
    CHECK(NAME(1, 2, 2, 1, 1, x, x, x, NULL, &above) == IS(BAD_KERNEL));
}

/* The largest extents that are legal: the sum of all parts does not overflow. */
static void ask_for_much(void)
{
    const int64_t most = INT32_MAX;
    const Exec many = { .threads = INT32_MAX };
    const size_t one = IS(workspace_bytes)(most, most, most, 1, 1, NULL),
                 all = IS(workspace_bytes)(most, most, most, 1, 1, &many);
    CHECK(SCRATCH ? one >= 3 * (size_t)most && all >= 256 * one : one == 0 && all == 0);
}

int main(void)
{
    IS(pool) *pool = IS(pool_start)(3);
    call_all((Problem){ .B = 1, .H = 3, .W = 5, .R = 1, .S = 2 }, pool);
    call_all((Problem){ .B = 3, .H = 40, .W = 500, .R = 5, .S = 7 }, pool);
    call_all((Problem){ .B = 4, .H = 100, .W = 1000, .R = 5, .S = 7 }, pool); /* three threads do twelve pieces of it */
    ask_for_nothing();
    ask_for_much();
    IS(pool_stop)(pool);
    return 0;
}
