/* SPDX-License-Identifier: Apache-2.0
 *
 * random_expr: expressions at random over three names, as text.
 */
#ifndef DCGEN_TEST_RANDOM_EXPR_H
#define DCGEN_TEST_RANDOM_EXPR_H

#include "tests/test.h"
#include "gen/base/expr.h"
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "tests/arena.h"

enum { RANDOM_NAMES = 3 };
static const char *const random_names[RANDOM_NAMES] = { "a", "b", "c" };

static const char *random_text(Rng *r, int depth, const char *const *leaf, int nleaf)
{
    static const char *const form[] = { "(%s) + (%s)",      "(%s) - (%s)",     "(%s) * (%s)",  "(%s) * (%s)",
                                        "(%s) / (%s)",      "(%s) % (%s)",     "(%s) < (%s)",  "(%s) <= (%s)",
                                        "(%s) > (%s)",      "(%s) >= (%s)",    "(%s) == (%s)", "(%s) != (%s)",
                                        "(%s) && (%s)",     "(%s) || (%s)",    "min(%s, %s)",  "max(%s, %s)",
                                        "ceil_div(%s, %s)", "ceil_to(%s, %s)", "-(%s)",        "!(%s)" };
    enum { NFORM = sizeof form / sizeof *form, NARITHMETIC = 6 };
    if (depth == 0 || rng_below(r, 5) == 0)
        return leaf[rng_below(r, nleaf)];
    Text t = { .arena = arena };
    /* tests give 0 and 1, on which most else is dull */
    for (const char *f = form[rng_below(r, rng_below(r, 2) ? NARITHMETIC : NFORM)]; *f; f++)
        if (f[0] == '%' && f[1] == 's')
            text_add(&t, random_text(r, depth - 1, leaf, nleaf)), f++;
        else
            text_addn(&t, f, 1);
    return text_str(&t);
}

/* Of its text, with the three names bound to slots 0, 1, 2. */
static Expr *parse_bound(const char *text)
{
    Diag *d = diag_new(arena);
    Expr *e = expr_parse(arena, text, (Loc){ 0 }, d);
    if (!e)
        diag_print(d, stderr);
    assert_non_null(e);
    expr_bind(e, NAMES(random_names, RANDOM_NAMES));
    return e;
}

#endif
