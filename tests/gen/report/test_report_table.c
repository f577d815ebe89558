/* SPDX-License-Identifier: Apache-2.0
 *
 * What the report says, worked out by hand: every cell of its tables, and the sentences that sum it up.
 */
#include "tests/test.h"
#include "gen/base/number.h"
#include "tests/gen/report/hand_result.h"

#define US "\xc2\xb5s"
#define DAGGER "\xe2\x80\xa0"
#define TIMES "\xc3\x97"

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

/* HTML without its tags and its empty lines: a cell ends with " | ", a row is a line, the end of a line within a
 * paragraph is a blank. */
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

TEST(tells_what_was_tuned)
{
    const char *doc = hand.y.spec->op->doc, *text = written("setting");
    assert_has(text,
               arena_printf(hand.y.arena,
                            "Operator | dense: %s | \nElement type | f32 | \nFormula | none | \nLayouts | W: NK | \n"
                            "Dimensions | T = 1 to 8 | \nThreads | 1 | \nBudget | 4 kernels, 64 KiB of code | "
                            "\nDevice | Synthetic CPU 9000 (x86_64, 8 cores; L1 32.0 KiB, L2 1.00 MiB, L3 32.0 MiB) | "
                            "\nTarget | avx512 (the device runs avx512, avx2, portable) | \nCompiler | gcc (Debian "
                            "12.2.0) 12.2.0 | \nFlags | -O3 -std=gnu17 | \nGenerator | dcgen 1.2.3 | \n",
                            doc));
    assert_has(text, "M | N | K | weight | \nT | 16 | 16 | 1.00 | \n");
}

/* A GPU, a CPU of one core, an operand that nobody lays out, two numbers of threads. */
TEST(tells_what_else_may_be_tuned)
{
    Device one = *hand.y.study->device;
    Study gpu = *hand.y.study;
    Spec spec = *hand.y.spec;
    one.cores = 1;
    gpu.device = &one;
    input.study = &gpu;
    assert_has(written("setting"),
               "Device | Synthetic CPU 9000 (x86_64, 1 core; L1 32.0 KiB, L2 1.00 MiB, L3 32.0 MiB) | \n");
    gpu.target = target_find(&hand.y.targets, "sm_80");
    assert_has(written("setting"), "Device | Synthetic CPU 9000 (x86_64, 1 multiprocessors, each with 32.0 KiB of "
                                   "shared memory; L2 1.00 MiB) | \n");
    gpu = *hand.y.study;
    gpu.spec = &spec;
    Op unlaid = *spec.op; /* no operand has layouts to choose from */
    unlaid.operand[1].nlayout = 1;
    spec.op = &unlaid;
    spec.const_operand = -1;
    spec.nthread = 2;
    spec.threads[1] = 2;
    assert_has(written("setting"), "Formula | none | \nDimensions | ");
    assert_has(written("shapes"), "M | N | K | threads | weight | ");
    assert_has(written("shapes"), "\n3 | 16 | 16 | 1 | 2.00 | k10 | ");
    input.study = hand.y.study;
}

TEST(tells_what_the_machine_does)
{
    const char *text = written("setting");
    assert_has(text, "threads | peak, GFLOP/s | L1, GB/s | L2, GB/s | L3, GB/s | memory, GB/s | \n"
                     "1 | 1.00 | 4.00 | - | 2.00 | 1.00 | \n");
    assert_has(text, "Measured throughout the search");
    assert_lacks(text, "was faster than that");
    roofline.raised = roofline.modelled = true;
    roofline.bytes[LEVEL_L2] = 0;
    text = written("setting");
    assert_has_all(
        text, "threads | peak, GFLOP/s | L1, GB/s | L3, GB/s | memory, GB/s | \n1 | 1.00 | 4.00 | 2.00 | 1.00 | \n",
        "Of the target's data sheet. A kernel, or the library, was faster than that: where it was, its rate counts.");
    roofline.raised = roofline.modelled = false;
    roofline.bytes[LEVEL_L2] = 1 << 20;
}

/* 512 M operations; of M = 8 the contract says nothing, and a kernel that is not kept is the fastest. */
TEST(tells_of_each_tuned_shape)
{
    assert_has(written("shapes"),
               "M | N | K | weight | kernel | time | GFLOP/s | above best | off by | runner-up | its margin | \n"
               "1 | 16 | 16 | 1.00 | k11 | 1.00 " US " | 0.512 | 0.0 % | 1.0 % | k10 | 25.0 % | \n"
               "3 | 16 | 16 | 2.00 | k10 | 2.00 " US " | 0.768 | " DAGGER " 0.0 % | 50.0 % | k11 | 50.0 % | \n"
               "8 | 16 | 16 | 1.00 | k11 | 8.00 " US " | 0.512 | - | - | k10 | 12.5 % | \n");
    /* of one kernel, which was not measured on M = 8 */
    const Assignment kept = hand.as;
    hand.as.nkernel = 1;
    hand.as.cost = (double[]){ 1250, 2000, 2000, 4000, 5000, 6000, 7000, 9000 };
    hand.as.chosen = (int[HAND_SHAPE]){ 0 };
    hand.y.study->trial[1].ns[2] = 0;
    assert_has(written("shapes"), "\n8 | 16 | 16 | 1.00 | k10 | ~ 9.00 " US " | 0.455 | - | - | - | - | \n");
    hand.y.study->trial[1].ns[2] = 9000;
    hand.as = kept;
    hand.shape[0].spread = 0;
    assert_has(written("shapes"), "| 0.512 | 0.0 % | - | k10 | 25.0 % | \n");
    by_hand_contract(&hand);
}

/* An operator that is a formula alone: bytes count, of X, W and Y, and no peak is spoken of. */
TEST(tells_the_bytes_of_a_formula_alone)
{
    Study moving = *hand.y.study;
    Spec spec = *hand.y.spec;
    Op op = *spec.op;
    op.reference = NULL;
    spec.op = &op;
    spec.formula = &(Formula){ .bias = -1, .text = "n < M && 1 ? x[m,n] : 0" };
    moving.spec = &spec;
    input.study = &moving;
    const char *text = written("setting"), *shapes = written("shapes"), *reading = written("reading");
    input.study = hand.y.study;
    assert_has(reading, "The kernel itself, or, where nine tenths of the roofline are reached, memory.");
    assert_lacks(reading, "FMA");
    assert_has(reading, "the formula comes behind it, by the functions that the kernels call");
    assert_has(text, "Formula | n < M && 1 ? x[m,n] : 0 | ");
    assert_has(text,
               "threads | L1, GB/s | L2, GB/s | L3, GB/s | memory, GB/s | \n1 | 4.00 | - | 2.00 | 1.00 | \n Measured "
               "throughout the search: reading a buffer");
    assert_has_all(shapes, "| time | GB/s | above best | ", "1 | 16 | 16 | 1.00 | k11 | 1.00 " US " | 1.15 | ");
}

/* There is room for 500 rows. The shapes that weigh most have one each, wherever they stand; those that weigh least
 * share the rest. */
TEST(shows_the_heaviest_of_very_many_shapes)
{
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
    }
    input.study = &s;
    input.contract = NULL;
    const char *text = written("shapes");
    assert_int_equal(occurrences(text, "\n2 | 16 | 16 | 9.00 |"), HEAVY);
    assert_int_equal(occurrences(text, "\n3 | 16 | 16 | 2.00 |"), MIDDLE);
    assert_int_equal(occurrences(text, "\n1 | 16 | 16 | 1.00 |"), 500 - HEAVY - MIDDLE);
    assert_has(text, "500 of 600 tuned shapes are shown, the heaviest.");
    s.nshape = 500;
    text = written("shapes");
    assert_int_equal(occurrences(text, " | 16 | 16 | "), 2 * 500); /* in two tables */
    assert_lacks(text, "are shown");
    input.study = hand.y.study;
    input.contract = &hand.contract;
}

/* The bound of M = 3 is 1536 ns, of which 2 us reach 76.8 %. */
TEST(tells_of_rivals)
{
    static const double ns[] = { 1000, 2000, 8000 };
    static const int64_t trial[] = { 0, 1, 0 }, m[] = { 1, 3, 8 };
    static const char *const library[] = { TIMES " 1.50", "-", TIMES " 0.750" };
    static const char *const roof[] = { "512 ns | 51.2 %", "1.54 " US " | 76.8 %", "4.10 " US " | 51.2 %" };
    static const char *const time[] = { "1.00 " US, "2.00 " US, "8.00 " US };
    const char *text = written("shapes");
    assert_has(text, "M | N | K | time | CBLAS | model alone | roofline | of roofline | limited by | \n");
    for (int i = 0; i < HAND_TUNED; i++) {
        const int64_t extent[] = { m[i], 16, 16 };
        const Candidate *c = &hand.y.study->trial[trial[i]].c;
        const double off = cost_predict(hand.y.model, c, extent, 1) / ns[i] - 1;
        double pad, occ;
        Bound b;
        assert_true(choice_factors(hand.y.study, c, extent, 1, &pad, &occ) && roofline_bound(&roofline, extent, 1, &b));
        assert_has(text, arena_printf(hand.y.arena, "\n%d | 16 | 16 | %s | %s | %s%s | %s | %s | \n", (int)m[i],
                                      time[i], library[i], off >= 0 ? "+" : "", number_percent(hand.y.arena, off),
                                      roof[i], shares_of(&b, ns[i], pad, occ).limited_by));
    }
    Op *op = (Op *)hand.y.spec->op; /* where data decide how much work there is, no time is held against the roofline */
    op->by_data = true;
    text = written("shapes");
    assert_has_all(text, "M | N | K | time | CBLAS | model alone | roofline | \n", " | 1.54 " US " | \n");
    op->by_data = false;
    roofline.limit[0].flops_per_s = 4e8; /* a kernel that is faster than its bound has no part of it */
    assert_has(written("shapes"), "| 1.28 " US " | - | - | \n");
    roofline.limit[0].flops_per_s = 1e9;
    roofline.nlimit = 0;
    assert_has(written("shapes"), "M | N | K | time | CBLAS | model alone | \n");
    Study alone = *hand.y.study; /* a library that was timed on the first shape only, then on none */
    Anchor anchor[HAND_TUNED] = { hand.y.study->anchor[0] };
    alone.anchor = anchor;
    input.study = &alone;
    assert_has(written("shapes"), "M | N | K | time | CBLAS | model alone | \n");
    anchor[0] = (Anchor){ 0 };
    assert_has(written("shapes"), "M | N | K | time | model alone | \n");
    input.study = hand.y.study;
    roofline.nlimit = 1;
}

/* Of the weight of 23 kernel 0 serves M = 3, 4 and 5 with 4. */
TEST(tells_of_each_kernel)
{
    const Trial *t = hand.y.study->trial;
    assert_has(written("kernels"),
               arena_printf(hand.y.arena,
                            "kernel | template | parameters | code | shapes served | share of weight | error | \n"
                            "k10 * | %s | %s | 2.02 KiB | 3 | 17.4 %% | 0.50 | \n"
                            "k11 | %s | %s | 1000 bytes | 5 | 82.6 %% | 0.25 | \n",
                            t[1].c.t->name, candidate_settings(hand.y.arena, &t[1].c), t[0].c.t->name,
                            candidate_settings(hand.y.arena, &t[0].c)));
    const char *text = written("kernels");
    const Template *template = t[1].c.t;
    Text want = { .arena = hand.y.arena };
    text_printf(&want, "Template %s\n%s\n", template->name, template->doc);
    for (int i = 0; i < template->nparam; i++)
        text_printf(&want, "%s | %s | \n", template->param[i].name, template->param[i].doc);
    assert_has(text, text_str(&want));
    const char *begin = strstr(text, "Template ");
    const bool same = t[0].c.t == t[1].c.t;
    assert_int_equal(strstr(begin + 1, "Template ") == NULL, same); /* each template once */
}

TEST(tells_how_good_the_model_is)
{
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
    const char *text = written("model");
    assert_has_all(
        text, "measurements | 1,234 | ", "features | 5 | ", "penalty | 0.25 | ", "leave-one-out error | 100.0 % | ",
        "(1.00 in log2 of the time)", "error on an unseen kernel | 3.1 % | ", "rank correlation | 0.912 | ",
        "recall of the best | 0.750 | ", "regret of its best | 1.2 % | ",
        "rank correlation without any time | 0.345 | ", "regret without any time | 6.8 % | ",
        "error on an unseen shape | 4.4 % | ", "exponent of padding | 1.50 | ", "exponent of occupancy | 0.750 | ");
    assert_has(text, "template | part of the time | price | what it is | \ntmpl | b | 1.25 | what b is | \n");
    assert_has(text, "factor | from | to | measurements | mean | spread | \n"
                     "bytes | 0 bytes | 32.0 KiB | 12 | +100.0 % | 41.4 % | \n"
                     "padding | 1.50 | - | 3 | -50.0 % | 0.0 % | \n"
                     "bytes | 32.0 KiB | - | 1,000 | +0.0 % | 100.0 % | \n");
    assert_lacks(text, "balance |");
    input.cost = before;
}

TEST(tells_of_the_contract)
{
    const char *text = written("regret");
    assert_has(text, "regret | shapes said | mean | bound of the mean | worst | bound of the worst | \n"
                     "tuned shapes | 1 of 3 | 1.1 % | 4.4 % | 2.2 % | 5.5 % | \n"
                     "shapes held out | 1 of 2 | 1.2 % | 7.7 % | 5.0 % | 8.8 % | \n");
    assert_has(text, "M | N | K | kernel | time | best | regret | off by | best rival | \n"
                     "5 | 16 | 16 | k10 | 4.50 " US " | 4.00 " US " | 12.5 % | 2.0 % | k11 | \n"
                     "6 | 16 | 16 | k11 | 6.60 " US " | 6.00 " US " | " DAGGER " 10.0 % | 30.0 % | ");
    assert_has(text,
               "On 2 shapes nobody can say which of two kernels is faster, as their times overlap and are off by too "
               "much (" DAGGER ").");
    assert_has(text, "M = 3, N = 16, K = 16: kernel k10 or k11, off by 50.0 %");
    assert_lacks(text, "These are most");
    hand.contract.tuned.nresolved = 0;
    text = written("regret");
    assert_has_all(text, "\ntuned shapes | 0 of 3 | 1.1 % | 4.4 % | 2.2 % | 5.5 % | \n", "On 3 shapes nobody can say",
                   "These are most: the machine was too busy.");
    hand.contract.tuned.nresolved = 3;
    hand.contract.tuned.nmeasured = 3;
    hand.contract.held_out.nmeasured = 1;
    hand.contract.held_out.nresolved = 0;
    text = written("regret");
    assert_has_all(text, "\ntuned shapes | 3 | 1.1 %", "On 1 shape nobody can say which of two kernels is faster");
    by_hand_contract(&hand);
    hand.contract.modelled = true;
    assert_has(written("regret"), "Nothing was measured: the package states no bound.");
    hand.contract.modelled = false;
}

/* ---- the sentences that sum up ---- */

/* The page of a study that has the same cost report as all others here. */
static const char *page_of(const Synthetic *y)
{
    const char *why = NULL;
    Result in = synthetic_result(y);
    in.contract = contract_make(y->arena, y->study, y->assignment);
    in.cost = input.cost;
    Report *r = report_begin(y->arena, &in, VERSION, false);
    const char *html = report_fill(y->arena, &in, &r, 1, &why);
    assert_non_null(html);
    return html;
}

/* With the figures, which are gnuplot's: the test is skipped where there is none. */
static const char *whole_page(const Result *in, int n)
{
    const char *why = NULL, *html = report_html(hand.y.arena, in, n, VERSION, &why);
    if (!html && strstr(why, "gnuplot was not found"))
        skip();
    assert_non_null(html);
    return html;
}

/* A shape counts once, however many numbers of threads it is tuned for; a table has a row for each of these, which are
 * what is counted beside it. */
TEST(counts_shapes_and_rows)
{
    static const struct {
        const char *spec, *parts[2];
    } row[] = { { "name = \"once\"; op = \"dense\"; target = [\"host\"]; threads = [1, 2];\n"
                  "dims = { T = { min = 1; max = 5; }; }; shapes = ( { M = \"T\"; N = 16; K = 8; } ); tune = { T = [2, "
                  "4, 5]; };\n"
                  "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; };\n",
                  { " 5 shapes of dense on ", "<dt>shapes, of them tuned</dt><dd>5 / 3</dd>" } },
                { "name = \"rows\"; op = \"dense\"; target = [\"host\"]; threads = [1, 2, 3, 4, 5, 6, 7, 8];\n"
                  "dims = { T = { min = 1; max = 64; }; };\n"
                  "shapes = ( { M = \"T\"; N = 16; K = 8; }, { M = \"T\"; N = 32; K = 8; } );\n"
                  "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; };\n"
                  "tune = { T = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,\n"
                  "23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 64]; };\n",
                  { "<dt>shapes, of them tuned</dt><dd>128 / 66</dd>",
                    "500 of 528 tuned shapes are shown, the heaviest." } } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Synthetic y;
        assert_true(synthetic_make(&y, row[i].spec, 4));
        const char *html = page_of(&y);
        assert_has_all(html, row[i].parts[0], row[i].parts[1]);
        arena_free(y.arena);
    }
}

/* With kernel 0 alone: the geometric mean of 1.25, 9 times 10/9, 8 times 10/11 and 1.125 over a weight of 23. */
TEST(sums_up)
{
    const char *html = whole_page(&input, 1);
    assert_has_all(
        html,
        ">2 kernels (3.00 KiB of machine code) serve 8 shapes of dense on Synthetic CPU 9000; on 2 of 3 tuned shapes, "
        "where they were measured beside others, they take 1.1 % more time (geometric mean) than the fastest kernel "
        "known for each. By the times of all shapes, measured or predicted, one kernel for all of them would take "
        "1.023 times as long.<",
        "<dt>kernels kept</dt><dd>2</dd>", "<dt>machine code</dt><dd>3.00 KiB</dd>",
        "<dt>shapes, of them tuned</dt><dd>8 / 3</dd>", "<dt>above best known, tuned shapes</dt><dd>1.1 %</dd>",
        "<dt>the same, worst tuned shape</dt><dd>2.2 %</dd>", /* as in the table of the contract */
        "<dt>time with one kernel for all</dt><dd>" TIMES " 1.023</dd>",
        "<dt>time of CBLAS, mean</dt><dd>" TIMES " 1.061</dd>",
        "The dispatcher is a decision tree over the extents with 3 leaves; at most 2 comparisons lead to a kernel. "
        "Shapes outside the declared ranges go to k10.",
        "So it is on 1 of the 3 tuned shapes.",
        "5 kernels were tried and timed on 10 pairs of kernel and tuned shape, each verified against the definition "
        "first. Fit for use: 3; not compiled: 1; wrong result: 1.");
    assert_lacks(html, "Furthest from the best known"); /* of M = 8 no regret is known */
    hand.shape[2] = (ContractShape){ hand.shape[2].inst, true, 1, true, 8000, 6400, 0.25, 0, 0.5, false, 2 };
    html = whole_page(&input, 1);
    assert_has(html, "Furthest from the best known: M = 8, N = 16, K = 16, by 25.0 %.");
    assert_has(html, "So it is on 2 of the 3 tuned shapes.");
    by_hand_contract(&hand);
}

/* A time that is less than the roofline allows, which is 512 ns on M = 1, is told of, in tables and figures. */
TEST(says_why_a_time_is_above_the_roofline)
{
    static const char note[] =
        "Where something is above the roofline (\xe2\x80\x9c-\xe2\x80\x9d in the tables), nobody saw it so fast";
    const char *why = NULL;
    double *ns = &hand.y.study->trial[0].ns[0]; /* the chosen kernel there */
    assert_lacks(written("speed"), note);
    *ns = 500;
    assert_has(written("speed"), note);
    assert_has_all(written("shapes"), "\n1 | 16 | 16 | 500 ns | " TIMES " 3.00 | ", " % | 512 ns | - | - | ");
    Report *drawn = report_with(&input);
    report_draw(drawn, &why);
    assert_true(drawn->is_over_roof);
    *ns = 1000;
    drawn = report_with(&input);
    report_draw(drawn, &why);
    assert_false(drawn->is_over_roof);
}

/* Where nothing was measured beside the choice, 0 % would be no figure: none is shown, and it is said why. */
TEST(shows_no_regret_where_none_is_known)
{
    static const char spec[] = "name = \"one\"; op = \"dense\"; target = [\"host\"];\n"
                               "dims = { T = { min = 1; max = 5; }; }; shapes = ( { M = \"T\"; N = 16; K = 8; } );\n"
                               "tune = { T = [1, 5]; };\n"
                               "budget = { kernels = 1; code_kib = 64; trials = 8; seconds = 10; };\n";
    static const struct {
        int64_t timed; /* usable trials with times */
        const char *why;
    } row[] = { { 1, "one kernel was measured, and no other beside it" },
                { 4, "on no tuned shape was the chosen kernel measured beside another" } };
    for (size_t k = 0; k < LENGTH(row); k++) {
        Synthetic y;
        assert_true(synthetic_make(&y, spec, 4));
        for (int64_t i = row[k].timed; i < y.study->ntrial; i++)
            y.study->trial[i].status = STATUS_WRONG;
        for (int64_t i = 0; i < y.study->ntrial; i++)
            for (int64_t j = 0; row[k].timed > 1 && j < y.study->nshape; j++)
                y.study->trial[i].ns[j] = i == j ? 1e4 : 0; /* each on a shape of its own */
        y.assignment->kernel[0] = 0;
        const char *html = page_of(&y);
        assert_has(html, row[k].why);
        assert_lacks(html, "above best known, tuned shapes");
        assert_has(html, "<th scope=\"row\">tuned shapes</th><td class=\"num\">0 of 2</td><td class=\"num\">-</td><td "
                         "class=\"num\">-</td><td class=\"num\">-</td><td class=\"num\">-</td>");
        arena_free(y.arena);
    }
}

/* The same of one kernel; and of a machine that there was not. */
TEST(sums_up_one_kernel)
{
    const Assignment kept = hand.as;
    Device modelled = hand.y.device;
    hand.as.nkernel = 1;
    hand.as.cost = (double[]){ 1250, 2000, 2000, 4000, 5000, 6000, 7000, 9000 };
    hand.as.chosen = (int[HAND_SHAPE]){ 0 };
    hand.as.tree = &hand.node[3];
    const char *html = whole_page(&input, 1);
    modelled.modelled = true;
    hand.y.study->device = &modelled;
    const char *computed = whole_page(&input, 1);
    hand.y.study->device = &hand.y.device;
    hand.as = kept;
    assert_has(html,
               ">1 kernel (3.00 KiB of machine code) serves 8 shapes of dense on Synthetic CPU 9000; on 2 of 3 tuned "
               "shapes, where it was measured beside others, it takes 1.1 % more time (geometric mean) than the "
               "fastest kernel known for each.<");
    assert_has(html, "<dt>time of CBLAS, mean</dt><dd>" TIMES " 0.894</dd>"); /* the root of 1500/1250 * 6000/9000 */
    assert_has(html, "There is nothing to decide: k10 serves all shapes.");
    assert_lacks(html, "time with one kernel for all");
    assert_has(computed, "serves 8 shapes of dense on Synthetic CPU 9000. No time in this report was measured: ");
    assert_has(computed, "5 kernels were compiled, and executed by the emulator on awkward shapes. Fit for use: 3; ");
}

/* Two targets: each part has its own ids and its own numbers of kernels. */
TEST(sums_up_each_target)
{
    Study lesser = *hand.y.study;
    Result both[] = { input, input };
    lesser.target = target_find(&hand.y.targets, "avx2");
    both[1].study = &lesser;
    both[1].first = 20;
    const char *html = whole_page(both, 2), *part = strstr(html, "<article id=\"avx2\">");
    assert_has(html, "<nav aria-label=\"Parts\">\n<a href=\"#avx512\">avx512: 2 kernels</a>\n<a href=\"#avx2\">avx2: 2 "
                     "kernels</a>\n</nav>");
    assert_has_all(part, "<h1>hand for avx2</h1>", "<h2 id=\"avx2-shapes\">",
                   "Shapes outside the declared ranges go to k20.");
    assert_lacks(part, ">k10<");
    assert_int_equal(occurrences(html, "</article>"), 2);
    assert_int_equal(occurrences(html, "Shapes outside the declared ranges go to k10."), 1);
}

TEST_FILE(setup, by_hand_teardown)
