/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_images: operators of ONNX on images, which become calls of dcgen's operators: convolutions and pooling.
 * Images are computed with channels last; what lies otherwise is copied, but for pictures.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

enum { IMAGE_PLACE = 48, MOST_PIXELS = 1 << 24 }; /* IMAGE_PLACE: places of images are numbered from here on */

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* What convolutions and pooling say of their windows, along rows and columns; of sounds, which are images of one row,
 * along columns alone. */
typedef struct {
    int naxis; /* 1 or 2 */
    int64_t kernel[2], stride[2], dilation[2], before[2], behind[2];
    const Poly *pad[2][2]; /* before and behind, where these follow from the image's size; else NULL */
} Window;

static bool read_pairs(Lower *l, const char *name, int naxis, int64_t otherwise, int64_t *out, int64_t *behind)
{
    int n = 0;
    const int64_t *given = onnx_ints(l->node->onnx, name, &n);
    if (n && n != naxis * (behind ? 2 : 1))
        return lower_error(l, "'%s' has %d numbers, expected %d", name, n, naxis * (behind ? 2 : 1));
    for (int i = 0; i < n; i++)
        if (given[i] < -MOST_PIXELS || given[i] > MOST_PIXELS)
            return lower_error(l, "'%s' has numbers beyond %d", name, MOST_PIXELS);
    for (int i = 0; i < 2; i++) {
        const int from = i - (2 - naxis);
        out[i] = n && from >= 0 ? given[from] : otherwise;
        if (behind)
            behind[i] = n && from >= 0 ? given[from + naxis] : otherwise;
    }
    return true;
}

/* Padding before the image, and behind it: along rows or columns. */
static const Poly *padding(Lower *l, const Window *w, int i, bool behind)
{
    return w->pad[i][behind] ? w->pad[i][behind] : number(l, behind ? w->behind[i] : w->before[i]);
}

/* Padding such that the output has as many pixels as strides fit into the input. */
static void pad_same(Lower *l, const Value *v, Window *w, bool upper)
{
    for (int i = 2 - w->naxis; i < 2; i++) {
        const Poly *extent = v->dim[v->rank - 2 + i], *stride = number(l, w->stride[i]), *two = number(l, 2);
        const Poly *steps = poly_sub(l->polys, poly_apply(l->polys, "ceil_div", extent, stride), number(l, 1));
        const Poly *last =
            poly_add(l->polys, poly_mul(l->polys, steps, stride), number(l, (w->kernel[i] - 1) * w->dilation[i] + 1));
        const Poly *all = w->stride[i] == 1
                              ? number(l, (w->kernel[i] - 1) * w->dilation[i])
                              : poly_apply(l->polys, "max", poly_sub(l->polys, last, extent), number(l, 0));
        const Poly *half = poly_apply(l->polys, "/", all, two), *other = poly_sub(l->polys, all, half);
        w->pad[i][0] = upper ? half : other;
        w->pad[i][1] = upper ? other : half;
        poly_is_number(w->pad[i][0], &w->before[i]);
        poly_is_number(w->pad[i][1], &w->behind[i]);
    }
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
        pad_same(l, v, w, strcmp(pad, "SAME_UPPER") == 0);
    for (int i = 0; i < 2; i++) {
        if (w->before[i] < 0 || w->behind[i] < 0)
            return lower_error(l, "negative padding is not supported");
        if (w->stride[i] < 1 || w->dilation[i] < 1)
            return lower_error(l, "its strides and dilations are not all from 1 on");
    }
    return true;
}

/* The extents of images with channels last; a sound is an image of one row. */
static void image_extents(Lower *l, const Value *v, const Poly **extent)
{
    extent[0] = v->dim[0];
    extent[1] = v->rank == 3 ? number(l, 1) : v->dim[2];
    extent[2] = v->dim[v->rank - 1];
    extent[3] = v->dim[1];
}

bool lower_images_in(Lower *l, Value *v, Access *a, const Poly **extent)
{
    static const int channels_last[] = { 0, 2, 3, 1 }, of_sound[] = { 0, 2, 1 };
    int place[4], own[LOWER_MAX_RANK];
    const bool is_sound = v->rank == 3;
    image_extents(l, v, extent);
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

/* Images of few channels, as pictures are, that lie as [n][c][h][w]: a convolution takes them so. To turn them first
 * would be a pass through memory. */
static bool is_picture(Lower *l, Value *v, Access *a, const Poly **extent)
{
    enum { FEW = 4 };
    int place[LOWER_MAX_RANK];
    int64_t channels;
    if (v->rank != 4 || !poly_is_number(v->dim[1], &channels) || channels <= 1 || channels > FEW || !store_value(l, v))
        return false;
    lower_places(l, v->rank, v->dim, place);
    memcpy(extent, v->dim, 4 * sizeof *extent);
    return access_of(l, v->elem, 4, place, a) && access_is_dense(l, a, v->dim);
}

/* Pixels of the output along an axis. */
static const Poly *pixels(Lower *l, const Window *w, int i, const Poly *extent)
{
    const Poly *pads = poly_add(l->polys, padding(l, w, i, false), padding(l, w, i, true));
    const Poly *left =
        poly_add(l->polys, extent, poly_sub(l->polys, pads, number(l, w->dilation[i] * (w->kernel[i] - 1) + 1)));
    return poly_apply(l->polys, "/", poly_add(l->polys, left, number(l, w->stride[i])), number(l, w->stride[i]));
}

const Elem *lower_images_out(Lower *l, Step *s, const Value *v, const Poly *const *extent, int *rank, const Poly **dim)
{
    const Poly *size[4] = { extent[0], extent[3], extent[1], extent[2] };
    Memory r = memory_result(&storages[STORED_F32], 4, size);
    static const int order[] = { 0, 2, 3, 1 }, axis_of[] = { 0, 3, 1, 2 };
    r.is_ordered = true;
    memcpy(r.order, order, sizeof order);
    memcpy(s->axis_of, axis_of, sizeof axis_of);
    s->out = memory_add(l, r);
    const int memory = s->out;
    step_add(l, *s);
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
    const int64_t *const of[] = { w->stride, NULL, NULL, w->dilation };
    for (int k = 0; k < 3 + dilated; k++)
        for (int i = 0; i < 2; i++)
            step_extent(s, name[k][i], of[k] ? number(l, of[k][i]) : padding(l, w, i, k == 2));
}

/* The filters of a convolution as the operator takes them, [..][..][R][S], which must be constants. Sets the window's
 * kernel, and extent: all of their extents. */
static bool filters(Lower *l, const Value *v, Value *f, Window *w, int64_t *extent, Access *F, const Poly **of_f)
{
    int own[LOWER_MAX_RANK];
    if (f->rank != v->rank)
        return lower_error(l, "its filters have %d extents, its images %d", f->rank, v->rank);
    for (int i = 0; i < f->rank; i++)
        if (!poly_is_number(f->dim[i], &extent[i]))
            return lower_error(l, "its filters' extents are not fixed");
    w->kernel[0] = f->rank == 4 ? extent[2] : 1;
    w->kernel[1] = extent[f->rank - 1];
    if (!store_value(l, f))
        return false;
    if (f->elem->kind != ELEM_LOAD || l->memory[f->elem->memory].kind != MEMORY_CONSTANT)
        return lower_error(l, "filters that are no constants are not supported");
    lower_places(l, f->rank, f->dim, own);
    if (!access_of(l, f->elem, f->rank, own, F) || !access_is_dense(l, F, f->dim) || !poly_is(F->at, 0))
        return lower_error(l, "its filters do not lie densely");
    of_f[0] = f->dim[0];
    of_f[1] = f->dim[1];
    F->n = 4;
    for (int i = 0; i < 2; i++)
        of_f[2 + i] = number(l, w->kernel[i]);
    F->stride[3] = number(l, 1);
    for (int i = 2; i >= 0; i--)
        F->stride[i] = poly_mul(l->polys, F->stride[i + 1], of_f[i + 1]);
    return true;
}

/* The extents of a convolution's images, groups and filters. */
static void add_images(Lower *l, Step *s, const Poly *const *of_x, int64_t groups, int64_t channels, int64_t outputs,
                       const Window *w)
{
    step_extent(s, "N", of_x[0]);
    step_extent(s, "G", number(l, groups));
    step_extent(s, "H", of_x[1]);
    step_extent(s, "W", of_x[2]);
    step_extent(s, "C", number(l, channels));
    step_extent(s, "K", number(l, outputs));
    step_extent(s, "R", number(l, w->kernel[0]));
    step_extent(s, "S", number(l, w->kernel[1]));
    add_window(l, s, w, true);
}

/* Gives a convolution's result, with the bias of each channel. */
static bool give_images(Lower *l, ElementType type, const Elem *x, int rank, const Poly *const *dim)
{
    const Value *bias = lower_input(l, 2);
    if (bias) {
        if (bias->rank != 1 || poly_compare(l->polys, bias->dim[0], dim[1]) == POLY_NEVER)
            return lower_error(l, "its bias is not one number for each of its %s channels",
                               poly_text(l->arena, l->polys, dim[1]));
        const int place = lower_place(l, 0, bias->dim[0]);
        const Elem *by = lower_place_elem(l, 1, dim[1]);
        x = ELEM(l->elems, "+", x, elem_replace(l->elems, value_elem(l, bias), 1, &place, &by));
    }
    return lower_give(l, 0, type, rank, dim, x);
}

static bool is_same_padding(const NetNode *n)
{
    return strncmp(onnx_string(n->onnx, "auto_pad", "NOTSET"), "SAME", 4) == 0;
}

static bool is_upper(const NetNode *n) { return strcmp(onnx_string(n->onnx, "auto_pad", "NOTSET"), "SAME_UPPER") == 0; }

static bool lower_conv(Lower *l, const NetNode *n)
{
    Window w = { .naxis = 0 };
    Access X, F;
    const Poly *size[4], *of_x[4], *of_f[4], *dim[LOWER_MAX_RANK];
    int64_t extent[LOWER_MAX_RANK];
    int rank;
    if (!lower_has_reals(l, 2))
        return false;
    Value *v = &l->value[n->input[0]], *f = &l->value[n->input[1]];
    const int64_t groups = onnx_int(n->onnx, "group", 1);
    if (!read_window(l, v, &w) || !filters(l, v, f, &w, extent, &F, of_f))
        return false;
    if (is_same_padding(n))
        pad_same(l, v, &w, is_upper(n));
    if (groups < 1 || extent[0] % groups || !lower_require(l, v->dim[1], number(l, extent[1] * groups)))
        return lower_error(l, "its channels do not fit its filters");
    image_extents(l, v, size);
    const bool of_picture = is_picture(l, v, &X, of_x);
    if (!of_picture && !lower_images_in(l, v, &X, of_x))
        return false;
    Step s = { .op = "conv2d",
               .naxis = 4,
               .axis = { "n", "p", "q", "oc" },
               .layout = of_picture ? "X = \"NCHW\"; F = \"KCRS\"; packed = true;" : "F = \"KCRS\"; packed = true;" };
    add_images(l, &s, size, groups, extent[1], extent[0] / groups, &w);
    step_operand(&s, "X", &X, of_x);
    step_operand(&s, "F", &F, of_f);
    const Poly *of_y[4] = { size[0], pixels(l, &w, 0, size[1]), pixels(l, &w, 1, size[2]), f->dim[0] };
    const Elem *x = lower_images_out(l, &s, v, of_y, &rank, dim);
    return give_images(l, v->type, x, rank, dim);
}

/* What a transposed convolution's output lacks or has besides: by its padding, or by the output's size. */
static bool read_transposed(Lower *l, const NetNode *n, const Value *v, Window *w, int64_t *more, const Poly **pixel)
{
    int count = 0;
    const int64_t *given = onnx_ints(n->onnx, "output_shape", &count);
    if (!read_pairs(l, "output_padding", w->naxis, 0, more, NULL))
        return false;
    for (int i = 0; i < count; i++)
        if (given[i] < 0 || given[i] > MOST_PIXELS)
            return lower_error(l, "its output's size is beyond %d", MOST_PIXELS);
    if (count && count < w->naxis)
        return lower_error(l, "its output's size has %d numbers", count);
    for (int i = 2 - w->naxis; i < 2; i++) {
        const Poly *extent = v->dim[v->rank - 2 + i], *whole;
        int64_t lacks;
        whole =
            poly_add(l->polys, poly_mul(l->polys, number(l, w->stride[i]), poly_sub(l->polys, extent, number(l, 1))),
                     number(l, w->dilation[i] * (w->kernel[i] - 1) + 1 + more[i]));
        if (count || is_same_padding(n)) {
            const Poly *wanted =
                count ? number(l, given[count - 2 + i]) : poly_mul(l->polys, extent, number(l, w->stride[i]));
            if (!poly_is_number(poly_sub(l->polys, whole, wanted), &lacks))
                return lower_error(l, "its padding depends on the image's size, which is not fixed");
            more[i] += lacks < 0 ? -lacks : 0;
            lacks = lacks < 0 ? 0 : lacks;
            w->before[i] = is_upper(n) ? lacks / 2 : lacks - lacks / 2;
            w->behind[i] = lacks - w->before[i];
            w->pad[i][0] = w->pad[i][1] = NULL;
            pixel[i] = wanted;
        } else {
            pixel[i] = poly_sub(l->polys, whole, number(l, w->before[i] + w->behind[i]));
        }
    }
    return true;
}

static bool lower_conv_transpose(Lower *l, const NetNode *n)
{
    Window w = { .naxis = 0 };
    Access X, F;
    const Poly *of_x[4], *of_f[4], *dim[LOWER_MAX_RANK], *pixel[2] = { number(l, 1), number(l, 1) };
    int64_t extent[LOWER_MAX_RANK], more[2];
    int rank;
    if (!lower_has_reals(l, 2))
        return false;
    Value *v = &l->value[n->input[0]], *f = &l->value[n->input[1]];
    const int64_t groups = onnx_int(n->onnx, "group", 1);
    if (!read_window(l, v, &w) || !filters(l, v, f, &w, extent, &F, of_f) || !read_transposed(l, n, v, &w, more, pixel))
        return false;
    if (groups < 1 || extent[0] % groups || !lower_require(l, v->dim[1], number(l, extent[0])))
        return lower_error(l, "its channels do not fit its filters");
    if (!lower_images_in(l, v, &X, of_x))
        return false;
    Step s = {
        .op = "conv_transpose2d", .naxis = 4, .axis = { "n", "p", "q", "oc" }, .layout = "F = \"CKRS\"; packed = true;"
    };
    add_images(l, &s, of_x, groups, extent[0] / groups, extent[1], &w);
    step_extent(&s, "MORE_H", number(l, more[0]));
    step_extent(&s, "MORE_W", number(l, more[1]));
    step_operand(&s, "X", &X, of_x);
    step_operand(&s, "F", &F, of_f);
    const Poly *of_y[4] = { of_x[0], pixel[0], pixel[1], number(l, extent[1] * groups) };
    const Elem *x = lower_images_out(l, &s, v, of_y, &rank, dim);
    return give_images(l, v->type, x, rank, dim);
}

/* ---- pooling ---- */

/* Pixels of a pooled image along an axis whose number is rounded up: padding behind makes the last one. */
static const Poly *rounded_up(Lower *l, Window *w, int i, const Poly *extent)
{
    Polys *p = l->polys;
    const Poly *floor_ = pixels(l, w, i, extent), *stride = number(l, w->stride[i]);
    const int64_t kernel = w->dilation[i] * (w->kernel[i] - 1) + 1;
    const Poly *left = poly_add(p, extent, number(l, w->before[i] + w->behind[i] - kernel));
    const Poly *all = poly_apply(p, "/", poly_add(p, left, number(l, 2 * w->stride[i] - 1)), stride);
    if (w->pad[i][0] || poly_compare(p, all, floor_) == POLY_EQUAL)
        return floor_;
    if (w->stride[i] + w->behind[i] > kernel) /* no window begins behind the image */
        all = poly_apply(p, "ceil_div", poly_add(p, extent, number(l, w->before[i])), stride);
    const Poly *reach = poly_add(p, poly_mul(p, poly_sub(p, all, number(l, 1)), stride), number(l, kernel));
    const Poly *behind = poly_sub(p, reach, poly_add(p, extent, number(l, w->before[i])));
    w->pad[i][1] = poly_apply(p, "max", behind, number(l, 0));
    return all;
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
    if (!is_global && !read_window(l, v, &w))
        return false;
    if (is_global && v->rank != 3 && v->rank != 4)
        return lower_error(l, "expected images");
    if (!lower_images_in(l, v, &X, of_x))
        return false;
    const bool is_max = strcmp(op, "max_pool2d") == 0;
    const Poly *of_y[4] = { of_x[0], number(l, 1), number(l, 1), of_x[3] };
    for (int i = 0; i < 2 && !is_global; i++)
        of_y[1 + i] =
            onnx_int(n->onnx, "ceil_mode", 0) ? rounded_up(l, &w, i, of_x[1 + i]) : pixels(l, &w, i, of_x[1 + i]);
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
    const Elem *x = lower_images_out(l, &s, v, of_y, &rank, dim); /* whole images have one pixel */
    return lower_give(l, 0, v->type, keeps_axes ? rank : 2, dim, x);
}

bool lower_mean_of_images(Lower *l, bool keeps_axes) { return pool(l, l->node, "avg_pool2d", true, false, keeps_axes); }

/* Is it pooling of images, or sounds, of real numbers? */
static bool is_of_images(Lower *l)
{
    const Value *v = lower_input(l, 0);
    return v && (v->rank == 3 || v->rank == 4) && elem_type_of(v->type) == ELEM_REAL;
}

static bool lower_max_pool(Lower *l, const NetNode *n)
{
    const bool has_places = n->noutput > 1 && n->output[1] >= 0;
    return is_of_images(l) && !has_places ? pool(l, n, "max_pool2d", false, false, true) : lower_largest_of_windows(l);
}

static bool lower_average_pool(Lower *l, const NetNode *n)
{
    const bool counts_padding = onnx_int(n->onnx, "count_include_pad", 0);
    int count = 0;
    const int64_t *dilation = onnx_ints(n->onnx, "dilations", &count);
    bool is_plain = is_of_images(l) && !(counts_padding && onnx_int(n->onnx, "ceil_mode", 0));
    for (int i = 0; i < count; i++)
        is_plain = is_plain && dilation[i] == 1;
    return is_plain ? pool(l, n, "avg_pool2d", false, counts_padding, true) : lower_mean_of_windows(l);
}

static bool lower_global_max(Lower *l, const NetNode *n) { return pool(l, n, "max_pool2d", true, false, true); }
static bool lower_global_average(Lower *l, const NetNode *n) { return pool(l, n, "avg_pool2d", true, false, true); }

const LowerRow lower_images[] = {
    { "Conv", lower_conv, 0, NULL },
    { "ConvTranspose", lower_conv_transpose, 0, NULL },
    { "MaxPool", lower_max_pool, 0, NULL },
    { "AveragePool", lower_average_pool, 0, NULL },
    { "GlobalMaxPool", lower_global_max, 0, NULL },
    { "GlobalAveragePool", lower_global_average, 0, NULL },
    { NULL, NULL, 0, NULL },
};
