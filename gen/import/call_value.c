/* SPDX-License-Identifier: Apache-2.0
 *
 * call_value: an expression as the text of a formula.
 */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/import/call_private.h"

/* As few digits as tell this float from others. */
static const char *digits_of(CallWriter *w, double x)
{
    const char *digits = NULL;
    for (int n = 6; n <= 17 && !(digits && strtof(digits, NULL) == (float)x && fabs(strtod(digits, NULL)) <= FLT_MAX);
         n++)
        digits = arena_printf(w->lower->arena, "%.*g", n, x);
    return strpbrk(digits, ".e") ? digits : arena_printf(w->lower->arena, "%s.0", digits);
}

static bool write_number(CallWriter *w, const Elem *x)
{
    static const double least = 1.2e-38; /* formulas have no smaller numbers, but products of them */
    const float number = (float)x->number;
    if (x->type == ELEM_TRUTH) {
        text_add(&w->text, x->number != 0 ? "(0 == 0)" : "(0 != 0)");
        return true;
    }
    if (isnan(x->number) || (fabs(x->number) > FLT_MAX && !isinf(x->number)))
        return false;
    if (isinf(x->number))
        text_add(&w->text, x->number > 0 ? "inf" : "(-inf)");
    else if (number == 0)
        text_add(&w->text, signbit(x->number) ? "(-0.0)" : "0.0");
    else if (fabs((double)number) < least)
        text_printf(&w->text, "(%s * 5.9604644775390625e-08)", digits_of(w, (double)number * 0x1p24));
    else
        text_printf(&w->text, x->number < 0 ? "(%s)" : "%s", digits_of(w, x->number));
    return true;
}

static bool write_row(CallWriter *w, const Elem *x)
{
    Lower *l = w->lower;
    if (w->row < 0 || !call_is_equal(w, x->extent, w->extent[w->row]))
        return false;
    const Elem *along = elem_place(l->elems, w->place[w->row]);
    if (elem_uses(l->elems, x->arg[0], w->place[w->row]) || (x->at && x->at != along))
        return false;
    text_printf(&w->text, "%s[%s](", x->op, w->letter[w->row]);
    if (!call_write_elem(w, elem_replace(l->elems, x->arg[0], 1, &x->along, &along)))
        return false;
    if (x->narg > 1) {
        text_add(&w->text, ", ");
        if (!call_write_elem(w, x->arg[1]))
            return false;
    }
    text_add(&w->text, ")");
    return true;
}

static bool write_list(CallWriter *w, const Elem *x)
{
    for (int i = 0; i < x->narg; i++) {
        text_add(&w->text, i ? ", " : "(");
        if (!call_write_elem(w, x->arg[i]))
            return false;
    }
    text_add(&w->text, ")");
    return true;
}

static bool write_apply(CallWriter *w, const Elem *x)
{
    if (strcmp(x->op, "?") == 0) {
        text_add(&w->text, "(");
        for (int i = 0; i < 3; i++) {
            w->nchoice += i > 0;
            const bool ok = call_write_elem(w, x->arg[i]);
            w->nchoice -= i > 0;
            if (!ok)
                return false;
            text_add(&w->text, i == 0 ? " ? " : i == 1 ? " : " : ")");
        }
        return true;
    }
    if (strcmp(x->op, "real") == 0) { /* a whole number counts as a real one wherever one is wanted */
        text_add(&w->text, "(1.0 * ");
        const bool ok = call_write_elem(w, x->arg[0]);
        text_add(&w->text, ")");
        return ok;
    }
    if (strcmp(x->op, "int") == 0)
        return false;
    if (x->narg == 1) {
        text_add(&w->text, strcmp(x->op, "neg") == 0 ? "(-" : strcmp(x->op, "!") == 0 ? "(!" : x->op);
        const bool is_sign = strcmp(x->op, "neg") == 0 || strcmp(x->op, "!") == 0;
        const bool ok = is_sign ? call_write_elem(w, x->arg[0]) : write_list(w, x);
        text_add(&w->text, is_sign ? ")" : "");
        return ok;
    }
    if (isalpha((unsigned char)*x->op)) {
        text_add(&w->text, x->op);
        return write_list(w, x);
    }
    const bool turns = (*x->op == '+' || *x->op == '*') && w->step->op && elem_loads(x->arg[1], w->step->out) &&
                       !elem_loads(x->arg[0], w->step->out); /* what the operator computed stands first */
    text_add(&w->text, "(");
    if (!call_write_elem(w, x->arg[turns]))
        return false;
    text_printf(&w->text, " %s ", x->op);
    if (!call_write_elem(w, x->arg[!turns]))
        return false;
    text_add(&w->text, ")");
    return true;
}

bool call_write_whole(CallWriter *w, const Elem *x)
{
    static const char *const wholes[] = { "floor", "ceil", "trunc", "round" };
    if (!x || elem_stays_whole(x))
        return call_write_elem(w, x);
    const Elem *real = elem_is_op(x, "int") ? x->arg[0] : x;
    const bool has_fraction = !real->op || names_find(NAMES(wholes, LENGTH(wholes)), real->op) < 0;
    text_add(&w->text, has_fraction ? "trunc(" : "");
    const bool ok = call_write_elem(w, real);
    text_add(&w->text, has_fraction ? ")" : "");
    return ok;
}

bool call_write_elem(CallWriter *w, const Elem *x)
{
    if (!x || w->text.len > CALL_MAX_TEXT)
        return false;
    switch (x->kind) {
    case ELEM_NUMBER:
        return write_number(w, x);
    case ELEM_SIZE:
        return call_write_size(w, x->size);
    case ELEM_LOAD:
        return call_write_load(w, x);
    case ELEM_ROW:
        return write_row(w, x);
    case ELEM_APPLY:
        return write_apply(w, x);
    }
    return false;
}
