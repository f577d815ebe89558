/* SPDX-License-Identifier: Apache-2.0
 *
 * template_calls: what a template's head says of calls: which of them its kernels serve, how they are launched there,
 * and what memory they need. A package works this out at each call.
 */
#include "gen/template/template_private.h"

#include <string.h>

/* The expression of a derived name, without derived names in it; NULL: it is none. */
static Expr *written_out(void *ctx, const char *name)
{
    const TemplateReader *r = ctx;
    const NamedExpr *e = names_row(NAMES(r->t->derived, r->t->nderived), name);
    return e ? expr_substitute(r->arena, e->expr, written_out, ctx) : NULL;
}

Expr *template_written_out(const TemplateReader *r, const Expr *e)
{
    return expr_substitute(r->arena, e, written_out, (void *)r);
}

/* May what each call asks use the name? The device and what compilers tell of a kernel do not say what is right. */
static bool may_ask(const TemplateReader *r, const char *name)
{
    static const char *const device[] = { "L1_BYTES", "L2_BYTES", "L3_BYTES", "CORES", "SMS", "COLD", "MAX_THREADS" };
    const NamedExpr *value = names_row(NAMES(r->t->value, r->t->nvalue), name);
    for (const ExprName *n = value ? expr_names(value->expr) : NULL; n; n = n->next)
        if (!may_ask(r, n->name))
            return false;
    if (op_axis(r->op, name) >= 0 || strcmp(name, "ALIGN") == 0)
        return true;
    return names_find(NAMES(r->name, r->nbody_name), name) >= 0 &&
           names_find(NAMES(device, LENGTH(device)), name) < 0 &&
           names_find(NAMES(template_kernel_fact, TEMPLATE_KERNEL_FACTS), name) < 0;
}

/* Adds to `serves` that an extent is the one that a parameter fixes, unless that is 0. False: it becomes too long. */
static bool serve_fixed(TemplateReader *r, const TemplateParam *p)
{
    Expr *const param = expr_name(r->arena, p->name), *const extent = expr_name(r->arena, r->op->extent[p->axis].name);
    Expr *fits = expr_apply(r->arena, "||", expr_apply(r->arena, "==", param, expr_number(r->arena, 0)),
                            expr_apply(r->arena, "==", extent, param));
    r->t->serves = r->t->serves ? expr_apply(r->arena, "&&", r->t->serves, fits) : fits;
    return r->t->serves;
}

/* Can `serves` tell two shapes from each other? */
static bool same_extents(const TemplateReader *r, const int64_t *x, const int64_t *y)
{
    if (r->t->asks_align && spec_align(r->spec, x) != spec_align(r->spec, y))
        return false;
    for (int i = 0; i < r->op->nextent; i++)
        if (x[i] != y[i] && expr_uses(r->t->serves, r->op->extent[i].name))
            return false;
    return true;
}

/* Collects one tuned shape of each kind that `serves` can tell from the others. */
static void collect_served(TemplateReader *r)
{
    Template *t = r->t;
    const Spec *s = r->spec;
    for (int64_t i = 0; i < s->ninstance; i++) {
        int k = 0;
        while (s->instance[i].tuned && k < t->nserved && !same_extents(r, t->served[k], s->instance[i].extent))
            k++;
        if (s->instance[i].tuned && k == t->nserved)
            *ARENA_PUSH(r->arena, t->served, t->nserved) = s->instance[i].extent;
    }
}

/* Does the expression depend on the name, by values too? */
static bool depends_on(const TemplateReader *r, const Expr *e, const char *name)
{
    for (const ExprName *n = expr_names(e); n; n = n->next) {
        const NamedExpr *value = names_row(NAMES(r->t->value, r->t->nvalue), n->name);
        if (strcmp(n->name, name) == 0 || (value && depends_on(r, value->expr, name)))
            return true;
    }
    return false;
}

/* Does a constraint rule out a general kernel because of this parameter? need: constraints without derived names. */
static bool is_ruled_out(TemplateReader *r, const Expr *const *need, const Binding *b, const TemplateParam *p)
{
    for (int i = 0; i < b->t->nconstraint; i++) {
        int64_t holds;
        if (!need[i] || !depends_on(r, need[i], p->name))
            continue;
        const ExprName *n = expr_names(need[i]);
        while (n && may_ask(r, n->name))
            n = n->next;
        if (!n && expr_int(need[i], template_lookup, (void *)b, &holds) == EXPR_OK && !holds)
            return true;
    }
    return false;
}

/* Of an ordered parameter those choices are searched that are the first to let a general kernel serve a tuned shape. */
static void order_choices(TemplateReader *r, int param)
{
    static const Target none = { .name = "" };
    Template *t = r->t;
    TemplateParam *p = &t->param[param];
    int64_t value[TEMPLATE_MAX_PARAM];
    Binding b = { .t = t, .spec = r->spec, .target = &none, .value = value };
    const Expr **need = ARENA_ARRAY(r->arena, (size_t)t->nconstraint + 1, const Expr *);
    for (int i = 0; i < t->nconstraint; i++)
        need[i] = template_written_out(r, t->constraint[i].need);
    memcpy(value, t->general[0].value, sizeof value);
    p->searched = 0;
    for (int i = 0; i < t->nserved; i++) {
        int first = 0;
        b.extent = t->served[i];
        for (; first < p->nchoice; first++) {
            value[param] = p->choice[first];
            if (!is_ruled_out(r, need, &b, p) && template_serves(&b))
                break;
        }
        p->searched |= first < p->nchoice ? 1u << first : 0;
    }
}

bool template_read_serves(TemplateReader *r, const Conf *c)
{
    Template *t = r->t;
    if (!conf_expr(c, c->root, "serves", &t->serves) || !template_check_names(r, t->serves))
        return false;
    const Loc at = t->serves ? conf_member(c->root, "serves")->at : (Loc){ 0 };
    if (t->serves && !(t->serves = template_written_out(r, t->serves)))
        return diag_error(r->diag, at, "with the derived names in it, this expression is too long");
    if (t->serves && (expr_c_int_calls(t->serves) || !expr_c_int(r->arena, t->serves, "")))
        return diag_error(
            r->diag, at,
            "each call asks this: it cannot use min, max, ceil_div or ceil_to, nor numbers with fractions");
    for (const ExprName *n = expr_names(t->serves); n; n = n->next)
        if (!may_ask(r, n->name))
            return diag_error(r->diag, at, "this cannot depend on %s, but on extents, parameters and values", n->name);
    for (const TemplateParam *p = t->param; p < t->param + t->nparam; p++)
        if (p->axis >= 0 && !serve_fixed(r, p))
            return diag_error(r->diag, at, "with what parameters fix, this expression is too long");
    t->asks_align = expr_uses(t->serves, "ALIGN");
    if (t->serves)
        collect_served(r);
    for (int i = 0; i < t->nparam; i++)
        if (t->param[i].ordered && t->serves && t->ngeneral)
            order_choices(r, i);
    return true;
}

/* ---- launch and memory ---- */

static const char *const plan_key[PLAN_COUNT] = { [PLAN_X] = "x",
                                                  [PLAN_Y] = "y",
                                                  [PLAN_Z] = "z",
                                                  [PLAN_CLUSTER] = "cluster",
                                                  [PLAN_THREADS] = "threads",
                                                  [PLAN_SMEM] = "smem",
                                                  [PLAN_SCRATCH] = "scratch",
                                                  [PLAN_COUNTERS] = "counters" };

static bool is_extent(void *ctx, const char *name) { return op_axis(ctx, name) >= 0; }

/* Can a call work it out, in doubles? What does not depend on extents is an integer by then. */
static bool check_plan(TemplateReader *r, Loc at, const Expr *e)
{
    const Expr *all = e ? expr_fold(r->arena, template_written_out(r, e)) : NULL;
    if (!e)
        return true;
    if (!all)
        return diag_error(r->diag, at, "with the derived names in it, this expression is too long");
    if (expr_applies(all, "/", is_extent, (void *)r->op) || !expr_c_real(r->arena, all, "", ""))
        return diag_error(r->diag, at, "each call works this out: it cannot use '/', log2, exp2 or sqrt");
    for (const ExprName *n = expr_names(all); n; n = n->next)
        if (strcmp(n->name, "SMS") != 0 && (strcmp(n->name, "ALIGN") == 0 || !may_ask(r, n->name)))
            return diag_error(r->diag, at, "this cannot depend on %s, but on extents, parameters and values", n->name);
    return true;
}

/* Reads the grid, block and shared memory, each from the head or else from the family. */
static bool read_launch(TemplateReader *r, const Conf *c)
{
    ConfKey keys[PLAN_LAUNCH];
    for (int i = 0; i < PLAN_LAUNCH; i++)
        keys[i] = (ConfKey){ plan_key[i], false, NULL };
    const Conf *from[] = { r->common, c };
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        const ConfSetting *launch = conf_group(from[k], from[k]->root, "launch");
        ok = (launch || !conf_member(from[k]->root, "launch")) && conf_keys(from[k], launch, keys, PLAN_LAUNCH);
        if (ok && k && launch && !conf_member(r->common->root, "launch"))
            return diag_error(r->diag, launch->name_at, "kernels of the family '%s' are not launched",
                              r->t->family->name);
        for (int i = 0; ok && i < PLAN_LAUNCH; i++)
            ok = conf_expr(from[k], launch, plan_key[i], &r->t->plan[i]);
    }
    return ok;
}

bool template_read_plan(TemplateReader *r, const Conf *c)
{
    Template *t = r->t;
    bool ok = read_launch(r, c);
    for (int i = PLAN_LAUNCH; ok && i < PLAN_COUNT; i++) {
        const Conf *from = conf_member(c->root, plan_key[i]) ? c : r->common;
        ok = conf_expr(from, from->root, plan_key[i], &t->plan[i]);
    }
    for (int i = 0; ok && i < PLAN_COUNT; i++)
        ok = template_check_names(r, t->plan[i]) &&
             check_plan(r, t->plan[i] ? expr_loc(t->plan[i]) : (Loc){ 0 }, t->plan[i]);
    return ok;
}
