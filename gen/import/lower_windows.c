/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_windows: what operators of ONNX make of windows of any number of axes, as a row that runs along the elements of
 * a window: pooling that dcgen's operators do not have (lower_images.c has the others), and norms of neighbouring
 * channels.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

enum { WINDOW_PLACE = 130, MOST_AXIS = 4, MOST_EXTENT = 1 << 20 };

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* Along the axes behind the first two. */
typedef struct {
    const Value *v;
    int naxis;
    int64_t kernel[MOST_AXIS], stride[MOST_AXIS], dilation[MOST_AXIS], before[MOST_AXIS], behind[MOST_AXIS];
    const Poly *dim[LOWER_MAX_RANK]; /* of the result */
    int along;                       /* the place in a window, which has so many elements */
    const Poly *elems;
    const Elem *inside;        /* is that element one of the input? */
    const Elem *counted;       /* is it one of the input with its padding? */
    const Poly *at[MOST_AXIS]; /* where it stands */
    const Elem *x;             /* the element */
} Windows;

static bool read_list(Lower *l, const char *name, int want, int64_t otherwise, int64_t least, int64_t *out)
{
    int n = 0;
    const int64_t *given = onnx_ints(l->node->onnx, name, &n);
    if (n && n != want)
        return lower_error(l, "'%s' has %d numbers, expected %d", name, n, want);
    for (int i = 0; i < want; i++) {
        out[i] = n ? given[i] : otherwise;
        if (out[i] < least || out[i] > MOST_EXTENT)
            return lower_error(l, "'%s' has numbers that are not from %d to %d", name, (int)least, MOST_EXTENT);
    }
    return true;
}

/* How far a window reaches along an axis. */
static int64_t reach(const Windows *w, int i) { return w->dilation[i] * (w->kernel[i] - 1) + 1; }

/* Padding that gives as many windows as strides fit into the input. */
static bool pad_same(Lower *l, Windows *w, bool is_upper)
{
    for (int i = 0; i < w->naxis; i++) {
        int64_t extent, all;
        if (!poly_is_number(w->v->dim[2 + i], &extent))
            return lower_error(l, "its padding depends on a size that is not fixed");
        all = ((extent + w->stride[i] - 1) / w->stride[i] - 1) * w->stride[i] + reach(w, i) - extent;
        all = all < 0 ? 0 : all;
        w->before[i] = is_upper ? all / 2 : all - all / 2;
        w->behind[i] = all - w->before[i];
    }
    return true;
}

/* How many windows there are along an axis. NULL after an error. */
static const Poly *windows_along(Lower *l, const Windows *w, int i)
{
    const Poly *extent = w->v->dim[2 + i], *stride = number(l, w->stride[i]);
    const Poly *left = poly_add(l->polys, extent, number(l, w->before[i] + w->behind[i] - reach(w, i)));
    const Poly *down = poly_add(l->polys, poly_apply(l->polys, "/", left, stride), number(l, 1)),
               *up = poly_add(l->polys, poly_apply(l->polys, "ceil_div", left, stride), number(l, 1));
    int64_t n, size;
    if (!onnx_int(l->node->onnx, "ceil_mode", 0) || poly_compare(l->polys, down, up) == POLY_EQUAL)
        return down;
    if (!poly_is_number(up, &n) || !poly_is_number(extent, &size))
        return lower_error(l, "pooling that rounds up a size which is not fixed is not supported"), NULL;
    return (n - 1) * w->stride[i] >= size + w->before[i] ? down : up; /* no window begins behind the input */
}

static bool read_windows(Lower *l, const Value *v, Windows *w)
{
    const char *pad = onnx_string(l->node->onnx, "auto_pad", "NOTSET");
    int64_t pads[2 * MOST_AXIS];
    *w = (Windows){ .v = v, .naxis = v->rank - 2 };
    if (w->naxis < 1 || w->naxis > MOST_AXIS)
        return lower_error(l, "expected images, of %d extents there are none", v->rank);
    if (!read_list(l, "kernel_shape", w->naxis, 1, 1, w->kernel) ||
        !read_list(l, "strides", w->naxis, 1, 1, w->stride) ||
        !read_list(l, "dilations", w->naxis, 1, 1, w->dilation) || !read_list(l, "pads", 2 * w->naxis, 0, 0, pads))
        return false;
    for (int i = 0; i < w->naxis; i++) {
        w->before[i] = pads[i];
        w->behind[i] = pads[w->naxis + i];
    }
    if (strncmp(pad, "SAME", 4) == 0 && !pad_same(l, w, strcmp(pad, "SAME_UPPER") == 0))
        return false;
    w->dim[0] = v->dim[0];
    w->dim[1] = v->dim[1];
    for (int i = 0; i < w->naxis; i++)
        if (!(w->dim[2 + i] = windows_along(l, w, i)))
            return false;
    return true;
}

/* Where a window begins along an axis. */
static const Poly *first_of(Lower *l, const Windows *w, int i)
{
    const Poly *place = elem_as_size(lower_place_elem(l, 2 + i, w->dim[2 + i]));
    return poly_sub(l->polys, poly_mul(l->polys, place, number(l, w->stride[i])), number(l, w->before[i]));
}

/* The condition that first + step, with a step up to most_step, is in an extent with so much around it; `is` where it
 * is seen to be. */
static const Elem *and_within(Lower *l, const Elem *is, const Poly *first, const Poly *step, int64_t most_step,
                              const Poly *extent, int64_t before, int64_t behind)
{
    const Poly *from = poly_add(l->polys, first, number(l, before)), *at = poly_add(l->polys, from, step),
               *end = poly_add(l->polys, extent, number(l, before + behind)), *left = poly_sub(l->polys, end, from);
    int64_t least, least_left, unused;
    if (!at || !left)
        return NULL;
    poly_range(l->polys, from, &least, &unused);
    poly_range(l->polys, left, &least_left, &unused);
    if (poly_is_within(l->polys, at, end))
        return is;
    if (least < 0)
        is = ELEM(l->elems, "&&", is, ELEM(l->elems, ">=", elem_size(l->elems, at), elem_int(l->elems, 0)));
    if (least_left <= most_step)
        is = ELEM(l->elems, "&&", is, ELEM(l->elems, "<", elem_size(l->elems, at), elem_size(l->elems, end)));
    return is;
}

/* Sets what an element of a window is. False after an error. */
static bool look_into(Lower *l, Windows *w)
{
    Value *v = &l->value[w->v - l->value];
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    int64_t elems = 1;
    for (int i = 0; i < w->naxis; i++)
        elems = elems * w->kernel[i] > MOST_EXTENT ? MOST_EXTENT + 1 : elems * w->kernel[i];
    if (elems > MOST_EXTENT)
        return lower_error(l, "windows of more than %d elements are not supported", MOST_EXTENT);
    if (!store_value(l, v))
        return false;
    w->elems = number(l, elems);
    w->along = lower_place(l, WINDOW_PLACE, w->elems);
    w->inside = w->counted = elem_truth(l->elems, true);
    const Poly *rest = elem_as_size(lower_place_elem(l, WINDOW_PLACE, w->elems));
    for (int i = w->naxis - 1; i >= 0; i--) {
        const Poly *kernel = number(l, w->kernel[i]);
        const Poly *step = i ? poly_apply(l->polys, "%", rest, kernel) : rest;
        const Poly *first = first_of(l, w, i), *far = poly_mul(l->polys, step, number(l, w->dilation[i]));
        const int64_t most = reach(w, i) - 1;
        rest = poly_apply(l->polys, "/", rest, kernel);
        w->at[i] = poly_add(l->polys, first, far);
        w->inside = and_within(l, w->inside, first, far, most, v->dim[2 + i], 0, 0);
        w->counted = and_within(l, w->counted, first, far, most, v->dim[2 + i], w->before[i], w->behind[i]);
    }
    for (int i = 0; i < v->rank; i++)
        by[i] = i < 2 ? lower_place_elem(l, i, v->dim[i]) : elem_size(l->elems, w->at[i - 2]);
    lower_places(l, v->rank, v->dim, place);
    w->x = elem_as(l->elems, elem_replace(l->elems, v->elem, v->rank, place, by), ELEM_REAL);
    return true;
}

/* One value of what is made of the elements of a window; outside of the input it is `otherwise`. */
static const Elem *over(Lower *l, const Windows *w, const char *op, const Elem *is, const Elem *x, double otherwise)
{
    const Elem *chosen = ELEM(l->elems, "?", is, x, elem_number(l->elems, otherwise));
    return elem_row(l->elems, op, w->along, w->elems, NULL, chosen, NULL);
}

/* ---- pooling ---- */

static const Elem *mean_of(Lower *l, const Windows *w)
{
    const Elem *is = onnx_int(l->node->onnx, "count_include_pad", 0) ? w->counted : w->inside;
    const Elem *count = over(l, w, "sum", is, elem_number(l->elems, 1), 0);
    double all;
    if (elem_is_number(is, &all))
        count = elem_as(l->elems, elem_size(l->elems, w->elems), ELEM_REAL);
    return ELEM(l->elems, "/", over(l, w, "sum", w->inside, w->x, 0), count);
}

/* The p-th root of the sum of p-th powers. */
static const Elem *norm_of(Lower *l, const Windows *w)
{
    const double p = (double)onnx_int(l->node->onnx, "p", 2);
    const Elem *size = ELEM(l->elems, "abs", w->x);
    const Elem *sum = over(l, w, "sum", w->inside, ELEM(l->elems, "pow", size, elem_number(l->elems, p)), 0);
    return ELEM(l->elems, "pow", sum, elem_number(l->elems, 1 / p));
}

/* Where the largest element stands among all of the input. NULL after an error. */
static const Elem *place_of_largest(Lower *l, const Windows *w)
{
    const bool by_columns = onnx_int(l->node->onnx, "storage_order", 0);
    Value within = { .type = ELEMENT_S32, .is_known = true, .rank = w->v->rank };
    memcpy(within.dim, w->dim, sizeof within.dim);
    within.elem = over(l, w, "argmax", w->inside, w->x, -INFINITY);
    if (!store_value(l, &within))
        return NULL;
    const Elem *rest = within.elem, *at[MOST_AXIS];
    for (int i = w->naxis - 1; i >= 0; i--) {
        const Elem *kernel = elem_int(l->elems, w->kernel[i]);
        const Elem *step =
            ELEM(l->elems, "*", i ? ELEM(l->elems, "%", rest, kernel) : rest, elem_int(l->elems, w->dilation[i]));
        rest = ELEM(l->elems, "div", rest, kernel);
        at[i] = ELEM(l->elems, "+", elem_size(l->elems, first_of(l, w, i)), step);
    }
    const Poly *channels = w->dim[1];
    const Poly *image =
        poly_add(l->polys, poly_mul(l->polys, elem_as_size(lower_place_elem(l, 0, w->dim[0])), channels),
                 elem_as_size(lower_place_elem(l, 1, channels)));
    const Elem *flat = elem_size(l->elems, image);
    for (int k = 0; k < w->naxis; k++) {
        const int i = by_columns ? w->naxis - 1 - k : k;
        flat = ELEM(l->elems, "+", ELEM(l->elems, "*", flat, elem_size(l->elems, w->v->dim[2 + i])), at[i]);
    }
    return flat;
}

static bool give_windows(Lower *l, const NetNode *n, const Elem *(*of)(Lower *l, const Windows *w))
{
    Windows w;
    (void)n;
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    return read_windows(l, v, &w) && look_into(l, &w) && lower_give(l, 0, v->type, v->rank, w.dim, of(l, &w));
}

bool lower_mean_of_windows(Lower *l) { return give_windows(l, l->node, mean_of); }

bool lower_largest_of_windows(Lower *l)
{
    Windows w;
    if (!lower_has(l, 1))
        return false;
    const Value *v = lower_input(l, 0);
    if (!read_windows(l, v, &w) || !look_into(l, &w))
        return false;
    const bool has_places = l->node->noutput > 1 && l->node->output[1] >= 0;
    return lower_give(l, 0, v->type, v->rank, w.dim, over(l, &w, "max", w.inside, w.x, -INFINITY)) &&
           (!has_places || lower_give(l, 1, ELEMENT_S64, v->rank, w.dim, place_of_largest(l, &w)));
}

static bool lower_lp_pool(Lower *l, const NetNode *n) { return give_windows(l, n, norm_of); }

/* ---- neighbouring channels ---- */

/* x / (bias + alpha / size * (the sum of the squares of neighbouring channels)) ^ beta */
static bool lower_lrn(Lower *l, const NetNode *n)
{
    const int64_t size = onnx_int(n->onnx, "size", 1);
    if (!lower_has_reals(l, 1))
        return false;
    Value *v = &l->value[n->input[0]];
    if (v->rank < 2 || size < 1 || size > MOST_EXTENT || !store_value(l, v))
        return v->rank < 2 || size < 1 || size > MOST_EXTENT ? lower_error(l, "expected channels") : false;
    const Poly *elems = number(l, size);
    const int along = lower_place(l, WINDOW_PLACE, elems), place = lower_place(l, 1, v->dim[1]);
    const Poly *step = elem_as_size(lower_place_elem(l, WINDOW_PLACE, elems));
    const Poly *first = poly_sub(l->polys, elem_as_size(lower_place_elem(l, 1, v->dim[1])), number(l, (size - 1) / 2));
    const Elem *by = elem_size(l->elems, poly_add(l->polys, first, step)),
               *x = elem_replace(l->elems, v->elem, 1, &place, &by);
    const Elem *is = and_within(l, elem_truth(l->elems, true), first, step, size - 1, v->dim[1], 0, 0);
    const Elem *square = ELEM(l->elems, "?", is, ELEM(l->elems, "*", x, x), elem_number(l->elems, 0));
    const Elem *sum = elem_row(l->elems, "sum", along, elems, NULL, square, NULL);
    const Elem *part =
        ELEM(l->elems, "*", sum, elem_number(l->elems, onnx_float(n->onnx, "alpha", 1e-4f) / (double)size));
    const Elem *base = ELEM(l->elems, "+", part, elem_number(l->elems, onnx_float(n->onnx, "bias", 1)));
    const Elem *by_power = ELEM(l->elems, "pow", base, elem_number(l->elems, -onnx_float(n->onnx, "beta", 0.75)));
    return lower_give(l, 0, v->type, v->rank, v->dim, ELEM(l->elems, "*", v->elem, by_power));
}

const LowerRow lower_windows[] = {
    { "LpPool", lower_lp_pool, 0, NULL },
    { "LRN", lower_lrn, 0, NULL },
    { NULL, NULL, 0, NULL },
};
