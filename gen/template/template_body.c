/* SPDX-License-Identifier: Apache-2.0
 *
 * template_body: what stands behind a template's head: the files that it includes, and its names against those of the head.
 */
#include "gen/template/template_private.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/template/fill.h"

/* The lines under "#ifndef DCGEN" bind the names for the stand-alone compile: they are neither uses nor errors. Where the text behind them
 * begins. */
static size_t skip_standalone(const Template *t)
{
    const char *line = strstr(t->src->text + t->body, "#ifndef DCGEN");
    int depth = 0;
    while (line && *line) {
        depth += strncmp(line, "#if", 3) == 0;
        depth -= strncmp(line, "#endif", 6) == 0;
        line += strcspn(line, "\n");
        line += *line == '\n';
        if (depth == 0)
            return (size_t)(line - t->src->text);
    }
    return t->body;
}

/* ---- files that it includes ---- */

/* What a piece of a template includes, no text can stand in for. */
static void refuse_piece(void *ctx, const char *file, size_t len, size_t at)
{
    const Reader *r = ctx;
    diag_error(r->diag, loc_at(r->t->piece[r->t->npiece - 1], at, (int)len),
               "'%.*s' is included by a file that a template includes; only the template may", (int)len, file);
}

static void read_piece(void *ctx, const char *file, size_t len, size_t at)
{
    Reader *r = ctx;
    Template *t = r->t;
    const char *path = t->src->path, *slash = strrchr(path, '/');
    const char *own = arena_printf(r->arena, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)len, file);
    for (int i = 0; i < t->npiece; i++)
        if (strcmp(t->piece[i]->path, own) == 0)
            return;
    const Loc loc = loc_at(t->src, at, (int)len);
    if (t->npiece == TEMPLATE_MAX_PIECE)
        diag_error(r->diag, loc, "more than %d files are included", TEMPLATE_MAX_PIECE);
    else if (memchr(file, '/', len) || access(own, R_OK) != 0)
        diag_error(r->diag, loc, "there is no file '%.*s' beside the template", (int)len, file);
    else if ((t->piece[t->npiece] = conf_source(r->arena, own, r->diag))) {
        t->npiece++;
        fill_includes(t->piece[t->npiece - 1], 0, refuse_piece, r);
    }
}

bool template_read_pieces(Reader *r)
{
    const int before = diag_nerror(r->diag);
    fill_includes(r->t->src, skip_standalone(r->t), read_piece, r);
    return diag_nerror(r->diag) == before;
}

/* ---- names ---- */

bool template_free_name(const char *name)
{
    static const char *const word[] = {
        "NAME",    "KERNEL",   "TARGET_ATTRIBUTE", "TARGET_GUARD", "DCGEN",   "NULL",
        "GCC",     "STDC",     "FP_CONTRACT",      "INT64_MAX",    "INT_MAX", "INT64_MIN",
        "INT64_C", "SIZE_MAX", "FLT_MAX",          "INFINITY",     "NAN",     "REGS"
    };
    if (strncmp(name, "NAME_", 5) == 0 || strncmp(name, "KERNEL_", 7) == 0)
        return true;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(word[i], name) == 0)
            return true;
    return false;
}

typedef struct {
    Reader *r;
    const Source *src; /* the template or a piece */
    bool used[TEMPLATE_MAX_SLOT];
    bool ok;
} BodyCheck;

static bool is_upper_word(const char *name)
{
    for (const char *p = name; *p; p++)
        if (islower((unsigned char)*p))
            return false;
    return strlen(name) > 1 && isupper((unsigned char)name[0]);
}

static void body_name(void *ctx, const char *id, size_t len, size_t offset)
{
    BodyCheck *b = ctx;
    Reader *r = b->r;
    const char *name = arena_strndup(r->arena, id, len);
    const size_t at = template_name(r, name);
    if (at < r->nbody_name) {
        b->used[at] = true;
        return;
    }
    if (!is_upper_word(name) || template_free_name(name) || op_axis(r->op, name) >= 0)
        return;
    const char *near = diag_nearest(name, r->name, r->nbody_name);
    diag_error(r->diag, loc_at(b->src, offset, (int)len),
               near ? "'%s' is not declared in the template's head; did you mean '%s'?"
                    : "'%s' is not declared in the template's head",
               name, near);
    b->ok = false;
}

bool template_check_body(Reader *r)
{
    Template *t = r->t;
    BodyCheck b = { .r = r, .src = t->src, .ok = true };
    fill_names(t->src, skip_standalone(t), body_name, &b);
    for (int i = 0; i < t->npiece; i++) {
        b.src = t->piece[i];
        fill_names(b.src, 0, body_name, &b);
    }
    for (int i = t->nvalue - 1; i >= 0; i--) /* a value that is used uses what it is made of */
        if (b.used[template_name(r, t->value[i].name)])
            for (const ExprName *n = expr_names(t->value[i].expr); n; n = n->next)
                b.used[template_name(r, n->name)] = true; /* checked: it is declared */
    for (int i = 0; i < t->nparam; i++)
        if (!b.used[template_name(r, t->param[i].name)]) {
            diag_error(r->diag, t->param[i].loc, "parameter '%s' is declared but the template does not use it",
                       t->param[i].name);
            b.ok = false;
        }
    return b.ok;
}
