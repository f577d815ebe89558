/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_show: what `bench --regret` prints of a package, line by line and as JSON, and its verdict.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/command/regret.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/json_like.h"

static Result result;
static RegretCase item[3];
static Options options;
static Run run = { .o = &options };

/* M = 1 and 3 of the tuned shapes, and M = 4, of which the contract says nothing. */
static int setup(void **state)
{
    if (by_hand_setup(state))
        return -1;
    result = by_hand_result(&hand, 10);
    for (int i = 0; i < 2; i++)
        item[i] = (RegretCase){ .was = hand.shape[i], .now = hand.shape[i] };
    item[0].was.regret = 0.0234;
    item[0].now.chosen_ns = 1100;
    item[0].now.regret = 0.1;
    item[2] = (RegretCase){ .was = { .inst = &hand.y.spec->instance[3], .kernel = 0, .regret = NAN },
                            .now = { &hand.y.spec->instance[3], false, 0, true, 4000, 3200, 0.25, 0, 0.35, false, 0 } };
    return 0;
}

static Regret regret_of(void)
{
    return (Regret){ .run = &run,
                     .out = &result,
                     .here = hand.y.study->device,
                     .tools.compiler = hand.y.study->device->compiler,
                     .whole = true,
                     .n = 3,
                     .item = item,
                     .sum = { { 3, 3, 2, 0.0111, 0.1, 0.01, 0, 0 },
                              { 2, 2, 2, 0.0222, 0.033, 0.01, 0, 0 },
                              { 1, 1, 0, 0, 0, 0, 0, 0 } },
                     .bound = { { 0.044, 0.155 }, { INFINITY, 0.066 }, { INFINITY, INFINITY } } };
}

static void show_cases(const Regret *g)
{
    for (int64_t i = 0; i < g->n; i++)
        regret_show_case(g, &g->item[i]);
}

/* What is printed on standard output (1) or standard error (2). */
static const char *printed(int fd, void (*show)(const Regret *), const Regret *g)
{
    char text[8192];
    FILE *f = tmpfile();
    assert_non_null(f);
    fflush(NULL);
    const int before = dup(fd);
    assert_true(before >= 0 && dup2(fileno(f), fd) == fd);
    show(g);
    fflush(NULL);
    dup2(before, fd);
    close(before);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return arena_strdup(hand.y.arena, text);
}

TEST(a_line_a_shape)
{
    const Regret g = regret_of();
    assert_string_equal(
        printed(1, show_cases, &g),
        "M 1     N 16    K 16    threads 1   kernel 11       1.10 us  best "
        "      1.00 us  +10.00 %  was  +2.34 %  tuned\n"
        "M 3     N 16    K 16    threads 1   kernel 10       2.00 us  best "
        "      2.00 us   +0.00 %  was  +0.00 %  tuned, cannot be said: that or kernel 11, off by 50.0 %\n"
        "M 4     N 16    K 16    threads 1   kernel 10       4.00 us  best "
        "      3.20 us  +25.00 %  further, held out, cannot be said: that or kernel 11, off by 35.0 %\n");
}

/* Where the time was up there is no time and no regret: neither is 0. */
TEST(what_was_not_measured_has_no_figures)
{
    const Regret g = regret_of();
    const ContractShape was = item[0].now;
    item[0].now.measured = false;
    item[0].now.chosen_ns = item[0].now.best_ns = item[0].now.regret = NAN;
    const char *text = printed(1, show_cases, &g);
    item[0].now = was;
    assert_has(text, "kernel 11          - us  best          - us  was  +2.34 %  tuned, not measured beside another: "
                     "the time was up\n");
}

TEST(the_sums_and_their_bounds)
{
    Regret g = regret_of();
    static const char tuned[] =
        "tuned: 3 shapes, of 1 of them it cannot be said, mean 1.11 % (was 1.10 %, at most 4.40 %";
    static const char rest[] =
        "), worst 10.00 % (was 2.20 %, at most 15.50 %)\n"
        "held out: 2 shapes, mean 2.22 % (was 1.23 %), worst 3.30 % (was 5.00 %, at most 6.60 %)\n"
        "further, held out: 1 shape, of 1 of them it cannot be said\n";
    assert_string_equal(printed(1, regret_show, &g),
                        arena_printf(hand.y.arena, "%s%swithin the stated bound\n", tuned, rest));
    assert_string_equal(printed(2, regret_show, &g), "");
    g.whole = false; /* the mean of a few is not judged */
    g.sum[0].mean = 9;
    assert_has(printed(1, regret_show, &g), ", at most 4.40 % over all of them), worst 10.00 %");
    assert_string_equal(printed(2, regret_show, &g), "");
}

TEST(what_is_above_a_bound_is_an_error)
{
    Regret g = regret_of();
    g.sum[0].mean = 0.0441;
    g.sum[0].worst = 0.1551;
    g.broken = true;
    assert_string_equal(
        printed(2, regret_show, &g),
        "dcgen: above the stated bound: the mean regret of the shapes tuned is 4.41 %, not at most 4.40 %\n"
        "dcgen: above the stated bound: the worst regret of the shapes tuned is 15.51 %, not at most 15.50 %\n");
    assert_lacks(printed(1, regret_show, &g), "within the stated bound");
    g = regret_of();
    g.mostly_unresolved = true;
    assert_string_equal(printed(2, regret_show, &g),
                        "dcgen: of most shapes the regret cannot be said, as their times differ by too much: the "
                        "machine is too busy to judge the package\n");
    assert_lacks(printed(1, regret_show, &g), "within the stated bound");
    g = regret_of();
    g.bound[0].worst = g.bound[1].worst = INFINITY;
    assert_lacks(printed(1, regret_show, &g), "within the stated bound");
}

TEST(another_machine_and_compiler_are_told)
{
    Regret g = regret_of();
    Device here = *hand.y.study->device;
    assert_string_equal(printed(1, regret_show_machine, &g), "");
    assert_string_equal(printed(2, regret_show_machine, &g), "");
    g.several = true;
    assert_string_equal(printed(1, regret_show_machine, &g), "for avx512:\n");
    here.name = "Another CPU";
    g.here = &here;
    g.tools.compiler = "cc 1";
    assert_string_equal(
        printed(2, regret_show_machine, &g),
        "dcgen: the bound was measured on another machine: Synthetic CPU 9000; this is Another CPU\n"
        "dcgen: the bound was measured with another compiler: gcc (Debian 12.2.0) 12.2.0; this is cc 1\n");
    options.json = true;
    assert_string_equal(printed(1, regret_show_machine, &g), "");
}

TEST(programs_are_told_the_same)
{
    Regret g = regret_of();
    options.json = true;
    static const char want[] =
        "{'package': 'hand', 'target': 'avx512', 'device': 'Synthetic CPU 9000', 'device_was': 'Synthetic CPU 9000', "
        "'compiler': 'gcc (Debian 12.2.0) 12.2.0', 'compiler_was': 'gcc (Debian 12.2.0) 12.2.0', 'shapes': ["
        "{'group': 'tuned', 'M': 1, 'N': 16, 'K': 16, 'threads': 1, 'weight': 1, 'kernel': 11, 'chosen_ns': 1100, "
        "'best_ns': 1000, 'regret': 0.1, 'regret_was': 0.0234, 'spread': 0.01, 'resolved': true, 'rival': 'kernel "
        "10'},"
        "{'group': 'tuned', 'M': 3, 'N': 16, 'K': 16, 'threads': 1, 'weight': 2, 'kernel': 10, 'chosen_ns': 2000, "
        "'best_ns': 2000, 'regret': 0, 'regret_was': 0, 'spread': 0.5, 'resolved': false, 'rival': 'kernel 11'},"
        "{'group': 'further', 'M': 4, 'N': 16, 'K': 16, 'threads': 1, 'weight': 1, 'kernel': 10, 'chosen_ns': 4000, "
        "'best_ns': 3200, 'regret': 0.25, 'regret_was': null, 'spread': 0.35, 'resolved': false, "
        "'rival': 'kernel 11'} ],'tuned': {'shapes': 3, 'resolved': 2, 'mean': 0.0111, 'worst': 0.1, 'mean_was': "
        "0.011, "
        "'worst_was': 0.022, "
        "'mean_bound': 0.044, 'worst_bound': 0.155},'held_out': {'shapes': 2, 'resolved': 2, 'mean': 0.0222, 'worst': "
        "0.033, 'mean_was': 0.0123, 'worst_was': 0.05, "
        "'mean_bound': null, 'worst_bound': 0.066},'further': {'shapes': 1, 'resolved': 0, 'mean': 0, 'worst': 0, "
        "'mean_was': null, 'worst_was': null, 'mean_bound': "
        "null, 'worst_bound': null}, 'within': true, 'unresolved': false}";
    json_text_like(printed(1, regret_show, &g), want);
    g.whole = false;
    g.broken = g.mostly_unresolved = true;
    const char *text = printed(1, regret_show, &g);
    assert_lacks(text, "\"mean_bound\": 0");
    assert_has_all(text, "\"within\": false", "\"unresolved\": true");
}

TEST_FILE(setup, by_hand_teardown)
