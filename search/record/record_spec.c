/* SPDX-License-Identifier: Apache-2.0
 *
 * record_spec: takes a function's spec, gives its record; takes records that do not suit it, and says what each kernel
 * of them is of, equal words counted once.
 *
 * A kernel's record does not name its spec. Its key is made of the spec's context, so it belongs to the spec whose
 * context gives that key.
 */
#include "search/record/record_spec.h"

#include <string.h>
#include "gen/base/number.h"
#include "search/record/record_type.h"

/* The operands that the formula brings whose type is not the spec's. */
static const char *types_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        if (o->of_formula && o->stored && strcmp(o->stored->name, s->dtype) != 0)
            text_printf(&t, "%s%s: %s", t.len ? ", " : "", o->name, o->stored->name);
    return text_str(&t);
}

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
                     .accuracy = s->accuracy,
                     .strides = spec_strides_text(a, s),
                     .in_place = spec_in_place_text(a, s) };
    SpecRecord out;
    for (int i = 0; i < s->op->ngiven; i++)
        if (spec_is_constant(s, i))
            r.constant[r.nconstant++] = (Param){ s->op->extent[i].name, s->box.min[i] };
    record_copy(&(Index){ .arena = a }, &record_types[RECORD_SPEC], &r, &out);
    return out;
}

/* ---- what differs ---- */

/* How near a kernel is to the spec: of it and these templates, of it, of its name, its op and dtype, its target. */
typedef enum { NEAR_ALL, NEAR_SPEC, NEAR_NAME, NEAR_OP, NEAR_TARGET, NEAR_NOTHING } Near;

/* Kernels that the same words describe. */
typedef struct {
    const char *what; /* "of spec 'x', which has packed = true (here false)" */
    int64_t n;
} Kind;

enum {
    MAX_LISTED = 5,     /* kinds */
    MAX_TRIES = 1 << 18 /* of contexts of other specs: where many kernels are of many specs, not all are found */
};

typedef struct {
    Arena *arena, *scratch; /* scratch: for one kernel */
    const Study *study;
    const TemplateList *templates;
    const Records *records;
    SpecRecord spec; /* the one at hand */
    Near near;       /* of the kinds: the nearest that was seen */
    int nkind;
    Kind *kind;
    Index what;             /* of kinds */
    int64_t nnamed, *named; /* specs of the same name */
    const char **of_spec;   /* the words that describe the kernels of each spec; NULL: not known yet */
    int64_t last;           /* the spec that was found last: kernels of one search often stand together */
    int64_t ntry;
    Index timed; /* of measures on the study's device, one a kernel */
} Holding;

/* Counts a kernel that is so near to the spec. Those that are farther than another one are not told. */
static void count_kernel(Holding *h, Near near, const char *what)
{
    const uint64_t hash = index_word(what, 0);
    size_t from = 0;
    int64_t i;
    if (near > h->near)
        return;
    if (near < h->near) {
        h->nkind = 0;
        h->what = (Index){ .arena = h->arena };
    }
    h->near = near;
    while ((i = index_next(&h->what, hash, &from)) >= 0 && strcmp(h->kind[i].what, what) != 0)
        continue;
    if (i < 0) {
        i = h->nkind++;
        index_add(&h->what, hash, i);
        h->kind[i] = (Kind){ arena_strdup(h->arena, what), 0 };
    }
    h->kind[i].n++;
}

static bool is_of(const Holding *h, const KernelRecord *k, const char *context)
{
    const CandidateNames c = { k->template_name, k->template_hash, k->target, k->nparam, k->param };
    return strcmp(candidate_key_of(h->scratch, &c, context, h->study->device), k->key) == 0;
}

static bool has_name(const Holding *h, const SpecRecord *s)
{
    return strcmp(s->spec, h->spec.spec) == 0 && strcmp(s->function, h->spec.function) == 0;
}

/* The spec whose context gives the kernel's key: one of this name, or another. -1: none was found. */
static int64_t spec_of(Holding *h, const KernelRecord *k)
{
    const SpecRecord *spec = h->records->spec;
    const int64_t n = h->records->nspec;
    for (int64_t i = 0; i < h->nnamed && h->ntry < MAX_TRIES; i++, h->ntry++)
        if (is_of(h, k, spec[h->named[i]].context))
            return h->named[i];
    for (int64_t i = 0; i < n && h->ntry < MAX_TRIES; i++) {
        const SpecRecord *s = &spec[(h->last + i) % n];
        if (strcmp(s->op, k->op) != 0 || strcmp(s->dtype, k->dtype) != 0)
            continue;
        h->ntry++;
        if (is_of(h, k, s->context))
            return h->last = s - spec;
    }
    return -1;
}

static const char *lacks_template(const Holding *h, const KernelRecord *k)
{
    const Template *t = NULL;
    for (int i = 0; i < h->templates->n && !t; i++)
        if (strcmp(h->templates->t[i]->name, k->template_name) == 0)
            t = h->templates->t[i];
    if (!t)
        return arena_printf(h->scratch, "of template '%s', which is not here", k->template_name);
    const char *file = strrchr(t->head->path, '/');
    return strcmp(t->hash, k->template_hash) == 0
               ? NULL
               : arena_printf(h->scratch, "of another version of %s/%s", h->study->spec->op->templates,
                              file ? file + 1 : t->head->path);
}

static bool has_times(const Holding *h, const char *key)
{
    const uint64_t hash = index_word(key, 0);
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&h->timed, hash, &from)) >= 0 && strcmp(h->records->measure[i].key, key) != 0)
        continue;
    return i >= 0;
}

static void index_times(Holding *h)
{
    const MeasureRecord *m = h->records->measure;
    for (int64_t i = 0; i < h->records->nmeasure; i++)
        if (m[i].nsample > 0 && strcmp(m[i].device, h->study->device->id) == 0 && !has_times(h, m[i].key))
            index_add(&h->timed, index_word(m[i].key, 0), i);
}

static const char *why_not(const Holding *h, const KernelRecord *k)
{
    const int64_t i = study_find_key(h->study, k->key);
    const Status status = i >= 0 ? h->study->trial[i].status : k->status;
    if (status != STATUS_OK)
        return arena_printf(h->scratch, "of this spec that failed (%s)", status_name(status));
    return has_times(h, k->key) ? "of this spec, timed on other shapes than it tunes, or not in its space"
                                : "of this spec, not timed";
}

static const char *words_of_spec(Holding *h, int64_t spec)
{
    const SpecRecord *s = &h->records->spec[spec];
    if (!h->of_spec[spec]) {
        const char *differs = record_differs(h->scratch, &record_types[RECORD_SPEC], s, &h->spec);
        h->of_spec[spec] = arena_printf(
            h->arena, "of spec '%s'%s%s%s, %s%s", s->spec, *s->function ? ", function '" : "", s->function,
            *s->function ? "'" : "", *differs ? "which has " : "",
            *differs                         ? differs
            : h->study->spec->ntemplates > 1 ? "made by another version of dcgen or of a folder of --templates"
                                             : "made by another version of dcgen");
    }
    return h->of_spec[spec];
}

/* Counts a kernel of the target and device whose spec is another one, or is not known. */
static void count_other_spec(Holding *h, const KernelRecord *k)
{
    const int64_t spec = spec_of(h, k);
    const SpecRecord *here = &h->spec, *s = spec < 0 ? NULL : &h->records->spec[spec];
    const bool same_op = strcmp(k->op, here->op) == 0 && strcmp(k->dtype, here->dtype) == 0;
    const bool same_name = s && has_name(h, s);
    const char *what = same_op ? "of another spec, or made by another version of dcgen: the records do not say which"
                               : arena_printf(h->scratch, "of op '%s' in %s", k->op, k->dtype);
    if (s)
        what = words_of_spec(h, spec);
    count_kernel(h, same_name ? NEAR_NAME : same_op ? NEAR_OP : NEAR_TARGET, what);
    const char *lacks = same_op ? lacks_template(h, k) : NULL;
    if (lacks)
        count_kernel(h, same_name ? NEAR_NAME : NEAR_OP, lacks);
}

static void count_elsewhere(Holding *h, const KernelRecord *k)
{
    const Study *s = h->study;
    const Records *r = h->records;
    const char *differs = "";
    if (h->near < NEAR_NOTHING)
        return;
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, k->device) == 0)
            differs = record_differs(h->scratch, &record_types[RECORD_DEVICE], &r->device[i], s->device);
    if (strcmp(k->target, s->target->name) != 0)
        count_kernel(h, NEAR_NOTHING, arena_printf(h->scratch, "for target '%s'", k->target));
    else
        count_kernel(h, NEAR_NOTHING,
                     arena_printf(h->scratch, "of a device with %s", *differs ? differs : "another driver"));
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
        count_other_spec(h, k);
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

static const char *say_kinds(const Holding *h)
{
    Text t = { .arena = h->arena };
    int64_t nother = 0;
    for (int i = 0; i < h->nkind; i++)
        if (i < MAX_LISTED)
            text_printf(&t, "%s%lld kernel%s %s", i ? "; " : "", (long long)h->kind[i].n, number_plural(h->kind[i].n),
                        h->kind[i].what);
        else
            nother += h->kind[i].n;
    if (nother)
        text_printf(&t, "; and %lld kernels of %d other kinds", (long long)nother, h->nkind - MAX_LISTED);
    return text_str(&t);
}

const char *record_holds(Arena *a, const Study *s, const UnitContext *u, const TemplateList *templates,
                         const Records *r, HoldKind kind)
{
    Arena *rows = arena_new(), *scratch = arena_new();
    Holding h = { .arena = rows,
                  .scratch = scratch,
                  .study = s,
                  .templates = templates,
                  .records = r,
                  .spec = record_spec(rows, u),
                  .near = NEAR_NOTHING,
                  .kind = ARENA_ARRAY(rows, 2 * (size_t)r->nkernel + 1, Kind),
                  .what = { .arena = rows },
                  .named = ARENA_ARRAY(rows, (size_t)r->nspec + 1, int64_t),
                  .of_spec = ARENA_ARRAY(rows, (size_t)r->nspec + 1, const char *),
                  .timed = { .arena = rows } };
    for (int64_t i = 0; i < r->nspec; i++)
        if (has_name(&h, &r->spec[i]))
            h.named[h.nnamed++] = i;
    index_times(&h);
    for (int64_t i = 0; i < r->nkernel; i++) {
        (kind == HOLD_OUTDATED ? hold_outdated : hold_kernel)(&h, &r->kernel[i]);
        arena_reset(scratch);
    }
    const char *kinds = arena_strdup(a, say_kinds(&h));
    arena_free(rows);
    arena_free(scratch);
    return kinds;
}
