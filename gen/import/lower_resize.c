/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_resize: Resize and Upsample. Images to whole numbers of pixels, by the nearest pixel or linearly, are calls of
 * dcgen's operators. All else is done axis by axis, of sizes that are fixed: of each element of the result it is known
 * then which ones it is made of (its taps), and how much of each; both are constants that a formula reads.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower.h"

enum { MOST_PIXELS = 1 << 24, TAP_PLACE = 131, MOST_UNROLLED = 4 };

typedef struct {
    const char *mode, *where, *round;
    const Poly *dim[LOWER_MAX_RANK];
    double factor[LOWER_MAX_RANK];                   /* as it is given; 0: what the sizes say */
    bool is_whole;                                   /* all sizes are what the factors say */
    double from[LOWER_MAX_RANK], to[LOWER_MAX_RANK]; /* the part that is resized, of 1 */
} Resizing;

static const Poly *number(Lower *l, int64_t x) { return poly_number(l->polys, x); }

/* The numbers of a short constant. */
static bool small_numbers(Lower *l, const Value *v, double *number_, int *n)
{
    int64_t count;
    if (!v)
        return false;
    if (value_numbers(l, v, LOWER_MAX_LIST, number_, n))
        return true;
    if (v->rank != 1 || !poly_is_number(v->dim[0], &count) || count < 1 || count > LOWER_MAX_LIST || !v->elem)
        return false;
    const int place = lower_place(l, 0, v->dim[0]);
    int64_t *dims = ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t);
    for (*n = 0; *n < count; ++*n) {
        const Elem *at = elem_int(l->elems, *n);
        if (!store_constant_at(l, elem_replace(l->elems, v->elem, 1, &place, &at), dims, &number_[*n]))
            return false;
    }
    return true;
}

/* ---- what is given ---- */

/* The axes that it names; without any all. */
static bool read_axes(Lower *l, const Value *v, int64_t *axis, int *n)
{
    const int64_t *given = onnx_ints(l->node->onnx, "axes", n);
    *n = *n ? *n : v->rank;
    if (*n > v->rank)
        return lower_error(l, "it has %d axes, expected at most %d", *n, v->rank);
    for (int i = 0; i < *n; i++) {
        axis[i] = given ? given[i] : i;
        if (!lower_axis(l, &axis[i], v->rank))
            return false;
    }
    return true;
}

static bool by_factor(Lower *l, Resizing *r, const Poly *old, int axis, double factor)
{
    int64_t extent;
    if (!(factor > 0 && factor <= MOST_PIXELS))
        return lower_error(l, "a factor of %g is not supported", factor);
    r->factor[axis] = factor;
    if (factor == floor(factor)) {
        r->dim[axis] = poly_mul(l->polys, old, number(l, (int64_t)factor));
        return true;
    }
    if (!poly_is_number(old, &extent))
        return lower_error(l, "a factor of %g is not supported where the size that it is of is not fixed", factor);
    const double exact = factor * (double)extent;
    r->dim[axis] = number(l, (int64_t)exact);
    r->is_whole = r->is_whole && exact == floor(exact);
    return true;
}

/* One factor for all axes, so that none is larger, or smaller, than wanted. */
static bool keep_aspect(Lower *l, const Value *v, Resizing *r, const int64_t *axis, int n, bool not_larger)
{
    double all = 0;
    for (int i = 0; i < n; i++) {
        int64_t old, size;
        if (!poly_is_number(v->dim[axis[i]], &old) || !poly_is_number(r->dim[axis[i]], &size) || old < 1)
            return lower_error(l, "proportions of sizes that are not fixed cannot be kept");
        const double own = (double)size / (double)old;
        all = i == 0 || (own < all) == not_larger ? own : all;
    }
    for (int i = 0; i < n; i++) {
        int64_t old;
        poly_is_number(v->dim[axis[i]], &old);
        r->factor[axis[i]] = all;
        r->dim[axis[i]] = number(l, (int64_t)floor(all * (double)old + 0.5));
    }
    r->is_whole = false;
    return true;
}

/* The extents that it is resized to: given, or by factors. */
static bool read_sizes(Lower *l, const Value *v, Resizing *r)
{
    const bool is_old = strcmp(l->node->op, "Upsample") == 0;
    const Value *factors = lower_input(l, is_old ? 1 : 2), *sizes = is_old ? NULL : lower_input(l, 3);
    const char *policy = onnx_string(l->node->onnx, "keep_aspect_ratio_policy", "stretch");
    double factor[LOWER_MAX_LIST];
    int n = 0, naxis;
    int64_t axis[LOWER_MAX_RANK];
    const Poly *size[LOWER_MAX_LIST];
    const bool by_size = sizes && value_sizes(l, sizes, LOWER_MAX_LIST, size, &n);
    r->is_whole = true;
    memcpy(r->dim, v->dim, sizeof r->dim);
    if (!read_axes(l, v, axis, &naxis))
        return false;
    if (!by_size && !small_numbers(l, factors, factor, &n))
        return lower_error(l, "the size that it makes is not known");
    if (n != naxis)
        return lower_error(l, "it has %d sizes, expected %d", n, naxis);
    for (int i = 0; i < n; i++)
        if (by_size)
            r->dim[axis[i]] = size[i];
        else if (!by_factor(l, r, v->dim[axis[i]], (int)axis[i], factor[i]))
            return false;
    return !by_size || strcmp(policy, "stretch") == 0 ||
           keep_aspect(l, v, r, axis, n, strcmp(policy, "not_larger") == 0);
}

/* The part of the input that is resized, as parts of 1. */
static bool read_part(Lower *l, const Value *v, Resizing *r)
{
    double part[LOWER_MAX_LIST];
    int64_t axis[LOWER_MAX_RANK];
    int n, naxis;
    for (int i = 0; i < v->rank; i++)
        r->to[i] = 1;
    if (strcmp(r->where, "tf_crop_and_resize") != 0)
        return true;
    if (!read_axes(l, v, axis, &naxis) || !small_numbers(l, lower_input(l, 1), part, &n) || n != 2 * naxis)
        return lower_error(l, "which part it resizes is not known");
    for (int i = 0; i < naxis; i++) {
        r->from[axis[i]] = part[i];
        r->to[axis[i]] = part[naxis + i];
    }
    return true;
}

static int position(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

static const char *const coordinates[] = {
    "half_pixel",         "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric",
    "tf_crop_and_resize", NULL
};
static const char *const roundings[] = { "round_prefer_floor", "floor", "round_prefer_ceil", "ceil", NULL };

/* ---- an axis by its taps ---- */

/* An axis, and how it is resized. */
typedef struct {
    const Resizing *r;
    int64_t in, out;
    double factor, from, to;
    int ntap;
    int32_t *tap;  /* [out][ntap]: elements of the input */
    float *weight; /* the same */
    float *fixed;  /* [out]: what is added */
    bool has_fixed;
} Axis;

static double exact_place_of(const Axis *x, int64_t p)
{
    const double wide = x->factor * (double)x->in, half = ((double)p + 0.5) / x->factor - 0.5;
    switch (position(coordinates, x->r->where)) {
    case 1:
        return (double)p / x->factor;
    case 2:
        return x->out == 1 ? 0 : (double)p * (double)(x->in - 1) / (wide - 1);
    case 3:
        return x->out == 1 ? -0.5 : half;
    case 4:
        return half + (double)x->in / 2 * (1 - (double)x->out / wide);
    case 5:
        return x->out == 1 ? (x->from + x->to) * (double)(x->in - 1) / 2
                           : x->from * (double)(x->in - 1) +
                                 (double)p * (x->to - x->from) * (double)(x->in - 1) / (double)(x->out - 1);
    default:
        return half;
    }
}

/* Where element p of the result stands in the input, or far outside of it. */
static double place_of(const Axis *x, int64_t p) { return fmin(fmax(exact_place_of(x, p), -0x1p40), 0x1p40); }

/* How much of an element that is so far away is taken. */
static double cubic(double distance, double a)
{
    const double x = fabs(distance);
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double linear(double distance) { return fmax(0, 1 - fabs(distance)); }

/* Is the second of two neighbours nearer? ratio: how far from the first, above 0 and up to 1. */
static bool takes_second(const char *round, double ratio)
{
    if (ratio == 1)
        return true;
    return strcmp(round, "ceil") == 0                 ? true
           : strcmp(round, "round_prefer_ceil") == 0  ? ratio >= 0.5
           : strcmp(round, "round_prefer_floor") == 0 ? ratio > 0.5
                                                      : false;
}

/* Sets what element p of the result is made of. */
static void set_taps(Lower *l, const Axis *x, int64_t p, double squeeze)
{
    const OnnxNode *n = l->node->onnx;
    const double at = place_of(x, p), a = onnx_float(n, "cubic_coeff_a", -0.75);
    const bool excludes = onnx_int(n, "exclude_outside", 0);
    const int64_t left = (int64_t)ceil(at) - 1, first = left - x->ntap / 2 + 1;
    int32_t *tap = x->tap + p * x->ntap;
    float *weight = x->weight + p * x->ntap;
    double sum = 0;
    if (strcmp(x->r->where, "tf_crop_and_resize") == 0 && (at < 0 || at > (double)(x->in - 1))) {
        x->fixed[p] = (float)onnx_float(n, "extrapolation_value", 0);
        return;
    }
    double w[2 * MOST_UNROLLED],
        *each = x->ntap <= 2 * MOST_UNROLLED ? w : ARENA_ARRAY(l->arena, (size_t)x->ntap, double);
    for (int k = 0; k < x->ntap; k++) {
        const int64_t i = first + k;
        const double distance = ((double)i - at) * squeeze;
        each[k] = strcmp(x->r->mode, "nearest") == 0 ? k == takes_second(x->r->round, at - (double)left)
                  : strcmp(x->r->mode, "cubic") == 0 ? cubic(distance, a)
                                                     : linear(distance);
        each[k] = excludes && (i < 0 || i >= x->in) ? 0 : each[k];
        sum += each[k];
        tap[k] = (int32_t)(i < 0 ? 0 : i >= x->in ? x->in - 1 : i);
    }
    for (int k = 0; k < x->ntap; k++)
        weight[k] = (float)(excludes || squeeze < 1 ? each[k] / sum : each[k]);
}

/* Elements that are made smaller take in as many more. */
static bool set_all_taps(Lower *l, Axis *x)
{
    const bool smooths = onnx_int(l->node->onnx, "antialias", 0) && strcmp(x->r->mode, "nearest") != 0;
    const double squeeze = smooths && x->factor < 1 ? x->factor : 1;
    const int side = strcmp(x->r->mode, "cubic") == 0 ? 2 : 1;
    const double taps = 2 - 2 * (floor(-side / squeeze) + 1);
    if (taps * (double)x->out > MOST_PIXELS)
        return lower_error(l, "a factor of %g is not supported", x->factor);
    x->ntap = (int)taps;
    x->tap = ARENA_ARRAY(l->arena, (size_t)(x->out * x->ntap) + 1, int32_t);
    x->weight = ARENA_ARRAY(l->arena, (size_t)(x->out * x->ntap) + 1, float);
    x->fixed = ARENA_ARRAY(l->arena, (size_t)x->out + 1, float);
    for (int64_t p = 0; p < x->out; p++)
        set_taps(l, x, p, squeeze);
    for (int64_t p = 0; p < x->out; p++)
        x->has_fixed = x->has_fixed || x->fixed[p] != 0;
    return true;
}

static const Elem *constant(Lower *l, const char *what, int stored, int rank, const Poly *const *extent,
                            const void *data, const Elem *const *at)
{
    const char *name = arena_printf(l->arena, "%s: %s", l->node->onnx->name, what);
    const int memory = memory_constant(l, name, &storages[stored], rank, extent, data);
    return elem_load(l->elems, memory, stored == STORED_S32 ? ELEM_INT : ELEM_REAL, rank, at);
}

/* The sum of all taps, over the places of v, of which the one along the axis is `here`. */
static const Elem *sum_of_taps(Lower *l, const Axis *x, const Value *v, int axis, const Elem *here)
{
    const Poly *ntap = number(l, x->ntap), *extent[2] = { number(l, x->out), ntap };
    const int place = lower_place(l, axis, v->dim[axis]), along = lower_place(l, TAP_PLACE, ntap);
    const Elem *which = elem_place(l->elems, along), *at[2] = { here, which }, *all = NULL;
    const Elem *tap = constant(l, "taps", STORED_S32, 2, extent, x->tap, at);
    const Elem *weight = constant(l, "weights", STORED_F32, 2, extent, x->weight, at);
    const Elem *part = ELEM(l->elems, "*", elem_replace(l->elems, v->elem, 1, &place, &tap), weight);
    if (x->ntap > MOST_UNROLLED)
        return elem_row(l->elems, "sum", along, ntap, NULL, part, NULL);
    for (int k = 0; k < x->ntap; k++) {
        const Elem *one = elem_int(l->elems, k), *term = elem_replace(l->elems, part, 1, &along, &one);
        all = all ? ELEM(l->elems, "+", all, term) : term;
    }
    return all;
}

/* The nearest elements: one of each. */
static const Elem *nearest_tap(Lower *l, const Axis *x, const Value *v, int axis, const Elem *here)
{
    const int place = lower_place(l, axis, v->dim[axis]);
    const Poly *extent = number(l, x->out);
    int32_t *tap = ARENA_ARRAY(l->arena, (size_t)x->out + 1, int32_t);
    for (int64_t p = 0; p < x->out; p++)
        tap[p] = x->tap[2 * p + (x->weight[2 * p + 1] != 0)];
    const Elem *at = constant(l, "taps", STORED_S32, 1, &extent, tap, &here);
    return elem_replace(l->elems, v->elem, 1, &place, &at);
}

static bool resize_axis(Lower *l, const Resizing *r, Value *v, int axis)
{
    Axis x = { .r = r, .from = r->from[axis], .to = r->to[axis] };
    if (!poly_is_number(v->dim[axis], &x.in) || !poly_is_number(r->dim[axis], &x.out) || x.in < 1 || x.out < 1)
        return lower_error(l, "of a size that is not fixed, '%s' with '%s' is not supported", r->mode, r->where);
    if (x.in > MOST_PIXELS || x.out > MOST_PIXELS)
        return lower_error(l, "its sizes are beyond %d", MOST_PIXELS);
    x.factor = r->factor[axis] > 0 ? r->factor[axis] : (double)x.out / (double)x.in;
    if (!set_all_taps(l, &x) || !store_value(l, v))
        return false;
    const Elem *here = lower_place_elem(l, axis, r->dim[axis]);
    const bool is_nearest = strcmp(r->mode, "nearest") == 0;
    const Elem *y = is_nearest ? nearest_tap(l, &x, v, axis, here) : sum_of_taps(l, &x, v, axis, here);
    if (x.has_fixed) {
        const Poly *extent = number(l, x.out);
        float *is = ARENA_ARRAY(l->arena, (size_t)x.out + 1, float);
        for (int64_t p = 0; p < x.out; p++)
            is[p] = place_of(&x, p) < 0 || place_of(&x, p) > (double)(x.in - 1);
        const Elem *outside = constant(l, "outside", STORED_F32, 1, &extent, is, &here);
        y = ELEM(l->elems, "?", ELEM(l->elems, ">", outside, elem_number(l->elems, 0)),
                 constant(l, "fixed", STORED_F32, 1, &extent, x.fixed, &here), y);
    }
    v->dim[axis] = r->dim[axis];
    v->elem = y;
    return true;
}

static bool resize_axes(Lower *l, const Resizing *r, const Value *given)
{
    Value v = *given;
    v.elem = value_elem(l, given);
    v.nlist = 0;
    const bool cuts = strcmp(r->where, "tf_crop_and_resize") == 0;
    for (int i = 0; i < v.rank; i++) {
        const bool is_whole = r->from[i] == 0 && r->to[i] == 1;
        if ((poly_compare(l->polys, v.dim[i], r->dim[i]) != POLY_EQUAL || (cuts && !is_whole) ||
             (r->factor[i] > 0 && r->factor[i] != 1)) &&
            !resize_axis(l, r, &v, i))
            return false;
    }
    return lower_give(l, 0, v.type, v.rank, v.dim, v.elem);
}

/* ---- an operator ---- */

/* Is it what resize_nearest and resize_bilinear do? */
static bool is_of_operator(Lower *l, const Resizing *r, const Value *v)
{
    const OnnxNode *n = l->node->onnx;
    const int at = position(coordinates, r->where);
    if ((v->rank != 3 && v->rank != 4) || !r->is_whole || at > 3 || strcmp(r->mode, "cubic") == 0 ||
        onnx_int(n, "antialias", 0) || onnx_int(n, "exclude_outside", 0))
        return false;
    for (int i = 0; i < v->rank; i++) {
        int64_t least, most;
        poly_range(l->polys, r->dim[i], &least, &most);
        if (i < 2 ? poly_compare(l->polys, r->dim[i], v->dim[i]) != POLY_EQUAL : at == 3 && least < 2)
            return false;
    }
    return true;
}

static bool call_operator(Lower *l, const Resizing *r, Value *v)
{
    const bool is_nearest = strcmp(r->mode, "nearest") == 0;
    const Poly *of_x[4], *dim[LOWER_MAX_RANK];
    Access X;
    int rank;
    if (!lower_images_in(l, v, &X, of_x))
        return false;
    Step s = { .op = is_nearest ? "resize_nearest" : "resize_bilinear", .naxis = 4, .axis = { "n", "p", "q", "c" } };
    const Poly *of_y[4] = { of_x[0], v->rank == 4 ? r->dim[2] : number(l, 1), r->dim[v->rank - 1], of_x[3] };
    step_extent(&s, "N", of_x[0]);
    step_extent(&s, "C", of_x[3]);
    step_extent(&s, "H", of_x[1]);
    step_extent(&s, "W", of_x[2]);
    step_extent(&s, "P", of_y[1]);
    step_extent(&s, "Q", of_y[2]);
    step_extent(&s, "COORDINATES", number(l, position(coordinates, r->where) % 3));
    if (is_nearest)
        step_extent(&s, "ROUNDING", number(l, position(roundings, r->round)));
    step_operand(&s, "X", &X, of_x);
    const Elem *x = lower_images_out(l, &s, v, of_y, &rank, dim);
    return lower_give(l, 0, v->type, rank, dim, x);
}

static bool lower_resize(Lower *l, const NetNode *n)
{
    static const char *const modes[] = { "nearest", "linear", "cubic", NULL };
    const bool is_old = strcmp(n->op, "Upsample") == 0;
    Resizing r = {
        .mode = onnx_string(n->onnx, "mode", "nearest"),
        .where = onnx_string(n->onnx, "coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel"),
        .round = onnx_string(n->onnx, "nearest_mode", is_old ? "floor" : "round_prefer_floor"),
    };
    if (!lower_has_reals(l, 1))
        return false;
    Value *v = &l->value[n->input[0]];
    if (position(modes, r.mode) < 0)
        return lower_error(l, "the mode '%s' is not supported; nearest, linear and cubic are", r.mode);
    if (position(coordinates, r.where) < 0 || position(roundings, r.round) < 0)
        return lower_error(l, "'%s' with '%s' is not supported", r.where, r.round);
    if (!read_sizes(l, v, &r) || !read_part(l, v, &r))
        return false;
    return is_of_operator(l, &r, v) ? call_operator(l, &r, v) : resize_axes(l, &r, v);
}

const LowerRow lower_resizes[] = {
    { "Resize", lower_resize, 0, NULL },
    { "Upsample", lower_resize, 0, NULL },
    { NULL, NULL, 0, NULL },
};
