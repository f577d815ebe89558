/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_strides: reads which operands callers give strides of. From here on the function's op says so, as if its op.cfg
 * had: what kernels get, what a package's functions take and what is verified follow from that.
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

const char *spec_strides_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (int i = 0; i < s->op->noperand; i++)
        if (s->strides >> i & 1)
            text_printf(&t, "%s%s", t.len ? ", " : "", s->op->operand[i].name);
    return text_str(&t);
}
