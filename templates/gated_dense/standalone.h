/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of gated_dense, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/gated_dense/packed_gated.c
 */
#include "../family/standalone.h"
#include "../vector/load.h"
#include "../vector/store.h"

typedef struct {
    int64_t M, N, K;
    const float *X, *W, *G;
    float *Y;
    void *scratch;
} NAME_args;

static inline TARGET_ATTRIBUTE PACKAGE_floats_MACHINE NAME_epilogue_MACHINE(const NAME_args *a, PACKAGE_floats_MACHINE acc, PACKAGE_floats_MACHINE gate,
                                                                            int64_t m, int64_t n, int64_t lanes)
{
    (void)a, (void)m, (void)n, (void)lanes;
    return acc * gate;
}
