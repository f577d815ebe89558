/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: how often a kernel is called and what counts of it, by clocks that are made up: each call takes as long as this file says.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gen/base/flush.h"
#include "gen/base/process.h"
#include "search/runner/runner.h"
#include "templates/package/pool.h"

enum { COLD_BYTES = 256 << 10 };
static double now_ns, call_ns[8]; /* of a call, by its hundreds: of calls 0 to 99, 100 to 199 ... */
static atomic_int ncall, ntask;
static uint64_t tasks; /* a bit each that was called */
static void *seen_operand, *seen_workspace;

double process_clock_ns(void) { return now_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

static int run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t n)
{
    (void)extent;
    const int call = atomic_fetch_add(&ncall, 1);
    if (n == 1)
        now_ns += call_ns[call / 100 < 8 ? call / 100 : 7];
    atomic_store(&ntask, (int)n);
    __atomic_fetch_or(&tasks, (uint64_t)1 << task, __ATOMIC_RELAXED);
    seen_operand = operand[1];
    seen_workspace = workspace;
    return task == 5 ? 7 : 0;
}

static const Setup setup = { .noperand = 2, .constant = 1 };
static Shape shape;
static Timing timing;
static SampleSetting setting;
static Kernel k;

static int make(void **state)
{
    (void)state;
    now_ns = 0;
    for (int i = 0; i < 8; i++)
        call_ns[i] = 1000;
    ncall = 0;
    tasks = 0;
    shape = (Shape){ .flops = 2 };
    timing = (Timing){ .threads = 1, .repeats = 5, .sample_ns = 20000 };
    setting = (SampleSetting){ &setup, &shape, &timing, &now_ns };
    k = (Kernel){ .run = run };
    return 0;
}

/* The first call says nothing; then twice as many each time until a millisecond is over. */
TEST(calls_until_it_is_warm)
{
    call_ns[0] = 9e5; /* of a hundred */
    k.call_ns = -1;
    sample_calibrate(&k, &setting);
    assert_int_equal(ncall, 1 + 1 + 2);
    assert_true(k.call_ns == 9e5);
    assert_int_equal(k.calls, 1);
    make(NULL);
    sample_calibrate(&k, &setting);
    assert_int_equal(ncall, 1 + 1023);
    assert_int_equal(k.calls, 20);
    assert_int_equal(k.nsample, 0);
    make(NULL);
    timing.sample_ns = 20001;
    sample_calibrate(&k, &setting);
    assert_int_equal(k.calls, 21);
}

/* A call of more than 5 ms is a sample by itself, where one is wanted and asks for no more than that. */
TEST(a_long_call_is_a_sample)
{
    static const struct {
        double ns, sample_ns;
        int repeats, nsample, ncall;
    } cases[] = { { 6e6, 20000, 5, 1, 1 }, { 6e6, 20000, 0, 0, 2 }, { 5e6, 20000, 5, 0, 2 }, { 6e6, 7e6, 5, 0, 2 } };
    for (int i = 0; i < 4; i++) {
        make(NULL);
        call_ns[0] = cases[i].ns;
        timing.sample_ns = cases[i].sample_ns;
        timing.repeats = cases[i].repeats;
        sample_calibrate(&k, &setting);
        assert_int_equal(k.nsample, cases[i].nsample);
        assert_int_equal(ncall, cases[i].ncall);
        if (k.nsample)
            assert_true(k.ns[0] == cases[i].ns);
        assert_true(k.call_ns == cases[i].ns);
        const int before = ncall;
        sample_take(&k, &setting); /* what is so long needs no call before it */
        assert_int_equal(ncall - before, k.calls > 1 ? 1 + k.calls : 1);
    }
}

/* One call for the caches, then slices of 20 us, of which the fastest counts. */
TEST(the_fastest_slice_counts)
{
    k.calls = 300;
    k.call_ns = 200; /* a hundred of them */
    call_ns[0] = 270;
    call_ns[1] = 230;
    call_ns[2] = 250;
    call_ns[3] = 100; /* one call of the last slice comes here */
    sample_take(&k, &setting);
    assert_int_equal(ncall, 301);
    assert_int_equal(k.nsample, 1);
    assert_true(k.ns[0] > 230 && k.ns[0] < 231);
    k.call_ns = 1e5; /* each call its own slice */
    k.calls = 2;
    sample_take(&k, &setting);
    assert_true(k.ns[1] == 100);
    assert_int_equal(ncall, 304);
    assert_int_equal(k.nsample, 2);
}

/* How long it takes to read the operand, on a clock that is not made up. */
static double read_operand_ns(void)
{
    struct timespec from, to;
    volatile const char *at = seen_operand;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t i = 0; i < COLD_BYTES; i += 64)
        at[i];
    clock_gettime(CLOCK_MONOTONIC, &to);
    return 1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec);
}

static double least_read_ns;

static int run_reader(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t n)
{
    const int code = run(extent, operand, workspace, task, n);
    least_read_ns = fmin(least_read_ns, read_operand_ns());
    return code;
}

/* Where caches are cold the operand comes from memory in each call, and each is timed alone; it stays as it is. */
TEST(a_cold_operand_comes_from_memory)
{
    double least_ns[2];
    char *packed = malloc(COLD_BYTES);
    if (!flush_line())
        skip();
    memset(packed, 7, COLD_BYTES);
    for (int cold = 0; cold < 2; cold++) {
        make(NULL);
        timing.cold = cold;
        k.run = run_reader;
        k.packed = packed;
        k.packed_size = COLD_BYTES;
        k.calls = 20;
        k.call_ns = call_ns[0] = 1e3; /* so that a slice has all of them */
        least_read_ns = INFINITY;
        sample_take(&k, &setting);
        least_ns[cold] = least_read_ns;
        assert_int_equal(ncall, 21);
        assert_true(k.ns[0] == 1e3);
    }
    print_message("%d KiB are read in %.0f ns, and in %.0f when they are cold\n", COLD_BYTES >> 10, least_ns[0],
                  least_ns[1]);
    assert_true(least_ns[1] > 1.5 * least_ns[0]);
    for (int i = 0; i < COLD_BYTES; i++)
        assert_int_equal(packed[i], 7);
    free(packed);
}

TEST(a_kernel_has_what_it_asks_for)
{
    int packed;
    k.calls = 1;
    shape.operand[1].data = &shape;
    sample_take(&k, &setting);
    assert_ptr_equal(seen_operand, &shape);
    assert_null(seen_workspace);
    k.packed = &packed;
    k.workspace_bytes = 8;
    sample_take(&k, &setting);
    assert_ptr_equal(seen_operand, &packed);
    assert_ptr_equal(seen_workspace, &now_ns);
}

/* All parts, each once, whoever calls them; a part that fails is the call's failure. */
TEST(a_call_in_parts)
{
    void *operand[OP_MAX_OPERAND] = { 0 }, *pool = PACKAGE_pool_start(3);
    shape = (Shape){ .flops = 2e9 };
    assert_int_equal(kernel_call(&k, &shape, operand, NULL, NULL, 1), 0);
    assert_true(ncall == 1 && ntask == 1);
    ncall = 0;
    tasks = 0;
    const int code = kernel_call(&k, &shape, operand, NULL, pool, 3);
    assert_true(ntask >= 3 && ncall == ntask && tasks == ((uint64_t)1 << ntask) - 1);
    assert_int_equal(code, ntask > 5 ? 7 : 0);
    PACKAGE_pool_stop(pool);
}

/* A small call is not worth more threads, whatever the request has; a large one is. */
TEST(small_calls_stay_alone)
{
    timing.threads = 3;
    timing.pool = PACKAGE_pool_start(3);
    k.calls = 1;
    sample_take(&k, &setting);
    assert_int_equal(ntask, 1);
    shape = (Shape){ .flops = 2e9 };
    sample_take(&k, &setting);
    assert_true(ntask >= 3);
    PACKAGE_pool_stop(timing.pool);
}

TEST_EACH(make, NULL)
