/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers that the report's figures are drawn from, worked out by hand; their axes, their groups of shapes, and
 * where they stand.
 */
#include "tests/test.h"
#include "tests/gen/report/hand_result.h"

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
TEST(draws_the_speed_of_each_shape)
{
    const Report *r = drawn();
    const char *script = script_of(r, "panel-0");
    assert_has_all(
        script, "$roof << END\n1 1\n2 1\n3 1\n4 1\n5 1\n6 1\n7 1\n8 1\nEND\n",
        "$library << END\n1 0.3413333\n8 0.6826667\nEND\n",
        "$general << END\n1 0.4096\n2 0.512\n3 0.768\n4 0.512\n5 0.512\n6 0.512\n7 0.512\n8 0.4551111\nEND\n",
        "$line << END\n1 0.512\n2 0.5688889\n3 0.768\n4 0.512\n5 0.512\n6 0.4654545\n7 0.4654545\n8 0.512\n"
        "END\n",
        "$best << END\n1 0.512\n3 0.768\n8 0.64\nEND\n", "$dot << END\n1 0.512\n3 0.768\n8 0.512\nEND\n");
    assert_has(script, "set xrange [0.925925926:8.64]\n"); /* 8 % on either side */
    assert_has(script, "set yrange [0.304761905:1.12]\n"); /* 12 %: from the library's least to the roofline */
    assert_has_all(script, "set xlabel 'M'", "set ylabel 'GFLOP/s'",
                   "plot $roof using 1:2 notitle with lines lc rgb '#00000c', "
                   "$general using 1:2 notitle with lines lc rgb '#000006', "
                   "$library using 1:2 notitle with lines lc rgb '#00000d', "
                   "$library_dot using 1:2 notitle with points pt 7 ps 0.45 lc rgb '#00000e', "
                   "$line using 1:2 notitle with lines lc rgb '#000005', "
                   "$best using 1:2 notitle with points pt 6 ps 0.82 lc rgb '#000007', "
                   "$dot using 1:2 notitle with points pt 7 ps 0.51 lc rgb '#000008'");
    assert_true(r->has_roof && r->has_library);
    hand.y.study->roofline = NULL; /* where no limits are known there is no roofline */
    r = drawn();
    hand.y.study->roofline = &roofline;
    assert_true(r->has_library && !r->is_over_roof);
    assert_lacks(script_of(r, "panel-0"), "$roof << END\n1 1\n");
}

/* A dot is a time that was measured, on tuned shapes and others; the line is what the choice goes by. The study keeps
 * the time that is taken here. */
TEST(draws_a_dot_where_a_time_was_measured)
{
    double *on_8 = &hand.y.study->trial[0].ns[2];
    *on_8 = 0;
    by_hand_measure(&hand, 1, &hand.y.spec->instance[3], 2560); /* M = 4, which kernel 0 serves */
    const char *script = script_of(drawn(), "panel-0");
    *on_8 = 8000;
    assert_has_all(
        script, "$dot << END\n1 0.512\n3 0.768\n4 0.8\nEND\n", "$best << END\n1 0.512\n3 0.768\n4 0.8\n8 0.64\nEND\n",
        "$line << END\n1 0.512\n2 0.5688889\n3 0.768\n4 0.512\n5 0.512\n6 0.4654545\n7 0.4654545\n8 0.512\n");
}

/* Kernels change half-way, on the scale of the axis: at the roots of 2 * 3 and of 5 * 6. */
TEST(draws_which_kernel_serves_what)
{
    const Report *r = drawn();
    const double edge[] = { 1 / 1.03, sqrt(6), sqrt(30), 8 * 1.03 };
    Text data = { .arena = hand.y.arena }, labels = { .arena = hand.y.arena };
    for (int i = 0; i < 3; i++) {
        const double middle = sqrt(edge[i] * edge[i + 1]);
        text_printf(&data, "%.7g 0.25 %.7g %.7g 0.05 0.45 %d\n", middle, edge[i], edge[i + 1],
                    LOOK_KERNEL + (i == 1 ? 0 : 1));
        text_printf(&labels, "set label '%s' at %.7g,0.25 center", i == 1 ? "k10" : "k11", middle);
        assert_has(script_of(r, "map"), text_str(&labels));
        labels = (Text){ .arena = hand.y.arena };
    }
    assert_has(script_of(r, "map"), arena_printf(hand.y.arena, "$run << END\n%sEND\n", text_str(&data)));
    assert_has(script_of(r, "narrow-map"), text_str(&data));
    assert_has(script_of(r, "map"), "set label 'N = 16, K = 16' at graph 0, first 0.63 ");
    assert_int_equal(find_plot(r, "map")->width, 900);
    assert_int_equal(find_plot(r, "narrow-map")->width, 440);
    assert_null(find_plot(r, "plane-0"));
}

/* The cells of a plane, one a line. */
static const char *cells_of(const Report *r, const char *id)
{
    const char *at = strstr(script_of(r, id), "$cell << END\n");
    assert_non_null(at);
    return at + strlen("$cell << END\n");
}

/* The look of a cell; its place, then its edges. */
static int read_cell(const char *at, double is[6])
{
    int look;
    assert_int_equal(sscanf(at, "%lf %lf %lf %lf %lf %lf %d", is, is + 1, is + 2, is + 3, is + 4, is + 5, &look), 7);
    return look;
}

/* Edges are half-way between the values, on the scale of the axes, which end a tenth beyond them. Neighbours of one
 * kernel are one cell. */
TEST(draws_planes_of_two_extents)
{
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
    const char *at = cells_of(r, "plane-0");
    for (int i = 0; i < 3; i++, at = strchr(at, '\n') + 1) {
        double is[6];
        const int look = read_cell(at, is);
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
    assert_has_all(script_of(r, "plane-0"), "set xlabel 'M'", "set ylabel 'N'", "set label 'k10' at ",
                   "set label 'k11' at ");
    arena_free(y.arena);
}

/* The maps of the shapes of a spec, where kernels change along M and N and across. */
static Report *maps_of(Synthetic *y, const char *dims, const char *shapes, const char *threads)
{
    assert_true(synthetic_make(
        y,
        arena_printf(hand.y.arena,
                     "name = \"maps\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
                     "dims = { %s };\nshapes = ( %s ); layout = { W = \"NK\"; };\n"
                     "budget = { kernels = 4; code_kib = 64; trials = 8; seconds = 10; }; threads = [%s];\n",
                     dims, shapes, threads),
        8));
    int *chosen = ARENA_ARRAY(y->arena, (size_t)y->spec->ninstance, int);
    for (int64_t i = 0; i < y->spec->ninstance; i++) {
        const int64_t *x = y->spec->instance[i].extent;
        chosen[i] = (x[0] > 30 && x[1] > 16 * 12 && x[0] * x[1] < 60 * 16 * 40) || x[0] % 16 == 5;
    }
    assert_true(y->assignment->nkernel > 1);
    y->assignment->chosen = chosen;
    Result in = synthetic_result(y);
    in.first = 10;
    Report *r = report_begin(y->arena, &in, VERSION, false);
    report_draw_maps(r);
    assert_true(r->nplot > 0);
    return r;
}

static const char *captions_of(const Report *r)
{
    Text all = { .arena = r->arena };
    for (int i = 0; i < r->nplot; i++)
        if (strcmp(r->plot[i].word, "plane_figures") == 0)
            text_printf(&all, "%s\n", r->plot[i].caption);
    return text_str(&all);
}

/* The cells of a plane fill a box, which has all shapes, and nearly all of them are of the kernel that serves the
 * shapes within. */
static void check_cells(const Report *r, const char *id, int most)
{
    const char *at = cells_of(r, id);
    const Spec *spec = r->study->spec;
    double box[] = { INFINITY, 0, INFINITY, 0 }, area = 0, is[6];
    int n = 0;
    int64_t same = 0, other = 0;
    for (; strncmp(at, "END\n", 4) != 0; at = strchr(at, '\n') + 1, n++) {
        const int look = read_cell(at, is);
        area += log(is[3] / is[2]) * log(is[5] / is[4]);
        for (int k = 0; k < 4; k++)
            box[k] = k % 2 ? fmax(box[k], is[2 + k]) : fmin(box[k], is[2 + k]);
        for (int64_t i = 0; i < spec->ninstance; i++) {
            const double x = (double)spec->instance[i].extent[1], y = (double)spec->instance[i].extent[0];
            if (x > is[2] && x < is[3] && y > is[4] && y < is[5])
                *(look == LOOK_KERNEL + r->assignment->chosen[i] ? &same : &other) += 1;
        }
    }
    assert_in_range(n, 2, most);
    assert_int_equal(same + other, spec->ninstance);
    assert_true(same > 9 * other); /* of neighbouring rows that are shown as one, some have another kernel */
    assert_true(fabs(area / (log(box[1] / box[0]) * log(box[3] / box[2])) - 1) < 1e-4);
}

TEST(draws_maps_of_many_shapes)
{
    Synthetic y;
    /* more rows than a plane shows */
    const Report *r = maps_of(&y, "T = { min = 1; max = 55; }; S = { min = 1; max = 60; };",
                              "{ M = \"3*T\"; N = \"16*S\"; K = 8; }", "1");
    assert_string_equal(captions_of(r), "M = 3*T, N = 16*S, K = 8\n");
    check_cells(r, "plane-0", 200);
    arena_free(y.arena);
    /* bars of one extent, with runs too narrow for a name, and a shape that has none */
    r = maps_of(&y, "T = { min = 1; max = 80; };",
                "{ M = \"T\"; N = 48; K = 16; }, { M = \"3*T\"; N = 320; K = 16; }, { M = 7; N = 7; K = 7; }", "1");
    const char *script = script_of(r, "map"), *narrow = script_of(r, "narrow-map");
    assert_has_all(
        script,
        "set yrange [0:3]\n$run << END\n7 2.25 6.796117 7.21 2.05 2.45 16\n2.083718 1.25 0.9708738 4.472136 1.05 "
        "1.45 16\n4.949232 1.25 4.472136 5.477226 1.05 1.45 17\n",
        "set label 'N = 320, K = 16' at ", "set label 'N = 7, K = 7' at ");
    assert_true(strlen(narrow) < strlen(script)); /* fewer runs have room for a name */
    arena_free(y.arena);
    /* planes of several shapes: the extent that varies most, and one that does not follow it */
    r = maps_of(&y, "T = { min = 1; max = 6; }; S = { min = 1; max = 9; };",
                "{ M = \"5*T\"; N = \"16*T\"; K = \"8*S\"; }, { M = \"5*S\"; N = \"3*T\"; K = 8; }, "
                "{ M = \"T\"; N = \"T\"; K = 1; }",
                "1, 2");
    assert_string_equal(captions_of(r), "M = 5*T, N = 16*T, K = 8*S, 1 thread\nM = 5*S, N = 3*T, K = 8, 1 thread\n"
                                        "M = 5*T, N = 16*T, K = 8*S, 2 threads\nM = 5*S, N = 3*T, K = 8, 2 threads\n");
    assert_has_all(script_of(r, "plane-0"), "set xlabel 'K'", "set ylabel 'M'");
    assert_has(script_of(r, "plane-1"), "set xlabel 'M'");
    arena_free(y.arena);
}

/* The sections of the page, and in each the figures that belong there. */
TEST(figures_stand_in_their_sections)
{
    const char *why = NULL;
    Report *r = drawn();
    for (int i = 0; i < r->nplot; i++)
        r->plot[i].svg = arena_printf(r->arena, "<g>drawn %s</g>", r->plot[i].id);
    Text outline = { .arena = r->arena };
    const char *html = report_fill(r->arena, &input, &r, 1, &why);
    assert_non_null(html);
    for (const char *p = html; (p = strpbrk(p, "<")); p++) {
        char id[32];
        if (sscanf(p, "<h2 id=\"%31[^\"]", id) == 1 || sscanf(p, "<figcaption id=\"%31[^\"]", id) == 1 ||
            sscanf(p, "<g>drawn %31[^<]", id) == 1)
            text_printf(&outline, "%s%s", p[1] == 'h' ? "\n" : p[1] == 'f' ? " " : "=", id);
    }
    assert_string_equal(
        text_str(&outline),
        "\nsetting\nspeed panel-0=panel-0\ndispatch map=map narrow-map=narrow-map\nshapes\nregret\n"
        "kernels curve=curve\nsearch progress=progress\nmodel scatter=scatter residual=residual\nreading");
}

/* KiB and percent above the best known. */
TEST(draws_what_less_or_more_code_brings)
{
    const Report *r = drawn();
    const char *script = script_of(r, "curve");
    assert_has_all(script, "$within << END\n2.024414 20\n3.000977 5\nEND\n",
                   "$beyond << END\n3.000977 5\n5.000977 1\nEND\n", "$mark << END\n3.000977 5\nEND\n",
                   "set label '1' at 2.024414,20 ", "set label '2' at 3.000977,5 ", "set label '3' at 5.000977,1 ",
                   "set xrange [0:5.30103516]\n", "set yrange [0:22.4]\n");
    hand.as.kept = -1;
    assert_null(find_plot(drawn(), "curve"));
    hand.as.kept = 1;
    CurvePoint *curve = hand.as.curve; /* of kernels that cost nothing, as another function of the package has them */
    const int64_t bytes[] = { curve[0].bytes, curve[1].bytes, curve[2].bytes };
    for (int i = 0; i < 3; i++)
        curve[i].bytes = 0;
    assert_has(script_of(drawn(), "curve"), "set xrange [0:1.06]\n");
    for (int i = 0; i < 3; i++)
        curve[i].bytes = bytes[i];
}

/* Until a kernel was right on each shape there is nothing to draw; then (1 + 2 * 1.5 + 1.25) / 4, (1 + 2 + 1.25) / 4,
 * 1. */
TEST(draws_how_the_search_went)
{
    const Report *r = drawn();
    assert_has_all(script_of(r, "progress"), "$line << END\n2 31.25\n3 31.25\n4 6.25\n5 0\nEND\n", "set xrange [1:5]\n",
                   "set yrange [0:35]\n");
    hand.y.study->trial[4].n = 0; /* of one it is not known */
    assert_null(find_plot(drawn(), "progress"));
    hand.y.study->trial[4].n = by_hand_trial[4].n;
}

/* Microseconds; the package's kernels and the others. Then predicted over measured, by M, within a quarter and four
 * times. */
TEST(draws_how_far_the_model_is_off)
{
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
        assert_has(script_of(r, "scatter"), text_str(&times));
        assert_has(script_of(r, "residual"), text_str(&ratios));
    }
    const CostReport *before = input.cost;
    input.cost = &(CostReport){ 0 };
    r = drawn();
    assert_true(!find_plot(r, "scatter") && !find_plot(r, "residual"));
    input.cost = before;
}

/* Lines of a block of data. */
static int count_points(const char *script, const char *block)
{
    const char *at = strstr(script, arena_printf(hand.y.arena, "$%s << END\n", block));
    assert_non_null(at);
    int n = -1;
    for (; strncmp(at, "END\n", 4) != 0; at = strchr(at, '\n') + 1)
        n++;
    return n;
}

/* About 1500 of many pairs are drawn, however many there are. 7919 is the prime by which they are spread. */
TEST(draws_some_of_many_pairs)
{
    static const int64_t ntrial[] = { 7919, 7918, 6000, 2 * 7919 };
    Study *s = hand.y.study;
    Trial *const few = s->trial;
    for (size_t i = 0; i < LENGTH(ntrial); i++) {
        s->ntrial = ntrial[i];
        s->trial = ARENA_ARRAY(hand.y.arena, (size_t)s->ntrial, Trial);
        for (int64_t k = 0; k < s->ntrial; k++) /* the first two are the package's kernels */
            s->trial[k] = few[k < 2 ? k : 2];
        const char *script = script_of(drawn(), "scatter");
        assert_in_range(count_points(script, "cloud"), 1490, 1510);
        assert_int_equal(count_points(script, "kept"), 6);
    }
    s->trial = few;
    s->ntrial = HAND_TRIAL;
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

TEST(has_ticks_at_round_numbers)
{
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
        assert_has(script, arena_printf(hand.y.arena, "set xtics %s\n", row[i].ticks));
        assert_has(script, arena_printf(hand.y.arena, "set xrange [%.9g:%.9g]\n", row[i].lo, row[i].hi));
        assert_int_equal(strstr(script, "set logscale x\n") != NULL, row[i].logarithmic);
    }
}

/* ---- groups ---- */

/* Three values of T against two of S: the first shape varies along T, once for each S; the second has only S, along
 * which it varies. */
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

TEST(sorts_shapes_into_groups)
{
    check_groups("S = { min = 1; max = 2; }; T = { min = 1; max = 3; };");
    check_groups("T = { min = 1; max = 3; }; S = { min = 1; max = 2; };"); /* the next instance has another S */
}

TEST_FILE(setup, by_hand_teardown)
