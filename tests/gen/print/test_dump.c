/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: what each stage made, as a table and as JSON, of figures that are set by hand.
 */
#include "tests/test.h"
#include "gen/base/number.h"
#include "gen/print/dump.h"
#include "search/build/build.h"
#include "search/measure/runner.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/golden.h"
#include "tests/gen/json_like.h"
#include "tests/kept_list.h"

static DumpInput input;
static Space space;
static SearchTrace trace;
static TraceStep step[2];

static int setup(void **state)
{
    if (by_hand_setup(state))
        return -1;
    Trial *t = hand.y.study->trial;
    static const int best[HAND_SHAPE] = { 1, 1, 0, 1, 1, 0, 0, 1 };
    memcpy(hand.as.best, best, sizeof best);
    hand.as.regret = 0.0312;
    for (int i = 0; i < 5; i++)
        hand.node[i].npoint = (int64_t[]){ 8, 1, 6, 3, 3 }[i];
    space = (Space){ .n = 2, .nraw = 77, .ngeneral = 1, .general = &t[2].c, .nrejection = 1 };
    space.candidate = ARENA_ARRAY(hand.y.arena, 2, Candidate);
    space.candidate[0] = t[0].c;
    space.candidate[1] = t[1].c;
    space.rejection = ARENA_ARRAY(hand.y.arena, 1, Rejection);
    space.rejection[0] = (Rejection){ t[0].c.t, &t[0].c.t->constraint[0], 12 };
    step[0] = (TraceStep){ .c = t[1].c, .round = 0, .gain = INFINITY, .nshape = 3 };
    step[1] = (TraceStep){ .c = t[0].c, .round = 4, .gain = 0.025, .nshape = 2 };
    trace = (SearchTrace){ .nstep = 2, .step = step, .nrecord = 5, .same = true };
    input = (DumpInput){ .spec = hand.y.spec,
                         .space = &space,
                         .trials = -1,
                         .seed = 5,
                         .result = by_hand_result(&hand, 0),
                         .trace = &trace };
    return 0;
}

/* What is said of it on the way. */
static const char *said;

static const char *dumped(DumpStage stage, bool json)
{
    Diag *d = diag_new(hand.y.arena);
    const char *text = PRINTED(hand.y.arena, to, dump(hand.y.arena, stage, &input, json, to, d));
    said = golden_diag(hand.y.arena, d);
    return text;
}

/* Its values are those of the last one that is asked for. */
static const UnitKernel *kernel_of(const Candidate *c)
{
    static int64_t value[TEMPLATE_MAX_PARAM];
    static UnitKernel k;
    candidate_values(c, value);
    k = (UnitKernel){ .t = c->t, .target = c->target, .value = value };
    return &k;
}

static const char *words(int trial) { return unit_kernel_text(hand.y.arena, kernel_of(&hand.y.study->trial[trial].c)); }

/* Of a trial: "'template': ..., 'target': ..., 'params': {...}". */
static const char *object(int trial)
{
    const UnitKernel *k = kernel_of(&hand.y.study->trial[trial].c);
    const char *params = "";
    for (int i = 0; i < k->t->nparam; i++)
        params =
            arena_printf(hand.y.arena, "%s%s'%s': %d", params, i ? ", " : "", k->t->param[i].name, (int)k->value[i]);
    return arena_printf(hand.y.arena, "'template': '%s', 'target': '%s', 'params': {%s}", k->t->name, k->target->name,
                        params);
}

TEST(the_spec)
{
    assert_string_equal(dumped(DUMP_SPEC, false),
                        "hand: dense of f32; layout W: NK\nbudget: 4 kernels, 64 KiB, 8 trials, 10 s\n"
                        "dim T: 1 to 8; tuned at 1 3 8\nshape 0: M = T; N = 16; K = 16; weight 1\n"
                        "M=1 N=16 K=16 threads=1  shape 0  weight 1  tuned\n"
                        "M=2 N=16 K=16 threads=1  shape 0  weight 9\n"
                        "M=3 N=16 K=16 threads=1  shape 0  weight 2  tuned\n"
                        "M=4 N=16 K=16 threads=1  shape 0  weight 1\nM=5 N=16 K=16 threads=1  shape 0  weight 1\n"
                        "M=6 N=16 K=16 threads=1  shape 0  weight 3\nM=7 N=16 K=16 threads=1  shape 0  weight 5\n"
                        "M=8 N=16 K=16 threads=1  shape 0  weight 1  tuned\n");
    static const int weight[] = { 1, 9, 2, 1, 1, 3, 5, 1 };
    const char *list = "";
    for (int m = 1; m <= HAND_SHAPE; m++)
        list = arena_printf(hand.y.arena,
                            "%s%s{'M': %d, 'N': 16, 'K': 16, 'threads': 1, 'shape': 0, 'weight': %d, 'tuned': %s}",
                            list, m > 1 ? ", " : "", m, weight[m - 1], m == 1 || m == 3 || m == 8 ? "true" : "false");
    json_text_like(
        dumped(DUMP_SPEC, true),
        arena_printf(
            hand.y.arena,
            "{'name': 'hand', 'op': 'dense', 'dtype': 'f32', 'layout': {'W': 'NK'}, 'packed': false, 'accuracy': 1, "
            "'epilogue': '', 'target': ['host'], 'budget': {'kernels': 4, 'code_kib': 64, 'trials': "
            "8, 'seconds': 10}, 'dims': [{'name': 'T', 'min': 1, 'max': 8, 'tune': [1, 3, 8]}], "
            "'shapes': [{'M': 'T', 'N': '16', 'K': '16', 'weight': 1}], 'instances': [%s]}",
            list));
}

TEST(the_space)
{
    const Rejection *r = &space.rejection[0];
    assert_string_equal(
        dumped(DUMP_SPACE, false),
        arena_printf(hand.y.arena, "2 candidates of 77 combinations\nrejected 12: %s: %s (%s)\ngeneral: %s\n%s\n%s\n",
                     r->t->name, r->constraint->why, expr_text(r->constraint->need), words(2), words(0), words(1)));
    json_text_like(dumped(DUMP_SPACE, true),
                   arena_printf(hand.y.arena,
                                "{'combinations': 77, 'rejected': [{'template': '%s', 'need': '%s', 'why': '%s', "
                                "'count': 12}], 'general': [{%s}], 'candidates': [{%s}, {%s}]}",
                                r->t->name, expr_text(r->constraint->need), r->constraint->why, object(2), object(0),
                                object(1)));
}

TEST(the_records)
{
    KernelRecord kernel[] = {
        { .key = "a", .device = "d", .template_name = "t", .target = "avx2", .nparam = 2, .why = "" },
        { .key = "b", .device = "d", .template_name = "t", .target = "avx2", .status = STATUS_CRASHED, .why = "bad" }
    };
    MeasureRecord measure[] = { { .key = "a",
                                  .device = "d",
                                  .naxis = 3,
                                  .extent = KEPT(int64_t, 2, 3, 4),
                                  .threads = 2,
                                  .nsample = 5,
                                  .median_ns = 1250,
                                  .spread = 0.015,
                                  .final = true,
                                  .why = "" },
                                { .key = "b",
                                  .device = "d",
                                  .naxis = 2,
                                  .extent = KEPT(int64_t, 5, 6),
                                  .threads = 1,
                                  .status = STATUS_WRONG,
                                  .why = "off" } };
    LimitRecord limit = { "d", "avx2", "f32", 2, 1.5e11, { 4e11, 0, 2e10, 1e10 }, 1755, 1180, 900, 1.6e11 };
    SpecRecord spec = { "c",  "resnet", "stem", "avx2", "conv2d", "f32", "X: NHWC",
                        true, "relu",   "",     "",     4,        1,     { { "PAD", 1 } } };
    const Records r = { .ndevice = 1,
                        .device = &hand.y.device,
                        .nspec = 1,
                        .spec = &spec,
                        .nkernel = 2,
                        .kernel = kernel,
                        .nmeasure = 2,
                        .measure = measure,
                        .nlimit = 1,
                        .limit = &limit,
                        .nignored = 6 };
    kernel[0].param = KEPT(Param, { "MR", 8 }, { "NP", 3 });
    input.result.records = &r;
    assert_string_equal(
        dumped(DUMP_RECORDS, false),
        "1 devices, 2 kernels, 2 measurements; 6 lines ignored\n"
        "device 0123456789abcdef: Synthetic CPU 9000, 8 cores; gcc (Debian 12.2.0) 12.2.0 -O3 -std=gnu17\n"
        "spec resnet_stem for avx2: conv2d in f32, layout 'X: NHWC', packed, formula 'relu', accuracy 4, PAD=1\n"
        "kernel a on d: t avx2 MR=8 NP=3: ok\nkernel b on d: t avx2: crashed: bad\n"
        "measure a on d: 2x3x4 threads=2: ok, 1.25 us, spread 1.5 % of 5 samples, raced\n"
        "measure b on d: 5x6 threads=1: wrong: off\n"
        "limit avx2 f32 on d, threads=2: 150 GFLOP/s, l1 400 GB/s, l3 20.0 GB/s, memory 10.0 GB/s"
        ", 1755 MHz, launch 1.18 us, handover 900 ns, reuse 160 GFLOP/s\n");
    input.result.records = NULL;
}

TEST(the_model)
{
    static const int m[] = { 1, 3, 8 };
    const Study *s = hand.y.study;
    const CostReport c = cost_report(hand.y.arena, s, &hand.y.templates);
    const char *rows = "", *trials = "";
    for (int i = 0; i < 5; i++) {
        const char *shapes = "";
        for (int j = 0; j < HAND_TUNED; j++) {
            const double ns = by_hand_trial[i].ns[j];
            const double guess = cost_predict(hand.y.model, &s->trial[i].c, s->shape[j]->extent, 1);
            if (ns == 0)
                continue;
            rows = arena_printf(hand.y.arena, "%s%s  M=%d N=16 K=16 threads=1  %s, predicted %s (%+.1f %%)\n", rows,
                                words(i), m[j], number_time(hand.y.arena, ns), number_time(hand.y.arena, guess),
                                100 * (guess / ns - 1));
            shapes = arena_printf(hand.y.arena,
                                  "%s%s{'M': %d, 'N': 16, 'K': 16, 'threads': 1, 'measured_ns': %g, 'predicted_ns': "
                                  "%.9g}",
                                  shapes, *shapes ? ", " : "", m[j], ns, guess);
        }
        trials = arena_printf(hand.y.arena, "%s%s{%s, 'status': '%s', 'shapes': [%s]}", trials, i ? ", " : "",
                              object(i), status_name(by_hand_trial[i].status), shapes);
    }
    const char *text = dumped(DUMP_MODEL, false);
    assert_int_equal(c.nmeasure, 9);
    assert_int_equal(strncmp(text, "9 measurements, ", 16), 0);
    for (int line = 0; line < 4; line++)
        text = strchr(text, '\n') + 1;
    assert_string_equal(text, rows);
    json_t *got = json_loads(dumped(DUMP_MODEL, true), 0, NULL);
    char *found = json_dumps(json_object_get(got, "trials"), 0);
    json_text_like(found, arena_printf(hand.y.arena, "[%s]", trials));
    free(found);
    assert_int_equal(json_integer_value(json_object_get(got, "measurements")), 9);
    assert_int_equal(json_integer_value(json_object_get(got, "features")), c.nfeature);
    static const char *const key[] = { "lambda",       "loo_rmse_log2", "error",         "rank",
                                       "pad_exponent", "occ_exponent",  "analytic_rank", "analytic_regret" };
    const double value[] = { c.lambda,       c.loo_rmse,     c.error,         c.order.rank,
                             c.pad_exponent, c.occ_exponent, c.analytic.rank, c.analytic.regret };
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        json_t *want = isfinite(value[i]) ? json_real(value[i]) : json_null();
        json_like(json_object_get(got, key[i]), want, key[i]);
        json_decref(want);
    }
    json_decref(got);
}

TEST(the_choice)
{
    assert_string_equal(
        dumped(DUMP_ASSIGN, false),
        arena_printf(hand.y.arena,
                     "2 kernels, 3.00 KiB, mean regret 3.1 %%\nk0: %s, 2.02 KiB, general\nk1: %s, 1000 bytes\n"
                     "M=1 N=16 K=16 threads=1  k1 1.00 us, best known 1.00 us, tuned\n"
                     "M=2 N=16 K=16 threads=1  k1 1.80 us, best known 1.00 ns\n"
                     "M=3 N=16 K=16 threads=1  k0 2.00 us, best known 2.00 us, tuned\n"
                     "M=4 N=16 K=16 threads=1  k0 4.00 us, best of the package k1 3.20 us, best known 1.00 ns\n"
                     "M=5 N=16 K=16 threads=1  k0 5.00 us, best of the package k1 4.00 us, best known 1.00 ns\n"
                     "M=6 N=16 K=16 threads=1  k1 6.60 us, best of the package k0 6.00 us, best known 1.00 ns\n"
                     "M=7 N=16 K=16 threads=1  k1 7.70 us, best of the package k0 7.00 us, best known 1.00 ns\n"
                     "M=8 N=16 K=16 threads=1  k1 8.00 us, best known 6.40 us, tuned\n",
                     words(1), words(0)));
    const char *list = "";
    for (int i = 0; i < HAND_SHAPE; i++)
        list = arena_printf(hand.y.arena,
                            "%s%s{'M': %d, 'N': 16, 'K': 16, 'threads': 1, 'tuned': %s, 'kernel': %d, 'ns': %g, "
                            "'best_kernel': %d, 'best_kernel_ns': %g, 'best_known_ns': %g}",
                            list, i ? ", " : "", i + 1, i == 0 || i == 2 || i == 7 ? "true" : "false",
                            by_hand_chosen[i], by_hand_cost[2 * i + by_hand_chosen[i]], hand.as.best[i],
                            fmin(by_hand_cost[2 * i], by_hand_cost[2 * i + 1]), by_hand_oracle[i]);
    json_text_like(dumped(DUMP_ASSIGN, true),
                   arena_printf(hand.y.arena,
                                "{'code_bytes': 3073, 'regret': 0.0312, 'general': 0, 'kernels': [{%s, 'code_bytes': "
                                "2073}, {%s, 'code_bytes': 1000}], 'instances': [%s]}",
                                object(1), object(0), list));
}

TEST(the_tree)
{
    hand.node[2].feature = 3; /* behind the extents */
    assert_string_equal(dumped(DUMP_TREE, false), "3 leaves, 2 levels; the first branch is taken when the test holds\n"
                                                  "M <= 2?  8 shapes\n  k1  1 shape\n  threads <= 5?  6 shapes\n"
                                                  "    k0  3 shapes\n    k1  3 shapes\n");
    json_text_like(dumped(DUMP_TREE, true),
                   "{'shapes': 8, 'name': 'M', 'at_most': 2, 'yes': {'shapes': 1, 'kernel': 1}, 'no': {'shapes': 6, "
                   "'name': 'threads', 'at_most': 5, 'yes': {'shapes': 3, 'kernel': 0}, 'no': {'shapes': 3, 'kernel': "
                   "1}}}");
    hand.node[2].feature = 0;
}

TEST(the_search)
{
    assert_string_equal(dumped(DUMP_TRACE, false),
                        arena_printf(hand.y.arena,
                                     "2 kernels in 5 rounds; they are the 5 of the records, in their order\n"
                                     "0 0 gain - on 3 shapes: %s\n4 1 gain 2.5 %% on 2 shapes: %s\n",
                                     words(1), words(0)));
    json_text_like(dumped(DUMP_TRACE, true),
                   arena_printf(hand.y.arena,
                                "{'same': true, 'recorded': 5, 'trials': [{%s, 'round': 0, 'gain': null, 'shapes': 3}, "
                                "{%s, 'round': 4, 'gain': 0.025, 'shapes': 2}]}",
                                object(1), object(0)));
    trace.nstep = 0;
    trace.same = false;
    assert_string_equal(dumped(DUMP_TRACE, false),
                        "0 kernels in 0 rounds; they are not the 5 of the records, in their order\n");
}

/* ---- what is compiled ---- */

static const char *code_of(const Candidate *c)
{
    const char *code = unit_candidate(hand.y.arena, &input.result.unit, kernel_of(c), diag_new(hand.y.arena));
    assert_non_null(code);
    return code;
}

static void flags_are(const json_t *got, const Toolchain *want)
{
    size_t n = 0;
    for (; want->flags[n]; n++)
        assert_string_equal(json_string_value(json_array_get(got, n)), want->flags[n]);
    assert_int_equal(json_array_size(got), n);
}

static const char *string_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    assert_non_null(s);
    return s;
}

/* All of the space, the general kernel first; what is in it twice once. */
TEST(the_source)
{
    Arena *a = hand.y.arena;
    const Candidate *want[] = { &hand.y.study->trial[2].c, &hand.y.study->trial[0].c, &hand.y.study->trial[1].c };
    Candidate list[] = { *want[1], *want[0], *want[2], *want[1] };
    const Space four = { .n = 4, .ngeneral = 1, .general = (Candidate *)want[0], .candidate = list };
    input.space = &four;
    assert_string_equal(dumped(DUMP_SOURCE, false),
                        arena_printf(a, "%s\n%s\n%s", code_of(want[0]), code_of(want[1]), code_of(want[2])));
    json_t *got = json_loads(dumped(DUMP_SOURCE, true), JSON_REJECT_DUPLICATES, NULL), *c;
    const json_t *reference = json_object_get(got, "reference");
    const char *text = text_read_file(a, hand.y.spec->op->reference, NULL);
    const Toolchain cc = toolchain_make(a, "gcc", &family_cpu, "", false);
    size_t i;
    assert_string_equal(string_of(reference, "code"),
                        unit_reference(a, hand.y.spec, DCGEN_SOURCE_DIR "/templates/package", text, diag_new(a)));
    flags_are(json_object_get(reference, "flags"), &cc);
    json_t *setup = runner_setup(hand.y.spec->op, "f32", 5, NULL);
    json_like(json_object_get(got, "setup"), setup, "setup");
    json_decref(setup);
    assert_int_equal(json_array_size(json_object_get(got, "candidates")), 3);
    json_array_foreach(json_object_get(got, "candidates"), i, c)
    {
        assert_string_equal(string_of(c, "key"),
                            candidate_key(a, want[i], unit_context_hash(a, &input.result.unit), &hand.y.device));
        assert_string_equal(string_of(c, "template"), want[i]->t->name);
        assert_string_equal(string_of(c, "target"), "avx512");
        assert_string_equal(string_of(c, "code"), code_of(want[i]));
        const json_t *params = json_object_get(c, "params");
        const int64_t *value = kernel_of(want[i])->value;
        assert_int_equal(json_object_size(params), want[i]->t->nparam);
        for (int k = 0; k < want[i]->t->nparam; k++)
            assert_int_equal(json_integer_value(json_object_get(params, want[i]->t->param[k].name)), value[k]);
        flags_are(json_object_get(c, "cc"), &cc);
        assert_int_equal(json_object_size(c), 6);
    }
    json_decref(got);
    input.space = &space;
}

/* What cannot be made into text is said, and is null. */
TEST(a_source_that_cannot_be_read)
{
    Op *op = (Op *)hand.y.spec->op;
    const char *before = op->reference;
    op->reference = "/nowhere/reference.c";
    json_t *got = json_loads(dumped(DUMP_SOURCE, true), 0, NULL);
    op->reference = before;
    assert_true(json_is_null(json_object_get(json_object_get(got, "reference"), "code")));
    assert_has(said, "/nowhere/reference.c: No such file or directory");
    json_decref(got);
    dumped(DUMP_SOURCE, true);
    assert_string_equal(said, "");
}

/* For GPUs the flags of two compilers. */
TEST(the_source_for_gpus)
{
    Arena *a = hand.y.arena;
    const Target *target = target_find(&hand.y.targets, "sm_80");
    const Device device = device_typical(a, target);
    const UnitContext before = input.result.unit,
                      gpu = { hand.y.spec, &device, &hand.y.targets, before.package_dir, target };
    Candidate c;
    int i = 0;
    while (i < hand.y.templates.n && !candidate_general(hand.y.templates.t[i], target, 0, &c))
        i++;
    assert_true(i < hand.y.templates.n);
    const Space one = { .ngeneral = 1, .general = &c };
    input.space = &one;
    input.result.unit = gpu;
    json_t *got = json_loads(dumped(DUMP_SOURCE, true), 0, NULL);
    const json_t *first = json_array_get(json_object_get(got, "candidates"), 0);
    const Toolchain nvcc = toolchain_make(a, "nvcc", &family_cuda, target->gencode, false),
                    emulator = toolchain_emulator(a, "g++", gpu.package_dir);
    flags_are(json_object_get(first, "nvcc"), &nvcc);
    flags_are(json_object_get(first, "emulator"), &emulator);
    assert_null(json_object_get(first, "cc"));
    assert_string_equal(string_of(first, "code"), code_of(&c));
    json_decref(got);
    input.space = &space;
    input.result.unit = before;
}

static const char *names_of(int trials, uint64_t seed, int *n)
{
    const DumpInput before = input;
    const char *names = "", *name;
    input.trials = trials;
    input.seed = seed;
    json_t *got = json_loads(dumped(DUMP_SOURCE, true), 0, NULL), *c;
    input = before;
    size_t i;
    *n = (int)json_array_size(json_object_get(got, "candidates"));
    json_array_foreach(json_object_get(got, "candidates"), i, c)
    {
        name = arena_printf(hand.y.arena, "%.2s-%s ", string_of(c, "template"), string_of(c, "key"));
        assert_lacks(names, name); /* each once */
        names = arena_printf(hand.y.arena, "%s%s", names, name);
    }
    json_decref(got);
    return names;
}

/* The general kernels of two templates, then one of each in turn, drawn by the seed. */
TEST(a_part_of_the_source)
{
    enum { EACH = 40 };
    Template other = *hand.y.study->trial[0].c.t;
    Candidate list[2 * EACH], general[2];
    Candidate c = hand.y.study->trial[0].c;
    const Space two = { .n = 2 * EACH, .ngeneral = 2, .general = general, .candidate = list };
    other.name = "other";
    for (int64_t i = 0, n = 0; n < EACH; i++) {
        assert_true(i < hand.y.space->n);
        if (hand.y.space->candidate[i].t == c.t) {
            list[n] = list[n + EACH] = hand.y.space->candidate[i];
            list[n++ + EACH].t = &other;
        }
    }
    general[0] = list[0];
    general[1] = list[EACH];
    input.space = &two;
    int n;
    const char *all = names_of(8, 1, &n), *first = c.t->name;
    assert_int_equal(n, 8);
    for (const char *s = all; *s; s = strchr(s, ' ') + 1)
        assert_int_equal(strncmp(s, n-- % 2 ? "ot" : first, 2), 0);
    assert_string_equal(names_of(8, 1, &n), all);
    assert_string_not_equal(names_of(8, 2, &n), all);
    assert_int_equal(strncmp(names_of(3, 1, &n), all, strlen(all) / 8 * 3), 0);
    assert_int_equal(n, 3);
    names_of(1, 1, &n); /* fewer than there are general kernels */
    assert_int_equal(n, 1);
    names_of(500, 1, &n); /* more than there are */
    assert_int_equal(n, 2 * EACH);
    input.space = &space;
}

TEST_FILE(setup, by_hand_teardown)
