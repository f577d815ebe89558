/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/package/emit_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/number.h"
#include "gen/base/quote.h"
#include "gen/package/dispatch.h"
#include "gen/package/manifest.h"
#include "gen/package/regret_file.h"
#include "gen/target/family.h"
#include "gen/template/fill.h"
#include "search/space/cost.h"

const Spec *emit_spec(const Emitter *e) { return e->in->part->unit.spec; }

/* ---- kernels ---- */

static void add_kernel(Emitter *e, const UnitKernel *k)
{
    const size_t n = (size_t)e->nkernel++;
    e->of = arena_grow(e->arena, e->of, n, n + 1, sizeof *e->of);
    e->kernel = arena_grow(e->arena, e->kernel, n, n + 1, sizeof *e->kernel);
    e->of[n] = e->nentry;
    e->kernel[n] = *k;
}

static void add_tuned(Emitter *e, const Result *part)
{
    const Assignment *as = part->assignment;
    e->entry[e->nentry] = (EmitEntry){ part->study->target, part, e->nkernel, as->nkernel, e->nkernel + as->general };
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &part->study->trial[as->kernel[k]];
        int64_t *value = ARENA_ARRAY(e->arena, TEMPLATE_MAX_PARAM, int64_t);
        candidate_values(&t->c, value);
        add_kernel(e, &(UnitKernel){ t->c.t, t->c.target, value, t->facts });
    }
    e->nentry++;
}

static const General *general_of(const Template *t, const Target *target)
{
    for (int i = 0; i < t->ngeneral; i++)
        if (strcmp(t->general[i].target, target->name) == 0)
            return &t->general[i];
    return NULL;
}

/* How much a template is trusted on a target: 4 when its general kernel was verified there; else 3 when it serves every shape on the tuned
 * target, 2 when a trial of it is right, 1 when none was tried; 0, never to be used, when all of them failed. */
static int template_trust(const Result *part, const Template *t, const Target *target)
{
    const Study *s = part->study;
    bool tried = false;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (s->trial[i].c.t == t && s->trial[i].c.target == target && target != s->target)
            return trial_usable(&s->trial[i]) ? 4 : 0;
    if (s->trial[part->assignment->kernel[part->assignment->general]].c.t == t)
        return 3;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.t == t && trial_usable(&s->trial[i]))
            return 2;
        tried = tried || s->trial[i].c.t == t;
    }
    return tried ? 0 : 1;
}

/* Of a template's general kernel, over the tuned shapes: mean of log2 ns as the templates' own closed forms have it. Those of some
 * families are not comparable among templates. */
static double general_cost(const Emitter *e, const Result *part, const Template *t, const Target *target)
{
    const Study *s = part->study;
    Candidate c;
    double sum = 0;
    if (!target->family->ranks_templates || !candidate_general(t, target, &c))
        return 0;
    const CostModel *m = cost_analytic(e->arena, s, e->in->part->templates);
    for (int64_t j = 0; j < s->nshape; j++)
        sum += log2(cost_predict(m, &c, s->shape[j]->extent, s->shape[j]->threads));
    return sum / (double)(s->nshape ? s->nshape : 1);
}

/* Of those trusted alike the fastest, as far as that is known without measuring; else the first. */
static const Template *most_trusted(const Emitter *e, const Result *part, const Target *target)
{
    const Template *best = NULL;
    int most = 0;
    double least = INFINITY;
    for (int j = 0; j < e->in->part->templates->n; j++) {
        const Template *t = e->in->part->templates->t[j];
        if (!general_of(t, target) || !template_suits(t, emit_spec(e), target))
            continue;
        const int trust = template_trust(part, t, target);
        const double cost = general_cost(e, part, t, target);
        if (trust > most || (trust == most && trust > 0 && cost < least)) {
            best = t;
            most = trust;
            least = cost;
        }
    }
    return best;
}

/* What was tuned for the target; NULL: nothing. */
static const Result *part_of(const Emitter *e, const Target *target)
{
    for (int i = 0; i < e->in->npart; i++)
        if (e->in->part[i].study->target == target)
            return &e->in->part[i];
    return NULL;
}

/* The first part whose machines' kin without its target may run this one; NULL: none. */
static const Result *stands_in_for(const Emitter *e, const Target *target)
{
    for (int i = 0; i < e->in->npart; i++) {
        const Target *tuned = e->in->part[i].study->target;
        if ((target == tuned && target_is_inherited(tuned)) ||
            target_is_fallback(e->in->part->unit.targets, target, tuned))
            return &e->in->part[i];
    }
    return NULL;
}

/* Machines that lack the tuned targets get the general kernel of each fallback, of the template that is trusted most. */
static void add_general(Emitter *e, const Target *target)
{
    const Result *part = stands_in_for(e, target);
    const Template *best = part ? most_trusted(e, part, target) : NULL;
    if (!best)
        return;
    e->entry[e->nentry] = (EmitEntry){ target, NULL, e->nkernel, 1, e->nkernel };
    add_kernel(e, &(UnitKernel){ best, target, general_of(best, target)->value, { 0 } });
    e->nentry++;
}

static void add_entries(Emitter *e)
{
    const TargetList *targets = e->in->part->unit.targets;
    for (int i = 0; i < targets->n; i++) { /* by descending rank */
        const Result *part = part_of(e, &targets->t[i]);
        if (part)
            add_tuned(e, part);
        if (!part || target_is_inherited(&targets->t[i]))
            add_general(e, &targets->t[i]);
    }
}

static Emitter *emitter_new(Arena *a, const EmitInput *in, Diag *d)
{
    Emitter *e = ARENA_NEW(a, Emitter);
    *e = (Emitter){ .arena = a, .in = in, .diag = d, .family = in->part->unit.target->family };
    add_entries(e);
    return e;
}

/* ---- sections of C files ---- */

static const char *about(Emitter *e)
{
    const Spec *s = emit_spec(e);
    Text t = { .arena = e->arena };
    text_printf(&t, " * %s: %s\n * %s, %s", s->name, quote_comment(e->arena, s->op->doc), s->op->name, s->dtype);
    if (s->const_operand >= 0)
        text_printf(&t, ", %s in layout %s%s", s->op->operand[s->const_operand].name, s->layout,
                    s->packed ? ", packed once" : "");
    for (int i = 0; i < s->nepilogue; i++)
        text_printf(&t, ", %s", s->epilogue[i]);
    text_add(&t, ".");
    for (int i = 0; i < e->in->npart; i++) {
        const Study *study = e->in->part[i].study;
        if (study->device->modelled)
            text_printf(&t,
                        "\n * Chosen for %s by a model: no such device was there to measure on. Every kernel was "
                        "executed by an "
                        "emulator.",
                        study->target->name);
        else
            text_printf(&t, "%s Tuned for %s, %s.", i ? "\n *" : "", quote_comment(e->arena, study->device->name),
                        study->target->name);
    }
    text_printf(&t, "\n * Generated by dcgen %s from spec.cfg and records.jsonl; edit the spec, not this file.\n",
                e->in->version);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *macros(Emitter *e)
{
    const Spec *s = emit_spec(e);
    Text t = { .arena = e->arena };
    for (int i = 0; i < s->op->nepilogue; i++) {
        text_printf(&t, "#define %s_HAS_", s->name);
        for (const char *p = s->op->epilogue[i]; *p; p++)
            text_printf(&t, "%c", *p >= 'a' && *p <= 'z' ? *p - 32 : *p);
        text_printf(&t, " %d\n", spec_has_epilogue(s, s->op->epilogue[i]));
    }
    if (s->const_operand >= 0) {
        const Operand *w = &s->op->operand[s->const_operand];
        for (int i = 0; i < w->nlayout; i++)
            text_printf(&t, "#define %s_%s_%s %d\n", s->name, w->name, w->layout[i],
                        strcmp(w->layout[i], s->layout) == 0);
        text_printf(&t, "#define %s_%s_PACKED %d\n", s->name, w->name, s->packed);
    }
    return t.len ? arena_strdup(e->arena, text_str(&t)) : "";
}

const char *emit_operand_params(Emitter *e)
{
    const Spec *s = emit_spec(e);
    Text t = { .arena = e->arena };
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, "%s%s, ", unit_operand_type(s, &s->op->operand[i]), s->op->operand[i].name);
    return arena_strdup(e->arena, text_str(&t));
}

const char *emit_axes(Emitter *e) { return unit_axes(e->arena, emit_spec(e)->op, NULL); }

void emit_argument_docs(Emitter *e, Text *t, const char *pack)
{
    const Spec *s = emit_spec(e);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(t, " *   %-9s %s\n", s->op->axis[i].name, quote_comment(e->arena, s->op->axis[i].doc));
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (!unit_has_operand(s, o))
            continue;
        if (s->packed && i == s->const_operand)
            text_printf(t, " *   %-9s as %s wrote it, for the same extents\n", o->name, pack);
        else
            text_printf(t, " *   %-9s %s%s%s\n", o->name, quote_comment(e->arena, o->doc),
                        i == s->const_operand ? "; here " : "", i == s->const_operand ? s->layout : "");
    }
}

void emit_extent_check(Emitter *e, Text *t, const char *result)
{
    const Op *op = emit_spec(e)->op;
    text_add(t, "    if (");
    for (int i = 0; i < op->naxis; i++)
        text_printf(t, "%s%s < 0 || %s > INT32_MAX", i ? " || " : "", op->axis[i].name, op->axis[i].name);
    text_printf(t, ")\n        return %s;\n", result);
}

void emit_null_checks(Emitter *e, Text *t)
{
    const Spec *s = emit_spec(e);
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (unit_has_operand(s, o))
            text_printf(t, "    if (!%s && %s > 0)\n        return %s_BAD_POINTER;\n", o->name, expr_text(o->elems),
                        s->name);
    }
}

/* Does the operand have no elements where a reduced axis is 0, though the call has a result? */
static bool may_be_empty(const Op *op, const Operand *o)
{
    for (int i = 0; i < op->naxis; i++)
        if (op->axis[i].kind == AXIS_REDUCE && unit_uses_axis(o->elems, op->axis[i].name))
            return true;
    return false;
}

const char *emit_argument(Emitter *e, int operand)
{
    const Op *op = emit_spec(e)->op;
    const Operand *o = &op->operand[operand], *out = op->operand;
    while (out->role != ROLE_OUT)
        out++;
    return may_be_empty(op, o) ? arena_printf(e->arena, "%s ? %s : %s", o->name, o->name, out->name) : o->name;
}

static const char *texts(Emitter *e)
{
    Text t = { .arena = e->arena };
    for (int i = 0; i < e->nkernel; i++)
        text_printf(&t, "    %s,\n", quote_string(e->arena, unit_kernel_text(e->arena, &e->kernel[i])));
    return arena_strdup(e->arena, text_str(&t));
}

static const char *targets(Emitter *e)
{
    Text t = { .arena = e->arena };
    text_add(&t, "   ");
    for (int i = 0; i < e->nkernel; i++)
        text_printf(&t, " %d,", e->of[i]);
    text_add(&t, "\n");
    return arena_strdup(e->arena, text_str(&t));
}

/* ---- sections of dispatch.h ---- */

static const char *about_dispatch(Emitter *e)
{
    Text t = { .arena = e->arena };
    for (int i = 0; i < e->in->npart; i++) {
        const Assignment *as = e->in->part[i].assignment;
        const Device *d = e->in->part[i].study->device;
        const int nleaf = tree_nleaf(as->tree);
        const int64_t nshape = emit_spec(e)->ninstance;
        text_add(&t, " * ");
        if (e->in->npart > 1)
            text_printf(&t, "%s: ", e->in->part[i].study->target->name);
        text_printf(&t, "%d kernel%s, %d %s, %" PRId64 " shape%s in range. ", as->nkernel, number_plural(as->nkernel),
                    nleaf, nleaf == 1 ? "leaf" : "leaves", nshape, number_plural(nshape));
        text_printf(&t,
                    d->modelled ? "No time was measured: all are computed for a %s;\n"
                                : "Times were measured on %s (\"about\": predicted);\n",
                    quote_comment(e->arena, d->name));
    }
    text_add(&t, " * \"then kernel K +x%\" is the runner-up and how much longer it takes.\n");
    return arena_strdup(e->arena, text_str(&t));
}

/* The function that holds an entry's tree: "bert_dense_tree"; of several with the target's name behind. */
static const char *tree_name(Emitter *e, const EmitEntry *entry)
{
    const char *name = emit_spec(e)->name;
    return e->in->npart == 1 ? arena_printf(e->arena, "%s_tree", name)
                             : arena_printf(e->arena, "%s_tree_%s", name, entry->target->name);
}

static bool is_told_threads(const EmitEntry *entry)
{
    const Study *s = entry->part->study;
    return entry->part->assignment->nfeature > s->spec->op->naxis;
}

static void add_tree(Emitter *e, Text *t, const EmitEntry *entry)
{
    const Spec *s = emit_spec(e);
    const Assignment *as = entry->part->assignment;
    if (e->in->npart > 1)
        text_printf(t, "/* For %s, within the declared ranges. */\n", entry->target->name);
    else
        text_add(t, "/* Within the declared ranges. */\n");
    text_printf(t, "static inline int %s(%s%s)\n{\n", tree_name(e, entry), unit_extents(e->arena, s->op, NULL),
                is_told_threads(entry) ? ", int64_t threads" : "");
    char *body = dispatch_tree(e->arena, entry->part->study, as, entry->first);
    for (int i = 0; i < s->op->naxis; i++)
        if (!strstr(body, arena_printf(e->arena, "if (%s ", s->op->axis[i].name)))
            text_printf(t, "    (void)%s;\n", s->op->axis[i].name);
    if (is_told_threads(entry) && !strstr(body, "if (threads "))
        text_add(t, "    (void)threads;\n");
    text_printf(t, "%s}\n\n", body);
}

static const char *tree(Emitter *e)
{
    Text t = { .arena = e->arena };
    for (int i = 0; i < e->nentry; i++)
        if (e->entry[i].part)
            add_tree(e, &t, &e->entry[i]);
    return arena_strdup(e->arena, text_str(&t));
}

static void add_outside(Emitter *e, Text *t)
{
    const Spec *s = emit_spec(e);
    const Box box = spec_box(s);
    text_add(t, "    const int outside = ");
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(t, "%s%s < %" PRId64 " || %s > %" PRId64, i ? " || " : "", s->op->axis[i].name, box.min[i],
                    s->op->axis[i].name, box.max[i]);
    text_add(t, "; /* of the declared ranges: there the kernel that serves most of them */\n");
}

/* What a machine of the entry's kind takes. */
static const char *entry_kernel(Emitter *e, const EmitEntry *entry)
{
    if (!entry->part)
        return arena_printf(e->arena, "%d", entry->general);
    return arena_printf(e->arena, "outside ? %d : %s(%s%s)", entry->general, tree_name(e, entry), emit_axes(e),
                        is_told_threads(entry) ? ", threads" : "");
}

static const char *dispatch(Emitter *e)
{
    const Spec *s = emit_spec(e);
    bool uses_threads = false;
    Text t = { .arena = e->arena };
    text_printf(&t, "/* The kernel for a call%s on a machine of that target. */\n",
                e->family->told_parts ? " in `threads` parts" : "");
    text_printf(&t, "static inline int %s_dispatch(int target, %s%s)\n{\n", s->name,
                unit_extents(e->arena, s->op, NULL), e->family->told_parts ? ", int64_t threads" : "");
    for (int i = 0; i < e->nentry; i++)
        uses_threads = uses_threads || (e->entry[i].part && is_told_threads(&e->entry[i]));
    if (e->family->told_parts && !uses_threads)
        text_add(&t, "    (void)threads;\n");
    add_outside(e, &t);
    for (int i = 0; i + 1 < e->nentry; i++)
        text_printf(&t, "    if (target == %d)\n        return %s;\n", i, entry_kernel(e, &e->entry[i]));
    text_printf(&t, "%s    return %s;\n}\n", e->nentry == 1 ? "    (void)target;\n" : "",
                entry_kernel(e, &e->entry[e->nentry - 1]));
    return arena_strdup(e->arena, text_str(&t));
}

/* ---- sections of the other files ---- */

/* Rows of tuned shapes, for bench.c. */
static const char *shapes(Emitter *e)
{
    const Study *s = e->in->part->study;
    Text t = { .arena = e->arena };
    for (int64_t i = 0; i < s->nshape; i++) {
        if (s->shape[i]->threads != s->spec->threads[0])
            continue;
        text_add(&t, "    {");
        for (int j = 0; j < s->spec->op->naxis; j++)
            text_printf(&t, "%s %" PRId64, j ? "," : "", s->shape[i]->extent[j]);
        text_add(&t, " },\n");
    }
    return arena_strdup(e->arena, text_str(&t));
}

static const char *reference(Emitter *e)
{
    const Source *src = conf_source(e->arena, emit_spec(e)->op->reference, e->diag);
    return src ? unit_reference(e->arena, emit_spec(e), src->text) : NULL;
}

/* Not in the pattern itself, where CMake's keyword NAME would become the package's. */
static const char *add_test(Emitter *e)
{
    const char *name = emit_spec(e)->name;
    return arena_printf(e->arena, "    add_test(NAME %s_test COMMAND %s_test)\n", name, name);
}

static const char *regret(Emitter *e) { return regret_file_readme(e->arena, e->in); }

/* Rows of README.md: what each kind of machine has. */
static const char *machines(Emitter *e)
{
    Text t = { .arena = e->arena };
    for (int i = 0; i < e->nentry; i++) {
        const EmitEntry *entry = &e->entry[i];
        text_printf(&t, "| %d | %s | %d | ", i, entry->target->name, entry->nkernel);
        if (!entry->part)
            text_add(&t, "general: right for every size, tuned for none |\n");
        else if (entry->part->study->device->modelled)
            text_add(&t, "chosen by a model |\n");
        else
            text_printf(&t, "tuned on %s |\n", quote_markdown(e->arena, entry->part->study->device->name));
    }
    return arena_strdup(e->arena, text_str(&t));
}

static const char *version(Emitter *e) { return arena_printf(e->arena, "%s.\n", e->in->version); }

/* Of dcgen's version; each a number. */
static const char *version_macros(Emitter *e)
{
    const char *name = emit_spec(e)->name;
    int part[3] = { 0 };
    sscanf(e->in->version, "%d.%d.%d", &part[0], &part[1], &part[2]);
    return arena_printf(e->arena,
                        "/* The dcgen that wrote this package. A product that was compiled with a package of the same "
                        "spec goes on with\n"
                        " * another one whose %s_ABI is the same. */\n"
                        "#define %s_VERSION \"%s\"\n#define %s_VERSION_MAJOR %d\n#define %s_VERSION_MINOR %d\n"
                        "#define %s_VERSION_PATCH %d\n#define %s_ABI %d\n\n",
                        name, name, e->in->version, name, part[0], name, part[1], name, part[2], name, PACKAGE_ABI);
}

static const char *cmake_versions(Emitter *e)
{
    const char *name = emit_spec(e)->name;
    return arena_printf(e->arena, "set(%s_version %s)\nset(%s_abi %d)\n", name, e->in->version, name, PACKAGE_ABI);
}

static const char *report_row(Emitter *e)
{
    return e->in->report ? "| `report.html` | times, choices and the model behind them |\n" : "";
}

static const char *preamble(Emitter *e) { return unit_preamble(e->arena, &e->in->part->unit); }
static const char *pack(Emitter *e) { return unit_pack(e->arena, &e->in->part->unit, e->diag); }
static const char *kernels(Emitter *e)
{
    return unit_kernels(e->arena, &e->in->part->unit, e->kernel, e->nkernel, e->diag);
}
static const char *table(Emitter *e) { return unit_table(e->arena, &e->in->part->unit, e->kernel, e->nkernel); }

static const EmitSection common_sections[] = {
    { "about", about },
    { "macros", macros },
    { "preamble", preamble },
    { "pack", pack },
    { "kernels", kernels },
    { "table", table },
    { "texts", texts },
    { "targets", targets },
    { "about_dispatch", about_dispatch },
    { "tree", tree },
    { "dispatch", dispatch },
    { "shapes", shapes },
    { "reference", reference },
    { "version", version },
    { "add_test", add_test },
    { "regret", regret },
    { "machines", machines },
    { "report_row", report_row },
    { "version_macros", version_macros },
    { "cmake_versions", cmake_versions },
    { NULL, NULL },
};

static const EmitSection *find_section(const EmitSection *list, const char *word)
{
    while (list->word && strcmp(list->word, word) != 0)
        list++;
    return list->word ? list : NULL;
}

static const char *section(void *ctx, const char *word)
{
    Emitter *e = ctx;
    static const struct {
        const Family *family;
        const EmitSection *section;
    } own[] = { { &family_cpu, emit_cpu_sections }, { &family_cuda, emit_cuda_sections } };
    const EmitSection *found = NULL;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].family == e->family)
            found = find_section(own[i].section, word);
    found = found ? found : find_section(common_sections, word);
    return found ? found->text(e) : NULL;
}

/* ---- files ---- */

static void add_file(Emitter *e, Package *p, const char *path, const char *text)
{
    p->file = arena_grow(e->arena, p->file, (size_t)p->n, (size_t)p->n + 1, sizeof *p->file);
    p->file[p->n++] = (PackageFile){ path, text, strlen(text) };
}

static bool add_pattern(Emitter *e, Package *p, const char *pattern, const char *path)
{
    const Source *src = conf_source(e->arena, pattern, e->diag);
    Binding b = { .spec = emit_spec(e), .device = e->in->part->unit.device, .target = e->in->part->unit.target };
    Fill f = {
        .lookup = template_context, .ctx = &b, .name = emit_spec(e)->name, .section = section, .section_ctx = e
    };
    char *text = src ? fill_text(e->arena, src, 0, &f, e->diag) : NULL;
    if (text)
        add_file(e, p, path, text);
    return text != NULL;
}

/* "NAME_pool.h" of a row: "bert_dense_pool.h". */
static const char *row_path(const Emitter *e, const PackageRow *row)
{
    static const char word[] = "NAME";
    return strncmp(row->path, word, 4) == 0 ? arena_printf(e->arena, "%s%s", emit_spec(e)->name, row->path + 4)
                                            : row->path;
}

const Dispatcher *package_dispatcher(Arena *a, const Result *part, int npart)
{
    const Emitter *e = emitter_new(a, &(EmitInput){ .part = part, .npart = npart }, NULL);
    const Spec *s = part->unit.spec;
    Dispatcher *d = ARENA_NEW(a, Dispatcher);
    *d = (Dispatcher){ .name = s->name,
                       .op = s->op,
                       .naxis = s->op->naxis,
                       .is_told_parts = e->family->told_parts,
                       .box = spec_box(s),
                       .nentry = e->nentry,
                       .entry = ARENA_ARRAY(a, (size_t)e->nentry, DispatchEntry) };
    for (int i = 0; i < e->nentry; i++)
        d->entry[i] = (DispatchEntry){ e->entry[i].target, e->entry[i].part ? e->entry[i].part->assignment->tree : NULL,
                                       e->entry[i].first, e->entry[i].general };
    return d;
}

/* Git would change line ends where core.autocrlf says so, and with them the hashes. */
static const char git_attributes[] = "# Bytes stay as dcgen wrote them: MANIFEST has their hashes.\n* -text\n";

Package *package_make(Arena *a, const EmitInput *in, Diag *d)
{
    Emitter *e = emitter_new(a, in, d);
    const Spec *s = in->part->unit.spec;
    Package *p = ARENA_NEW(a, Package);
    for (const PackageRow *row = e->family->file; row->pattern; row++) {
        const char *pattern = row->of_op ? arena_printf(a, "%s/%s", s->op->dir, row->pattern)
                                         : unit_pattern(a, &in->part->unit, row->pattern);
        if (!add_pattern(e, p, pattern, row_path(e, row)))
            return NULL;
    }
    add_file(e, p, "spec.cfg", in->spec_text);
    add_file(e, p, "records.jsonl", in->records);
    if (in->report)
        add_file(e, p, "report.html", in->report);
    add_file(e, p, "regret.json", regret_file_text(a, in));
    add_file(e, p, ".gitattributes", git_attributes);
    add_file(e, p, "package.json", emit_json(e, p));
    const char *manifest = emit_manifest(e, p);
    if (manifest)
        add_file(e, p, MANIFEST_PATH, manifest);
    return manifest ? p : NULL;
}
