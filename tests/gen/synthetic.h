/* SPDX-License-Identifier: Apache-2.0
 *
 * synthetic: a study of a real spec, real templates and their space, whose times are made up: they follow from the
 * templates' own formulas.
 */
#ifndef DCGEN_TESTS_SYNTHETIC_H
#define DCGEN_TESTS_SYNTHETIC_H

#include <math.h>
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "gen/template/template.h"
#include "search/choose/result.h"
#include "search/space/space.h"
#include "tests/gen/spec_text.h"

typedef struct {
    Arena *arena;
    Spec *spec;
    Device device;
    TargetList targets;
    TemplateList templates;
    Space *space;
    Study *study;
    CostModel *law; /* the closed form */
    CostModel *model;
    Assignment *assignment;
} Synthetic;

#define SYNTHETIC_SPEC(tuned)                                                        \
    "name = \"bert_dense\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n" \
    "dims = { T = { min = 1; max = 128; }; };\n"                                     \
    "shapes = ( { M = \"16*T\"; N = 2304; K = 768; weight = 1.0; },\n"               \
    "           { M = \"16*T\"; N = 768; K = 768; weight = 2.0; },\n"                \
    "           { M = \"T\"; N = 3072; K = 768; weight = 1.0; },\n"                  \
    "           { M = \"16*T\"; N = 768; K = 3072; weight = 1.0; } );\n"             \
    "tune = { T = [" tuned "]; };\n"                                                 \
    "epilogue = [\"bias\"]; layout = { W = \"NK\"; packed = true; };\n"              \
    "budget = { kernels = 8; code_kib = 512; trials = 256; seconds = 300; }; threads = [1];\n"
static const char synthetic_spec[] = SYNTHETIC_SPEC("1, 5, 24, 43, 62, 81, 100, 119, 128");

/* Depthwise layers of two strides, which kernels may be fixed for. */
static const char synthetic_strides[] =
    "name = \"strides\"; op = \"conv2d\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { T = { min = 7; max = 56; }; };\n"
    "shapes = ( { N = 1; G = 64; H = \"T\"; W = 28; C = 1; K = 1; R = 3; S = 3; PAD = 1; },\n"
    "           { N = 1; G = 64; H = \"T\"; W = 28; C = 1; K = 1; R = 3; S = 3; PAD = 1; STRIDE = 2; } );\n"
    "tune = { T = [7, 14, 28, 56]; }; layout = { packed = true; }; threads = [1];\n";

static uint64_t synthetic_seed;

static double synthetic_draw(void) /* 0 <= x < 1 */
{
    synthetic_seed = synthetic_seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(synthetic_seed >> 40) / (double)(1 << 24);
}

static Device synthetic_device(void)
{
    return (Device){ .id = "0123456789abcdef",
                     .name = "Synthetic CPU 9000",
                     .arch = "x86_64",
                     .cores = 8,
                     .l1_bytes = 32 << 10,
                     .l2_bytes = 1 << 20,
                     .l3_bytes = 32 << 20,
                     .nisa = 3,
                     .isa = { "avx512", "avx2", "portable" },
                     .compiler = "gcc (Debian 12.2.0) 12.2.0",
                     .flags = "-O3 -std=gnu17" };
}

/* What a candidate is good at, so that different ones win on different shapes. */
typedef struct {
    double level, log2_m, log2_k;
} Talent;

static double synthetic_talent(const Talent *t, const Instance *inst)
{
    return t->level * (1 + 0.05 * fabs(log2((double)inst->extent[0]) - t->log2_m) +
                       0.1 * fabs(log2((double)inst->extent[2]) - t->log2_k));
}

/* A time as the template's closed form has it, the candidate's talent, and noise. */
static double synthetic_time(const Synthetic *y, const Candidate *c, const Instance *inst, const Talent *talent)
{
    const double cycles = cost_predict(y->law, c, inst->extent, inst->threads);
    return 400 + 0.25 * cycles * synthetic_talent(talent, inst) * (1 + 0.02 * synthetic_draw());
}

static void synthetic_measure(Synthetic *y, int64_t ntrial)
{
    for (int64_t k = 0; k < ntrial; k++) {
        int64_t i = study_add(y->study, &y->space->candidate[(k * 39595 + 13) % y->space->n]);
        Trial *t = &y->study->trial[i];
        Talent talent = { 1 + 0.3 * synthetic_draw(), 11 * synthetic_draw(), 9.5 + 2.2 * synthetic_draw() };
        t->built = true;
        t->status = k % 17 == 5 ? STATUS_WRONG : k % 29 == 3 ? STATUS_BUILD_FAILED : STATUS_OK;
        t->code_bytes = 1500 + (int64_t)(6000 * synthetic_draw());
        t->max_err = 0.02 + 0.1 * synthetic_draw();
        for (int64_t j = 0; t->status == STATUS_OK && j < y->study->nshape; j++)
            if (candidate_serves(&t->c, y->spec, y->study->shape[j]->extent))
                t->ns[j] = synthetic_time(y, &t->c, y->study->shape[j], &talent);
        t->n = i + 1;
    }
}

/* As a search does: where some kernels do not serve every call, general ones that do are built too, whether they are
 * timed or not; and they work. */
static void synthetic_build_general(Synthetic *y)
{
    bool some_serve_less = false;
    for (int i = 0; i < y->templates.n; i++)
        some_serve_less = some_serve_less ||
                          (template_suits(y->templates.t[i], y->spec, y->study->target) && y->templates.t[i]->serves);
    for (int i = 0; i < y->space->ngeneral && some_serve_less; i++) {
        const Candidate *c = &y->space->general[i];
        if (!candidate_serves_all(c, y->spec))
            continue;
        const int64_t added = study_add(y->study, c);
        Trial *t = &y->study->trial[added];
        t->code_bytes = t->built ? t->code_bytes : 1500;
        t->built = true;
        t->status = STATUS_OK;
    }
}

/* Space, study and choice for one target, of the spec that y has. */
static bool synthetic_tune(Synthetic *y, const Target *target, int64_t ntrial, Diag *d)
{
    Arena *a = y->arena;
    y->space = target ? space_make(a, y->spec, &y->templates, target, &y->device, d) : NULL;
    diag_print(d, stderr);
    if (!y->space)
        return false;
    y->study = study_new(a, y->spec, &y->device, target, "0123456789abcdef");
    y->law = cost_analytic(a, y->study, &y->templates);
    synthetic_measure(y, ntrial);
    synthetic_build_general(y);
    y->model = cost_fit(a, y->study, &y->templates);
    y->assignment = select_kernels(a, y->study, y->model);
    return y->assignment != NULL;
}

/* False when the templates cannot be read: the reason is on stderr. */
static bool synthetic_make(Synthetic *y, const char *text, int64_t ntrial)
{
    Arena *a = y->arena = arena_new();
    Diag *d = diag_new(a);
    synthetic_seed = 1;
    y->device = synthetic_device();
    y->spec = spec_text(a, text, spec_templates, 1, d);
    bool ok = y->spec && target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &y->targets, d) &&
              template_read_all(a, y->spec, NULL, 0, &y->templates, d);
    return synthetic_tune(y, ok ? device_best(&y->targets, &y->device) : NULL, ntrial, d);
}

/* What was made of it, with neither records nor a contract. */
static inline Result synthetic_result(const Synthetic *y)
{
    static const Records none;
    return (Result){ .unit = { .spec = y->spec,
                               .device = &y->device,
                               .targets = &y->targets,
                               .package_dir = DCGEN_SOURCE_DIR "/templates/package",
                               .target = y->study->target },
                     .templates = &y->templates,
                     .study = y->study,
                     .model = y->model,
                     .assignment = y->assignment,
                     .records = &none };
}

#endif
