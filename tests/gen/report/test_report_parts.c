/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the report, without gnuplot: every cell of its tables, and the numbers that its figures are drawn from, worked out by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "gen/base/number.h"
#include "gen/report/choice.h"
#include "gen/report/explain_private.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"
#include "tests/gen/by_hand.h"

enum { FIRST = 10 }; /* the package's number of the first kernel */
static const char VERSION[] = "1.2.3";
#define US "\xc2\xb5s"
#define DAGGER "\xe2\x80\xa0"
#define TIMES "\xc3\x97"

static ByHand hand;
static Result input;
static Roofline roofline; /* of parts */

static int setup(void **state)
{
    (void)state;
    if (!by_hand_make(&hand))
        return -1;
    input = by_hand_result(&hand, FIRST);
    roofline = roofline_make(hand.y.arena, hand.y.study, input.records);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(hand.y.arena);
    return 0;
}

static Report *report_with(const Result *in)
{
    Report *r = report_begin(hand.y.arena, in, VERSION, false);
    r->roofline = roofline;
    return r;
}

/* The sign that an entity is at p, as text; what is behind it. */
static const char *add_sign(Text *t, const char *p)
{
    static const char *const entity[][2] = {
        { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&#39;", "'" }
    };
    for (size_t i = 0; i < sizeof entity / sizeof *entity; i++)
        if (strncmp(p, entity[i][0], strlen(entity[i][0])) == 0) {
            text_add(t, entity[i][1]);
            return p + strlen(entity[i][0]) - 1;
        }
    text_addn(t, p, 1);
    return p;
}

/* HTML without its tags and its empty lines: a cell ends with " | ", a row is a line, the end of a line within a paragraph is a blank. */
static const char *cells_of(const char *html)
{
    Text t = { .arena = hand.y.arena };
    for (const char *p = html; *p; p++) {
        if (*p != '<') {
            if (*p == '\n' && (strncmp(p + 1, "<td", 3) == 0 || strncmp(p + 1, "<th ", 4) == 0))
                continue;
            if (*p == '\n' && p[1] != '<')
                text_add(&t, " ");
            else if (*p != '\n' || (t.len && t.s[t.len - 1] != '\n'))
                p = add_sign(&t, p);
            continue;
        }
        if (strncmp(p, "</td>", 5) == 0 || strncmp(p, "</th>", 5) == 0)
            text_add(&t, " | ");
        p = strchr(p, '>');
    }
    return text_str(&t);
}

/* What the page says in the section of that name. */
static const char *written(const char *section)
{
    const char *why = NULL;
    Report *r = report_with(&input);
    const char *html = report_fill(hand.y.arena, &input, &r, 1, &why);
    if (!html)
        fail_msg("%s", why);
    const char *begin = strstr(html, arena_printf(hand.y.arena, "<h2 id=\"%s\">", section));
    const char *end = begin ? strstr(begin, "</section>") : NULL;
    assert_non_null(end);
    return cells_of(arena_strndup(hand.y.arena, begin, (size_t)(end - begin)));
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* ---- tables ---- */

static void tells_what_was_tuned(void **state)
{
    (void)state;
    const char *doc = hand.y.spec->op->doc, *text = written("setting");
    expect(text,
           arena_printf(hand.y.arena,
                        "Operator | dense: %s | \nElement type | f32 | \nEpilogue | none | \nConstant operand | W: "
                        "NK | \nDimensions | T = 1 to 8 | \nThreads | 1 | \nBudget | 4 kernels, 64 KiB of code | "
                        "\nDevice | Synthetic CPU 9000 (x86_64, 8 cores; L1 32.0 KiB, L2 1.00 MiB, L3 32.0 MiB) | "
                        "\nTarget | avx512 (the device runs avx512, avx2, portable) | \nCompiler | gcc (Debian "
                        "12.2.0) 12.2.0 | \nFlags | -O3 -std=gnu17 | \nGenerator | dcgen 1.2.3 | \n",
                        doc));
    expect(text, "M | N | K | weight | \nT | 16 | 16 | 1.00 | \n");
}

/* A GPU, a CPU of one core, an operand that nobody lays out, two numbers of threads. */
static void tells_what_else_may_be_tuned(void **state)
{
    (void)state;
    Device one = *hand.y.study->device;
    Study gpu = *hand.y.study;
    Spec spec = *hand.y.spec;
    one.cores = 1;
    gpu.device = &one;
    input.study = &gpu;
    expect(written("setting"),
           "Device | Synthetic CPU 9000 (x86_64, 1 core; L1 32.0 KiB, L2 1.00 MiB, L3 32.0 MiB) | \n");
    gpu.target = target_find(&hand.y.targets, "sm_80");
    expect(written("setting"), "Device | Synthetic CPU 9000 (x86_64, 1 multiprocessors, each with 32.0 KiB "
                               "of shared memory; L2 1.00 MiB) | \n");
    gpu = *hand.y.study;
    gpu.spec = &spec;
    spec.const_operand = -1;
    spec.nthread = 2;
    spec.threads[1] = 2;
    expect(written("setting"), "Constant operand | as the operator says | \n");
    expect(written("shapes"), "M | N | K | threads | weight | ");
    expect(written("shapes"), "\n3 | 16 | 16 | 1 | 2.00 | k10 | ");
    input.study = hand.y.study;
}

static void tells_what_the_machine_does(void **state)
{
    (void)state;
    const char *text = written("setting");
    expect(text, "threads | peak, GFLOP/s | L1, GB/s | L2, GB/s | L3, GB/s | memory, GB/s | \n"
                 "1 | 1.00 | 4.00 | - | 2.00 | 1.00 | \n");
    expect(text, "Measured throughout the search");
    assert_null(strstr(text, "was faster than that"));
    roofline.raised = roofline.modelled = true;
    roofline.bytes[LEVEL_L2] = 0;
    text = written("setting");
    expect(text, "threads | peak, GFLOP/s | L1, GB/s | L3, GB/s | memory, GB/s | \n1 | 1.00 | 4.00 | 2.00 | 1.00 | \n");
    expect(text, "Of the target's data sheet. A kernel was faster than that: where it was, its rate counts.");
    roofline.raised = roofline.modelled = false;
    roofline.bytes[LEVEL_L2] = 1 << 20;
}

/* 512 M operations; of M = 8 the contract says nothing, and a kernel that is not kept is the fastest. */
static void tells_of_each_tuned_shape(void **state)
{
    (void)state;
    expect(written("shapes"),
           "M | N | K | weight | kernel | time | GFLOP/s | above best | times differ | runner-up | its margin | \n"
           "1 | 16 | 16 | 1.00 | k11 | 1.00 " US " | 0.512 | 0.0 % | 1.0 % | k10 | 25.0 % | \n"
           "3 | 16 | 16 | 2.00 | k10 | 2.00 " US " | 0.768 | " DAGGER " 0.0 % | 50.0 % | k11 | 50.0 % | \n"
           "8 | 16 | 16 | 1.00 | k11 | 8.00 " US " | 0.512 | 25.0 % | - | k10 | 12.5 % | \n");
    /* of one kernel, which was not measured on M = 8 */
    const Assignment kept = hand.as;
    hand.as.nkernel = 1;
    hand.as.cost = (double[]){ 1250, 2000, 2000, 4000, 5000, 6000, 7000, 9000 };
    hand.as.chosen = (int[HAND_SHAPE]){ 0 };
    hand.y.study->trial[1].ns[2] = 0;
    expect(written("shapes"), "\n8 | 16 | 16 | 1.00 | k10 | ~ 9.00 " US " | 0.455 | 40.6 % | - | - | - | \n");
    hand.y.study->trial[1].ns[2] = 9000;
    hand.as = kept;
    hand.shape[0].spread = 0;
    expect(written("shapes"), "| 0.512 | 0.0 % | - | k10 | 25.0 % | \n");
    by_hand_contract(&hand);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

/* There is room for 500 rows. The shapes that weigh most have one each, wherever they stand; those that weigh least share the rest. */
static void shows_the_heaviest_of_very_many_shapes(void **state)
{
    (void)state;
    enum { LIGHT = 450, MIDDLE = 60, HEAVY = 90, ALL = LIGHT + MIDDLE + HEAVY };
    Study s = *hand.y.study;
    const Instance *inst = hand.y.spec->instance; /* of M = 1 the weight is 1, of M = 3 it is 2, of M = 2 it is 9 */
    s.nshape = ALL;
    s.shape = ARENA_ARRAY(hand.y.arena, ALL, const Instance *);
    for (int j = 0; j < ALL; j++)
        s.shape[j] = &inst[j < LIGHT ? 0 : j < LIGHT + MIDDLE ? 2 : 1];
    s.anchor = ARENA_ARRAY(hand.y.arena, ALL, Anchor);
    s.trial = ARENA_ARRAY(hand.y.arena, HAND_TRIAL, Trial);
    for (int i = 0; i < HAND_TRIAL; i++) { /* as if nothing were measured */
        s.trial[i] = hand.y.study->trial[i];
        s.trial[i].ns = ARENA_ARRAY(hand.y.arena, ALL, double);
        s.trial[i].final = ARENA_ARRAY(hand.y.arena, ALL, bool);
    }
    input.study = &s;
    input.contract = NULL;
    const char *text = written("shapes");
    assert_int_equal(count(text, "\n2 | 16 | 16 | 9.00 |"), HEAVY);
    assert_int_equal(count(text, "\n3 | 16 | 16 | 2.00 |"), MIDDLE);
    assert_int_equal(count(text, "\n1 | 16 | 16 | 1.00 |"), 500 - HEAVY - MIDDLE);
    expect(text, "500 of 600 tuned shapes are shown, the heaviest.");
    s.nshape = 500;
    text = written("shapes");
    assert_int_equal(count(text, " | 16 | 16 | "), 2 * 500); /* in two tables */
    assert_null(strstr(text, "are shown"));
    input.study = hand.y.study;
    input.contract = &hand.contract;
}

/* The bound of M = 3 is 1536 ns, of which 2 us reach 76.8 %. */
static void tells_of_rivals(void **state)
{
    (void)state;
    static const double ns[] = { 1000, 2000, 8000 };
    static const int64_t trial[] = { 0, 1, 0 }, m[] = { 1, 3, 8 };
    static const char *const library[] = { TIMES " 1.50", "-", TIMES " 0.750" };
    static const char *const roof[] = { "512 ns | 51.2 %", "1.54 " US " | 76.8 %", "4.10 " US " | 51.2 %" };
    static const char *const time[] = { "1.00 " US, "2.00 " US, "8.00 " US };
    const char *text = written("shapes");
    expect(text, "M | N | K | time | CBLAS | model alone | roofline | of roofline | limited by | \n");
    for (int i = 0; i < HAND_TUNED; i++) {
        const int64_t extent[] = { m[i], 16, 16 };
        const Candidate *c = &hand.y.study->trial[trial[i]].c;
        const double off = cost_predict(hand.y.model, c, extent, 1) / ns[i] - 1;
        double pad, occ;
        Bound b;
        assert_true(choice_factors(hand.y.study, c, extent, 1, &pad, &occ) && roofline_bound(&roofline, extent, 1, &b));
        expect(text, arena_printf(hand.y.arena, "\n%d | 16 | 16 | %s | %s | %s%s | %s | %s | \n", (int)m[i], time[i],
                                  library[i], off >= 0 ? "+" : "", number_percent(hand.y.arena, off), roof[i],
                                  roofline_shares(&b, ns[i], pad, occ).limited_by));
    }
    roofline.limit[0].flops_per_s = 4e8; /* a kernel that is faster than its bound has no part of it */
    expect(written("shapes"), "| 1.28 " US " | - | - | \n");
    roofline.limit[0].flops_per_s = 1e9;
    roofline.nlimit = 0;
    expect(written("shapes"), "M | N | K | time | CBLAS | model alone | \n");
    Study alone = *hand.y.study; /* a library that was timed on the first shape only, then on none */
    Anchor anchor[HAND_TUNED] = { hand.y.study->anchor[0] };
    alone.anchor = anchor;
    input.study = &alone;
    expect(written("shapes"), "M | N | K | time | CBLAS | model alone | \n");
    anchor[0] = (Anchor){ 0 };
    expect(written("shapes"), "M | N | K | time | model alone | \n");
    input.study = hand.y.study;
    roofline.nlimit = 1;
}

/* Of the weight of 23 kernel 0 serves M = 3, 4 and 5 with 4. */
static void tells_of_each_kernel(void **state)
{
    (void)state;
    const Trial *t = hand.y.study->trial;
    expect(written("kernels"),
           arena_printf(hand.y.arena,
                        "kernel | template | parameters | code | shapes served | share of weight | error | \n"
                        "k10 * | %s | %s | 2.02 KiB | 3 | 17.4 %% | 0.50 | \n"
                        "k11 | %s | %s | 1000 bytes | 5 | 82.6 %% | 0.25 | \n",
                        t[1].c.t->name, words_values(hand.y.arena, &t[1].c), t[0].c.t->name,
                        words_values(hand.y.arena, &t[0].c)));
    const char *text = written("kernels");
    const Template *template = t[1].c.t;
    Text want = { .arena = hand.y.arena };
    text_printf(&want, "Template %s\n%s\n", template->name, template->doc);
    for (int i = 0; i < template->nparam; i++)
        text_printf(&want, "%s | %s | \n", template->param[i].name, template->param[i].doc);
    expect(text, text_str(&want));
    const char *begin = strstr(text, "Template ");
    const bool same = t[0].c.t == t[1].c.t;
    assert_int_equal(strstr(begin + 1, "Template ") == NULL, same); /* each template once */
}

static void tells_how_good_the_model_is(void **state)
{
    (void)state;
    NamedExpr term[] = { { .name = "a", .doc = "what a is" }, { .name = "b", .doc = "what b is" } };
    Template t = { .name = "tmpl" };
    memcpy(t.term, term, sizeof term);
    CostPrice price = { &t, 1, 1.25 };
    CostAdapt adapt[] = { { "bytes", 0, 32768, { 12, 1, 0.5 } },
                          { "padding", 1.5, INFINITY, { 3, -1, 0 } },
                          { "balance", 1, 2, { 0, 0, 0 } },
                          { "bytes", 32768, INFINITY, { 1000, 0, 1 } } };
    const CostReport *before = input.cost;
    input.cost = &(CostReport){ .nmeasure = 1234,
                                .nfeature = 5,
                                .lambda = 0.25,
                                .loo_rmse = 1,
                                .error = 0.031,
                                .order = { 0.912, 0.75, 0.0123 },
                                .analytic = { 0.345, NAN, 0.0678 },
                                .held_out = 0.044,
                                .pad_exponent = 1.5,
                                .occ_exponent = 0.75,
                                .nprice = 1,
                                .price = &price,
                                .nadapt = 4,
                                .adapt = adapt };
    static const char *const row[] = { "measurements | 1,234 | ",
                                       "features | 5 | ",
                                       "penalty | 0.25 | ",
                                       "leave-one-out error | 100.0 % | ",
                                       "(1.00 in log2 of the time)",
                                       "error on an unseen kernel | 3.1 % | ",
                                       "rank correlation | 0.912 | ",
                                       "recall of the best | 0.750 | ",
                                       "regret of its best | 1.2 % | ",
                                       "rank correlation without any time | 0.345 | ",
                                       "regret without any time | 6.8 % | ",
                                       "error on an unseen shape | 4.4 % | ",
                                       "exponent of padding | 1.50 | ",
                                       "exponent of occupancy | 0.750 | " };
    const char *text = written("model");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        expect(text, row[i]);
    text = written("model");
    expect(text, "template | part of the time | price | what it is | \ntmpl | b | 1.25 | what b is | \n");
    expect(text, "factor | from | to | measurements | mean | spread | \n"
                 "bytes | 0 bytes | 32.0 KiB | 12 | +100.0 % | 41.4 % | \n"
                 "padding | 1.50 | - | 3 | -50.0 % | 0.0 % | \n"
                 "bytes | 32.0 KiB | - | 1,000 | +0.0 % | 100.0 % | \n");
    assert_null(strstr(text, "balance |"));
    input.cost = before;
}

static void tells_of_the_contract(void **state)
{
    (void)state;
    const char *text = written("regret");
    expect(text, "regret | shapes said | mean | bound of the mean | worst | bound of the worst | \n"
                 "tuned shapes | 1 of 3 | 1.1 % | 4.4 % | 2.2 % | 5.5 % | \n"
                 "shapes held out | 1 of 2 | 1.2 % | 7.7 % | 5.0 % | 8.8 % | \n");
    expect(text, "M | N | K | kernel | time | best | regret | times differ | met | \n"
                 "5 | 16 | 16 | k10 | 4.50 " US " | 4.00 " US " | 12.5 % | 2.0 % | 4 | \n"
                 "6 | 16 | 16 | k11 | 6.60 " US " | 6.00 " US " | " DAGGER " 10.0 % | 30.0 % | 2 | \n");
    expect(text, "Of 2 shapes nothing can be said, as the times of one kernel differ by too much there (" DAGGER
                 "): no bound is for them.");
    assert_null(strstr(text, "These are most"));
    hand.contract.tuned.nsaid = 0;
    text = written("regret");
    expect(text, "\ntuned shapes | 0 of 3 | - | - | - | - | \n");
    expect(text, "Of 3 shapes nothing can be said");
    expect(text, "no bound is for them. These are most: the machine was too busy.");
    hand.contract.tuned.nsaid = 3;
    hand.contract.tuned.nmeasured = 3;
    hand.contract.held_out.nmeasured = 1;
    hand.contract.held_out.nsaid = 0;
    text = written("regret");
    expect(text, "\ntuned shapes | 3 | 1.1 %");
    expect(text, "Of 1 shape nothing can be said, as the times of one kernel differ by too much there (" DAGGER
                 "): no bound is for it.");
    by_hand_contract(&hand);
    hand.contract.modelled = true;
    expect(written("regret"), "Nothing was measured: the package states no bound.");
    hand.contract.modelled = false;
}

/* ---- what figures are drawn from ---- */

/* The figure of that id; NULL: there is none. */
static const Plot *find_plot(const Report *r, const char *id)
{
    for (const Plot *p = r->plot; p < r->plot + r->nplot; p++)
        if (strcmp(p->id, id) == 0)
            return p;
    return NULL;
}

static const char *script_of(const Report *r, const char *id)
{
    const Plot *p = find_plot(r, id);
    assert_non_null(p);
    return arena_printf(r->arena, "%s%s", text_str(&p->script), text_str(&p->drawing));
}

/* gnuplot may be missing: the scripts are there all the same. */
static Report *drawn(void)
{
    const char *why = NULL;
    Report *r = report_with(&input);
    report_draw(r, &why);
    return r;
}

/* GFLOP/s are 512 M / ns. */
static void draws_the_speed_of_each_shape(void **state)
{
    (void)state;
    const Report *r = drawn();
    const char *script = script_of(r, "panel-0");
    expect(script, "$roof << END\n1 1\n2 1\n3 1\n4 1\n5 1\n6 1\n7 1\n8 1\nEND\n");
    expect(script, "$library << END\n1 0.3413333\n8 0.6826667\nEND\n");
    expect(script,
           "$general << END\n1 0.4096\n2 0.512\n3 0.768\n4 0.512\n5 0.512\n6 0.512\n7 0.512\n8 0.4551111\nEND\n");
    expect(script, "$line << END\n1 0.512\n2 0.5688889\n3 0.768\n4 0.512\n5 0.512\n6 0.4654545\n7 0.4654545\n8 0.512\n"
                   "END\n");
    expect(script, "$best << END\n1 0.512\n3 0.768\n8 0.64\nEND\n");
    expect(script, "$dot << END\n1 0.512\n3 0.768\n8 0.512\nEND\n");
    expect(script, "set xrange [0.925925926:8.64]\n"); /* 8 % on either side */
    expect(script, "set yrange [0.304761905:1.12]\n"); /* 12 %: from the library's least to the roofline */
    expect(script, "set xlabel 'M'");
    expect(script, "set ylabel 'GFLOP/s'");
    expect(script, "plot $roof using 1:2 notitle with lines lc rgb '#00000c', "
                   "$general using 1:2 notitle with lines lc rgb '#000006', "
                   "$library using 1:2 notitle with lines lc rgb '#00000d', "
                   "$library_dot using 1:2 notitle with points pt 7 ps 0.45 lc rgb '#00000e', "
                   "$line using 1:2 notitle with lines lc rgb '#000005', "
                   "$best using 1:2 notitle with points pt 6 ps 0.82 lc rgb '#000007', "
                   "$dot using 1:2 notitle with points pt 7 ps 0.51 lc rgb '#000008'");
    assert_true(r->has_roof && r->has_library);
}

/* Kernels change half-way, on the scale of the axis: at the roots of 2 * 3 and of 5 * 6. */
static void draws_which_kernel_serves_what(void **state)
{
    (void)state;
    const Report *r = drawn();
    const double edge[] = { 1 / 1.03, sqrt(6), sqrt(30), 8 * 1.03 };
    Text data = { .arena = hand.y.arena }, labels = { .arena = hand.y.arena };
    for (int i = 0; i < 3; i++) {
        const double middle = sqrt(edge[i] * edge[i + 1]);
        text_printf(&data, "%.7g 0.25 %.7g %.7g 0.05 0.45 %d\n", middle, edge[i], edge[i + 1],
                    LOOK_KERNEL + (i == 1 ? 0 : 1));
        text_printf(&labels, "set label '%s' at %.7g,0.25 center", i == 1 ? "k10" : "k11", middle);
        expect(script_of(r, "map"), text_str(&labels));
        labels = (Text){ .arena = hand.y.arena };
    }
    expect(script_of(r, "map"), arena_printf(hand.y.arena, "$run << END\n%sEND\n", text_str(&data)));
    expect(script_of(r, "narrow-map"), text_str(&data));
    expect(script_of(r, "map"), "set label 'N = 16, K = 16' at graph 0, first 0.63 ");
    assert_int_equal(find_plot(r, "map")->width, 900);
    assert_int_equal(find_plot(r, "narrow-map")->width, 440);
    assert_null(find_plot(r, "plane-0"));
}

/* Edges are half-way between the values, on the scale of the axes, which end a tenth beyond them. Neighbours of one kernel are one cell. */
static void draws_planes_of_two_extents(void **state)
{
    (void)state;
    static const char spec[] = "name = \"plane\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
                               "dims = { T = { min = 1; max = 2; }; S = { min = 1; max = 2; }; };\n"
                               "shapes = ( { M = \"T\"; N = \"16*S\"; K = 8; } ); layout = { W = \"NK\"; };\n"
                               "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; }; threads = [1];\n";
    static const struct {
        double left, right, low, high;
        int kernel;
    } cell[] = { { 1 / 1.1, 2.2, 16 / 1.1, 22.627417, 0 },
                 { 1 / 1.1, 1.4142136, 22.627417, 35.2, 1 },
                 { 1.4142136, 2.2, 22.627417, 35.2, 0 } };
    int chosen[] = { 0, 1, 0, 0 }; /* of M and N: 1 16, 1 32, 2 16, 2 32 */
    Synthetic y;
    assert_true(synthetic_make(&y, spec, 4));
    assert_int_equal(y.spec->ninstance, 4);
    y.assignment->chosen = chosen;
    Result in = synthetic_result(&y);
    in.first = FIRST;
    Report *r = report_with(&in);
    report_draw_maps(r);
    assert_null(find_plot(r, "plane-1"));
    assert_null(find_plot(r, "map"));
    assert_string_equal(find_plot(r, "plane-0")->caption, "M = T, N = 16*S, K = 8");
    const char *at = strstr(script_of(r, "plane-0"), "$cell << END\n");
    assert_non_null(at);
    at += strlen("$cell << END\n");
    for (int i = 0; i < 3; i++, at = strchr(at, '\n') + 1) {
        double is[6];
        int look;
        assert_int_equal(sscanf(at, "%lf %lf %lf %lf %lf %lf %d\n", is, is + 1, is + 2, is + 3, is + 4, is + 5, &look),
                         7);
        const double want[] = { sqrt(cell[i].left * cell[i].right),
                                sqrt(cell[i].low * cell[i].high),
                                cell[i].left,
                                cell[i].right,
                                cell[i].low,
                                cell[i].high };
        for (int k = 0; k < 6; k++)
            if (!(fabs(is[k] - want[k]) < 1e-5 * want[k]))
                fail_msg("cell %d: %g, not %g", i, is[k], want[k]);
        assert_int_equal(look, LOOK_KERNEL + cell[i].kernel);
    }
    assert_int_equal(strncmp(at, "END\n", 4), 0);
    expect(script_of(r, "plane-0"), "set xlabel 'M'");
    expect(script_of(r, "plane-0"), "set ylabel 'N'");
    expect(script_of(r, "plane-0"), "set label 'k10' at ");
    expect(script_of(r, "plane-0"), "set label 'k11' at ");
    arena_free(y.arena);
}

/* KiB and percent above the best known. */
static void draws_what_less_or_more_code_brings(void **state)
{
    (void)state;
    const Report *r = drawn();
    const char *script = script_of(r, "curve");
    expect(script, "$within << END\n2.024414 20\n3.000977 5\nEND\n");
    expect(script, "$beyond << END\n3.000977 5\n5.000977 1\nEND\n");
    expect(script, "$mark << END\n3.000977 5\nEND\n");
    expect(script, "set label '1' at 2.024414,20 ");
    expect(script, "set label '2' at 3.000977,5 ");
    expect(script, "set label '3' at 5.000977,1 ");
    expect(script, "set xrange [0:5.30103516]\n");
    expect(script, "set yrange [0:22.4]\n");
    hand.as.kept = -1;
    assert_null(find_plot(drawn(), "curve"));
    hand.as.kept = 1;
}

/* Until a kernel was right on each shape there is nothing to draw; then (1 + 2 * 1.5 + 1.25) / 4, (1 + 2 + 1.25) / 4, 1. */
static void draws_how_the_search_went(void **state)
{
    (void)state;
    const Report *r = drawn();
    expect(script_of(r, "progress"), "$line << END\n2 31.25\n3 31.25\n4 6.25\n5 0\nEND\n");
    expect(script_of(r, "progress"), "set xrange [1:5]\n");
    expect(script_of(r, "progress"), "set yrange [0:35]\n");
    hand.y.study->trial[4].n = 0; /* of one it is not known */
    assert_null(find_plot(drawn(), "progress"));
    hand.y.study->trial[4].n = by_hand_trial[4].n;
}

/* Microseconds; the package's kernels and the others. Then predicted over measured, by M, within a quarter and four times. */
static void draws_how_far_the_model_is_off(void **state)
{
    (void)state;
    static const double m[] = { 1, 3, 8 };
    const Study *s = hand.y.study;
    const Report *r = drawn();
    for (int k = 0; k < 2; k++) {
        Text times = { .arena = hand.y.arena }, ratios = { .arena = hand.y.arena };
        text_printf(&times, "$%s << END\n", k ? "kept" : "cloud");
        text_printf(&ratios, "$%s << END\n", k ? "kept" : "cloud");
        for (int i = k ? 0 : 2; i < (k ? 2 : 3); i++)
            for (int j = 0; j < HAND_TUNED; j++) {
                const double ns = cost_predict(hand.y.model, &s->trial[i].c, s->shape[j]->extent, 1);
                text_printf(&times, "%.7g %.7g\n", 1e-3 * by_hand_trial[i].ns[j], 1e-3 * ns);
                text_printf(&ratios, "%.7g %.7g\n", m[j], fmin(fmax(ns / by_hand_trial[i].ns[j], 0.25), 4));
            }
        text_add(&times, "END\n");
        text_add(&ratios, "END\n");
        expect(script_of(r, "scatter"), text_str(&times));
        expect(script_of(r, "residual"), text_str(&ratios));
    }
    const CostReport *before = input.cost;
    input.cost = &(CostReport){ 0 };
    r = drawn();
    assert_true(!find_plot(r, "scatter") && !find_plot(r, "residual"));
    input.cost = before;
}

/* ---- axes ---- */

static const char *axis_script(bool logarithmic, double lo, double hi, int most, double least_step)
{
    Plot p = { .script = { .arena = hand.y.arena } };
    if (logarithmic)
        plot_axis_log(&p, 'x', (Range){ lo, hi }, most);
    else
        plot_axis_linear(&p, 'x', (Range){ lo, hi }, most, least_step);
    return text_str(&p.script);
}

static void has_ticks_at_round_numbers(void **state)
{
    (void)state;
    static const struct {
        bool logarithmic;
        double lo, hi;
        int most;
        double least_step;
        const char *ticks;
    } row[] = {
        { true, 1, 10, 9, 0, "('1' 1, '1.5' 1.5, '2' 2, '3' 3, '5' 5, '7' 7, '10' 10)" },
        { true, 1, 10, 6, 0, "('1' 1, '2' 2, '5' 5, '10' 10)" },
        { true, 1, 100, 5, 0, "('1' 1, '3' 3, '10' 10, '30' 30, '100' 100)" },
        { true, 1, 1000, 5, 0, "('1' 1, '10' 10, '100' 100, '1000' 1000)" },
        { true, 1.2, 6.9, 9, 0, "('1.5' 1.5, '2' 2, '3' 3, '5' 5)" },
        { true, 0.1, 1.01, 4, 0, "('0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1)" },
        { true, 1, 1e14, 9, 0, "('1' 1, '1000' 1000, '1e+06' 1000000, '1e+09' 1e+09, '1e+12' 1e+12)" },
        { false, 0, 10, 5, 0, "('0' 0, '2' 2, '4' 4, '6' 6, '8' 8, '10' 10)" },
        { false, 0, 10, 4, 0, "('0' 0, '5' 5, '10' 10)" },
        { false, 0, 36, 6, 0.1, "('0' 0, '10' 10, '20' 20, '30' 30)" },
        { false, 1, 5, 8, 1, "('1' 1, '2' 2, '3' 3, '4' 4, '5' 5)" },
        { false, 0, 0.5, 6, 0.1, "('0' 0, '0.1' 0.1, '0.2' 0.2, '0.3' 0.3, '0.4' 0.4, '0.5' 0.5)" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *script = axis_script(row[i].logarithmic, row[i].lo, row[i].hi, row[i].most, row[i].least_step);
        expect(script, arena_printf(hand.y.arena, "set xtics %s\n", row[i].ticks));
        expect(script, arena_printf(hand.y.arena, "set xrange [%.9g:%.9g]\n", row[i].lo, row[i].hi));
        assert_int_equal(strstr(script, "set logscale x\n") != NULL, row[i].logarithmic);
    }
}

/* ---- groups ---- */

/* Three values of T against two of S: the first shape varies along T, once for each S; the second, which only has S, along that, and it
 * stands for every T. `dims`: of the spec. */
static void check_groups(const char *dims)
{
    static const char form[] =
        "name = \"groups\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
        "dims = { %s }; tune = { T = [1, 3]; S = [1, 2]; };\n"
        "shapes = ( { M = \"T\"; N = \"16*S\"; K = 8; weight = 2.0; }, { M = 4; N = \"S\"; K = 4; } );\n"
        "weights = { T = [1, 2, 3]; S = [1, 10]; }; layout = { W = \"NK\"; };\n"
        "budget = { kernels = 4; code_kib = 64; trials = 8; seconds = 10; }; threads = [1, 2];\n";
    static const struct {
        const char *label;
        int axis;
        int64_t n, first[3];
        double weight;
    } row[] = {
        { "N = 16, K = 8, 1 thread", 0, 3, { 1, 16, 8 }, 12 },   { "N = 32, K = 8, 1 thread", 0, 3, { 1, 32, 8 }, 120 },
        { "M = 4, K = 4, 1 thread", 1, 2, { 4, 1, 4 }, 66 },     { "N = 16, K = 8, 2 threads", 0, 3, { 1, 16, 8 }, 12 },
        { "N = 32, K = 8, 2 threads", 0, 3, { 1, 32, 8 }, 120 }, { "M = 4, K = 4, 2 threads", 1, 2, { 4, 1, 4 }, 66 }
    };
    char spec[1000];
    Synthetic y;
    snprintf(spec, sizeof spec, form, dims);
    assert_true(synthetic_make(&y, spec, 4));
    const Groups g = report_groups(y.arena, y.spec);
    assert_int_equal(g.ngroup, 6);
    assert_int_equal(g.npanel, 6);
    assert_int_equal(g.nbar, 6);
    assert_string_equal(g.axes, "M or N");
    for (int i = 0; i < 6; i++) {
        const Group *group = &g.group[i];
        assert_string_equal(group->label, row[i].label);
        assert_int_equal(group->axis, row[i].axis);
        assert_int_equal(group->n, row[i].n);
        if (!(fabs(group->weight - row[i].weight) < 1e-9))
            fail_msg("%s: weight %g", group->label, group->weight);
        assert_memory_equal(y.spec->instance[group->at[0]].extent, row[i].first, sizeof row[i].first);
        for (int64_t k = 1; k < group->n; k++)
            assert_true(y.spec->instance[group->at[k]].extent[group->axis] >
                        y.spec->instance[group->at[k - 1]].extent[group->axis]);
        assert_true(group->panel && group->bar);
    }
    arena_free(y.arena);
}

static void sorts_shapes_into_groups(void **state)
{
    (void)state;
    check_groups("S = { min = 1; max = 2; }; T = { min = 1; max = 3; };");
    check_groups("T = { min = 1; max = 3; }; S = { min = 1; max = 2; };"); /* the next instance has another S */
}

/* ---- the page's own words ---- */

/* M = 3, of which nothing can be said, is not the worst. With kernel 0 alone: the geometric mean of 1.25, 9 times 10/9, 8 times 10/11 and 1.125
 * over a weight of 23. */
static void sums_up(void **state)
{
    (void)state;
    const char *why = NULL, *html = report_html(hand.y.arena, &input, 1, VERSION, &why);
    if (!html && strstr(why, "gnuplot was not found"))
        skip();
    assert_non_null(html);
    static const char *const part[] = {
        ">2 kernels (3.00 KiB of machine code) serve 8 shapes of dense on Synthetic CPU 9000; on the tuned shapes they "
        "take 6.2 % more time (weighted mean) than the fastest kernel known for each, and one kernel for all shapes "
        "would take 1.023 times as long.<",
        "<dt>kernels kept</dt><dd>2</dd>",
        "<dt>machine code</dt><dd>3.00 KiB</dd>",
        "<dt>shapes, of them tuned</dt><dd>8 / 3</dd>",
        "<dt>above best known, tuned shapes</dt><dd>6.2 %</dd>",
        "<dt>the same, worst tuned shape</dt><dd>25.0 %</dd>",
        "<dt>time with one kernel for all</dt><dd>" TIMES " 1.023</dd>",
        "<dt>time of CBLAS, mean</dt><dd>" TIMES " 1.061</dd>",
        "The dispatcher is a decision tree over the extents with 3 leaves; at most 2 comparisons lead to a kernel. "
        "Shapes "
        "outside the declared ranges go to k10.",
        "So it is on 1 of the 3 tuned shapes.",
        "Furthest from the best known: M = 8, N = 16, K = 16, by 25.0 %.",
        "7 kernels were tried and timed on 10 pairs of kernel and tuned shape, each verified against the reference "
        "first. "
        "Fit for use: 4; not compiled: 1; wrong result: 1; crashed: 1.",
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        expect(html, part[i]);
    hand.shape[2].measured = true; /* nothing can be said of the worst one either */
    html = report_html(hand.y.arena, &input, 1, VERSION, &why);
    expect(html, "<dt>the same, worst tuned shape</dt><dd>0.0 %</dd>");
    expect(html, "So it is on 2 of the 3 tuned shapes.");
    assert_null(strstr(html, "Furthest from"));
    by_hand_contract(&hand);
}

/* The same of one kernel, of the times of trial 1: (1.25 + 2 * 1 + 9000 / 6400) / 4; and of a machine that there was not. */
static void sums_up_one_kernel(void **state)
{
    (void)state;
    const Assignment kept = hand.as;
    Device modelled = hand.y.device;
    const char *why = NULL;
    hand.as.nkernel = 1;
    hand.as.cost = (double[]){ 1250, 2000, 2000, 4000, 5000, 6000, 7000, 9000 };
    hand.as.chosen = (int[HAND_SHAPE]){ 0 };
    hand.as.tree = &hand.node[3];
    const char *html = report_html(hand.y.arena, &input, 1, VERSION, &why);
    if (html) {
        expect(html,
               ">1 kernel (3.00 KiB of machine code) serves 8 shapes of dense on Synthetic CPU 9000; on the tuned "
               "shapes it takes 16.4 % more time (weighted mean) than the fastest kernel known for each.<");
        expect(html, "<dt>time of CBLAS, mean</dt><dd>" TIMES " 0.894</dd>"); /* the root of 1500/1250 * 6000/9000 */
        expect(html, "There is nothing to decide: k10 serves all shapes.");
        assert_null(strstr(html, "time with one kernel for all"));
        modelled.modelled = true;
        hand.y.study->device = &modelled;
        html = report_html(hand.y.arena, &input, 1, VERSION, &why);
        expect(html, "serves 8 shapes of dense on Synthetic CPU 9000. No time in this report was measured: ");
        expect(html, "7 kernels were compiled, and executed by the emulator on awkward shapes. Fit for use: 4; ");
        hand.y.study->device = &hand.y.device;
    }
    hand.as = kept;
    if (!html)
        skip();
}

/* Two targets: each part has its own ids and its own numbers of kernels. */
static void sums_up_each_target(void **state)
{
    (void)state;
    const char *why = NULL;
    Study lesser = *hand.y.study;
    Result both[] = { input, input };
    lesser.target = target_find(&hand.y.targets, "avx2");
    both[1].study = &lesser;
    both[1].first = 20;
    const char *html = report_html(hand.y.arena, both, 2, VERSION, &why);
    if (!html)
        skip();
    expect(html, "<nav aria-label=\"Targets\">\n<a href=\"#avx512\">avx512: 2 kernels</a>\n<a href=\"#avx2\">avx2: 2 "
                 "kernels</a>\n</nav>");
    const char *part = strstr(html, "<article id=\"avx2\">");
    assert_non_null(part);
    expect(part, "<h1>hand for avx2</h1>");
    expect(part, "<h2 id=\"avx2-shapes\">");
    expect(part, "Shapes outside the declared ranges go to k20.");
    assert_null(strstr(part, ">k10<"));
    assert_int_equal(count(html, "</article>"), 2);
    assert_int_equal(count(html, "Shapes outside the declared ranges go to k10."), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tells_what_was_tuned),
                                        cmocka_unit_test(tells_what_else_may_be_tuned),
                                        cmocka_unit_test(tells_what_the_machine_does),
                                        cmocka_unit_test(tells_of_each_tuned_shape),
                                        cmocka_unit_test(shows_the_heaviest_of_very_many_shapes),
                                        cmocka_unit_test(tells_of_rivals),
                                        cmocka_unit_test(tells_of_each_kernel),
                                        cmocka_unit_test(tells_how_good_the_model_is),
                                        cmocka_unit_test(tells_of_the_contract),
                                        cmocka_unit_test(draws_the_speed_of_each_shape),
                                        cmocka_unit_test(draws_which_kernel_serves_what),
                                        cmocka_unit_test(draws_what_less_or_more_code_brings),
                                        cmocka_unit_test(draws_how_the_search_went),
                                        cmocka_unit_test(draws_how_far_the_model_is_off),
                                        cmocka_unit_test(has_ticks_at_round_numbers),
                                        cmocka_unit_test(sorts_shapes_into_groups),
                                        cmocka_unit_test(draws_planes_of_two_extents),
                                        cmocka_unit_test(sums_up),
                                        cmocka_unit_test(sums_up_one_kernel),
                                        cmocka_unit_test(sums_up_each_target) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
