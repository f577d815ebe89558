/* SPDX-License-Identifier: Apache-2.0
 *
 * timing: how many samples a kernel has, in which order they are taken, on a machine that is made up: its
 * clock and the times of samples are this file's.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <string.h>
#include "gen/base/process.h"
#include "search/runner/runner.h"

enum { KERNELS = 3, MOST = 100, MS = 1000000, LOG_BYTES = 400 };

/* ---- the machine ---- */

static double now_ns;
static double made_ns[KERNELS][MOST]; /* of the n-th sample of a kernel; 0: as the one before */
static int taken[KERNELS];
static Kernel kernel[KERNELS];
static char order[LOG_BYTES];
static const void *scratch;

double process_clock_ns(void) { return now_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

static double made(const double *list, int n)
{
    while (n > 0 && list[n] == 0)
        n--;
    return list[n];
}

/* A sample takes a millisecond. */
void sample_take(Kernel *k, const SampleSetting *c)
{
    const int64_t i = k - kernel;
    scratch = c->scratch;
    now_ns += MS;
    k->ns[k->nsample++] = made(made_ns[i], taken[i]++);
}

void sample_calibrate(Kernel *k, const SampleSetting *c) { k->call_ns = made_ns[k - kernel][0]; }

static void begin(void *ctx, int which)
{
    const size_t n = strlen(order);
    if (n + 1 < sizeof order)
        order[n] = (char)('0' + which);
}

static int make(void **state)
{
    now_ns = 5e9;
    memset(made_ns, 0, sizeof made_ns);
    memset(taken, 0, sizeof taken);
    memset(kernel, 0, sizeof kernel);
    memset(order, 0, sizeof order);
    for (int i = 0; i < KERNELS; i++)
        made_ns[i][0] = 1000;
    return 0;
}

static Timing asked(int repeats)
{
    return (Timing){ .threads = 1, .repeats = repeats, .sample_ns = MS, .max_ns = 1e9, .keep = -1, .begin = begin };
}

static void time_them(int n, const Timing *t)
{
    static const Shape shape;
    assert_true(kernels_time(kernel, n, NULL, &shape, t));
}

/* ---- rounds ---- */

/* Every other round goes backwards; before all of them each kernel is called until it is warm. */
TEST(kernels_take_turns)
{
    const Timing t = asked(4);
    kernel[1].status = STATUS_WRONG;
    time_them(3, &t);
    assert_string_equal(order, "02"
                               "02"
                               "20"
                               "02"
                               "20");
    assert_int_equal(kernel[0].nsample, 4);
    assert_int_equal(kernel[1].nsample, 0);
}

TEST(a_short_request_has_three_samples)
{
    static const struct {
        int repeats;
        double max_ns;
        int want;
    } cases[] = { { 5, 0, 3 }, { 5, 3.5 * MS, 4 }, { 5, 4 * MS, 4 }, { 2, 0, 2 }, { 1, 0, 1 }, { 5, 1e9, 5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(NULL);
        Timing t = asked(cases[i].repeats);
        t.max_ns = cases[i].max_ns;
        time_them(1, &t);
        assert_int_equal(kernel[0].nsample, cases[i].want);
    }
}

/* Out of the running: what takes 1.5 times as long as the fastest, by the least of its samples. */
TEST(who_is_out_has_two_samples)
{
    static const struct {
        double ns[2];
        double drop;
        int keep, want;
    } cases[] = {
        { { 1600, 1600 }, 1.5, -1, 2 }, { { 1600, 1600 }, 0, -1, 5 },   { { 1600, 1600 }, 1.5, 1, 5 },
        { { 1500, 1500 }, 1.5, -1, 5 }, { { 2000, 1500 }, 1.5, -1, 5 }, { { 9000, 1600 }, 1.5, -1, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(NULL);
        Timing t = asked(5);
        t.drop = cases[i].drop;
        t.keep = cases[i].keep;
        memcpy(made_ns[1], cases[i].ns, sizeof cases[i].ns);
        made_ns[2][0] = 1; /* the fastest of all, and wrong: it drops nobody */
        kernel[2].status = STATUS_WRONG;
        time_them(3, &t);
        assert_int_equal(kernel[0].nsample, 5);
        if (kernel[1].nsample != cases[i].want)
            fail_msg("case %d: %d samples, not %d", (int)i, kernel[1].nsample, cases[i].want);
    }
}

/* As many samples as a record holds; what lies behind them in a kernel stays as it is. */
TEST(as_many_samples_as_a_record_holds)
{
    json_t *more = json_true();
    const Timing t = asked(RECORD_MAX_SAMPLE);
    for (int i = 0; i < MOST; i++)
        made_ns[0][i] = 1000 + 100 * i;
    kernel[0].more = more;
    time_them(1, &t);
    assert_int_equal(kernel[0].nsample, RECORD_MAX_SAMPLE);
    assert_true(kernel[0].ns[0] == 1000 && kernel[0].more == more);
}

/* One scratch memory for all, as large as any kernel wants that is timed. */
TEST(the_largest_scratch_serves_all)
{
    const Timing t = asked(1);
    scratch = NULL;
    time_them(2, &t);
    assert_null(scratch);
    kernel[0].nsample = 0;
    kernel[0].scratch_bytes = 100;
    kernel[2].scratch_bytes = (int64_t)1 << 50; /* no machine has that, and nobody asks for it */
    kernel[2].status = STATUS_INVALID;
    time_them(3, &t);
    assert_non_null(scratch);
    kernel[2].status = STATUS_OK;
    assert_false(kernels_time(kernel, 3, NULL, &(Shape){ 0 }, &t));
}

TEST_EACH(make, NULL)
