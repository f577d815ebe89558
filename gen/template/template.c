/* SPDX-License-Identifier: Apache-2.0
 *
 * template: what the names in a template stand for, and the text of one of its kernels.
 */
#include "gen/template/template.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "gen/base/text.h"
#include "gen/template/fill.h"
#include "gen/template/template_private.h"

/* ---- what the names stand for ---- */

const char *const template_kernel_fact[TEMPLATE_KERNEL_FACTS] = { "SECTORS_READ", "SECTORS_WRITTEN", "WAVEFRONTS",
                                                                  "CONFLICTS",    "BARRIERS",        "INSTRUCTIONS" };

/* What the compiler or the emulator told of this kernel under the name, in letters of either case; 0: nothing. */
static int64_t kernel_fact(const Binding *b, const char *name)
{
    for (int i = 0; i < b->facts.n; i++)
        if (strcasecmp(b->facts.fact[i].name, name) == 0)
            return b->facts.fact[i].value;
    return 0;
}

static int64_t elem_bytes(const Spec *s)
{
    const Dtype *d = dtype_find(s->dtype);
    return d ? (int64_t)d->part[PART_LEFT]->bytes : 0;
}

/* FMAs a cycle of mma.sync for the spec's element type; 0: tensor cores are not used for it. */
static int64_t tensor_rate(const Binding *b)
{
    const RateRow *rate = target_rate(b->target, b->spec->dtype);
    return rate && rate->is_tensor ? (int64_t)target_fmas(b->target, rate) : 0;
}

/* LAYOUT_W_KN: whether the operand W lies in its layout KN. */
static bool layout_flag(const Spec *s, const char *name, int64_t *value)
{
    const size_t len = strlen("LAYOUT_");
    for (int i = 0; strncmp(name, "LAYOUT_", len) == 0 && i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        const size_t n = strlen(o->name);
        for (int k = 0; strncasecmp(name + len, o->name, n) == 0 && name[len + n] == '_' && k < o->nlayout; k++)
            if (strcasecmp(name + len + n + 1, o->layout[k].name) == 0) {
                *value = s->layout[i] == k;
                return true;
            }
    }
    return false;
}

/* DTYPE_F16, LAYOUT_W_KN: whether the spec has that word of the op's. */
static bool context_flag(const Spec *s, const char *name, int64_t *value)
{
    static const char prefix[] = "DTYPE_";
    for (int i = 0; strncmp(name, prefix, strlen(prefix)) == 0 && i < s->op->ndtype; i++)
        if (strcasecmp(name + strlen(prefix), s->op->dtype[i]) == 0) {
            *value = strcmp(s->dtype, s->op->dtype[i]) == 0;
            return true;
        }
    return layout_flag(s, name, value);
}

bool template_context(void *ctx, const char *name, int64_t *value)
{
    static const Device none;
    const Binding *b = ctx;
    const Device *d = b->device ? b->device : &none;
    const struct {
        const char *name;
        int64_t value;
    } fact[] = { { "L1_BYTES", d->l1_bytes },
                 { "L2_BYTES", d->l2_bytes },
                 { "L3_BYTES", d->l3_bytes },
                 { "CORES", d->cores },
                 { "SMS", d->sms },
                 { "PACKED", b->spec->packed },
                 { "COLD", b->cold },
                 { "ACCURACY", (int64_t)b->spec->accuracy },
                 { "HAS_EPILOGUE", b->spec->formula != NULL },
                 { "EPILOGUE_CALLS", b->spec->formula && b->spec->formula->calls },
                 { "ROW_PASSES", b->spec->formula ? b->spec->formula->npass : 0 },
                 { "ROWS_ACROSS", b->spec->formula ? b->spec->formula->nacross : 0 },
                 { "EPILOGUE_READS", b->spec->formula && b->spec->formula->reads } };
    const int known = names_find(NAMES(fact, LENGTH(fact)), name);
    if (known >= 0)
        *value = fact[known].value;
    else if (target_fact(b->target, name, value))
        return true;
    else if (names_find(NAMES(template_kernel_fact, TEMPLATE_KERNEL_FACTS), name) >= 0)
        *value = kernel_fact(b, name);
    else if (template_asks(b->spec, name, value))
        return true;
    else if (strcmp(name, "EPILOGUE_FLAT") == 0)
        *value = spec_formula_is_flat(b->spec);
    else if (strcmp(name, "EPILOGUE_PLANES") == 0)
        *value = spec_formula_is_of_planes(b->spec);
    else if (strcmp(name, "ELEM_BYTES") == 0)
        *value = elem_bytes(b->spec);
    else if (strcmp(name, "TENSOR_SM") == 0)
        *value = tensor_rate(b);
    else if (strcmp(name, "MAX_THREADS") == 0)
        *value = b->spec->threads[b->spec->nthread - 1];
    else
        return context_flag(b->spec, name, value);
    return true;
}

/* REGS: as the compiler told, else the head's guess. False: there is neither. */
static bool register_count(const Binding *b, int64_t *value)
{
    *value = kernel_fact(b, "regs");
    return *value > 0 || (b->t->regs && expr_int(b->t->regs, template_lookup, (void *)b, value) == EXPR_OK);
}

/* False: no expression has this name, or it has no value. */
static bool named_value(const Binding *b, const NamedExpr *e, int n, const char *name, int64_t *value)
{
    const NamedExpr *named = names_row(NAMES(e, n), name);
    return named && expr_int(named->expr, template_lookup, (void *)b, value) == EXPR_OK;
}

static int64_t align_of(const Binding *b) { return b->align ? b->align : spec_align(b->spec, b->extent); }

static bool shape_lookup(const Binding *b, const char *name, int64_t *value)
{
    const int axis = op_axis(b->spec->op, name);
    const bool is_align = strcmp(name, "ALIGN") == 0;
    if (axis < 0 && !is_align && strcmp(name, "THREADS") != 0)
        return strcmp(name, "REGS") == 0 ? register_count(b, value)
                                         : named_value(b, b->t->derived, b->t->nderived, name, value);
    *value = axis >= 0 ? b->extent[axis] : is_align ? align_of(b) : b->threads;
    return true;
}

bool template_lookup(void *ctx, const char *name, int64_t *value)
{
    const Binding *b = ctx;
    const int param = names_find(NAMES(b->t->param, b->t->nparam), name);
    if (param >= 0)
        *value = b->value[param];
    return param >= 0 || named_value(b, b->t->value, b->t->nvalue, name, value) ||
           (b->extent && shape_lookup(b, name, value)) || template_context(ctx, name, value);
}

bool template_slots(const Binding *b, int64_t *slots)
{
    const Template *t = b->t;
    int n = 0;
    for (; n < b->spec->op->nextent; n++)
        slots[n] = b->extent[n];
    slots[n++] = b->threads;
    for (int i = 0; i < t->ncontext; i++, n++)
        if (!template_context((void *)b, t->slot[n], &slots[n]))
            slots[n] = 0;
    for (int i = 0; i < t->nparam; i++)
        slots[n++] = b->value[i];
    for (int i = 0; i < t->nvalue; i++)
        if (expr_int_at(t->value[i].expr, slots, &slots[n++]) != EXPR_OK)
            return false;
    if (t->regs && !register_count(b, &slots[n++]))
        return false;
    slots[n++] = align_of(b);
    for (int i = 0; i < t->nderived; i++)
        if (expr_int_at(t->derived[i].expr, slots, &slots[n++]) != EXPR_OK)
            return false;
    return true;
}

/* ---- kernels ---- */

/* Is the word in the list? An empty list stands for all words. */
static bool serves(const char *const *list, int n, const char *word)
{
    return n == 0 || (word && names_find(NAMES(list, n), word) >= 0);
}

static bool serves_layouts(const Template *t, const Spec *spec)
{
    for (int i = 0; i < spec->op->noperand; i++)
        if (t->layout[i] && !(t->layout[i] >> spec->layout[i] & 1))
            return false;
    return true;
}

/* Does it write the element type that the spec gives the output of an op that computes nothing by itself? */
static bool serves_output(const Template *t, const Spec *spec)
{
    const Storage *own = spec->op->reference ? NULL : spec_output(spec)->stored;
    return !own || storage_is_whole(own) || serves(t->dtype, t->ndtype, own->name);
}

/* Operands of formulas, and all of ops that are a formula alone, are read and written by what dcgen prints. */
static bool knows_strides(const Template *t, const Spec *spec)
{
    for (int i = 0; spec->op->reference && i < spec->op->noperand; i++)
        if (spec->op->operand[i].strided && !spec->op->operand[i].of_formula && !(t->strides >> i & 1))
            return false;
    return true;
}

Misfit template_misfit(const Template *t, const Spec *spec, const Target *target)
{
    if (t->family != target->family)
        return MISFIT_FAMILY;
    if (!serves(t->dtype, t->ndtype, spec->dtype))
        return MISFIT_DTYPE;
    if (!serves_output(t, spec))
        return MISFIT_OUTPUT;
    if (!serves_layouts(t, spec))
        return MISFIT_LAYOUT;
    if (!t->family->packed_alike && t->packed != spec->packed)
        return MISFIT_PACKED;
    return knows_strides(t, spec) ? MISFIT_NONE : MISFIT_STRIDES;
}

bool template_suits(const Template *t, const Spec *spec, const Target *target)
{
    return template_misfit(t, spec, target) == MISFIT_NONE;
}

const General *template_general(const Template *t, const Target *target, int i)
{
    for (; target; target = target->base) {
        int n = 0;
        for (const General *g = t->general; g < t->general + t->ngeneral; g++)
            if (strcmp(g->target, target->name) == 0 && n++ == i)
                return g;
        if (n)
            return NULL;
    }
    return NULL;
}

bool template_serves(const Binding *b)
{
    int64_t does = 1;
    return !b->t->serves || (expr_int(b->t->serves, template_lookup, (void *)b, &does) == EXPR_OK && does);
}

bool template_serves_any(const Binding *b)
{
    Binding at = *b;
    bool any = !b->t->serves;
    for (int i = 0; !any && i < b->t->nserved; i++) {
        at.extent = b->t->served[i];
        any = template_serves(&at);
    }
    return any;
}

/* A name's value; NULL: it is an extent. */
static Expr *known_value(void *ctx, const char *name)
{
    const Binding *b = ((void **)ctx)[0];
    int64_t value;
    return op_axis(b->spec->op, name) < 0 && template_lookup((void *)b, name, &value)
               ? expr_number(((void **)ctx)[1], value)
               : NULL;
}

Expr *template_condition(Arena *a, const Binding *b)
{
    Binding unbound = *b;
    int64_t holds;
    unbound.extent = NULL;
    if (!b->t->serves)
        return NULL;
    Expr *e = expr_condition(a, expr_substitute(a, b->t->serves, known_value, (void *[]){ &unbound, a }));
    return expr_is_number(e, &holds) && holds ? NULL : e;
}

const TypeWords type_words[TYPE_WORDS] = {
    { "LEFT_TYPE", "LEFT_ELEMENT", PART_LEFT },
    { "RIGHT_TYPE", "RIGHT_ELEMENT", PART_RIGHT },
    { "RESULT_TYPE", "RESULT_ELEMENT", PART_RESULT },
};

void template_type_words(FillScope *s, const Spec *spec)
{
    for (const TypeWords *w = type_words; w < type_words + TYPE_WORDS; w++) {
        const Storage *stored = spec_part(spec, w->part);
        if (stored)
            FILL_WORDS(s, WORD(w->type, stored->c_type), WORD(w->element, stored->name));
    }
}

char *template_fill(Arena *a, const Binding *b, const char *kernel, Diag *d)
{
    Binding unbound = *b;
    unbound.extent = NULL;
    const char *guard = target_guard(a, b->target);
    FillScope *words = fill_scope(a, NULL);
    const char *name = b->spec->name, *target = b->target->name;
    FILL_WORDS(words, WORD("NAME", name), WORD("PACKAGE", b->spec->package), WORD("KERNEL", kernel),
               WORD("MACHINE", target), WORD("DTYPE", b->spec->dtype),
               WORD("TARGET_ATTRIBUTE", arena_printf(a, "%s_TARGET_%s", b->spec->package, target)));
    template_type_words(words, b->spec);
    if (guard)
        FILL_WORDS(words, WORD("TARGET_GUARD", guard),
                   WORD("__launch_bounds__", arena_printf(a, "%s_%s_bounds", name, target)));
    const Fill f = {
        .lookup = template_lookup, .ctx = &unbound, .scope = words, .npiece = b->t->npiece, .piece = b->t->piece
    };
    return fill_text(a, b->t->src, b->t->body, &f, d);
}
