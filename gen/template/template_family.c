/* SPDX-License-Identifier: Apache-2.0
 *
 * template_family: what a template's head need not say, since it follows from the op and the tile, or is common to all templates of the
 * family (templates/family). Names of both are on offer to expressions over the shape; those that are used become derived names.
 */
#include "gen/template/template_private.h"

#include <unistd.h>
#include "gen/base/text.h"
#include "gen/template/fill.h"

/* An expression over the axes as it is for one tile: the tile along an axis stands in the place of the axis. whole_sum: axes that are summed
 * over stay. */
static const char *at_tile(const TemplateReader *r, const char *e, bool whole_sum)
{
    Text out = { .arena = r->arena };
    while (*e) {
        const size_t n = fill_ident(e);
        const int axis = n ? op_axis(r->op, arena_strndup(r->arena, e, n)) : -1;
        if (axis >= 0 && !(whole_sum && r->op->extent[axis].kind == AXIS_REDUCE))
            text_printf(&out, "(%s)", expr_text(r->t->tile[axis]));
        else
            text_addn(&out, e, n ? n : 1);
        e += n ? n : 1;
    }
    return text_str(&out);
}

/* Offers the sizes of a call and of one tile, which follow from the op and from the tile in the head. The output counts as a matrix whose
 * elements are sums. A step is what a tile does for its part of the summed axes.
 *
 *   FLOPS, STEP_FLOPS       useful operations of the call; operations of a step
 *   OUT_ROWS, OUT_COLS      the output's extents; TILE_ROWS, TILE_COLS: a tile's
 *   SUM, TILE_SUM           elements that are summed up for one of the output; in a step
 *   TILES, SUM_STEPS        tiles of the output; steps of a tile
 *   DATA                    elements of all operands of the call that are always there
 *   TILE_READS, STEP_READS  elements of inputs that a tile, a step reads */
static bool offer_shape(TemplateReader *r)
{
    const Op *op = r->op;
    Text tiles[] = { [AXIS_SPATIAL] = { .arena = r->arena }, [AXIS_REDUCE] = { .arena = r->arena } };
    Text sum = { .arena = r->arena }, reads = sum, data = sum;
    for (int i = 0; i < op->naxis; i++) {
        const Extent *axis = &op->extent[i];
        text_printf(&tiles[axis->kind == AXIS_REDUCE ? AXIS_REDUCE : AXIS_SPATIAL], " * ceil_div(%s, %s)", axis->name, expr_text(r->t->tile[i]));
        if (axis->kind == AXIS_REDUCE)
            text_printf(&sum, " * %s", axis->name);
    }
    for (const Operand *o = op->operand; o < op->operand + op->noperand; o++)
        if (!o->epilogue) {
            text_printf(&data, " + (%s)", expr_text(o->elems));
            if (o->role != ROLE_OUT)
                text_printf(&reads, " + (%s)", expr_text(o->elems));
        }
    const char *const flops = expr_text(op->flops), *rows = expr_text(op->rows), *columns = expr_text(op->row_elems);
    const struct {
        const char *name, *start, *expr; /* start: where expr begins with an operator, what stands before that */
    } row[] = { { "FLOPS", "", flops },
                { "STEP_FLOPS", "", at_tile(r, flops, false) },
                { "OUT_ROWS", "", rows },
                { "TILE_ROWS", "", at_tile(r, rows, false) },
                { "OUT_COLS", "", columns },
                { "TILE_COLS", "", at_tile(r, columns, false) },
                { "SUM", "1", text_str(&sum) },
                { "TILE_SUM", "1", at_tile(r, text_str(&sum), false) },
                { "TILES", "1", text_str(&tiles[AXIS_SPATIAL]) },
                { "SUM_STEPS", "1", text_str(&tiles[AXIS_REDUCE]) },
                { "DATA", "0", text_str(&data) },
                { "TILE_READS", "0", at_tile(r, text_str(&reads), true) },
                { "STEP_READS", "0", at_tile(r, text_str(&reads), false) } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Loc loc = { .src = op->src };
        Expr *e = expr_parse(r->arena, arena_printf(r->arena, "%s%s", row[i].start, row[i].expr), loc, r->diag);
        if (!e)
            return false;
        r->offer[r->noffer++] = (NamedExpr){ .name = row[i].name, .doc = "", .expr = e, .loc = loc };
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

static bool offer_named(TemplateReader *r, const Conf *c, const ConfSetting *s, void *to)
{
    return template_named(c, s, (NamedExpr *)to + r->noffer++);
}

bool template_offer(TemplateReader *r)
{
    static const ConfKey keys[] = { { "regs", false, NULL },
                                    { "derived", false, NULL },
                                    { "padded_flops", true, "work with padding" },
                                    { "serial_flops", true, "work of the busiest task" },
                                    { "terms", true, "parts of a call's time" },
                                    { "features", false, NULL } };
    const Conf *c = r->common;
    const bool ok = offer_shape(r) && conf_keys(c, c->root, keys, LENGTH(keys));
    return template_list(r, c, "derived", TEMPLATE_MAX_OFFER - r->noffer, offer_named, r->offer) && ok;
}
