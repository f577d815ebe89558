/* SPDX-License-Identifier: MIT-0 */
/* What integers of a formula may be in a call, by interval arithmetic: each part is made of what its own parts may be. A call is refused for which an
 * index might lie outside of its operand. dcgen asks the same of every declared shape. All that a range is made of must fit 32 bits; what is made of
 * anything else may be anything. */
typedef struct {
    int64_t least, most;
} PACKAGE_int_range;

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_of(int64_t least, int64_t most)
{
    PACKAGE_int_range r;
    r.least = least;
    r.most = most;
    return r;
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_anything(void) { return PACKAGE_range_of(INT64_MIN, INT64_MAX); }
static inline __attribute__((unused)) int PACKAGE_range_fits(PACKAGE_int_range a) { return a.least >= -INT32_MAX && a.most <= INT32_MAX; }
static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_just(int64_t v) { return PACKAGE_range_of(v, v); }
static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_places(int64_t extent) { return PACKAGE_range_of(0, extent > 1 ? extent - 1 : 0); }

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_either(PACKAGE_int_range a, PACKAGE_int_range b)
{
    return PACKAGE_range_of(a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most);
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_sum(PACKAGE_int_range a, PACKAGE_int_range b)
{
    return PACKAGE_range_fits(a) && PACKAGE_range_fits(b) ? PACKAGE_range_of(a.least + b.least, a.most + b.most) : PACKAGE_range_anything();
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_minus(PACKAGE_int_range a)
{
    return PACKAGE_range_fits(a) ? PACKAGE_range_of(-a.most, -a.least) : PACKAGE_range_anything();
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_difference(PACKAGE_int_range a, PACKAGE_int_range b) { return PACKAGE_range_sum(a, PACKAGE_range_minus(b)); }

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_product(PACKAGE_int_range a, PACKAGE_int_range b)
{
    if (!PACKAGE_range_fits(a) || !PACKAGE_range_fits(b))
        return PACKAGE_range_anything();
    return PACKAGE_range_either(PACKAGE_range_either(PACKAGE_range_just(a.least * b.least), PACKAGE_range_just(a.least * b.most)),
                          PACKAGE_range_either(PACKAGE_range_just(a.most * b.least), PACKAGE_range_just(a.most * b.most)));
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_smaller(PACKAGE_int_range a, PACKAGE_int_range b)
{
    return PACKAGE_range_of(a.least < b.least ? a.least : b.least, a.most < b.most ? a.most : b.most);
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_larger(PACKAGE_int_range a, PACKAGE_int_range b)
{
    return PACKAGE_range_of(a.least > b.least ? a.least : b.least, a.most > b.most ? a.most : b.most);
}

/* A divisor may be anything above 0. */
static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_quotient(PACKAGE_int_range a, PACKAGE_int_range by)
{
    if (!PACKAGE_range_fits(a) || !PACKAGE_range_fits(by) || by.least < 1)
        return PACKAGE_range_anything();
    return PACKAGE_range_of(a.least / (a.least < 0 ? by.least : by.most), a.most / (a.most < 0 ? by.most : by.least));
}

static inline __attribute__((unused)) PACKAGE_int_range PACKAGE_range_remainder(PACKAGE_int_range a, PACKAGE_int_range by)
{
    if (!PACKAGE_range_fits(a) || !PACKAGE_range_fits(by) || by.least < 1)
        return PACKAGE_range_anything();
    if (a.least >= 0 && by.least == by.most && a.least / by.most == a.most / by.most)
        return PACKAGE_range_of(a.least % by.most, a.most % by.most);
    return PACKAGE_range_of(a.least >= 0 ? 0 : a.least > -by.most ? a.least : 1 - by.most,
                           a.most <= 0 ? 0 : a.most < by.most ? a.most : by.most - 1);
}

/* Does an index that may be these lie in an operand of that extent? */
static inline __attribute__((unused)) int PACKAGE_range_within(PACKAGE_int_range index, int64_t extent)
{
    return extent <= INT32_MAX && index.least >= 0 && index.most < extent;
}

/* Is it known what an index may be? An element that lies outside of its operand has a value of its own. */
static inline __attribute__((unused)) int PACKAGE_range_known(PACKAGE_int_range index, int64_t extent)
{
    return PACKAGE_range_fits(index) && extent >= 0 && extent <= INT32_MAX;
}
