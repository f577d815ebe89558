#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Pooling, resizing and transposed convolutions as a user of a package meets them: it compiles without a warning and passes its own test;
# results are those that other libraries' documents give; infinities and NaN go where the documents say; images smaller than a window
# are refused, of which the spec has only warned. (Kernels: tests/search/runner/test_cpu_kernels.c.)
# ctest: label=slow,thorough timeout=300 cost=15
. "$SRC/tests/cli/lib.sh"
dcgen=$DCGEN # with all templates

cat >images.cfg <<'CFG'
name = "images"; target = ["host"]; threads = [1]; dims = { T = { min = 1; max = 9; }; }; tune = { T = [3, 9]; };
functions = (
  { name = "largest"; op = "max_pool2d"; shapes = ( { N = 1; C = 1; H = "T"; W = "T"; R = 3; S = 3; STRIDE = 1; } ); },
  { name = "mean"; op = "avg_pool2d"; layout = { X = "NCHW"; Y = "NCHW"; };
    shapes = ( { N = 1; C = 2; H = "T"; W = "T"; R = 2; S = 2; PAD = 1; STRIDE = 2; },
               { N = 1; C = 2; H = "T"; W = "T"; R = 2; S = 2; PAD = 1; STRIDE = 2; COUNT_PAD = 1; } ); },
  { name = "near"; op = "resize_nearest"; shapes = ( { N = 1; C = 1; H = 2; W = "T"; P = 2; Q = "2*T"; },
               { N = 1; C = 1; H = 2; W = "T"; P = 2; Q = "2*T"; COORDINATES = 1; ROUNDING = 2; } ); },
  { name = "smooth"; op = "resize_bilinear"; layout = { X = "NCHW"; Y = "NCHW"; };
    shapes = ( { N = 1; C = 1; H = 2; W = "T"; P = 4; Q = "2*T"; }, { N = 1; C = 1; H = 2; W = "T"; P = 4; Q = "2*T"; COORDINATES = 2; } ); },
  { name = "up"; op = "conv_transpose2d"; layout = { packed = true; };
    shapes = ( { N = 1; G = 1; C = 1; K = 2; H = 1; W = "T"; R = 1; S = 3; STRIDE = 2; PAD_L = 1; PAD_R = 1; MORE_W = 1; } ); } );
budget = { kernels = 10; trials = 10; seconds = 12; };
CFG
run 0 check images.cfg
said 'images.cfg:3:53: warning: the extent P of this shape, (H + PAD_T + PAD_B - DIL_H*(R - 1) - 1 + STRIDE_H) / STRIDE_H, is -1 for T = 1: this call is left out; the package refuses it'
run 0 --no-report -o package images.cfg
{ cmake -S package -B built -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' && cmake --build built -j2; } >"$out" 2>&1 || failed "the package does not compile"
for test in built/*_test; do
    "$test" >"$out" 2>&1 || failed "$test"
    grep -qE "^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed" "$out" || failed "what $test says"
done

section what calls give
cat >calls.c <<'C'
#include <math.h>
#include <stdio.h>
#include "images.h"

static _Alignas(64) char workspace[1 << 16];
static float y[64];
static int failed;

static void is(const char *what, int code, int n, const float *want)
{
    for (int i = 0; code != images_OK || i < n; i++) {
        if (code == images_OK && (y[i] == want[i] || (fabsf(y[i] - want[i]) <= 1e-6F * fabsf(want[i]))))
            continue;
        printf("%s: code %d, element %d is %g instead of %g\n", what, code, i, y[i], want[i]);
        failed = 1;
        return;
    }
}
#define IS(what, call, ...) is(what, call, (int)(sizeof (float[])__VA_ARGS__ / sizeof(float)), (float[])__VA_ARGS__)

int main(void)
{
    const float holes[] = { NAN, 1, 2, 3, -INFINITY, 5, 4, NAN, -1 }, nothing[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN },
                infinite[] = { NAN, 1, 2, INFINITY, 3, 5, 4, 0, -1 }, nine[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, spoilt[] = { 1, 2, 3, 4, NAN, 6, 7, 8, 9 };
    IS("NaN is passed over", images_largest(1, 1, 3, 3, 3, 3, holes, y, workspace, NULL), { 5 });
    IS("nothing but NaN", images_largest(1, 1, 3, 3, 3, 3, nothing, y, workspace, NULL), { -INFINITY });
    IS("infinity", images_largest(1, 1, 3, 3, 3, 3, infinite, y, workspace, NULL), { INFINITY });
    if (images_largest(1, 1, 1, 3, 3, 3, nine, y, workspace, NULL) != images_BAD_EXTENT)
        failed = !!printf("an image smaller than the window is not refused\n");
    IS("padding does not count", images_mean(1, 1, 3, 3, 2, 2, 0, nine, y, workspace, NULL), { 1, 2.5F, 5.5F, 7 });
    IS("padding counts", images_mean(1, 1, 3, 3, 2, 2, 1, nine, y, workspace, NULL), { 0.25F, 1.25F, 2.75F, 7 });
    images_mean(1, 1, 3, 3, 2, 2, 0, spoilt, y, workspace, NULL);
    if (y[0] != 1 || y[1] != 2.5F || y[2] != 5.5F || !isnan(y[3]))
        failed = !!printf("NaN is not in the one mean that it belongs to\n");
    /* ties at 0.5 and 2.5: half_pixel with each rounding */
    IS("round_prefer_floor", images_near(1, 1, 1, 4, 1, 2, 0, 0, nine, y, workspace, NULL), { 1, 3 });
    IS("floor", images_near(1, 1, 1, 4, 1, 2, 0, 1, nine, y, workspace, NULL), { 1, 3 });
    IS("round_prefer_ceil", images_near(1, 1, 1, 4, 1, 2, 0, 2, nine, y, workspace, NULL), { 2, 4 });
    IS("ceil", images_near(1, 1, 1, 4, 1, 2, 0, 3, nine, y, workspace, NULL), { 2, 4 });
    IS("asymmetric, floor", images_near(1, 1, 1, 2, 1, 4, 1, 1, nine, y, workspace, NULL), { 1, 1, 2, 2 });
    IS("asymmetric, ceil", images_near(1, 1, 1, 2, 1, 4, 1, 3, nine, y, workspace, NULL), { 1, 2, 2, 2 });
    IS("align_corners", images_near(1, 1, 1, 3, 1, 5, 2, 0, nine, y, workspace, NULL), { 1, 1, 2, 2, 3 });
    /* of ONNX's operator Resize */
    IS("half_pixel", images_smooth(1, 1, 2, 2, 4, 4, 0, (float[]){ 1, 2, 3, 4 }, y, workspace, NULL),
       { 1, 1.25F, 1.75F, 2, 1.5F, 1.75F, 2.25F, 2.5F, 2.5F, 2.75F, 3.25F, 3.5F, 3, 3.25F, 3.75F, 4 });
    IS("align_corners", images_smooth(1, 1, 2, 2, 4, 4, 2, (float[]){ 1, 2, 3, 4 }, y, workspace, NULL),
       { 1, 4 / 3.F, 5 / 3.F, 2, 5 / 3.F, 2, 7 / 3.F, 8 / 3.F, 7 / 3.F, 8 / 3.F, 3, 10 / 3.F, 3, 10 / 3.F, 11 / 3.F, 4 });
    static _Alignas(64) float packed[1024];
    if (images_up_packed_bytes(1, 1, 2, 1, 3) > sizeof packed || images_up_pack(1, 1, 2, 1, 3, (float[]){ 1, 2, 3, 0, 1, 0 }, packed) != images_OK)
        return 2;
    IS("stride 2, output padding 1", images_up(1, 1, 1, 3, 1, 2, 1, 3, (float[]){ 1, 10, 100 }, packed, y, workspace, NULL),
       { 2, 1, 13, 0, 20, 10, 130, 0, 200, 100, 300, 0 });
    return failed;
}
C
gcc -std=c11 -O1 -Wall -Wextra -Werror -Ipackage calls.c package/kernels.c package/pool.c -lm -lpthread -o calls || failed "calls.c does not compile"
./calls >"$out" 2>&1 || failed "what calls give"
