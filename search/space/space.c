/* SPDX-License-Identifier: Apache-2.0
 *
 * space: enumerates the combinations of the parameters of all templates that suit a spec and a target.
 */
#include "search/space/space.h"

#include <inttypes.h>
#include <string.h>

/* A walk over the combinations of one template's parameters. Parameters are chosen one after the other; a constraint is
 * checked as soon as all parameters that it needs are chosen, so that whole subtrees fall at once. */
typedef struct {
    Arena *arena;
    Space *space;
    Binding binding;
    int64_t value[TEMPLATE_MAX_PARAM];
    Candidate candidate;
    int depth_of[TEMPLATE_MAX_CONSTRAINT]; /* a constraint is checked when so many parameters are chosen */
    Rejection *rejection;                  /* one a constraint */
    bool ok;
    Diag *diag;
} Enumeration;

static int depth_needed(const Template *t, const Expr *e)
{
    int depth = 0;
    for (const ExprName *n = expr_names(e); n; n = n->next) {
        const int param = names_find(NAMES(t->param, t->nparam), n->name);
        const int value = names_find(NAMES(t->value, t->nvalue), n->name);
        const int need = value >= 0 ? depth_needed(t, t->value[value].expr) : param + 1;
        depth = need > depth ? need : depth;
    }
    return depth;
}

/* How many combinations there are of the parameters that are not chosen yet, of values that the spec wants. */
static int64_t count_remaining(const Template *t, const Spec *spec, int depth)
{
    int64_t n = 1;
    for (int i = depth; i < t->nparam; i++) {
        int64_t wanted = 0;
        for (int k = 0; k < t->param[i].nchoice; k++)
            wanted += t->param[i].searched >> k & 1 && spec_wants(spec, t->param[i].name, t->param[i].choice[k]);
        n *= wanted;
    }
    return n;
}

/* The first constraint that became checkable at this depth and fails; -1: none. */
static int failing_constraint(Enumeration *e, int depth)
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

static void keep_candidate(Enumeration *e)
{
    Space *s = e->space;
    if (s->n == SPACE_MAX) {
        diag_error(e->diag, (Loc){ .src = e->binding.t->head },
                   "more than %d combinations of parameters; add constraints", SPACE_MAX);
        e->ok = false;
        return;
    }
    const size_t n = (size_t)s->n;
    if ((n & (n - 1)) == 0) /* the list is full: it doubles whenever its length is a power of two */
        s->candidate = arena_grow(e->arena, s->candidate, n, n ? 2 * n : 1, sizeof *s->candidate);
    s->candidate[s->n++] = e->candidate;
}

static void choose_from(Enumeration *e, int depth)
{
    const Template *t = e->binding.t;
    int failing = failing_constraint(e, depth);
    if (failing >= 0) {
        e->rejection[failing].count += count_remaining(t, e->binding.spec, depth);
        return;
    }
    if (depth == t->nparam) {
        if (template_serves_any(&e->binding))
            keep_candidate(e);
        else
            e->space->nraw--; /* it serves no shape of the spec, and does not count as a combination */
        return;
    }
    for (int i = 0; i < t->param[depth].nchoice && e->ok; i++) {
        e->candidate.choice[depth] = (uint8_t)i;
        e->value[depth] = t->param[depth].choice[i];
        if (t->param[depth].searched >> i & 1 && spec_wants(e->binding.spec, t->param[depth].name, e->value[depth]))
            choose_from(e, depth + 1);
    }
    e->candidate.choice[depth] = 0;
}

static bool enumerate_template(Enumeration *e, const Template *t)
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
        e->depth_of[i] = depth_needed(t, t->constraint[i].need);
    }
    s->nraw += count_remaining(t, e->binding.spec, 0);
    choose_from(e, 0);
    return e->ok;
}

/* Adds a general kernel of the template, unless it serves no shape of the spec. It may break a constraint only where
 * all of the template's candidates do, as it is not for such specs then, or of another target. has_any: some do not. */
static bool add_general(Enumeration *e, const Template *t, const General *general, bool has_any)
{
    Space *s = e->space;
    const Target *target = e->binding.target;
    Candidate c;
    const bool chosen = candidate_from_values(t, target, general->value, &c);
    const Binding b = { .t = t, .spec = e->binding.spec, .target = target, .value = general->value };
    if (chosen && !template_serves_any(&b))
        return true;
    const bool fits = chosen && candidate_fits(&c, e->binding.spec, e->binding.device);
    if (chosen && !fits && (!has_any || strcmp(general->target, target->name) != 0))
        return true;
    if (!fits) {
        diag_error(e->diag, general->loc, "the general kernel for '%s' %s", target->name,
                   chosen ? "breaks a constraint on this device"
                          : "has a value that is none of its parameter's choices");
        return false;
    }
    s->general = arena_grow(e->arena, s->general, (size_t)s->ngeneral, (size_t)s->ngeneral + 1, sizeof *s->general);
    s->general[s->ngeneral++] = c;
    return true;
}

static bool add_generals(Enumeration *e, const Template *t, bool has_any)
{
    const General *general;
    for (int i = 0; (general = template_general(t, e->binding.target, i)); i++)
        if (!add_general(e, t, general, has_any))
            return false;
    return true;
}

/* ---- why there are none ---- */

static const char *dtypes_text(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target)
{
    Text t = { .arena = a };
    for (int i = 0; i < spec->op->ndtype; i++)
        for (int k = 0; k < templates->n; k++) {
            Spec other = *spec;
            other.dtype = spec->op->dtype[i];
            if (template_misfit(templates->t[k], &other, target) > MISFIT_DTYPE) {
                text_printf(&t, "%s%s", t.len ? ", " : "", other.dtype);
                break;
            }
        }
    return arena_strdup(a, text_str(&t));
}

static const char *constraints_text(Arena *a, const Space *s, const Spec *spec)
{
    const Rejection *most = s->rejection;
    const char *of = spec->nlimit ? " with the values that 'space' allows" : "";
    if (!s->nraw)
        return arena_printf(a, "no template has a combination of parameters%s", of);
    for (int i = 0; i < s->nrejection; i++)
        most = s->rejection[i].count > most->count ? &s->rejection[i] : most;
    return arena_printf(
        a, "each of the %" PRId64 " combinations of parameters%s breaks a constraint, most often of %s: %s", s->nraw,
        of, most->t->name, most->constraint->why);
}

static const char *why_none(Arena *a, const Space *s, const Spec *spec, const TemplateList *templates,
                            const Target *target)
{
    const char *device = target->family->device;
    Misfit least = MISFIT_FAMILY;
    for (int i = 0; i < templates->n; i++) {
        const Misfit m = template_misfit(templates->t[i], spec, target);
        least = m > least ? m : least;
    }
    switch (least) {
    case MISFIT_FAMILY:
        return arena_printf(a, "the op has no template for %ss", device);
    case MISFIT_DTYPE:
        return arena_printf(a, "its templates for %ss serve %s", device, dtypes_text(a, spec, templates, target));
    case MISFIT_OUTPUT:
        return arena_printf(a, "no template for %ss writes '%s' in %s", device, spec_output(spec)->name,
                            spec_output(spec)->stored->name);
    case MISFIT_LAYOUT:
        return arena_printf(a, "no template for %ss and %s serves this layout", device, spec->dtype);
    case MISFIT_PACKED:
        return arena_printf(a, "no template for %ss, %s and this layout reads the constant operand %s", device,
                            spec->dtype, spec->packed ? "packed" : "as it is");
    case MISFIT_STRIDES:
        return arena_printf(
            a, "no template for %ss, %s and this layout knows strides of all operands that 'strides' names", device,
            spec->dtype);
    case MISFIT_NONE:
        break;
    }
    return s->n ? arena_printf(a, "no template that serves it has a general kernel for '%s'", target->name)
                : constraints_text(a, s, spec);
}

Space *space_find(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  const char **why, Diag *d)
{
    Space *s = ARENA_NEW(a, Space);
    Enumeration e = { .arena = a, .space = s, .ok = true, .diag = d };
    e.binding = (Binding){ .spec = spec, .target = target, .device = device, .value = e.value, .threads = 1 };
    for (int i = 0; i < templates->n; i++) {
        const int64_t before = s->n;
        if (template_suits(templates->t[i], spec, target) &&
            (!enumerate_template(&e, templates->t[i]) || !add_generals(&e, templates->t[i], s->n > before)))
            return NULL;
    }
    *why = s->n && s->ngeneral ? NULL : why_none(a, s, spec, templates, target);
    return s;
}

Space *space_make(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  Diag *d)
{
    const char *why = NULL;
    Space *s = space_find(a, spec, templates, target, device, &why, d);
    if (s && why)
        diag_error(d, spec->name_loc, "no kernel computes '%s': %s", spec->name, why);
    return why ? NULL : s;
}
