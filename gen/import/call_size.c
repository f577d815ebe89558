/* SPDX-License-Identifier: Apache-2.0
 *
 * call_size: sizes in the text of a formula: numbers, extents that the call has, sums, quotients and remainders of
 * them and of places. What no extent of the call tells is a number more that the call is given.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/import/call_private.h"

bool call_is_equal(CallWriter *w, const Poly *x, const Poly *y)
{
    return poly_compare(w->lower->polys, x, y) == POLY_EQUAL;
}

/* ---- names ---- */

const char *call_new_name(CallWriter *w, const char *stem)
{
    const Call *c = w->call;
    for (int n = 0;; n++) {
        const char *name = n ? arena_printf(w->lower->arena, "%s%d", stem, n) : stem;
        bool is_taken = false;
        for (int i = 0; i < c->noperand; i++)
            is_taken = is_taken || strcmp(c->operand[i].name, name) == 0;
        for (int i = 0; i < c->nsize; i++)
            is_taken = is_taken || strcmp(c->size[i].name, name) == 0;
        if (!is_taken)
            return name;
    }
}

void call_add_size(Call *c, const char *name, const Poly *size)
{
    c->size[c->nsize].name = name;
    c->size[c->nsize++].size = size;
}

/* ---- sizes ---- */

static bool write_extent(CallWriter *w, const Poly *x);

/* A size that no extent of the call tells: a number more that the call is given. Those are never negative. */
static bool write_number_of(CallWriter *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    Call *c = w->call;
    int64_t least, most;
    poly_range(p, x, &least, &most);
    for (int i = 0; i < w->naxis; i++)
        if (poly_uses(p, x, w->place[i]))
            return false;
    w->lacks_negative = w->lacks_negative || least < 0;
    if (least < 0 && w->subtracts && !poly_is(poly_side(p, x, true), 0)) {
        text_add(&w->text, "(");
        bool ok = write_extent(w, poly_side(p, x, false));
        text_add(&w->text, " - ");
        ok = ok && write_extent(w, poly_side(p, x, true));
        text_add(&w->text, ")");
        return ok;
    }
    if (least < 0 || c->nsize == (int)LENGTH(c->size) || c->nnumber == LOWER_MAX_OPERAND)
        return false;
    const char *name = c->number[c->nnumber++] = call_new_name(w, "E");
    call_add_size(c, name, x);
    text_add(&w->text, name);
    return true;
}

/* A size of dims alone, by the extents that the call has, the sum of two, or as a number more. */
static bool write_extent(CallWriter *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Call *c = w->call;
    int64_t value;
    if (poly_is_number(x, &value)) {
        if (value > INT32_MAX || value < -INT32_MAX)
            return false;
        text_printf(&w->text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
        return true;
    }
    for (int i = 0; i < c->nsize; i++)
        if (call_is_equal(w, c->size[i].size, x)) {
            text_add(&w->text, c->size[i].name);
            return true;
        }
    for (int i = 0; i < c->nsize; i++) {
        const Poly *d = poly_sub(p, x, c->size[i].size);
        if (d && poly_is_number(d, &value)) {
            text_printf(&w->text, "(%s + %" PRId64 ")", c->size[i].name, value);
            return true;
        }
        for (int k = 0; k < c->nsize; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const Poly *sum = sign < 0 ? poly_sub(p, c->size[i].size, c->size[k].size)
                                           : poly_add(p, c->size[i].size, c->size[k].size);
                if (call_is_equal(w, sum, x)) {
                    text_printf(&w->text, "(%s %c %s)", c->size[i].name, sign < 0 ? '-' : '+', c->size[k].name);
                    return true;
                }
            }
    }
    return write_number_of(w, x);
}

/* by * (a op b) + rest; remainders a - b*(a / b) as a % b. */
static bool write_split(CallWriter *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Poly *by, *a, *b, *rest;
    const char *op;
    if (!poly_split(p, x, &by, &op, &a, &b, &rest))
        return false;
    const Poly *number, *divisor;
    if (poly_is_remainder(p, x, &number, &divisor)) {
        text_add(&w->text, "(");
        if (!call_write_size(w, number))
            return false;
        text_add(&w->text, " % ");
        if (!call_write_size(w, divisor))
            return false;
        text_add(&w->text, ")");
        return true;
    }
    const bool divides = strcmp(op, "/") == 0;
    const Poly *times = divides ? poly_quotient(p, poly_sub(p, poly_number(p, 0), by), b) : NULL;
    const Poly *left = times ? poly_sub(p, rest, poly_mul(p, times, a)) : NULL;
    const bool remains = left && poly_nterm(left) < poly_nterm(rest);
    if (!divides && strcmp(op, "min") != 0 && strcmp(op, "max") != 0)
        return false;
    by = remains ? times : by;
    rest = remains ? left : rest;
    const bool minus = poly_is(by, -1);
    text_add(&w->text, "(");
    if (!poly_is(rest, 0) && !call_write_size(w, rest))
        return false;
    text_add(&w->text, poly_is(rest, 0) ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (!poly_is(by, 1) && !minus) {
        if (!call_write_size(w, by))
            return false;
        text_add(&w->text, " * ");
    }
    text_add(&w->text, remains ? "(" : divides ? "div(" : arena_printf(w->lower->arena, "%s(", op));
    if (!call_write_size(w, a))
        return false;
    text_add(&w->text, remains ? " % " : ", ");
    if (!call_write_size(w, b))
        return false;
    text_add(&w->text, "))");
    return true;
}

/* A size of places too: a sum over them, quotients by extents, and the like. */
bool call_write_size(CallWriter *w, const Poly *x)
{
    Polys *p = w->lower->polys;
    const Poly *by[CALL_MAX_AXIS], *rest;
    int64_t value;
    bool first = true;
    if (!poly_linear(p, x, w->place, w->naxis, by, &rest))
        return write_split(w, x);
    int nterm = !poly_is(rest, 0);
    for (int i = 0; i < w->naxis; i++)
        nterm += !poly_is(by[i], 0);
    text_add(&w->text, nterm > 1 ? "(" : "");
    for (int i = 0; i < w->naxis; i++) {
        if (poly_is(by[i], 0))
            continue;
        const bool minus = poly_is_number(by[i], &value) && value < 0;
        text_add(&w->text, first ? (minus ? "-" : "") : minus ? " - " : " + ");
        first = false;
        const Poly *size = minus ? poly_number(p, -value) : by[i];
        if (!poly_is(size, 1)) {
            if (!write_extent(w, size))
                return false;
            text_add(&w->text, " * ");
        }
        text_add(&w->text, w->letter[i]);
    }
    if (first || !poly_is(rest, 0)) {
        const bool minus = !first && poly_is_number(rest, &value) && value < 0;
        text_add(&w->text, first ? "" : minus ? " - " : " + ");
        if (!write_extent(w, minus ? poly_number(p, -value) : rest))
            return false;
    }
    text_add(&w->text, nterm > 1 ? ")" : "");
    return true;
}
