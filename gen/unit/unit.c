/* SPDX-License-Identifier: Apache-2.0
 *
 * unit: see unit.h. What all families' texts have in common; what a family writes around it is in unit_cpu.c and unit_cuda.c.
 */
#include "gen/unit/unit_private.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/quote.h"
#include "gen/spec/dtype.h"
#include "gen/target/family.h"
#include "gen/template/fill.h"

static const UnitDialect *dialect_of(const UnitContext *u)
{
    static const UnitDialect *const dialects[] = { &unit_cpu, &unit_cuda };
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (dialects[i]->family == u->target->family)
            return dialects[i];
    return NULL;
}

const char *unit_pattern(Arena *a, const UnitContext *u, const char *name)
{
    return arena_printf(a, "%s%s/%s", u->package_dir, u->target->family->folder, name);
}

const char *unit_operand_c(const Spec *s, const Operand *o)
{
    const Dtype *d = dtype_find(o->dtype ? o->dtype : s->dtype);
    return d ? d->c_type : "void";
}

bool unit_has_operand(const Spec *s, const Operand *o) { return op_has_operand(o, s->epilogue, s->nepilogue); }

static bool is_packed(const Spec *s, const Operand *o) { return s->packed && o == &s->op->operand[s->const_operand]; }

const char *unit_operand_type(const Spec *s, const Operand *o)
{
    if (is_packed(s, o))
        return "const void *";
    const bool is_float = strcmp(unit_operand_c(s, o), "float") == 0;
    return o->role == ROLE_OUT ? (is_float ? "float *" : "void *") : is_float ? "const float *" : "const void *";
}

typedef struct {
    const char *axis;
    bool found;
} AxisUse;

static void axis_use(void *ctx, const char *name, Loc at)
{
    AxisUse *u = ctx;
    (void)at;
    u->found = u->found || strcmp(name, u->axis) == 0;
}

bool unit_uses_axis(const Expr *e, const char *axis)
{
    AxisUse u = { axis, !e };
    if (e)
        expr_names(e, axis_use, &u);
    return u.found;
}

/* The axes that elems uses, each after `before`: ("int64_t ", ...) -> "int64_t M, int64_t K". */
static char *axis_list(Arena *a, const Op *op, const Expr *elems, const char *before)
{
    Text t = { .arena = a };
    for (int i = 0; i < op->naxis; i++)
        if (unit_uses_axis(elems, op->axis[i].name))
            text_printf(&t, "%s%s%s", t.len ? ", " : "", before, op->axis[i].name);
    return arena_strdup(a, text_str(&t));
}

char *unit_axes(Arena *a, const Op *op, const Expr *elems) { return axis_list(a, op, elems, ""); }

char *unit_extents(Arena *a, const Op *op, const Expr *elems) { return axis_list(a, op, elems, "int64_t "); }

char *unit_extent_list(Arena *a, const Op *op, const Expr *elems, const char *cast)
{
    Text t = { .arena = a };
    for (int i = 0; i < op->naxis; i++)
        if (unit_uses_axis(elems, op->axis[i].name))
            text_printf(&t, "%s%sextent[%d]", t.len ? ", " : "", cast, i);
    return arena_strdup(a, text_str(&t));
}

void unit_add_operand_fields(Text *t, const Spec *s, const char *elem)
{
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (unit_has_operand(s, o))
            text_printf(t, "    %s%s *%s;\n", o->role == ROLE_OUT ? "" : "const ", elem ? elem : unit_operand_c(s, o),
                        o->name);
    }
}

void unit_add_operand_list(Text *t, const Spec *s, bool cast)
{
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (unit_has_operand(s, o) && cast)
            text_printf(t, " (%s%s_elem *)operand[%d],", o->role == ROLE_OUT ? "" : "const ", s->name, i);
        else if (unit_has_operand(s, o))
            text_printf(t, " operand[%d],", i);
    }
}

char *unit_preamble(Arena *a, const UnitContext *u)
{
    Text t = { .arena = a };
    dialect_of(u)->preamble(&t, u);
    return arena_strdup(a, text_str(&t));
}

static Binding binding(const UnitContext *u, const UnitKernel *k)
{
    return (Binding){ .t = k ? k->t : NULL,
                      .spec = u->spec,
                      .target = k ? k->target : NULL,
                      .device = u->device,
                      .value = k ? k->value : NULL,
                      .threads = 1,
                      .facts = k ? k->facts : (KernelFacts){ 0 } };
}

char *unit_pack(Arena *a, const UnitContext *u, Diag *d)
{
    const char *name = u->target->family->pack;
    const Source *src = conf_source(a, arena_printf(a, "%s/%s", u->spec->op->dir, name), d);
    Binding b = binding(u, NULL);
    Fill f = { .lookup = template_context, .ctx = &b, .name = u->spec->name };
    const char *spdx = src ? strchr(src->text, '\n') : NULL; /* the package says its licence once */
    return spdx ? fill_text(a, src, (size_t)(spdx + 1 - src->text), &f, d) : NULL;
}

char *unit_pack_declarations(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    const Operand *w = &s->op->operand[s->const_operand];
    char *extents = unit_extents(a, s->op, w->elems);
    return arena_printf(a, "size_t %s_packed_bytes(%s);\nint %s_pack(%s, const %s *%s, void *packed);\n", s->name,
                        extents, s->name, extents, unit_operand_c(s, w), w->name);
}

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

/* An empty kernel would do nothing and nobody would know: it may have one thread, so that CUDA refuses to start it. */
static void add_bounds(Text *t, const UnitContext *u, const Target *target)
{
    const char *name = u->spec->name, *of = target->name, *guard = target_guard(t->arena, target);
    if (!guard)
        return;
    text_printf(
        t,
        "/* Kernels for %s are empty in code for other architectures; one thread is allowed there, so that their "
        "launch fails. */\n#if %s\n#define %s_%s_bounds __launch_bounds__\n#else\n"
        "#define %s_%s_bounds(...) __launch_bounds__(1)\n#endif\n\n",
        of, guard, name, of, name, of);
}

char *unit_kernels(Arena *a, const UnitContext *u, const UnitKernel *k, int n, Diag *d)
{
    Text t = { .arena = a };
    const char *open = NULL;
    for (int i = 0; i < n; i++) {
        const char *guard = target_arch_guard(k[i].target);
        if (open && !guard)
            text_add(&t, "#endif\n\n");
        if (guard && !open)
            text_add(&t, guard);
        open = guard;
        if (is_first_of_target(k, i))
            add_bounds(&t, u, k[i].target);
        Binding b = binding(u, &k[i]);
        char *text = template_fill(a, &b, arena_printf(a, "%s_k%d", u->spec->name, i), d);
        if (!text)
            return NULL;
        text_printf(&t, "/* Kernel %d: %s */\n%s\n", i, quote_comment(a, unit_kernel_text(a, &k[i])), text);
    }
    if (open)
        text_add(&t, "#endif\n\n");
    return arena_strdup(a, text_str(&t));
}

char *unit_table(Arena *a, const UnitContext *u, const UnitKernel *k, int n)
{
    Text t = { .arena = a };
    for (int i = 0; i < n; i++) {
        const char *guard = target_arch_guard(k[i].target);
        if (guard && (i == 0 || !target_arch_guard(k[i - 1].target)))
            text_add(&t, guard);
        text_printf(&t, u->target->family->table_row, u->spec->name, i);
        if (guard && (i + 1 == n || !target_arch_guard(k[i + 1].target)))
            text_add(&t, "#endif\n");
    }
    return arena_strdup(a, text_str(&t));
}

char *unit_reference(Arena *a, const Spec *s, const char *text)
{
    Text t = { .arena = a };
    if (s->layout)
        text_printf(&t, "#define DCGEN_LAYOUT_%s 1\n", s->layout);
    if (strcmp(s->dtype, "f32") != 0)
        text_printf(&t, "#define DCGEN_DTYPE_%s 1\n", dtype_find(s->dtype)->macro);
    text_add(&t, text);
    return arena_strdup(a, text_str(&t));
}

/* ---- the candidate ---- */

typedef struct {
    Arena *a;
    const UnitContext *u;
    const UnitKernel *k;
    Diag *d;
} CandidateSections;

static const char *entry(CandidateSections *c)
{
    Text t = { .arena = c->a };
    dialect_of(c->u)->entry(&t, c->u);
    return arena_strdup(c->a, text_str(&t));
}

/* The kernel is filled again for this: which primitives are there depends on its text. */
static const char *device(CandidateSections *c)
{
    const char *kernel = unit_kernels(c->a, c->u, c->k, 1, c->d);
    return kernel ? unit_device(c->a, c->u, arena_printf(c->a, "%s\n%s", kernel, entry(c)), c->d) : NULL;
}

static const char *candidate_section(void *ctx, const char *word)
{
    CandidateSections *c = ctx;
    if (strcmp(word, "preamble") == 0)
        return unit_preamble(c->a, c->u);
    if (strcmp(word, "pack_declarations") == 0)
        return unit_pack_declarations(c->a, c->u);
    if (strcmp(word, "pack") == 0)
        return unit_pack(c->a, c->u, c->d);
    if (strcmp(word, "kernels") == 0)
        return unit_kernels(c->a, c->u, c->k, 1, c->d);
    if (strcmp(word, "device") == 0)
        return device(c);
    return strcmp(word, "entry") == 0 ? entry(c) : NULL;
}

char *unit_candidate(Arena *a, const UnitContext *u, const UnitKernel *k, Diag *d)
{
    const UnitContext of_kernel = { u->spec, u->device, u->targets, u->package_dir, k->target };
    const char *suffix = k->target->family->suffix;
    const Source *src = conf_source(a, unit_pattern(a, &of_kernel, arena_printf(a, "candidate%s", suffix)), d);
    Binding b = binding(u, NULL);
    CandidateSections sections = { a, &of_kernel, k, d };
    Fill f = { .lookup = template_context,
               .ctx = &b,
               .name = u->spec->name,
               .section = candidate_section,
               .section_ctx = &sections };
    return src ? fill_text(a, src, 0, &f, d) : NULL;
}

char *unit_library(Arena *a, const UnitContext *u, Diag *d)
{
    const char *path = arena_printf(a, "%s/%s", u->spec->op->dir, u->target->family->library);
    const Source *src = access(path, F_OK) == 0 ? conf_source(a, path, d) : NULL;
    Binding b = binding(u, NULL);
    b.target = u->target;
    Fill f = { .lookup = template_context, .ctx = &b, .name = u->spec->name };
    return src ? fill_text(a, src, 0, &f, d) : NULL;
}

bool unit_primitives(Arena *a, const UnitContext *u, char ***path, int *n)
{
    const char *suffix = u->target->family->primitives;
    return suffix && dir_list(a, arena_printf(a, "%s/../device", u->package_dir), suffix, path, n);
}

/* Primitives stand in every text, at least in part. */
static void add_primitives(Text *t, const UnitContext *u)
{
    char **path;
    int n;
    size_t len;
    if (!unit_primitives(t->arena, u, &path, &n))
        return;
    for (int i = 0; i < n; i++) {
        const char *text = text_read_file(t->arena, path[i], &len);
        text_add(t, text ? text : "");
    }
}

/* What C code writes around a kernel, under a name that is not the spec's: that of a package says nothing of its times. */
static void add_surroundings(Text *t, const UnitContext *u)
{
    Spec unnamed = *u->spec;
    UnitContext of = *u;
    unnamed.name = "name";
    of.spec = &unnamed;
    dialect_of(u)->preamble(t, &of);
    dialect_of(u)->entry(t, &of);
}

const char *unit_context_hash(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    Text t = { .arena = a };
    size_t len;
    const Family *family = u->target->family;
    const char *const file[] = { arena_printf(a, "%s/%s", s->op->dir, family->pack),
                                 unit_pattern(a, u, arena_printf(a, "candidate%s", family->suffix)) };
    text_printf(&t, "%s|%s|%s|%d|", s->op->name, s->dtype, s->layout ? s->layout : "", s->packed);
    for (int i = 0; i < s->nepilogue; i++)
        text_printf(&t, "%s,", s->epilogue[i]);
    for (size_t i = 0; i < 2; i++) {
        const char *text = text_read_file(a, file[i], &len);
        text_add(&t, text ? text : "");
    }
    for (int i = 0; i < u->targets->n; i++)
        if (u->targets->t[i].family == family)
            text_printf(&t, "|%s:%s", u->targets->t[i].name, u->targets->t[i].gencode);
    add_surroundings(&t, u);
    add_primitives(&t, u);
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&t), t.len));
}
