/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/quiet.h"

static const Instance small = { .extent = { 16, 64, 64 }, .threads = 1 },
                      large = { .extent = { 256, 64, 64 }, .threads = 1 },
                      shared = { .extent = { 16, 64, 64 }, .threads = 2 };

static int make(void **state)
{
    *state = quiet_new(arena_new());
    return 0;
}

static int drop(void **state)
{
    arena_free(((Quiet *)*state)->arena);
    return 0;
}

static void nothing_is_known_at_first(void **state)
{
    Quiet *q = *state;
    assert_true(quiet_ns(q, &small) == 0 && !quiet_known(q, &small) && !quiet_disturbed(q, &small, 1e9));
    quiet_take(q, &small, 100);
    assert_true(quiet_ns(q, &large) == 0 && quiet_ns(q, &shared) == 0);
}

static void two_times_must_agree(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 180);
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 100); /* now it is quiet, or was it ever? */
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 170);
    assert_false(quiet_known(q, &small));
    quiet_take(q, &small, 101);
    assert_true(quiet_known(q, &small));
    assert_true(quiet_ns(q, &small) == 100);
}

static void longer_than_at_rest_is_disturbed(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &small, 100);
    quiet_take(q, &large, 1000);
    assert_true(quiet_disturbed(q, &small, 150) && !quiet_disturbed(q, &small, 105));
    assert_true(quiet_disturbed(q, &large, 1500) && !quiet_disturbed(q, &large, 990));
}

/* Half of the time a neighbour is there. */
static void neighbours_do_not_become_the_rule(void **state)
{
    Quiet *q = *state;
    for (int i = 0; i < 200; i++)
        quiet_take(q, &small, i % 2 ? 100 : 180);
    assert_true(quiet_ns(q, &small) == 100);
}

/* The clock is lowered, and stays low: what was rest is no more, on shapes that were not met since either. */
static void a_slower_machine_is_accepted(void **state)
{
    Quiet *q = *state;
    quiet_take(q, &large, 1000);
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 100);
    quiet_take(q, &small, 125);
    assert_true(quiet_disturbed(q, &small, 125));
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 125);
    assert_false(quiet_disturbed(q, &small, 125));
    assert_false(quiet_disturbed(q, &large, 1250));
    for (int i = 0; i < 50; i++)
        quiet_take(q, &small, 100);
    assert_true(quiet_disturbed(q, &small, 125));
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(nothing_is_known_at_first),        FRESH(two_times_must_agree),
        FRESH(longer_than_at_rest_is_disturbed), FRESH(neighbours_do_not_become_the_rule),
        FRESH(a_slower_machine_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
