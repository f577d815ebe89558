/* SPDX-License-Identifier: Apache-2.0
 *
 * sample: how often a kernel is called and what counts of it, by clocks that are made up: each call takes as long as
 * this file says.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <math.h>
#include <stdatomic.h>
#include "gen/base/flush.h"
#include "gen/base/process.h"
#include "search/runner/runner.h"
#include "templates/package/pool.h"

static void note_flush(const void *at, size_t bytes);
#define flush note_flush
#include "search/runner/sample.c" /* here, so that what it flushes is counted */

static double now_ns, call_ns[8]; /* of a call, by its hundreds: of calls 0 to 99, 100 to 199 ... */
static atomic_int ncall, ntask;
static uint64_t tasks; /* a bit each that was called */
static void *seen_operand, *seen_scratch;

double process_clock_ns(void) { return now_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

static int run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t n)
{
    const int call = atomic_fetch_add(&ncall, 1);
    if (n == 1)
        now_ns += call_ns[call / 100 < 8 ? call / 100 : 7];
    atomic_store(&ntask, (int)n);
    __atomic_fetch_or(&tasks, (uint64_t)1 << task, __ATOMIC_RELAXED);
    seen_operand = operand[1];
    seen_scratch = scratch;
    return task == 5 ? 7 : 0;
}

static int nflush;
static Kernel k;

/* It takes long, and comes before each call. */
static void note_flush(const void *at, size_t bytes)
{
    assert_true(at == k.packed && bytes == (size_t)k.packed_size && nflush++ == ncall);
    now_ns += 1e6;
}

static const Setup setup = { .noperand = 2, .constant = 1 };
static Shape shape;
static Timing timing;
static SampleSetting setting;

static int make(void **state)
{
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

/* Where caches are cold the operand leaves them before each call, outside of its time, and each call is timed alone. */
TEST(a_cold_operand_leaves_the_caches)
{
    static char packed[256];
    for (int cold = 0; cold < 2; cold++) {
        timing.cold = cold;
        k = (Kernel){ .run = run, .packed = packed, .packed_size = sizeof packed, .calls = 20, .call_ns = 1e3 };
        ncall = nflush = 0;
        sample_take(&k, &setting); /* of one slice that has all of them */
        assert_int_equal(ncall, 21);
        assert_int_equal(nflush, cold ? 21 : 0);
        assert_true(k.ns[0] == 1e3);
    }
}

TEST(a_kernel_has_what_it_asks_for)
{
    int packed;
    k.calls = 1;
    shape.operand[1].data = &shape;
    sample_take(&k, &setting);
    assert_ptr_equal(seen_operand, &shape);
    assert_null(seen_scratch);
    k.packed = &packed;
    k.scratch_bytes = 8;
    sample_take(&k, &setting);
    assert_ptr_equal(seen_operand, &packed);
    assert_ptr_equal(seen_scratch, &now_ns);
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
