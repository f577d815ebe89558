/* SPDX-License-Identifier: MIT-0
 *
 * What the generator supplies around a template for resizing, so that each compiles as it stands:
 *   gcc -std=gnu17 -O3 -ffp-contract=fast -fsyntax-only templates/resize/channels_resize.c
 */
#include "../family/standalone.h"

typedef struct {
    int64_t N, C, H, W, P, Q, COORDINATES, ROUNDING;
    const float *X;
    float *Y;
    void *scratch;
} NAME_args;

size_t KERNEL_scratch(const NAME_args *a);
#define NAME_COORDINATES(a) (a)->COORDINATES
#define NAME_ROUNDING(a) (a)->ROUNDING
typedef float PACKAGE_floats_MACHINE __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef int32_t PACKAGE_ints_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
PACKAGE_floats_MACHINE PACKAGE_load_MACHINE(const float *p, int64_t lanes);
PACKAGE_ints_MACHINE PACKAGE_load_ints_MACHINE(const int32_t *p, int64_t lanes);
PACKAGE_floats_MACHINE PACKAGE_all_MACHINE(float x);
PACKAGE_floats_MACHINE PACKAGE_pick_MACHINE(PACKAGE_floats_MACHINE table, PACKAGE_ints_MACHINE index);
void PACKAGE_stream_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes, int stream);
void PACKAGE_fence_MACHINE(void);
#define L3 33554432
void PACKAGE_store_MACHINE(float *p, PACKAGE_floats_MACHINE v, int64_t lanes);
#define LAYOUT_X_NCHW 0
#define LAYOUT_Y_NCHW 0
#define IS_LINEAR 1
