/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_random: random formulas of op dense, over all functions, with integers, comparisons and choices, that rounding disturbs little: what is
 * divided by, and what a root or a logarithm is of, stays away from 0. Operands: b[n], s[m], t[m,n], x[n,m]; of integers len[m], most[n],
 * kind[n,m]; of f16 hb[n], hx[n,m]; of bf16 bf[m,n], bs[m].
 */
#ifndef DCGEN_TEST_FORMULA_RANDOM_H
#define DCGEN_TEST_FORMULA_RANDOM_H

#include <string.h>
#include "gen/base/rng.h"
#include "gen/base/text.h"

/* The types of those that a formula has: "types = { len = "s32"; };" */
static inline const char *formula_types(Arena *a, const char *formula)
{
    static const char *const row[][2] = { { "len", "s32" }, { "most", "s32" }, { "kind", "s32" }, { "hb", "f16" },
                                          { "hx", "f16" },  { "bf", "bf16" },  { "bs", "bf16" } };
    Text t = { .arena = a };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strstr(formula, arena_printf(a, "%s[", row[i][0])))
            text_printf(&t, "%s%s = \"%s\"; ", t.len ? "" : "types = { ", row[i][0], row[i][1]);
    text_add(&t, t.len ? "};" : "");
    return arena_strdup(a, text_str(&t));
}

static const char *formula_real(Arena *a, Rng *r, int depth);

/* One of the texts of a list, which "; " stands between. */
static inline const char *formula_pick(Arena *a, Rng *r, const char *list)
{
    int64_t n = 1;
    for (const char *at = list; (at = strstr(at, "; ")); at += 2)
        n++;
    for (n = rng_below(r, n); n > 0; n--)
        list = strstr(list, "; ") + 2;
    const char *end = strstr(list, "; ");
    return arena_strndup(a, list, end ? (size_t)(end - list) : strlen(list));
}

/* Each $ of a pattern becomes a real number, # an integer, @ a condition. */
static const char *formula_filled(Arena *a, Rng *r, const char *pattern, int depth);

static const char *formula_int(Arena *a, Rng *r, int depth)
{
    static const char leaves[] = "n; m; n; m; M; N; K; 0; 3; (-2); len[m]; most[n]; kind[n,m]";
    static const char inner[] = "(# + #); (# - #); (# * 3); (2 * #); (-#); min(#, #); max(#, #); min(n, #); max(#, "
                                "len[m]); relu(#); clamp(#, -3, 5); (# < # ? # : #); (n >= # && m != 1 ? # : n)";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
}

static const char *formula_condition(Arena *a, Rng *r, int depth)
{
    static const char leaves[] = "n < len[m]; m != n; acc > 0; n >= 7; kind[n,m] == 1; b[n] <= s[m]";
    static const char inner[] = "$ < $; $ >= $; # < #; # <= #; # > #; # >= #; # == #; # != #; !(@); (@) && (@); (@) || "
                                "(@); n < most[n] && (@) || m > 2";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
}

static const char *formula_real(Arena *a, Rng *r, int depth)
{
    static const char leaves[] =
        "acc; acc; acc; b[n]; s[m]; t[m,n]; x[n,m]; hb[n]; bf[m,n]; hx[n,m]; bs[m]; 0.5; 1e-2; (-3.25); n; len[m]";
    static const char inner[] =
        "($ + $); ($ - $); $ * $; (-$); (-(-$)); ($ - -$); $ / (abs($) + 0.5); min($, $); max($, $); relu($); clamp($, "
        "-2, 3); abs($); sqrt(abs($) + 0.25); rsqrt(abs($) + 0.25); exp(clamp($, -4, 4)); log(abs($) + 0.5); tanh($); "
        "erf($); sigmoid($); silu($); gelu($); gelu_tanh($); f16($); bf16($); (@ ? $ : $); (@ ? $ : @ ? $ : $); ($ + "
        "#); (# / 4); # * $";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
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
