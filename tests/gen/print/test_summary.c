/* SPDX-License-Identifier: Apache-2.0
 *
 * What `generate` says of a package at its end, to people and as JSON: its figures against those of the study, worked
 * out here.
 */
#include "tests/test.h"
#include "gen/print/summary.h"
#include "gen/report/words.h"
#include "search/record/study_private.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/json_like.h"
#include "tests/gen/printed.h"

/* ---- every line, of figures that are worked out by hand ---- */

static Result hand_of(void)
{
    static const CostReport cost = { .nmeasure = 7, .error = 0.054, .order.rank = 0.914 };
    Result r = by_hand_result(&hand, 0);
    r.cost = &cost;
    return r;
}

static const char *said_of(const Result *out, int n, const Proof *proof, bool json)
{
    return PRINTED(hand.y.arena, to, summary_package("out/hand", "r.jsonl", &(ResultList){ out, n }, proof, json, to));
}

static void expect_text(const Result *out, const Proof *proof, const char *want)
{
    assert_string_equal(said_of(out, 1, proof, false), want);
}

static void tells(const Result *out, const char *part) { assert_has(said_of(out, 1, NULL, false), part); }
static void is_silent(const Result *out, const char *part) { assert_lacks(said_of(out, 1, NULL, false), part); }

/* Regret: (1 * 1 + 2 * 1 + 1 * 1.25) / 4 - 1. The library: 1.5 and 6/8 times the package's time, of which the geometric
 * mean is 1.06. Noise: the root of the mean of 4 % and 8 %, squared. */
TEST(people_are_told_each_figure)
{
    const Result out = hand_of();
    const Proof all = { .ndeclared = 8, .ncut = 77, .all = true }, sample = { .ndeclared = 9, .ncut = 77 };
    static const char begin[] =
        "hand: 2 kernels, 4 KiB, 3 leaves, for avx512 (Synthetic CPU 9000)\n"
        "  5 trials, 2 failed; 7 measurements; model error 5.4% on kernels it has not seen, rank 0.91\n"
        "  regret 1.10% on 2 of 3 tuned shapes, 2.20% at worst, against the best known of each\n";
    static const char held_out[] =
        "  regret 1.23% on 2 shapes that were held out, 5.00% at worst\n"
        "  it is 12% at M = 5, N = 16, K = 16; a search measures there with T = 5 in 'tune'\n"
        "  on 2 of 4 shapes the regret cannot be said, as their times differ by too much\n";
    static const char end[] = "  the machine was busy: times are off by 6%, and differences below that are noise\n"
                              "  1.06x as fast as CBLAS, geometric mean of 2 shapes; 0.75x at the worst\n";
    expect_text(&out, NULL, arena_printf(hand.y.arena, "%s%s%s  out/hand\n", begin, held_out, end));
    expect_text(&out, &all,
                arena_printf(hand.y.arena,
                             "%s%s%s  dispatcher compiled: the kernel of its tree at all 8 declared shapes, around its "
                             "thresholds and beyond the ranges\n  out/hand\n",
                             begin, held_out, end));
    assert_has(said_of(&out, 1, &sample, false), " at a sample of 9 declared shapes, ");
}

/* Where nothing was measured beside the choice, 0 % would be no figure. */
TEST(no_regret_is_told_where_none_is_known)
{
    Result out = hand_of();
    Contract c = *out.contract;
    c.nshape = 0;
    c.tuned = contract_sum(NULL, 0);
    out.contract = &c;
    tells(&out, "  no regret is known: on no tuned shape was the chosen kernel measured beside another\n");
    is_silent(&out, "% at worst, against");
    ContractShape alone = { .inst = hand.shape[0].inst, .tuned = true, .measured = true, .regret = NAN, .rival = -1 };
    c.nshape = 1;
    c.shape = &alone;
    c.tuned = contract_sum(&alone, 1);
    tells(&out, "  no regret is known: one kernel was measured, and no other beside it\n");
    assert_has(said_of(&out, 1, NULL, true), "\"regret\": null");
}

/* There is no 'tune' that a row of a log could be added to. */
TEST(of_a_log_the_place_alone_is_told)
{
    const ShapeLog log = { .n = 8 };
    const Result out = hand_of();
    hand.y.spec->log = &log;
    tells(&out, "  it is 12% at M = 5, N = 16, K = 16\n");
    hand.y.spec->log = NULL;
}

/* Only what is held out, can be said and is more than 5 % off is named. */
TEST(people_are_told_where_a_prediction_went_wrong)
{
    const Result out = hand_of();
    hand.shape[0].regret = hand.shape[4].regret = 0.5; /* tuned; cannot be said */
    tells(&out, "  it is 12% at M = 5, ");
    hand.shape[3].regret = 0.05;
    is_silent(&out, "in 'tune'");
    hand.shape[0].regret = 0;
    hand.shape[3].regret = 0.125;
    hand.shape[4].regret = 0.1;
}

TEST(people_are_told_what_joined)
{
    const Result out = hand_of();
    Instance *last = &hand.y.spec->instance[hand.y.study->shape[HAND_TUNED - 1] - hand.y.spec->instance];
    last->tuned = false;
    tells(&out, "  that counts 1 shape that joined the tuned ones, where the model was least sure\n");
    last->tuned = true;
}

/* What is left out, or said in other words, where there is one of a thing, or none. */
TEST(people_are_told_what_there_is)
{
    Result out = hand_of();
    Assignment one = hand.as;
    Contract c = hand.contract;
    Study s = *hand.y.study;
    Trial *const trial = hand.y.study->trial;
    Anchor none[HAND_TUNED] = { { 0 } };
    Device modelled = *s.device;
    one.nkernel = 1;
    one.code_bytes = 3072;
    one.tree = &hand.node[1];
    one.cost = (double[]){ 1000, 1800, 3000, 3200, 4000, 6600, 7700, 8000 };
    one.chosen = (int[HAND_SHAPE]){ 0 };
    c.tuned.nresolved = 0; /* three of four: the machine was too busy */
    c.held_out = (ContractSum){ 3, 2, 2, 0.0123, 0.05, 0, 0, 0 };
    trial[1].count[1] = 1;
    trial[0].taken[0][1].part = 1.03; /* noise of no more than 3 % is no news */
    s.anchor = none;
    one.fewer = "no other was fast";
    out.assignment = &one;
    out.contract = &c;
    out.study = &s;
    expect_text(&out, NULL,
                "hand: 1 kernel, 3 KiB, 1 leaf, for avx512 (Synthetic CPU 9000)\n"
                "  fewer kernels than the 4 that are allowed: no other was fast\n"
                "  5 trials, 2 failed; 7 measurements; model error 5.4% on kernels it has not seen, rank 0.91\n"
                "  regret 1.10% on 2 of 3 tuned shapes, 2.20% at worst, against the best known of each\n"
                "  regret 1.23% on 2 shapes that were held out, 5.00% at worst\n"
                "  it is 12% at M = 5, N = 16, K = 16; a search measures there with T = 5 in 'tune'\n"
                "  on 2 of 4 shapes the regret cannot be said, as their times differ by too much\n"
                "  out/hand\n");
    c.held_out.nresolved = 0;
    tells(&out, "  on 4 of 4 shapes the regret cannot be said, as their times differ by too much: the "
                "machine was too busy\n");
    c.tuned.nresolved = c.tuned.nmeasured;
    c.held_out = (ContractSum){ 0 };
    tells(&out, "  none of the shapes that are held out was measured\n");
    is_silent(&out, "cannot be said");
    modelled.modelled = true;
    one.fewer = NULL;
    s.device = &modelled;
    expect_text(&out, NULL,
                "hand: 1 kernel, 3 KiB, 1 leaf, for avx512 (Synthetic CPU 9000)\n"
                "  no time was measured: kernels were chosen by an analytic model\n"
                "  5 candidates compiled and executed by the emulator, 2 failed; those kept have no spills and no "
                "findings\n"
                "  out/hand\n");
    by_hand_anchors(hand.y.study);
}

TEST(programs_are_told_the_same)
{
    const Result out = hand_of();
    const Proof proof = { .ndeclared = 8, .ncut = 77, .all = true };
    static const char want[] =
        "{'name': 'hand', 'package': 'out/hand', 'records': 'r.jsonl', 'target': 'avx512', "
        "'device': 'Synthetic CPU 9000', 'modelled': false, 'kernels': 2, 'why_fewer': null, 'code_bytes': 3073, "
        "'leaves': 3, "
        "'trials': 5, 'failed': 2, 'measurements': 7, 'model_error': 0.054, 'model_rank': 0.914, 'regret': 0.011, "
        "'curve': [ {'kernels': 1, 'code_bytes': 2073, 'above_best': 0.2, 'kept': false}, "
        "{'kernels': 2, 'code_bytes': 3073, 'above_best': 0.05, 'kept': true}, "
        "{'kernels': 3, 'code_bytes': 5121, 'above_best': 0.01, 'kept': false} ], "
        "'contract': { 'tuned': {'shapes': 3, 'measured': 2, 'resolved': 1, 'mean': 0.011, 'worst': 0.022, "
        "'mean_bound': 0.044, 'worst_bound': 0.055}, 'held_out': {'shapes': 2, 'measured': 2, 'resolved': 1, "
        "'mean': 0.0123, 'worst': 0.05, 'mean_bound': 0.077, 'worst_bound': 0.088} }, "
        "'library_shapes': 2, 'library_speedup': 1.060660172, 'library_speedup_least': 0.75, "
        "'dispatcher_checked': 8, 'dispatcher_checked_beyond': 77, 'dispatcher_checked_all': true}";
    json_text_like(said_of(&out, 1, &proof, true), want);
    const CostReport more = { .nmeasure = 8, .error = 0.1 };
    Result two[] = { out, out };
    two[1].cost = &more;
    const char *text = said_of(two, 2, NULL, true);
    assert_has_all(text, "\"measurements\": 7,", "\"measurements\": 8,", "\"dispatcher_checked\": 0,",
                   "\"dispatcher_checked_all\": false");
}

/* ---- what the package lacks, and what failed ---- */

TEST(what_the_contract_lacks_is_a_warning)
{
    Result out = hand_of();
    Contract c = hand.contract;
    Printed all;
    FILE *to = printed_open(&all);
    out.contract = &c;
    c.tuned.worst_bound = 0.02;
    summary_contract(hand.y.arena, &out, false, to);
    c.tuned.worst_bound = 0.055;
    summary_contract(hand.y.arena, &out, true, to);
    hand.shape[2].measured = true;
    summary_contract(hand.y.arena, &out, true, to);
    Study study = *out.study;
    Spec spec = *study.spec;
    study.spec = &spec;
    out.study = &study;
    spec.function = "one";
    hand.shape[2].measured = false;
    summary_contract(hand.y.arena, &out, false, to);
    summary_contract(hand.y.arena, &out, true, to);
    static const char missing[] =
        "on 1 of the 3 tuned shapes the chosen kernel was not measured, or not beside its rivals: a "
        "search that has time left begins with that\n";
    assert_string_equal(printed_text(&all, hand.y.arena),
                        arena_printf(hand.y.arena,
                                     "dcgen: the regret is above what the spec demands: worst of the "
                                     "tuned shapes 2.20 %%, not 2.00 %%\n"
                                     "dcgen: %sdcgen: avx512: %sdcgen: hand: %sdcgen: hand for avx512: %s",
                                     missing, missing, missing, missing));
}

static const char *list_failures(const Study *s)
{
    return PRINTED(hand.y.arena, to, summary_failures(hand.y.arena, s, to));
}

TEST(failures_are_listed_with_their_parameters)
{
    hand_of();
    Study *s = hand.y.study;
    const Trial before = s->trial[1];
    assert_lacks(list_failures(s), "no good");
    s->trial[1].status = STATUS_WRONG;
    s->trial[1].why = "no good";
    assert_has(list_failures(s),
               arena_printf(hand.y.arena, "wrong: %s: no good\n", words_candidate(hand.y.arena, &before.c)));
    s->trial[1].built = false; /* it was proposed only */
    assert_lacks(list_failures(s), "no good");
    s->trial[1] = before;
}

/* A template is told of where some of its kernels were tried, and none of them works. */
TEST(templates_without_kernels_are_told)
{
    Result out = hand_of();
    Study *s = hand.y.study;
    Trial before[HAND_TRIAL];
    memcpy(before, s->trial, sizeof before);
    for (int failing = 0; failing < 3; failing++) {
        for (int64_t i = 0; i < s->ntrial; i++) {
            s->trial[i] = before[i];
            s->trial[i].built = failing < 2;
            s->trial[i].status = failing > 0 ? STATUS_WRONG : before[i].status;
            s->trial[i].why = "no good";
        }
        const char *text = PRINTED(hand.y.arena, to, summary_templates(hand.y.arena, &out, to));
        if (failing != 1) {
            assert_string_equal(text, "");
        } else {
            assert_has_all(text, " that could be built works: ", " x wrong: no good\n    for one: ");
        }
    }
    memcpy(s->trial, before, sizeof before);
}

/* Where machines that lack the tuned target have no kernel, that is told, and why. */
TEST(machines_without_kernels_are_told)
{
    const Result out = hand_of();
    const Target *portable = target_find(&hand.y.targets, "portable");
    for (int failing = 0; failing < 2; failing++) {
        Study s = *out.study;
        Result r = out;
        s.trial = ARENA_ARRAY(hand.y.arena, (size_t)s.ntrial + 64, Trial);
        memcpy(s.trial, out.study->trial, (size_t)s.ntrial * sizeof *s.trial);
        for (int i = 0; i < out.templates->n; i++) {
            Trial *t = &s.trial[s.ntrial];
            *t = (Trial){ .key = "", .built = true, .status = failing ? STATUS_WRONG : STATUS_OK, .why = "no good" };
            s.ntrial += template_suits(out.templates->t[i], s.spec, portable) &&
                        candidate_general(out.templates->t[i], portable, 0, &t->c);
        }
        study_index(&s);
        r.study = &s;
        const char *text = PRINTED(hand.y.arena, to, summary_lacking(hand.y.arena, &(ResultList){ &r, 1 }, to));
        if (failing) {
            assert_has(text, "hand: no general kernel works for portable: calls on machines that need it "
                             "return hand_BAD_KERNEL; ");
            assert_has(text, " is wrong: no good\n");
        } else {
            assert_string_equal(text, "");
        }
    }
}

/* ---- check ---- */

TEST(check_tells_of_the_space)
{
    hand_of();
    const Template *t = hand.y.study->trial[0].c.t;
    Rejection rejection[] = { { t, &t->constraint[0], 0 }, { t, &t->constraint[0], 12345 } };
    Candidate general = hand.y.study->trial[0].c;
    Space space = {
        .n = 77, .nraw = 99999, .nrejection = 2, .rejection = rejection, .ngeneral = 1, .general = &general
    };
    Probe p = { &space, *hand.y.study->device };
    const char *line =
                   arena_printf(hand.y.arena, "hand: %s, f32, 8 shapes, 3 of them tuned; 77 candidates for avx512\n",
                                hand.y.spec->op->name),
               *rest =
                   arena_printf(hand.y.arena,
                                "op: %s\n"
                                "target: avx512 on Synthetic CPU 9000: 32 vector registers of 64 bytes; L1 32 KiB, L2 "
                                "1024 KiB, L3 32768 KiB, 8 "
                                "cores\n"
                                "space: 77 candidates of 99999 combinations\n"
                                "       12345 rejected: %s: %s\n              (%s)\n",
                                hand.y.spec->op->doc, t->name, t->constraint[0].why, expr_text(t->constraint[0].need));
    for (int how = 0; how < 3; how++) { /* a line, all, JSON */
        const char *text =
            PRINTED(hand.y.arena, to, summary_check(hand.y.arena, hand.y.spec, &p, 1, how == 2, how == 1, to));
        if (how == 2)
            json_text_like(text, arena_printf(hand.y.arena,
                                              "{'name': 'hand', 'shapes': 8, 'tuned': 3, 'target': 'avx512', 'device': "
                                              "'Synthetic CPU 9000', 'runs': true, 'candidates': 77, 'combinations': "
                                              "99999, 'rejected': [ {'template': '%s', 'need': '%s', 'why': '%s', "
                                              "'count': 0}, {'template': '%s', 'need': '%s', 'why': '%s', 'count': "
                                              "12345} ]}",
                                              t->name, expr_text(t->constraint[0].need), t->constraint[0].why, t->name,
                                              expr_text(t->constraint[0].need), t->constraint[0].why));
        else
            assert_string_equal(text, how == 0 ? line : arena_printf(hand.y.arena, "%s%s", line, rest));
    }
    p.device.nisa = 0;
    general.target = target_find(&hand.y.targets, "sm_90a");
    assert_has(PRINTED(hand.y.arena, to, summary_check(hand.y.arena, hand.y.spec, &p, 1, false, true, to)),
               "\ntarget: sm_90a on Synthetic CPU 9000, which does not run it: 8 multiprocessors, each "
               "with 32 KiB of shared memory; L2 1024 KiB\n");
}

TEST_FILE(by_hand_setup, by_hand_teardown)
