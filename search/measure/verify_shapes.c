/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: walks each axis around the tiles of the candidates.
 */
#include "search/measure/verify_shapes.h"

#include <string.h>

enum { SMALL_MOST = 24 }; /* small extents of the first axis */

int64_t verify_shapes_tile(const Study *s, const Candidate *c, int axis)
{
    int64_t value[TEMPLATE_MAX_PARAM], tile = 1;
    candidate_values(c, value);
    Binding b = { .t = c->t, .spec = s->spec, .target = c->target, .device = s->device, .value = value, .threads = 1 };
    return expr_int(c->t->tile[axis], template_lookup, &b, &tile) == EXPR_OK && tile > 0 ? tile : 1;
}

/* Adds the extents `other`, with v along one axis. */
static void add_shape(VerifyShapes *w, int naxis, int axis, int64_t v, const int64_t *other)
{
    if (w->n == VERIFY_SHAPES_MAX || v < 0)
        return;
    for (int i = 0; i < naxis; i++)
        w->extent[w->n][i] = i == axis ? v : other[i];
    w->n++;
}

/* Adds the extents that a candidate is fixed for, with the others as they are in `other`. */
static void add_fixed(VerifyShapes *w, const Candidate *c, int naxis, const int64_t *other)
{
    int64_t extent[OP_MAX_EXTENT];
    for (int i = 0; i < naxis; i++) {
        const int64_t fixed = candidate_fixed(c, i);
        extent[i] = fixed ? fixed : other[i];
    }
    for (int k = 0; k < w->n; k++)
        if (memcmp(w->extent[k], extent, (size_t)naxis * sizeof *extent) == 0)
            return;
    add_shape(w, naxis, 0, extent[0], extent);
}

void verify_shapes(const Study *s, const Candidate *const *c, int n, VerifyShapes *w)
{
    const Op *op = s->spec->op;
    int naxis = op->ngiven;
    int64_t tile[OP_MAX_EXTENT], other[OP_MAX_EXTENT];
    w->n = 0;
    for (int i = 0; i < naxis; i++) {
        tile[i] = 1;
        for (int j = 0; j < n; j++) {
            int64_t t = verify_shapes_tile(s, c[j], i);
            tile[i] = t > tile[i] ? t : tile[i];
        }
        other[i] = (tile[i] < 64 ? tile[i] : 64) + 3; /* a little more than a tile, if that is small */
    }
    for (int i = 0; i < naxis; i++) {
        const int64_t small = i > 0 ? 2 : tile[i] < SMALL_MOST ? tile[i] : SMALL_MOST;
        const int64_t least = op->extent[i].kind != AXIS_REDUCE; /* an empty sum has a result, an empty row has none */
        for (int64_t v = least; v <= small; v++)
            add_shape(w, naxis, i, v, other);
        const int64_t large[] = { tile[i] - 1, tile[i], tile[i] + 1, 2 * tile[i] + 5 };
        for (size_t k = 0; k < LENGTH(large); k++)
            if (large[k] > small)
                add_shape(w, naxis, i, large[k], other);
    }
    for (int j = 0; j < n; j++)
        if (candidate_is_fixed(c[j]))
            add_fixed(w, c[j], naxis, other);
}
