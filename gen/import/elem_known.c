/* SPDX-License-Identifier: Apache-2.0
 *
 * elem_known: applies functions to elements. Constants and sizes are worked out; what exporters write in several nodes
 * becomes the function that it is: x - mean(x) is centre, 0.5 x (1 + erf(x / sqrt 2)) is gelu, x sigmoid(x) is silu.
 */
#include <math.h>
#include <string.h>
#include "gen/import/elem_private.h"

/* ---- functions of numbers ---- */

static double of_div(double x, double y) { return x / y; }
static double of_add(double x, double y) { return x + y; }
static double of_sub(double x, double y) { return x - y; }
static double of_mul(double x, double y) { return x * y; }
static double of_min(double x, double y) { return y < x ? y : x; }
static double of_max(double x, double y) { return x < y ? y : x; }
static double of_less(double x, double y) { return x < y; }
static double of_most(double x, double y) { return x <= y; }
static double of_more(double x, double y) { return x > y; }
static double of_least(double x, double y) { return x >= y; }
static double of_equal(double x, double y) { return x == y; }
static double of_other(double x, double y) { return x != y; }
static double of_and(double x, double y) { return x != 0 && y != 0; }
static double of_or(double x, double y) { return x != 0 || y != 0; }
static double of_div_whole(double x, double y) { return trunc(x / y); }
static double of_not(double x) { return x == 0; }
static double of_rsqrt(double x) { return 1 / sqrt(x); }
static double of_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double of_silu(double x) { return x / (1 + exp(-x)); }
static double of_gelu(double x) { return x * erfc(-x * M_SQRT1_2) / 2; }
static double of_gelu_tanh(double x) { return x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))) / 2; }
static double of_relu(double x) { return x < 0 ? 0 : x; }
static double of_minus(double x) { return -x; }
static double of_same(double x) { return x; }

typedef enum { SAME, REALS, TESTS, LOGIC } Typing; /* as its arguments; real; of numbers, of truths a truth */

typedef struct {
    const char *op;
    Typing typing;
    double (*one)(double x);
    double (*two)(double x, double y);
} Function;

static const Function functions[] = {
    { "+", SAME, NULL, of_add },
    { "-", SAME, NULL, of_sub },
    { "*", SAME, NULL, of_mul },
    { "/", REALS, NULL, of_div },
    { "div", SAME, NULL, of_div_whole },
    { "%", SAME, NULL, fmod },
    { "min", SAME, NULL, of_min },
    { "max", SAME, NULL, of_max },
    { "<", TESTS, NULL, of_less },
    { "<=", TESTS, NULL, of_most },
    { ">", TESTS, NULL, of_more },
    { ">=", TESTS, NULL, of_least },
    { "==", TESTS, NULL, of_equal },
    { "!=", TESTS, NULL, of_other },
    { "&&", LOGIC, NULL, of_and },
    { "||", LOGIC, NULL, of_or },
    { "!", LOGIC, of_not, NULL },
    { "neg", SAME, of_minus, NULL },
    { "abs", SAME, fabs, NULL },
    { "sqrt", REALS, sqrt, NULL },
    { "rsqrt", REALS, of_rsqrt, NULL },
    { "exp", REALS, exp, NULL },
    { "log", REALS, log, NULL },
    { "tanh", REALS, tanh, NULL },
    { "erf", REALS, erf, NULL },
    { "sigmoid", REALS, of_sigmoid, NULL },
    { "silu", REALS, of_silu, NULL },
    { "gelu", REALS, of_gelu, NULL },
    { "gelu_tanh", REALS, of_gelu_tanh, NULL },
    { "relu", REALS, of_relu, NULL },
    { "sin", REALS, sin, NULL },
    { "cos", REALS, cos, NULL },
    { "pow", REALS, NULL, pow },
    { "floor", REALS, floor, NULL },
    { "ceil", REALS, ceil, NULL },
    { "trunc", REALS, trunc, NULL },
    { "round", REALS, nearbyint, NULL },
    { "real", REALS, of_same, NULL },
    { "int", SAME, trunc, NULL },
    { "?", SAME, NULL, NULL },
};

static const Function *find(const char *op) { return names_row(NAMES(functions, LENGTH(functions)), op); }

/* Brings arguments to one type, as formulas do. */
static ElemType settle_types(Elems *e, const Function *f, int n, const Elem **arg)
{
    const int first = strcmp(f->op, "?") == 0;
    ElemType type = f->typing == LOGIC ? ELEM_TRUTH : ELEM_INT;
    bool all_truth = true;
    for (int i = first; i < n; i++) {
        type = arg[i]->type == ELEM_REAL || f->typing == REALS ? ELEM_REAL : type;
        all_truth = all_truth && arg[i]->type == ELEM_TRUTH;
    }
    if (first)
        arg[0] = elem_as(e, arg[0], ELEM_TRUTH);
    if (f->typing == LOGIC || (all_truth && first))
        type = ELEM_TRUTH;
    for (int i = first; i < n; i++)
        arg[i] = elem_as(e, arg[i], type);
    return f->typing == TESTS ? ELEM_TRUTH : type;
}

/* ---- sizes ---- */

static const Elem *of_sizes(Elems *e, const char *op, const Elem *x, const Elem *y)
{
    const Poly *a = elem_as_size(x), *b = elem_as_size(y);
    int64_t value;
    if (!a || !b)
        return NULL;
    const Poly *made = poly_apply(e->polys, strcmp(op, "div") == 0 ? "/" : op, a, b);
    const bool is_test = strchr("<>=!", *op) != NULL;
    if (!made || (is_test && !poly_is_number(made, &value)))
        return NULL;
    return is_test ? elem_truth(e, value != 0) : elem_size(e, made);
}

/* The size of which x is the real number; NULL: it is none. Floats have whole numbers up to 2^24. */
static const Poly *size_of_real(const Elems *e, const Elem *x)
{
    static const int64_t far = 1 << 24;
    const Elem *whole = elem_is_op(x, "real") ? x->arg[0] : NULL;
    const Poly *size = whole ? elem_as_size(whole)
                       : x->kind == ELEM_NUMBER && fabs(x->number) <= (double)far && x->number == trunc(x->number)
                           ? poly_number(e->polys, (int64_t)x->number)
                           : NULL;
    int64_t least, most;
    poly_range(e->polys, size, &least, &most);
    return least >= -far && most <= far ? size : NULL;
}

/* Sums and products of real numbers that are sizes. Products of two places are none that formulas have. */
static const Elem *of_real_sizes(Elems *e, const char *op, const Elem *x, const Elem *y)
{
    const Poly *a = size_of_real(e, x), *b = size_of_real(e, y);
    if (!a || !b || !strchr("+-*", *op) ||
        (*op == '*' && poly_uses_places(e->polys, a) && poly_uses_places(e->polys, b)))
        return NULL;
    const Elem *made = elem_as(e, elem_size(e, poly_apply(e->polys, op, a, b)), ELEM_REAL);
    return made && size_of_real(e, made) ? made : NULL;
}

/* Is x the quotient of a size from 0 on and one from 1 on? A factor may be such as 0.75, which is 3 / 4. */
static bool is_quotient(Elems *e, const Elem *x, const Poly **size, const Poly **by)
{
    Polys *p = e->polys;
    int64_t least, least_by, unused, parts = 1;
    double factor;
    if (elem_is_op(x, "/")) {
        const bool turns = elem_is_number(x->arg[1], &factor) && factor < 0;
        const Poly *sign = poly_number(p, turns ? -1 : 1);
        *size = poly_mul(p, size_of_real(e, x->arg[0]), sign);
        *by = poly_mul(p, size_of_real(e, x->arg[1]), sign);
    } else if (elem_is_op(x, "*") && (elem_is_number(x->arg[0], &factor) || elem_is_number(x->arg[1], &factor))) {
        const Elem *other = x->arg[elem_is_number(x->arg[0], &factor)];
        while (parts < 1 << 10 && factor * (double)parts != trunc(factor * (double)parts))
            parts *= 2;
        factor *= (double)parts;
        *by = poly_number(p, parts);
        *size = fabs(factor) < 1 << 20 && factor == trunc(factor)
                    ? poly_mul(p, size_of_real(e, other), poly_number(p, (int64_t)factor))
                    : NULL;
    } else {
        return false;
    }
    poly_range(p, *size, &least, &unused);
    poly_range(p, *by, &least_by, &unused);
    return least >= 0 && least_by > 0;
}

/* A real number without its fraction, or the next whole one above, where that is a size. */
static const Elem *rounded_size(Elems *e, const char *op, const Elem *x)
{
    const Poly *size = size_of_real(e, x), *all, *by;
    const bool is_up = strcmp(op, "ceil") == 0;
    if (strcmp(op, "round") != 0 && !size && is_quotient(e, x, &all, &by))
        size = poly_apply(e->polys, is_up ? "ceil_div" : "/", all, by);
    return size ? elem_as(e, elem_size(e, size), ELEM_REAL) : NULL;
}

const Elem *elem_whole_size(Elems *e, const Elem *x)
{
    const Elem *size = rounded_size(e, "trunc", x);
    const Poly *whole = size ? size_of_real(e, size) : NULL;
    return whole ? elem_size(e, whole) : NULL;
}

/* ---- forms with a name ---- */

static bool is_near(double x, double y) { return fabs(x - y) <= 2e-6 * fabs(y); }

/* The factors of a product: numbers are multiplied. */
typedef struct {
    double number;
    int n;
    const Elem *factor[8];
} Product;

static bool add_factor(Product *p, const Elem *x, bool inverse)
{
    double value;
    if (elem_is_number(x, &value)) {
        p->number *= inverse ? 1 / value : value;
        return true;
    }
    if (elem_is_op(x, "*"))
        return add_factor(p, x->arg[0], inverse) && add_factor(p, x->arg[1], inverse);
    if (elem_is_op(x, "/") && elem_is_number(x->arg[1], &value))
        return add_factor(p, x->arg[0], inverse) && add_factor(p, x->arg[1], !inverse);
    if (inverse || p->n == (int)LENGTH(p->factor))
        return false;
    p->factor[p->n++] = x;
    return true;
}

/* Is x the number c times y? */
static bool is_times(const Elem *x, double c, const Elem *y)
{
    Product p = { .number = 1 }, q = { .number = 1 };
    if (!add_factor(&p, x, false) || !add_factor(&q, y, false) || p.n != q.n || !is_near(p.number / q.number, c))
        return false;
    for (int i = 0; i < p.n; i++)
        if (p.factor[i] != q.factor[i])
            return false;
    return true;
}

/* The argument of f in 1 + f(y); NULL: it is none. */
static const Elem *one_plus(const Elem *x, const char *f)
{
    double value;
    for (int i = 0; i < 2 && elem_is_op(x, "+"); i++)
        if (elem_is_number(x->arg[i], &value) && value == 1 && elem_is_op(x->arg[!i], f))
            return x->arg[!i]->arg[0];
    return NULL;
}

/* Is y = 0.7978845608 (x + 0.044715 x^3)? */
static bool is_gelu_cubic(const Elem *y, const Elem *x)
{
    Product p = { .number = 1 };
    if (!add_factor(&p, y, false) || p.n != 1 || !is_near(p.number, 0.79788456080286535588) ||
        !elem_is_op(p.factor[0], "+"))
        return false;
    for (int i = 0; i < 2; i++) {
        Product cubic = { .number = 1 };
        if (p.factor[0]->arg[i] == x && add_factor(&cubic, p.factor[0]->arg[!i], false) && cubic.n == 3 &&
            is_near(cubic.number, 0.044715) && cubic.factor[0] == x && cubic.factor[1] == x && cubic.factor[2] == x)
            return true;
    }
    return false;
}

/* The function of x that x times another factor is: its name, and in *number what the product is multiplied by then. */
static const char *named_product(const Elem *x, const Elem *other, double *number)
{
    const Elem *y;
    if (elem_is_op(other, "sigmoid") && other->arg[0] == x)
        return "silu";
    if ((y = one_plus(other, "erf")) && is_times(y, M_SQRT1_2, x)) {
        *number *= 2;
        return "gelu";
    }
    if ((y = one_plus(other, "tanh")) && is_gelu_cubic(y, x)) {
        *number *= 2;
        return "gelu_tanh";
    }
    return NULL;
}

/* A product in which a function of one factor is found. NULL: none is. */
static const Elem *named(Elems *e, const Elem *x, const Elem *y)
{
    Product p = { .number = 1 };
    if (!add_factor(&p, x, false) || !add_factor(&p, y, false))
        return NULL;
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.n; k++) {
            double number = p.number;
            const char *name = i == k ? NULL : named_product(p.factor[i], p.factor[k], &number);
            if (!name)
                continue;
            const Elem *made = ELEM(e, name, p.factor[i]);
            for (int other = 0; other < p.n; other++)
                made = other == i || other == k ? made : ELEM(e, "*", made, p.factor[other]);
            return is_near(number, 1) ? made : ELEM(e, "*", made, elem_number(e, number));
        }
    return NULL;
}

/* A number times x, which is a number times something already. NULL: it is not. */
static const Elem *scaled(Elems *e, double by, const Elem *x)
{
    double value;
    for (int i = 0; i < 2 && elem_is_op(x, "*"); i++)
        if (elem_is_number(x->arg[i], &value) && isnormal(value * by))
            return is_near(value * by, 1) ? x->arg[!i] : ELEM(e, "*", x->arg[!i], elem_number(e, value * by));
    return NULL;
}

/* x - mean(x), along any place that x has. */
static const Elem *centred(Elems *e, const Elem *x, const Elem *mean)
{
    if (!elem_is_op(mean, "mean") || mean->at)
        return NULL;
    for (int place = 0; place < polys_ndim(e->polys); place++) {
        const Elem *at = elem_place(e, place);
        if (place != mean->along && elem_uses(e, x, place) && !elem_uses(e, mean, place) &&
            elem_replace(e, mean->arg[0], 1, &mean->along, &at) == x)
            return elem_row(e, "centre", mean->along, mean->extent, at, mean->arg[0], NULL);
    }
    return NULL;
}

/* mean(x x) - mean(x) mean(x) loses all digits where x is far from 0; of what is centred it does not. */
static const Elem *variance(Elems *e, const Elem *x, const Elem *y)
{
    const Elem *mean = elem_is_op(y, "*") && y->arg[0] == y->arg[1] ? y->arg[0] : NULL;
    if (!elem_is_op(x, "mean") || !elem_is_op(mean, "mean") || x->at || mean->at || x->along != mean->along ||
        !poly_same(x->extent, mean->extent) || x->arg[0] != ELEM(e, "*", mean->arg[0], mean->arg[0]))
        return NULL;
    const Elem *off = elem_row(e, "centre", x->along, x->extent, elem_place(e, x->along), mean->arg[0], NULL);
    return elem_row(e, "mean", x->along, x->extent, NULL, ELEM(e, "*", off, off), NULL);
}

/* ---- one function ---- */

/* Whole numbers that a condition makes 1 or 0, as exporters choose with: (c ? 1 : 0) * x is c ? x : 0, and c ? x : 0
 * and !c ? y : 0 together are c ? x : y. NULL: it is none of these. */
static const Elem *chosen_whole(Elems *e, const char *op, const Elem *x, const Elem *y)
{
    int64_t one, zero, other;
    if (!elem_is_op(x, "?") || !elem_is_whole(x->arg[2], &zero) || zero != 0)
        return NULL;
    if (strcmp(op, "*") == 0 && elem_is_whole(x->arg[1], &one) && one == 1)
        return ELEM(e, "?", x->arg[0], y, x->arg[2]);
    if (strcmp(op, "+") != 0 || !elem_is_op(y, "?") || !elem_is_whole(y->arg[2], &other) || other != 0)
        return NULL;
    return y->arg[0] == ELEM(e, "!", x->arg[0]) ? ELEM(e, "?", x->arg[0], x->arg[1], y->arg[1]) : NULL;
}

static const Elem *with_two(Elems *e, const char *op, const Elem *x, const Elem *y)
{
    double value;
    const bool right = elem_is_number(y, &value);
    if (strcmp(op, "pow") == 0 && right) {
        if (value == 2)
            return ELEM(e, "*", x, x);
        if (value == 3)
            return ELEM(e, "*", ELEM(e, "*", x, x), x);
        if (value == 0.5)
            return ELEM(e, "sqrt", x);
        if (value == -0.5)
            return ELEM(e, "rsqrt", x);
        if (value == 1 || value == -1)
            return value > 0 ? x : ELEM(e, "/", elem_number(e, 1), x);
    }
    if (right && ((value == 0 && (*op == '+' || *op == '-') && !op[1]) ||
                  (value == 1 && (strcmp(op, "*") == 0 || strcmp(op, "/") == 0))))
        return x;
    if (elem_is_number(x, &value)) {
        if ((value == 0 && strcmp(op, "+") == 0) || (value == 1 && strcmp(op, "*") == 0))
            return y;
        if (strcmp(op, "/") == 0 && value == 1 && elem_is_op(y, "sqrt"))
            return ELEM(e, "rsqrt", y->arg[0]);
        if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0)
            return (value != 0) == (*op == '&') ? y : x;
    }
    if (right && (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0))
        return (value != 0) == (*op == '&') ? x : y;
    if (strcmp(op, "/") == 0 && elem_is_op(y, "sqrt"))
        return ELEM(e, "*", x, ELEM(e, "rsqrt", y->arg[0]));
    if (x->type == ELEM_INT && y->type == ELEM_INT) {
        const Elem *chosen = chosen_whole(e, op, x, y);
        return chosen ? chosen : chosen_whole(e, op, y, x);
    }
    if (right && value == floor(value) && fabs(value) < 0x1p31 && elem_is_op(x, "real") && strchr("<>=!", *op) &&
        x->arg[0]->type == ELEM_INT)
        return ELEM(e, op, x->arg[0], elem_int(e, (int64_t)value)); /* no rounding turns it */
    double inner;
    if (right && strcmp(op, "*") == 0 && elem_is_op(x, "*") && elem_is_number(x->arg[1], &inner))
        return ELEM(e, "*", x->arg[0], elem_number(e, value * inner));
    if (strcmp(op, "*") == 0 && elem_is_number(x, &inner) && !right)
        return ELEM(e, "*", y, x); /* numbers stand behind */
    if (strcmp(op, "-") == 0) {
        const Elem *made = variance(e, x, y);
        return made ? made : centred(e, x, y);
    }
    if (strcmp(op, "*") != 0 || x->type != ELEM_REAL)
        return NULL;
    const Elem *made = named(e, x, y);
    return made || !elem_is_number(right ? y : x, &value) ? made : scaled(e, value, right ? x : y);
}

static const Elem *with_choice(const Elem *c, const Elem *x, const Elem *y)
{
    double value;
    if (elem_is_number(c, &value))
        return value != 0 ? x : y;
    return x == y ? x : NULL;
}

const Elem *elem_apply(Elems *e, const char *op, int n, const Elem *const *given)
{
    const Elem *arg[ELEM_MAX_ARG], *known = NULL;
    const Function *f = find(op);
    double x, y = 0;
    if (!f || n != (f->one ? 1 : f->two ? 2 : 3))
        return NULL;
    for (int i = 0; i < n; i++)
        if (!(arg[i] = given[i]))
            return NULL;
    if (f->typing == REALS && f->one == of_same)
        return elem_as(e, arg[0], ELEM_REAL);
    if (strcmp(f->op, "int") == 0)
        return elem_as(e, arg[0], ELEM_INT);
    if (strcmp(f->op, "abs") == 0 && arg[0]->type == ELEM_INT)
        return ELEM(e, "max", arg[0], ELEM(e, "neg", arg[0]));
    const ElemType type = settle_types(e, f, n, arg);
    for (int i = 0; i < n; i++)
        if (!arg[i])
            return NULL;
    if (n == 3)
        known = with_choice(arg[0], arg[1], arg[2]);
    else if (n == 2 && (known = of_sizes(e, op, arg[0], arg[1])))
        return known;
    else if (strcmp(op, "neg") == 0 && elem_as_size(arg[0]))
        return elem_size(e, poly_sub(e->polys, poly_number(e->polys, 0), arg[0]->size));
    else if (elem_is_number(arg[0], &x) && (n == 1 || elem_is_number(arg[1], &y)) && (f->one || f->two))
        return elem_as(e, elem_number(e, n == 1 ? f->one(x) : f->two(x, y)), type);
    else if (f->one == floor || f->one == ceil || f->one == trunc || f->one == nearbyint)
        known = rounded_size(e, op, arg[0]);
    else if (f->typing == TESTS && arg[0] == arg[1] && arg[0]->type != ELEM_REAL) /* a real one may be no number */
        known = elem_truth(e, f->two(0, 0) != 0);
    else if (n == 2 && !(known = of_real_sizes(e, op, arg[0], arg[1])))
        known = with_two(e, op, arg[0], arg[1]);
    if (known)
        return elem_as(e, known, type);
    if (strcmp(op, "!") == 0 && elem_is_op(arg[0], "!"))
        return arg[0]->arg[0];
    return elem_plain(e, f->op, type, n, arg);
}

/* ---- places from the end ---- */

const Elem *elem_wrap(Elems *e, const Elem *x, const Poly *extent)
{
    return ELEM(e, "?", ELEM(e, "<", x, elem_int(e, 0)), ELEM(e, "+", x, elem_size(e, extent)), x);
}

const Elem *elem_wrapped(Elems *e, const Elem *x, const Poly *extent)
{
    return elem_is_op(x, "?") && !elem_as_size(x->arg[2]) && x == elem_wrap(e, x->arg[2], extent) ? x->arg[2] : NULL;
}

/* ---- values ---- */

static bool row_at(const Elems *e, const Elem *x, int64_t *dims, ElemLoad *load, void *ctx, double *value)
{
    int64_t n, best = 0;
    double sum = 0, most = -INFINITY, least = INFINITY, v;
    const int64_t before = dims[x->along];
    if (x->at || !poly_at(e->polys, x->extent, dims, &n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        dims[x->along] = i;
        if (!elem_at(e, x->arg[0], dims, load, ctx, &v))
            return false;
        sum += v;
        best = v > most ? i : best;
        most = v > most ? v : most;
        least = v < least ? v : least;
    }
    dims[x->along] = before;
    *value = elem_is_op(x, "sum")    ? sum
             : elem_is_op(x, "mean") ? sum / (double)n
             : elem_is_op(x, "max")  ? most
             : elem_is_op(x, "min")  ? least
                                     : (double)best;
    return true;
}

bool elem_at(const Elems *e, const Elem *x, int64_t *dims, ElemLoad *load, void *ctx, double *value)
{
    int64_t index[ELEM_MAX_ARG], whole;
    double v[3] = { 0 };
    switch (x->kind) {
    case ELEM_NUMBER:
        *value = x->number;
        return true;
    case ELEM_SIZE:
        if (!poly_at(e->polys, x->size, dims, &whole))
            return false;
        *value = (double)whole;
        return true;
    case ELEM_LOAD:
        for (int i = 0; i < x->narg; i++) {
            if (!elem_at(e, x->arg[i], dims, load, ctx, v))
                return false;
            index[i] = elem_cut(v[0]);
        }
        return load(ctx, x->memory, index, x->narg, value);
    case ELEM_ROW:
        return row_at(e, x, dims, load, ctx, value);
    case ELEM_APPLY:
        break;
    }
    if (elem_is_op(x, "?"))
        return elem_at(e, x->arg[0], dims, load, ctx, v) &&
               elem_at(e, x->arg[v[0] != 0 ? 1 : 2], dims, load, ctx, value);
    for (int i = 0; i < x->narg; i++)
        if (!elem_at(e, x->arg[i], dims, load, ctx, &v[i]))
            return false;
    const Function *f = find(x->op);
    *value = f->one ? f->one(v[0]) : f->two(v[0], v[1]);
    return true;
}
