/* SPDX-License-Identifier: Apache-2.0
 *
 * elem: makes expressions of elements, each once. What is known is worked out as they are made; elem_known.c has the
 * forms that get a name of their own.
 */
#include <math.h>
#include <string.h>
#include "gen/import/elem_private.h"

Elems *elems_new(Arena *a, Polys *p)
{
    Elems *e = ARENA_NEW(a, Elems);
    e->arena = a;
    e->polys = p;
    return e;
}

/* ---- equal ones are one ---- */

static unsigned mix(unsigned hash, uint64_t x) { return (hash ^ (unsigned)(x ^ x >> 32)) * 16777619u; }

static unsigned hash_of(const Elem *x)
{
    unsigned hash = mix(mix(mix(2166136261u, (uint64_t)x->kind), (uint64_t)x->type), (uint64_t)x->memory);
    uint64_t bits;
    memcpy(&bits, &x->number, sizeof bits);
    hash = mix(hash, bits);
    for (const char *c = x->op; c && *c; c++)
        hash = mix(hash, (uint64_t)*c);
    for (int i = 0; i < x->narg; i++)
        hash = mix(hash, x->arg[i]->hash);
    hash = mix(hash, (uint64_t)x->along);
    return x->at ? mix(hash, x->at->hash) : hash;
}

static bool is_same(const Elem *x, const Elem *y)
{
    bool same = x->hash == y->hash && x->kind == y->kind && x->type == y->type && x->memory == y->memory &&
                x->narg == y->narg && x->along == y->along && x->at == y->at &&
                memcmp(&x->number, &y->number, sizeof x->number) == 0 && (!x->op || strcmp(x->op, y->op) == 0) &&
                (!x->size || poly_same(x->size, y->size)) && (!x->extent || poly_same(x->extent, y->extent));
    for (int i = 0; i < x->narg && same; i++)
        same = x->arg[i] == y->arg[i];
    return same;
}

static bool is_heavy(const Elem *x)
{
    static const char *const heavy[] = { "exp", "log",  "tanh",    "erf",  "sin",      "cos",
                                         "pow", "gelu", "sigmoid", "silu", "gelu_tanh" };
    return x->kind == ELEM_ROW || (x->kind == ELEM_APPLY && names_find(NAMES(heavy, LENGTH(heavy)), x->op) >= 0);
}

static const Elem *make(Elems *e, Elem x)
{
    x.weight = 1;
    x.nload = x.kind == ELEM_LOAD;
    x.is_heavy = is_heavy(&x);
    for (int i = 0; i < x.narg; i++) {
        if (!x.arg[i])
            return NULL;
        x.weight += x.arg[i]->weight;
        x.nload += x.arg[i]->nload;
        x.is_heavy = x.is_heavy || x.arg[i]->is_heavy;
    }
    if (x.weight > ELEM_MAX_SIZE)
        return NULL;
    x.hash = hash_of(&x);
    Elem **bucket = &e->bucket[x.hash % ELEM_BUCKETS];
    for (const Elem *same = *bucket; same; same = same->next)
        if (is_same(&x, same))
            return same;
    Elem *made = ARENA_NEW(e->arena, Elem);
    *made = x;
    made->next = *bucket;
    return *bucket = made;
}

/* ---- leaves ---- */

const Elem *elem_number(Elems *e, double value)
{
    return make(e, (Elem){ .kind = ELEM_NUMBER, .type = ELEM_REAL, .number = value });
}

const Elem *elem_truth(Elems *e, bool value)
{
    return make(e, (Elem){ .kind = ELEM_NUMBER, .type = ELEM_TRUTH, .number = value });
}

const Elem *elem_size(Elems *e, const Poly *size)
{
    return size ? make(e, (Elem){ .kind = ELEM_SIZE, .type = ELEM_INT, .size = size }) : NULL;
}

const Elem *elem_int(Elems *e, int64_t value) { return elem_size(e, poly_number(e->polys, value)); }
const Elem *elem_place(Elems *e, int dim) { return elem_size(e, poly_dim(e->polys, dim)); }

const Elem *elem_load(Elems *e, int memory, ElemType type, int n, const Elem *const *index)
{
    Elem x = { .kind = ELEM_LOAD, .type = type, .memory = memory, .narg = n };
    if (n > ELEM_MAX_ARG)
        return NULL;
    memcpy(x.arg, index, (size_t)n * sizeof *index);
    return make(e, x);
}

/* ---- what is known ---- */

int64_t elem_cut(double x)
{
    return x > 0x1p62 ? INT64_C(1) << 62 : x >= -0x1p62 ? (int64_t)x : -(INT64_C(1) << 62); /* NaN: the least */
}

bool elem_is_number(const Elem *x, double *value)
{
    int64_t whole;
    if (!x || (x->kind != ELEM_NUMBER && !elem_is_whole(x, &whole)))
        return false;
    *value = x->kind == ELEM_NUMBER ? x->number : (double)whole;
    return true;
}

bool elem_is_whole(const Elem *x, int64_t *value)
{
    return x && x->kind == ELEM_SIZE && poly_is_number(x->size, value);
}
const Poly *elem_as_size(const Elem *x) { return x && x->kind == ELEM_SIZE ? x->size : NULL; }

const Elem *elem_as(Elems *e, const Elem *x, ElemType type)
{
    double value;
    if (!x || x->type == type)
        return x;
    if (elem_is_number(x, &value)) {
        if (type == ELEM_REAL)
            return elem_number(e, value);
        if (type == ELEM_TRUTH)
            return elem_truth(e, value != 0);
        return fabs(value) < 0x1p62 ? elem_int(e, (int64_t)value) : NULL;
    }
    if (x->type == ELEM_TRUTH)
        return type == ELEM_REAL ? ELEM(e, "?", x, elem_number(e, 1), elem_number(e, 0))
                                 : ELEM(e, "?", x, elem_int(e, 1), elem_int(e, 0));
    if (type == ELEM_TRUTH)
        return ELEM(e, "!=", x, x->type == ELEM_REAL ? elem_number(e, 0) : elem_int(e, 0));
    const Elem *size = type == ELEM_INT ? elem_whole_size(e, x) : NULL;
    if (size)
        return size;
    if (type == ELEM_REAL && elem_is_op(x, "int"))
        return ELEM(e, "trunc", x->arg[0]);
    return elem_plain(e, type == ELEM_REAL ? "real" : "int", type, 1, &x);
}

const Elem *elem_plain(Elems *e, const char *op, ElemType type, int n, const Elem *const *arg)
{
    Elem x = { .kind = ELEM_APPLY, .type = type, .op = op, .narg = n };
    memcpy(x.arg, arg, (size_t)n * sizeof *arg);
    return make(e, x);
}

const Elem *elem_row(Elems *e, const char *op, int along, const Poly *extent, const Elem *at, const Elem *value,
                     const Elem *more)
{
    Elem x = { .kind = ELEM_ROW,
               .type = strcmp(op, "argmax") == 0 ? ELEM_INT : ELEM_REAL,
               .op = op,
               .narg = more ? 2 : 1,
               .arg = { elem_as(e, value, ELEM_REAL), more },
               .along = along,
               .extent = extent,
               .at = at };
    return value ? make(e, x) : NULL;
}

/* ---- other values for places ---- */

typedef struct {
    Elems *elems;
    int n;
    const int *place;
    const Elem *const *by;
} Replacing;

/* A size in which a place becomes what is no size: a sum of it, if the size is one. */
static const Elem *replace_by_value(const Replacing *r, const Poly *size, int i)
{
    Elems *e = r->elems;
    const Poly *by, *rest;
    if (!poly_linear(e->polys, size, &r->place[i], 1, &by, &rest))
        return NULL;
    return ELEM(e, "+", ELEM(e, "*", elem_size(e, by), r->by[i]), elem_size(e, rest));
}

static const Elem *replace_in_size(const Replacing *r, const Elem *x)
{
    Elems *e = r->elems;
    const Poly *size = x->size;
    int other = -1, temporary[ELEM_MAX_ARG];
    for (int i = 0; i < r->n; i++) { /* all at once: a place may stand in what replaces another one */
        const Poly *by = elem_as_size(r->by[i]);
        temporary[i] = -1;
        if (!poly_uses(e->polys, size, r->place[i]) || (by && poly_is_dim(e->polys, by) == r->place[i]))
            continue;
        if (!by) {
            other = i;
            continue;
        }
        temporary[i] = elem_temporary(e, i);
        size = poly_substitute(e->polys, size, r->place[i], poly_dim(e->polys, temporary[i]));
    }
    if (other >= 0) { /* what is left may name temporary places: only alone such a place is replaced */
        for (int i = 0; i < r->n; i++)
            if (temporary[i] >= 0)
                size = poly_substitute(e->polys, size, temporary[i], elem_as_size(r->by[i]));
        return replace_by_value(r, size, other);
    }
    for (int i = 0; i < r->n; i++)
        if (temporary[i] >= 0)
            size = poly_substitute(e->polys, size, temporary[i], elem_as_size(r->by[i]));
    return elem_size(e, size);
}

static const Elem *replace(const Replacing *r, const Elem *x);

/* The place that a row runs along, and its value along that. One that comes in from outside is not taken for it: then
 * the row runs along a new one. */
static const Elem *replace_in_row(const Replacing *r, const Elem *x, int *along)
{
    int place[ELEM_MAX_ARG], n = 0;
    const Elem *by[ELEM_MAX_ARG], *value = x->arg[0];
    bool comes_in = false;
    *along = x->along;
    for (int i = 0; i < r->n; i++)
        if (r->place[i] != x->along) { /* outside that is another place */
            place[n] = r->place[i];
            by[n++] = r->by[i];
            comes_in = comes_in || (elem_uses(r->elems, r->by[i], x->along) && elem_uses(r->elems, value, r->place[i]));
        }
    if (comes_in) {
        *along = polys_place(r->elems->polys, "?", x->extent);
        const Elem *other = elem_place(r->elems, *along);
        value = replace(&(Replacing){ r->elems, 1, &x->along, &other }, value);
    }
    return replace(&(Replacing){ r->elems, n, place, by }, value);
}

static const Elem *replace(const Replacing *r, const Elem *x)
{
    const Elem *arg[ELEM_MAX_ARG];
    if (!x || x->kind == ELEM_NUMBER)
        return x;
    if (x->kind == ELEM_SIZE)
        return replace_in_size(r, x);
    bool same = true;
    int along = x->along;
    for (int i = 0; i < x->narg; i++) {
        arg[i] = x->kind == ELEM_ROW && i == 0 ? replace_in_row(r, x, &along) : replace(r, x->arg[i]);
        same = same && arg[i] == x->arg[i];
    }
    const Elem *at = replace(r, x->at);
    if (same && at == x->at)
        return x;
    if (x->kind == ELEM_LOAD)
        return elem_load(r->elems, x->memory, x->type, x->narg, arg);
    if (x->kind == ELEM_ROW)
        return elem_row(r->elems, x->op, along, x->extent, at, arg[0], x->narg > 1 ? arg[1] : NULL);
    return elem_apply(r->elems, x->op, x->narg, arg);
}

const Elem *elem_replace(Elems *e, const Elem *x, int n, const int *place, const Elem *const *by)
{
    bool stays = true;
    for (int i = 0; i < n && stays; i++)
        stays = elem_as_size(by[i]) && poly_is_dim(e->polys, by[i]->size) == place[i];
    return stays ? x : replace(&(Replacing){ e, n, place, by }, x);
}

int elem_temporary(Elems *e, int i)
{
    while (e->ntemporary <= i)
        e->temporary[e->ntemporary++] = polys_dim(e->polys, "?", 0, INT32_MAX);
    return e->temporary[i];
}

/* ---- questions ---- */

bool elem_is_op(const Elem *x, const char *op)
{
    return x && (x->kind == ELEM_APPLY || x->kind == ELEM_ROW) && strcmp(x->op, op) == 0;
}

bool elem_uses(const Elems *e, const Elem *x, int place)
{
    if (!x)
        return false;
    if (x->kind == ELEM_SIZE)
        return poly_uses(e->polys, x->size, place);
    bool uses = x->at && elem_uses(e, x->at, place);
    for (int i = 0; i < x->narg && !uses; i++)
        uses = elem_uses(e, x->arg[i], place) && !(x->kind == ELEM_ROW && x->along == place);
    return uses;
}

bool elem_stays_whole(const Elem *x)
{
    static const char *const of_wholes[] = { "+", "-", "*", "min", "max", "div", "%", "neg", "?" };
    bool stays = x->type == ELEM_INT;
    if (x->kind != ELEM_APPLY)
        return stays;
    stays = stays && names_find(NAMES(of_wholes, LENGTH(of_wholes)), x->op) >= 0;
    for (int i = strcmp(x->op, "?") == 0; i < x->narg && stays; i++)
        stays = elem_stays_whole(x->arg[i]);
    return stays;
}

bool elem_loads(const Elem *x, int memory)
{
    bool loads = x && x->kind == ELEM_LOAD && x->memory == memory;
    for (int i = 0; x && i < x->narg && !loads; i++)
        loads = elem_loads(x->arg[i], memory);
    return loads;
}
