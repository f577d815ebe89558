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
