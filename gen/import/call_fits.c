/* SPDX-License-Identifier: Apache-2.0
 *
 * call_fits: is an expression too long, or nested too deeply, for a formula? Parts that are equal count once there.
 */
#include <ctype.h>
#include <string.h>
#include "gen/base/expr.h"
#include "gen/import/call_private.h"
#include "gen/spec/formula.h"

enum { SLOTS = 512, MOST_NODES = FORMULA_MAX_NODE - 16, MOST_DEPTH = 160 };

typedef struct {
    int nnode; /* of the formula, about */
    struct {
        const Elem *elem;
        int depth;
    } seen[SLOTS];
} Measure;

/* How many nodes of a formula it adds to those of its parts. */
static int nodes_of(const Elem *x)
{
    if (x->kind == ELEM_SIZE)
        return 2 * poly_nterm(x->size) - 1;
    if (x->kind == ELEM_ROW)
        return strcmp(x->op, "sum") == 0 || strcmp(x->op, "max") == 0 ? 1 : 8; /* the others are short forms */
    return 1;
}

/* How deep the parser of formulas goes into it. Of what is too long it sees a part alone. */
static int measure(Measure *m, const Elem *x)
{
    unsigned slot = x->hash % SLOTS;
    for (; m->seen[slot].elem; slot = (slot + 1) % SLOTS)
        if (m->seen[slot].elem == x)
            return m->seen[slot].depth;
    m->seen[slot].elem = x;
    m->nnode += nodes_of(x);
    const bool is_call = x->op && isalpha((unsigned char)*x->op) && strcmp(x->op, "real") != 0;
    int depth = 0;
    for (int i = 0; i < x->narg && m->nnode <= MOST_NODES; i++) {
        const int here = measure(m, x->arg[i]) + (is_call || (x->narg == 2 && i == 0) ? 1 : 2);
        depth = here > depth ? here : depth;
    }
    return m->seen[slot].depth = depth;
}

bool call_fits(const Elem *x)
{
    Measure m = { 0 };
    return x->weight <= MOST_DEPTH / 2 || (measure(&m, x) <= MOST_DEPTH && m.nnode <= MOST_NODES);
}
