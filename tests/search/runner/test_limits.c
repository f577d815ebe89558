/* SPDX-License-Identifier: Apache-2.0
 *
 * limits, of a runner: which buffer stands for which level, in which ways it is read, what counts of it and when it
 * ends. Rates and clock are made up.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <string.h>
#include "gen/base/process.h"
#include "search/runner/limits.h"
#include "search/runner/peak.h"

enum { MOST = 400, MOST_REQUESTS = 30, KIB = 1 << 10, MIB = 1 << 20 };

struct PeakIsa {
    int unused;
};
static const struct PeakIsa isa;
static double now_ns, gflops[8];
static int nfma, nread, threads_seen;
static struct {
    size_t bytes;
    int way;
} read[MOST];

double process_clock_ns(void) { return now_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

double peak_fma_gflops(const PeakIsa *i, int threads, double sample_ns)
{
    assert_true(i == &isa && sample_ns == 300000);
    threads_seen = threads;
    now_ns += sample_ns;
    return gflops[nfma++ % 8];
}

double peak_read_gbs(const PeakIsa *i, const void *buffer, size_t bytes, int threads, int way, double sample_ns)
{
    assert_true(i == &isa && sample_ns == 300000 && threads == threads_seen && nread < MOST);
    assert_true(((const char *)buffer)[0] == 1 && ((const char *)buffer)[bytes - 1] == 1); /* pages of its own */
    read[nread].bytes = bytes;
    read[nread++].way = way;
    now_ns += sample_ns;
    return (double)(100 - (nread - 1) % 7);
}

static int make(void **state)
{
    now_ns = 1e9;
    nfma = nread = 0;
    for (int i = 0; i < 8; i++)
        gflops[i] = i == 2 ? 70 : 50;
    return 0;
}

/* Requests of one round until the last buffer is there, of which the last is left in `read`. */
static void write_buffers(LimitsWish *w, LimitRecord *out)
{
    for (int request = 0; request < MOST_REQUESTS && !out->bytes_per_s[LEVEL_MEMORY]; request++) {
        make(NULL);
        w->until_ns = now_ns + 2.3e6;
        limits_measure(w, out);
    }
}

/* Half of a level, and at least twice what the ones before hold; of L1 and L2 each thread has its own. What a request
 * does not write of a buffer the next one does. */
TEST(buffers_lie_in_their_levels)
{
    static const struct {
        int64_t cache[3];
        int threads;
        int64_t want[4]; /* 0: there is none */
    } cases[] = {
        { { 32 * KIB, MIB, 32 * MIB }, 1, { 16 * KIB, 512 * KIB, 16 * MIB, 96 * MIB } },
        { { 32 * KIB, MIB, 32 * MIB }, 4, { 64 * KIB, 2 * MIB, 16 * MIB, 96 * MIB } },
        { { 32 * KIB, MIB, 16 * MIB }, 8, { 128 * KIB, 4 * MIB, 0, 64 * MIB } },
        { { 32 * KIB, MIB, 12 * MIB }, 4, { 64 * KIB, 2 * MIB, 8 * MIB, 64 * MIB } },
        { { 48 * KIB, 64 * KIB, 0 }, 1, { 24 * KIB, 0, 0, 64 * MIB } },
        { { 0, 0, 0 }, 1, { 0, 0, 0, 64 * MIB } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(NULL);
        LimitRecord out = { 0 };
        LimitsWish w = { .isa = &isa, .threads = cases[i].threads };
        memcpy(w.cache_bytes, cases[i].cache, sizeof cases[i].cache);
        write_buffers(&w, &out);
        assert_int_equal(threads_seen, cases[i].threads);
        int n = 0;
        for (int level = 0; level < LEVEL_COUNT; level++) {
            if (cases[i].want[level])
                assert_int_equal(read[n++].bytes, cases[i].want[level]);
            assert_int_equal(out.bytes_per_s[level] > 0, cases[i].want[level] > 0);
        }
    }
}

/* The best of all rounds; each goes another way, and a request goes on where the one before ended. */
TEST(the_best_of_all_rounds_counts)
{
    LimitRecord written = { 0 }, out = { 0 };
    LimitsWish w = { .isa = &isa, .threads = 1, .cache_bytes = { 32 * KIB } };
    write_buffers(&w, &written);
    make(NULL);
    w.until_ns = now_ns + 8 * 3.01e5;
    assert_int_equal(limits_measure(&w, &out),
                     2); /* a round takes 6 samples: of arithmetic one a level, L1 and memory */
    assert_true(out.flops_per_s == 70e9);
    assert_true(out.bytes_per_s[LEVEL_L1] == 100e9 && out.bytes_per_s[LEVEL_MEMORY] == 99e9);
    assert_true(out.bytes_per_s[LEVEL_L2] == 0 && out.bytes_per_s[LEVEL_L3] == 0);
    const int first = read[0].way, next = read[2].way;
    assert_int_equal(read[1].way, first);
    assert_int_equal(next, (first + 1) % PEAK_WAYS);
    for (int i = 0; i < PEAK_WAYS; i++) {
        nread = 0;
        limits_measure(
            &(LimitsWish){ .isa = &isa, .threads = 1, .until_ns = now_ns + 3.5e5, .cache_bytes = { 32 * KIB } }, &out);
        assert_int_equal(read[0].way, (next + 1 + i) % PEAK_WAYS);
    }
}

/* Late: arithmetic once, and nothing else. */
TEST(nothing_is_begun_when_it_is_late)
{
    LimitRecord out = { 0 };
    const LimitsWish w = { .isa = &isa, .threads = 1, .until_ns = now_ns - 1, .cache_bytes = { 32 * KIB, MIB } };
    assert_int_equal(limits_measure(&w, &out), 1);
    assert_int_equal(nfma, 1);
    assert_int_equal(nread, 0);
    assert_true(out.flops_per_s == 50e9 && out.bytes_per_s[LEVEL_L1] == 0);
}

TEST_EACH(make, NULL)
