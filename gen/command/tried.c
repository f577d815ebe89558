/* SPDX-License-Identifier: Apache-2.0
 *
 * tried: finds the kernel that `dcgen try TEMPLATE MR=4 ... SPEC` tells: the template by its name or its file, and a
 * value for each of its parameters. What is wrong with these words is said all at once.
 */
#define _GNU_SOURCE /* basename */
#include "gen/command/tried.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "gen/target/family.h"

/* ---- the template ---- */

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

/* Is it the path of a file, and no template's name? */
static bool is_file(const char *tried)
{
    bool is = strchr(tried, '/') != NULL;
    for (int i = 0; i < FAMILY_COUNT; i++)
        is = is || ends_in(tried, families[i]->suffix);
    return is;
}

/* The folder that a file or folder lies in. */
static const char *parent_of(Arena *a, const char *path)
{
    const char *name = basename(path), *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0)
        return "..";
    if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        return arena_printf(a, "%s/..", path);
    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

/* The options, with the folder of templates that a template's file lies in as the first of --templates. NULL: there is
 * no such file. */
static const Options *tried_options(Run *r)
{
    Options *o = ARENA_NEW(r->a, Options);
    *o = *r->o;
    if (!is_file(o->tried))
        return o;
    if (access(o->tried, R_OK) != 0) {
        run_fails(r, EXIT_USAGE, "%s: %s", o->tried, strerror(errno));
        return NULL;
    }
    const TextList given = o->templates;
    o->templates = (TextList){ 0 };
    text_list_add(r->a, &o->templates, parent_of(r->a, parent_of(r->a, o->tried)));
    for (int i = 0; i < given.n; i++)
        text_list_add(r->a, &o->templates, given.item[i]);
    return o;
}

static bool same_file(const char *path, const char *other)
{
    char *a = realpath(path, NULL), *b = realpath(other, NULL);
    const bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

static const Template *fail_without_file(Run *r, const Spec *s)
{
    const char *folder = basename(parent_of(r->a, r->o->tried));
    if (same_file(parent_of(r->a, r->o->tried), s->op->dir) || strcmp(folder, s->op->name) == 0)
        run_fails(r, EXIT_USAGE, "%s: it has no template's head, a comment that begins with a line '/* dcgen'",
                  r->o->tried);
    else
        run_fails(r, EXIT_USAGE, "%s: templates of the spec's op '%s' lie in a folder of that name, as in DIR/%s/%s",
                  r->o->tried, s->op->name, s->op->name, basename(r->o->tried));
    return NULL;
}

/* The template of this name or file; NULL: the list has none. */
static const Template *template_named(const TemplateList *list, const char *tried)
{
    const bool by_file = is_file(tried);
    for (int i = 0; i < list->n; i++)
        if (by_file ? same_file(list->t[i]->head->path, tried) : strcmp(list->t[i]->name, tried) == 0)
            return list->t[i];
    return NULL;
}

static const Template *find_template(Run *r, const Job *job)
{
    const TemplateList *list = job->templates;
    const char *tried = r->o->tried;
    const Template *t = template_named(list, tried);
    TextList names = { 0 };
    if (t)
        return t;
    for (int i = 0; i < list->n; i++)
        text_list_add(r->a, &names, list->t[i]->name);
    if (is_file(tried))
        return fail_without_file(r, job->spec);
    const char *near = diag_nearest(tried, NAMES(names.item, names.n));
    if (near)
        run_fails(r, EXIT_USAGE, "no template of op '%s' is called '%s'; did you mean '%s'?", job->spec->op->name,
                  tried, near);
    else
        run_fails(r, EXIT_USAGE, "no template of op '%s' is called '%s'; expected one of %s", job->spec->op->name,
                  tried, text_list_join(r->a, &names, ", "));
    return NULL;
}

/* Says why the template cannot serve the spec on the target. */
static const Template *refuse_template(Run *r, const Template *t, const Spec *s, const Target *target)
{
    TextList layouts = { 0 }, served = { 0 };
    for (int i = 0; i < s->op->noperand; i++)
        for (int k = 0; k < s->op->operand[i].nlayout; k++)
            if (t->layout[i] >> k & 1)
                text_list_add(r->a, &layouts,
                              arena_printf(r->a, "%s: %s", s->op->operand[i].name, s->op->operand[i].layout[k].name));
    for (int i = 0; i < t->ndtype; i++)
        text_list_add(r->a, &served, t->dtype[i]);
    const char *why = "";
    if (t->family != target->family)
        why = arena_printf(r->a, "it is for %ss, and the target is '%s'; name another, as in --target NAME",
                           t->family->device, target->name);
    else if (!t->family->packed_alike && t->packed != s->packed)
        why = t->packed ? "it reads a packed operand, and the spec does not say 'packed = true' in its layout"
                        : "it reads no packed operand, and the spec says 'packed = true' in its layout";
    else if (served.n && !text_list_has(&served, s->dtype))
        why = arena_printf(r->a, "it serves %s, and the spec's dtype is %s", text_list_join(r->a, &served, ", "),
                           s->dtype);
    else
        why = arena_printf(r->a, "it reads the layouts %s, and the spec's are %s", text_list_join(r->a, &layouts, ", "),
                           spec_layout_text(r->a, s));
    run_fails(r, EXIT_USAGE, "template '%s' does not serve this spec: %s", t->name, why);
    return NULL;
}

static bool serves(const char *tried, const TemplateList *list, const Spec *s, const TargetList *targets)
{
    const Template *t = template_named(list, tried);
    for (int i = 0; t && i < targets->n; i++)
        if (template_suits(t, s, &targets->t[i]))
            return true;
    return false;
}

const Workload *tried_workload(Run *r)
{
    const Options *o = tried_options(r);
    Workload *w = o ? run_read(r, o->operand, o) : NULL;
    int n = 0;
    for (int i = 0; w && i < w->nfunction; i++)
        if (serves(o->tried, &w->function[i].templates, w->function[i].spec, w->targets))
            w->function[n++] = w->function[i];
    if (n) {
        w->nfunction = n;
        workload_make_jobs(r->a, w);
    }
    return w;
}

/* ---- its parameters ---- */

static const char *choices_text(Arena *a, const TemplateParam *p)
{
    Text t = { .arena = a };
    for (int i = 0; i < p->nchoice; i++)
        text_printf(&t, "%s%" PRId64, i ? ", " : "", p->choice[i]);
    if (*p->doc)
        text_printf(&t, " (%s)", p->doc);
    return text_str(&t);
}

/* An error for each value that is given to no parameter. */
static void refuse_unknown(const Template *t, const Options *o, Diag *d)
{
    const Names known = NAMES(t->param, t->nparam);
    for (int i = 0; i < o->nbinding; i++) {
        const char *name = o->binding[i].name, *near = diag_nearest(name, known);
        if (names_find(known, name) < 0)
            diag_error(d, (Loc){ 0 }, "template '%s' has no parameter '%s'%s%s%s", t->name, name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

/* The value that is given to a parameter, or the only choice that it has. An error if there is neither. */
static int64_t take_value(Arena *a, const TemplateParam *p, const Options *o, Diag *d)
{
    const ExplainBinding *given = names_row(NAMES(o->binding, o->nbinding), p->name);
    if (!given && p->nchoice == 1)
        return p->choice[0];
    int i = 0;
    while (given && i < p->nchoice && p->choice[i] != given->value)
        i++;
    if (!given)
        diag_error(d, (Loc){ 0 }, "%s is missing; expected one of %s", p->name, choices_text(a, p));
    else if (i == p->nchoice)
        diag_error(d, (Loc){ 0 }, "%s=%" PRId64 " is no choice; expected one of %s", p->name, given->value,
                   choices_text(a, p));
    return given ? given->value : 0;
}

const Space *tried_space(Run *r, const Job *job, const UnitContext *u)
{
    const Template *t = find_template(r, job);
    if (t && !template_suits(t, job->spec, u->target))
        t = refuse_template(r, t, job->spec, u->target);
    if (!t)
        return NULL;
    Diag *d = diag_new(r->a);
    int64_t value[TEMPLATE_MAX_PARAM];
    Space *s = ARENA_NEW(r->a, Space);
    s->general = ARENA_NEW(r->a, Candidate);
    s->ngeneral = 1;
    refuse_unknown(t, r->o, d);
    for (int i = 0; i < t->nparam; i++)
        value[i] = take_value(r->a, &t->param[i], r->o, d);
    const bool ok = diag_nerror(d) == 0 && candidate_from_values(t, u->target, value, s->general) &&
                    unit_candidate(r->a, u, &(UnitKernel){ .t = t, .target = u->target, .value = value }, d);
    diag_print(d, stderr);
    r->code = ok ? r->code : EXIT_USAGE;
    return ok ? s : NULL;
}
