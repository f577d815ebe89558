/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest: asks whether there would be kernels if one thing of a spec were another, or two.
 */
#include "search/space/space.h"

#include <string.h>

enum { MAX_CHANGE = 64, MOST_TOLD = 3 };

/* What may be asked differently. Of each kind one answer is enough. */
typedef enum { CHANGE_DTYPE, CHANGE_LAYOUT, CHANGE_PACKED, CHANGE_TARGET, CHANGE_FORMULA, CHANGE_LIMITS } ChangeKind;

typedef struct {
    ChangeKind kind;
    const char *text;  /* as a spec says it */
    const char *dtype; /* of CHANGE_DTYPE */
    int operand, layout;
    const Target *target;
} Change;

typedef struct {
    Arena *arena;
    const Spec *spec;
    const TemplateList *templates;
    const Target *target;
    const Device *device; /* of the target's family; NULL: what is typical of a target */
    Device cpu;           /* this machine; no name: it cannot be told */
    int n;
    Change change[MAX_CHANGE];
} Asked;

static void add_change(Asked *q, Change c)
{
    if (q->n < MAX_CHANGE)
        q->change[q->n++] = c;
}

static void list_layouts(Asked *q)
{
    const Op *op = q->spec->op;
    for (int i = 0; i < op->noperand; i++)
        for (int k = 0; k < op->operand[i].nlayout; k++)
            if (k != q->spec->layout[i] && !op->operand[i].layout_of)
                add_change(q, (Change){ .kind = CHANGE_LAYOUT,
                                        .operand = i,
                                        .layout = k,
                                        .text = arena_printf(q->arena, "layout = { %s = \"%s\"; }", op->operand[i].name,
                                                             op->operand[i].layout[k].name) });
    if (q->spec->const_operand >= 0)
        add_change(
            q, (Change){ .kind = CHANGE_PACKED,
                         .text = q->spec->packed ? "layout = { packed = false; }" : "layout = { packed = true; }" });
}

/* CPUs' targets are asked for only if this machine runs them; the best of them goes by the family's word for it. */
static void list_targets(Asked *q, const TargetList *list)
{
    bool is_best = true;
    for (int i = 0; i < list->n; i++) {
        const Target *t = &list->t[i];
        const bool is_here = !t->family->off_cpu && q->cpu.name && device_runs(&q->cpu, t);
        const char *name = is_here && is_best ? t->family->best : t->name;
        is_best = is_best && !is_here;
        if (t != q->target && (is_here || t->family->off_cpu))
            add_change(q, (Change){ .kind = CHANGE_TARGET,
                                    .target = t,
                                    .text = arena_printf(q->arena, "target = [\"%s\"]", name) });
    }
}

static void list_changes(Asked *q, const TargetList *targets)
{
    const Spec *s = q->spec;
    for (int i = 0; i < s->op->ndtype; i++)
        if (strcmp(s->op->dtype[i], s->dtype) != 0)
            add_change(q, (Change){ .kind = CHANGE_DTYPE,
                                    .dtype = s->op->dtype[i],
                                    .text = arena_printf(q->arena, "dtype = \"%s\"", s->op->dtype[i]) });
    list_layouts(q);
    list_targets(q, targets);
    if (s->formula && s->op->reference && s->op->nsum == 1)
        add_change(q, (Change){ .kind = CHANGE_FORMULA, .text = "no epilogue" });
    if (s->nlimit)
        add_change(q, (Change){ .kind = CHANGE_LIMITS, .text = "no 'space'" });
}

static void apply(const Change *c, Spec *s, const Target **t)
{
    s->dtype = c->kind == CHANGE_DTYPE ? c->dtype : s->dtype;
    s->packed = s->packed != (c->kind == CHANGE_PACKED);
    s->formula = c->kind == CHANGE_FORMULA ? NULL : s->formula;
    s->nlimit = c->kind == CHANGE_LIMITS ? 0 : s->nlimit;
    *t = c->kind == CHANGE_TARGET ? c->target : *t;
    const Operand *o = s->op->operand;
    for (int i = 0; c->kind == CHANGE_LAYOUT && i < s->op->noperand; i++)
        if (i == c->operand || (o[i].layout_of && strcmp(o[i].layout_of, o[c->operand].name) == 0))
            s->layout[i] = c->layout;
}

static Device device_for(Arena *a, const Asked *q, const Target *t)
{
    if (q->device && t->family == q->target->family)
        return *q->device;
    return t->family->off_cpu ? device_typical(a, t) : q->cpu;
}

static bool would_do(const Asked *q, const Change *one, const Change *other)
{
    Arena *a = arena_new();
    Spec *s = ARENA_NEW(a, Spec);
    const Target *t = q->target;
    const char *why = NULL;
    *s = *q->spec;
    apply(one, s, &t);
    if (other)
        apply(other, s, &t);
    const Device device = device_for(a, q, t);
    const bool ok = space_find(a, s, q->templates, t, &device, &why, diag_new(a)) && !why;
    arena_free(a);
    return ok;
}

/* Single changes that would do, one of each kind; else two that would do together. */
static const char *answer(const Asked *q)
{
    Text t = { .arena = q->arena };
    unsigned told = 0;
    int n = 0;
    for (const Change *c = q->change; c < q->change + q->n && n < MOST_TOLD; c++)
        if (!(told >> c->kind & 1) && would_do(q, c, NULL)) {
            text_printf(&t, n++ ? ", or %s" : "%s would do", c->text);
            told |= 1u << c->kind;
        }
    for (const Change *c = q->change; c < q->change + q->n && n == 0; c++)
        for (const Change *e = c + 1; e < q->change + q->n && n == 0; e++)
            if (e->kind != c->kind && would_do(q, c, e))
                n = 1, text_printf(&t, "%s together with %s would do", c->text, e->text);
    if (n == 0)
        text_add(&t, "no other dtype, layout or target would do");
    return arena_strdup(q->arena, text_str(&t));
}

/* "op rows, formula softmax[n](x[m,n]), dtype f16, target avx2" */
static const char *asked_text(Arena *a, const Spec *s, const Target *target)
{
    enum { MOST = 60 }; /* of a formula's characters */
    Text t = { .arena = a };
    const char *formula = spec_formula_text(s), *layout = spec_layout_text(a, s);
    text_printf(&t, "op %s", s->op->name);
    if (*formula)
        text_printf(&t, ", %s %.*s%s", s->op->reference ? "epilogue" : "formula", MOST, formula,
                    strlen(formula) > MOST ? "..." : "");
    text_printf(&t, ", dtype %s%s%s%s, target %s", s->dtype, *layout ? ", layout " : "", layout,
                s->packed ? ", packed" : "", target->name);
    return arena_strdup(a, text_str(&t));
}

void nearest_say(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                 const TargetList *targets, const char *why, Diag *d)
{
    Asked *q = ARENA_NEW(a, Asked);
    const char *unknown;
    *q = (Asked){ .arena = a, .spec = spec, .templates = templates, .target = target, .device = device };
    if (!device_probe(a, targets, &q->cpu, &unknown))
        q->cpu = (Device){ 0 };
    list_changes(q, targets);
    diag_error(d, spec->name_loc, "no kernel computes '%s' (%s): %s; %s", spec->function ? spec->function : spec->name,
               asked_text(a, spec, target), why, answer(q));
}
