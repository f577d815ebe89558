/* SPDX-License-Identifier: Apache-2.0
 *
 * peak, limits: rates from work that is counted and a clock that is made up; which buffers lie in which level; how long
 * it goes on.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include "gen/base/process.h"
#include "gen/target/arch.h"
#include "search/runner/limits.h"
#include "search/runner/peak.h"
#include "search/runner/runner.h"

static double now_ns, step_ns; /* step_ns: of each reading */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    now_ns += step_ns;
    *t = (struct timespec){ (time_t)(now_ns / 1e9), (long)fmod(now_ns, 1e9) };
    return 0;
}

double process_clock_ns(void) { return now_ns += step_ns; }
double process_clock_s(void) { return 1e-9 * now_ns; }

static int make(void **state)
{
    now_ns = 1e9;
    step_ns = 1e6;
    return 0;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6 * want))
        fail_msg("%.12g is not %.12g", got, want);
}

/* Whatever is run takes 1 ms. Of 1 ms are wanted: 100001 rounds of 16 FMAs, two operations a lane each. */
TEST(arithmetic_is_counted)
{
    static const struct {
        const char *name;
        int lanes;
    } isas[] = { { "portable", 4 }, { "avx2", 8 }, { "avx512", 16 } };
    for (int i = 0; i < 3; i++) {
        const PeakIsa *isa = peak_find(isas[i].name);
        if (!isa)
            continue; /* it does not run here */
        assert_string_equal(peak_name(isa), isas[i].name);
        assert_near(peak_fma_gflops(isa, 1, 1e6), 2 * 16 * isas[i].lanes * 100001 / 1e6);
        assert_near(peak_fma_gflops(isa, 2, 1e6), 2 * 2 * 16 * isas[i].lanes * 100001 / 1e6);
        assert_near(peak_fma_gflops(isa, 1, 3e6), 2 * 16 * isas[i].lanes * 300001 / 1e6);
    }
    const Arch *arch = arch_find(arch_here());
    const PeakIsa *best = peak_find("portable");
    assert_non_null(best);
    for (const char *const *name = arch ? arch->peak : NULL; name && *name; name++)
        best = strcmp(peak_name(best), "portable") == 0 && peak_find(*name) ? peak_find(*name) : best;
    assert_ptr_equal(peak_best(), best); /* the first of the architecture's row that runs here */
    assert_null(peak_find("sm_80"));
}

/* A pass takes 1 ms, so of a sample of 5 ms there are 5 + 3; of one that is shorter than half a pass there is one. No
 * byte behind the buffer is read, and a part is whole blocks of all streams. */
TEST(bytes_are_counted)
{
    static const struct {
        size_t bytes;
        int threads, way;
        double sample_ns, want, passes;
    } cases[] = {
        { 65536, 1, 0, 5e6, 65536 * 8 / 1e6, 8 },
        { 65536, 2, 0, 5e6, 65536 * 8 / 1e6, 8 },
        { 65536, 1, 3, 4e5, 65536 * 1 / 1e6, 1 },
        { 65536, 1, 1, 6e5, 65536 * 3 / 1e6, 3 },
        { 8192, 2, 2, 5e6, 8192 * 8 / 1e6, 8 },
        { 10240, 2, 5, 5e6, 8192 * 8 / 1e6, 8 },
        { 4096, 3, 2, 5e6, 0, 1 },
        { 4096, 1, 4, 5e6, 4096 * 8 / 1e6, 8 },
    };
    for (int isa = 0; isa < 2; isa++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            Guarded g;
            assert_true(guarded_new(&g, cases[i].bytes, 64, SIDE_END));
            assert_near(peak_read_gbs(isa ? peak_best() : peak_find("portable"), g.data, cases[i].bytes,
                                      cases[i].threads, cases[i].way, cases[i].sample_ns),
                        cases[i].want);
            assert_near(peak_read_once_gbs(isa ? peak_best() : peak_find("portable"), g.data, cases[i].bytes,
                                           cases[i].threads, cases[i].way),
                        cases[i].want / cases[i].passes);
            guarded_free(&g);
        }
    for (int i = 0; i < PEAK_WAYS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(peak_read_name(i), peak_read_name(j));
}

TEST_EACH(make, NULL)
