/* SPDX-License-Identifier: Apache-2.0
 *
 * record_spec: takes a function's spec, gives its record; takes records that do not suit it, and says what each kernel of them is of, equal words
 * counted once.
 *
 * A kernel's record does not name its spec. Its key is made of the spec's context, so it belongs to the spec whose context gives that key.
 */
#include "search/record/record_spec.h"

#include <string.h>
#include "gen/base/number.h"
#include "gen/base/text.h"
#include "search/record/record_type.h"

/* ---- the record ---- */

/* The operands that the formula brings whose type is not the spec's. */
static const char *types_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        if (o->of_formula && o->dtype && strcmp(o->dtype, s->dtype) != 0)
            text_printf(&t, "%s%s: %s", t.len ? ", " : "", o->name, o->dtype);
    return text_str(&t);
}

/* The operands that the formula gathers from, with their extents. */
static const char *extents_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        for (int i = 0; o->of_formula && o->reads && i < o->layout->rank; i++)
            text_printf(&t, "%s%s%s%s", i || !t.len ? "" : ", ", i ? " x " : o->name, i ? "" : ": ",
                        expr_text(o->layout->extent[i]));
    return text_str(&t);
}

SpecRecord record_spec(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    SpecRecord r = { .context = unit_context_hash(a, u),
                     .spec = s->package,
                     .function = s->function ? s->function : "",
                     .target = u->target->name,
                     .op = s->op->name,
                     .dtype = s->dtype,
                     .layout = spec_layout_text(a, s),
                     .packed = s->packed,
                     .formula = spec_formula_text(s),
                     .types = types_text(a, s),
                     .extents = extents_text(a, s),
                     .accuracy = s->accuracy };
    SpecRecord out;
    for (int i = 0; i < s->op->ngiven; i++)
        if (spec_is_constant(s, i))
            r.constant[r.nconstant++] = (Param){ s->op->extent[i].name, s->box.min[i] };
    record_copy(a, &record_types[RECORD_SPEC], &r, &out);
    return out;
}

/* ---- what differs ---- */

/* How near a kernel is to the spec: of it and these templates, of it alone, of one of its name, of its op and dtype, of its target and device. */
typedef enum { NEAR_ALL, NEAR_SPEC, NEAR_NAME, NEAR_OP, NEAR_TARGET, NEAR_NOTHING } Near;

/* Kernels of which the same is to be said. */
typedef struct {
    const char *what; /* "of spec 'x', which has packed = true (here false)" */
    int64_t n;
} Kind;

typedef struct {
    Arena *arena;
    const Study *study;
    const TemplateList *templates;
    const Records *records;
    SpecRecord spec; /* the one at hand */
    Near near;       /* of the kinds: the nearest that was seen */
    int nkind;
    Kind *kind;
} Holding;

/* Counts a kernel that is so near to the spec. Those that are farther than another one are not told. */
static void count_kernel(Holding *h, Near near, const char *what)
{
    int i = 0;
    if (near > h->near)
        return;
    if (near < h->near)
        h->nkind = 0;
    h->near = near;
    while (i < h->nkind && strcmp(h->kind[i].what, what) != 0)
        i++;
    if (i == h->nkind)
        h->kind[h->nkind++] = (Kind){ what, 0 };
    h->kind[i].n++;
}

/* Does a kernel's key follow from this context and what its record says of it? */
static bool is_of(const Holding *h, const KernelRecord *k, const char *context)
{
    const CandidateNames c = { k->template_name, k->template_hash, k->target, k->nparam, k->param };
    return strcmp(candidate_key_of(h->arena, &c, context, h->study->device), k->key) == 0;
}

static const SpecRecord *spec_of(const Holding *h, const KernelRecord *k)
{
    const SpecRecord *s = h->records->spec, *end = s + h->records->nspec;
    while (s < end && !is_of(h, k, s->context))
        s++;
    return s < end ? s : NULL;
}

/* Which template here the kernel lacks; NULL: none. */
static const char *lacks_template(const Holding *h, const KernelRecord *k)
{
    const Template *t = NULL;
    for (int i = 0; i < h->templates->n && !t; i++)
        if (strcmp(h->templates->t[i]->name, k->template_name) == 0)
            t = h->templates->t[i];
    if (!t)
        return arena_printf(h->arena, "of template '%s', which is not here", k->template_name);
    const char *file = strrchr(t->head->path, '/');
    return strcmp(t->hash, k->template_hash) == 0
               ? NULL
               : arena_printf(h->arena, "of another version of %s/%s", h->study->spec->op->templates,
                              file ? file + 1 : t->head->path);
}

static bool has_times(const Holding *h, const char *key)
{
    const MeasureRecord *m = h->records->measure, *end = m + h->records->nmeasure;
    while (m < end && !(m->nsample > 0 && strcmp(m->key, key) == 0 && strcmp(m->device, h->study->device->id) == 0))
        m++;
    return m < end;
}

/* Why a kernel of this spec and these templates cannot be chosen. */
static const char *why_not(const Holding *h, const KernelRecord *k)
{
    const int64_t i = study_find_key(h->study, k->key);
    const Status status = i >= 0 ? h->study->trial[i].status : k->status;
    if (status != STATUS_OK)
        return arena_printf(h->arena, "of this spec that failed (%s)", status_name(status));
    return has_times(h, k->key) ? "of this spec, timed on other shapes than it tunes, or not in its space"
                                : "of this spec, not timed";
}

/* Counts a kernel of the target and device whose spec is another one, or is not known (NULL). */
static void count_other_spec(Holding *h, const KernelRecord *k, const SpecRecord *s)
{
    const SpecRecord *here = &h->spec;
    const bool same_op = strcmp(k->op, here->op) == 0 && strcmp(k->dtype, here->dtype) == 0;
    const bool same_name = s && strcmp(s->spec, here->spec) == 0 && strcmp(s->function, here->function) == 0;
    const char *what = same_op ? "of another spec, or made by another version of dcgen: the records do not say which"
                               : arena_printf(h->arena, "of op '%s' in %s", k->op, k->dtype);
    if (s) {
        const char *differs = record_differs(h->arena, &record_types[RECORD_SPEC], s, here);
        what = arena_printf(h->arena, "of spec '%s'%s%s%s, %s%s", s->spec, *s->function ? ", function '" : "",
                            s->function, *s->function ? "'" : "", *differs ? "which has " : "",
                            *differs ? differs : "made by another version of dcgen");
    }
    count_kernel(h, same_name ? NEAR_NAME : same_op ? NEAR_OP : NEAR_TARGET, what);
    const char *lacks = same_op ? lacks_template(h, k) : NULL;
    if (lacks)
        count_kernel(h, same_name ? NEAR_NAME : NEAR_OP, lacks);
}

/* Counts a kernel of another target or device. */
static void count_elsewhere(Holding *h, const KernelRecord *k)
{
    const Study *s = h->study;
    const Records *r = h->records;
    const char *differs = "";
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, k->device) == 0)
            differs = record_differs(h->arena, &record_types[RECORD_DEVICE], &r->device[i], s->device);
    if (strcmp(k->target, s->target->name) != 0)
        count_kernel(h, NEAR_NOTHING, arena_printf(h->arena, "for target '%s'", k->target));
    else
        count_kernel(h, NEAR_NOTHING,
                     arena_printf(h->arena, "of a device with %s", *differs ? differs : "another driver"));
}

static bool is_here(const Holding *h, const KernelRecord *k)
{
    return strcmp(k->device, h->study->device->id) == 0 && strcmp(k->target, h->study->target->name) == 0;
}

static void hold_kernel(Holding *h, const KernelRecord *k)
{
    if (!is_here(h, k)) {
        count_elsewhere(h, k);
    } else if (!is_of(h, k, h->spec.context)) {
        count_other_spec(h, k, spec_of(h, k));
    } else {
        const char *lacks = lacks_template(h, k);
        count_kernel(h, lacks ? NEAR_SPEC : NEAR_ALL, lacks ? lacks : why_not(h, k));
    }
}

static void hold_outdated(Holding *h, const KernelRecord *k)
{
    const char *lacks = is_here(h, k) && is_of(h, k, h->spec.context) ? lacks_template(h, k) : NULL;
    if (lacks)
        count_kernel(h, NEAR_SPEC, lacks);
}

/* Counts all kernels, and says what they are. */
static const char *hold_all(Holding h, void hold(Holding *h, const KernelRecord *k))
{
    Text t = { .arena = h.arena };
    h.kind = ARENA_ARRAY(h.arena, 2 * (size_t)h.records->nkernel + 1, Kind);
    for (int64_t i = 0; i < h.records->nkernel; i++)
        hold(&h, &h.records->kernel[i]);
    for (int i = 0; i < h.nkind; i++)
        text_printf(&t, "%s%lld kernel%s %s", i ? "; " : "", (long long)h.kind[i].n, number_plural(h.kind[i].n),
                    h.kind[i].what);
    return text_str(&t);
}

const char *record_holds(Arena *a, const Study *s, const UnitContext *u, const TemplateList *templates,
                         const Records *r)
{
    return hold_all((Holding){ a, s, templates, r, record_spec(a, u), NEAR_NOTHING, 0, NULL }, hold_kernel);
}

const char *record_outdated(Arena *a, const Study *s, const UnitContext *u, const TemplateList *templates,
                            const Records *r)
{
    return hold_all((Holding){ a, s, templates, r, record_spec(a, u), NEAR_NOTHING, 0, NULL }, hold_outdated);
}
