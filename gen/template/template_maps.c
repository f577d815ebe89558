/* SPDX-License-Identifier: Apache-2.0
 *
 * template_maps: the tensor maps that a template's kernels are given, by which TMA copies boxes of operands.
 */
#include "gen/template/template_private.h"

#include <string.h>
#include "gen/base/name.h"

/* Reads a list of expressions, one for each of the operand's extents. */
static bool read_list(TemplateReader *r, const Conf *c, const ConfSetting *s, const char *key, const TemplateMap *m,
                      const Expr **out)
{
    const ConfSetting *list = conf_member(s, key);
    const int rank = spec_layout(r->spec, m->operand)->rank;
    const char *text[OP_MAX_RANK];
    int n = 0;
    bool ok = conf_strings(c, s, key, text, OP_MAX_RANK, &n);
    if (ok && (n != rank || rank < 2 || rank > TEMPLATE_MAP_RANK))
        return diag_error(r->diag, list->at, "%d extents: the operand '%s' has %d, and a map 2 to %d", n,
                          r->op->operand[m->operand].name, rank, TEMPLATE_MAP_RANK);
    for (int i = 0; ok && i < n; i++)
        ok = (out[i] = expr_parse(r->arena, text[i], conf_elem(list, i)->at, r->diag));
    return ok;
}

static bool read_box(TemplateReader *r, const Conf *c, const ConfSetting *s, TemplateMap *m)
{
    bool ok = read_list(r, c, s, "box", m, m->box);
    for (int i = 0; ok && i < spec_layout(r->spec, m->operand)->rank; i++)
        ok = template_check_names(r, m->box[i]);
    return ok;
}

/* Steps are those of a call: over its extents and attributes. */
static bool read_steps(TemplateReader *r, const Conf *c, const ConfSetting *s, TemplateMap *m)
{
    const ConfSetting *steps = conf_member(s, "steps");
    if (!steps)
        return true;
    bool ok = read_list(r, c, s, "steps", m, m->step);
    for (int i = 0; ok && i < spec_layout(r->spec, m->operand)->rank; i++) {
        ok = conf_check_names(r->diag, m->step[i], "extent", NAMES(r->op->extent, r->op->nextent));
        if (ok && (expr_c_int_calls(m->step[i]) || !expr_c_int(r->arena, m->step[i], "")))
            return diag_error(r->diag, conf_elem(steps, i)->at,
                              "each call asks this: it cannot use functions, nor numbers with fractions");
    }
    return ok;
}

static bool read_map(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    static const ConfKey keys[] = { { "name", true, "what the kernel calls it" },
                                    { "operand", true, "what it is a map of" },
                                    { "box", true, "extents of what a copy takes" },
                                    { "steps", false, NULL },
                                    { "swizzle", false, NULL } };
    Template *t = to;
    TemplateMap *m = &t->map[t->nmap];
    const Operand *o = r->op->operand;
    const char *name[OP_MAX_OPERAND];
    for (int i = 0; i < r->op->noperand; i++)
        name[i] = o[i].name;
    m->swizzle = expr_number(r->arena, 0);
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, LENGTH(keys)) || !conf_string(c, s, "name", &m->name) ||
        !conf_check_name(r->diag, conf_member(s, "name")->at, "map", m->name, name_fault(m->name)) ||
        !conf_choice(c, s, "operand", "operand", NAMES(name, r->op->noperand), &m->operand) ||
        !conf_expr(c, s, "swizzle", &m->swizzle) || !template_check_names(r, m->swizzle) || !read_box(r, c, s, m) ||
        !read_steps(r, c, s, m))
        return false;
    t->nmap++;
    return true;
}

bool template_read_maps(TemplateReader *r, const Conf *c)
{
    if (conf_member(c->root, "maps") && !r->t->family->has_smem)
        return diag_error(r->diag, conf_member(c->root, "maps")->name_at, "kernels of the family '%s' have no maps",
                          r->t->family->name);
    return template_list(r, c, "maps", TEMPLATE_MAX_MAP, read_map, r->t);
}
