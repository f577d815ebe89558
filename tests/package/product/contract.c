/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: what the package NAME promises at the edges of its API: bad extents, no extents, no operands, bad kernels,
 * operands that are barely aligned or end where memory ends, any number of threads, a parallel_for that does less or
 * more than it should, a thread that is cancelled. Exit code 0: it holds.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#include "NAME_pool.h"
#include "NAME_problem.h"

static const int64_t bad_extents[] = { -1, -16, INT64_MIN, (int64_t)INT32_MAX + 1, INT64_C(1) << 32, INT64_MAX };
enum { NBAD = sizeof bad_extents / sizeof *bad_extents };

static int call(int64_t M, int64_t N, int64_t K, const NAME_problem *p, const NAME_exec *exec)
{
    NAME_problem q = *p;
    q.M = M, q.N = N, q.K = K;
    return NAME_problem_call(&q, exec);
}

static void extents_out_of_range(const NAME_problem *p)
{
    for (int i = 0; i < NBAD; i++) {
        const int64_t bad = bad_extents[i];
        for (int axis = 0; axis < 3; axis++) {
            const int64_t M = axis == 0 ? bad : p->M, N = axis == 1 ? bad : p->N, K = axis == 2 ? bad : p->K;
            CHECK(call(M, N, K, p, NULL) == NAME_BAD_EXTENT);
            CHECK(NAME_choose(M, N, K) == -1);
        }
#if NAME_W_PACKED
        CHECK(NAME_packed_bytes(bad, p->K) == 0 && NAME_packed_bytes(p->N, bad) == 0);
        CHECK(NAME_pack(bad, p->K, p->W, p->packed) == NAME_BAD_EXTENT);
        CHECK(NAME_pack(p->N, bad, p->W, p->packed) == NAME_BAD_EXTENT);
#endif
    }
}

/* Any legal extents have a kernel, whether or not there is memory for operands of that size. */
static void every_extent_has_a_kernel(void)
{
    static const int64_t some[] = { 0, 1, 2, 24, 25, 48, 64, 65, 4096, INT32_MAX - 1, INT32_MAX };
    enum { NSOME = sizeof some / sizeof *some };
    for (int i = 0; i < NSOME * NSOME * NSOME; i++) {
        const int kernel = NAME_choose(some[i % NSOME], some[i / NSOME % NSOME], some[i / NSOME / NSOME]);
        CHECK(kernel >= 0 && kernel < NAME_nkernel());
    }
}

/* A size is never less than the elements need: where it would not fit size_t, it is 0 and nothing can be packed. */
static void sizes_do_not_wrap_around(const NAME_problem *p)
{
#if NAME_W_PACKED
    static const int64_t some[] = { 1, 15, 16, 17, 1 << 16, 1 << 30, INT32_MAX - 16, INT32_MAX - 1, INT32_MAX };
    enum { NSOME = sizeof some / sizeof *some };
    for (int i = 0; i < NSOME * NSOME; i++) {
        const int64_t N = some[i % NSOME], K = some[i / NSOME];
        const size_t bytes = NAME_packed_bytes(N, K);
        if (bytes == 0) {
            CHECK((double)N * (double)K * 4 > (double)PTRDIFF_MAX / 2);
            CHECK(NAME_pack(N, K, p->W, p->packed) == NAME_BAD_EXTENT);
        } else {
            CHECK(bytes <= PTRDIFF_MAX && (double)bytes >= (double)N * (double)K * 4);
        }
    }
    static const int64_t deep[] = { 1 << 30, (1 << 30) + 1, INT32_MAX - 1, INT32_MAX };
    for (int i = 0; i < 4; i++) { /* the widest that memory could hold, and the next */
        const size_t panel = NAME_packed_bytes(16, deep[i]);
        const int64_t panels = panel ? (int64_t)(PTRDIFF_MAX / panel) : 0, N = 16 * panels;
        if (N > INT32_MAX - 1)
            continue;
        CHECK(NAME_packed_bytes(N, deep[i]) == (size_t)panels * panel);
        CHECK(NAME_packed_bytes(N + 1, deep[i]) == 0);
        CHECK(NAME_pack(N + 1, deep[i], p->W, p->packed) == NAME_BAD_EXTENT);
    }
#endif
    (void)p;
}

static int on_every_kernel(const NAME_problem *p, NAME_exec exec)
{
    int wrong = 0;
    for (exec.kernel = 0; exec.kernel <= NAME_nkernel(); exec.kernel++)
        wrong += !NAME_problem_solves_or(p, &exec, NAME_BAD_KERNEL);
    return wrong;
}

/* It is missed where the kernel that is chosen has one. */
static void no_workspace(const NAME_problem *p)
{
    NAME_problem q = *p;
    q.workspace = NULL;
    CHECK(NAME_problem_call(&q, NULL) == (NAME_workspace_bytes(p->M, p->N, p->K, NULL) ? NAME_BAD_POINTER : NAME_OK));
}

/* One call with some operands NULL: bits 0 to 3 of `absent` are X, W, bias, Y. Those without elements are not missed; a
 * call without results looks at none. */
static void call_without(const NAME_problem *p, int absent, int kernel)
{
    const NAME_exec exec = { .kernel = kernel, .threads = absent % 2 ? 3 : 1 };
    const int64_t elements[] = { p->M * p->K, p->N * p->K, p->bias ? p->N : 0, p->M * p->N };
    NAME_problem q = *p;
    bool missed = false;
    for (int i = 0; i < 4; i++)
        missed = missed || (absent >> i & 1 && elements[i] > 0 && elements[3] > 0);
    for (int64_t i = 0; i < elements[3]; i++)
        p->Y[i] = NAN;
    q.X = absent & 1 ? NULL : q.X;
    q.packed = absent & 2 ? NULL : q.packed;
    q.bias = absent & 4 ? NULL : q.bias;
    q.Y = absent & 8 ? NULL : q.Y;
    const int code = NAME_problem_call(&q, &exec);
    CHECK(code == (missed ? NAME_BAD_POINTER : NAME_OK) || (!missed && kernel && code == NAME_BAD_KERNEL));
    CHECK(code != NAME_OK || NAME_problem_right(p));
    for (int64_t i = 0; code != NAME_OK && i < elements[3]; i++)
        CHECK(isnan(p->Y[i]));
}

/* Every operand present and absent, at every extent 0 and not. Where K is 0 the sum is empty. */
static void absent_operands(void)
{
    static const int64_t some[] = { 0, 1, 5, 37 }, widths[] = { 0, 1, 37, 144 };
    for (int i = 0; i < 64; i++) {
        NAME_problem p = NAME_problem_new(some[i % 4], widths[i / 4 % 4], some[i / 16]);
        for (int absent = 0; absent < 16; absent++)
            for (int kernel = 0; kernel <= NAME_nkernel(); kernel++)
                call_without(&p, absent, kernel);
#if NAME_W_PACKED
        CHECK((NAME_packed_bytes(p.N, p.K) == 0) == (p.N * p.K == 0));
        for (int absent = 1; absent < 4; absent++)
            CHECK(NAME_pack(p.N, p.K, absent & 1 ? NULL : p.W, absent & 2 ? NULL : p.packed) ==
                  (p.N * p.K > 0 ? NAME_BAD_POINTER : NAME_OK));
#endif
        NAME_problem_free(&p);
    }
}

static void kernels_by_number(const NAME_problem *p)
{
    static const int bad[] = { INT_MIN, INT_MIN + 1, -2, -1, INT_MAX };
    const int n = NAME_nkernel();
    int ran = 0;
    CHECK(n >= 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(NAME_problem_call(p, &(NAME_exec){ .kernel = bad[i] }) == NAME_BAD_KERNEL);
    CHECK(NAME_problem_call(p, &(NAME_exec){ .kernel = n + 1 }) == NAME_BAD_KERNEL);
    CHECK(!NAME_kernel_text(-1) && !NAME_kernel_text(n) && !NAME_kernel_text(INT_MAX) && !NAME_kernel_text(INT_MIN));
    for (int k = 0; k < n; k++) {
        CHECK(strlen(NAME_kernel_text(k)) > 0);
        for (int j = 0; j < k; j++)
            CHECK(strcmp(NAME_kernel_text(j), NAME_kernel_text(k)) != 0);
        const int code = NAME_problem_call(p, &(NAME_exec){ .kernel = k + 1 });
        CHECK(code == NAME_OK || code == NAME_BAD_KERNEL);
        ran += code == NAME_OK;
    }
    CHECK(ran >= 1);
    CHECK(NAME_problem_call(p, &(NAME_exec){ .kernel = 1 + NAME_choose(p->M, p->N, p->K) }) == NAME_OK);
    CHECK(NAME_problem_call(p, &(NAME_exec){ .kernel = n }) == NAME_OK); /* the portable one */
}

static void every_code_has_a_text(void)
{
    static const struct {
        int code;
        const char *text;
    } row[] = { { 0, "no error" },
                { NAME_BAD_EXTENT, "an extent is negative or above 2147483647" },
                { NAME_BAD_POINTER, "a pointer is NULL" },
                { NAME_BAD_KERNEL, "no such kernel in this package, or it is not for this CPU or call" },
                { NAME_BAD_OVERLAP, "the output overlaps an input" } };
    static const int unknown[] = { 4, 8, INT_MIN, INT_MAX, 9 };
    const char *no_code = NAME_strerror(-1);
    CHECK(NAME_OK == 0 && strlen(no_code) > 0);
    for (size_t i = 0; i < 5; i++) {
        CHECK(strcmp(NAME_strerror(row[i].code), row[i].text) == 0 && strcmp(row[i].text, no_code) != 0);
        CHECK(strcmp(NAME_strerror(unknown[i]), no_code) == 0);
    }
#if NAME_W_PACKED
    CHECK(strcmp(NAME_strerror(NAME_BAD_PACKED), no_code) != 0);
#endif
}

/* ---- threads ---- */

static int most_parts;

/* Legal for a parallel_for: one after the other, last first. */
static void backwards(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    (void)ctx;
    if (n > most_parts)
        most_parts = n;
    for (int i = n - 1; i >= 0; i--)
        body(arg, i);
}

static void any_number_of_threads(void)
{
    static const int threads[] = { INT_MIN, -1, 0, 1, 2, 7, 256, 1000, INT_MAX };
    NAME_problem small = NAME_problem_new(3, 17, 9), medium = NAME_problem_new(48, 161, 129),
                 large = NAME_problem_new(96, 301, 301);
    NAME_pool *pool = NAME_pool_start(3);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        const NAME_exec way[] = { { .threads = threads[i], .parallel_for = backwards },
                                  { .threads = threads[i], .parallel_for = NAME_pool_run, .ctx = pool },
                                  { .threads = threads[i] } };
        for (int w = 0; w < 3; w++) {
            most_parts = 0;
            CHECK(NAME_problem_solves(&small, &way[w]));
            CHECK(most_parts == 0);                                                 /* too little work to share out */
            CHECK(NAME_problem_solves(w < 2 || i % 2 ? &medium : &large, &way[w])); /* large: worth new threads */
            CHECK(most_parts <= 256 && most_parts <= (threads[i] > 1 ? threads[i] : 0));
            CHECK(w > 0 || threads[i] < 2 || most_parts >= 2);
        }
    }
    for (int n = 2; n <= 7; n += 5)
        CHECK(on_every_kernel(&medium, (NAME_exec){ .threads = n, .parallel_for = backwards }) == 0);
    NAME_pool_stop(pool);
    NAME_problem_free(&small);
    NAME_problem_free(&medium);
    NAME_problem_free(&large);
}

/* A plan is the call, for another time: with the codes of the call, then carried out by whoever has a copy, on what the
 * operands hold by then. */
static void plans(void)
{
    NAME_problem p = NAME_problem_new(48, 161, 129), q = p, empty = NAME_problem_new(0, 17, 9);
    NAME_plan plan, copy;
    const NAME_exec bad = { .kernel = NAME_nkernel() + 1 };
    for (int kernel = 0; kernel <= NAME_nkernel(); kernel++)
        for (int threads = 1; threads <= 3; threads += 2) {
            NAME_exec exec = { .threads = threads, .parallel_for = backwards, .kernel = kernel };
            const int code = NAME_prepare(NAME_GIVEN((&p)), &exec, &plan);
            CHECK(code == NAME_OK || (kernel && code == NAME_BAD_KERNEL && NAME_problem_call(&p, &exec) == code));
            if (code != NAME_OK)
                continue;
            CHECK(kernel ? plan.kernel == kernel - 1 : threads > 1 || plan.kernel == NAME_choose(p.M, p.N, p.K));
            exec.parallel_for = NULL; /* the plan keeps what it was told */
            q.workspace = plan.scratch_bytes ? NAME_take(plan.scratch_bytes) : NULL;
            CHECK(!plan.scratch_bytes || NAME_execute(&plan, NULL) == NAME_BAD_POINTER);
            memcpy(&copy, &plan, sizeof plan);
            memset(&plan, 0xff, sizeof plan);
            for (int again = 0; again < 2; again++) {
                for (int64_t i = 0; i < p.M * p.N; i++)
                    p.Y[i] = NAN;
                most_parts = 0;
                CHECK(NAME_execute(&copy, q.workspace) == NAME_OK && NAME_problem_right(&p));
                CHECK(threads == 1 ? most_parts == 0 : most_parts >= 2);
            }
            free(q.workspace);
        }
    copy = plan;
    q = p, q.X = NULL;
    CHECK(NAME_prepare(NAME_GIVEN((&q)), NULL, &plan) == NAME_BAD_POINTER);
    q = p, q.K = -1;
    CHECK(NAME_prepare(NAME_GIVEN((&q)), NULL, &plan) == NAME_BAD_EXTENT);
    q = p, q.Y = p.X;
    CHECK(NAME_prepare(NAME_GIVEN((&q)), NULL, &plan) == NAME_BAD_OVERLAP);
    CHECK(NAME_prepare(NAME_GIVEN((&p)), &bad, &plan) == NAME_BAD_KERNEL && memcmp(&copy, &plan, sizeof plan) == 0);
    CHECK(NAME_prepare(NAME_GIVEN((&empty)), &bad, &plan) == NAME_OK && plan.kernel == -1 && plan.scratch_bytes == 0);
    CHECK(NAME_execute(&plan, NULL) == NAME_OK);
    NAME_problem_free(&p);
    NAME_problem_free(&empty);
}

typedef void Body(void *arg, int i);

static void run_none(void *ctx, int n, Body *body, void *arg) { (void)ctx, (void)n, (void)body, (void)arg; }

static void run_last(void *ctx, int n, Body *body, void *arg)
{
    (void)ctx;
    body(arg, n - 1);
}

static void run_twice(void *ctx, int n, Body *body, void *arg)
{
    backwards(ctx, n, body, arg);
    backwards(ctx, n, body, arg);
}

typedef struct {
    Body *body;
    void *arg;
} Job;

static void *run_job(void *job)
{
    const Job *j = job;
    j->body(j->arg, 0);
    return NULL;
}

/* The first part alone, on another thread, while this one waits. */
static void run_first_elsewhere(void *ctx, int n, Body *body, void *arg)
{
    Job job = { body, arg };
    pthread_t thread;
    (void)ctx, (void)n;
    if (pthread_create(&thread, NULL, run_job, &job))
        abort();
    pthread_join(thread, NULL);
}

static jmp_buf before;

static void run_and_leave(void *ctx, int n, Body *body, void *arg)
{
    if (ctx)
        body(arg, n - 1);
    longjmp(before, 1);
}

/* Whatever a parallel_for leaves out is done; one that is left by a jump leaves nothing behind. */
static void careless_parallel_for(void)
{
    void (*const way[])(void *, int, Body *, void *) = { run_none, run_last, run_twice, run_first_elsewhere };
    NAME_problem p = NAME_problem_new(48, 161, 65); /* work for three */
    for (int i = 0; i < 4; i++)
        CHECK(on_every_kernel(&p, (NAME_exec){ .threads = 3, .parallel_for = way[i] }) == 0);
    for (volatile int i = 0; i < 2; i++) {
        const NAME_exec leave = { .threads = 3, .parallel_for = run_and_leave, .ctx = i ? &p : NULL };
        if (setjmp(before) == 0) {
            NAME_problem_call(&p, &leave);
            CHECK(!"left by a jump");
        }
        CHECK(on_every_kernel(&p, (NAME_exec){ .threads = 3, .parallel_for = backwards }) == 0);
    }
    NAME_problem_free(&p);
}

static const NAME_exec new_threads = { .threads = 3 };
static bool has_returned;

/* A call whose thread was cancelled before: it ends at the first point where it may, which lies behind the call. */
static void *call_cancelled(void *problem)
{
    pthread_cancel(pthread_self());
    has_returned = NAME_problem_solves(problem, &new_threads) == 1;
    pthread_testcancel();
    return NULL;
}

static void cancelled_thread(void)
{
    NAME_problem p = NAME_problem_new(192, 512, 128); /* enough for new threads */
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, call_cancelled, &p) == 0);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED && has_returned);
    NAME_problem_free(&p);
}

/* ---- where operands lie ---- */

static char *guarded(size_t bytes, size_t page, size_t *whole)
{
    *whole = (bytes + page - 1) / page * page + 2 * page;
    char *p = mmap(NULL, *whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, *whole - 2 * page, PROT_READ | PROT_WRITE))
        abort();
    return p;
}

enum { NOPERAND = 4 };
typedef struct {
    char *map;
    size_t whole;
} Guard;

/* Moves an operand to where one element before it (at_end: behind it) cannot be read. */
static void *move(const void *from, size_t bytes, bool at_end, Guard *g)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    g->map = guarded(bytes, page, &g->whole);
    char *to = at_end ? g->map + g->whole - page - bytes : g->map + page;
    memcpy(to, from, bytes);
    return to;
}

static size_t weight_bytes(const NAME_problem *p)
{
#if NAME_W_PACKED
    return NAME_packed_bytes(p->N, p->K);
#else
    return (size_t)(p->N * p->K) * sizeof(float);
#endif
}

static void at_the_edge_of_memory(const NAME_problem *p, bool at_end)
{
    Guard g[NOPERAND] = { { NULL, 0 } };
    NAME_problem q = *p;
    q.X = move(p->X, (size_t)(p->M * p->K) * sizeof(float), at_end, &g[0]);
    q.packed = move(p->packed, weight_bytes(p), at_end, &g[1]);
    q.Y = move(p->Y, (size_t)(p->M * p->N) * sizeof(float), at_end, &g[2]);
    if (p->bias)
        q.bias = move(p->bias, (size_t)p->N * sizeof(float), at_end, &g[3]);
    CHECK(on_every_kernel(&q, (NAME_exec){ 0 }) == 0);
    CHECK(on_every_kernel(&q, (NAME_exec){ .threads = 3, .parallel_for = backwards }) == 0);
#if NAME_W_PACKED
    Guard gw;
    float *w = move(p->W, (size_t)(p->N * p->K) * sizeof(float), at_end, &gw);
    memset(q.packed, 0xff, weight_bytes(p));
    CHECK(NAME_pack(p->N, p->K, w, q.packed) == NAME_OK);
    CHECK(NAME_problem_solves(&q, NULL));
    munmap(gw.map, gw.whole);
#endif
    for (int i = 0; i < NOPERAND; i++)
        if (g[i].map)
            munmap(g[i].map, g[i].whole);
}

/* No operand aligned to more than an element, and each to another one. */
static void barely_aligned(const NAME_problem *p)
{
    const struct {
        const void *from;
        size_t bytes;
    } operand[NOPERAND] = { { p->X, (size_t)(p->M * p->K) * sizeof(float) },
                            { p->packed, weight_bytes(p) },
                            { p->bias, p->bias ? (size_t)p->N * sizeof(float) : 0 },
                            { p->Y, (size_t)(p->M * p->N) * sizeof(float) } };
    char *memory[NOPERAND], *at[NOPERAND];
    NAME_problem q = *p;
    for (int i = 0; i < NOPERAND; i++) {
        memory[i] = NAME_take(operand[i].bytes + 128);
        at[i] = memory[i] + (64 - (uintptr_t)memory[i] % 64) + 4 * (i + 1);
        if (operand[i].bytes)
            memcpy(at[i], operand[i].from, operand[i].bytes);
    }
    q.X = (float *)(void *)at[0];
    q.packed = at[1];
    q.bias = p->bias ? (float *)(void *)at[2] : NULL;
    q.Y = (float *)(void *)at[3];
    CHECK(on_every_kernel(&q, (NAME_exec){ 0 }) == 0);
#if NAME_W_PACKED
    CHECK(NAME_pack(p->N, p->K, p->W, q.packed) == NAME_OK);
    CHECK(NAME_problem_solves(&q, NULL));
#endif
    for (int i = 0; i < NOPERAND; i++)
        free(memory[i]);
}

static void operands_anywhere(void)
{
    static const int64_t extents[][3] = { { 1, 1, 1 },    { 1, 15, 3 },   { 2, 17, 5 },  { 3, 31, 7 },   { 5, 33, 31 },
                                          { 7, 49, 13 },  { 9, 47, 63 },  { 13, 65, 2 }, { 14, 129, 9 }, { 15, 95, 65 },
                                          { 29, 16, 17 }, { 33, 3, 101 }, { 48, 80, 33 } };
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        NAME_problem p = NAME_problem_new(extents[i][0], extents[i][1], extents[i][2]);
        at_the_edge_of_memory(&p, false);
        at_the_edge_of_memory(&p, true);
        barely_aligned(&p);
        NAME_problem_free(&p);
    }
}

/* Special values go through as the definition says: no kernel drops or invents one. */
static void special_values(void)
{
    NAME_problem p = NAME_problem_new(9, 33, 5);
    p.X[2 * p.K + 1] = INFINITY;
    p.X[4 * p.K + 3] = NAN;
    for (int k = 0; k <= NAME_nkernel(); k++) {
        if (NAME_problem_call(&p, &(NAME_exec){ .kernel = k }) == NAME_BAD_KERNEL)
            continue;
        for (int64_t i = 0; i < p.M * p.N; i++) {
            const int64_t m = i / p.N;
            CHECK(m == 4 ? isnan(p.Y[i]) : m == 2 ? isinf(p.Y[i]) : isfinite(p.Y[i]));
        }
    }
    NAME_problem_free(&p);
}

int main(void)
{
    NAME_problem p = NAME_problem_new(24, 48, 64);
    extents_out_of_range(&p);
    every_extent_has_a_kernel();
    sizes_do_not_wrap_around(&p);
    no_workspace(&p);
    absent_operands();
    kernels_by_number(&p);
    every_code_has_a_text();
    any_number_of_threads();
    plans();
    careless_parallel_for();
    cancelled_thread();
    operands_anywhere();
    special_values();
    NAME_problem_free(&p);
    return NAME_failures != 0;
}
