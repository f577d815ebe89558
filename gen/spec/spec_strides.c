/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_strides: reads which operands callers give strides of, and which may be the output itself. From here on the
 * function's op says so, as if its op.cfg had: what kernels get, what a package's functions take and what is verified
 * follow from that.
 */
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/spec_private.h"

static bool is_packed(const Spec *s, int operand) { return s->packed && s->op->operand[operand].role == ROLE_CONST; }

static bool has_strides(const Spec *s, int operand)
{
    return spec_layout(s, operand)->rank > 1 && !is_packed(s, operand) && !s->op->operand[operand].never_strided;
}

/* Takes the operand that s names. */
static void take(SpecReader *r, const ConfSetting *s, const char *name, unsigned *wanted)
{
    const Spec *spec = r->spec;
    const int i = conf_lookup(r->diag, s->at, "operand", name, NAMES(spec->op->operand, spec->op->noperand));
    if (i < 0)
        return;
    if (is_packed(spec, i))
        diag_error(r->diag, s->at, "'%s' is packed: its copy lies as kernels want it, and has no strides", name);
    else if (spec->op->operand[i].never_strided)
        diag_error(r->diag, s->at, "'%s' cannot have strides: the op's kernels take it as one block", name);
    else if (!has_strides(spec, i))
        diag_error(r->diag, s->at, "'%s' has one extent, and strides go along all but the last", name);
    else
        *wanted |= 1u << i;
}

void spec_read_strides(SpecReader *r)
{
    const ConfSetting *s = conf_member(r->group, "strides");
    Spec *spec = r->spec;
    const char *name[OP_MAX_OPERAND];
    int n = 0;
    if (!s || !spec->op)
        return;
    if (s->type == CONF_STRING && strcmp(s->text, "all") == 0) {
        for (int i = 0; i < spec->op->noperand; i++)
            spec->strides |= has_strides(spec, i) ? 1u << i : 0;
    } else if (s->type == CONF_STRING) {
        diag_error(r->diag, s->at, "'strides': expected a list of operands, as in [\"X\"], or \"all\"; found '%s'",
                   s->text);
    } else if (conf_strings(r->conf, s, NULL, name, OP_MAX_OPERAND, &n)) {
        for (int i = 0; i < n; i++)
            if (conf_twice(r->conf, s, i, "'strides': "), true)
                take(r, conf_elem(s, i), name[i], &spec->strides);
    }
    for (int i = 0; i < spec->op->noperand; i++)
        if (spec->op->operand[i].strided) /* by op.cfg */
            spec->strides &= ~(1u << i);
    Op *op = ARENA_NEW(r->arena, Op);
    *op = *spec->op;
    for (int i = 0; i < op->noperand; i++)
        op->operand[i].strided = op->operand[i].strided || spec->strides >> i & 1;
    spec->op = op;
}

/* ---- in place ---- */

bool spec_lies_as_output(const Spec *s, int operand)
{
    const Operand *o = &s->op->operand[operand], *y = spec_output(s);
    const Layout *out = spec_layout(s, (int)(y - s->op->operand)), *in = spec_layout(s, operand);
    bool same = in->rank == out->rank && o != y && spec_element(s, o) == spec_element(s, y);
    for (int k = 0; same && k < out->rank; k++)
        same = strcmp(expr_text(in->extent[k]), expr_text(out->extent[k])) == 0;
    for (const FormulaNode *v = s->formula->node; same && v < s->formula->node + s->formula->nnode; v++)
        for (int k = 0; same && v->kind == FORMULA_ELEMENT && v->at == operand && k < out->rank; k++) {
            const FormulaNode *at = &s->formula->node[v->arg[k]];
            same = !v->guarded && at->kind == FORMULA_INDEX && at->at == op_axis(s->op, expr_text(out->extent[k]));
        }
    return same;
}

void spec_read_in_place(SpecReader *r)
{
    const ConfSetting *s = conf_member(r->group, "in_place");
    Spec *spec = r->spec;
    const char *name[OP_MAX_OPERAND];
    int n = 0;
    if (!s || !spec->op || !spec->dtype || !conf_strings(r->conf, s, NULL, name, OP_MAX_OPERAND, &n))
        return;
    for (int i = 0; i < n; i++) {
        const ConfSetting *at = conf_elem(s, i);
        const int operand =
            conf_lookup(r->diag, at->at, "operand", name[i], NAMES(spec->op->operand, spec->op->noperand));
        if (operand >= 0 && (!spec->op->operand[operand].of_formula || !spec_lies_as_output(spec, operand)))
            diag_error(
                r->diag, at->at,
                "'%s' cannot be the output itself: expected an operand of the formula with the output's type and "
                "extents, read at the output's own places alone",
                name[i]);
        else if (operand >= 0)
            spec->in_place |= 1u << operand;
    }
}

bool spec_reads_output(const Spec *s) { return s->in_place || spec_output(s)->is_read; }

/* ---- in words ---- */

static const char *names_of(Arena *a, const Spec *s, unsigned operands)
{
    Text t = { .arena = a };
    for (int i = 0; i < s->op->noperand; i++)
        if (operands >> i & 1)
            text_printf(&t, "%s%s", t.len ? ", " : "", s->op->operand[i].name);
    return text_str(&t);
}

const char *spec_strides_text(Arena *a, const Spec *s) { return names_of(a, s, s->strides); }
const char *spec_in_place_text(Arena *a, const Spec *s) { return names_of(a, s, s->in_place); }
