/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_random: random formulas of op dense, over all functions, with integers, comparisons and choices, that rounding disturbs little: what is
 * divided by, and what a root or a logarithm is of, stays away from 0. Operands: b[n], s[m], t[m,n], x[n,m]; of integers len[m], most[n], kind[n,m].
 */
#ifndef DCGEN_TEST_FORMULA_RANDOM_H
#define DCGEN_TEST_FORMULA_RANDOM_H

#include "gen/base/rng.h"
#include "gen/base/text.h"

static const char formula_types[] = "types = { len = \"s32\"; most = \"s32\"; kind = \"s32\"; };";

static const char *formula_real(Arena *a, Rng *r, int depth);

/* One of n texts. */
static inline const char *formula_pick(Rng *r, const char *const *text, size_t n)
{
    return text[rng_below(r, (int64_t)n)];
}
#define FORMULA_PICK(r, text) formula_pick(r, text, sizeof(text) / sizeof *(text))

/* Each $ of a pattern becomes a real number, # an integer, @ a condition. */
static const char *formula_filled(Arena *a, Rng *r, const char *pattern, int depth);

static const char *formula_int(Arena *a, Rng *r, int depth)
{
    static const char *const leaves[] = { "n", "m", "n",    "m",      "M",       "N",        "K",
                                          "0", "3", "(-2)", "len[m]", "most[n]", "kind[n,m]" };
    static const char *const inner[] = { "(# + #)",
                                         "(# - #)",
                                         "(# * 3)",
                                         "(2 * #)",
                                         "(-#)",
                                         "min(#, #)",
                                         "max(#, #)",
                                         "min(n, #)",
                                         "max(#, len[m])",
                                         "relu(#)",
                                         "clamp(#, -3, 5)",
                                         "(# < # ? # : #)",
                                         "(n >= # && m != 1 ? # : n)" };
    return depth <= 0 ? FORMULA_PICK(r, leaves) : formula_filled(a, r, FORMULA_PICK(r, inner), depth - 1);
}

static const char *formula_condition(Arena *a, Rng *r, int depth)
{
    static const char *const leaves[] = {
        "n < len[m]", "m != n", "acc > 0", "n >= 7", "kind[n,m] == 1", "b[n] <= s[m]"
    };
    static const char *const inner[] = { "$ < $", "$ >= $",     "# < #",      "# <= #",
                                         "# > #", "# >= #",     "# == #",     "# != #",
                                         "!(@)",  "(@) && (@)", "(@) || (@)", "n < most[n] && (@) || m > 2" };
    return depth <= 0 ? FORMULA_PICK(r, leaves) : formula_filled(a, r, FORMULA_PICK(r, inner), depth - 1);
}

static const char *formula_real(Arena *a, Rng *r, int depth)
{
    static const char *const leaves[] = { "acc",    "acc", "acc",  "b[n]",    "s[m]", "t[m,n]",
                                          "x[n,m]", "0.5", "1e-2", "(-3.25)", "n",    "len[m]" };
    static const char *const inner[] = { "($ + $)",
                                         "($ - $)",
                                         "$ * $",
                                         "(-$)",
                                         "(-(-$))",
                                         "($ - -$)",
                                         "$ / (abs($) + 0.5)",
                                         "min($, $)",
                                         "max($, $)",
                                         "relu($)",
                                         "clamp($, -2, 3)",
                                         "abs($)",
                                         "sqrt(abs($) + 0.25)",
                                         "rsqrt(abs($) + 0.25)",
                                         "exp(clamp($, -4, 4))",
                                         "log(abs($) + 0.5)",
                                         "tanh($)",
                                         "erf($)",
                                         "sigmoid($)",
                                         "silu($)",
                                         "gelu($)",
                                         "gelu_tanh($)",
                                         "f16($)",
                                         "bf16($)",
                                         "(@ ? $ : $)",
                                         "(@ ? $ : @ ? $ : $)",
                                         "($ + #)",
                                         "(# / 4)",
                                         "# * $" };
    return depth <= 0 ? FORMULA_PICK(r, leaves) : formula_filled(a, r, FORMULA_PICK(r, inner), depth - 1);
}

static const char *formula_filled(Arena *a, Rng *r, const char *pattern, int depth)
{
    Text t = { .arena = a };
    for (; *pattern; pattern++) {
        const int less = depth - (int)rng_below(r, 2);
        switch (*pattern) {
        case '$':
            text_add(&t, formula_real(a, r, less));
            break;
        case '#':
            text_add(&t, formula_int(a, r, less > 2 ? 2 : less));
            break;
        case '@':
            text_add(&t, formula_condition(a, r, less));
            break;
        default:
            text_printf(&t, "%c", *pattern);
        }
    }
    return arena_strdup(a, text_str(&t));
}

#endif
