/* SPDX-License-Identifier: Apache-2.0
 *
 * core_clock: that the clock found is that of a chain of additions, which take one cycle each.
 * ctest: runner
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "gen/base/process.h"
#include "search/runner/runner.h"

enum { TRIES = 50, ADDITIONS = 20000 };

/* y is in a register, too: some processors add constants while they rename registers, several in one cycle. */
static uint64_t plus(uint64_t x, uint64_t y)
{
    __asm__ volatile("" : "+r"(x), "+r"(y)); /* one after the other */
    return x + y;
}

/* One cycle each, on every processor there is; several a round, that the loop does not count. */
static double additions_per_ns(void)
{
    uint64_t x = 0;
    const uint64_t y = 3;
    const double start_s = process_clock_s();
    for (int i = 0; i < ADDITIONS / 8; i++) {
        x = plus(plus(plus(plus(x, y), y), y), y);
        x = plus(plus(plus(plus(x, y), y), y), y);
    }
    __asm__ volatile("" : "+r"(x));
    return ADDITIONS / fmax(1e9 * (process_clock_s() - start_s), 1);
}

/* A step is a multiplication and an addition that wait for each other: some cycles. A compiler that takes the chain for dead code leaves a
 * loop of one or two a step. */
static void a_step_takes_as_long_as_its_chain(void **state)
{
    double clock = 0, additions = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        clock = fmax(clock, core_clock());
        additions = fmax(additions, additions_per_ns());
    }
    assert_true(clock < additions / 2.5 && clock > additions / 20);
}

/* Of many readings the fastest, taken in turn: no further apart than the clocks of one core are. */
static void the_fastest_readings_agree(void **state)
{
    double first = 0, second = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        first = fmax(first, core_clock());
        second = fmax(second, core_clock());
    }
    assert_true(fabs(first - second) <= 0.2 * first);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_step_takes_as_long_as_its_chain),
                                        cmocka_unit_test(the_fastest_readings_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
