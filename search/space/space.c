/* SPDX-License-Identifier: Apache-2.0
 *
 * space: enumerates the combinations of the parameters of all templates that suit a spec and a target.
 */
#include "search/space/space.h"

#include <string.h>

/* Parameters are chosen one after the other; a constraint is checked as soon as all parameters that it needs are chosen, so that
 * whole subtrees fall at once. */
typedef struct {
    Arena *arena;
    Space *space;
    Binding binding;
    int64_t value[TEMPLATE_MAX_PARAM];
    Candidate candidate;
    int depth_of[TEMPLATE_MAX_CONSTRAINT]; /* number of parameters that must be chosen before */
    Rejection *rejection;                  /* one a constraint */
    int64_t cap;
    bool ok;
    Diag *diag;
} Enumeration;

static int need_depth(const Template *t, const Expr *e)
{
    int depth = 0;
    for (const ExprName *n = expr_names(e); n; n = n->next) {
        for (int i = depth; i < t->nparam; i++)
            if (strcmp(t->param[i].name, n->name) == 0)
                depth = i + 1;
        for (int i = 0; i < t->nvalue; i++)
            if (strcmp(t->value[i].name, n->name) == 0) {
                const int below = need_depth(t, t->value[i].expr);
                depth = below > depth ? below : depth;
            }
    }
    return depth;
}

static int64_t remaining(const Template *t, const Spec *spec, int depth)
{
    int64_t n = 1;
    for (int i = depth; i < t->nparam; i++) {
        int64_t wanted = 0;
        for (int k = 0; k < t->param[i].nchoice; k++)
            wanted += spec_wants(spec, t->param[i].name, t->param[i].choice[k]);
        n *= wanted;
    }
    return n;
}

/* The first constraint that became checkable at this depth and fails; -1: none. */
static int failing(Enumeration *e, int depth)
{
    const Template *t = e->binding.t;
    for (int i = 0; i < t->nconstraint; i++) {
        int64_t holds = 0;
        if (e->depth_of[i] != depth)
            continue;
        ExprStatus status = expr_int(t->constraint[i].need, template_lookup, &e->binding, &holds);
        if (status != EXPR_OK) {
            diag_error(e->diag, expr_loc(t->constraint[i].need), "this constraint %s", expr_status_text(status));
            e->ok = false;
        }
        if (status != EXPR_OK || !holds)
            return i;
    }
    return -1;
}

static void keep(Enumeration *e)
{
    Space *s = e->space;
    if (s->n == SPACE_MAX) {
        diag_error(e->diag, (Loc){ .src = e->binding.t->src },
                   "more than %d combinations of parameters; add constraints", SPACE_MAX);
        e->ok = false;
        return;
    }
    if (s->n == e->cap) {
        int64_t cap = e->cap ? 2 * e->cap : 4096;
        s->candidate = arena_grow(e->arena, s->candidate, (size_t)e->cap, (size_t)cap, sizeof *s->candidate);
        e->cap = cap;
    }
    s->candidate[s->n++] = e->candidate;
}

static void choose(Enumeration *e, int depth)
{
    const Template *t = e->binding.t;
    int bad = failing(e, depth);
    if (bad >= 0) {
        e->rejection[bad].count += remaining(t, e->binding.spec, depth);
        return;
    }
    if (depth == t->nparam) {
        if (template_occurs(t, e->value))
            keep(e);
        else
            e->space->nraw--; /* fixed for extents that no shape has together: not a combination */
        return;
    }
    for (int i = 0; i < t->param[depth].nchoice && e->ok; i++) {
        e->candidate.choice[depth] = (uint8_t)i;
        e->value[depth] = t->param[depth].choice[i];
        if (spec_wants(e->binding.spec, t->param[depth].name, e->value[depth]))
            choose(e, depth + 1);
    }
    e->candidate.choice[depth] = 0;
}

static bool enumerate(Enumeration *e, const Template *t)
{
    Space *s = e->space;
    e->binding.t = t;
    e->candidate = (Candidate){ .t = t, .target = e->binding.target };
    s->rejection = arena_grow(e->arena, s->rejection, (size_t)s->nrejection, (size_t)(s->nrejection + t->nconstraint),
                              sizeof *s->rejection);
    e->rejection = s->rejection + s->nrejection;
    s->nrejection += t->nconstraint;
    for (int i = 0; i < t->nconstraint; i++) {
        e->rejection[i] = (Rejection){ t, &t->constraint[i], 0 };
        e->depth_of[i] = need_depth(t, t->constraint[i].need);
    }
    s->nraw += remaining(t, e->binding.spec, 0);
    choose(e, 0);
    return e->ok;
}

static bool add_general(Enumeration *e, const Template *t)
{
    Space *s = e->space;
    const Target *target = e->binding.target;
    for (int i = 0; i < t->ngeneral; i++) {
        Candidate c;
        if (strcmp(t->general[i].target, target->name) != 0)
            continue;
        bool chosen = candidate_from_values(t, target, t->general[i].value, &c);
        if (!chosen || !candidate_fits(&c, e->binding.spec, e->binding.device)) {
            diag_error(e->diag, t->general[i].loc, "the general kernel for '%s' %s", target->name,
                       chosen ? "breaks a constraint on this device"
                              : "has a value that is none of its parameter's choices");
            return false;
        }
        s->general = arena_grow(e->arena, s->general, (size_t)s->ngeneral, (size_t)s->ngeneral + 1, sizeof *s->general);
        s->general[s->ngeneral++] = c;
    }
    return true;
}

Space *space_make(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  Diag *d)
{
    Space *s = ARENA_NEW(a, Space);
    Enumeration e = { .arena = a, .space = s, .ok = true, .diag = d };
    e.binding = (Binding){ .spec = spec, .target = target, .device = device, .value = e.value, .threads = 1 };
    for (int i = 0; i < templates->n; i++)
        if (template_suits(templates->t[i], spec, target) &&
            (!enumerate(&e, templates->t[i]) || !add_general(&e, templates->t[i])))
            return NULL;
    if (!s->n || !s->ngeneral) {
        diag_error(d, (Loc){ .src = spec->src }, "no template of op '%s' %s for target '%s', layout '%s', %s",
                   spec->op->name, s->n ? "has a general kernel" : "suits", target->name,
                   spec->layout ? spec->layout : "-", spec->packed ? "packed" : "not packed");
        return NULL;
    }
    return s;
}
