/* SPDX-License-Identifier: Apache-2.0
 *
 * dense: who is compared with a package of the operator dense, and what it is held to.
 */
#include "bench/dense.h"

#include <math.h>
#include <string.h>
#include "bench/operator.h"

enum { X, W };
enum { OPENBLAS, BLIS, ONEDNN, ONEDNN_PACKED, BIAS_ALONE, NCOLUMN };

/* Formulas, as specs write them, that oneDNN computes behind the product. */
typedef struct {
    const char *text;
    bool gelu;
} KnownFormula;

static const KnownFormula known[] = { { "gelu(acc + bias[n])", true },
                                      { "acc + bias[n] + residual[m,n]", false },
                                      { "gelu(acc + bias[n]) + residual[m,n]", true } };

/* NULL: it is none of these. */
static const KnownFormula *known_formula(const Spec *spec)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(spec_formula_text(spec), known[i].text) == 0)
            return &known[i];
    return NULL;
}

bool dense_is_known(const Spec *spec) { return peer_knows_plain(spec) || known_formula(spec); }

static const float *transpose(Memory *mem, const float *from, int64_t rows, int64_t columns)
{
    float *to = memory_take(mem, sizeof *to * (size_t)(rows * columns));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
    return to;
}

Dense dense_of(Problem *p, int form)
{
    const int64_t *e = p->extent;
    const int own = p->spec->layout[W], want = form == FORM_PACKED ? DENSE_NK : form;
    const KnownFormula *f = known_formula(p->spec);
    Dense d = { .M = e[0],
                .N = e[1],
                .K = e[2],
                .X = p->operand[X],
                .W = p->operand[W],
                .bias = f ? problem_operand(p, "bias") : problem_bias(p),
                .residual = f ? problem_operand(p, "residual") : NULL,
                .Y = problem_operand(p, "Y"),
                .kn = want == DENSE_KN,
                .gelu = f && f->gelu };
    if (want != own) {
        if (!p->transposed)
            p->transposed = own == DENSE_NK ? transpose(p->mem, d.W, d.N, d.K) : transpose(p->mem, d.W, d.K, d.N);
        d.W = p->transposed;
    }
    return d;
}

/* With few rows, each weight of 4 bytes that is read serves only 2*M flops. From memory none comes faster than `read`,
 * whatever M is. */
static double limit_gflops(const int64_t *extent, double peak_gflops, double read_gbs)
{
    return extent[0] <= 4 || peer_cold ? fmin(peak_gflops, read_gbs * 2 * (double)extent[0] / 4) : peak_gflops;
}

static const Goal goals[] = {
    { "geomean against oneDNN packed", GOAL_GEOMEAN, true, false, ONEDNN_PACKED, 1, ANY, 1.05 },
    { "geomean against OpenBLAS", GOAL_GEOMEAN, true, false, OPENBLAS, 1, ANY, 1.7 },
    { "worst against oneDNN packed", GOAL_WORST, true, false, ONEDNN_PACKED, 1, ANY, 0.97 },
    { "worst share of the limit, M >= 5", GOAL_LIMIT_WORST, true, false, 0, 5, ANY, 0.97 },
    { "worst share of the limit, M <= 4", GOAL_LIMIT_WORST, true, false, 0, 1, 4, 0.95 },
    { "worst speed over one thread, M >= 32", GOAL_SPEEDUP_WORST, true, true, 0, 32, ANY, 1.9 },
    { "worst speed over one thread, any M (0.98: noise)", GOAL_SPEEDUP_WORST, true, true, 0, 1, ANY, 0.98 },
    { "geomean against oneDNN, W plain", GOAL_GEOMEAN, false, false, ONEDNN, 1, ANY, 1.0 },
};

const Operator dense_operator = {
    .name = "dense",
    .along = 0,
    .streamed = W,
    .quick = { 1, 4, 17, 64, 256 },
    .ncolumn = NCOLUMN,
    .column = { [OPENBLAS] = { "OpenBLAS", &dense_openblas, PLAIN },
                [BLIS] = { "BLIS", &dense_blis, PLAIN },
                [ONEDNN] = { "oneDNN", &dense_dnnl, PLAIN },
                [ONEDNN_PACKED] = { "oneDNN-packed", &dense_dnnl, PACKED },
                [BIAS_ALONE] = { "dcgen-bias", &beside_peer, PACKED } },
    .limit_gflops = limit_gflops,
    .ngoal = sizeof goals / sizeof *goals,
    .goals = goals,
};
