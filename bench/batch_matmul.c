/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul: who is compared with a package of the operator batch_matmul, and what it is held to.
 */
#include "bench/batch_matmul.h"

#include <string.h>
#include "bench/operator.h"

enum { A, B };
enum { OPENBLAS, ONEDNN, LIBXSMM, NCOLUMN };

BatchMatmul batch_matmul_of(const Problem *p)
{
    const int64_t *e = p->extent;
    const int *layout = p->spec->layout; /* 0: A is [M][K], B is [K][N] */
    return (BatchMatmul){ .batches = e[0] * e[1],
                          .M = e[2],
                          .N = e[3],
                          .K = e[4],
                          .A = p->operand[A],
                          .B = p->operand[B],
                          .bias = problem_bias(p),
                          .Y = problem_operand(p, "Y"),
                          .a_km = layout[A] == 1,
                          .b_nk = layout[B] == 1 };
}

void batch_matmul_lay_bias(const BatchMatmul *m, int64_t batch)
{
    for (int64_t row = 0; m->bias && row < m->M; row++)
        memcpy(m->Y + (batch * m->M + row) * m->N, m->bias, sizeof(float) * (size_t)m->N);
}

static const Goal goals[] = {
    { "geomean against the best of all", GOAL_GEOMEAN, false, false, BEST, 1, ANY, 1.3 },
    { "worst against the best of all", GOAL_WORST, false, false, BEST, 1, ANY, 1.0 },
    { "worst share of the FMA peak, M >= 16", GOAL_LIMIT_WORST, false, false, 0, 16, ANY, 0.85 },
    { "geomean against the best of all, all threads", GOAL_GEOMEAN, false, true, BEST, 1, ANY, 1.3 },
    { "worst against the best of all, all threads", GOAL_WORST, false, true, BEST, 1, ANY, 1.0 },
    { "worst share of the FMA peak, M >= 16, all threads", GOAL_LIMIT_WORST, false, true, 0, 16, ANY, 0.85 },
};

const Operator batch_matmul_operator = {
    .name = "batch_matmul",
    .along = 2,
    .streamed = B,
    .quick = { 1, 5, 16, 43, 64, 100 },
    .ncolumn = NCOLUMN,
    .column = { [OPENBLAS] = { "OpenBLAS", &batch_matmul_openblas, PLAIN },
                [ONEDNN] = { "oneDNN", &batch_matmul_dnnl, PLAIN },
                [LIBXSMM] = { "libxsmm", &batch_matmul_xsmm, PLAIN } },
    .ngoal = sizeof goals / sizeof *goals,
    .goals = goals,
};
