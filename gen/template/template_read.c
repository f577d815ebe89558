/* SPDX-License-Identifier: Apache-2.0
 *
 * template_read: a template's file, and its head.
 */
#include "gen/template/template_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/target/family.h"

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const char HEAD[] = "/* dcgen\n";

/* ---- reading a head ---- */

static void declare(Reader *r, const char *name)
{
    if (r->nname < sizeof r->name / sizeof *r->name)
        r->name[r->nname++] = name;
}

/* "HAS_" and the word in capitals. */
static const char *flag_name(Reader *r, const char *prefix, const char *word)
{
    char *name = arena_printf(r->arena, "%s%s", prefix, word);
    for (char *p = name; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return name;
}

static void declare_context(Reader *r)
{
    static const char *const fact[] = { "L1_BYTES",   "L2_BYTES", "L3_BYTES",  "CORES",      "SMS",
                                        "ELEM_BYTES", "PACKED",   "TENSOR_SM", "MAX_THREADS" };
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
        declare(r, fact[i]);
    for (int i = 0; target_fact_name(i); i++)
        if (strcmp(target_fact_name(i), "SMS") != 0)
            declare(r, target_fact_name(i));
    for (int i = 0; template_kernel_fact(i); i++)
        declare(r, template_kernel_fact(i));
    for (int i = 0; i < r->op->nepilogue; i++)
        declare(r, flag_name(r, "HAS_", r->op->epilogue[i]));
    for (int i = 0; i < r->op->ndtype; i++)
        declare(r, flag_name(r, "DTYPE_", r->op->dtype[i]));
    for (int i = 0; i < r->op->noperand; i++)
        for (int j = 0; j < r->op->operand[i].nlayout; j++)
            declare(r, arena_printf(r->arena, "LAYOUT_%s", r->op->operand[i].layout[j]));
}

static bool check_names(Reader *r, const Expr *e)
{
    return !e || conf_check_names(r->diag, e, "name", r->name, r->nname);
}

/* Filling replaces a name wherever it stands: it must not be one of C's words, nor one that means something else here. */
static bool check_new_name(Reader *r, Loc loc, const char *name)
{
    bool taken = op_axis(r->op, name) >= 0 || strcmp(name, "THREADS") == 0 || template_free_name(name);
    size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (name[len] || !isupper((unsigned char)name[0])) {
        diag_error(r->diag, loc, "'%s' must be capital letters, digits and '_', beginning with a letter", name);
        return false;
    }
    for (size_t i = 0; i < r->nname && !taken; i++)
        taken = strcmp(r->name[i], name) == 0;
    if (taken)
        diag_error(r->diag, loc, "'%s' is declared twice, or is a name that every template has", name);
    return !taken;
}

static bool check_new_part(Reader *r, const NamedExpr *e)
{
    const bool is_term = e >= r->t->term && e < r->t->term + TEMPLATE_MAX_TERM;
    for (const NamedExpr *f = is_term ? r->t->term : r->t->feature; f < e; f++)
        if (strcmp(f->name, e->name) == 0) {
            diag_error(r->diag, e->loc, "%s '%s' is declared twice", is_term ? "term" : "feature", e->name);
            return false;
        }
    return true;
}

static bool check_name(Reader *r, const ConfSetting *s, const char *what, const char *name)
{
    const char *why = name_fault(name);
    if (why)
        diag_error(r->diag, s->at, "the %s '%s' %s", what, name, why);
    return !why;
}

/* The choices of a parameter: numbers, or an axis of the op, for 0 and the extents that the spec has there. */
static bool read_choices(Reader *r, const Conf *c, const ConfSetting *s, TemplateParam *p)
{
    const char *axis[OP_MAX_AXIS];
    const ConfSetting *choices = conf_member(s, "choices");
    p->axis = -1;
    if (!choices || choices->type != CONF_STRING)
        return conf_ints(c, s, "choices", INT32_MIN, INT32_MAX, p->choice, TEMPLATE_MAX_CHOICE, &p->nchoice);
    for (int i = 0; i < r->op->naxis; i++)
        axis[i] = r->op->axis[i].name;
    if (!conf_choice(c, s, "choices", "axis", axis, (size_t)r->op->naxis, &p->axis))
        return false;
    int n = spec_extents(r->spec, p->axis, p->choice + 1, TEMPLATE_MAX_FIXED);
    p->choice[0] = 0;
    p->nchoice = 1;
    for (int i = 1; i <= n; i++)
        if (p->choice[i] > 0 && p->choice[i] <= INT32_MAX)
            p->choice[p->nchoice++] = p->choice[i];
    if (p->nchoice == 1)
        p->axis = -1;
    return true;
}

static bool read_param(Reader *r, const Conf *c, const ConfSetting *s)
{
    static const ConfKey keys[] = { { "name", true, "the parameter's name" },
                                    { "choices", true, "its values" },
                                    { "doc", true, "what it does" } };
    Template *t = r->t;
    TemplateParam *p = &t->param[t->nparam];
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 3) || !conf_string(c, s, "name", &p->name) ||
        !conf_string(c, s, "doc", &p->doc) || !read_choices(r, c, s, p))
        return false;
    p->loc = conf_member(s, "name")->at;
    if (!check_new_name(r, p->loc, p->name))
        return false;
    if (!p->nchoice) {
        diag_error(r->diag, p->loc, "parameter '%s' has no choices", p->name);
        return false;
    }
    declare(r, p->name);
    t->nparam++;
    return true;
}

static bool same_extents(const Template *t, const int64_t *x, const int64_t *y)
{
    for (int i = 0; i < t->nparam; i++)
        if (t->param[i].axis >= 0 && x[t->param[i].axis] != y[t->param[i].axis])
            return false;
    return true;
}

/* Of axes that kernels may be fixed for, the extents that shapes have together. */
static void collect_extents(Reader *r)
{
    Template *t = r->t;
    const Spec *s = r->spec;
    bool any = false;
    for (int i = 0; i < t->nparam; i++)
        any = any || t->param[i].axis >= 0;
    for (int64_t i = 0; any && i < s->ninstance; i++) {
        int k = 0;
        while (k < t->ntogether && !same_extents(t, t->together[k], s->instance[i].extent))
            k++;
        if (k < t->ntogether || k == TEMPLATE_MAX_TOGETHER)
            continue;
        t->together[t->ntogether++] = s->instance[i].extent;
    }
}

/* "values", "derived", "terms", "features": lists of { name; expr; doc }. */
static bool read_named(Reader *r, const Conf *c, const ConfSetting *s, NamedExpr *out, int *n, bool declares)
{
    static const ConfKey keys[] = { { "name", true, "its name" },
                                    { "expr", true, "its value" },
                                    { "doc", true, "what it is" } };
    NamedExpr *e = &out[*n];
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 3) || !conf_string(c, s, "name", &e->name) ||
        !conf_string(c, s, "doc", &e->doc) || !conf_expr(c, s, "expr", &e->expr) || !check_names(r, e->expr))
        return false;
    e->loc = conf_member(s, "name")->at;
    if (!(declares ? check_new_name(r, e->loc, e->name) : check_new_part(r, e)))
        return false;
    if (declares)
        declare(r, e->name);
    ++*n;
    return true;
}

static bool read_constraint(Reader *r, const Conf *c, const ConfSetting *s)
{
    static const ConfKey keys[] = { { "need", true, "what must hold" }, { "why", true, "the reason" } };
    Constraint *k = &r->t->constraint[r->t->nconstraint];
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 2) || !conf_expr(c, s, "need", &k->need) ||
        !conf_string(c, s, "why", &k->why) || !check_names(r, k->need))
        return false;
    r->t->nconstraint++;
    return true;
}

static bool read_general(Reader *r, const Conf *c, const ConfSetting *s)
{
    Template *t = r->t;
    General *g = &t->general[t->ngeneral];
    ConfKey keys[TEMPLATE_MAX_PARAM + 1] = { { "target", true, "the target that it is for" } };
    for (int i = 0; i < t->nparam; i++)
        keys[i + 1] = (ConfKey){ t->param[i].name, true, "the parameter's value" };
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, (size_t)t->nparam + 1) ||
        !conf_string(c, s, "target", &g->target))
        return false;
    for (int i = 0; i < t->nparam; i++)
        if (!conf_int(c, s, t->param[i].name, INT32_MIN, INT32_MAX, &g->value[i]))
            return false;
    if (!check_name(r, conf_member(s, "target"), "target", g->target))
        return false;
    g->loc = s->at;
    t->ngeneral++;
    return true;
}

typedef enum { L_PARAM, L_VALUE, L_CONSTRAINT, L_DERIVED, L_TERM, L_FEATURE, L_GENERAL } ListKind;

static bool read_elem(Reader *r, const Conf *c, const ConfSetting *s, ListKind kind)
{
    Template *t = r->t;
    switch (kind) {
    case L_PARAM:
        return read_param(r, c, s);
    case L_VALUE:
        return read_named(r, c, s, t->value, &t->nvalue, true);
    case L_CONSTRAINT:
        return read_constraint(r, c, s);
    case L_DERIVED:
        return read_named(r, c, s, t->derived, &t->nderived, true);
    case L_TERM:
        return read_named(r, c, s, t->term, &t->nterm, false);
    case L_FEATURE:
        return read_named(r, c, s, t->feature, &t->nfeature, false);
    case L_GENERAL:
        return read_general(r, c, s);
    }
    return false;
}

static bool read_list(Reader *r, const Conf *c, const char *key, ListKind kind, int max)
{
    const ConfSetting *list = conf_list(c, c->root, key);
    bool ok = true;
    if (conf_length(list) > max) {
        diag_error(r->diag, list->name_at, "more than %d entries", max);
        return false;
    }
    for (int i = 0; i < conf_length(list); i++)
        ok &= read_elem(r, c, conf_elem(list, i), kind);
    return ok;
}

static bool read_tile(Reader *r, const Conf *c)
{
    ConfKey keys[OP_MAX_AXIS];
    bool ok = true;
    for (int i = 0; i < r->op->naxis; i++)
        keys[i] = (ConfKey){ r->op->axis[i].name, true, "the tile along this axis" };
    const ConfSetting *tile = conf_group(c, c->root, "tile");
    if (!tile || !conf_keys(c, tile, keys, (size_t)r->op->naxis))
        return false;
    for (int i = 0; i < r->op->naxis; i++)
        ok &= conf_expr(c, tile, r->op->axis[i].name, &r->t->tile[i]) && check_names(r, r->t->tile[i]);
    return ok;
}

static bool read_layouts(Reader *r, const Conf *c)
{
    Template *t = r->t;
    const ConfSetting *list = conf_member(c->root, "layouts");
    const Operand *o = r->op->operand;
    while (o < r->op->operand + r->op->noperand - 1 && !o->nlayout)
        o++;
    bool ok = conf_strings(c, c->root, "layouts", t->layout, OP_MAX_NAME, &t->nlayout);
    for (int i = 0; ok && i < t->nlayout; i++)
        ok = conf_lookup(r->diag, conf_elem(list, i)->at, "layout", t->layout[i], o->layout, (size_t)o->nlayout) >= 0;
    return ok;
}

/* Names for the element types that it serves. */
static bool read_dtypes(Reader *r, const Conf *c)
{
    Template *t = r->t;
    const ConfSetting *list = conf_member(c->root, "dtypes");
    bool ok = conf_strings(c, c->root, "dtypes", t->dtype, OP_MAX_NAME, &t->ndtype);
    for (int i = 0; ok && i < t->ndtype; i++)
        ok = conf_lookup(r->diag, conf_elem(list, i)->at, "dtype", t->dtype[i], r->op->dtype, (size_t)r->op->ndtype) >=
             0;
    return ok;
}

/* What is known of a kernel's time without measuring: parts of it, or how far it stays below the peak. */
static bool read_cost(Reader *r, const Conf *c)
{
    const ConfSetting *root = c->root, *terms = conf_member(root, "terms");
    bool ok = conf_expr(c, root, "bound", &r->t->bound) && (!r->t->bound || check_names(r, r->t->bound));
    ok &= read_list(r, c, "terms", L_TERM, TEMPLATE_MAX_TERM);
    if (ok && !r->t->bound == !r->t->nterm) {
        diag_error(r->diag, terms ? terms->name_at : root->name_at,
                   "expected either 'terms', the parts of a call's time, or 'bound', log2 of the slowdown against the "
                   "machine's peak that is known without measuring; found %s",
                   r->t->bound ? "both" : "neither");
        return false;
    }
    return ok;
}

static bool read_shape_part(Reader *r, const Conf *c)
{
    Template *t = r->t;
    const ConfSetting *root = c->root;
    if (!conf_expr(c, root, "regs", &t->regs) || !check_names(r, t->regs))
        return false;
    if (t->regs)
        declare(r, "REGS");
    for (int i = 0; i < r->op->naxis; i++)
        declare(r, r->op->axis[i].name);
    declare(r, "THREADS");
    bool ok = read_list(r, c, "derived", L_DERIVED, TEMPLATE_MAX_VALUE);
    ok &= conf_expr(c, root, "padded_flops", &t->padded_flops) && check_names(r, t->padded_flops);
    ok &= conf_expr(c, root, "serial_flops", &t->serial_flops) && check_names(r, t->serial_flops);
    ok &= read_cost(r, c);
    return ok & read_list(r, c, "features", L_FEATURE, TEMPLATE_MAX_FEATURE);
}

static bool read_head(Reader *r, const Conf *c)
{
    static const ConfKey keys[] = { { "name", true, "the template's name" },
                                    { "op", true, "the op that it computes" },
                                    { "family", true, FAMILY_HINT },
                                    { "doc", true, "what it does, in a sentence" },
                                    { "packed", false, NULL },
                                    { "layouts", false, NULL },
                                    { "dtypes", false, NULL },
                                    { "regs", false, NULL },
                                    { "params", true, "its parameters" },
                                    { "values", false, NULL },
                                    { "constraints", false, NULL },
                                    { "tile", true, "the tile along each axis" },
                                    { "derived", false, NULL },
                                    { "padded_flops", true, "work with padding" },
                                    { "serial_flops", true, "work of the busiest task" },
                                    { "bound", false, NULL },
                                    { "terms", false, NULL },
                                    { "features", false, NULL },
                                    { "general", false, NULL } };
    Template *t = r->t;
    const ConfSetting *root = c->root;
    const char *op = r->op->name;
    bool ok = conf_keys(c, root, keys, sizeof keys / sizeof *keys);
    ok &= conf_string(c, root, "name", &t->name) & conf_string(c, root, "doc", &t->doc);
    ok = ok && t->name && check_name(r, conf_member(root, "name"), "template", t->name);
    ok &= family_read(c, &t->family);
    ok &= conf_bool(c, root, "packed", &t->packed);
    ok &= conf_string(c, root, "op", &op) & read_layouts(r, c) & read_dtypes(r, c);
    if (ok && strcmp(op, r->op->name) != 0) {
        diag_error(r->diag, conf_member(root, "op")->at, "this template lies in the folder of op '%s'", r->op->name);
        ok = false;
    }
    declare_context(r);
    r->ncontext = r->nname;
    ok &= read_list(r, c, "params", L_PARAM, TEMPLATE_MAX_PARAM);
    collect_extents(r);
    ok = ok && read_list(r, c, "values", L_VALUE, TEMPLATE_MAX_VALUE);
    r->nbody_name = r->nname;
    ok = ok && read_list(r, c, "constraints", L_CONSTRAINT, TEMPLATE_MAX_CONSTRAINT);
    ok = ok && read_list(r, c, "general", L_GENERAL, TARGET_MAX);
    ok = ok && read_tile(r, c);
    return ok && read_shape_part(r, c);
}

/* ---- numbered names ---- */

static void add_slot(Template *t, const char *name) { t->slot[t->nslot++] = name; }

typedef struct {
    const char *name;
    bool found;
} NameUse;

static void name_use(void *ctx, const char *name, Loc at)
{
    NameUse *u = ctx;
    (void)at;
    u->found = u->found || strcmp(name, u->name) == 0;
}

static void look_in(NameUse *u, const NamedExpr *e, int n)
{
    for (int i = 0; i < n; i++)
        expr_names(e[i].expr, name_use, u);
}

/* Most templates need few of the facts, and each that has a number is looked up for every prediction. */
static bool uses_name(const Reader *r, const char *name)
{
    const Template *t = r->t;
    NameUse u = { name, false };
    Expr *const single[] = { t->padded_flops, t->serial_flops, r->op->flops, t->bound };
    for (size_t i = 0; i < sizeof single / sizeof *single && single[i]; i++)
        expr_names(single[i], name_use, &u);
    look_in(&u, t->value, t->nvalue);
    look_in(&u, t->derived, t->nderived);
    look_in(&u, t->term, t->nterm);
    look_in(&u, t->feature, t->nfeature);
    return u.found;
}

static void number_names(Reader *r)
{
    Template *t = r->t;
    for (int i = 0; i < r->op->naxis; i++)
        add_slot(t, r->op->axis[i].name);
    add_slot(t, "THREADS");
    for (size_t i = 0; i < r->ncontext; i++)
        if (uses_name(r, r->name[i])) {
            add_slot(t, r->name[i]);
            t->ncontext++;
        }
    for (int i = 0; i < t->nparam; i++)
        add_slot(t, t->param[i].name);
    for (int i = 0; i < t->nvalue; i++)
        add_slot(t, t->value[i].name);
    if (t->regs)
        add_slot(t, "REGS");
    for (int i = 0; i < t->nderived; i++)
        add_slot(t, t->derived[i].name);
}

static void bind_names(Reader *r)
{
    Template *t = r->t;
    Expr *single[] = { t->padded_flops, t->serial_flops, r->op->flops, t->bound };
    for (size_t i = 0; i < sizeof single / sizeof *single && single[i]; i++)
        expr_bind(single[i], t->slot, (size_t)t->nslot);
    for (int i = 0; i < t->nvalue; i++)
        expr_bind(t->value[i].expr, t->slot, (size_t)t->nslot);
    for (int i = 0; i < t->nderived; i++)
        expr_bind(t->derived[i].expr, t->slot, (size_t)t->nslot);
    for (int i = 0; i < t->nterm; i++)
        expr_bind(t->term[i].expr, t->slot, (size_t)t->nslot);
    for (int i = 0; i < t->nfeature; i++)
        expr_bind(t->feature[i].expr, t->slot, (size_t)t->nslot);
}

/* ---- whole templates ---- */

static XXH64_hash_t hash_more(XXH64_hash_t h, const char *text) { return XXH3_64bits_withSeed(text, strlen(text), h); }

/* Of all that a kernel and its verification are made of: the body, its pieces, the values that are filled in, and the tile, which says
 * what shapes are awkward. What the head tells the model alone (terms, features, docs) may change, and measurements stay good. */
static const char *code_hash(Arena *a, const Reader *r)
{
    const Template *t = r->t;
    XXH64_hash_t h = XXH3_64bits(t->src->text + t->body, t->src->len - t->body);
    for (int i = 0; i < t->npiece; i++)
        h = XXH3_64bits_withSeed(t->piece[i]->text, t->piece[i]->len, h);
    for (int i = 0; i < t->nvalue; i++)
        h = hash_more(hash_more(h, t->value[i].name), expr_text(t->value[i].expr));
    for (int i = 0; i < r->op->naxis; i++)
        h = hash_more(h, expr_text(t->tile[i]));
    return arena_printf(a, "%016llx", (unsigned long long)hash_more(h, t->name));
}

const Template *template_parse(Arena *a, const Spec *spec, const Source *src, Diag *d)
{
    const char *head = strstr(src->text, HEAD), *end = head ? strstr(head, "*/") : NULL;
    if (!head)
        return NULL;
    if (!end) {
        diag_error(d, loc_at(src, (size_t)(head - src->text), 1), "the template's head is not closed by '*/'");
        return NULL;
    }
    Template *t = ARENA_NEW(a, Template);
    Reader r = { .arena = a, .diag = d, .spec = spec, .op = spec->op, .t = t };
    t->src = src;
    t->body = (size_t)(end + 2 - src->text);
    t->body += src->text[t->body] == '\n';
    Conf *c = conf_parse(a, src, (size_t)(head - src->text) + sizeof HEAD - 1, (size_t)(end - src->text), d);
    if (!c)
        return NULL;
    bool ok = read_head(&r, c);
    if (!ok || !template_read_pieces(&r) || !template_check_body(&r))
        return NULL;
    t->hash = code_hash(a, &r);
    number_names(&r);
    bind_names(&r);
    return t;
}

static const Template *template_read(Arena *a, const Spec *spec, const char *path, Diag *d)
{
    const Source *src = conf_source(a, path, d);
    return src ? template_parse(a, spec, src, d) : NULL;
}

static bool has_template(const TemplateList *list, int from, int to, const char *name)
{
    for (int i = from; i < to; i++)
        if (strcmp(list->t[i]->name, name) == 0)
            return true;
    return false;
}

/* hiding: how many templates earlier folders gave. */
static void add_template(Arena *a, const Template *t, int hiding, TemplateList *out, Diag *d)
{
    if (!t || has_template(out, 0, hiding, t->name))
        return;
    if (has_template(out, hiding, out->n, t->name))
        diag_error(d, (Loc){ .src = t->src }, "another template in this folder has the name '%s'", t->name);
    out->t = arena_grow(a, out->t, (size_t)out->n, (size_t)out->n + 1, sizeof *out->t);
    out->t[out->n++] = t;
}

static bool read_folder(Arena *a, const Spec *spec, const char *dir, TemplateList *out, Diag *d)
{
    int before = diag_nerror(d), hiding = out->n;
    for (int k = 0; k < FAMILY_COUNT; k++) {
        char **path;
        int n;
        if (!dir_list(a, dir, families[k]->suffix, &path, &n))
            return false;
        for (int i = 0; i < n; i++)
            add_template(a, template_read(a, spec, path[i], d), hiding, out, d);
    }
    return diag_nerror(d) == before;
}

bool template_read_all(Arena *a, const Spec *spec, const char *const *folders, int nfolder, TemplateList *out, Diag *d)
{
    const Op *op = spec->op;
    *out = (TemplateList){ 0 };
    int before = diag_nerror(d);
    for (int i = 0; i < nfolder; i++) {
        const char *dir = arena_printf(a, "%s/%s", folders[i], op->name);
        if (strcmp(dir, op->dir) != 0)
            read_folder(a, spec, dir, out, d); /* a folder without this op is no error */
    }
    if (!read_folder(a, spec, op->dir, out, d) && diag_nerror(d) == before)
        diag_error(d, (Loc){ .src = op->src }, "cannot read the folder of this op");
    return diag_nerror(d) == before && template_check_space(a, spec, out, d);
}
