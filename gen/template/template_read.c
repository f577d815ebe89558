/* SPDX-License-Identifier: Apache-2.0
 *
 * template_read: reads templates' files and their heads, and checks that they have what a spec's `space` names.
 */
#define _GNU_SOURCE /* basename */
#include "gen/template/template_private.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/target/family.h"

static const char HEAD[] = "/* dcgen\n";

/* ---- reading a head ---- */

static bool is_declared(const TemplateReader *r, const char *name)
{
    return names_find(NAMES(r->name, r->nname), name) >= 0;
}

static void declare(TemplateReader *r, const char *name)
{
    if (r->nname < LENGTH(r->name) && !is_declared(r, name))
        r->name[r->nname++] = name;
}

/* Declares a name for each word, such as DTYPE_F16: whether the spec has that word. */
static void declare_flags(TemplateReader *r, const char *prefix, const char *const *word, int n)
{
    for (int i = 0; i < n; i++)
        declare(r, text_letters(arena_printf(r->arena, "%s%s", prefix, word[i]), toupper));
}

static void declare_context(TemplateReader *r)
{
    static const char *const fact[] = { "L1_BYTES",    "L2_BYTES",       "L3_BYTES",       "CORES",
                                        "SMS",         "ELEM_BYTES",     "PACKED",         "TENSOR_SM",
                                        "MAX_THREADS", "HAS_EPILOGUE",   "EPILOGUE_CALLS", "ROW_PASSES",
                                        "ROWS_ACROSS", "EPILOGUE_READS", "EPILOGUE_FLAT",  "ACCURACY",
                                        "COLD",        "OUTPUT_READ",    "NSUM",           "EPILOGUE_PLANES" };
    for (size_t i = 0; i < LENGTH(fact); i++)
        declare(r, fact[i]);
    for (int i = 0; target_fact_name(i); i++)
        declare(r, target_fact_name(i));
    for (int i = 0; i < TEMPLATE_KERNEL_FACTS; i++)
        declare(r, template_kernel_fact[i]);
    declare_flags(r, "DTYPE_", r->op->dtype, r->op->ndtype);
    for (const Operand *o = r->op->operand; o < r->op->operand + r->op->noperand; o++)
        for (int i = 0; i < o->nlayout && o->nlayout > 1; i++)
            declare_flags(r, arena_printf(r->arena, "LAYOUT_%s_", o->name), &o->layout[i].name, 1);
}

static void take_offer(TemplateReader *r, const char *name);

bool template_check_names(TemplateReader *r, const Expr *e)
{
    for (const ExprName *n = expr_names(e); n; n = n->next)
        take_offer(r, n->name);
    return !e || (conf_check_names(r->diag, e, "name", NAMES(r->name, r->nname)) && !r->bad_offer);
}

/* If the name is on offer, makes it a derived name, behind those that its expression uses. It leaves the offer first,
 * so that a name that needs itself is unknown. */
static void take_offer(TemplateReader *r, const char *name)
{
    NamedExpr *offer = is_declared(r, name) ? NULL : names_row(NAMES(r->offer, r->noffer), name);
    if (!offer)
        return;
    const NamedExpr e = *offer;
    offer->name = "";
    if (!template_check_names(r, e.expr))
        r->bad_offer = true;
    r->t->derived[r->t->nderived++] = e;
    declare(r, e.name);
}

/* Filling replaces a name wherever it stands: it must not be a word of C, nor one that means something else here. */
static bool check_new_name(TemplateReader *r, Loc loc, const char *name)
{
    const bool is_capital = name_is_capitals(name);
    const bool taken = op_axis(r->op, name) >= 0 || strcmp(name, "THREADS") == 0 || strcmp(name, "ALIGN") == 0 ||
                       template_free_name(name) || is_declared(r, name);
    if (!is_capital || taken)
        diag_error(r->diag, loc,
                   is_capital ? "'%s' is declared twice, or is a name that every template has"
                              : "'%s' must be capital letters, digits and '_', beginning with a letter",
                   name);
    return is_capital && !taken;
}

/* Reads the choices of a parameter: numbers, or the name of an axis, which stands for 0 and the extents that the spec
 * has on it, which its kernels alone serve then. */
static bool read_choices(TemplateReader *r, const Conf *c, const ConfSetting *s, TemplateParam *p)
{
    const ConfSetting *choices = conf_member(s, "choices");
    p->axis = -1;
    if (!choices || choices->type != CONF_STRING)
        return conf_ints(c, s, "choices", INT32_MIN, INT32_MAX, p->choice, TEMPLATE_MAX_CHOICE, &p->nchoice);
    if (!conf_choice(c, s, "choices", "axis", NAMES(r->op->extent, r->op->ngiven), &p->axis))
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

static bool read_param(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    static const ConfKey keys[] = { { "name", true, "the parameter's name" },
                                    { "choices", true, "its values" },
                                    { "doc", true, "what it does" },
                                    { "ordered", false, NULL } };
    Template *t = to;
    TemplateParam *p = &t->param[t->nparam];
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, LENGTH(keys)) || !conf_bool(c, s, "ordered", &p->ordered) ||
        !conf_string(c, s, "name", &p->name) || !conf_string(c, s, "doc", &p->doc) || !read_choices(r, c, s, p))
        return false;
    p->loc = conf_member(s, "name")->at;
    p->searched = ~0u;
    if (!check_new_name(r, p->loc, p->name))
        return false;
    if (!p->nchoice)
        return diag_error(r->diag, p->loc, "parameter '%s' has no choices", p->name);
    declare(r, p->name);
    t->nparam++;
    return true;
}

/* Where to put the entries of a list of { name; expr; doc }: "values", "derived", "terms" or "features". */
typedef struct {
    const char *key;
    NamedExpr *e;
    int *n, max;
    const char *what; /* an entry, for an error: "term"; NULL: each declares a name */
} NamedList;

/* Reads an entry of the head or of the family. The family's gives way to one of the same name in the head. */
static bool add_named(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    const NamedList *l = to;
    NamedExpr e;
    if (!template_named(c, s, &e))
        return false;
    const bool is_there = names_find(NAMES(l->e, *l->n), e.name) >= 0;
    if (is_there && c == r->common)
        return true;
    if (!template_check_names(r, e.expr) || (!l->what && !check_new_name(r, e.loc, e.name)))
        return false;
    if (is_there && l->what)
        return diag_error(r->diag, e.loc, "%s '%s' is declared twice", l->what, e.name);
    if (c == r->common && *l->n == l->max)
        return false; /* read_both says so */
    if (!l->what)
        declare(r, e.name);
    l->e[(*l->n)++] = e;
    return true;
}

static bool read_constraint(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    static const ConfKey keys[] = { { "need", true, "what must hold" }, { "why", true, "the reason" } };
    Template *t = to;
    Constraint *k = &t->constraint[t->nconstraint];
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 2) || !conf_expr(c, s, "need", &k->need) ||
        !conf_string(c, s, "why", &k->why) || !template_check_names(r, k->need))
        return false;
    t->nconstraint++;
    return true;
}

/* Reads the targets that a general kernel is for: a name, or a list of them. */
static bool read_general_targets(TemplateReader *r, const Conf *c, const ConfSetting *s, const char **name, int *n)
{
    const ConfSetting *target = conf_member(s, "target");
    const bool is_one = target && target->type == CONF_STRING;
    if (is_one ? !conf_string(c, s, "target", name) : !conf_strings(c, s, "target", name, TARGET_MAX, n))
        return false;
    *n = is_one ? 1 : *n;
    for (int i = 0; i < *n; i++)
        if (!conf_check_name(r->diag, is_one ? target->at : conf_elem(target, i)->at, "target", name[i],
                             name_fault(name[i])))
            return false;
    return true;
}

/* Adds a general kernel; where parameters are ordered twice: with the first choices of these, and with the last. */
static bool add_general(Template *t, General g)
{
    bool ordered = false;
    for (int i = 0; i < t->nparam; i++)
        ordered = ordered || t->param[i].ordered;
    for (int last = 0; last <= ordered; last++) {
        for (int i = 0; i < t->nparam; i++)
            if (t->param[i].ordered)
                g.value[i] = t->param[i].choice[last ? t->param[i].nchoice - 1 : 0];
        if (t->ngeneral == TEMPLATE_MAX_GENERAL)
            return false;
        t->general[t->ngeneral++] = g;
    }
    return true;
}

static bool read_general(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    Template *t = to;
    General g = { .loc = s->at };
    const char *name[TARGET_MAX];
    ConfKey keys[TEMPLATE_MAX_PARAM + 1] = { { "target", true, "the target that it is for, or a list of them" } };
    size_t nkey = 1;
    int n = 0;
    for (int i = 0; i < t->nparam; i++)
        if (!t->param[i].ordered)
            keys[nkey++] = (ConfKey){ t->param[i].name, true, "the parameter's value" };
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, nkey) || !read_general_targets(r, c, s, name, &n))
        return false;
    for (int i = 0; i < t->nparam; i++)
        if (!t->param[i].ordered && !conf_int(c, s, t->param[i].name, INT32_MIN, INT32_MAX, &g.value[i]))
            return false;
    for (int i = 0; i < n; i++) {
        g.target = name[i];
        if (!add_general(t, g))
            return diag_error(r->diag, s->at, "more than %d general kernels", TEMPLATE_MAX_GENERAL);
    }
    return true;
}

static bool read_named_list(TemplateReader *r, const Conf *c, NamedList l)
{
    return template_list(r, c, l.key, l.max, add_named, &l);
}

static bool read_tile(TemplateReader *r, const Conf *c)
{
    ConfKey keys[OP_MAX_AXIS];
    bool ok = true;
    /* Else it may have axes that the template does not know. */
    const bool own = strcmp(r->op->templates, r->op->name) == 0;
    for (int i = 0; i < r->op->naxis; i++)
        keys[i] = (ConfKey){ r->op->extent[i].name, own, "the tile along this axis" };
    const ConfSetting *tile = conf_group(c, c->root, "tile");
    if (!tile || !conf_keys(c, tile, keys, (size_t)r->op->naxis))
        return false;
    for (int i = 0; i < r->op->naxis; i++) {
        r->t->tile[i] = expr_number(r->arena, 1);
        ok &= conf_expr(c, tile, r->op->extent[i].name, &r->t->tile[i]) && template_check_names(r, r->t->tile[i]);
    }
    return ok;
}

/* Reads the words under a key that says what the template serves. The op must have each of them. */
static bool read_words(TemplateReader *r, const Conf *c, const char *key, const char *what, const char *const *known,
                       int nknown, const char **out, int *n)
{
    const ConfSetting *list = conf_member(c->root, key);
    bool ok = conf_strings(c, c->root, key, out, OP_MAX_NAME, n);
    for (int i = 0; ok && i < *n; i++)
        ok = conf_lookup(r->diag, conf_elem(list, i)->at, what, out[i], NAMES(known, nknown)) >= 0;
    return ok;
}

/* Reads the layouts that it serves: { W = ["KN"]; }. */
static bool read_layouts(TemplateReader *r, const Conf *c)
{
    const ConfSetting *group = conf_group(c, c->root, "layouts");
    ConfKey keys[OP_MAX_OPERAND];
    size_t nkey = 0;
    bool ok = group || !conf_member(c->root, "layouts");
    for (int i = 0; i < r->op->noperand; i++) {
        const Operand *o = &r->op->operand[i];
        const char *word[OP_MAX_NAME];
        int n = 0;
        if (o->nlayout < 2 || o->layout_of)
            continue;
        keys[nkey++] = (ConfKey){ o->name, false, NULL };
        ok = conf_strings(c, group, o->name, word, OP_MAX_NAME, &n) && ok;
        for (int k = 0; k < n; k++) {
            const ConfSetting *s = conf_elem(conf_member(group, o->name), k);
            const int at = conf_lookup(r->diag, s->at, "layout", word[k], NAMES(o->layout, o->nlayout));
            ok = ok && at >= 0;
            r->t->layout[i] |= at >= 0 ? 1u << at : 0;
        }
    }
    return conf_keys(c, group, keys, nkey) && ok;
}

static bool read_served(TemplateReader *r, const Conf *c)
{
    Template *t = r->t;
    return read_layouts(r, c) & read_words(r, c, "dtypes", "dtype", r->op->dtype, r->op->ndtype, t->dtype, &t->ndtype);
}

/* ---- time ---- */

/* Reads an expression from the head, or from the family where the head has none. */
static bool read_either(TemplateReader *r, const Conf *c, const char *key, Expr **out)
{
    const Conf *from = conf_member(c->root, key) ? c : r->common;
    return conf_expr(from, from->root, key, out) && template_check_names(r, *out);
}

/* Reads a list from the head, and adds the family's behind it, but those that the head has by the same names. A head
 * with terms of its own has it alone. */
static bool read_both(TemplateReader *r, const Conf *c, NamedList l)
{
    if (!read_named_list(r, c, l))
        return false;
    if (r->t->own_terms)
        return true;
    const bool ok = read_named_list(r, r->common, l);
    if (!ok && *l.n == l.max) /* the family's alone are not too many: the head has such a list */
        diag_error(r->diag, conf_member(c->root, l.key)->name_at, "more than %d %s, with those of the family", l.max,
                   l.key);
    return ok;
}

static bool read_shape_part(TemplateReader *r, const Conf *c)
{
    Template *t = r->t;
    if (!read_either(r, c, "regs", &t->regs))
        return false;
    if (t->regs)
        declare(r, "REGS");
    for (int i = 0; i < r->op->nextent; i++)
        declare(r, r->op->extent[i].name);
    declare(r, "THREADS");
    declare(r, "ALIGN");
    return template_offer(r) &&
           read_named_list(r, c, (NamedList){ "derived", t->derived, &t->nderived, TEMPLATE_MAX_VALUE, NULL }) &&
           template_read_serves(r, c) && template_read_plan(r, c) &&
           read_either(r, c, "padded_flops", &t->padded_flops) & read_either(r, c, "serial_flops", &t->serial_flops) &
               read_both(r, c, (NamedList){ "terms", t->term, &t->nterm, TEMPLATE_MAX_TERM, "term" }) &
               read_both(r, c, (NamedList){ "features", t->feature, &t->nfeature, TEMPLATE_MAX_FEATURE, "feature" });
}

static bool read_head(TemplateReader *r, const Conf *c)
{
    static const ConfKey keys[] = { { "name", true, "the template's name" },
                                    { "op", true, "the op that it computes" },
                                    { "like", false, NULL },
                                    { "family", true, FAMILY_HINT },
                                    { "doc", true, "what it does, in a sentence" },
                                    { "packed", false, NULL },
                                    { "may_spill", false, NULL },
                                    { "layouts", false, NULL },
                                    { "dtypes", false, NULL },
                                    { "regs", false, NULL },
                                    { "params", true, "its parameters" },
                                    { "values", false, NULL },
                                    { "constraints", false, NULL },
                                    { "serves", false, NULL },
                                    { "launch", false, NULL },
                                    { "maps", false, NULL },
                                    { "scratch", false, NULL },
                                    { "counters", false, NULL },
                                    { "tile", true, "the tile along each axis" },
                                    { "derived", false, NULL },
                                    { "padded_flops", false, NULL },
                                    { "serial_flops", false, NULL },
                                    { "own_terms", false, NULL },
                                    { "terms", false, NULL },
                                    { "features", false, NULL },
                                    { "general", false, NULL } };
    Template *t = r->t;
    const ConfSetting *root = c->root;
    const char *op = r->op->templates;
    bool ok = conf_keys(c, root, keys, LENGTH(keys));
    ok &= conf_string(c, root, "name", &t->name) & conf_string(c, root, "doc", &t->doc);
    ok = ok && t->name &&
         conf_check_name(r->diag, conf_member(root, "name")->at, "template", t->name, name_fault(t->name));
    ok &= family_read(c, &t->family);
    ok &= conf_bool(c, root, "packed", &t->packed) & conf_bool(c, root, "may_spill", &t->may_spill) &
          conf_bool(c, root, "own_terms", &t->own_terms);
    ok &= conf_string(c, root, "op", &op) & read_served(r, c);
    if (ok && strcmp(op, r->op->templates) != 0) {
        diag_error(r->diag, conf_member(root, "op")->at, "this template lies in the folder of op '%s'",
                   r->op->templates);
        ok = false;
    }
    declare_context(r);
    r->ncontext = r->nname;
    ok &= template_list(r, c, "params", TEMPLATE_MAX_PARAM, read_param, t);
    ok = ok && read_named_list(r, c, (NamedList){ "values", t->value, &t->nvalue, TEMPLATE_MAX_VALUE, NULL });
    r->nbody_name = r->nname;
    ok = ok && template_read_maps(r, c) &&
         template_list(r, c, "constraints", TEMPLATE_MAX_CONSTRAINT, read_constraint, t) &&
         template_list(r, c, "general", TEMPLATE_MAX_GENERAL, read_general, t) && read_tile(r, c);
    return ok && template_open_family(r, conf_member(root, "family")->at) && read_shape_part(r, c);
}

/* ---- numbered names ---- */

/* Numbers all names but facts that no expression uses: each fact with a number is looked up for every prediction. */
static void number_names(TemplateReader *r)
{
    Template *t = r->t;
    const struct {
        const NamedExpr *e;
        int n;
    } list[] = {
        { t->value, t->nvalue }, { t->derived, t->nderived }, { t->term, t->nterm }, { t->feature, t->nfeature }
    };
    Expr *e[TEMPLATE_MAX_EXPR] = { t->padded_flops, t->serial_flops, r->op->flops }; /* all that a prediction takes */
    size_t n = 3;
    for (size_t k = 0; k < LENGTH(list); k++)
        for (int i = 0; i < list[k].n; i++)
            e[n++] = list[k].e[i].expr;
    for (int i = 0; i < r->op->nextent; i++)
        t->slot[t->nslot++] = r->op->extent[i].name;
    t->slot[t->nslot++] = "THREADS";
    for (size_t i = 0; i < r->nname; i++) {
        const bool is_context = i < r->ncontext;
        bool used = !is_context;
        for (size_t k = 0; k < n && !used; k++)
            used = expr_uses(e[k], r->name[i]);
        if (!used || names_find(NAMES(t->slot, t->nslot), r->name[i]) >= 0)
            continue;
        t->slot[t->nslot++] = r->name[i];
        t->ncontext += is_context;
    }
    for (size_t k = 0; k < n; k++)
        expr_bind(e[k], NAMES(t->slot, t->nslot));
}

/* ---- whole templates ---- */

static XXH64_hash_t hash_more(XXH64_hash_t h, const char *text) { return XXH3_64bits_withSeed(text, strlen(text), h); }

/* The hash of all that a kernel and its verification are made of: the body, its pieces, the primitives that it calls
 * (where all of dcgen's own count, they are part of the context: unit_context_hash), the values that are filled in, and
 * the tile, which says what shapes are awkward. What the head tells the model alone (terms, features, docs) may change,
 * and measurements stay good. */
static const char *code_hash(Arena *a, const TemplateReader *r)
{
    const Template *t = r->t;
    XXH64_hash_t h = XXH3_64bits(t->src->text + t->body, t->src->len - t->body);
    for (int i = 0; i < t->npiece; i++)
        h = XXH3_64bits_withSeed(t->piece[i]->text, t->piece[i]->len, h);
    for (int i = 0; i < t->nprimitive; i++)
        h = XXH3_64bits_withSeed(t->primitive[i]->text, t->primitive[i]->len, h);
    for (int i = 0; i < t->nvalue; i++)
        h = hash_more(hash_more(h, t->value[i].name), expr_text(t->value[i].expr));
    for (int i = 0; i < r->op->naxis; i++)
        h = hash_more(h, expr_text(t->tile[i]));
    if (t->serves) /* a kernel is verified on those calls alone */
        h = hash_more(h, expr_text(t->serves));
    for (int i = 0; i < PLAN_COUNT; i++)
        if (t->plan[i])
            h = hash_more(h, expr_text(template_written_out(r, t->plan[i])));
    for (const TemplateMap *m = t->map; m < t->map + t->nmap; m++) {
        h = hash_more(hash_more(hash_more(h, m->name), r->op->operand[m->operand].name), expr_text(m->swizzle));
        for (int i = 0; i < spec_layout(r->spec, m->operand)->rank; i++)
            h = hash_more(hash_more(h, expr_text(m->box[i])), m->step[i] ? expr_text(m->step[i]) : "");
    }
    return arena_printf(a, "%016llx", (unsigned long long)hash_more(h, t->name));
}

/* The settings of a file's head; the body is what follows. NULL after errors. */
static Conf *parse_head(TemplateReader *r, const Source *src)
{
    const char *head = strstr(src->text, HEAD), *end = head ? strstr(head, "*/") : NULL;
    const Loc at = loc_at(src, head ? (size_t)(head - src->text) : 0, 1);
    if (!end) {
        diag_error(r->diag, at,
                   head ? "the template's head is not closed by '*/'" : "this file has no template's head");
        return NULL;
    }
    r->t->src = src;
    r->t->body = (size_t)(end + 2 - src->text);
    r->t->body += src->text[r->t->body] == '\n';
    return conf_parse(r->arena, src, (size_t)(head - src->text) + sizeof HEAD - 1, (size_t)(end - src->text), r->diag);
}

/* Takes the body, and what the head does not say itself, from the template that this one is like, if it is like any. */
static bool take_after(TemplateReader *r, Conf *c)
{
    const char *like = NULL;
    const ConfSetting *key = conf_member(c->root, "like");
    if (!conf_string(c, c->root, "like", &like) || !like)
        return !key;
    const Source *own = r->t->src;
    if (own->text[r->t->body + strspn(own->text + r->t->body, " \t\r\n")])
        return diag_error(r->diag, loc_at(own, r->t->body, 1),
                          "nothing may follow this head: its body is that of the template that it is like");
    const Source *src = template_near(r, own, key->at, like, strlen(like));
    const Conf *base = src ? parse_head(r, src) : NULL;
    if (!base)
        return false;
    if (conf_member(base->root, "like"))
        return diag_error(r->diag, key->at, "'%s' is like another template itself; name that one", like);
    conf_inherit(c, base);
    return true;
}

const Template *template_parse(Arena *a, const Spec *spec, const Source *src, Diag *d)
{
    if (!strstr(src->text, HEAD))
        return NULL;
    Template *t = ARENA_NEW(a, Template);
    TemplateReader r = { .arena = a, .diag = d, .spec = spec, .op = spec->op, .t = t };
    const int before = diag_nerror(d);
    t->head = src;
    Conf *c = parse_head(&r, src);
    if (!c || !take_after(&r, c) || !read_head(&r, c) || !template_read_pieces(&r) || !template_check_body(&r))
        return NULL;
    t->src = template_strip(&r, t->src_file = t->src, t->body);
    for (int i = 0; i < t->npiece; i++)
        t->piece[i] = template_strip(&r, t->piece_file[i] = t->piece[i], 0);
    if (diag_nerror(d) > before || !template_read_primitives(&r))
        return NULL;
    t->hash = code_hash(a, &r);
    number_names(&r);
    return t;
}

/* Adds a template to the list, unless one of the first `hiding`, which are from earlier folders, has its name. */
static void add_template(Arena *a, const Template *t, int hiding, TemplateList *out, Diag *d)
{
    int i = 0;
    while (i < out->n && strcmp(out->t[i]->name, t->name) != 0)
        i++;
    if (i < hiding)
        return;
    if (i < out->n)
        diag_error(d, (Loc){ .src = t->head }, "another template in this folder has the name '%s'", t->name);
    *ARENA_PUSH(a, out->t, out->n) = t;
}

static bool read_folder(Arena *a, const Spec *spec, const char *dir, TemplateList *out, Diag *d)
{
    int before = diag_nerror(d), hiding = out->n;
    for (int k = 0; k < FAMILY_COUNT; k++) {
        char **path;
        int n;
        if (!dir_list(a, dir, families[k]->suffix, &path, &n))
            return false;
        for (int i = 0; i < n; i++) {
            const Source *src = conf_source(a, path[i], d);
            const Template *t = src ? template_parse(a, spec, src, d) : NULL;
            if (t)
                add_template(a, t, hiding, out, d);
        }
    }
    return diag_nerror(d) == before;
}

/* The folder of the op that a spec's templates are of: its own, or else the first of that name with an op in it, beside
 * its own if none has. */
static const char *home_of(Arena *a, const Op *op, const char *const *folders, int nfolder)
{
    if (strcmp(op->templates, op->name) == 0)
        return op->dir;
    for (int i = 0; i < nfolder; i++) {
        const char *dir = arena_printf(a, "%s/%s", folders[i], op->templates);
        if (access(arena_printf(a, "%s/op.cfg", dir), F_OK) == 0)
            return dir;
    }
    return arena_printf(a, "%.*s%s", (int)(strlen(op->dir) - strlen(basename(op->dir))), op->dir, op->templates);
}

bool template_read_all(Arena *a, const Spec *spec, const char *const *folders, int nfolder, TemplateList *out, Diag *d)
{
    const Op *op = spec->op;
    *out = (TemplateList){ 0 };
    const int before = diag_nerror(d);
    const char *home = home_of(a, op, folders, nfolder);
    bool done = false; /* with the folder that has op.cfg; others need not be there */
    for (int i = 0; i < nfolder + !done; i++) {
        const char *dir = i < nfolder ? arena_printf(a, "%s/%s", folders[i], op->templates) : home;
        const bool has_op = strcmp(dir, home) == 0;
        const int errors = diag_nerror(d);
        if (!read_folder(a, spec, dir, out, d) && has_op && diag_nerror(d) == errors)
            diag_error(d, (Loc){ .src = op->src }, "cannot read the folder of this op");
        done = done || has_op;
    }
    return diag_nerror(d) == before && template_check_space(a, spec, out, d);
}
