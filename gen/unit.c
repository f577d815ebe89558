/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/unit.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>
#include "gen/conf.h"
#include "gen/fill.h"
#include "gen/text.h"

/* Element types as C spells them. */
static const struct {
    const char *dtype, *c;
} c_type[] = { { "f32", "float" } };

static const char *dtype_c(const char *dtype)
{
    for (size_t i = 0; i < sizeof c_type / sizeof *c_type; i++)
        if (strcmp(c_type[i].dtype, dtype) == 0)
            return c_type[i].c;
    return "void";
}

static const char *operand_c(const Spec *s, const Operand *o) { return dtype_c(o->dtype ? o->dtype : s->dtype); }

bool unit_has_operand(const Spec *s, const Operand *o) { return op_has_operand(o, s->epilogue, s->nepilogue); }

static bool is_packed(const Spec *s, const Operand *o) { return s->packed && o == &s->op->operand[s->const_operand]; }

const char *unit_operand_type(const Spec *s, const Operand *o)
{
    if (is_packed(s, o))
        return "const void *";
    return strcmp(operand_c(s, o), "float") != 0 ? "const void *" : o->role == ROLE_OUT ? "float *" : "const float *";
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

static void add_targets(Text *t, const UnitContext *u)
{
    for (int i = 0; i < u->targets->n; i++) {
        const Target *target = &u->targets->t[i];
        if (strcmp(target->family, "cpu") != 0)
            continue;
        if (*target->attribute)
            text_printf(t, "#define %s_TARGET_%s __attribute__((target(\"%s\")))\n", u->spec->name, target->name,
                        target->attribute);
        else
            text_printf(t, "#define %s_TARGET_%s\n", u->spec->name, target->name);
    }
}

char *unit_preamble(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    Text t = { .arena = a };
    text_add(&t, "/* Each kernel is compiled for its own instruction set and runs only where the CPU has it. */\n");
    add_targets(&t, u);
    text_add(&t, "\n/* Keeps a vector in a register: without it the compiler may load it again for every use. */\n#if "
                 "defined(__x86_64__)\n");
    text_printf(&t, "#define %s_IN_REGISTER(v) __asm__(\"\" : \"+v\"(v))\n#else\n", s->name);
    text_printf(&t, "#define %s_IN_REGISTER(v) ((void)0)\n#endif\n\n", s->name);
    text_add(&t, "/* One call, as the kernels see it. */\ntypedef struct {\n    int64_t ");
    text_printf(&t, "%s;\n", axis_list(a, s->op, NULL, ""));
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (unit_has_operand(s, o))
            text_printf(&t, "    %s%s *%s;\n", o->role == ROLE_OUT ? "" : "const ", operand_c(s, o), o->name);
    }
    text_printf(&t, "    void *workspace;\n} %s_args;\n\n", s->name);
    return arena_strdup(a, text_str(&t));
}

static Binding binding(const UnitContext *u, const UnitKernel *k)
{
    return (Binding){ .t = k ? k->t : NULL,
                      .spec = u->spec,
                      .target = k ? k->target : NULL,
                      .device = u->device,
                      .value = k ? k->value : NULL,
                      .threads = 1 };
}

char *unit_pack(Arena *a, const UnitContext *u, Diag *d)
{
    const Source *src = conf_source(a, arena_printf(a, "%s/pack.c", u->spec->op->dir), d);
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
                        extents, s->name, extents, operand_c(s, w), w->name);
}

char *unit_kernel_text(Arena *a, const UnitKernel *k)
{
    Text t = { .arena = a };
    text_printf(&t, "%s %s", k->t->name, k->target->name);
    for (int i = 0; i < k->t->nparam; i++)
        text_printf(&t, " %s=%" PRId64, k->t->param[i].name, k->value[i]);
    return arena_strdup(a, text_str(&t));
}

static const char *arch_guard(const Target *t)
{
    return *t->arch ? "#if defined(__x86_64__)\n" : NULL; /* the only architecture that targets name so far */
}

char *unit_kernels(Arena *a, const UnitContext *u, const UnitKernel *k, int n, Diag *d)
{
    Text t = { .arena = a };
    const char *open = NULL;
    for (int i = 0; i < n; i++) {
        const char *guard = arch_guard(k[i].target);
        if (open && !guard)
            text_add(&t, "#endif\n\n");
        if (guard && !open)
            text_add(&t, guard);
        open = guard;
        Binding b = binding(u, &k[i]);
        char *text = template_fill(a, &b, arena_printf(a, "%s_k%d", u->spec->name, i), d);
        if (!text)
            return NULL;
        text_printf(&t, "/* Kernel %d: %s */\n%s\n", i, unit_kernel_text(a, &k[i]), text);
    }
    if (open)
        text_add(&t, "#endif\n\n");
    return arena_strdup(a, text_str(&t));
}

char *unit_table(Arena *a, const UnitContext *u, const UnitKernel *k, int n)
{
    Text t = { .arena = a };
    for (int i = 0; i < n; i++) {
        const char *guard = arch_guard(k[i].target);
        if (guard && (i == 0 || !arch_guard(k[i - 1].target)))
            text_add(&t, guard);
        text_printf(&t, "    [%d] = %s_k%d,\n", i, u->spec->name, i);
        if (guard && (i + 1 == n || !arch_guard(k[i + 1].target)))
            text_add(&t, "#endif\n");
    }
    return arena_strdup(a, text_str(&t));
}

/* ---- the candidate ---- */

typedef struct {
    Arena *a;
    const UnitContext *u;
    const UnitKernel *k;
    Diag *d;
} CandidateSections;

/* The functions that search/runner/abi.h names, in terms of this unit's own. */
static char *entry(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    Text t = { .arena = a };
    text_add(&t, "int dcgen_run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t "
                 "ntask)\n{\n");
    text_printf(&t, "    const %s_args args = {\n       ", s->name);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, " extent[%d],", i);
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, " operand[%d],", i);
    text_printf(&t, " workspace };\n    return %s_k0(&args, task, ntask);\n}\n", s->name);
    if (!s->packed)
        return arena_strdup(a, text_str(&t));
    Text list = { .arena = a };
    const Expr *elems = s->op->operand[s->const_operand].elems;
    for (int i = 0; i < s->op->naxis; i++)
        if (unit_uses_axis(elems, s->op->axis[i].name))
            text_printf(&list, "%sextent[%d]", list.len ? ", " : "", i);
    text_printf(
        &t, "\nint64_t dcgen_packed_bytes(const int64_t *extent)\n{\n    return (int64_t)%s_packed_bytes(%s);\n}\n\n",
        s->name, text_str(&list));
    text_printf(&t,
                "int dcgen_pack(const int64_t *extent, const void *w, void *packed)\n{\n    return %s_pack(%s, w, "
                "packed);\n}\n",
                s->name, text_str(&list));
    return arena_strdup(a, text_str(&t));
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
    return strcmp(word, "entry") == 0 ? entry(c->a, c->u) : NULL;
}

char *unit_candidate(Arena *a, const UnitContext *u, const UnitKernel *k, Diag *d)
{
    const Source *src = conf_source(a, arena_printf(a, "%s/candidate.c", u->package_dir), d);
    Binding b = binding(u, NULL);
    CandidateSections sections = { a, u, k, d };
    Fill f = { .lookup = template_context,
               .ctx = &b,
               .name = u->spec->name,
               .section = candidate_section,
               .section_ctx = &sections };
    return src ? fill_text(a, src, 0, &f, d) : NULL;
}

const char *unit_context_hash(Arena *a, const UnitContext *u)
{
    const Spec *s = u->spec;
    Text t = { .arena = a };
    size_t len;
    const char *const file[] = { arena_printf(a, "%s/pack.c", s->op->dir),
                                 arena_printf(a, "%s/candidate.c", u->package_dir) };
    text_printf(&t, "%s|%s|%s|%d|", s->op->name, s->dtype, s->layout ? s->layout : "", s->packed);
    for (int i = 0; i < s->nepilogue; i++)
        text_printf(&t, "%s,", s->epilogue[i]);
    for (size_t i = 0; i < 2; i++) {
        const char *text = text_read_file(a, file[i], &len);
        text_add(&t, text ? text : "");
    }
    for (int i = 0; i < u->targets->n; i++)
        text_printf(&t, "|%s:%s", u->targets->t[i].name, u->targets->t[i].attribute);
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&t), t.len));
}
