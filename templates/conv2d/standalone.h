/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template of conv2d, so that each template compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/conv2d/direct_conv.c
 */
#include "../family/standalone.h"
#include <string.h>

typedef struct {
    int64_t N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, P, Q, IC, OC;
    const float *X, *F;
    float *Y;
    void *scratch;
} NAME_args;

size_t KERNEL_scratch(const NAME_args *a);
#define NAME_STRIDE_H(a) (a)->STRIDE_H
#define NAME_STRIDE_W(a) (a)->STRIDE_W
#define NAME_PAD_T(a) (a)->PAD_T
#define NAME_PAD_B(a) (a)->PAD_B
#define NAME_PAD_L(a) (a)->PAD_L
#define NAME_PAD_R(a) (a)->PAD_R
#define NAME_DIL_H(a) (a)->DIL_H
#define NAME_DIL_W(a) (a)->DIL_W
typedef float PACKAGE_floats_MACHINE __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t PACKAGE_ints_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
PACKAGE_ints_MACHINE PACKAGE_places_MACHINE(int32_t first);
PACKAGE_floats_MACHINE PACKAGE_load_MACHINE(const float *p, int64_t lanes);
PACKAGE_floats_MACHINE PACKAGE_all_MACHINE(float x);
void PACKAGE_transpose_MACHINE(PACKAGE_floats_MACHINE *v);
void PACKAGE_store_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes);
#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define EPILOGUE_READS 0
#define EPILOGUE_FLAT 0
#define EPILOGUE_PLANES 0
#ifndef NAME_WINOGRAD_PANEL
#define NAME_WINOGRAD_PANEL(side, C) (16 * (((side) + 2) * ((side) + 2) * (C)) + 48)
int64_t NAME_winograd_at(int64_t side, int64_t G, int64_t C, int64_t K);
#endif
