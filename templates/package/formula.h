/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The formula of a function in double precision, behind the definition of its operator, whose functions have other names by then.
 *
 * Each value comes with a bound: what it would change by if all that was rounded on the way changed by its whole magnitude. A result may be off by
 * a small part of its bound (search/runner/abi.h). Where a sum or a product on the way is beyond the floats, what comes of it depends on the order in
 * which it is computed: its bound is infinite, and any result is right. What is infinite or no number since operands are is exact. */
#endif

/* ---- FORMULA ---- */

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#if NSUM > 1
#include <stdlib.h>
#endif

typedef struct {
    double value, bound;
} dcgen_value;

/* Of a comparison; unsure: rounding may turn it. */
typedef struct {
    bool value, unsure;
} dcgen_truth;

#if HAS_OPERATOR == 0
/* Rounded operations behind an element: at most those of a sum along a row. */
int64_t dcgen_reference_terms(const int64_t *extent)
{
    return extent[ROW_PLACE] + 1;
}

#endif
/* The part of a bound that a result may be off by, roughly: gen/spec/dtype.c says it exactly. */
static double dcgen_part(const int64_t *extent)
{
    const double root = sqrt((double)dcgen_reference_terms(extent));
#if HAS_ACCURACY
    return dcgen_reference_accuracy * (EPS_SUMS * (4 * root + 8) + EPS_INPUTS * fmin(2, 12 / root));
#else
    return EPS_SUMS * (4 * root + 8) + EPS_INPUTS * fmin(2, 12 / root);
#endif
}

/* A value of a type whose largest number is `most`: beyond that it is infinite. */
DCGEN_INLINE dcgen_value dcgen_limited(double value, double bound, double most)
{
    return (dcgen_value){ fabs(value) > most ? copysign((double)INFINITY, value) : value, bound };
}

/* A value that was rounded. Denormal ones are as coarse as the least number that is not. */
DCGEN_INLINE dcgen_value dcgen_rounded(double value, double bound)
{
    const dcgen_value v = dcgen_limited(value, bound, FLT_MAX);
    return (dcgen_value){ v.value, bound + (v.value == 0 || !isfinite(v.value) ? 0 : fmax(fabs(v.value), FLT_MIN)) };
}

/* Gives a result. A value that is not determined is told as 0, as the distance from an infinity says nothing. */
DCGEN_INLINE void dcgen_give(dcgen_value v, double *y, double *bound)
{
    *y = isinf(v.bound) && !isfinite(v.value) ? 0 : v.value;
    *bound = v.bound;
}

/* A sum or a product, which is not determined beyond the floats. */
DCGEN_INLINE dcgen_value dcgen_finite(double value, double bound)
{
    return dcgen_rounded(value, isfinite(value) && fabs(value) > FLT_MAX ? (double)INFINITY : bound);
}

/* What a bound becomes where a function is so steep. What is exact remains so, what is not determined too. */
DCGEN_INLINE double dcgen_steep(double slope, double bound)
{
    return bound == 0 || (isnan(slope) && isfinite(bound)) ? 0 : isinf(bound) ? (double)INFINITY : fabs(slope) * bound;
}

DCGEN_INLINE dcgen_value dcgen_element(dcgen_format format, const void *from, int64_t i) { return (dcgen_value){ dcgen_load(format, from, i), 0 }; }
DCGEN_INLINE dcgen_value dcgen_number(double v) { return dcgen_rounded(v, 0); }
DCGEN_INLINE dcgen_value dcgen_add(dcgen_value a, dcgen_value b) { return dcgen_finite(a.value + b.value, a.bound + b.bound); }
DCGEN_INLINE dcgen_value dcgen_sub(dcgen_value a, dcgen_value b) { return dcgen_finite(a.value - b.value, a.bound + b.bound); }
DCGEN_INLINE dcgen_value dcgen_neg(dcgen_value a) { return (dcgen_value){ -a.value, a.bound }; }
DCGEN_INLINE dcgen_value dcgen_abs(dcgen_value a) { return (dcgen_value){ fabs(a.value), a.bound }; }

DCGEN_INLINE dcgen_value dcgen_mul(dcgen_value a, dcgen_value b)
{
    return dcgen_finite(a.value * b.value, dcgen_steep(a.value, b.bound) + dcgen_steep(b.value, a.bound));
}

DCGEN_INLINE dcgen_value dcgen_div(dcgen_value a, dcgen_value b)
{
    const double v = a.value / b.value;
    return dcgen_rounded(v, dcgen_steep(1 / b.value, a.bound + dcgen_steep(v, b.bound)));
}

/* As kernels have them: of a number and a NaN the first one. */
DCGEN_INLINE dcgen_value dcgen_min(dcgen_value a, dcgen_value b)
{
    return (dcgen_value){ b.value < a.value ? b.value : a.value, fmax(a.bound, b.bound) };
}

DCGEN_INLINE dcgen_value dcgen_max(dcgen_value a, dcgen_value b)
{
    return (dcgen_value){ a.value < b.value ? b.value : a.value, fmax(a.bound, b.bound) };
}

/* Functions: a bound counts as much as the function is steep. */
DCGEN_INLINE dcgen_value dcgen_sqrt(dcgen_value a)
{
    const double v = sqrt(a.value);
    return dcgen_rounded(v, dcgen_steep(0.5 / v, a.bound));
}

DCGEN_INLINE dcgen_value dcgen_rsqrt(dcgen_value a)
{
    const double v = 1 / sqrt(a.value);
    return dcgen_rounded(v, dcgen_steep(v * v * v / 2, a.bound));
}

DCGEN_INLINE dcgen_value dcgen_exp(dcgen_value a)
{
    const double v = exp(a.value);
    return dcgen_rounded(v, dcgen_steep(v, a.bound));
}

DCGEN_INLINE dcgen_value dcgen_log(dcgen_value a) { return dcgen_rounded(log(a.value), dcgen_steep(1 / a.value, a.bound)); }

DCGEN_INLINE dcgen_value dcgen_tanh(dcgen_value a)
{
    const double v = tanh(a.value);
    return dcgen_rounded(v, dcgen_steep(1 - v * v, a.bound));
}

DCGEN_INLINE dcgen_value dcgen_erf(dcgen_value a) { return dcgen_rounded(erf(a.value), 1.13 * a.bound); }

DCGEN_INLINE dcgen_value dcgen_sigmoid(dcgen_value a) { return dcgen_rounded(1 / (1 + exp(-a.value)), a.bound / 4); }

/* Those that go to 0 for large negative numbers, infinite ones too, may be off by 1e-7 there. x: the number, part: what it is multiplied by. */
DCGEN_INLINE dcgen_value dcgen_fading(double x, double part, double bound)
{
    return dcgen_rounded(isinf(x) && x < 0 ? 0 : x * part, bound + 0.14);
}

DCGEN_INLINE dcgen_value dcgen_silu(dcgen_value a) { return dcgen_fading(a.value, 1 / (1 + exp(-a.value)), 1.1 * a.bound); }

DCGEN_INLINE dcgen_value dcgen_gelu(dcgen_value a)
{
    return dcgen_fading(a.value, erfc(-a.value * 0.70710678118654752440) / 2, 1.13 * a.bound);
}

DCGEN_INLINE dcgen_value dcgen_gelu_tanh(dcgen_value a)
{
    const double x = a.value;
    return dcgen_fading(x, (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))) / 2, 1.13 * a.bound);
}

DCGEN_INLINE dcgen_value dcgen_sin(dcgen_value a) { return dcgen_rounded(sin(a.value), a.bound); }
DCGEN_INLINE dcgen_value dcgen_cos(dcgen_value a) { return dcgen_rounded(cos(a.value), a.bound); }

DCGEN_INLINE dcgen_value dcgen_pow(dcgen_value a, dcgen_value b)
{
    const double v = pow(a.value, b.value);
    return dcgen_rounded(v, dcgen_steep(v * b.value / a.value, a.bound) + dcgen_steep(v * log(fabs(a.value)), b.bound));
}

/* Rounded to a whole number, as `to` does: by one more or less, where what is rounded may be on either side of a step. */
DCGEN_INLINE dcgen_value dcgen_stepped(dcgen_value a, double to(double), double part)
{
    const double off = part * a.bound, v = to(a.value), steps = a.bound > 0 ? to(a.value + off) - to(a.value - off) : 0;
    return (dcgen_value){ v, isfinite(v) && steps > 0 ? steps / part : isinf(a.bound) ? a.bound : 0 };
}

#define dcgen_floor(a) dcgen_stepped(a, floor, part)
#define dcgen_ceil(a) dcgen_stepped(a, ceil, part)
#define dcgen_trunc(a) dcgen_stepped(a, trunc, part)
#define dcgen_round(a) dcgen_stepped(a, nearbyint, part)

/* As an integer of 32 bits. Of what may be beyond them as it is rounded, and of NaN, any is right. */
DCGEN_INLINE dcgen_value dcgen_within(dcgen_value a, double part)
{
    return fabs(a.value) * (1 + 0x1p-23) + part * a.bound < 0x1p31 ? a : (dcgen_value){ 0, (double)INFINITY };
}

#define dcgen_whole(a) dcgen_within(a, part)

/* Rounded to a type of so many bits of mantissa: by one bit more or less, where what is rounded may be off. */
DCGEN_INLINE dcgen_value dcgen_coarse(dcgen_value a, int bits, int least, double most)
{
    int e = 0;
    frexp(a.value, &e);
    const double unit = ldexp(1, (e < least ? least : e) - 1 - bits), v = nearbyint(a.value / unit) * unit;
    return dcgen_limited(v, a.bound > 0 ? a.bound + unit / (12 * EPS_SUMS) : 0, most);
}

DCGEN_INLINE dcgen_value dcgen_f16(dcgen_value a) { return dcgen_coarse(a, 10, -13, 65504); }
DCGEN_INLINE dcgen_value dcgen_bf16(dcgen_value a) { return dcgen_coarse(a, 7, -125, FLT_MAX); }

/* Comparisons. */
/* value: what a op b is; rounding may turn it where both are near. */
DCGEN_INLINE dcgen_truth dcgen_compared(bool value, dcgen_value a, dcgen_value b, double part)
{
    return (dcgen_truth){ value, fabs(a.value - b.value) <= part * (a.bound + b.bound) && a.bound + b.bound > 0 };
}

DCGEN_INLINE dcgen_truth dcgen_less(dcgen_value a, dcgen_value b, double part) { return dcgen_compared(a.value < b.value, a, b, part); }
DCGEN_INLINE dcgen_truth dcgen_most(dcgen_value a, dcgen_value b, double part) { return dcgen_compared(a.value <= b.value, a, b, part); }
DCGEN_INLINE dcgen_truth dcgen_equal(dcgen_value a, dcgen_value b, double part) { return dcgen_compared(a.value == b.value, a, b, part); }
DCGEN_INLINE dcgen_truth dcgen_not(dcgen_truth a) { return (dcgen_truth){ !a.value, a.unsure }; }

/* Macros of what is written once: nested ones would grow beyond measure. */
#define dcgen_lt(a, b) dcgen_less(a, b, part)
#define dcgen_le(a, b) dcgen_most(a, b, part)
#define dcgen_gt(a, b) dcgen_less(b, a, part)
#define dcgen_ge(a, b) dcgen_most(b, a, part)
#define dcgen_eq(a, b) dcgen_equal(a, b, part)
#define dcgen_ne(a, b) dcgen_not(dcgen_equal(a, b, part))
DCGEN_INLINE dcgen_truth dcgen_sure(bool value) { return (dcgen_truth){ value, false }; }

DCGEN_INLINE dcgen_truth dcgen_and(dcgen_truth a, dcgen_truth b)
{
    return (dcgen_truth){ a.value && b.value, (a.unsure && (b.value || b.unsure)) || (b.unsure && a.value) };
}

DCGEN_INLINE dcgen_truth dcgen_or(dcgen_truth a, dcgen_truth b) { return dcgen_not(dcgen_and(dcgen_not(a), dcgen_not(b))); }

DCGEN_INLINE dcgen_value dcgen_chosen(dcgen_truth c, dcgen_value a, dcgen_value b, double part)
{
    const dcgen_value v = c.value ? a : b;
    return c.unsure ? (dcgen_value){ v.value, fmax(a.bound, b.bound) + fabs(a.value - b.value) / part } : v;
}

#define dcgen_choose(c, a, b) dcgen_chosen(c, a, b, part)

#if HAS_OPERATOR == 0
/* A sum so far, and one more value. Beyond the floats it is not determined, nor is one whose parts may be. */
DCGEN_INLINE dcgen_value dcgen_sum(dcgen_value sum, dcgen_value v)
{
    const double bound = sum.bound + v.bound + (isfinite(v.value) ? fabs(v.value) : 0);
    return (dcgen_value){ sum.value + v.value, bound > FLT_MAX ? (double)INFINITY : bound };
}

/* Parts of centre and layernorm (gen/spec/formula_functions.c). How far x is off a place near the mean: what is made of it is the same for any such
 * place, so the mean's own error counts only as far as it makes the distance longer. */
DCGEN_INLINE dcgen_value dcgen_distance(dcgen_value x, dcgen_value mean, double part)
{
    const double d = x.value - mean.value;
    return dcgen_finite(d, x.bound + dcgen_steep(part, mean.bound));
}

#define dcgen_off(x, mean) dcgen_distance(x, mean, part)

/* Of a distance and the mean of all. They differ by less than they are rounded by before. */
DCGEN_INLINE dcgen_value dcgen_centred(dcgen_value d, dcgen_value mean)
{
    return (dcgen_value){ d.value - mean.value, d.bound + mean.bound / 2 };
}

/* Of the mean of the squared distances, and that of the distances. The place may be so far off that its own square counts. */
DCGEN_INLINE dcgen_value dcgen_variance(dcgen_value squares, dcgen_value mean)
{
    return (dcgen_value){ squares.value - mean.value * mean.value, squares.bound + mean.bound * mean.bound / 4 };
}

/* The place of the largest value so far, and one more value at place n. Where two are so close that rounding decides, either may be it. */
typedef struct {
    dcgen_value largest;
    int64_t place;
    bool unsure;
} dcgen_place;

DCGEN_INLINE dcgen_place dcgen_argmax(dcgen_place p, dcgen_value v, int64_t n, double part)
{
    const bool larger = v.value > p.largest.value;
    const bool close = v.bound + p.largest.bound > 0 && fabs(v.value - p.largest.value) <= part * (v.bound + p.largest.bound);
    return larger ? (dcgen_place){ v, n, close } : (dcgen_place){ p.largest, p.place, p.unsure || close };
}

//@ repeat reduced
/* Of the row whose number is `at`. */
static dcgen_value REDUCTION(const int64_t *extent, const void *const *operand, const dcgen_value *r, int64_t at, double part)
{
    const int64_t AXIS = extent[PLACE]; //@ repeat every
//@ repeat outer
#if IS_USED
    const int64_t INDEX = at % ALONG;
#endif
    at /= ALONG;
//@ end
    (void)operand, (void)r, (void)part, (void)at, EACH(every, (void)AXIS);
#if IS_ARGMAX
    dcgen_place all = { { -INFINITY, 0 }, 0, false };
#elif IS_SUM
    dcgen_value all = { 0, 0 };
#elif IS_LEAST
    dcgen_value all = { INFINITY, 0 };
#else
    dcgen_value all = { -INFINITY, 0 };
#endif
    for (int64_t INDEX = 0; INDEX < ALONG; INDEX++) {
//@ statements
#if IS_ARGMAX
        all = dcgen_argmax(all, VALUE, INDEX, part);
    }
    return (dcgen_value){ (double)all.place, all.unsure ? 1e30 : 0 };
#else
        all = OPERATION(all, VALUE);
    }
    return all;
#endif
}

//@ end
#endif
/* The element of the output that lies `at` elements behind its first one. acc: what the operator computed; r: reductions of its row; part:
 * dcgen_part(extent). */
static dcgen_value dcgen_formula(const int64_t *extent, const void *const *operand, EACH(sums, dcgen_value SUM), const dcgen_value *r, int64_t at,
                                 double part)
{
    const int64_t AXIS = extent[PLACE]; //@ repeat every
//@ body
}

void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                          double *y, double *bound)
{
    const int64_t AXIS = extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
    const int64_t elems = ROW_ELEMS;
    const double part = dcgen_part(extent);
#if HAS_OPERATOR
    const void *const own[] = { EACH(own, operand[OWN]) }; /* without those that the formula brings */
#if NSUM > 1
    /* the sums of a row, NSUM for each element, and then their bounds */
    double *sums = malloc((size_t)elems * NSUM * 2 * sizeof *sums), *bounds = sums + elems * NSUM;
    if (!sums && elems > 0)
        abort();
    for (int64_t row = row0; row < row1; row++) {
        dcgen_operator_rows(extent, own, row, row + 1, sums, bounds);
        for (int64_t i = 0; i < elems; i++, y++, bound++) {
            const double *v = sums + i * NSUM, *b = bounds + i * NSUM;
            const dcgen_value SUM = { v[SUM_PLACE], isfinite(v[SUM_PLACE]) ? b[SUM_PLACE] : 0 }; //@ repeat sums
            dcgen_give(dcgen_formula(extent, operand, EACH(sums, SUM), NULL, row * elems + i, part), y, bound);
        }
    }
    free(sums);
#else
    dcgen_operator_rows(extent, own, row0, row1, y, bound);
    for (int64_t i = 0; i < (row1 - row0) * elems; i++) {
        const dcgen_value acc = { y[i], isfinite(y[i]) ? bound[i] : 0 };
        dcgen_give(dcgen_formula(extent, operand, acc, NULL, row0 * elems + i, part), &y[i], &bound[i]);
    }
#endif
#else
    for (int64_t row = row0; row < row1; row++) {
        dcgen_value r[NNODE] = { { 0, 0 } };
        r[NODE] = REDUCTION(extent, operand, r, row, part); //@ repeat reduced
        for (int64_t i = 0; i < elems; i++)
            dcgen_give(dcgen_formula(extent, operand, (dcgen_value){ 0, 0 }, r, row * elems + i, part), y++, bound++);
    }
#endif
}
#if HAS_CHECK

/* The formula is acc times a factor, plus what does not depend on acc: so is the sum of a row. */
void dcgen_reference_check(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                           double *sum, double *bound)
{
    const int64_t AXIS = extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
    const int64_t elems = ROW_ELEMS;
    const double part = dcgen_part(extent);
    const void *const own[] = { EACH(own, operand[OWN]) };
    dcgen_operator_check(extent, own, row0, row1, sum, bound);
    for (int64_t row = row0; row < row1; row++) {
        double factor = 0;
        for (int64_t i = row * elems; i < (row + 1) * elems; i++) {
            const dcgen_value without = dcgen_formula(extent, operand, (dcgen_value){ 0, 0 }, NULL, i, part);
            if (i == row * elems) {
                factor = dcgen_formula(extent, operand, (dcgen_value){ 1, 0 }, NULL, i, part).value - without.value;
                sum[row - row0] *= factor;
                bound[row - row0] *= fabs(factor);
            }
            sum[row - row0] += without.value;
            bound[row - row0] += without.bound + fabs(without.value);
        }
    }
}
#endif
