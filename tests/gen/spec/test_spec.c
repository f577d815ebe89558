/* SPDX-License-Identifier: Apache-2.0
 *
 * spec: golden pairs cases/X.cfg + cases/X.err (golden.h), and good specs whose instances are checked by number.
 */
#include "tests/test.h"
#include <dirent.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/order.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/spec_text.h"

static const char *const ops[] = { "../op" };

static int make(void **state) { return setup(state) + chdir(DCGEN_SOURCE_DIR "/tests/gen/spec/cases"); }

/* Reads a spec; *text becomes what diag prints. */
static Spec *read_spec(const char *path, char **text)
{
    Diag *d = diag_new(arena);
    Spec *spec = spec_read(arena, path, ops, 1, d);
    *text = golden_diag(arena, d);
    assert_int_equal(spec == NULL, diag_nerror(d) > 0);
    return spec;
}

static Spec *read_good(const char *path)
{
    char *text;
    Spec *spec = read_spec(path, &text);
    assert_string_equal(text, "");
    assert_non_null(spec);
    return spec;
}

/* ---- golden pairs ---- */

static void check_golden(const char *cfg)
{
    char *text, *err = arena_strdup(arena, cfg);
    strcpy(strrchr(err, '.'), ".err");
    Spec *spec = read_spec(cfg, &text);
    assert_int_equal(spec == NULL, strncmp(cfg, "bad_", 4) == 0);
    golden_check(arena, err, text);
    for (const char *s = text; (s = strstr(s, ": error: ")); s++) { /* each has a line and a column */
        const char *line = s;
        int at[2];
        while (line > text && line[-1] != '\n')
            line--;
        assert_memory_equal(line, cfg, strlen(cfg));
        assert_int_equal(sscanf(line + strlen(cfg), ":%d:%d: error: ", &at[0], &at[1]), 2);
    }
}

static int is_faulty(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".cfg") == 0 && strncmp(e->d_name, "good_", 5) != 0;
}

TEST(test_golden)
{
    struct dirent **entry;
    int n = scandir(".", &entry, is_faulty, alphasort);
    assert_true(n > 50);
    for (int i = 0; i < n; i++) {
        check_golden(entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
}

/* What else is no file for conf: test_conf.c. */
TEST(test_files)
{
    static const char *const cases[][2] = { { "no_such.cfg", "cannot read the file: No such file or directory" },
                                            { "good_bert.cfg/x", "cannot read the file: Not a directory" } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *text;
        assert_null(read_spec(cases[i][0], &text));
        assert_string_equal(text, arena_printf(arena, "%s: error: %s\n", cases[i][0], cases[i][1]));
    }
}

/* ---- good specs ---- */

static double total_weight(const Spec *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        sum += s->instance[i].weight;
    return sum;
}

static int64_t ntuned(const Spec *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        n += s->instance[i].tuned;
    return n;
}

/* What holds for every spec: order, ranges, no two alike. */
static void check_instances(const Spec *s)
{
    assert_true(s->ninstance > 0 && s->ninstance <= SPEC_MAX_INSTANCE);
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        assert_true(in->weight >= 0);
        assert_in_range(in->decl, 0, s->nshape - 1);
        for (int d = 0; d < s->ndim; d++)
            assert_true(in->dim[d] >= s->dim[d].min && in->dim[d] <= s->dim[d].max);
        for (int x = 0; x < s->op->naxis; x++)
            assert_true(in->extent[x] >= 1 && in->extent[x] <= INT32_MAX);
        if (i == 0)
            continue;
        const Instance *last = in - 1;
        int order = last->threads != in->threads ? (last->threads < in->threads ? -1 : 1)
                    : last->decl != in->decl     ? (last->decl < in->decl ? -1 : 1)
                                                 : 0;
        for (int d = 0; d < s->ndim && order == 0; d++)
            order = last->dim[d] == in->dim[d] ? 0 : last->dim[d] < in->dim[d] ? -1 : 1;
        order = order == 0 && s->log ? order_numbers(last->extent, in->extent, s->op->ngiven) : order;
        assert_int_equal(order, -1);
    }
}

static const Instance *find(const Spec *s, int threads, int64_t m, int64_t n, int64_t k)
{
    const Instance *found = NULL;
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        if (in->threads == threads && in->extent[0] == m && in->extent[1] == n && in->extent[2] == k) {
            assert_null(found); /* equal extents are one instance */
            found = in;
        }
    }
    return found;
}

static void check_accuracies(const char *path, const double *want, int n)
{
    Diag *d = diag_new(arena);
    const Source *src = conf_source(arena, path, d);
    assert_non_null(src);
    const SpecFile *f = spec_file_parse(arena, src, ops, 1, d);
    assert_string_equal(golden_diag(arena, d), "");
    assert_non_null(f);
    assert_int_equal(f->nfunction, n);
    for (int i = 0; i < n; i++)
        assert_true(f->function[i]->accuracy == want[i]);
}

/* A number, a word of the op, or that of the file, which a function's op may not know. */
TEST(test_accuracy)
{
    check_accuracies("good_accuracy.cfg", (const double[]){ 3, 1, 1.5, 16, 1000 }, 5);
    check_accuracies("good_accuracy_word.cfg", (const double[]){ 16, 1 }, 2);
}

/* A quarter of 1 is every function's; the rest goes by time, here to the two large ones: 0.25, 1.38, and 0.25, which
 * is given. */
TEST(test_shares)
{
    Diag *d = diag_new(arena);
    const Source *src = conf_source(arena, "good_shares.cfg", d);
    assert_non_null(src);
    const SpecFile *f = spec_file_parse(arena, src, ops, 1, d);
    assert_string_equal(golden_diag(arena, d), "");
    assert_non_null(f);
    assert_float_equal(f->function[0]->share, 0.135, 0.01);
    assert_float_equal(f->function[1]->share, 0.732, 0.01);
    assert_float_equal(f->function[2]->share, 0.133, 0.001);
}

/* The functions of a file share the instances that a spec may have; many functions of many shapes have some left. */
TEST(test_functions_share_instances)
{
    static const struct {
        int nfunction, nshape;
        int64_t least, most;
    } cases[] = { { 1, 1, SPEC_MAX_INSTANCE - 100, SPEC_MAX_INSTANCE },
                  { 5, 1, SPEC_MAX_INSTANCE / 5 - 100, SPEC_MAX_INSTANCE / 5 },
                  { 5, 3, SPEC_MAX_INSTANCE / 5 - 300, SPEC_MAX_INSTANCE / 5 },
                  { 64, 200, 200 * 60, 200 * 128 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text t = { .arena = arena };
        text_add(&t, "name = \"x\"; dims = { T = { min = 1; max = 1000000; }; }; functions = (");
        for (int k = 0; k < cases[i].nfunction; k++) {
            text_printf(&t, "%s{ name = \"f%d\"; op = \"dense\"; shapes = (", k ? ", " : "", k);
            for (int n = 1; n <= cases[i].nshape; n++)
                text_printf(&t, "%s{ M = \"T\"; N = %d; K = 1; }", n > 1 ? ", " : "", n);
            text_add(&t, "); }");
        }
        text_add(&t, ");\n");
        Diag *d = diag_new(arena);
        const SpecFile *f = spec_file_parse(arena, source_text(arena, "x.cfg", text_str(&t)), spec_templates, 1, d);
        assert_string_equal(golden_diag(arena, d), "");
        assert_non_null(f);
        for (int k = 0; k < f->nfunction; k++)
            assert_in_range(f->function[k]->ninstance, cases[i].least, cases[i].most);
    }
}

/* What is not demanded is 0. */
TEST(test_regret)
{
    Spec *s = read_good("good_regret.cfg");
    assert_true(s->regret.mean == 0);
    assert_true(s->regret.worst == 0.1);
}

/* "NAME OP DTYPE TARGET; LAYOUT[, packed]; FORMULA; KERNELS CODE_KIB TRIALS SECONDS; INSTANCES TUNED WEIGHT;
 * THREADS". */
static const char *told(const Spec *s)
{
    check_instances(s);
    return arena_printf(arena, "%s %s %s %s; %s%s; %s; %d %d %d %d; %d %d %g; %d", s->name, s->op->name, s->dtype,
                        s->target[0], spec_layout_text(arena, s), s->packed ? ", packed" : "",
                        s->formula ? spec_formula_text(s) : "-", s->budget.kernels, s->budget.code_kib,
                        s->budget.trials, s->budget.seconds, (int)s->ninstance, (int)ntuned(s), total_weight(s),
                        s->threads[0]);
}

TEST(test_bert)
{
    static const int64_t box[] = { 16, 768, 768, 2048, 3072, 3072 };
    const Spec *s = read_good("good_bert.cfg");
    assert_string_equal(told(s), "bert_dense dense f32 host; W: NK, packed; bias; 8 512 256 300; 512 36 512; 1");
    assert_true(s->ntarget == 1 && s->const_operand == 1);
    for (int part = 0; part < PART_COUNT; part++)
        assert_true(spec_part(s, (DtypePart)part) == storage_find("f32"));
    int64_t extent[3];
    assert_int_equal(spec_extents(s, 1, extent, 3), 3); /* N */
    assert_true(extent[0] == 768 && extent[1] == 2304 && extent[2] == 3072);
    assert_int_equal(spec_extents(s, 1, extent, 2), 0);
    assert_int_equal(spec_extents(s, 2, extent, 3), 2); /* K */
    assert_int_equal(extent[1], 3072);
    const Instance *in = find(s, 1, 16 * 24, 768, 3072);
    assert_true(in && in->tuned && in->decl == 3 && in->dim[0] == 24);
    assert_false(find(s, 1, 16 * 25, 768, 3072)->tuned);
    assert_null(find(s, 1, 16 * 129, 768, 3072));
    for (int i = 0; i < 3; i++)
        assert_true(s->box.min[i] == box[i] && s->box.max[i] == box[3 + i]);
}

TEST(align_counts_inputs_of_the_specs_type)
{
    Spec *s = read_good("good_bert.cfg");
    Operand *w = (Operand *)&s->op->operand[1]; /* the arena's */
    assert_true(spec_is_aligned(s, 0) && spec_is_aligned(s, 1));
    assert_false(spec_is_aligned(s, (int)(spec_output(s) - s->op->operand)));
    w->stored = storage_find("f32");
    assert_true(spec_is_aligned(s, 1));
    w->stored = storage_find("f16");
    assert_false(spec_is_aligned(s, 1));
}

TEST(test_static)
{
    const Spec *s = read_good("good_static.cfg"); /* with all that is usual; two of the three are the same shape */
    assert_string_equal(told(s), arena_printf(arena, "%s dense f32 auto; W: NK; -; 8 512 256 %d; 2 2 4; 1", s->name,
                                              s->budget.seconds));
    assert_true(s->ndim == 0 && s->nshape == 3);
    assert_true(find(s, 1, 64, 128, 32)->weight == 3);
    s = read_good("good_static_empty_dims.cfg");
    check_instances(s);
    assert_true(s->ninstance == 1 && s->instance[0].tuned);
}

TEST(test_sampler)
{
    static const int64_t want[] = { 1, 4, 12, 26, 47, 72, 100, 128 };
    Spec *s = read_good("good_sampler.cfg");
    check_instances(s);
    assert_int_equal(s->ninstance, 128);
    assert_int_equal(ntuned(s), 8);
    for (size_t i = 0; i < 8; i++)
        assert_true(find(s, 1, 16 * want[i], 768, 768)->tuned);
}

TEST(test_two_dims)
{
    Spec *s = read_good("good_two_dims.cfg");
    check_instances(s);
    assert_true(s->nthread == 2 && s->threads[0] == 1 && s->threads[1] == 4);
    /* one instance for each distinct T*S and each pair T,S; twice for the thread counts */
    char seen[201] = { 0 };
    int distinct = 0;
    double weight12 = 0;
    for (int t = 1; t <= 20; t++)
        for (int v = 1; v <= 10; v++) {
            distinct += !seen[t * v]++;
            weight12 += t * v == 60 ? v * (t > 10) : 0;
        }
    assert_int_equal(s->ninstance, 2 * (distinct + 200));
    assert_true(find(s, 4, 60, 64, 64)->weight == weight12);
    assert_true(find(s, 1, 15, 4, 7)->weight == 3 * 4);
    assert_true(find(s, 1, 5, 4, 7)->weight == 0);
    int64_t tuned = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        tuned += s->instance[i].tuned && s->instance[i].decl == 1 && s->instance[i].threads == 1;
    assert_int_equal(tuned, 64); /* 8 x 8 */
    assert_true(find(s, 1, 1, 1, 7)->tuned && find(s, 1, 20, 10, 7)->tuned && find(s, 4, 1, 10, 7)->tuned);
    assert_true(total_weight(s) == 2 * 4 * 10 * 55.0);
}

/* More points than instances are allowed: a sample with all corners and tuned points. */
TEST(test_large)
{
    Spec *s = read_good("good_large.cfg");
    check_instances(s);
    assert_true(s->ninstance > 50000);
    static const int64_t corner[][2] = { { 1, 1 }, { 1, 2001 }, { 1000000, 1 }, { 1000000, 2001 } };
    for (size_t i = 0; i < 4; i++)
        assert_true(find(s, 1, corner[i][0], corner[i][1], 64)->tuned);
    int64_t tuned[3] = { 0 };
    for (int64_t i = 0; i < s->ninstance; i++)
        tuned[s->instance[i].decl] += s->instance[i].tuned;
    assert_true(tuned[0] == 64 && tuned[1] == 8 && tuned[2] == 1);
    s = read_good("good_six_dims.cfg");
    check_instances(s);
    assert_non_null(find(s, 1, 1, 1, 1));
    assert_non_null(find(s, 1, 900, 1, 900));
    assert_int_equal(s->instance[0].extent[0], 1);
    assert_in_range(ntuned(s), 8, 64);
}

static Spec *read_text(const char *dims, const char *shapes)
{
    static const char form[] = "name = \"x\"; op = \"dense\";\ndims = { %s };\nshapes = ( %s );\nthreads = [1, 2];\n";
    return spec_good(arena, arena_printf(arena, form, dims, shapes), spec_templates, 1);
}

/* Of many shapes each has its share of what a search can measure, with its corners, unless it is told which values. */
TEST(test_many_shapes)
{
    Text shapes = { .arena = arena };
    for (int i = 0; i < 20; i++)
        text_printf(&shapes, "%s{ M = \"T\"; N = \"S\"; K = %d; }", i ? ", " : "", 8 + i);
    for (int named = 0; named < 2; named++) {
        const char *dims = "T = { min = 1; max = 64; }; S = { min = 1; max = 64; };";
        if (named)
            dims = arena_printf(arena, "%s }; tune = { S = [1, 2, 4, 8, 16, 32, 48, 64];", dims);
        Spec *s = read_text(dims, text_str(&shapes));
        for (int i = 0; i < 20; i++) {
            int64_t n = 0;
            for (const Instance *in = s->instance; in < s->instance + s->ninstance; in++)
                n += in->tuned && in->extent[2] == 8 + i && in->threads == 1;
            assert_int_equal(n, named ? 64 : 512 / 20 / 2);
            for (int corner = 0; corner < 4; corner++)
                assert_true(find(s, 1, corner & 1 ? 64 : 1, corner & 2 ? 64 : 1, 8 + i)->tuned);
        }
    }
}

/* Two declarations of the same extents are one instance, of the first, with both weights; tuned if either is. */
TEST(test_either_is_tuned)
{
    Spec *s = read_text("T = { min = 1; max = 40; }; S = { min = 1; max = 3; };",
                        "{ M = \"T\"; N = 8; K = 8; }, { M = \"S + 20\"; N = 8; K = 8; weight = 2.0; }");
    assert_int_equal(s->ninstance, 2 * 40);
    assert_int_equal(ntuned(s), 2 * (8 + 3));
    for (int m = 21; m <= 23; m++) {
        const Instance *in = find(s, 1, m, 8, 8);
        assert_true(in && in->decl == 0 && in->tuned);
        assert_true(in->weight == 3 * 1 + 2 * 40); /* a dim that a shape does not use scales its weight */
    }
    assert_true(find(s, 1, 24, 8, 8)->weight == 3);
}

/* The first weight of a list is that of the least value, which need not be 1. */
TEST(test_weights_begin_at_the_least)
{
    Spec *s = read_text("T = { min = 3; max = 5; }; }; weights = { T = [10, 20, 40];", "{ M = \"T\"; N = 8; K = 8; }");
    for (int t = 3; t <= 5; t++)
        assert_true(find(s, 1, t, 8, 8)->weight == 10 << (t - 3));
}

/* The box is that of all declared shapes, though the instances are a sample that misses M's largest value. */
TEST(test_box_of_a_sample)
{
    const Spec *s = read_text("T = { min = 0; max = 1000; }; S = { min = 3; max = 100000; };",
                              "{ M = \"1 + T*(1000 - T)\"; N = \"S\"; K = 5; }");
    const int64_t min[] = { 1, 3, 5 }, max[] = { 250001, 100000, 5 };
    assert_true(s->ninstance < 400000);
    assert_null(find(s, 1, 250001, 3, 5));
    for (int i = 0; i < 3; i++)
        assert_true(s->box.min[i] == min[i] && s->box.max[i] == max[i]);
}

TEST(test_shape_at_a_point)
{
    Spec *s = read_text("T = { min = 1; max = 9; }; S = { min = 1; max = 3; };",
                        "{ M = \"16*T\"; N = 7; K = \"S\"; }, { M = 1; N = 2; K = 3; }");
    int64_t extent[OP_MAX_EXTENT];
    assert_int_equal(spec_shape_dims(s, &s->shape[0]), 3);
    assert_int_equal(spec_shape_dims(s, &s->shape[1]), 0);
    assert_true(spec_shape_extents(s, &s->shape[0], (int64_t[]){ 5, 2 }, extent));
    assert_true(extent[0] == 80 && extent[1] == 7 && extent[2] == 2);
    assert_false(spec_shape_extents(s, &s->shape[0], (int64_t[]){ 0, 2 }, extent)); /* no extent is 0 */
    assert_false(spec_shape_extents(s, &s->shape[0], (int64_t[]){ INT32_MAX, 2 }, extent));
    assert_false(spec_shape_extents(s, &s->shape[0], (int64_t[]){ INT64_MAX, 2 }, extent)); /* overflows */
}

/* 256 thousand operations are worth a thread. */
TEST(test_parts)
{
    Spec *s = read_text("T = { min = 1; max = 9; };", "{ M = \"T\"; N = 64; K = 64; }");
    assert_int_equal(spec_parts(s, (int64_t[]){ 1, 64, 64 }, 8), 1);
    assert_int_equal(spec_parts(s, (int64_t[]){ 64, 64, 64 }, 8), 2);
    assert_int_equal(spec_parts(s, (int64_t[]){ 64, 64, 64 }, 1), 1);
    assert_int_equal(spec_parts(s, (int64_t[]){ 4096, 4096, 4096 }, 8), 8);
    assert_int_equal(spec_parts(s, (int64_t[]){ INT32_MAX, INT32_MAX, INT32_MAX }, 8), 8);
}

/* Bytes of all operands that there are, by hand; operations without them. */
TEST(test_work)
{
    static const char shapes[] = "{ M = \"T\"; N = 64; K = 16; }";
    const int64_t extent[] = { 5, 64, 16 };
    const double plain = 5 * 16 + 64 * 16 + 5 * 64;
    Spec *s = read_text("T = { min = 1; max = 9; };", shapes);
    assert_true(spec_bytes(s, extent) == 4 * plain);
    assert_true(spec_flops(s, extent) == 2 * 5 * 64 * 16);
    s = read_text("T = { min = 1; max = 9; }; }; dtype = \"f16\"; epilogue = [\"bias\"]; regret = { ", shapes);
    assert_true(spec_bytes(s, extent) == 2 * (plain + 64));
    assert_true(spec_flops(s, extent) == 2 * 5 * 64 * 16);
    assert_int_equal(spec_parts(s, extent, 1), 1);
}

static const char *said_of(const char *rest, const Spec **s)
{
    Diag *d = diag_new(arena);
    const char *text =
        arena_printf(arena, "name = \"x\"; op = \"dense\"; shapes = ( { M = 1; N = 2; K = 3; } );\n%s\n", rest);
    *s = spec_text(arena, text, spec_templates, 1, d);
    assert_int_equal(*s == NULL, diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

/* The last value that is allowed, and the first that is not. */
TEST(test_borders)
{
    static const struct {
        const char *good, *bad, *want;
    } cases[] = {
        { "budget = { kernels = 256; };", "budget = { kernels = 257; };",
          "'kernels': expected an integer from 1 to 256, found 257" },
        { "budget = { kernels = 1; };", "budget = { kernels = 0; };", "from 1 to 256, found 0" },
        { "budget = { code_kib = 1048576; };", "budget = { code_kib = 1048577; };", "from 1 to 1048576" },
        { "budget = { code_kib = 1; };", "budget = { code_kib = 0; };", "from 1 to 1048576" },
        { "budget = { trials = 1000000; };", "budget = { trials = 1000001; };", "from 1 to 1000000" },
        { "budget = { trials = 1; };", "budget = { trials = 0; };", "from 1 to 1000000" },
        { "budget = { seconds = 2592000; };", "budget = { seconds = 2592001; };", "from 1 to 2592000" },
        { "budget = { seconds = 1; };", "budget = { seconds = 0; };", "from 1 to 2592000" },
        { "threads = [1024];", "threads = [1025];", "from 1 to 1024, found 1025" },
        { "threads = [1];", "threads = [0];", "from 1 to 1024, found 0" },
        { "threads = [1, 2, 3, 4, 5, 6, 7, 8];", "threads = [1, 2, 3, 4, 5, 6, 7, 8, 9];",
          "9 values, at most 8 are allowed" },
        { "regret = { mean = 1.0; worst = 1; };", "regret = { mean = 1.01; };",
          "above 0 and at most 1, such as 0.02 for 2 %; found 1.01" },
        { "regret = { mean = 0.001; };", "regret = { worst = 0.0; };", "found 0" },
        { "", "regret = { worst = -0.1; };", "found -0.1" },
        { "epilogue = [\"bias\"];", "epilogue = [\"bias\", \"bias\"];", "'bias' is there twice" },
        { "layout = { W = \"KN\"; packed = true; };", "layout = { X = \"KN\"; };", "unknown key 'X'" },
        { "version = \"0.0.0\";", "version = \"1.2\";", "the version '1.2' is not three numbers" },
        { "target = [\"a\", \"b\"];", "target = [\"a\", \"b\", \"a\"];", "'a' is there twice" },
        { "templates = [\"/\", \".\"];", "templates = [\".\", \"/none\"];", "there is no folder '/none'; where it" },
        { "report = false;", "report = 0;", "'report': expected true or false, found an integer" },
    };
    const Spec *s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(said_of(cases[i].good, &s), "");
        golden_fault(said_of(cases[i].bad, &s), cases[i].want);
    }
    said_of("regret = { mean = 0.03; worst = 0.2; }; threads = [8, 2]; layout = { W = \"KN\"; };", &s);
    assert_true(s->regret.mean == 0.03 && s->regret.worst == 0.2);
    assert_true(s->nthread == 2 && s->threads[0] == 2 && s->threads[1] == 8);
    assert_true(s->ntarget == 1 && strcmp(s->target[0], "auto") == 0);
    assert_string_equal(spec_layout_text(arena, s), "W: KN");
    assert_false(s->packed);
    assert_null(s->version);
    said_of("budget = { seconds = 9; }; version = \"1.2.0-rc.1\";", &s);
    assert_string_equal(s->version, "1.2.0-rc.1");
    assert_true(s->budget.kernels == 8 && s->budget.code_kib == 512 && s->budget.trials == 256 &&
                s->budget.seconds == 9);
    char space[4096] = "space = {";
    for (int i = 0; i <= SPEC_MAX_LIMIT; i++) {
        sprintf(space + strlen(space), " P%d = [%d];", i, i);
        const char *said = said_of(arena_printf(arena, "%s };", space), &s);
        if (i < SPEC_MAX_LIMIT)
            assert_true(s && s->nlimit == i + 1 && s->limit[i].value[0] == i &&
                        strcmp(s->limit[i].param, arena_printf(arena, "P%d", i)) == 0);
        else
            assert_has(said, arena_printf(arena, "'space' names more than %d parameters", SPEC_MAX_LIMIT));
    }
    said_of("space = { A = [1, 3]; };", &s);
    assert_true(spec_wants(s, "B", 7));
    assert_true(spec_wants(s, "A", 1) && spec_wants(s, "A", 3) && !spec_wants(s, "A", 2));
}

/* A range from 0 is sampled like one from 1; all of few values are tuned; a dim that a shape does not use takes none of
 * its points. */
TEST(test_tuned_values)
{
    static const int64_t want[] = { 0, 3, 11, 25, 46, 71, 99, 127 };
    Spec *s = read_text("T = { min = 0; max = 127; };", "{ M = \"T + 1\"; N = 8; K = 8; }");
    int at = 0;
    for (int64_t i = 0; i < s->ninstance / 2; i++)
        if (s->instance[i].tuned)
            assert_int_equal(s->instance[i].dim[0], want[at++]);
    assert_int_equal(at, 8);
    for (int n = 1; n <= 8; n++)
        assert_int_equal(ntuned(read_text(arena_printf(arena, "T = { min = 3; max = %d; };", 2 + n),
                                          "{ M = \"T\"; N = 8; K = 8; }")),
                         2 * n);
    s = read_text("T = { min = 1; max = 20; }; S = { min = 1; max = 20; }; R = { min = 1; max = 20; };",
                  "{ M = \"T\"; N = 8; K = 8; }, { M = \"S\"; N = \"R\"; K = 9; }");
    int n[2] = { 0, 0 };
    for (int64_t i = 0; i < s->ninstance / 2; i++)
        n[s->instance[i].decl] += s->instance[i].tuned;
    assert_true(n[0] == 8 && n[1] == 64);
    assert_true(find(s, 1, 7, 8, 8)->weight == 400);
    assert_true(find(s, 2, 7, 8, 9)->weight == 20);
}

TEST(test_forms)
{
    Spec *s = read_good("good_forms.cfg");
    check_instances(s);
    assert_true(s->ninstance == 4 && ntuned(s) == 3);
    assert_true(s->dim[0].ntune == 3 && s->dim[0].tune[0] == 1 && s->dim[0].tune[2] == 4);
    assert_true(find(s, 1, 32, 7, 16)->weight == 0.5);
    assert_true(s->packed);
    assert_string_equal(expr_text(s->shape[0].extent[0]), "16 *T");
    s = read_good("good_crlf.cfg");
    assert_int_equal(s->ninstance, 128);
}

/* The committed workloads must be readable with the committed operators. */
TEST(test_committed)
{
    struct dirent **entry;
    int n = scandir(DCGEN_SOURCE_DIR "/specs", &entry, is_faulty, alphasort);
    assert_true(n > 0);
#ifdef DCGEN_SANITIZE_address
    const int step = 5; /* some take a second */
#else
    const int step = 1;
#endif
    for (int i = 0; i < n; free(entry[i++])) {
        if (i % step)
            continue;
        Diag *d = diag_new(arena);
        Spec *s =
            spec_read(arena, arena_printf(arena, DCGEN_SOURCE_DIR "/specs/%s", entry[i]->d_name), spec_templates, 1, d);
        diag_print(d, stderr);
        assert_non_null(s);
        check_instances(s);
    }
    free(entry);
}

/* A packed operand leaves the caches unless the spec says that it stays; it has its bytes, and none where nothing is
 * packed. */
TEST(test_caches)
{
    const Spec *s;
    static const int64_t extent[] = { 5, 768, 3072 };
    said_of("", &s);
    assert_true(!s->hot && spec_packed_bytes(s, extent) == 0);
    said_of("caches = \"cold\"; layout = { packed = true; };", &s);
    assert_true(!s->hot && spec_packed_bytes(s, extent) == 4.0 * 768 * 3072);
    said_of("caches = \"hot\"; layout = { packed = true; };", &s);
    assert_true(s->hot);
}

TEST_FILE(make, teardown)
