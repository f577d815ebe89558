/* SPDX-License-Identifier: Apache-2.0
 *
 * race: who is timed again, and what is told of the times. The times are made up.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "gen/command/regret.h"
#include "search/measure/runner.h"
#include "tests/gen/by_hand.h"

enum { NRACER = 7, MOST_CALLS = 4, MANY = 15 };

static ByHand hand;
static Result result;
static Run run; /* of the last race */
static const char *so[NRACER + 2];
static double time_of[MOST_CALLS][NRACER]; /* of each call and trial, in ns; 0: wrong */
static struct {
    int repeats, n;
    int64_t trial[NRACER];
} call[MOST_CALLS];
static int ncall;
static int64_t best; /* the fastest of the last race */

/* Whoever has no file yet does not compile. */
void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    (void)b, (void)a, (void)stop;
    for (int i = 0; i < n; i++)
        builds[i].status = STATUS_BUILD_FAILED;
}

void build_start(Builder *b, Arena *a, Build *builds, int n) { build_all(b, a, builds, n, NULL); }

bool measure(Runner *r, Arena *a, const MeasureRequest *q, const char *const *key, const char *const *file, int n,
             MeasureRecord *out, const volatile int *stop, const char **err)
{
    (void)r, (void)a, (void)file, (void)stop, (void)err;
    assert_true(ncall < MOST_CALLS && n <= NRACER && q->keep == 0);
    call[ncall].repeats = q->repeats;
    call[ncall].n = n;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_find_key(hand.y.study, key[i]);
        const double ns = time_of[ncall][trial];
        call[ncall].trial[i] = trial;
        out[i] = (MeasureRecord){ .status = ns > 0 ? STATUS_OK : STATUS_WRONG,
                                  .why = "off",
                                  .time_ns = ns,
                                  .nsample = 2,
                                  .ns = { ns, ns * 1.01 } };
    }
    ncall++;
    return true;
}

static int setup(void **state)
{
    (void)state;
    if (!by_hand_make(&hand))
        return -1;
    result = by_hand_result(&hand, 0);
    for (int i = 0; i < NRACER; i++)
        so[i] = "/made-up.so";
    ncall = 0;
    for (int i = 0; i < MOST_CALLS; i++)
        for (int k = 0; k < NRACER; k++)
            time_of[i][k] = 1000 * (k + 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(hand.y.arena);
    return 0;
}

/* Trial 3 is the chosen one, and meets the first n - 1 of the others. */
static ContractShape held(int n)
{
    static const int stop = 0;
    const Regret g = { .run = &run, .out = &result, .so = so };
    Match m = { .inst = hand.y.study->shape[0], .n = n, .trial = { 3, 0, 1, 2, 4, 5, 6 } };
    ContractShape r = { 0 };
    run = (Run){ .a = hand.y.arena, .stop = &stop };
    assert_true(race_hold(&g, &m, MANY, &r) == (run.err == NULL));
    best = r.regret > 0 ? m.trial[1] : m.trial[0];
    return r;
}

static void expect_call(int i, int repeats, int n, int64_t second)
{
    assert_int_equal(call[i].repeats, repeats);
    assert_int_equal(call[i].n, n);
    assert_int_equal(call[i].trial[0], 3);
    assert_int_equal(call[i].trial[1], second);
}

/* Few samples of all, more of the chosen one and the four fastest others, then of it and the best: these are told. */
static void a_faster_one_must_win_again(void **state)
{
    (void)state;
    for (int k = 0; k < NRACER; k++)
        time_of[0][k] = 9000 - 1000 * k; /* the other way round: 6, 5, 4 and 2 go on */
    time_of[2][2] = 3000;
    time_of[2][3] = 4500;
    const ContractShape r = held(NRACER);
    assert_int_equal(ncall, 3);
    expect_call(0, 5, NRACER, 0);
    expect_call(1, MANY, 5, 6);
    assert_int_equal(call[1].trial[4], 2);
    expect_call(2, MANY, 2, 2);
    assert_null(run.err);
    assert_true(r.chosen_ns == 4500 && fabs(r.best_ns - 3000) < 1e-9 && best == 2);
    assert_true(fabs(r.regret - 0.5) < 1e-12); /* over the best one's time */
}

static void nobody_is_faster(void **state)
{
    (void)state;
    time_of[0][3] = time_of[1][3] = 1990;
    const ContractShape r = held(4);
    assert_int_equal(ncall, 2);
    assert_true(r.chosen_ns == 1990 && r.best_ns == 1990 && best == 3 && r.regret == 0);
}

/* A rival that does not compile, or is wrong here, wins nothing; of two there is nothing to say again. */
static void who_fails_wins_nothing(void **state)
{
    (void)state;
    so[1] = NULL;
    for (int i = 0; i < MOST_CALLS; i++)
        time_of[i][0] = 0;
    const ContractShape r = held(4);
    expect_call(0, 5, 3, 0);
    assert_int_equal(best, 2); /* 4 us against 5 */
    assert_true(fabs(r.regret - 0.25) < 1e-12);
    expect_call(2, MANY, 2, 2);
    time_of[3][3] = 0;
    held(4);
    assert_int_equal(run.code, EXIT_FAILED);
    assert_string_equal(run.err, "the chosen kernel fails here: wrong: off");
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = { FRESH(a_faster_one_must_win_again), FRESH(nobody_is_faster),
                                        FRESH(who_fails_wins_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
