/* SPDX-License-Identifier: Apache-2.0
 *
 * template: what the names in a template stand for, and the text of one of its kernels.
 */
#include "gen/template/template.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "gen/spec/dtype.h"
#include "gen/template/fill.h"

/* ---- what the names stand for ---- */

static bool context_flag(const Spec *s, const char *name, int64_t *value)
{
    if (strncmp(name, "HAS_", 4) == 0) {
        for (int i = 0; i < s->op->nepilogue; i++)
            if (strcasecmp(name + 4, s->op->epilogue[i]) == 0) {
                *value = spec_has_epilogue(s, s->op->epilogue[i]);
                return true;
            }
        return false;
    }
    if (strncmp(name, "LAYOUT_", 7) == 0 && s->const_operand >= 0) {
        const Operand *o = &s->op->operand[s->const_operand];
        for (int i = 0; i < o->nlayout; i++)
            if (strcmp(name + 7, o->layout[i]) == 0) {
                *value = strcmp(s->layout, o->layout[i]) == 0;
                return true;
            }
        return false;
    }
    if (strcmp(name, "PACKED") == 0) {
        *value = s->packed;
        return true;
    }
    return false;
}

static bool dtype_flag(const Spec *s, const char *name, int64_t *value)
{
    for (int i = 0; i < s->op->ndtype; i++)
        if (strcasecmp(name + strlen("DTYPE_"), s->op->dtype[i]) == 0) {
            *value = strcmp(s->dtype, s->op->dtype[i]) == 0;
            return true;
        }
    return false;
}

/* What the compiler or the emulator told of this kernel, the name in small letters there. */
static int64_t kernel_fact(const Binding *b, const char *name, int64_t unknown)
{
    for (int i = 0; i < b->facts.n; i++)
        if (strcasecmp(b->facts.fact[i].name, name) == 0)
            return b->facts.fact[i].value;
    return unknown;
}

static int64_t elem_bytes(const Spec *s)
{
    const Dtype *d = dtype_find(s->dtype);
    return d ? (int64_t)d->bytes : 0;
}

/* Of mma.sync, for the spec's element type. */
static int64_t tensor_rate(const Binding *b)
{
    const RateRow *rate = target_rate(b->target, b->spec->dtype);
    return rate && rate->is_tensor ? target_number(b->target, rate->fact) : 0;
}

const char *template_kernel_fact(int i)
{
    static const char *const name[] = { "SECTORS_READ", "SECTORS_WRITTEN", "WAVEFRONTS", "CONFLICTS", "BARRIERS" };
    return i < (int)(sizeof name / sizeof *name) ? name[i] : NULL;
}

static bool device_fact(const Binding *b, const char *name, int64_t *value)
{
    const struct {
        const char *name;
        int64_t value;
    } fact[] = { { "L1_BYTES", b->device ? b->device->l1_bytes : 0 },
                 { "L2_BYTES", b->device ? b->device->l2_bytes : 0 },
                 { "L3_BYTES", b->device ? b->device->l3_bytes : 0 },
                 { "CORES", b->device ? b->device->cores : 0 },
                 { "SMS", b->device ? b->device->sms : 0 } };
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
        if (strcmp(fact[i].name, name) == 0) {
            *value = fact[i].value;
            return true;
        }
    return false;
}

bool template_context(void *ctx, const char *name, int64_t *value)
{
    const Binding *b = ctx;
    if (device_fact(b, name, value) || target_fact(b->target, name, value))
        return true;
    if (strncmp(name, "DTYPE_", 6) == 0)
        return dtype_flag(b->spec, name, value);
    for (int i = 0; template_kernel_fact(i); i++)
        if (strcmp(name, template_kernel_fact(i)) == 0) {
            *value = kernel_fact(b, name, 0);
            return true;
        }
    if (strcmp(name, "ELEM_BYTES") == 0 || strcmp(name, "TENSOR_SM") == 0) {
        *value = *name == 'E' ? elem_bytes(b->spec) : tensor_rate(b);
        return true;
    }
    if (strcmp(name, "MAX_THREADS") == 0) {
        *value = b->spec->threads[b->spec->nthread - 1];
        return true;
    }
    return context_flag(b->spec, name, value);
}

/* REGS: as the compiler told, else the head's guess. False: neither. */
static bool registers(const Binding *b, int64_t *value)
{
    *value = kernel_fact(b, "regs", 0);
    return *value > 0 || (b->t->regs && expr_int(b->t->regs, template_lookup, (void *)b, value) == EXPR_OK);
}

static bool shape_lookup(const Binding *b, const char *name, int64_t *value)
{
    int axis = op_axis(b->spec->op, name);
    if (axis >= 0)
        *value = b->extent[axis];
    else if (strcmp(name, "THREADS") == 0)
        *value = b->threads;
    else if (strcmp(name, "REGS") == 0)
        return registers(b, value);
    else {
        for (int i = 0; i < b->t->nderived; i++)
            if (strcmp(name, b->t->derived[i].name) == 0)
                return expr_int(b->t->derived[i].expr, template_lookup, (void *)b, value) == EXPR_OK;
        return false;
    }
    return true;
}

bool template_lookup(void *ctx, const char *name, int64_t *value)
{
    const Binding *b = ctx;
    for (int i = 0; i < b->t->nparam; i++)
        if (strcmp(name, b->t->param[i].name) == 0) {
            *value = b->value[i];
            return true;
        }
    for (int i = 0; i < b->t->nvalue; i++)
        if (strcmp(name, b->t->value[i].name) == 0)
            return expr_int(b->t->value[i].expr, template_lookup, ctx, value) == EXPR_OK;
    if (b->extent && shape_lookup(b, name, value))
        return true;
    return template_context(ctx, name, value);
}

bool template_slots(const Binding *b, int64_t *slots)
{
    const Template *t = b->t;
    int n = 0, naxis = b->spec->op->naxis;
    for (; n < naxis; n++)
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
    if (t->regs && !registers(b, &slots[n++]))
        return false;
    for (int i = 0; i < t->nderived; i++)
        if (expr_int_at(t->derived[i].expr, slots, &slots[n++]) != EXPR_OK)
            return false;
    return true;
}

/* ---- kernels ---- */

/* An empty list names all. */
static bool names(const char *const *list, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (word && strcmp(list[i], word) == 0)
            return true;
    return n == 0;
}

bool template_suits(const Template *t, const Spec *spec, const Target *target)
{
    return t->family == target->family && (t->family->reads_any_copy || t->packed == spec->packed) &&
           names(t->dtype, t->ndtype, spec->dtype) && names(t->layout, t->nlayout, spec->layout);
}

bool template_occurs(const Template *t, const int64_t *value)
{
    for (int k = 0; k < t->ntogether; k++) {
        bool all = true;
        for (int i = 0; i < t->nparam; i++)
            all = all && (t->param[i].axis < 0 || value[i] == 0 || value[i] == t->together[k][t->param[i].axis]);
        if (all)
            return true;
    }
    return t->ntogether == 0;
}

char *template_fill(Arena *a, const Binding *b, const char *kernel, Diag *d)
{
    Binding unbound = *b;
    unbound.extent = NULL;
    const char *guard = target_guard(a, b->target);
    FillScope *words = fill_scope(a, NULL);
    const char *name = b->spec->name, *target = b->target->name;
    fill_word(words, "NAME", name);
    fill_word(words, "KERNEL", kernel);
    fill_wordf(words, "TARGET_ATTRIBUTE", "%s_TARGET_%s", name, target);
    if (guard) {
        fill_word(words, "TARGET_GUARD", guard);
        fill_wordf(words, "__launch_bounds__", "%s_%s_bounds", name, target);
    }
    const Fill f = {
        .lookup = template_lookup, .ctx = &unbound, .scope = words, .npiece = b->t->npiece, .piece = b->t->piece
    };
    return fill_text(a, b->t->src, b->t->body, &f, d);
}
