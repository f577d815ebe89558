/* SPDX-License-Identifier: Apache-2.0
 *
 * template_body: the files that a template's body includes, and its names against those of the head.
 */
#define _GNU_SOURCE
#include "gen/template/template_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/template/fill.h"
#include "gen/template/primitive.h"

static bool begins_with(const char *s, const char *word) { return strncmp(s, word, strlen(word)) == 0; }

/* Is it the condition of lines for functions with a formula alone: "HAS_EPILOGUE", "EPILOGUE_CALLS && ..."? */
static bool is_of_formula(const char *arg)
{
    const char *behind = arg + fill_ident(arg);
    behind += strspn(behind, " \t");
    return (begins_with(arg, "HAS_EPILOGUE") || begins_with(arg, "EPILOGUE_")) &&
           (strchr("\n", *behind) || begins_with(behind, "/*") ||
            (begins_with(behind, "&&") && !memchr(behind, '|', strcspn(behind, "\n"))));
}

/* Do lines behind this one, up to its #else or #endif, hold no text of a kernel: those for the stand-alone compile,
 * and, if there is no formula, those for one? */
static bool opens_nothing(const char *word, size_t len, const char *arg, bool no_formula)
{
    return (len == 6 && begins_with(word, "ifndef") && fill_ident(arg) == 5 && begins_with(arg, "DCGEN")) ||
           (no_formula && len == 2 && begins_with(word, "if") && is_of_formula(arg));
}

/* The file with blanks in the place of the lines from byte `from` on that filling drops under "#ifndef DCGEN", which
 * define names for the stand-alone compile and are neither uses nor errors; no_formula: also of those for formulas. All
 * that is left stands where it stood. */
static const Source *without_standalone(Arena *a, const Source *src, size_t from, bool no_formula)
{
    Source *copy = ARENA_NEW(a, Source);
    char *text = arena_strndup(a, src->text, src->len);
    int depth = 0; /* of conditions, from such a line on */
    for (char *line = text + from; *line;) {
        size_t nword;
        const char *arg, *word = fill_directive(line, &nword, &arg);
        const size_t len = strcspn(line, "\n");
        const int before = depth;
        if (depth || opens_nothing(word, nword, arg, no_formula))
            depth += begins_with(word, "if") - begins_with(word, "endif") - (depth == 1 && begins_with(word, "el"));
        if (before || depth)
            memset(line, ' ', len);
        line += len + (line[len] == '\n');
    }
    *copy = (Source){ .path = src->path, .text = text, .len = strlen(text) };
    return copy;
}

/* ---- files that it includes ---- */

static Loc loc_of(const Source *src, const char *word, size_t len)
{
    return loc_at(src, (size_t)(word - src->text), (int)len);
}

/* Reports each file that a piece includes: pieces do not nest. */
static void refuse_includes(const TemplateReader *r, const Source *piece)
{
    piece = without_standalone(r->arena, piece, 0, false);
    size_t len;
    for (const char *at = piece->text, *file; (file = fill_next_include(&at, &len));)
        diag_error(r->diag, loc_of(piece, file, len),
                   "'%.*s' is included by a file that a template includes; only the template may", (int)len, file);
}

/* Is it a file of the template's folder, as in "tile.h", or of one beside that, as in "../dense/tile.h"? */
static bool is_near(const char *file, size_t len)
{
    int end = 0;
    if (memchr(file, '/', len))
        sscanf(file, "../%*[^/\"]/%*[^/\"]%n", &end);
    else
        end = (int)len;
    return end == (int)len;
}

static bool has_piece_named(const Template *t, const char *name)
{
    for (int i = 0; i < t->npiece; i++)
        if (strcmp(basename(t->piece[i]->path), name) == 0)
            return true;
    return false;
}

static const char *path_beside(Arena *a, const Source *src, const char *file, size_t len)
{
    const char *path = src->path, *slash = strrchr(path, '/');
    return arena_printf(a, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)len, file);
}

/* The path of a file that `from` names: beside it, or else there in the first folder of templates that has it. */
static const char *path_near(const TemplateReader *r, const Source *from, const char *file, size_t len)
{
    const char *beside = path_beside(r->arena, from, file, len), *slash = strrchr(from->path, '/');
    const char *folder = basename(arena_strndup(r->arena, from->path, slash ? (size_t)(slash - from->path) : 0));
    const bool is_other = memchr(file, '/', len); /* "../dense/tile.h" */
    for (int i = 0; i < r->spec->ntemplates && access(beside, R_OK) != 0; i++) {
        const char *path = is_other
                               ? arena_printf(r->arena, "%s/%.*s", r->spec->templates[i], (int)len - 3, file + 3)
                               : arena_printf(r->arena, "%s/%s/%.*s", r->spec->templates[i], folder, (int)len, file);
        if (access(path, R_OK) == 0)
            return path;
    }
    return beside;
}

const Source *template_near(TemplateReader *r, const Source *from, Loc at, const char *file, size_t len)
{
    if (!is_near(file, len)) {
        diag_error(r->diag, at, "there is no file '%.*s' beside the template", (int)len, file);
        return NULL;
    }
    const char *path = path_near(r, from, file, len);
    if (access(path, R_OK) == 0)
        return conf_source(r->arena, path, r->diag);
    diag_error(r->diag, at, "there is no file '%.*s' beside the template", (int)len, file);
    return NULL;
}

/* Reads the file that `src`, the template, includes: the one near the template's head, or else near its body. */
static void read_piece(TemplateReader *r, const Source *src, const char *file, size_t len)
{
    Template *t = r->t;
    const bool near = is_near(file, len);
    const Source *from = near && access(path_near(r, t->head, file, len), R_OK) == 0 ? t->head : t->src;
    const char *beside = near ? path_near(r, from, file, len) : "";
    const Source **piece = &t->piece[t->npiece];
    for (int i = 0; i < t->npiece; i++)
        if (strcmp(t->piece[i]->path, beside) == 0)
            return;
    if (t->npiece == TEMPLATE_MAX_PIECE)
        diag_error(r->diag, loc_of(src, file, len), "more than %d files are included", TEMPLATE_MAX_PIECE);
    else if ((*piece = template_near(r, from, loc_of(src, file, len), file, len))) {
        if (has_piece_named(t, basename(beside)))
            diag_error(r->diag, loc_of(src, file, len), "two files of the name '%s' are included", basename(beside));
        t->npiece++;
        refuse_includes(r, *piece);
    }
}

bool template_read_pieces(TemplateReader *r)
{
    const int before = diag_nerror(r->diag);
    const Source *src = without_standalone(r->arena, r->t->src, r->t->body, false);
    size_t len;
    for (const char *at = src->text + r->t->body, *file; (file = fill_next_include(&at, &len));)
        read_piece(r, src, file, len);
    return diag_nerror(r->diag) == before;
}

bool template_read_primitives(TemplateReader *r)
{
    Template *t = r->t;
    const FamilyPrimitives *kind = &t->family->primitives;
    const bool no_formula = !r->spec->formula, own_count = primitives_all_count(t->family, r->spec);
    const int before = diag_nerror(r->diag);
    Primitives p = primitives_open(r->arena, t->family, r->spec, r->diag);
    primitives_add(&p, without_standalone(r->arena, t->src, t->body, no_formula), t->body, kind->before, kind->behind);
    for (int i = 0; i < t->npiece; i++)
        primitives_add(&p, without_standalone(r->arena, t->piece[i], 0, no_formula), 0, kind->before, kind->behind);
    t->primitive = ARENA_ARRAY(r->arena, (size_t)p.n + 1, const Source *);
    for (int i = 0; i < p.n; i++)
        if (!own_count || !p.p[i].is_own)
            t->primitive[t->nprimitive++] = p.p[i].src;
    return diag_nerror(r->diag) == before;
}

/* ---- names ---- */

bool template_free_name(const char *name)
{
    static const char *const word[] = {
        "NAME",    "PACKAGE",  "KERNEL",  "TARGET_ATTRIBUTE", "MACHINE",   "TARGET_GUARD", "DCGEN",
        "NULL",    "GCC",      "STDC",    "FP_CONTRACT",      "INT64_MAX", "INT_MAX",      "INT64_MIN",
        "INT64_C", "SIZE_MAX", "FLT_MAX", "INFINITY",         "NAN",       "REGS",         "STRIDED"
    };
    return names_row(NAMES(type_words, TYPE_WORDS), name) || strncmp(name, "NAME_", 5) == 0 ||
           strncmp(name, "PACKAGE_", 8) == 0 || strncmp(name, "KERNEL_", 7) == 0 ||
           names_find(NAMES(word, LENGTH(word)), name) >= 0;
}

/* Marks the declared names that the file uses from byte `from` on: used[i] for r->name[i]. False: it uses others. */
static bool check_names(const TemplateReader *r, const Source *src, size_t from, bool *used)
{
    const int before = diag_nerror(r->diag);
    src = without_standalone(r->arena, src, from, false);
    FillNames names = fill_names(r->arena, src->text + from);
    size_t len;
    for (const char *id; (id = fill_next_name(&names, &len));) {
        const char *name = arena_strndup(r->arena, id, len);
        const int declared = names_find(NAMES(r->name, r->nbody_name), name);
        if (declared >= 0)
            used[declared] = true;
        if (declared >= 0 || len < 2 || !name_is_capitals(name) || template_free_name(name) ||
            op_axis(r->op, name) >= 0 || template_asks(r->spec, name, &(int64_t){ 0 }))
            continue;
        const char *near = diag_nearest(name, NAMES(r->name, r->nbody_name));
        diag_error(r->diag, loc_of(src, id, len),
                   near ? "'%s' is not declared in the template's head; did you mean '%s'?"
                        : "'%s' is not declared in the template's head",
                   name, near);
    }
    return diag_nerror(r->diag) == before;
}

bool template_check_body(TemplateReader *r)
{
    const Template *t = r->t;
    bool used[TEMPLATE_MAX_SLOT] = { false }, *param = used + r->ncontext, *value = param + t->nparam;
    bool ok = check_names(r, t->src, t->body, used);
    for (int i = 0; i < t->npiece; i++)
        ok &= check_names(r, t->piece[i], 0, used);
    for (int i = t->nvalue - 1; i >= 0; i--) /* a value that is used uses what it is made of */
        for (const ExprName *n = value[i] ? expr_names(t->value[i].expr) : NULL; n; n = n->next)
            used[names_find(NAMES(r->name, r->nname), n->name)] = true; /* checked: it is declared */
    for (int i = 0; i < t->nparam; i++)
        if (!param[i]) {
            diag_error(r->diag, t->param[i].loc, "parameter '%s' is declared but the template does not use it",
                       t->param[i].name);
            ok = false;
        }
    return ok;
}
