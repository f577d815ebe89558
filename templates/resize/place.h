/* SPDX-License-Identifier: MIT-0 */
/* The pixels of X, of `size` in a row (or a column), that pixel p of `results` in Y comes from: the place that p stands for is a quotient
 * num / den of integers, between 0 and size - 1. */
typedef struct {
    int64_t first, second; /* for resize_nearest both are the pixel */
    int64_t beyond, den;   /* how far the place is beyond the first one: beyond / den */
} KERNEL_place;

static inline KERNEL_place KERNEL_place_of(const NAME_args *a, int64_t p, int64_t results, int64_t size)
{
    (void)a; /* where attributes are the same in all calls */
    const int64_t corners = results > 1 ? results - 1 : 1;
    const int64_t den = NAME_COORDINATES(a) == 0 ? 2 * results : NAME_COORDINATES(a) == 1 ? results : corners;
    int64_t num = NAME_COORDINATES(a) == 0 ? (2 * p + 1) * size - results : NAME_COORDINATES(a) == 1 ? p * size : p * (size - 1);
    num = num < 0 ? 0 : num < (size - 1) * den ? num : (size - 1) * den;
    KERNEL_place at = { .first = num / den, .beyond = num % den, .den = den };
#if IS_LINEAR
    at.second = at.first + (at.beyond > 0);
#else
    const int64_t rounding = NAME_ROUNDING(a);
    at.first += rounding == 0 ? 2 * at.beyond > den : rounding == 1 ? 0 : rounding == 2 ? 2 * at.beyond >= den : at.beyond > 0;
    at.second = at.first;
#endif
    return at;
}

#if IS_LINEAR
/* What the first and the second pixel are multiplied by. */
static inline float KERNEL_near(const KERNEL_place *at) { return (float)(at->den - at->beyond) / (float)at->den; }
static inline float KERNEL_far(const KERNEL_place *at) { return (float)at->beyond / (float)at->den; }
#endif
