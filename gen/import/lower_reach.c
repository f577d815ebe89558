/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_reach: does a node read elements that are not there? ONNX forbids that. It is told where indices are sums of
 * places, as those of parts are; of gathers where they are constants of whatever values.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/import/lower.h"

enum { MOST_PLACES = 1 << 16 };

typedef struct {
    int n, place[LOWER_MAX_RANK];
    int64_t extent[LOWER_MAX_RANK];
} Places;

/* The places that x uses. False: not all of their extents are numbers, or it uses dims. */
static bool places_of(Lower *l, const Elem *x, Places *p)
{
    p->n = 0;
    for (int i = 0; i < polys_ndim(l->polys); i++) {
        const Poly *below = polys_below(l->polys, i);
        if (!elem_uses(l->elems, x, i))
            continue;
        if (!below || p->n == LOWER_MAX_RANK || !poly_is_number(below, &p->extent[p->n]) || p->extent[p->n] < 1 ||
            p->extent[p->n] > INT32_MAX)
            return false;
        p->place[p->n++] = i;
    }
    return true;
}

/* The least and the largest value of a sum of places. */
static bool range_of_sum(Lower *l, const Poly *x, const Places *p, int64_t *least, int64_t *most)
{
    const Poly *by[LOWER_MAX_RANK], *rest;
    bool is_sum = poly_linear(l->polys, x, p->place, p->n, by, &rest) && poly_is_number(rest, least);
    for (int i = 0; i < p->n && is_sum; i++)
        is_sum = poly_is_number(by[i], least);
    poly_range(l->polys, x, least, most);
    return is_sum;
}

/* Those of constants, which are looked at one by one. */
static bool range_of_constants(Lower *l, const Elem *x, const Places *p, int64_t *least, int64_t *most)
{
    int64_t count = 1, *dims = ARENA_ARRAY(l->arena, (size_t)polys_ndim(l->polys) + 1, int64_t);
    for (int i = 0; i < p->n; i++)
        if ((count *= p->extent[i]) > MOST_PLACES)
            return false;
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (int64_t i = 0; i < count; i++) {
        double value;
        int64_t rest = i;
        for (int k = 0; k < p->n; k++) {
            dims[p->place[k]] = rest % p->extent[k];
            rest /= p->extent[k];
        }
        if (!store_constant_at(l, x, dims, &value))
            return false;
        const int64_t at = elem_cut(value);
        *least = at < *least ? at : *least;
        *most = at > *most ? at : *most;
    }
    return true;
}

static bool range_of(Lower *l, const Elem *x, int64_t *least, int64_t *most)
{
    const Poly *size = elem_as_size(x);
    const bool is_gather = strncmp(l->node->op, "Gather", strlen("Gather")) == 0;
    Places p;
    if ((!size && !(is_gather && store_is_constant(l, x))) || !places_of(l, x, &p))
        return false;
    return size ? range_of_sum(l, size, &p, least, most) : range_of_constants(l, x, &p, least, most);
}

/* What is chosen need not be there. */
static bool is_there(Lower *l, const Elem *x)
{
    const bool is_choice = x->kind == ELEM_APPLY && strcmp(x->op, "?") == 0;
    for (int i = 0; i < x->narg; i++) {
        int64_t least, most, first, last;
        if (x->kind == ELEM_LOAD && range_of(l, x->arg[i], &first, &last)) {
            const Poly *extent = l->memory[x->memory].extent[i];
            poly_range(l->polys, extent, &least, &most);
            if (first < 0 || last >= most)
                return lower_error(l, "it reads the place %" PRId64 " along an extent of %s", first < 0 ? first : last,
                                   poly_text(l->arena, l->polys, extent));
        } else if (!(is_choice && i > 0) && !is_there(l, x->arg[i])) {
            return false;
        }
    }
    return true;
}

static bool has_elements(const Value *v)
{
    bool has = v->elem;
    for (int i = 0; i < v->rank; i++)
        has = has && !poly_is(v->dim[i], 0);
    return has;
}

bool reach_is_there(Lower *l, const NetNode *n)
{
    bool there = true;
    for (int i = 0; i < n->noutput && there; i++)
        if (n->output[i] >= 0 && has_elements(&l->value[n->output[i]]))
            there = is_there(l, l->value[n->output[i]].elem);
    return there;
}
