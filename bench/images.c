/* SPDX-License-Identifier: Apache-2.0
 *
 * images: who is compared with packages of pooling and of resizing: oneDNN, where it knows the call and no formula
 * stands behind it.
 */
#include <math.h>
#include <string.h>
#include "bench/dnnl.h"
#include "bench/operator.h"

/* Places in an extent[], as in op.cfg. */
enum { N, C, H, W, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, MAX_P };
enum { COUNT_PAD = MAX_P, MEAN_P };
enum { RESIZE_P = R, RESIZE_Q, COORDINATES, ROUNDING };
enum { X, Y };
enum { NHWC, NCHW };

static bool is_plain(const Spec *spec)
{
    return strcmp(spec->dtype, "f32") == 0 && !*spec_formula_text(spec) && spec->layout[X] == spec->layout[Y];
}

static DnnlImage image_of(const Problem *p, int64_t rows, int64_t columns)
{
    const int64_t *e = p->extent;
    return (DnnlImage){ .N = e[N],
                        .C = e[C],
                        .x_size = { e[H], e[W] },
                        .y_size = { rows, columns },
                        .nchw = p->spec->layout[X] == NCHW,
                        .X = p->operand[X],
                        .Y = problem_operand(p, "Y") };
}

/* ---- pooling ---- */

static void *pool_setup(Problem *p, int form, int threads)
{
    const int64_t *e = p->extent;
    const bool is_max = strcmp(p->spec->op->name, "max_pool2d") == 0;
    const int64_t *size = e + (is_max ? MAX_P : MEAN_P);
    DnnlImage v = image_of(p, size[0], size[1]);
    (void)form;
    v.kind = is_max ? IMAGE_MAX : e[COUNT_PAD] ? IMAGE_MEAN_PAD : IMAGE_MEAN;
    memcpy(v.taps, e + R, sizeof v.taps);
    memcpy(v.stride, e + STRIDE_H, sizeof v.stride);
    memcpy(v.dilation, e + DIL_H, sizeof v.dilation);
    memcpy(v.before, (const int64_t[]){ e[PAD_T], e[PAD_L] }, sizeof v.before);
    memcpy(v.after, (const int64_t[]){ e[PAD_B], e[PAD_R] }, sizeof v.after);
    return dnnl_image_setup(&v, p->mem, threads);
}

static const Peer pool_dnnl = { &dnnl_library, pool_setup, dnnl_run, dnnl_teardown, is_plain, false, NULL };

/* ---- resizing ---- */

/* oneDNN has half_pixel alone. Where images grow by whole numbers, asymmetric has the same nearest pixels. */
static bool is_half_pixel(const Problem *p)
{
    const int64_t *e = p->extent;
    const bool is_nearest = strcmp(p->spec->op->name, "resize_nearest") == 0;
    return e[COORDINATES] == 0 || (is_nearest && e[COORDINATES] == 1 && e[ROUNDING] == 1 && e[RESIZE_P] % e[H] == 0 &&
                                   e[RESIZE_Q] % e[W] == 0);
}

static void *resize_setup(Problem *p, int form, int threads)
{
    const int64_t *e = p->extent;
    DnnlImage v = image_of(p, e[RESIZE_P], e[RESIZE_Q]);
    (void)form;
    v.kind = strcmp(p->spec->op->name, "resize_bilinear") == 0 ? IMAGE_LINEAR : IMAGE_NEAREST;
    return is_half_pixel(p) ? dnnl_image_setup(&v, p->mem, threads) : NULL;
}

static const Peer resize_dnnl = { &dnnl_library, resize_setup, dnnl_run, dnnl_teardown, is_plain, false, NULL };

/* ---- the operators: they read and write much and compute little ---- */

static double taps_limit(const int64_t *e, double peak_gflops, double read_gbs, const int64_t *size)
{
    const double results = (double)(e[N] * e[C] * size[0] * size[1]);
    const double bytes = sizeof(float) * ((double)(e[N] * e[C] * e[H] * e[W]) + results);
    return fmin(peak_gflops, read_gbs * results * (double)(e[R] * e[S]) / bytes);
}

static double max_limit(const int64_t *e, double peak_gflops, double read_gbs)
{
    return taps_limit(e, peak_gflops, read_gbs, e + MAX_P);
}

static double mean_limit(const int64_t *e, double peak_gflops, double read_gbs)
{
    return taps_limit(e, peak_gflops, read_gbs, e + MEAN_P);
}

static const Goal goals[] = {
    { "geomean against oneDNN", GOAL_GEOMEAN, false, false, 0, 0, ANY, 1.0 },
};

#define IMAGES(op, limit, peer)                                                                                 \
    {                                                                                                           \
        .name = op, .along = H, .streamed = X, .quick = { 7, 14, 28, 56 }, .ncolumn = 1,                        \
        .column = { { "oneDNN", &peer, PLAIN } }, .limit_gflops = limit, .ngoal = sizeof goals / sizeof *goals, \
        .goals = goals,                                                                                         \
    }

const Operator max_pool2d_operator = IMAGES("max_pool2d", max_limit, pool_dnnl);
const Operator avg_pool2d_operator = IMAGES("avg_pool2d", mean_limit, pool_dnnl);
const Operator resize_nearest_operator = IMAGES("resize_nearest", NULL, resize_dnnl);
const Operator resize_bilinear_operator = IMAGES("resize_bilinear", NULL, resize_dnnl);
