/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d: who is compared with a package of the operator conv2d, and what it is held to.
 */
#include "bench/conv2d.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/operator.h"

/* Places in an extent[], as in op.cfg. */
enum { N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, P, Q, IC, OC };
enum { X, F };
enum { NHWC, NCHW };
enum { KRSC, KCRS, RSCK };
enum { ONEDNN, ONEDNN_WINOGRAD, NCOLUMN };

/* ---- formulas, as specs write them: what is done last, around or behind what is added to the sums ---- */

typedef struct {
    const char *before, *behind;
    bool relu;
    float most;
} Wrapping;

static const Wrapping wrappings[] = { { "", "", false, INFINITY },        { "relu(", ")", true, INFINITY },
                                      { "max(", ", 0)", true, INFINITY }, { "", ", relu", true, INFINITY },
                                      { "", "relu", true, INFINITY },     { "min(max(", ", 0), 6)", true, 6 },
                                      { "clamp(", ", 0, 6)", true, 6 } };

typedef struct {
    const char *text;
    const char *scale, *bias; /* names of operands; NULL: none */
} Core;

static const Core cores[] = { { "", NULL, NULL },
                              { "acc", NULL, NULL },
                              { "bias", NULL, "bias" },
                              { "acc + bias[oc]", NULL, "bias" },
                              { "batch_norm", "scale", "shift" },
                              { "acc * scale[oc] + shift[oc]", "scale", "shift" } };

static const char *const residuals[] = { [NHWC] = " + residual[n,p,q,oc]", [NCHW] = " + residual[n,oc,p,q]" };

typedef struct {
    const Wrapping *wrapping;
    const Core *core;
    const char *residual; /* the operand's name; NULL: none */
} KnownFormula;

/* Is the text these four, one behind the other? */
static bool is_joined(const char *text, const char *a, const char *b, const char *c, const char *d)
{
    char joined[128];
    snprintf(joined, sizeof joined, "%s%s%s%s", a, b, c, d);
    return strcmp(text, joined) == 0;
}

/* A residual that lies as Y does is known, no other. */
static bool read_formula(const Spec *spec, KnownFormula *f)
{
    const char *text = spec_formula_text(spec), *residual = residuals[spec->layout[spec->op->noperand - 1]];
    for (size_t w = 0; w < sizeof wrappings / sizeof *wrappings; w++)
        for (size_t c = 0; c < sizeof cores / sizeof *cores; c++)
            for (int added = 0; added < 2; added++) {
                const Wrapping *around = &wrappings[w];
                *f = (KnownFormula){ around, &cores[c], added ? "residual" : NULL };
                if (is_joined(text, around->before, cores[c].text, added ? residual : "", around->behind))
                    return true;
            }
    return false;
}

bool conv2d_is_known(const Spec *spec)
{
    KnownFormula f;
    return strcmp(spec->dtype, "f32") == 0 && read_formula(spec, &f);
}

/* ---- the call ---- */

/* F times the scale of each filter, as networks fold a batch norm into their weights. */
static const float *scaled_filters(const Problem *p, const float *scale)
{
    const int64_t *e = p->extent, depth = e[R] * e[S] * e[C];
    const float *f = p->operand[F];
    float *to = memory_take(p->mem, sizeof *to * (size_t)(e[OC] * depth));
    for (int64_t i = 0; i < e[OC] * depth; i++)
        to[i] = f[i] * scale[p->spec->layout[F] == RSCK ? i % e[OC] : i / depth];
    return to;
}

static void set_filter_steps(DnnlConv *v, const int64_t *e, int layout)
{
    const int64_t step[][4] = { [KRSC] = { e[R] * e[S] * e[C], 1, e[S] * e[C], e[C] },
                                [KCRS] = { e[R] * e[S] * e[C], e[R] * e[S], e[S], 1 },
                                [RSCK] = { 1, e[OC], e[S] * e[C] * e[OC], e[C] * e[OC] } };
    memcpy(v->filter_step, step[layout], sizeof v->filter_step);
}

DnnlConv conv2d_of(Problem *p)
{
    const int64_t *e = p->extent;
    const Spec *spec = p->spec;
    KnownFormula f;
    read_formula(spec, &f);
    DnnlConv v = { .N = e[N],
                   .G = e[G],
                   .C = e[C],
                   .K = e[K],
                   .x_size = { e[H], e[W] },
                   .y_size = { e[P], e[Q] },
                   .taps = { e[R], e[S] },
                   .stride = { e[STRIDE_H], e[STRIDE_W] },
                   .dilation = { e[DIL_H], e[DIL_W] },
                   .before = { e[PAD_T], e[PAD_L] },
                   .after = { e[PAD_B], e[PAD_R] },
                   .X = p->operand[X],
                   .F = f.core->scale ? scaled_filters(p, problem_operand(p, f.core->scale)) : p->operand[F],
                   .bias = f.core->bias ? problem_operand(p, f.core->bias) : NULL,
                   .residual = f.residual ? problem_operand(p, f.residual) : NULL,
                   .Y = problem_operand(p, "Y"),
                   .x_nchw = spec->layout[X] == NCHW,
                   .y_nchw = spec->layout[spec->op->noperand - 1] == NCHW,
                   .packed = spec->packed,
                   .relu = f.wrapping->relu,
                   .most = f.wrapping->most };
    set_filter_steps(&v, e, spec->layout[F]);
    return v;
}

/* Where each filter has one channel, which no other filter has, little is computed for what is read and written. */
static double limit_gflops(const int64_t *e, double peak_gflops, double read_gbs)
{
    const double flops = 2.0 * (double)(e[N] * e[P] * e[Q] * e[OC] * e[R] * e[S]);
    const double bytes = sizeof(float) * (double)(e[N] * (e[H] * e[W] * e[IC] + e[P] * e[Q] * e[OC]));
    return e[C] == 1 && e[K] == 1 ? fmin(peak_gflops, read_gbs * flops / bytes) : peak_gflops;
}

static const Goal goals[] = {
    { "geomean against oneDNN", GOAL_GEOMEAN, true, false, ONEDNN, 0, ANY, 0.98 },
    { "worst against oneDNN", GOAL_WORST, true, false, ONEDNN, 0, ANY, 0.92 },
    { "geomean against oneDNN, all threads", GOAL_GEOMEAN, true, true, ONEDNN, 0, ANY, 0.98 },
    { "worst against oneDNN, all threads", GOAL_WORST, true, true, ONEDNN, 0, ANY, 0.92 },
};

const Operator conv2d_operator = {
    .name = "conv2d",
    .along = H,
    .streamed = X,
    .quick = { 7, 14, 28, 56, 224 },
    .ncolumn = NCOLUMN,
    .column = { [ONEDNN] = { "oneDNN", &conv2d_dnnl, AS_PACKAGE },
                [ONEDNN_WINOGRAD] = { "oneDNN-winograd", &conv2d_dnnl_winograd, AS_PACKAGE } },
    .limit_gflops = limit_gflops,
    .ngoal = sizeof goals / sizeof *goals,
    .goals = goals,
};
