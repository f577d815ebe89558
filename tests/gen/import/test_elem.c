/* SPDX-License-Identifier: Apache-2.0
 *
 * elem: equal expressions are one; what is known is worked out; functions are found in whatever order exporters write
 * their factors; other values in the place of places leave a row's own place alone; and an expression has the value
 * that its making says, whatever became of it.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "gen/import/elem.h"
#include "tests/arena.h"
#include "tests/near.h"

static Polys *polys;
static Elems *elems;
static int dim_t, row, column, along; /* T; places below T, below 5, and below 5 along rows */

static int setup_elems(void **state)
{
    setup(state);
    polys = polys_new(arena);
    elems = elems_new(arena, polys);
    dim_t = polys_dim(polys, "T", 1, 64);
    row = polys_place(polys, "row", poly_dim(polys, dim_t));
    column = polys_place(polys, "column", poly_number(polys, 5));
    along = polys_place(polys, "along", poly_number(polys, 5));
    return 0;
}

static const Elem *number(double value) { return elem_number(elems, value); }
static const Elem *whole(int64_t value) { return elem_int(elems, value); }
static const Elem *place(int dim) { return elem_place(elems, dim); }
static const Elem *load(int memory, const Elem *i, const Elem *k)
{
    return elem_load(elems, memory, ELEM_REAL, 2, (const Elem *[]){ i, k });
}
static const Elem *x_of(void) { return load(0, place(row), place(column)); }
static const Elem *sum(const Elem *value)
{
    return elem_row(elems, "sum", along, poly_number(polys, 5), NULL, value, NULL);
}
static const Elem *add(const Elem *x, const Elem *y) { return ELEM(elems, "+", x, y); }
static const Elem *times(const Elem *x, const Elem *y) { return ELEM(elems, "*", x, y); }

static const Elem *replaced(const Elem *x, int of, const Elem *by) { return elem_replace(elems, x, 1, &of, &by); }

/* ---- one form ---- */

TEST(equal_expressions_are_one)
{
    const Elem *x = x_of();
    assert_ptr_equal(x, x_of());
    assert_ptr_equal(add(x, number(2)), add(x_of(), number(2)));
    assert_ptr_equal(sum(load(0, place(row), place(along))), sum(load(0, place(row), place(along))));
    assert_ptr_not_equal(x, load(1, place(row), place(column)));
    assert_ptr_not_equal(x, load(0, place(row), place(along)));
    assert_ptr_not_equal(ELEM(elems, "-", x, number(2)), ELEM(elems, "-", number(2), x));
    assert_ptr_not_equal(number(0), number(-0.0)); /* 1 / x tells them apart */
    assert_ptr_not_equal(elem_truth(elems, true), number(1));
    /* sizes have one form, whatever they are made of */
    const Poly *t = poly_dim(polys, dim_t);
    assert_ptr_equal(elem_size(elems, poly_add(polys, t, t)), times(whole(2), elem_size(elems, t)));
}

TEST(what_is_known_is_worked_out)
{
    const Elem *x = x_of();
    double value;
    int64_t n;
    assert_ptr_equal(add(x, number(0)), x);
    assert_ptr_equal(add(number(0), x), x);
    assert_ptr_equal(times(x, number(1)), x);
    assert_ptr_equal(times(number(1), x), x);
    assert_ptr_equal(ELEM(elems, "-", x, number(0)), x);
    assert_ptr_equal(ELEM(elems, "/", x, number(1)), x);
    assert_ptr_equal(ELEM(elems, "pow", x, number(2)), times(x, x));
    assert_ptr_equal(ELEM(elems, "pow", x, number(0.5)), ELEM(elems, "sqrt", x));
    assert_ptr_equal(ELEM(elems, "/", x, ELEM(elems, "sqrt", x)), times(x, ELEM(elems, "rsqrt", x)));
    assert_ptr_equal(ELEM(elems, "?", elem_truth(elems, true), x, number(3)), x);
    assert_ptr_equal(ELEM(elems, "?", elem_truth(elems, false), x, number(3)), number(3));
    assert_ptr_equal(ELEM(elems, "?", ELEM(elems, "<", x, number(0)), x, x), x);
    assert_true(elem_is_number(ELEM(elems, "exp", number(1)), &value));
    assert_near(value, exp(1));
    assert_true(elem_is_whole(ELEM(elems, "div", whole(-7), whole(2)), &n));
    assert_int_equal(n, -3);
    assert_true(elem_is_whole(elem_as(elems, number(2.9), ELEM_INT), &n));
    assert_int_equal(n, 2);
    assert_true(elem_is_number(ELEM(elems, "<", place(column), whole(5)), &value)); /* a place is below its size */
    assert_true(value == 1);
    const Elem *test = ELEM(elems, "<", x, number(0));
    assert_ptr_equal(ELEM(elems, "&&", test, elem_truth(elems, true)), test);
    assert_ptr_equal(ELEM(elems, "||", elem_truth(elems, false), test), test);
    assert_ptr_equal(ELEM(elems, "!", ELEM(elems, "!", test)), test);
}

TEST(types_are_settled_as_formulas_do)
{
    const Elem *x = x_of(), *test = ELEM(elems, "<", x, number(0));
    assert_int_equal(test->type, ELEM_TRUTH);
    assert_int_equal(add(x, place(row))->type, ELEM_REAL);
    assert_int_equal(add(place(row), whole(1))->type, ELEM_INT);
    assert_int_equal(add(test, whole(1))->type, ELEM_INT);
    assert_int_equal(ELEM(elems, "/", place(row), whole(2))->type, ELEM_REAL);
    assert_int_equal(ELEM(elems, "?", test, whole(1), x)->type, ELEM_REAL);
    assert_int_equal(ELEM(elems, "&&", x, test)->type, ELEM_TRUTH);
}

TEST(whole_numbers_seen_as_real_ones_and_back)
{
    const Elem *x = x_of(), *id = elem_load(elems, 1, ELEM_INT, 1, (const Elem *[]){ place(row) });
    const Elem *real = elem_as(elems, id, ELEM_REAL);
    assert_ptr_equal(elem_as(elems, elem_as(elems, x, ELEM_INT), ELEM_REAL), ELEM(elems, "trunc", x));
    assert_ptr_equal(ELEM(elems, "real", id), real); /* not twice, whatever is replaced in it */
    assert_ptr_equal(replaced(replaced(real, row, place(column)), column, place(row)), real);
}

TEST(what_cannot_be_said_is_nothing)
{
    assert_null(ELEM(elems, "no such", x_of()));
    assert_null(ELEM(elems, "+", x_of(), NULL));
    assert_null(sum(NULL));
    assert_null(elem_size(elems, NULL));
    const Elem *x = x_of();
    for (int i = 0; i < 60 && x; i++) /* twice as large each time */
        x = add(x, x);
    assert_null(x);
}

/* ---- forms with a name ---- */

static bool is_of(const Elem *x, const char *op, const Elem *arg)
{
    return x && x->kind == ELEM_APPLY && strcmp(x->op, op) == 0 && x->arg[0] == arg;
}

/* x erf(..) as 1 + erf(x / sqrt 2), in the ways that exporters write it. */
static const Elem *one_plus_erf(const Elem *x, int way)
{
    const Elem *scaled =
        way & 1 ? times(x, number(M_SQRT1_2)) : ELEM(elems, "/", x, number(way & 2 ? (double)(float)M_SQRT2 : M_SQRT2));
    const Elem *erf_of = ELEM(elems, "erf", way & 2 && way & 1 ? times(number(M_SQRT1_2), x) : scaled);
    return way & 4 ? add(number(1), erf_of) : add(erf_of, number(1));
}

/* All products of three factors, as (a b) c and a (b c). */
static const Elem *product(const Elem *const *factor, int order, bool right)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    const Elem *a = factor[orders[order][0]], *b = factor[orders[order][1]], *c = factor[orders[order][2]];
    return right ? times(a, times(b, c)) : times(times(a, b), c);
}

TEST(gelu_in_every_order)
{
    const Elem *x = x_of();
    for (int way = 0; way < 8; way++)
        for (int order = 0; order < 12; order++) {
            const Elem *factor[] = { x, number(0.5), one_plus_erf(x, way) };
            assert_true(is_of(product(factor, order % 6, order < 6), "gelu", x));
        }
    const Elem *halved[] = { ELEM(elems, "/", x, number(2)), one_plus_erf(x, 0) };
    assert_true(is_of(times(halved[0], halved[1]), "gelu", x));
    assert_true(is_of(times(halved[1], halved[0]), "gelu", x));
    const Elem *biased = add(x, load(1, whole(0), place(column))); /* of a sum too */
    assert_true(is_of(times(times(biased, one_plus_erf(biased, 0)), number(0.5)), "gelu", biased));
    const Elem *y = load(1, place(row), place(column));
    assert_false(is_of(times(times(number(0.5), y), one_plus_erf(x, 0)), "gelu", y)); /* of two values it is none */
    const Elem *other = times(x, add(number(2), ELEM(elems, "erf", times(x, number(M_SQRT1_2)))));
    assert_false(is_of(times(other, number(0.5)), "gelu", x));
}

TEST(gelu_by_tanh_in_every_order)
{
    const Elem *x = x_of();
    const Elem *cubes[] = { ELEM(elems, "pow", x, number(3)), times(x, times(x, x)), times(times(x, x), x) };
    for (int cube = 0; cube < 3; cube++)
        for (int way = 0; way < 8; way++)
            for (int order = 0; order < 12; order++) {
                const Elem *c = number(0.044715), *s = number((double)sqrtf(2 / (float)M_PI));
                const Elem *cubic = way & 1 ? times(c, cubes[cube]) : times(cubes[cube], c);
                const Elem *inner = way & 2 ? add(x, cubic) : add(cubic, x);
                const Elem *t = ELEM(elems, "tanh", way & 4 ? times(s, inner) : times(inner, s));
                const Elem *factor[] = { x, number(0.5), order & 1 ? add(t, number(1)) : add(number(1), t) };
                assert_true(is_of(product(factor, order % 6, order < 6), "gelu_tanh", x));
            }
}

TEST(silu_in_both_orders)
{
    const Elem *x = x_of(), *s = ELEM(elems, "sigmoid", x), *y = load(1, place(row), place(column));
    assert_true(is_of(times(x, s), "silu", x));
    assert_true(is_of(times(s, x), "silu", x));
    assert_ptr_equal(times(times(x, y), s), times(ELEM(elems, "silu", x), y)); /* among other factors */
    assert_false(is_of(times(y, s), "silu", y));
}

TEST(what_is_less_its_mean_is_centred)
{
    const Elem *x = x_of(), *inside = load(0, place(row), place(along));
    const Elem *mean = elem_row(elems, "mean", along, poly_number(polys, 5), NULL, inside, NULL);
    const Elem *centred = ELEM(elems, "-", x, mean);
    assert_int_equal(centred->kind, ELEM_ROW);
    assert_string_equal(centred->op, "centre");
    assert_ptr_equal(centred->at, place(column));
    const Elem *other = ELEM(elems, "-", load(1, place(row), place(column)), mean);
    assert_int_equal(other->kind, ELEM_APPLY);
}

/* ---- values ---- */

static double element(int memory, int64_t i, int64_t k) { return sin((double)(i * 17 + k * 5 + memory * 3 + 1)) * 2; }

static bool load_element(void *ctx, int memory, const int64_t *index, int n, double *value)
{
    assert_int_equal(n, 2);
    *value = element(memory, index[0], index[1]);
    return true;
}

enum { NDIM_ROOM = 64 };

/* The value at T = 9 and these places. */
static double value_at(const Elem *x, int64_t i, int64_t k)
{
    int64_t dims[NDIM_ROOM] = { 0 };
    double value;
    assert_non_null(x);
    assert_true(polys_ndim(polys) <= NDIM_ROOM);
    dims[dim_t] = 9;
    dims[row] = i;
    dims[column] = k;
    assert_true(elem_at(elems, x, dims, load_element, NULL, &value));
    return value;
}

TEST(a_variance_is_that_of_what_is_centred)
{
    const Poly *five = poly_number(polys, 5);
    const Elem *x = load(0, place(row), place(along));
    const Elem *mean = elem_row(elems, "mean", along, five, NULL, x, NULL);
    const Elem *squares = elem_row(elems, "mean", along, five, NULL, times(x, x), NULL);
    const Elem *off = elem_row(elems, "centre", along, five, place(along), x, NULL);
    assert_ptr_equal(ELEM(elems, "-", squares, times(mean, mean)),
                     elem_row(elems, "mean", along, five, NULL, times(off, off), NULL));
    const Elem *other = ELEM(elems, "-", squares, times(mean, squares));
    assert_string_equal(other->op, "-");
}

TEST(places_are_replaced)
{
    const Elem *x = x_of();
    assert_ptr_equal(replaced(x, row, whole(3)), load(0, whole(3), place(column)));
    assert_ptr_equal(replaced(x, dim_t, whole(3)), x);
    int two[] = { row, column }; /* both at once: they change places */
    const Elem *by[] = { place(column), place(row) };
    assert_ptr_equal(elem_replace(elems, x, 2, two, by), load(0, place(column), place(row)));
    /* by what is no size: an index that is read */
    const Elem *id = elem_load(elems, 2, ELEM_INT, 2, (const Elem *[]){ place(row), whole(0) });
    const Elem *gathered = replaced(load(0, add(times(place(row), whole(2)), whole(1)), place(column)), row, id);
    assert_ptr_equal(gathered, load(0, add(times(whole(2), id), whole(1)), place(column)));
}

TEST(a_row_keeps_its_own_place)
{
    const Elem *inside = load(0, place(row), place(along)), *x = sum(inside);
    double direct = 0, diagonal = 0;
    assert_ptr_equal(replaced(x, along, whole(2)), x); /* that of outside is another one */
    assert_ptr_equal(replaced(x, row, whole(3)), sum(load(0, whole(3), place(along))));
    assert_true(elem_uses(elems, x, row));
    assert_false(elem_uses(elems, x, along));
    for (int k = 0; k < 5; k++) {
        direct += element(0, 4, k);
        for (int i = 0; i < 5; i++)
            diagonal += element(0, i, k);
    }
    assert_near(value_at(x, 4, 0), direct);
    /* one that comes in from outside is not taken for it: the sum of all, not of a diagonal */
    const Elem *moved = replaced(x, row, place(along));
    assert_true(elem_uses(elems, moved, along));
    assert_near(value_at(sum(moved), 0, 0), diagonal);
}

TEST(rows_have_values)
{
    const Elem *inside = load(0, place(row), place(along));
    static const char *const op[] = { "sum", "mean", "max", "min", "argmax" };
    double is[5] = { 0, 0, -9, 9, 0 };
    for (int k = 0; k < 5; k++) {
        const double v = element(0, 2, k);
        is[4] = v > is[2] ? k : is[4];
        is[0] += v;
        is[1] += v / 5;
        is[2] = fmax(is[2], v);
        is[3] = fmin(is[3], v);
    }
    for (int i = 0; i < 5; i++)
        assert_near(value_at(elem_row(elems, op[i], along, poly_number(polys, 5), NULL, inside, NULL), 2, 0), is[i]);
}

/* ---- whole numbers ---- */

TEST(places_that_count_from_the_end)
{
    const Poly *nine = poly_number(polys, 9), *eight = poly_number(polys, 8);
    const Elem *at = elem_load(elems, 7, ELEM_INT, 1, (const Elem *[]){ place(row) });
    const Elem *from_zero = elem_wrap(elems, at, nine);
    assert_ptr_equal(elem_wrapped(elems, from_zero, nine), at);
    assert_null(elem_wrapped(elems, from_zero, eight));
    assert_null(elem_wrapped(elems, at, nine));
    assert_ptr_equal(elem_wrap(elems, whole(-2), nine), whole(7)); /* what is known is worked out */
    assert_ptr_equal(elem_wrap(elems, whole(2), nine), whole(2));
}

TEST(what_stays_whole)
{
    const Elem *at = elem_load(elems, 7, ELEM_INT, 1, (const Elem *[]){ place(row) }), *x = x_of();
    const Elem *best = elem_row(elems, "argmax", column, poly_number(polys, 5), NULL, x, NULL);
    assert_true(elem_stays_whole(at) && elem_stays_whole(best) && elem_stays_whole(whole(3)));
    assert_true(elem_stays_whole(ELEM(elems, "?", ELEM(elems, "<", x, number(0)), add(at, whole(1)), best)));
    assert_false(elem_stays_whole(elem_as(elems, x, ELEM_INT)));
    assert_false(elem_stays_whole(add(at, elem_as(elems, x, ELEM_INT))));
    assert_false(elem_stays_whole(ELEM(elems, "<", x, number(0))) || elem_stays_whole(x));
}

/* ---- random ones ---- */

/* An expression, and what it is worth at a place, worked out as it was made. */
typedef struct {
    const Elem *elem;
    double value;
} Made;

static Made leaf(Rng *r, int64_t i, int64_t k)
{
    static const double constant[] = { 0, 1, -1, 0.5, 2, 3, M_SQRT1_2, 1e-3 };
    switch (rng_below(r, 4)) {
    case 0:
        return (Made){ x_of(), element(0, i, k) };
    case 1:
        return (Made){ load(1, place(column), whole(2)), element(1, k, 2) };
    case 2:
        return (Made){ elem_as(elems, add(place(row), times(whole(3), place(column))), ELEM_REAL),
                       (double)(i + 3 * k) };
    default: {
        const double value = constant[rng_below(r, 8)];
        return (Made){ number(value), value };
    }
    }
}

static Made grow(Rng *r, int depth, int64_t i, int64_t k)
{
    const Made x = depth == 0 || rng_below(r, 8) == 0 ? leaf(r, i, k) : grow(r, depth - 1, i, k);
    if (depth == 0)
        return x;
    const Made y = grow(r, rng_below(r, 3) ? 0 : depth - 1, i, k), z = leaf(r, i, k);
    const double a = x.value, b = y.value;
    switch (rng_below(r, 12)) {
    case 0:
    case 1:
        return (Made){ add(x.elem, y.elem), a + b };
    case 2:
        return (Made){ ELEM(elems, "-", x.elem, y.elem), a - b };
    case 3:
    case 4:
        return (Made){ times(x.elem, y.elem), a * b };
    case 5:
        return (Made){ ELEM(elems, "max", x.elem, y.elem), fmax(a, b) };
    case 6:
        return (Made){ ELEM(elems, "?", ELEM(elems, "<", x.elem, y.elem), z.elem, x.elem), a < b ? z.value : a };
    case 7:
        return (Made){ times(x.elem, ELEM(elems, "sigmoid", x.elem)), a / (1 + exp(-a)) };
    case 8:
        return (Made){ times(times(one_plus_erf(x.elem, (int)rng_below(r, 8)), number(0.5)), x.elem),
                       a * erfc(-a * M_SQRT1_2) / 2 };
    case 9:
        return (Made){ ELEM(elems, "abs", ELEM(elems, "neg", x.elem)), fabs(a) };
    case 10:
        return (Made){ ELEM(elems, "/", x.elem, ELEM(elems, "sqrt", add(times(y.elem, y.elem), number(1)))),
                       a / sqrt(b * b + 1) };
    default:
        return (Made){ ELEM(elems, "tanh", x.elem), tanh(a) };
    }
}

TEST(random_expressions_have_the_value_of_their_making)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Rng r = { seed };
        const int64_t i = rng_below(&r, 9), k = rng_below(&r, 5);
        const Made made = grow(&r, 6, i, k);
        const double value = value_at(made.elem, i, k);
        /* large sums cancel: what they may be off by is not worked out here */
        const double size = fmax(fabs(value), fabs(made.value));
        if (size < 1e6 && !(fabs(value - made.value) <= 1e-5 * fmax(1, size)))
            fail_msg("seed %llu: %.17g, not %.17g", (unsigned long long)seed, value, made.value);
        /* with places as numbers it is known, or the same */
        const int two[] = { row, column };
        const Elem *by[] = { whole(i), whole(k) };
        const Elem *there = elem_replace(elems, made.elem, 2, two, by);
        if (size < 1e6)
            assert_true(fabs(value_at(there, 0, 0) - value) <= 1e-9 * fmax(1, size));
    }
}

TEST_EACH(setup_elems, teardown)
