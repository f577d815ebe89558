/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_cuda: CUDA C++ for GPUs. Kernels take one struct of arguments by value; all inline PTX is in primitives, small functions in a
 * namespace of the package, of which a unit holds those that it uses.
 */
#include "gen/unit/unit_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/spec/dtype.h"
#include "gen/template/fill.h"

static int64_t elem_bytes(const Spec *s)
{
    const Dtype *d = dtype_find(s->dtype);
    return d ? (int64_t)d->bytes : 1;
}

static void add_pitch(Text *t, const Spec *s)
{
    const char *row = s->layout && strcmp(s->layout, "KN") == 0 ? "N" : "K";
    const int64_t vector = 16 / elem_bytes(s);
    text_printf(t, "/* Elements from one row of W to the next%s. */\n",
                s->packed ? ": rows are padded to 16 bytes" : "");
    if (s->packed)
        text_printf(t, "#define %s_LDW(N, K) (((%s) + %" PRId64 ") / %" PRId64 " * %" PRId64 ")\n\n", s->name, row,
                    vector - 1, vector, vector);
    else
        text_printf(t, "#define %s_LDW(N, K) (%s)\n\n", s->name, row);
}

static void add_preamble(Text *t, const UnitContext *u)
{
    const Spec *s = u->spec;
    const bool is_float = strcmp(unit_operand_c(s, &s->op->operand[0]), "float") == 0;
    text_printf(t, "/* An element of every operand%s. */\ntypedef %s %s_elem;\n\n",
                is_float ? "" : arena_printf(t->arena, ", the bits of a %s", s->dtype),
                is_float ? "float" : "unsigned short", s->name);
    text_printf(t, "/* One call, as the kernels see it. */\ntypedef struct {\n    int %s;\n",
                unit_axes(t->arena, s->op, NULL));
    unit_add_operand_fields(t, s, arena_printf(t->arena, "%s_elem", s->name));
    text_printf(t, "    void *workspace;\n} %s_args;\n\n", s->name);
    text_printf(t,
                "/* How a kernel is started: its grid, threads a block, bytes of dynamic shared memory a block, and of "
                "workspace. */\n"
                "typedef struct {\n    unsigned x, y, z;\n    int threads;\n    size_t smem_bytes, workspace_bytes;\n} "
                "%s_plan;\n\n",
                s->name);
    add_pitch(t, s);
}

static void add_entry(Text *t, const UnitContext *u)
{
    const Spec *s = u->spec;
    const char *n = s->name;
    const char *list = unit_extent_list(t->arena, s->op, NULL, "");
    text_printf(t,
                "extern \"C\" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void "
                "*stream)\n{\n    const %s_plan plan = %s_k0_plan(%s);\n    const %s_args args = {\n        %s,",
                n, n, list, n, unit_extent_list(t->arena, s->op, NULL, "(int)"));
    unit_add_operand_list(t, s, true);
    text_printf(t,
                " workspace };\n    return %s_device::launch(%s_k0, dim3(plan.x, plan.y, plan.z), plan.threads, "
                "plan.smem_bytes, (cudaStream_t)stream,\n                                args);\n}\n\n",
                n, n);
    text_printf(t,
                "extern \"C\" int64_t dcgen_workspace(const int64_t *extent)\n{\n    return "
                "(int64_t)%s_k0_plan(%s).workspace_bytes;\n}\n",
                n, list);
    if (!s->packed)
        return;
    list = unit_extent_list(t->arena, s->op, s->op->operand[s->const_operand].elems, "");
    text_printf(t,
                "\nextern \"C\" int64_t dcgen_packed_bytes(const int64_t *extent)\n{\n    return "
                "(int64_t)%s_cuda_packed_bytes(%s);\n}\n\n"
                "extern \"C\" int dcgen_pack(const int64_t *extent, const void *w, void *packed)\n{\n    return "
                "%s_cuda_pack(%s, w, packed, NULL);\n}\n",
                n, list, n, list);
}

const UnitDialect unit_cuda = { &family_cuda, add_preamble, add_entry };

/* ---- primitives ---- */

enum { MAX_PRIMITIVE = 64 };

/* Primitives in the order that C++ wants: each behind those that it uses. */
typedef struct {
    Arena *arena;
    const char *dir;
    Diag *diag;
    int n;
    const char *name[MAX_PRIMITIVE];
    const Source *src[MAX_PRIMITIVE]; /* NULL: begun, but not there yet */
} Primitives;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_length(const char *s)
{
    size_t len = 0;
    while (is_word(s[len]))
        len++;
    return len;
}

static bool is_wanted(const Primitives *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->name[i], name) == 0)
            return true;
    return false;
}

static const char *primitive_path(const Primitives *p, const char *name)
{
    return arena_printf(p->arena, "%s/%s.cuh", p->dir, name);
}

static void want(Primitives *p, const char *name);

/* What a primitive calls may be a primitive too: then it has a file. */
static void want_called(Primitives *p, const char *text, const char *self)
{
    for (const char *s = text; *s; s++) {
        size_t len = s == text || !is_word(s[-1]) ? word_length(s) : 0;
        if (!len || s[len] != '(')
            continue;
        const char *name = arena_strndup(p->arena, s, len);
        if (strcmp(name, self) != 0 && !is_wanted(p, name) && access(primitive_path(p, name), R_OK) == 0)
            want(p, name);
    }
}

static void want(Primitives *p, const char *name)
{
    const Source *src = is_wanted(p, name) ? NULL : conf_source(p->arena, primitive_path(p, name), p->diag);
    if (!src)
        return;
    want_called(p, src->text, name);
    if (p->n < MAX_PRIMITIVE && !is_wanted(p, name)) {
        p->name[p->n] = name;
        p->src[p->n++] = src;
    }
}

static int by_name(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

/* Every word behind the prefix is a primitive's name, and a file's. In order of their names, so that equal sets give equal texts. */
static void want_all(Primitives *p, const char *text, const char *prefix)
{
    const char *name[MAX_PRIMITIVE];
    int n = 0;
    for (const char *s = text; (s = strstr(s, prefix)) && n < MAX_PRIMITIVE;) {
        s += strlen(prefix);
        int i = 0;
        const char *word = arena_strndup(p->arena, s, word_length(s));
        while (i < n && strcmp(name[i], word) != 0)
            i++;
        if (*word && i == n)
            name[n++] = word;
    }
    qsort(name, (size_t)n, sizeof *name, by_name);
    for (int i = 0; i < n; i++)
        want(p, name[i]);
}

char *unit_device(Arena *a, const UnitContext *u, const char *text, Diag *d)
{
    Primitives p = { .arena = a, .dir = arena_printf(a, "%s/../device", u->package_dir), .diag = d };
    Binding b = { .spec = u->spec, .device = u->device, .target = u->target, .threads = 1 };
    Fill f = { .lookup = template_context, .ctx = &b, .name = u->spec->name };
    int before = diag_nerror(d);
    Text t = { .arena = a };
    want_all(&p, text, arena_printf(a, "%s_device::", u->spec->name));
    for (int i = 0; i < p.n; i++) {
        const char *spdx = strchr(p.src[i]->text, '\n'); /* the unit says its licence once */
        char *body = spdx ? fill_text(a, p.src[i], (size_t)(spdx + 1 - p.src[i]->text), &f, d) : NULL;
        if (!body)
            return NULL;
        text_printf(&t, "%s%s", i ? "\n" : "", body);
    }
    return diag_nerror(d) == before ? arena_strdup(a, text_str(&t)) : NULL;
}
