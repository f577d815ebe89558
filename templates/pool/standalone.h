/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template for pooling, so that each compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/pool/channels_pool.c
 */
#include "../family/standalone.h"

typedef struct {
    int64_t N, C, H, W, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, COUNT_PAD, P, Q;
    const float *X;
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
#define NAME_COUNT_PAD(a) (a)->COUNT_PAD
typedef float PACKAGE_floats_MACHINE __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
PACKAGE_floats_MACHINE PACKAGE_load_MACHINE(const float *p, int64_t lanes);
PACKAGE_floats_MACHINE PACKAGE_all_MACHINE(float x);
void PACKAGE_transpose_MACHINE(PACKAGE_floats_MACHINE *v);
PACKAGE_floats_MACHINE PACKAGE_max_MACHINE(PACKAGE_floats_MACHINE a, PACKAGE_floats_MACHINE x);
void PACKAGE_stream_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes, int stream);
void PACKAGE_fence_MACHINE(void);
#define L3 33554432
void PACKAGE_store_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes);
#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define IS_MAX 0
