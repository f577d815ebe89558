/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_file: what a package states of its regret, as JSON and in words, each figure another; and what is read back of
 * it.
 */
#include "tests/test.h"
#include "gen/package/regret_file.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/json_like.h"
#include "tests/tmp_folder.h"

static Study lesser; /* the same study, of avx2 */
static Assignment lesser_choice;
static TreeNode lesser_tree;
static Result result[2];
static char root[TMP_FOLDER_BYTES];

static int setup(void **state)
{
    if (!by_hand_make(&hand) || !tmp_folder(root))
        return -1;
    lesser = *hand.y.study;
    lesser.target = target_find(&hand.y.targets, "avx2");
    lesser_choice = hand.as;
    lesser_tree = hand.node[0];
    lesser_choice.tree = &lesser_tree;
    result[0] = result[1] = by_hand_result(&hand, 0);
    result[1].study = &lesser;
    result[1].assignment = &lesser_choice;
    result[1].first = 2;
    return 0;
}

static int teardown(void **state)
{
    arena_free(hand.y.arena);
    return tmp_folder_remove(root);
}

/* A file of a package for so many targets. */
static const char *text_of(const char *name, int nresult)
{
    const EmitInput in = { .nfunction = 1, .function = &(ResultList){ result, nresult } };
    return regret_file_text(hand.y.arena, &in, name, diag_new(hand.y.arena));
}

/* The third candidate, which no package has. */
static const char *other(void)
{
    const Candidate *c = &hand.y.study->trial[2].c;
    return arena_printf(hand.y.arena, "%s %s", c->t->name, candidate_settings(hand.y.arena, c));
}

/* Of one target; the numbers of its kernels are the package's: those of the second are behind the two of the first. */
static const char *target_text(const char *target, int first)
{
    return arena_printf(
        hand.y.arena,
        "{ 'target': '%s', 'device': 'Synthetic CPU 9000', 'compiler': 'gcc (Debian 12.2.0) 12.2.0', 'measured': true,"
        "'bound': { 'tuned': { 'mean': 0.0440, 'worst': 0.0550 }, 'held_out': { 'mean': 0.0770, 'worst': 0.0880 } },"
        "'regret': { 'tuned': { 'shapes': 3, 'measured': 2, 'resolved': 1, 'mean': 0.0110, 'worst': 0.0220, 'noise': "
        "0.0330 },'held_out': { 'shapes': 2, 'measured': 2, 'resolved': 1, 'mean': 0.0123, 'worst': 0.05, 'noise': "
        "0.006 } "
        "},"
        "'shapes': [ { 'tuned': true, 'M': 1, 'N': 16, 'K': 16, 'threads': 1, 'weight': 1, 'kernel': %d, 'chosen_ns': "
        "1000, 'best_ns': 1000, 'regret': 0.0, 'spread': 0.01, 'resolved': true, 'rival': 'kernel %d' },{ 'tuned': "
        "true, "
        "'M': 3, 'N': 16, 'K': 16, 'threads': 1, 'weight': 2, 'kernel': %d, 'chosen_ns': 2000, "
        "'best_ns': 2000, 'regret': 0.0, 'spread': 0.5, 'resolved': false, 'rival': 'kernel %d' },{ 'tuned': true, "
        "'M': 8, "
        "'N': 16, 'K': 16, 'threads': 1, 'weight': 1, 'kernel': %d, 'chosen_ns': null, "
        "'best_ns': null, 'regret': null, 'spread': null, 'resolved': false, 'rival': null },{ 'tuned': false, 'M': 5, "
        "'N': 16, 'K': 16, 'threads': 1, 'weight': 1, 'kernel': %d, 'chosen_ns': 4500, "
        "'best_ns': 4000, 'regret': 0.125, 'spread': 0.02, 'resolved': true, 'rival': 'kernel %d' },{ 'tuned': false, "
        "'M': "
        "6, 'N': 16, 'K': 16, 'threads': 1, 'weight': 3, 'kernel': %d, 'chosen_ns': 6600, "
        "'best_ns': 6000, 'regret': 0.1, 'spread': 0.3, 'resolved': false, 'rival': '%s' } ] }",
        target, first + 1, first, first, first + 1, first + 1, first, first + 1, first + 1, other());
}

TEST(states_each_figure_of_each_target)
{
    json_text_like(text_of("regret.json", 2),
                   arena_printf(hand.y.arena, "{ 'schema': 1, 'package': 'hand', 'targets': [ %s, %s ] }",
                                target_text("avx512", 0), target_text("avx2", 2)));
}

TEST(says_so_where_nothing_was_measured)
{
    hand.contract.modelled = true;
    json_text_like(
        text_of("regret.json", 1),
        "{ 'schema': 1, 'package': 'hand', 'targets': [ { 'target': 'avx512', 'device': 'Synthetic CPU 9000', "
        "'compiler': 'gcc (Debian 12.2.0) 12.2.0', 'measured': false, 'why': 'no such device was there: all times are "
        "computed' } ] }");
    const char *text = text_of("regret.md", 1);
    assert_has(text, "\nFor avx512 there is no regret contract: no such device was there: all times are computed.\n");
    assert_lacks(text, "dcgen bench");
    hand.contract.modelled = false;
}

static const char begin[] =
    "Regret is the time of the chosen kernel over the best of all times that the records hold for that shape, less 1; "
    "its mean is\nthe geometric one. Shapes held out had no part in the choice; of the tuned ones, by whose times it "
    "was made, mean and worst count what chance\nis expected to hide of each regret.\n"
    "\nOn Synthetic CPU 9000, for avx512, compiled by gcc (Debian 12.2.0) 12.2.0:\n\n"
    "| shapes | resolved | mean | worst | mean at most | worst at most |\n|---|---|---|---|---|---|\n"
    "| tuned | 1 of 3 | 1.10 % | 2.20 % | 4.40 % | 5.50 % |\n"
    "| held out | 1 of 2 | 1.23 % | 5.00 % | 7.70 % | 8.80 % |\n";

TEST(says_whether_times_are_cold)
{
    for (int cold = 1; cold >= 0; cold--) {
        hand.y.study->has_cold = cold;
        const char *text = text_of("regret.md", 1);
        assert_int_equal(strstr(text, "\nWhere the packed operand exceeds the L2 cache, times of calls that find it in "
                                      "memory count") != NULL,
                         cold);
    }
}

TEST(says_it_in_words)
{
    assert_string_equal(
        text_of("regret.md", 1),
        arena_printf(
            hand.y.arena,
            "%s\nOn 1 of 3 tuned shapes the chosen kernel was not measured beside another; they are not in these "
            "figures.\n"
            "\nOn 2 shapes it cannot be said which of two kernels is faster: their times overlap, and are off by too "
            "much.\nA search measures such shapes again while it has time left.\n\n"
            "- M = 3, N = 16, K = 16, 1 thread: kernel 0 or kernel 1, off by 50.0 %%\n"
            "- M = 6, N = 16, K = 16, 1 thread, held out: kernel 1 or %s, off by 30.0 %%\n"
            "\n`dcgen bench FOLDER --regret` measures all of it again on your machine, and fails above the bounds in "
            "the last two columns.\n`regret.json` has a line a shape.\n",
            begin, other()));
    assert_has(text_of("regret.md", 2), "` measures the best target that it runs again on");
}

/* What the spec demands, and what of it is not kept; most shapes in doubt; more of them than are listed. */
TEST(says_what_is_demanded_and_in_doubt)
{
    static const struct {
        double mean, worst;
        const char *text;
    } row[] = { { 0.04, 0, "\nThe bound of the mean is what `spec.cfg` demands.\n" },
                { 0, 0.05, "\nThe bound of the worst is what `spec.cfg` demands.\n" },
                { 0.04, 0.05, "\nThe bound of both is what `spec.cfg` demands.\n" } };
    ContractShape many[30];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        hand.y.spec->regret = (Demand){ row[i].mean, row[i].worst };
        assert_has(text_of("regret.md", 1), row[i].text);
    }
    hand.contract.tuned.worst_bound = 0.02;
    const char *text = text_of("regret.md", 1);
    assert_has(text,
               "\n**The regret is above what the spec demands: worst of the tuned shapes 2.20 %, not 2.00 %.**\n");
    hand.y.spec->regret = (Demand){ 0 };
    by_hand_contract(&hand);
    for (int i = 0; i < 30; i++)
        many[i] = hand.shape[1];
    hand.contract.shape = many;
    hand.contract.nshape = hand.contract.tuned.nshape = hand.contract.tuned.nmeasured = 30;
    hand.contract.tuned.nresolved = 0;
    hand.contract.held_out = contract_sum(NULL, 0);
    text = text_of("regret.md", 1);
    assert_has(text, "left.\n**These are most shapes: the machine was too busy. Search again on a quieter one.**\n");
    assert_has(text, "- and 6 more: those with `\"resolved\": false` in `regret.json`\n");
    assert_has(text, "| held out | 0 of 0 | - | - | - | - |\n");
    assert_lacks(text, "was not measured");
    by_hand_contract(&hand);
}

/* ---- reading ---- */

static bool read_back(const char *text, const char *target, RegretBound out[2], const char **err)
{
    const char *path = arena_printf(hand.y.arena, "%s/regret.json", root);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *text; text++)
        fputc(*text == '\'' ? '"' : *text, f);
    assert_int_equal(fclose(f), 0);
    *err = NULL;
    return regret_file_read(hand.y.arena, path, NULL, target, out, err);
}

TEST(reads_the_bounds_of_a_target)
{
    RegretBound b[2];
    const char *err;
    assert_true(read_back(text_of("regret.json", 2), "avx2", b, &err));
    assert_true(b[0].mean == 0.044 && b[0].worst == 0.055 && b[1].mean == 0.077 && b[1].worst == 0.088);
    hand.contract.held_out.mean_bound = hand.contract.held_out.worst_bound = NAN; /* nothing is stated */
    assert_true(read_back(text_of("regret.json", 2), "avx512", b, &err));
    assert_true(b[0].worst == 0.055 && isinf(b[1].mean) && isinf(b[1].worst));
    by_hand_contract(&hand);
    assert_true(read_back("{'schema': 1, 'targets': [ {'target': 'a', 'measured': false} ]}", "a", b, &err));
    assert_true(isinf(b[0].mean) && isinf(b[0].worst) && isinf(b[1].mean) && isinf(b[1].worst));
}

#define TARGETS "{'schema': 1, 'targets': [ {'target': 'a', "
#define BOUND "'measured': true, 'bound': { "

TEST(refuses_what_states_nothing)
{
    static const char lacks[] = "'bound' lacks 'mean' or 'worst'";
    static const struct {
        const char *text, *err;
    } row[] = {
        { "", "line 1: " },
        { "{\n'schema' 1", "line 2: " },
        { "{'targets': []}", "'schema' is not 1" },
        { "{'schema': 2, 'targets': [ {'target': 'a', 'measured': false} ]}", "'schema' is not 1" },
        { "{'schema': 1, 'targets': []}", "it states nothing for target 'a'" },
        { "{'schema': 1, 'targets': [ {'target': 'b', 'measured': false} ]}", "it states nothing for target 'a'" },
        { TARGETS "'measured': 1} ]}", "'measured' is neither true nor false" },
        { TARGETS "'measured': true} ]}", lacks },
        { TARGETS BOUND "'tuned': {'mean': -0.1, 'worst': 1}, 'held_out': {'mean': 1, 'worst': 1} } } ]}", lacks },
        { TARGETS BOUND "'tuned': {'mean': 1}, 'held_out': {'mean': 1, 'worst': 1} } } ]}", lacks },
        { TARGETS BOUND "'tuned': {'mean': 1, 'worst': 1}, 'held_out': {'worst': 1} } } ]}", lacks },
        { TARGETS BOUND "'tuned': {'mean': 1, 'worst': 1}, 'held_out': {'mean': 1, 'worst': -1} } } ]}", lacks },
    };
    RegretBound b[2];
    const char *err;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (read_back(row[i].text, "a", b, &err) || !strstr(err, row[i].err))
            fail_msg("row %d: %s", (int)i, err ? err : "taken");
    assert_false(regret_file_read(hand.y.arena, "/nowhere/regret.json", NULL, "a", b, &err));
    assert_has(err, "No such file");
}

TEST_FILE(setup, teardown)
