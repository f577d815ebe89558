/* SPDX-License-Identifier: Apache-2.0
 *
 * The analytic models in the heads of the CUDA templates of dense and conv2d: what they say of a typical sm_90a device,
 * held against what its hardware allows. A multiprocessor has four sub-cores, and a warp runs on one of them.
 */
#include "tests/test.h"
#include <math.h>
#include <string.h>
#include "gen/template/template.h"
#include "search/record/study.h"
#include "gen/unit/unit.h"
#include "search/space/propose.h"
#include "tests/gen/spec_text.h"

#define DENSE(dtype)                                                                \
    "name = \"d\"; op = \"dense\"; dtype = \"" dtype "\"; target = [\"sm_90a\"];\n" \
    "dims = { T = { min = 1; max = 2; }; };\n"                                      \
    "shapes = ( { M = \"T\"; N = 64; K = 3072; } ); layout = { W = \"NK\"; };\n"
#define CONV(dtype)                                                                            \
    "name = \"conv\"; op = \"conv2d\"; dtype = \"" dtype "\"; target = [\"sm_90a\"];\n"        \
    "dims = { T = { min = 1; max = 2; }; };\n"                                                 \
    "shapes = ( { N = \"T\"; G = 1; H = 7; W = 7; C = 64; K = 64; R = 3; S = 3; PAD = 1; },\n" \
    "           { N = \"T\"; G = 64; H = 7; W = 7; C = 1; K = 1; R = 3; S = 3; PAD = 1; } );\n"
static const char bmm_spec[] = "name = \"bmm\"; op = \"batch_matmul\"; dtype = \"bf16\"; target = [\"sm_90a\"];\n"
                               "dims = { T = { min = 1; max = 2; }; }; layout = { B = \"NK\"; };\n"
                               "shapes = ( { B0 = \"T\"; B1 = 12; M = 64; N = 64; K = 64; } );\n";
enum { SMS = 132 };

static struct {
    Arena *arena;
    Spec *spec;
    TargetList targets;
    TemplateList templates;
    Device device;
    Study study;
    Space *space;
    CostModel *model;
} w;

static void make_world(const char *text)
{
    arena_free(w.arena);
    Arena *a = w.arena = arena_new();
    Diag *d = diag_new(a);
    w.spec = spec_text(a, arena_strdup(a, text), spec_templates, 1, d);
    assert_non_null(w.spec);
    assert_true(target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &w.targets, d));
    assert_true(template_read_all(a, w.spec, NULL, 0, &w.templates, d));
    const Target *t = target_find(&w.targets, "sm_90a");
    w.device = device_typical(a, t);
    assert_int_equal(w.device.sms, SMS);
    w.study = (Study){ .arena = a, .spec = w.spec, .device = &w.device, .target = t };
    w.space = space_make(a, w.spec, &w.templates, t, &w.device, d);
    assert_non_null(w.space);
    w.model = cost_analytic(a, &w.study, &w.templates);
}

static int drop_world(void **state)
{
    arena_free(w.arena);
    w.arena = NULL;
    return 0;
}

static int64_t value_of(const Candidate *c, const char *name)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        if (strcmp(c->t->param[i].name, name) == 0)
            return value[i];
    fail_msg("%s has no %s", c->t->name, name);
    return 0;
}

/* The least time of the template's kernels whose named parameters, up to a NULL, have these values. */
static double best(const char *template, int64_t m, int64_t n, int64_t k, ...)
{
    const int64_t extent[] = { m, n, k };
    double least = INFINITY;
    for (int64_t i = 0; i < w.space->n; i++) {
        const Candidate *c = &w.space->candidate[i];
        if (strcmp(c->t->name, template) != 0)
            continue;
        bool fits = true;
        va_list ap;
        va_start(ap, k);
        for (const char *name; (name = va_arg(ap, const char *));)
            fits &= value_of(c, name) == va_arg(ap, int);
        va_end(ap);
        if (fits)
            least = fmin(least, cost_predict(w.model, c, extent, 1));
    }
    assert_true(isfinite(least));
    return least;
}

/* The least time of the template's kernels, or with a name of those whose parameter has this value. INFINITY: none of
 * them serves it. */
static double least(const char *template, const int64_t *extent, const char *name, int value)
{
    double ns = INFINITY;
    for (int64_t i = 0; i < w.space->n; i++) {
        const Candidate *each = &w.space->candidate[i];
        if (strcmp(each->t->name, template) == 0 && (!name || value_of(each, name) == value))
            ns = fmin(ns, cost_predict(w.model, each, extent, 1));
    }
    return ns;
}

/* The same for a convolution of 3 x 3 taps with a padding of 1: n images of size x size pixels. */
static double convolved(const char *template, int64_t n, int64_t g, int64_t size, int64_t c, int64_t k,
                        const char *name, int value)
{
    const int64_t extent[] = { n, g, size, size, c, k, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, size, size, g * c, g * k };
    return least(template, extent, name, value);
}

#define MMA_TILE(bm, bn, a, x, b, y) "BM", bm, "BN", bn, a, x, b, y, "SPLITK", 1, (char *)NULL
#define TILE(bm, bn, a, x, b, y) "KGROUPS", 1, MMA_TILE(bm, bn, a, x, b, y)

/* One block for each multiprocessor, of 4096 elements both: two warps reach two sub-cores, four warps all. Either
 * waits when it is alone on its sub-core, and that of the larger tile for longer. */
TEST(a_lone_block_of_two_warps_has_half_the_units)
{
    make_world(DENSE("f32"));
    const double two = best("simt_gemm", 64, 64 * SMS, 3072, TILE(32, 128, "TM", 8, "TN", 8)),
                 four = best("simt_gemm", 64, 64 * SMS, 3072, TILE(64, 64, "TM", 4, "TN", 8));
    assert_true(two > 1.3 * four && two < 2.6 * four);
    /* two blocks for each: they fill the rest, where those of four warps take turns */
    const double twice = best("simt_gemm", 64, 128 * SMS, 3072, TILE(32, 128, "TM", 8, "TN", 8)),
                 turns = best("simt_gemm", 64, 128 * SMS, 3072, TILE(64, 64, "TM", 4, "TN", 8));
    assert_true(twice < 1.2 * two);
    assert_true(turns > 1.6 * four);
}

/* On a quarter of the multiprocessors: all together would wait for L2. Shared memory is nearly as busy, so that less is
 * lost. */
TEST(tensor_cores_are_of_sub_cores_too)
{
    make_world(DENSE("tf32"));
    const double two = best("mma_gemm", 64, 64 * SMS / 4, 3072, MMA_TILE(64, 64, "WM", 32, "WN", 64)),
                 four = best("mma_gemm", 64, 64 * SMS / 4, 3072, MMA_TILE(64, 64, "WM", 32, "WN", 32));
    assert_true(two > 1.05 * four);
}

/* mma.sync does 65 % of what wgmma does, which is 989 TFLOP/s at 1830 MHz; a kernel of mma.sync is not far below that,
 * and a larger tile is better where both fill the device. Of FFMA, 128 a cycle, an H200 did less than
 * two thirds in such kernels. */
TEST(large_products_come_near_the_units)
{
    make_world(DENSE("bf16"));
    const double flops = 2.0 * 8192 * 8192 * 8192;
    const double tflops = flops / best("mma_gemm", 8192, 8192, 8192, (char *)NULL) / 1000;
    assert_true(tflops > 430 && tflops < 617);
    assert_true(best("mma_gemm", 8192, 8192, 8192, "BM", 128, "BN", 128, (char *)NULL) <
                0.95 * best("mma_gemm", 8192, 8192, 8192, "BM", 64, "BN", 64, (char *)NULL));
    make_world(DENSE("f32"));
    const double f32 = flops / best("simt_gemm", 8192, 8192, 8192, (char *)NULL) / 1000, peak = 2e-6 * 128 * SMS * 1755;
    assert_true(f32 > 0.55 * peak && f32 < 0.75 * peak);
    make_world(DENSE("tf32x3")); /* a third of what mma.sync does with tf32 */
    const double thrice = flops / best("mma_gemm", 8192, 8192, 8192, (char *)NULL) / 1000;
    assert_true(thrice > 1.2 * f32 && thrice > 0.65 * 103 && thrice < 103);
}

/* cuBLAS's better time on an H200 (bench/results/nvidia-h200), in microseconds, for these M and each N and K. */
static const int64_t library_m[] = { 16, 80, 384, 688, 992, 1296, 1600, 1904, 2048 };
typedef struct {
    int64_t n, k;
    double us[LENGTH(library_m)];
} LibraryTimes;

/* How much faster the model says the best kernel of wgmma_gemm is: on the mean, at least and at most. */
static void against_library(const LibraryTimes *library, int n, double *mean, double *least, double *most)
{
    double sum = 0;
    *least = INFINITY;
    *most = 0;
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < LENGTH(library_m); j++) {
            const double ns = best("wgmma_gemm", library_m[j], library[i].n, library[i].k, (char *)NULL);
            const double ratio = 1000 * library[i].us[j] / ns;
            sum += log(ratio);
            *least = fmin(*least, ratio);
            *most = fmax(*most, ratio);
        }
    *mean = exp(sum / (n * (double)LENGTH(library_m)));
}

/* What the model says of wgmma is near: a little faster, as there are more tiles to choose from, and nowhere much
 * slower. */
TEST(wgmma_comes_near_the_library)
{
    static const LibraryTimes library[] = {
        { 2304, 768, { 3.19, 3.49, 4.54, 6.49, 7.27, 9.02, 10.51, 11.68, 12.47 } },
        { 768, 768, { 3.09, 3.23, 3.56, 3.98, 4.11, 5.30, 5.12, 5.63, 5.56 } },
        { 3072, 768, { 3.22, 3.51, 5.38, 6.78, 8.77, 10.48, 13.30, 13.41, 15.62 } },
        { 768, 3072, { 5.84, 6.33, 7.30, 8.96, 10.27, 11.24, 11.82, 13.58, 13.83 } },
    };
    double mean, least, most;
    make_world(DENSE("bf16"));
    against_library(library, LENGTH(library), &mean, &least, &most);
    assert_true(mean > 1 && mean < 1.2);
    assert_true(least > 0.9 && most < 2);
}

/* Three products of tf32 for one are much faster than the library's f32. */
TEST(wgmma_in_three_parts_beats_f32)
{
    static const LibraryTimes library[] = {
        { 2304, 768, { 10.2, 18.8, 40.8, 65.3, 100.9, 121.8, 131.2, 190.4, 190.5 } },
        { 768, 768, { 5.9, 10.3, 18.9, 25.6, 38.1, 40.9, 54.0, 70.0, 69.0 } },
        { 3072, 768, { 13.2, 21.4, 53.6, 73.2, 121.9, 133.8, 202.2, 222.1, 224.6 } },
        { 768, 3072, { 18.1, 21.8, 48.0, 78.1, 112.3, 136.6, 169.8, 218.3, 210.2 } },
    };
    double mean, least, most;
    make_world(DENSE("tf32x3"));
    against_library(library, LENGTH(library), &mean, &least, &most);
    assert_true(mean > 1.3 && mean < 4);
    assert_true(least > 1 && most < 6);
}

/* One row is bound by reading W: not faster than memory, nor much slower. */
TEST(one_row_streams_w)
{
    make_world(DENSE("bf16"));
    const double ns = best("gemv", 1, 16384, 16384, (char *)NULL), gbs = 2.0 * 16384 * 16384 / ns;
    assert_true(gbs > 0.8 * 3000 && gbs < 3000);
}

/* Tiles of pixels by filters are for groups of many channels and filters, the other kernel for one of each alone, where
 * memory bounds it; small images need blocks that share out a sum. */
TEST(convolutions_go_to_their_templates)
{
    make_world(CONV("f32"));
    assert_true(isfinite(convolved("simt_conv", 1, 1, 14, 256, 256, NULL, 0)));
    assert_false(isfinite(convolved("depthwise", 1, 1, 14, 256, 256, NULL, 0)));
    assert_true(convolved("depthwise", 1, 144, 56, 1, 1, NULL, 0) * 4 <
                convolved("simt_conv", 1, 144, 56, 1, 1, NULL, 0));
    assert_true(convolved("simt_conv", 1, 1, 7, 512, 512, "SPLITK", 8) <
                0.5 * convolved("simt_conv", 1, 1, 7, 512, 512, "SPLITK", 1));
    const double fma = 2e-6 * 128 * SMS * 1755,
                 done = 2e-3 * 128 * 56 * 56 * 9 * 128 * 128 / convolved("simt_conv", 128, 1, 56, 128, 128, NULL, 0);
    assert_true(done > 0.6 * fma && done < 0.95 * fma);
    const double gbs = 2 * 4.0 * 64 * 96 * 112 * 112 / convolved("depthwise", 64, 96, 112, 1, 1, "FIXED_S", 3);
    assert_true(gbs > 0.5 * 3000 && gbs < 3400);
}

/* wgmma has more than the rate of mma.sync, and TMA copies whole boxes of pixels: it is faster for the layers of a
 * residual network. Where TMA cannot copy it is not. */
TEST(boxes_of_pixels_are_for_tma)
{
    static const struct {
        int size, channels;
    } layer[] = { { 56, 64 }, { 28, 128 }, { 14, 256 }, { 7, 512 } };
    make_world(CONV("bf16"));
    for (size_t i = 0; i < LENGTH(layer); i++) {
        const int64_t size = layer[i].size, c = layer[i].channels;
        const double flops = 2.0 * 64 * (double)(size * size * 9 * c * c);
        const double wgmma = convolved("wgmma_conv", 64, 1, size, c, c, NULL, 0);
        assert_true(wgmma < 0.9 * convolved("mma_conv", 64, 1, size, c, c, NULL, 0));
        assert_true(flops / wgmma / 1000 < 989);
        assert_true(convolved("wgmma_conv", 1, 1, size, c, c, NULL, 0) <
                    convolved("mma_conv", 1, 1, size, c, c, NULL, 0));
    }
    assert_true(convolved("mma_conv", 64, 1, 112, 3, 64, NULL, 0) <
                convolved("wgmma_conv", 64, 1, 112, 3, 64, NULL, 0));
}

/* Matrices of all batches are one grid: many small ones take about as long as one that is as large. */
TEST(batches_fill_the_grid)
{
    static const int64_t many[] = { 1, 12, 512, 512, 512 }, one[] = { 1, 1, 2048, 1536, 512 };
    make_world(bmm_spec);
    const double wgmma = least("wgmma_bmm", many, NULL, 0);
    assert_true(wgmma < 0.8 * least("mma_bmm", many, NULL, 0));
    assert_true(wgmma < 1.3 * least("wgmma_bmm", one, NULL, 0));
}

/* ---- what an H200 took */

/* The world of bert_dense with the records of an H200; false: they are of other texts of the templates. */
static bool make_recorded(Study *s, Records *r)
{
    const char *err;
    size_t len;
    Arena *scratch = arena_new();
    make_world(text_read_file(scratch, DCGEN_SOURCE_DIR "/specs/bert_dense.cfg", &len));
    arena_free(scratch);
    assert_true(record_read(w.arena, DCGEN_SOURCE_DIR "/records/nvidia-h200/bert_dense.jsonl", r, stderr, &err));
    const UnitContext u = { w.spec, &r->device[0], &w.targets, DCGEN_SOURCE_DIR "/templates/package", w.study.target };
    *s = *study_new(w.arena, w.spec, u.device, u.target, unit_context_hash(w.arena, &u));
    study_load(s, r, &w.templates, &w.targets);
    if (s->ntrial < 20)
        print_message("skipped: the records are of other templates\n");
    return s->ntrial >= 20;
}

enum { MOST_TILE = 64 };

typedef struct {
    int64_t is[4]; /* BM, BN, TM, TN */
    int n;
    double squares;
} Tile;

static void add_residual(Tile *tile, int *n, const Candidate *c, double octaves)
{
    const int64_t is[] = { value_of(c, "BM"), value_of(c, "BN"), value_of(c, "TM"), value_of(c, "TN") };
    int i = 0;
    while (i < *n && memcmp(tile[i].is, is, sizeof is) != 0)
        i++;
    assert_in_range(i, 0, MOST_TILE - 1);
    if (i == *n)
        memcpy(tile[(*n)++].is, is, sizeof is);
    tile[i].n++;
    tile[i].squares += pow(octaves * M_LN2, 2);
}

/* Of every tile of f32 that was measured the closed form is within 8 %, root mean square. */
TEST(tiles_take_what_they_took)
{
    Study s;
    Records r;
    Tile tile[MOST_TILE] = { 0 };
    int n = 0;
    if (!make_recorded(&s, &r))
        skip();
    CostModel *m = cost_analytic(w.arena, &s, &w.templates);
    double *row = ARENA_ARRAY(w.arena, (size_t)m->nfeature + 1, double);
    for (const Trial *t = s.trial; t < s.trial + s.ntrial; t++)
        for (int64_t j = 0; j < s.nshape && strcmp(t->c.t->name, "simt_gemm") == 0; j++)
            if (t->ns[j] > 0)
                add_residual(tile, &n, &t->c,
                             log2(t->ns[j]) - cost_features(m, &t->c, t->facts, s.shape[j]->extent, 1, row));
    assert_true(n >= 10);
    for (int i = 0; i < n; i++)
        if (!(sqrt(tile[i].squares / tile[i].n) < 0.08))
            fail_msg("%d x %d with %d x %d: off by %.3f", (int)tile[i].is[0], (int)tile[i].is[1], (int)tile[i].is[2],
                     (int)tile[i].is[3], sqrt(tile[i].squares / tile[i].n));
}

/* Where a search has the measured kernels alone, the first that it asks for have the best one of a long sum. */
TEST(the_best_of_long_sums_comes_early)
{
    static const int64_t extent[] = { 2048, 768, 3072 };
    Study s;
    Records r;
    int64_t best, known = 0;
    if (!make_recorded(&s, &r))
        skip();
    assert_true(isfinite(study_best(&s, study_shape(&s, extent, 1), &best)));
    for (int64_t i = 0; i < w.space->n; i++)
        if (study_find(&s, &w.space->candidate[i]) >= 0)
            w.space->candidate[known++] = w.space->candidate[i];
    w.space->n = known;
    Study *fresh = study_new(w.arena, w.spec, s.device, s.target, s.context_hash);
    study_rate(fresh, &r);
    Proposal p[COVER_TRIALS];
    const int n = cover(w.arena, fresh, w.space, cost_analytic(w.arena, fresh, &w.templates), p, COVER_TRIALS);
    bool found = false;
    for (int i = 0; i < n; i++)
        found |= candidate_same(&p[i].c, &s.trial[best].c);
    assert_true(found);
}

TEST_EACH(NULL, drop_world)
