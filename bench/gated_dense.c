/* SPDX-License-Identifier: Apache-2.0
 *
 * gated_dense: who is compared with a package of the operator gated_dense, X W * silu(X G), and what it is held to.
 */
#include <math.h>
#include <string.h>
#include "bench/dnnl.h"
#include "bench/operator.h"

enum { X, W, G };
enum { NK };

static bool is_silu(const Spec *spec)
{
    const char *text = spec_formula_text(spec);
    return strcmp(spec->dtype, "f32") == 0 &&
           (strcmp(text, "acc * silu(gate)") == 0 || strcmp(text, "gated_silu") == 0);
}

/* The gate's product, to memory of its own, and then the other one, which is multiplied by it. */
static void *setup(Problem *p, int form, int threads)
{
    const int64_t *e = p->extent;
    float *gate = memory_take(p->mem, sizeof *gate * (size_t)(e[0] * e[1]));
    DnnlMatmul m = { .M = e[0],
                     .N = e[1],
                     .K = e[2],
                     .A = p->operand[X],
                     .B = p->operand[G],
                     .Y = gate,
                     .b_nk = p->spec->layout[W] == NK,
                     .packed = form == FORM_PACKED,
                     .silu = true };
    void *first = dnnl_setup(&m, p->mem, threads);
    m.B = p->operand[W];
    m.Y = problem_operand(p, "Y");
    m.silu = false;
    m.factor = gate;
    return dnnl_both(first, dnnl_setup(&m, p->mem, threads));
}

static const Peer gated_dnnl = { &dnnl_library, setup, dnnl_run, dnnl_teardown, is_silu, false, dnnl_weights };

/* As dense's: with few rows weights from memory bound it, each of which serves as many operations. */
static double limit_gflops(const int64_t *extent, double peak_gflops, double read_gbs)
{
    return extent[0] <= 4 || peer_cold ? fmin(peak_gflops, read_gbs * 2 * (double)extent[0] / 4) : peak_gflops;
}

static const Goal goals[] = {
    { "geomean against oneDNN", GOAL_GEOMEAN, true, false, 0, 1, ANY, 1.05 },
    { "worst against oneDNN", GOAL_WORST, true, false, 0, 1, ANY, 0.97 },
};

const Operator gated_dense_operator = {
    .name = "gated_dense",
    .along = 0,
    .streamed = W,
    .quick = { 1, 4, 16, 64, 128 },
    .ncolumn = 1,
    .column = { { "oneDNN", &gated_dnnl, AS_PACKAGE } },
    .limit_gflops = limit_gflops,
    .ngoal = sizeof goals / sizeof *goals,
    .goals = goals,
};
