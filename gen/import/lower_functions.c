/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_functions: operators of ONNX that are a function of one element, written in those that formulas have.
 */
#include <math.h>
#include <string.h>
#include "gen/import/lower_elements.h"

static double attribute(Lower *l, const char *name, double otherwise)
{
    return onnx_float(l->node->onnx, name, otherwise);
}
static const Elem *number(Lower *l, double x) { return elem_number(l->elems, x); }

static const Elem *of_reciprocal(Lower *l, const Elem *x) { return ELEM(l->elems, "/", number(l, 1), x); }
static const Elem *of_cast(Lower *l, const Elem *x) { return (void)l, x; }
static const Elem *of_is_nan(Lower *l, const Elem *x) { return ELEM(l->elems, "!=", x, x); }
static const Elem *of_sign(Lower *l, const Elem *x)
{
    const Elem *zero = number(l, 0);
    return ELEM(l->elems, "?", ELEM(l->elems, ">", x, zero), number(l, 1),
                ELEM(l->elems, "?", ELEM(l->elems, "<", x, zero), number(l, -1), x));
}

static const Elem *of_leaky_relu(Lower *l, const Elem *x)
{
    const Elem *below = ELEM(l->elems, "*", x, number(l, attribute(l, "alpha", 0.01f)));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), below, x);
}

static const Elem *exp_less_one(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "-", ELEM(l->elems, "exp", x), number(l, 1));
}

static const Elem *of_elu(Lower *l, const Elem *x)
{
    const Elem *below = ELEM(l->elems, "*", exp_less_one(l, x), number(l, attribute(l, "alpha", 1)));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), below, x);
}

static const Elem *of_selu(Lower *l, const Elem *x)
{
    const Elem *below =
        ELEM(l->elems, "*", exp_less_one(l, x), number(l, attribute(l, "alpha", 1.67326319217681884765625f)));
    const Elem *both = ELEM(l->elems, "?", ELEM(l->elems, "<=", x, number(l, 0)), below, x);
    return ELEM(l->elems, "*", both, number(l, attribute(l, "gamma", 1.05070102214813232421875f)));
}

static const Elem *of_softplus(Lower *l, const Elem *x)
{
    const Elem *less = ELEM(l->elems, "exp", ELEM(l->elems, "neg", ELEM(l->elems, "abs", x)));
    return ELEM(l->elems, "+", ELEM(l->elems, "relu", x),
                ELEM(l->elems, "log", ELEM(l->elems, "+", less, number(l, 1))));
}

static const Elem *of_softsign(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "/", x, ELEM(l->elems, "+", number(l, 1), ELEM(l->elems, "abs", x)));
}

static const Elem *clamp(Lower *l, const Elem *x, double least, double most)
{
    return ELEM(l->elems, "min", ELEM(l->elems, "max", x, number(l, least)), number(l, most));
}

static const Elem *of_hard_sigmoid(Lower *l, const Elem *x)
{
    const Elem *line = ELEM(l->elems, "+", ELEM(l->elems, "*", x, number(l, attribute(l, "alpha", 0.2f))),
                            number(l, attribute(l, "beta", 0.5f)));
    return clamp(l, line, 0, 1);
}

static const Elem *of_hard_swish(Lower *l, const Elem *x)
{
    const Elem *line = ELEM(l->elems, "+", ELEM(l->elems, "*", x, number(l, 1.0 / 6)), number(l, 0.5));
    return ELEM(l->elems, "*", x, clamp(l, line, 0, 1));
}

static const Elem *of_gelu(Lower *l, const Elem *x)
{
    const bool is_tanh = strcmp(onnx_string(l->node->onnx, "approximate", "none"), "tanh") == 0;
    return ELEM(l->elems, is_tanh ? "gelu_tanh" : "gelu", x);
}

static const Elem *of_thresholded(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "?", ELEM(l->elems, ">", x, number(l, attribute(l, "alpha", 1))), x, number(l, 0));
}

static const Elem *of_mish(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "*", x, ELEM(l->elems, "tanh", of_softplus(l, x)));
}

static const Elem *of_celu(Lower *l, const Elem *x)
{
    const Elem *alpha = number(l, attribute(l, "alpha", 1));
    const Elem *below = ELEM(l->elems, "*", alpha, exp_less_one(l, ELEM(l->elems, "/", x, alpha)));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), below, x);
}

static const Elem *of_shrink(Lower *l, const Elem *x)
{
    const double lambd = attribute(l, "lambd", 0.5), bias = attribute(l, "bias", 0);
    const Elem *above = ELEM(l->elems, "?", ELEM(l->elems, ">", x, number(l, lambd)),
                             ELEM(l->elems, "-", x, number(l, bias)), number(l, 0));
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, -lambd)), ELEM(l->elems, "+", x, number(l, bias)),
                above);
}

/* x sigmoid(alpha x) */
static const Elem *of_swish(Lower *l, const Elem *x)
{
    const double otherwise = strcmp(l->node->op, "Swish") == 0 ? 1 : 1.702f;
    const double alpha = attribute(l, "alpha", otherwise);
    return ELEM(l->elems, "*", x, ELEM(l->elems, "sigmoid", ELEM(l->elems, "*", x, number(l, alpha))));
}

static const Elem *of_tan(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "/", ELEM(l->elems, "sin", x), ELEM(l->elems, "cos", x));
}

static const Elem *of_cosh(Lower *l, const Elem *x)
{
    const Elem *e = ELEM(l->elems, "exp", ELEM(l->elems, "abs", x));
    return ELEM(l->elems, "*", ELEM(l->elems, "+", e, ELEM(l->elems, "/", number(l, 1), e)), number(l, 0.5));
}

/* tanh(x / 2) (1 + cosh(x)): no digits are lost near 0 */
static const Elem *of_sinh(Lower *l, const Elem *x)
{
    const Elem *half = ELEM(l->elems, "tanh", ELEM(l->elems, "*", x, number(l, 0.5)));
    return ELEM(l->elems, "*", half, ELEM(l->elems, "+", of_cosh(l, x), number(l, 1)));
}

/* Of x from 0 on: x, (x - 1) / (x + 1) or -1 / x is below 0.42, and an odd polynomial is arctan there (Cephes, atanf).
 */
static const Elem *arctan_of_size(Lower *l, const Elem *x)
{
    static const double term[] = { 8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1 };
    const Elem *one = number(l, 1), *is_large = ELEM(l->elems, ">", x, number(l, 2.414213562373095)),
               *is_middle = ELEM(l->elems, ">", x, number(l, 0.4142135623730950));
    const Elem *middle = ELEM(l->elems, "/", ELEM(l->elems, "-", x, one), ELEM(l->elems, "+", x, one));
    const Elem *r =
        ELEM(l->elems, "?", is_large, ELEM(l->elems, "/", number(l, -1), x), ELEM(l->elems, "?", is_middle, middle, x));
    const Elem *from = ELEM(l->elems, "?", is_large, number(l, M_PI_2),
                            ELEM(l->elems, "?", is_middle, number(l, M_PI_4), number(l, 0)));
    const Elem *square = ELEM(l->elems, "*", r, r), *sum = number(l, term[0]);
    for (size_t i = 1; i < LENGTH(term); i++)
        sum = ELEM(l->elems, "+", ELEM(l->elems, "*", sum, square), number(l, term[i]));
    const Elem *bend = ELEM(l->elems, "*", ELEM(l->elems, "*", sum, square), r);
    return ELEM(l->elems, "+", from, ELEM(l->elems, "+", bend, r));
}

static const Elem *with_sign_of(Lower *l, const Elem *x, const Elem *size)
{
    return ELEM(l->elems, "?", ELEM(l->elems, "<", x, number(l, 0)), ELEM(l->elems, "neg", size), size);
}

static const Elem *of_atan(Lower *l, const Elem *x)
{
    return with_sign_of(l, x, arctan_of_size(l, ELEM(l->elems, "abs", x)));
}

/* sqrt((1 - x) (1 + x)) */
static const Elem *other_leg(Lower *l, const Elem *x)
{
    return ELEM(l->elems, "sqrt",
                ELEM(l->elems, "*", ELEM(l->elems, "-", number(l, 1), x), ELEM(l->elems, "+", number(l, 1), x)));
}

static const Elem *of_asin(Lower *l, const Elem *x) { return of_atan(l, ELEM(l->elems, "/", x, other_leg(l, x))); }

static const Elem *of_acos(Lower *l, const Elem *x)
{
    const Elem *half = ELEM(l->elems, "/", ELEM(l->elems, "-", number(l, 1), x), ELEM(l->elems, "+", number(l, 1), x));
    return ELEM(l->elems, "*", arctan_of_size(l, ELEM(l->elems, "sqrt", half)), number(l, 2));
}

/* log(x + sqrt(x x + 1)) of the size of x */
static const Elem *of_asinh(Lower *l, const Elem *x)
{
    const Elem *size = ELEM(l->elems, "abs", x),
               *root = ELEM(l->elems, "sqrt", ELEM(l->elems, "+", ELEM(l->elems, "*", x, x), number(l, 1)));
    return with_sign_of(l, x, ELEM(l->elems, "log", ELEM(l->elems, "+", size, root)));
}

static const Elem *of_acosh(Lower *l, const Elem *x)
{
    const Elem *root =
        ELEM(l->elems, "sqrt",
             ELEM(l->elems, "*", ELEM(l->elems, "-", x, number(l, 1)), ELEM(l->elems, "+", x, number(l, 1))));
    return ELEM(l->elems, "log", ELEM(l->elems, "+", x, root));
}

static const Elem *of_atanh(Lower *l, const Elem *x)
{
    const Elem *part = ELEM(l->elems, "/", ELEM(l->elems, "+", number(l, 1), x), ELEM(l->elems, "-", number(l, 1), x));
    return ELEM(l->elems, "*", ELEM(l->elems, "log", part), number(l, 0.5));
}

/* Of operators whose formula is made by one of these. */
static const struct {
    const char *op;
    ElementsOfOne *of;
} ones[] = { { "Reciprocal", of_reciprocal },
             { "Sign", of_sign },
             { "LeakyRelu", of_leaky_relu },
             { "Elu", of_elu },
             { "Selu", of_selu },
             { "Softplus", of_softplus },
             { "Softsign", of_softsign },
             { "HardSigmoid", of_hard_sigmoid },
             { "HardSwish", of_hard_swish },
             { "Gelu", of_gelu },
             { "ThresholdedRelu", of_thresholded },
             { "Mish", of_mish },
             { "Celu", of_celu },
             { "Shrink", of_shrink },
             { "Swish", of_swish },
             { "com.microsoft.QuickGelu", of_swish },
             { "com.microsoft.Gelu", of_gelu },
             { "Tan", of_tan },
             { "Asin", of_asin },
             { "Acos", of_acos },
             { "Atan", of_atan },
             { "Asinh", of_asinh },
             { "Acosh", of_acosh },
             { "Atanh", of_atanh },
             { "Cosh", of_cosh },
             { "Sinh", of_sinh },
             { "Identity", of_cast } };

static bool lower_one(Lower *l, const NetNode *n)
{
    for (size_t i = 0; i < LENGTH(ones); i++)
        if (strcmp(ones[i].op, n->op) == 0)
            return lower_has(l, 1) && elements_give_one(l, lower_input(l, 0)->type, ones[i].of);
    return false;
}

static bool lower_is_nan(Lower *l, const NetNode *n) { return (void)n, elements_give_one(l, ELEMENT_BOOL, of_is_nan); }

static const Elem *of_is_inf(Lower *l, const Elem *x)
{
    const Elem *is = elem_truth(l->elems, false);
    for (int sign = -1; sign <= 1; sign += 2)
        if (onnx_int(l->node->onnx, sign < 0 ? "detect_negative" : "detect_positive", 1))
            is = ELEM(l->elems, "||", is, ELEM(l->elems, "==", x, number(l, sign * INFINITY)));
    return is;
}

static bool lower_is_inf(Lower *l, const NetNode *n) { return (void)n, elements_give_one(l, ELEMENT_BOOL, of_is_inf); }

const LowerRow lower_functions[] = {
    { "IsNaN", lower_is_nan, LOWERS_ELEMENTS, NULL },
    { "IsInf", lower_is_inf, LOWERS_ELEMENTS, NULL },
    { "Celu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Shrink", lower_one, LOWERS_ELEMENTS, NULL },
    { "Swish", lower_one, LOWERS_ELEMENTS, NULL },
    { "Tan", lower_one, LOWERS_ELEMENTS, NULL },
    { "Asin", lower_one, LOWERS_ELEMENTS, NULL },
    { "Acos", lower_one, LOWERS_ELEMENTS, NULL },
    { "Atan", lower_one, LOWERS_ELEMENTS, NULL },
    { "Asinh", lower_one, LOWERS_ELEMENTS, NULL },
    { "Acosh", lower_one, LOWERS_ELEMENTS, NULL },
    { "Atanh", lower_one, LOWERS_ELEMENTS, NULL },
    { "Cosh", lower_one, LOWERS_ELEMENTS, NULL },
    { "Sinh", lower_one, LOWERS_ELEMENTS, NULL },
    { "com.microsoft.QuickGelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "com.microsoft.Gelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Reciprocal", lower_one, LOWERS_ELEMENTS, NULL },
    { "Sign", lower_one, LOWERS_ELEMENTS, NULL },
    { "LeakyRelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Elu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Selu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Softplus", lower_one, LOWERS_ELEMENTS, NULL },
    { "Softsign", lower_one, LOWERS_ELEMENTS, NULL },
    { "HardSigmoid", lower_one, LOWERS_ELEMENTS, NULL },
    { "HardSwish", lower_one, LOWERS_ELEMENTS, NULL },
    { "Gelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "ThresholdedRelu", lower_one, LOWERS_ELEMENTS, NULL },
    { "Mish", lower_one, LOWERS_ELEMENTS, NULL },
    { "Identity", lower_one, LOWERS_ELEMENTS, NULL },
    { NULL, NULL, 0, NULL },
};
