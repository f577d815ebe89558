/* SPDX-License-Identifier: Apache-2.0
 *
 * unit: fills kernels into patterns: those of a package, or one behind the entry that runners call.
 */
#include "gen/unit/unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/conf.h"
#include "gen/base/quote.h"
#include "gen/base/text.h"

const char *unit_pattern(Arena *a, const UnitContext *u, const char *name)
{
    return arena_printf(a, "%s/%s", u->package_dir, name);
}

const char *unit_op_pattern(Arena *a, const UnitContext *u, const char *name)
{
    const char *own = arena_printf(a, "%s/%s", u->spec->op->dir, name);
    return access(own, F_OK) == 0 ? own : unit_pattern(a, u, name);
}

static const char *family_pattern(Arena *a, const UnitContext *u, const char *name)
{
    return arena_printf(a, "%s/%s%s", u->package_dir, name, u->target->family->suffix);
}

/* What stands in the place of the file with the emulator's functions, where kernels call primitives of other folders
 * than dcgen's own: these are the text `emulation`. NULL: nothing does, or after an error. */
static const Source *own_emulation(const UnitContext *u, const FillScope *s, Diag *d)
{
    const FamilyPrimitives *kind = &u->target->family->primitives;
    const char *text = fill_find(s, "emulation", strlen("emulation"));
    if (!text || !*text)
        return NULL;
    const Source *own = conf_source(
        s->arena, arena_printf(s->arena, "%s/../%s/emulator/%s", u->package_dir, kind->folder, kind->own_emulation), d);
    Source *src = own ? ARENA_NEW(s->arena, Source) : NULL;
    if (src)
        *src = (Source){ .path = kind->emulation, .text = own->text, .len = own->len };
    return src;
}

static char *fill_file(const UnitContext *u, const char *path, bool is_part, const FillScope *s, Diag *d)
{
    const Source *src = conf_source(s->arena, path, d), *piece = own_emulation(u, s, d);
    Binding b = { .spec = u->spec, .target = u->target, .device = u->device, .threads = 1 };
    const Fill f = { .lookup = template_context, .ctx = &b, .scope = s, .npiece = piece != NULL, .piece = &piece };
    return src ? fill_text(s->arena, src, is_part ? fill_licence(src) : 0, &f, d) : NULL;
}

char *unit_fill(const UnitContext *u, const char *path, const FillScope *s, Diag *d)
{
    return fill_file(u, path, false, s, d);
}

char *unit_fill_part(const UnitContext *u, const char *path, const FillScope *s, Diag *d)
{
    return fill_file(u, path, true, s, d);
}

/* ---- kernels ---- */

char *unit_kernel_text(Arena *a, const UnitKernel *k)
{
    Text t = { .arena = a };
    text_printf(&t, "%s %s", k->t->name, k->target->name);
    for (int i = 0; i < k->t->nparam; i++)
        text_printf(&t, " %s=%" PRId64, k->t->param[i].name, k->value[i]);
    return arena_strdup(a, text_str(&t));
}

static bool is_first_of_target(const UnitKernel *k, int i)
{
    for (int j = 0; j < i; j++)
        if (k[j].target == k[i].target)
            return false;
    return true;
}

void unit_add_guard(FillScope *row, const Target *before, const Target *t, const Target *behind)
{
    const char *guard = target_arch_guard(t);
    const bool opens = guard && (!before || target_arch_guard(before) != guard);
    const bool closes = guard && (!behind || target_arch_guard(behind) != guard);
    FILL_WORDS(row, WORD("guard", opens ? guard : ""), WORD("unguard", closes ? "#endif\n" : ""),
               WORD("IS_LAST_GUARDED", closes));
}

static bool add_text(FillScope *s, const char *name, const char *text)
{
    fill_word(s, name, text);
    return text != NULL;
}

/* The least alignment of operands with which the kernel serves any shape of the spec. */
static int64_t least_align(const Binding *b)
{
    Binding at = *b;
    for (at.align = 1; at.align < ALIGN_MOST && !template_serves_any(&at); at.align *= 2)
        continue;
    return at.align;
}

static bool add_kernel(FillScope *s, const UnitContext *u, const UnitKernel *all, int i, int n, Diag *d)
{
    Arena *a = s->arena;
    const UnitKernel *k = &all[i];
    const Binding b = { k->t, u->spec, k->target, u->device, k->value, .threads = 1, .facts = k->facts };
    const char *name = k->as ? k->as : arena_printf(a, "%s_k%d", u->spec->name, i), *guard = target_guard(a, k->target);
    const char *text = unit_kernel_text(a, k);
    const char *own = template_fill(a, &b, name, d), *body = k->as ? arena_printf(a, "/* It is %s. */\n", name) : own;
    FillScope *row = fill_row(s);
    FILL_WORDS(row, WORD("KERNEL", name), WORD("MACHINE", k->target->name), WORD("DESCRIPTION", quote_comment(a, text)),
               WORD("QUOTED", quote_string(a, text)), WORD("TEMPLATE", k->t->name),
               WORD("TEMPLATE_JSON", quote_json_text(a, k->t->name)), WORD("TEMPLATE_HASH", k->t->hash),
               WORD("IS_FIRST_GUARDED", guard && is_first_of_target(all, i)), WORD("BODY_GUARD", guard ? guard : ""));
    fill_list(row, "settings");
    for (int j = 0; j < k->t->nparam; j++)
        FILL_WORDS(fill_row(row), WORD("SETTING", k->t->param[j].name), WORD("VALUE", k->value[j]));
    unit_add_guard(row, i ? all[i - 1].target : NULL, k->target, i + 1 < n ? all[i + 1].target : NULL);
    fill_number(row, "IS_OWN", !k->as);
    unit_add_plan(row, &b);
    unit_add_maps(row, &b);
    const Expr *condition = template_condition(a, &b);
    FILL_WORDS(row, WORD("HAS_CONDITION", condition != NULL),
               WORD("LEAST_ALIGN", k->t->asks_align ? least_align(&b) : 1),
               WORD("CONDITION", condition ? expr_c_int(a, condition, u->spec->package) : "1"));
    return add_text(row, "body", body);
}

bool unit_reads_part(const UnitContext *u, const UnitKernel *k, int part)
{
    int64_t value = 0;
    const Binding b = { k->t, u->spec, k->target, u->device, k->value, .threads = 1 };
    return template_lookup((void *)&b, u->spec->op->pack[part], &value) && value;
}

/* Says which parts of the packed operand any kernel reads, WINOGRAD_4, and where these are there, WINOGRAD_4_WHERE: C
 * over the extents that the operand depends on. */
static void add_packs(FillScope *s, const UnitContext *u, const UnitKernel *k, int n)
{
    Arena *a = s->arena;
    for (int i = 0; i < u->spec->op->npack; i++) {
        const char *name = u->spec->op->pack[i], *where = "0";
        for (int j = 0; j < n && strcmp(where, "0") == 0; j++)
            if (unit_reads_part(u, &k[j], i))
                where = k[j].part ? expr_c_int(a, k[j].part[i], u->spec->package) : "1";
        fill_number(s, name, strcmp(where, "0") != 0);
        fill_word(s, arena_printf(a, "%s_WHERE", name), where);
    }
}

/* Says if any of n kernels asks how operands are aligned; CALL_EXTENTS and CALL_AXES: what the dispatcher is told. */
static void add_align(FillScope *s, const UnitKernel *k, int n)
{
    static const char every[] = "EVERY_EXTENTS", axes[] = "EVERY_AXES";
    bool asks = false;
    for (int i = 0; i < n; i++)
        asks = asks || k[i].t->asks_align;
    fill_number(s, "ANY_ALIGN", asks);
    fill_wordf(s, "CALL_EXTENTS", "%s%s", fill_find(s, every, strlen(every)), asks ? ", int64_t ALIGN" : "");
    fill_wordf(s, "CALL_AXES", "%s%s", fill_find(s, axes, strlen(axes)), asks ? ", ALIGN" : "");
}

/* Is `has` 1 in the row of any of n kernels? */
static bool any_has(const FillScope *s, int n, const char *has)
{
    bool found = false;
    for (int i = 0; i < n; i++)
        found = found || strcmp(fill_find(fill_row_at(s, "kernels", i), has, strlen(has)), "1") == 0;
    return found;
}

/* Tells each operand whether the kernels ask for its strides: those are members of their arguments. */
static void keep_strides(FillScope *s, const Spec *spec, const char *kernels)
{
    bool any = false;
    for (int i = 0, row = 0; i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        if (!spec_passes(spec, i))
            continue;
        const bool keeps = o->strided || fill_has_name(s->arena, kernels, arena_printf(s->arena, "%s_stride", o->name));
        fill_number(fill_row_at(s, "operands", row++), "KEEPS_STRIDES", keeps && o->layout->rank > 1);
        any = any || (keeps && o->layout->rank > 1);
    }
    fill_number(s, "HAS_STRIDES", any);
}

bool unit_add_shared(FillScope *s, const UnitContext *u, const char *kernels, Diag *d)
{
    Arena *a = s->arena;
    fill_number(s, "ANY_MAPS", fill_has_name(a, kernels, "CUtensorMap"));
    return add_text(s, "arithmetic", unit_fill_part(u, unit_pattern(a, u, "arithmetic.h"), s, d)) &&
           add_text(s, "preamble", unit_fill_part(u, family_pattern(a, u, "preamble"), s, d)) &&
           add_text(s, "device", unit_device(u, s, kernels, d)) &&
           add_text(s, "emulation", unit_emulation(u, s, kernels, d));
}

bool unit_add_kernels(FillScope *s, const UnitContext *u, const UnitKernel *k, int n, Diag *d)
{
    Arena *a = s->arena;
    const char *pack = unit_op_pattern(a, u, u->target->family->pack);
    fill_list(s, "kernels");
    for (int i = 0; i < n; i++)
        if (!add_kernel(s, u, k, i, n, d))
            return false;
    FILL_WORDS(s, WORD("ANY_SCRATCH", any_has(s, n, "HAS_SCRATCH")),
               WORD("ANY_COUNTERS", any_has(s, n, "HAS_COUNTERS")),
               WORD("ANY_CONDITION", any_has(s, n, "HAS_CONDITION")),
               WORD("CALLS_ARITHMETIC", unit_calls_arithmetic(u->spec->op) || any_has(s, n, "PLAN_CALLS")));
    add_align(s, k, n);
    add_packs(s, u, k, n);
    const char *kernels = unit_fill_part(u, unit_pattern(a, u, "each_kernel.h"), s, d);
    if (!add_text(s, "kernels", kernels))
        return false;
    keep_strides(s, u->spec, kernels);
    return add_text(s, "formula", unit_formula(a, u, kernels, d)) &&
           add_text(s, "arguments", unit_fill_part(u, unit_pattern(a, u, "arguments.h"), s, d)) &&
           add_text(s, "entry", unit_fill_part(u, family_pattern(a, u, "entry"), s, d)) &&
           (!u->spec->packed ||
            (add_text(s, "pack", unit_fill_part(u, pack, s, d)) &&
             add_text(s, "pack_declarations", unit_fill_part(u, unit_pattern(a, u, "pack.h"), s, d))));
}

const char *unit_packing_hash(Arena *a, const UnitContext *u, const UnitKernel *k, int n, Diag *d)
{
    Spec spec = *u->spec;
    UnitContext nameless = *u;
    spec.name = spec.package = "name";
    nameless.spec = &spec;
    FillScope *s = fill_scope(a, unit_scope(a, &nameless));
    unit_keep_packed_constants(s, &spec);
    add_packs(s, &nameless, k, n);
    const char *text = unit_fill_part(u, unit_op_pattern(a, u, u->target->family->pack), s, d);
    return text ? arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text, strlen(text))) : NULL;
}

char *unit_reference(Arena *a, const Spec *s, const char *package_dir, const char *text, Diag *d)
{
    Text t = { .arena = a };
    const bool has_check = fill_has_name(a, text, "dcgen_reference_check");
    const char *formula = s->formula ? unit_formula_reference(a, s, package_dir, has_check, d) : "";
    const char *element = unit_exact_pattern(a, package_dir, "element.h", fill_scope(a, NULL), d);
    if (!formula || !element)
        return NULL;
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            text_printf(&t, "#define DCGEN_LAYOUT_%s_%s 1\n", s->op->operand[i].name, spec_layout(s, i)->name);
    if (strcmp(s->dtype, "f32") != 0)
        text_printf(&t, "#define DCGEN_DTYPE_%s 1\n", text_letters(arena_strdup(a, s->dtype), toupper));
    if (s->accuracy > 1)
        text_printf(&t, "const double dcgen_reference_accuracy = %g;\n", s->accuracy);
    text_printf(&t, "#define DCGEN_DTYPE dcgen_as_%s\n%s\n", dtype_find(s->dtype)->part[PART_LEFT]->name, element);
    if (!s->formula)
        text_add(&t, text);
    else
        text_printf(
            &t,
            "#define dcgen_reference_rows dcgen_operator_rows\n#define dcgen_reference_check dcgen_operator_check\n%s"
            "#undef dcgen_reference_rows\n#undef dcgen_reference_check\n%s",
            text, formula);
    return arena_strdup(a, text_str(&t));
}

/* ---- the candidate ---- */

const char *unit_kernel_texts(const FillScope *s)
{
    return arena_printf(s->arena, "%s\n%s\n%s", fill_find(s, "kernels", strlen("kernels")),
                        fill_find(s, "entry", strlen("entry")), fill_find(s, "formula", strlen("formula")));
}

char *unit_candidate(Arena *a, const UnitContext *u, const UnitKernel *k, Diag *d)
{
    const UnitContext of_kernel = { u->spec, u->device, u->targets, u->package_dir, k->target };
    FillScope *s = unit_scope(a, &of_kernel);
    return unit_add_kernels(s, &of_kernel, k, 1, d) && unit_add_shared(s, &of_kernel, unit_kernel_texts(s), d)
               ? unit_fill(&of_kernel, family_pattern(a, &of_kernel, "candidate"), s, d)
               : NULL;
}

/* Adds what a library's file needs to compute a formula as kernels do. */
static bool add_formula_of_library(FillScope *s, const UnitContext *u, Diag *d)
{
    Arena *a = s->arena;
    const Source of_family = { "", u->target->family->library_calls, strlen(u->target->family->library_calls) };
    FILL_WORDS(s, WORD("MACHINE", u->target->name),
               WORD("TARGET_ATTRIBUTE", arena_printf(a, "%s_TARGET_%s", u->spec->package, u->target->name)));
    const char *calls = fill_text(a, &of_family, 0, &(Fill){ .scope = s }, d);
    return calls && unit_add_kernels(s, u, NULL, 0, d) && add_text(s, "formula", unit_formula(a, u, calls, d)) &&
           unit_add_shared(s, u, arena_printf(a, "%s\n%s", calls, fill_find(s, "formula", 7)), d);
}

static const char *library_path(Arena *a, const UnitContext *u)
{
    return arena_printf(a, "%s/%s", u->spec->op->dir, u->target->family->library);
}

/* A library's product would overwrite what the formula has still to read. */
bool unit_has_library(Arena *a, const UnitContext *u)
{
    return access(library_path(a, u), F_OK) == 0 && !spec_output(u->spec)->is_read;
}

char *unit_library(Arena *a, const UnitContext *u, Diag *d)
{
    const char *blas = u->target->family->blas, *common = unit_pattern(a, u, arena_printf(a, "%s.h", blas));
    FillScope *s = unit_scope(a, u);
    unit_add_guard(s, NULL, u->target, NULL);
    fill_word(s, "CHECK", u->target->runtime_check);
    return unit_has_library(a, u) && (!u->spec->formula || add_formula_of_library(s, u, d)) &&
                   add_text(s, blas, unit_fill_part(u, common, s, d))
               ? unit_fill(u, library_path(a, u), s, d)
               : NULL;
}

/* ---- what a candidate's text depends on ---- */

static void add_file(Text *t, const char *path)
{
    size_t len;
    const char *text = text_read_file(t->arena, path, &len);
    text_add(t, text ? text : "");
}

/* Does a key depend on the target's file? Targets of dcgen's own are always there. Of others those count that kernels
 * are for. */
static bool target_counts(const UnitContext *u, const Target *t)
{
    return t->family == u->target->family &&
           (!*t->hash || t == u->target || target_is_fallback(u->targets, t, u->target));
}

/* Adds what stands around a kernel, under a fixed name in place of the spec's: a package's name has no influence on
 * times. A text that the pattern of a candidate lacks does not count. */
static void add_surroundings(Text *t, const UnitContext *u)
{
    static const char *const part[] = { "preamble", "arguments", "formula", "entry", "pack_declarations" };
    Spec spec = *u->spec;
    TargetList targets = { 0 };
    UnitContext nameless = *u;
    spec.name = spec.package = "name";
    nameless.spec = &spec;
    nameless.targets = &targets;
    for (int i = 0; i < u->targets->n; i++)
        if (target_counts(u, &u->targets->t[i]))
            targets.t[targets.n++] = u->targets->t[i];
    FillScope *s = unit_scope(t->arena, &nameless);
    Diag *d = diag_new(t->arena);
    const char *candidate = text_read_file(t->arena, family_pattern(t->arena, u, "candidate"), NULL);
    if (!candidate || !unit_add_kernels(s, &nameless, NULL, 0, d) || !unit_add_shared(s, &nameless, "", d))
        return;
    for (size_t i = 0; i < LENGTH(part); i++) {
        const char *text = fill_find(s, part[i], strlen(part[i]));
        if (text && strstr(candidate, arena_printf(t->arena, "//@ %s\n", part[i])))
            text_add(t, text);
    }
    const char *entry = fill_find(s, "entry", strlen("entry"));
    FILL_WORDS(s, WORD("ANY_SCRATCH", true), WORD("ANY_COUNTERS", true)); /* kernels decide if they are there */
    const char *more = unit_fill_part(&nameless, family_pattern(t->arena, u, "entry"), s, d);
    if (more && strcmp(more, entry) != 0)
        text_add(t, more);
}

const char *unit_context_hash(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    const Family *family = u->target->family;
    Text t = { .arena = a };
    const Primitives primitive = unit_primitives(a, u, diag_new(a)); /* a text has those that it uses */
    text_printf(&t, "%s|%s|%s|%d|", s->op->name, s->dtype, spec_layout_text(a, s), s->packed);
    text_printf(&t, "%s|", spec_formula_text(s));
    if (s->accuracy > 1)
        text_printf(&t, "accuracy %g|", s->accuracy);
    if (s->in_place)
        text_printf(&t, "in place %s|", spec_in_place_text(a, s));
    if (s->packed) /* else it is not in the text */
        add_file(&t, unit_op_pattern(a, u, family->pack));
    add_file(&t, family_pattern(a, u, "candidate"));
    add_file(&t, unit_pattern(a, u, "each_kernel.h"));
    add_file(&t, unit_pattern(a, u, "arguments.h")); /* its lines on strides depend on the kernels */
    for (const Target *of = u->targets->t; of < u->targets->t + u->targets->n; of++)
        if (target_counts(u, of))
            text_printf(&t, "|%s:%s%s", of->name, of->gencode, of->hash);
    add_surroundings(&t, u);
    for (int i = 0; i < primitive.n; i++)
        text_add(&t, primitive.p[i].src->text);
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&t), t.len));
}
