/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: which shapes `bench --regret` measures a second time, and what it makes of that. Races, the compilers and the runner are made up.
 * The contract speaks of M = 1 (tuned: at most 4.4 % as a mean, 5.5 % on any) and of M = 5 (held out: 7.7 %, 8.8 %); of M = 3 and 6 nothing
 * could be said.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "gen/command/regret.h"
#include "gen/package/regret_file.h"
#include "search/measure/runner_private.h"
#include "tests/gen/by_hand.h"
#include "tests/tmp_folder.h"

enum { MOST_RACES = 16, FEW = 15, MANY = 61 };

static ByHand hand;
static Workload workload;
static Result result;
static Runner runner;
static char root[TMP_FOLDER_BYTES];
static struct {
    int64_t M;
    int repeats;
} met[MOST_RACES];
static int nmet;
/* Of the race on M, by how often M was met before: the regret, and how far times are off. */
static double regret_on[HAND_SHAPE + 1][2], spread_on[HAND_SHAPE + 1][2];
static int64_t wrong_on; /* the chosen kernel fails there; 0: nowhere */

bool race_hold(const Regret *g, Match *m, int repeats, ContractShape *r)
{
    const int64_t M = m->inst->extent[0];
    for (int i = 0; i < hand.contract.nshape; i++) /* the chosen one comes first, and is not its own rival */
        if (hand.shape[i].inst == m->inst)
            assert_true(m->trial[0] == hand.as.kernel[hand.shape[i].kernel] && m->n == hand.shape[i].nmet);
    int before = 0;
    for (int i = 0; i < nmet; i++)
        before += met[i].M == M;
    assert_true(nmet < MOST_RACES && before < 2);
    met[nmet].M = M;
    met[nmet++].repeats = repeats;
    r->regret = regret_on[M][before];
    r->spread = spread_on[M][before];
    r->measured = true;
    r->said = contract_says(r->regret, r->spread);
    r->best_ns = 1000;
    r->chosen_ns = 1000 * (1 + r->regret);
    return M != wrong_on || run_fails(g->run, EXIT_FAILED, "wrong");
}

bool tools_open(Run *r, const Workload *w, const Site *site, Tools *t)
{
    (void)r, (void)w;
    assert_ptr_equal(site->family, &family_cpu);
    t->runner = &runner;
    t->compiler = "gcc";
    return true;
}

void tools_close(const Run *r, Tools *t) { (void)r, t->runner = NULL; }

/* Nobody asks for these: they keep the library's own out. */
int tools_jobs(const Options *o) { return (void)o, 1; }
Toolchain tools_cc(Arena *a, const Options *o) { return (void)a, (void)o, (Toolchain){ 0 }; }
const char *tools_program(Arena *a, const Options *o, const Family *f) { return (void)a, (void)o, (void)f, NULL; }
Toolchain tools_emulator(Arena *a, const Options *o, const Workload *w)
{
    return (void)a, (void)o, (void)w, (Toolchain){ 0 };
}

static int setup(void **state)
{
    (void)state;
    if (!by_hand_make(&hand) || !tmp_folder(root))
        return -1;
    result = by_hand_result(&hand, 0);
    const EmitInput in = { .result = &result, .nfunction = 1, .nresult = 1 };
    FILE *f = fopen(arena_printf(hand.y.arena, "%s/regret.json", root), "w");
    if (!f || fputs(regret_file_text(hand.y.arena, &in, "regret.json", diag_new(hand.y.arena)), f) < 0 ||
        fclose(f) != 0)
        return -1;
    static Spec *function;
    function = (Spec *)hand.y.spec;
    workload = (Workload){ .nfunction = 1,
                           .function = &function,
                           .all_templates = &hand.y.templates,
                           .spec = hand.y.spec,
                           .templates = hand.y.templates,
                           .targets = &hand.y.targets };
    runner = (Runner){ .device = *hand.y.study->device };
    static int64_t others[] = { 0, 1, 2, 5 };
    for (int i = 0; i < hand.contract.nshape; i++)
        hand.shape[i].met = others;
    nmet = 0;
    wrong_on = 0;
    for (int M = 1; M <= HAND_SHAPE; M++)
        for (int i = 0; i < 2; i++)
            regret_on[M][i] = spread_on[M][i] = 0.001;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(hand.y.arena);
    return tmp_folder_remove(root);
}

static int judged(int shapes)
{
    const int stop = 0;
    const Options o = { .operand = root, .regret = shapes, .json = true };
    Run r = { .a = hand.y.arena, .o = &o, .stop = &stop, .code = EXIT_ENVIRONMENT };
    return regret(&r, &workload, &result, 1) ? EXIT_DONE : r.code;
}

/* Each shape once, in the contract's order; then with more samples those on `again`, which ends with 0. */
static void expect_races(const int64_t *again)
{
    static const int64_t first[] = { 1, 3, 5, 6 };
    int n = 0;
    for (; n < 4; n++)
        assert_true(met[n].M == first[n] && met[n].repeats == FEW);
    for (; *again; again++, n++)
        assert_true(met[n].M == *again && met[n].repeats == MANY);
    assert_int_equal(nmet, n);
}

/* M = 3 and 6, of which nothing is stated, may be as slow as they like. */
static void what_holds_is_measured_once(void **state)
{
    (void)state;
    regret_on[3][0] = regret_on[6][0] = 0.9;
    assert_int_equal(judged(0), EXIT_DONE);
    expect_races((int64_t[]){ 0 });
}

static void an_outlier_is_cleared_by_more_samples(void **state)
{
    (void)state;
    regret_on[1][0] = 0.2; /* above both bounds */
    regret_on[5][0] = 0.08;
    assert_int_equal(judged(0), EXIT_DONE);
    expect_races((int64_t[]){ 1, 5, 0 });
}

static void what_stays_slow_breaks_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        regret_on[5][i] = 0.089;
    assert_int_equal(judged(0), EXIT_FAILED);
    expect_races((int64_t[]){ 5, 0 });
}

/* Where only a part of the shapes is measured no mean is judged. */
static void a_mean_is_judged_of_all_shapes_only(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        regret_on[1][i] = 0.05;
    assert_int_equal(judged(0), EXIT_FAILED);
    expect_races((int64_t[]){ 1, 0 });
    nmet = 0;
    assert_int_equal(judged(3), EXIT_DONE);
    assert_int_equal(nmet, 3);
    assert_int_equal(judged(5), EXIT_FAILED); /* all, and one more */
}

static void what_cannot_be_said_judges_nothing(void **state)
{
    (void)state;
    spread_on[1][0] = spread_on[1][1] = 5;
    regret_on[1][0] = regret_on[1][1] = 0.2;
    assert_int_equal(judged(0), EXIT_DONE); /* half of two can be said */
    expect_races((int64_t[]){ 1, 0 });
    nmet = 0;
    spread_on[5][0] = spread_on[5][1] = 5;
    assert_int_equal(judged(0), EXIT_ENVIRONMENT);
    expect_races((int64_t[]){ 1, 5, 0 });
}

static void a_wrong_kernel_ends_it(void **state)
{
    (void)state;
    wrong_on = 3;
    assert_int_equal(judged(0), EXIT_FAILED);
    assert_int_equal(nmet, 2);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        FRESH(what_holds_is_measured_once),        FRESH(an_outlier_is_cleared_by_more_samples),
        FRESH(what_stays_slow_breaks_the_bound),   FRESH(a_mean_is_judged_of_all_shapes_only),
        FRESH(what_cannot_be_said_judges_nothing), FRESH(a_wrong_kernel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
