/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_images: operators of ONNX on images, which become calls of dcgen's operators: convolutions, pooling. Images are
 * computed with channels last; what lies otherwise is copied.
 */
#include <string.h>
#include "gen/import/lower.h"

enum { IMAGE_PLACE = 48 }; /* places of images are numbered from here on */

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* What convolutions and pooling say of their windows, along rows and columns; of sounds, which are images of one row,
 * along columns alone. */
typedef struct {
    int naxis; /* 1 or 2 */
    int64_t kernel[2], stride[2], dilation[2], before[2], behind[2];
} Window;

static bool read_pairs(Lower *l, const char *name, int naxis, int64_t otherwise, int64_t *out, int64_t *behind)
{
    int n = 0;
    const int64_t *given = onnx_ints(l->node->onnx, name, &n);
    if (n && n != naxis * (behind ? 2 : 1))
        return lower_error(l, "'%s' has %d numbers, expected %d", name, n, naxis * (behind ? 2 : 1));
    for (int i = 0; i < 2; i++) {
        const int from = i - (2 - naxis);
        out[i] = n && from >= 0 ? given[from] : otherwise;
        if (behind)
            behind[i] = n && from >= 0 ? given[from + naxis] : otherwise;
    }
    return true;
}

/* Padding such that the output has as many pixels as strides fit into the input. */
static bool pad_same(Lower *l, const Value *v, Window *w, bool upper)
{
    for (int i = 2 - w->naxis; i < 2; i++) {
        int64_t extent;
        if (!poly_is_number(v->dim[v->rank - 2 + i], &extent) && w->stride[i] != 1)
            return lower_error(l, "padding to the same size depends on the image's size, which is not fixed");
        int64_t all = (w->kernel[i] - 1) * w->dilation[i];
        if (w->stride[i] != 1) {
            const int64_t pixels = (extent + w->stride[i] - 1) / w->stride[i];
            all = (pixels - 1) * w->stride[i] + all + 1 - extent;
            all = all > 0 ? all : 0;
        }
        w->before[i] = upper ? all / 2 : all - all / 2;
        w->behind[i] = all - w->before[i];
    }
    return true;
}

static bool read_window(Lower *l, const Value *v, Window *w)
{
    const char *pad = onnx_string(l->node->onnx, "auto_pad", "NOTSET");
    w->naxis = v->rank - 2;
    if (w->naxis != 1 && w->naxis != 2)
        return lower_error(l, "expected images, of %d extents there are none", v->rank);
    if (!read_pairs(l, "kernel_shape", w->naxis, 1, w->kernel, NULL) ||
        !read_pairs(l, "strides", w->naxis, 1, w->stride, NULL) ||
        !read_pairs(l, "dilations", w->naxis, 1, w->dilation, NULL) ||
        !read_pairs(l, "pads", w->naxis, 0, w->before, w->behind))
        return false;
    if (strcmp(pad, "SAME_UPPER") == 0 || strcmp(pad, "SAME_LOWER") == 0)
        return pad_same(l, v, w, strcmp(pad, "SAME_UPPER") == 0);
    for (int i = 0; i < 2; i++)
        if (w->before[i] < 0 || w->behind[i] < 0)
            return lower_error(l, "negative padding is not supported");
    return true;
}

/* The images as they are computed with, [N][H][W][C]: over places n, h, w, c. Copies what lies otherwise. */
static bool images(Lower *l, Value *v, Access *a, const Poly **extent)
{
    static const int channels_last[] = { 0, 2, 3, 1 }, of_sound[] = { 0, 2, 1 };
    int place[4], own[LOWER_MAX_RANK];
    const bool is_sound = v->rank == 3;
    extent[0] = v->dim[0];
    extent[1] = is_sound ? number(l, 1) : v->dim[2];
    extent[2] = v->dim[v->rank - 1];
    extent[3] = v->dim[1];
    for (int copies = 0; copies < 2; copies++) {
        const Elem *by[4];
        if (!store_value(l, v))
            return false;
        for (int i = 0; i < 4; i++)
            place[i] = lower_place(l, IMAGE_PLACE + i, extent[i]);
        const int to[4] = { 0, 3, is_sound ? 2 : 1, 2 };
        for (int i = 0; i < v->rank; i++)
            by[i] = lower_place_elem(l, IMAGE_PLACE + to[i], v->dim[i]);
        lower_places(l, v->rank, v->dim, own);
        const Elem *x = elem_replace(l->elems, v->elem, v->rank, own, by);
        if (access_of(l, x, 4, place, a) && access_is_dense(l, a, extent))
            return true;
        if (!store_copy(l, v, is_sound ? of_sound : channels_last))
            return false;
    }
    return lower_error(l, "its images lie in no order that it takes");
}

/* Pixels of the output along an axis. */
static const Poly *pixels(Lower *l, const Window *w, int i, const Poly *extent)
{
    const Poly *left =
        poly_add(l->polys, extent, number(l, w->before[i] + w->behind[i] - w->dilation[i] * (w->kernel[i] - 1) - 1));
    return poly_apply(l->polys, "/", poly_add(l->polys, left, number(l, w->stride[i])), number(l, w->stride[i]));
}

/* The result of a step on images, [N][P][Q][channels], as the model sees it. */
static const Elem *images_out(Lower *l, Step *s, const Value *v, const Poly *const *extent, int *rank, const Poly **dim)
{
    const Poly *size[4] = { extent[0], extent[3], extent[1], extent[2] };
    Memory r = memory_result(4, size);
    static const int order[] = { 0, 2, 3, 1 }, axis_of[] = { 0, 3, 1, 2 };
    r.is_ordered = true;
    memcpy(r.order, order, sizeof order);
    memcpy(s->axis_of, axis_of, sizeof axis_of);
    s->out = memory_add(l, r);
    const int memory = s->out;
    store_step(l, *s);
    *rank = v->rank;
    dim[0] = extent[0];
    dim[1] = extent[3];
    dim[v->rank - 2] = v->rank == 4 ? extent[1] : dim[1];
    dim[v->rank - 1] = extent[2];
    const Elem *index[4] = { lower_place_elem(l, 0, dim[0]), lower_place_elem(l, 1, dim[1]), elem_int(l->elems, 0),
                             lower_place_elem(l, v->rank - 1, dim[v->rank - 1]) };
    if (v->rank == 4)
        index[2] = lower_place_elem(l, 2, dim[2]);
    return elem_load(l->elems, memory, ELEM_REAL, 4, index);
}

static void add_window(Lower *l, Step *s, const Window *w, bool dilated)
{
    static const char *const name[][2] = {
        { "STRIDE_H", "STRIDE_W" }, { "PAD_T", "PAD_L" }, { "PAD_B", "PAD_R" }, { "DIL_H", "DIL_W" }
    };
    const int64_t *const of[] = { w->stride, w->before, w->behind, w->dilation };
    for (int k = 0; k < 3 + dilated; k++)
        for (int i = 0; i < 2; i++)
            step_extent(s, name[k][i], number(l, of[k][i]));
}

static bool lower_conv(Lower *l, const NetNode *n)
{
    Window w;
    Access X, F;
    const Poly *of_x[4], *dim[LOWER_MAX_RANK];
    int rank;
    if (!lower_has_reals(l, 2))
        return false;
    Value *v = &l->value[n->input[0]], *f = &l->value[n->input[1]];
    int64_t extent[LOWER_MAX_RANK];
    const int64_t groups = onnx_int(n->onnx, "group", 1);
    if (!read_window(l, v, &w) || f->rank != v->rank)
        return f->rank == v->rank ? false
                                  : lower_error(l, "its filters have %d extents, its images %d", f->rank, v->rank);
    for (int i = 0; i < f->rank; i++)
        if (!poly_is_number(f->dim[i], &extent[i]))
            return lower_error(l, "its filters' extents are not fixed");
    w.kernel[0] = f->rank == 4 ? extent[2] : 1;
    w.kernel[1] = extent[f->rank - 1];
    if (strncmp(onnx_string(n->onnx, "auto_pad", "NOTSET"), "SAME", 4) == 0 &&
        !pad_same(l, v, &w, strcmp(onnx_string(n->onnx, "auto_pad", ""), "SAME_UPPER") == 0))
        return false;
    if (groups < 1 || extent[0] % groups || !lower_require(l, v->dim[1], number(l, extent[1] * groups)) ||
        !store_value(l, f))
        return lower_error(l, "its channels do not fit its filters");
    if (f->elem->kind != ELEM_LOAD || l->memory[f->elem->memory].kind != MEMORY_CONSTANT)
        return lower_error(l, "filters that are no constants are not supported");
    int own[LOWER_MAX_RANK];
    lower_places(l, f->rank, f->dim, own);
    if (!access_of(l, f->elem, f->rank, own, &F) || !access_is_dense(l, &F, f->dim) || !poly_is(F.at, 0))
        return lower_error(l, "its filters do not lie densely");
    if (!images(l, v, &X, of_x))
        return false;
    const Poly *of_f[4] = { f->dim[0], f->dim[1], number(l, w.kernel[0]), number(l, w.kernel[1]) };
    F.n = 4;
    F.stride[3] = number(l, 1);
    for (int i = 2; i >= 0; i--)
        F.stride[i] = poly_mul(l->polys, F.stride[i + 1], of_f[i + 1]);
    Step s = { .op = "conv2d", .naxis = 4, .axis = { "n", "p", "q", "oc" }, .layout = "F = \"KCRS\"; packed = true;" };
    step_extent(&s, "N", of_x[0]);
    step_extent(&s, "G", number(l, groups));
    step_extent(&s, "H", of_x[1]);
    step_extent(&s, "W", of_x[2]);
    step_extent(&s, "C", number(l, extent[1]));
    step_extent(&s, "K", number(l, extent[0] / groups));
    step_extent(&s, "R", of_f[2]);
    step_extent(&s, "S", of_f[3]);
    add_window(l, &s, &w, true);
    step_operand(&s, "X", &X, of_x);
    step_operand(&s, "F", &F, of_f);
    const Poly *of_y[4] = { of_x[0], pixels(l, &w, 0, of_x[1]), pixels(l, &w, 1, of_x[2]), f->dim[0] };
    const Elem *x = images_out(l, &s, v, of_y, &rank, dim);
    if (lower_input(l, 2)) { /* of each channel */
        const Value *bias = lower_input(l, 2);
        const int place = lower_place(l, 0, bias->dim[0]);
        const Elem *by = lower_place_elem(l, 1, dim[1]);
        x = ELEM(l->elems, "+", x, elem_replace(l->elems, value_elem(l, bias), 1, &place, &by));
    }
    return lower_give(l, 0, v->type, rank, dim, x);
}

/* Pooling of windows, or of whole images. */
static bool pool(Lower *l, const NetNode *n, const char *op, bool is_global, bool counts_padding, bool keeps_axes)
{
    Window w = { .naxis = 2, .stride = { 1, 1 }, .dilation = { 1, 1 } };
    Access X;
    const Poly *of_x[4], *dim[LOWER_MAX_RANK];
    int rank;
    if (!lower_has_reals(l, 1))
        return false;
    Value *v = &l->value[n->input[0]];
    if (n->noutput > 1 && n->output[1] >= 0)
        return lower_error(l, "where the largest elements stand is not supported as an output");
    if (!is_global && !read_window(l, v, &w))
        return false;
    if (is_global && v->rank != 3 && v->rank != 4)
        return lower_error(l, "expected images");
    if (!images(l, v, &X, of_x))
        return false;
    const bool is_max = strcmp(op, "max_pool2d") == 0;
    if (!is_max && (w.dilation[0] != 1 || w.dilation[1] != 1))
        return lower_error(l, "mean pooling with dilation is not supported");
    const Poly *of_y[4] = { of_x[0], number(l, 1), number(l, 1), of_x[3] };
    for (int i = 0; i < 2 && !is_global; i++) {
        const Poly *floor_ = pixels(l, &w, i, of_x[1 + i]);
        if (onnx_int(n->onnx, "ceil_mode", 0)) {
            const Poly *left = poly_add(l->polys, of_x[1 + i],
                                        number(l, w.before[i] + w.behind[i] - w.dilation[i] * (w.kernel[i] - 1) - 1));
            const Poly *more =
                poly_add(l->polys, poly_apply(l->polys, "ceil_div", left, number(l, w.stride[i])), number(l, 1));
            if (poly_compare(l->polys, more, floor_) != POLY_EQUAL)
                return lower_error(l, "pooling that rounds its size up is not supported");
        }
        of_y[1 + i] = floor_;
    }
    Step s = { .op = op, .naxis = 4, .axis = { "n", "p", "q", "c" } };
    step_extent(&s, "N", of_x[0]);
    step_extent(&s, "C", of_x[3]);
    step_extent(&s, "H", of_x[1]);
    step_extent(&s, "W", of_x[2]);
    step_extent(&s, "R", is_global ? of_x[1] : number(l, w.kernel[0]));
    step_extent(&s, "S", is_global ? of_x[2] : number(l, w.kernel[1]));
    add_window(l, &s, &w, is_max);
    if (!is_max)
        step_extent(&s, "COUNT_PAD", number(l, counts_padding));
    step_operand(&s, "X", &X, of_x);
    const Elem *x = images_out(l, &s, v, of_y, &rank, dim); /* whole images have one pixel */
    return lower_give(l, 0, v->type, keeps_axes ? rank : 2, dim, x);
}

bool lower_mean_of_images(Lower *l, bool keeps_axes) { return pool(l, l->node, "avg_pool2d", true, false, keeps_axes); }

static bool lower_max_pool(Lower *l, const NetNode *n) { return pool(l, n, "max_pool2d", false, false, true); }
static bool lower_average_pool(Lower *l, const NetNode *n)
{
    return pool(l, n, "avg_pool2d", false, onnx_int(n->onnx, "count_include_pad", 0), true);
}
static bool lower_global_max(Lower *l, const NetNode *n) { return pool(l, n, "max_pool2d", true, false, true); }
static bool lower_global_average(Lower *l, const NetNode *n) { return pool(l, n, "avg_pool2d", true, false, true); }

const LowerRow lower_images[] = {
    { "Conv", lower_conv, 0, NULL },
    { "MaxPool", lower_max_pool, 0, NULL },
    { "AveragePool", lower_average_pool, 0, NULL },
    { "GlobalMaxPool", lower_global_max, 0, NULL },
    { "GlobalAveragePool", lower_global_average, 0, NULL },
    { NULL, NULL, 0, NULL },
};
