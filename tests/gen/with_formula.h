/* SPDX-License-Identifier: Apache-2.0
 *
 * with_formula: a spec of an op with an epilogue, made without a spec's file.
 */
#ifndef DCGEN_TEST_WITH_FORMULA_H
#define DCGEN_TEST_WITH_FORMULA_H

#include "gen/spec/spec.h"

/* word: of the short form, as "bias"; NULL: there is no formula, and the op is as it was. */
static inline Spec with_formula(Arena *a, const Op *of, const char *dtype, const char *word)
{
    Diag *d = diag_new(a);
    Spec s = { .op = of, .dtype = dtype, .const_operand = -1 };
    const FormulaText text = { .nword = 1, .word = { word } };
    if (word)
        s.formula = formula_read(a, of, &text, &s.op, d);
    diag_print(d, stderr);
    for (int i = 0; i < s.op->noperand; i++)
        if (s.op->operand[i].role == ROLE_CONST)
            s.const_operand = i;
    return s;
}

#endif
