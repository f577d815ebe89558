/* SPDX-License-Identifier: Apache-2.0
 *
 * template_family: what a template's head need not say, since it follows from the op and the tile, or is common to all
 * templates of the family (templates/family). Names of both are on offer to expressions over the shape; those that are
 * used become derived names.
 */
#include "gen/template/template_private.h"

#include <unistd.h>

/* What stands in the place of names for one tile. */
typedef struct {
    const TemplateReader *r;
    bool whole_sum; /* axes that are summed over stay */
} Tile;

static Expr *tile_of(void *ctx, const char *name)
{
    const Tile *tile = ctx;
    const Op *op = tile->r->op;
    const int i = op_axis(op, name);
    if (i < 0 || op->extent[i].kind == EXTENT_ATTRIBUTE || (tile->whole_sum && op->extent[i].kind == AXIS_REDUCE))
        return NULL;
    return i < op->naxis ? tile->r->t->tile[i] : expr_substitute(tile->r->arena, op->extent[i].expr, tile_of, ctx);
}

/* An expression over the axes as it is for one tile: the tile along an axis stands in the place of the axis. */
static Expr *at_tile(const TemplateReader *r, const Expr *e, bool whole_sum)
{
    return e ? expr_substitute(r->arena, e, tile_of, &(Tile){ r, whole_sum }) : NULL;
}

static bool is_batch(const Op *op, const Expr *e)
{
    const int i = op_axis(op, expr_text(e));
    return i >= 0 && op->extent[i].kind == AXIS_BATCH;
}

/* Columns and rows of the output. */
static void see_as_matrices(TemplateReader *r, Expr **rows, Expr **columns)
{
    const Layout *l = spec_layout(r->spec, (int)(op_output(r->op) - r->op->operand));
    *rows = expr_number(r->arena, 1);
    *columns = expr_apply(r->arena, "*", *rows, l->extent[l->rank - 1]);
    for (int k = 0; k + 1 < l->rank; k++)
        if (!is_batch(r->op, l->extent[k]))
            *rows = expr_apply(r->arena, "*", *rows, l->extent[k]);
}

/* Offers the sizes of a call and of one tile (docs/templates-reference.md), which follow from the op and the head's
 * tile. The output counts as matrices of sums: columns along its last extent, rows along the others that
 * are no batch axes. A step is what a tile does for its part of the summed axes. */
static bool offer_shape(TemplateReader *r)
{
    const Op *op = r->op;
    Arena *a = r->arena;
    Expr *one = expr_number(a, 1), *zero = expr_number(a, 0);
    Expr *tiles = one, *steps = one, *sum = one, *batch = one, *reads = zero, *data = zero, *rows, *columns;
    for (int i = 0; i < op->naxis; i++) {
        const Extent *axis = &op->extent[i];
        const Expr *extent = expr_name(a, axis->name), *n = expr_apply(a, "ceil_div", extent, r->t->tile[i]);
        if (axis->kind == AXIS_REDUCE) {
            sum = expr_apply(a, "*", sum, extent);
            steps = expr_apply(a, "*", steps, n);
        } else
            tiles = expr_apply(a, "*", tiles, n);
        if (axis->kind == AXIS_BATCH)
            batch = expr_apply(a, "*", batch, extent);
    }
    see_as_matrices(r, &rows, &columns);
    for (const Operand *o = op->operand; o < op->operand + op->noperand; o++)
        if (!o->of_formula) {
            data = expr_apply(a, "+", data, o->elems);
            if (o->role != ROLE_OUT)
                reads = expr_apply(a, "+", reads, o->elems);
        }
    const struct {
        const char *name;
        Expr *expr;
    } row[] = { { "FLOPS", op->flops },
                { "STEP_FLOPS", at_tile(r, op->flops, false) },
                { "BATCH", batch },
                { "OUT_ROWS", rows },
                { "TILE_ROWS", at_tile(r, rows, false) },
                { "OUT_COLS", columns },
                { "TILE_COLS", at_tile(r, columns, false) },
                { "SUM", sum },
                { "TILE_SUM", at_tile(r, sum, false) },
                { "TILES", tiles },
                { "SUM_STEPS", steps },
                { "DATA", data },
                { "TILE_READS", at_tile(r, reads, true) },
                { "STEP_READS", at_tile(r, reads, false) } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Loc loc = { .src = op->src };
        if (!row[i].expr)
            return diag_error(r->diag, expr_loc(r->t->tile[0]), "with this tile, the expression of %s is too long",
                              row[i].name);
        r->offer[r->noffer++] = (NamedExpr){ .name = row[i].name, .doc = "", .expr = row[i].expr, .loc = loc };
    }
    return true;
}

bool template_open_family(TemplateReader *r, Loc at)
{
    const char *file = arena_printf(r->arena, "family/%s.cfg", r->t->family->name);
    for (int i = 0; i < r->spec->ntemplates && !r->t->shared; i++) {
        const char *path = arena_printf(r->arena, "%s/%s", r->spec->templates[i], file);
        if (access(path, F_OK) == 0 && !(r->t->shared = conf_source(r->arena, path, r->diag)))
            return false;
    }
    if (r->t->shared)
        r->common = conf_parse(r->arena, r->t->shared, 0, r->t->shared->len, r->diag);
    else
        diag_error(r->diag, at, "no folder of templates has '%s'", file);
    return r->common != NULL;
}

bool template_list(TemplateReader *r, const Conf *c, const char *key, int max,
                   bool read(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to), void *to)
{
    const ConfSetting *list = conf_list(c, c->root, key);
    bool ok = conf_length(list) <= max;
    if (!ok)
        diag_error(r->diag, list->name_at, "more than %d entries", max);
    for (int i = 0, n = ok ? conf_length(list) : 0; i < n; i++)
        ok &= read(r, c, conf_elem(list, i), to);
    return ok;
}

bool template_named(const Conf *c, const ConfSetting *s, NamedExpr *e)
{
    static const ConfKey keys[] = { { "name", true, "its name" },
                                    { "expr", true, "its value" },
                                    { "doc", true, "what it is" } };
    if (!conf_group(c, s, NULL) || !conf_keys(c, s, keys, 3) || !conf_string(c, s, "name", &e->name) ||
        !conf_string(c, s, "doc", &e->doc) || !conf_expr(c, s, "expr", &e->expr))
        return false;
    e->loc = conf_member(s, "name")->at;
    return true;
}

static bool offer_named(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    return template_named(c, s, (NamedExpr *)to + r->noffer++);
}

bool template_offer(TemplateReader *r)
{
    static const ConfKey keys[] = { { "regs", false, NULL },
                                    { "derived", false, NULL },
                                    { "launch", false, NULL },
                                    { "scratch", false, NULL },
                                    { "counters", false, NULL },
                                    { "padded_flops", true, "work with padding" },
                                    { "serial_flops", true, "work of the busiest task" },
                                    { "terms", true, "parts of a call's time" },
                                    { "features", false, NULL } };
    const Conf *c = r->common;
    const bool ok = offer_shape(r) && conf_keys(c, c->root, keys, LENGTH(keys));
    return template_list(r, c, "derived", TEMPLATE_MAX_OFFER - r->noffer, offer_named, r->offer) && ok;
}
