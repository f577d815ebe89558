/* SPDX-License-Identifier: Apache-2.0
 *
 * order: finds orders in which blocks of memory are stacked. A search begins with the best of several orders, and
 * changes it at random. Only where a block stands that the height of the stack rests on does a change lower it.
 */
#include "gen/graph/order.h"

#include <math.h>
#include <string.h>
#include "gen/base/rng.h"

enum { CHANGES = 20000, MAX_COST = 200000000 /* of all changes: pairs of blocks at corners */ };

static const double good_enough = 1.05; /* bytes over what is there at once */

typedef struct {
    Blocks *blocks;
    bool *placed;
    int *place_of;               /* of a block in the order at hand */
    int *pillar;                 /* places of blocks that the height rests on, at the worst corner */
    int from, to;                /* corners that the order at hand is for: from <= c < to */
    double total[ORDER_CORNERS]; /* bytes of the order at hand */
    Rng rng;
} Search;

/* ---- what is there at once ---- */

static bool is_clash(const Block *x, const Block *y) { return x->first <= y->last && y->first <= x->last; }

void blocks_meet(Arena *a, Blocks *b)
{
    for (int i = 0; i < b->nblock; i++) {
        double live[ORDER_CORNERS] = { 0 }; /* when block i begins, as when most is there */
        for (int k = 0; k < b->nblock; k++) {
            const Block *x = &b->block[i], *y = &b->block[k];
            if (i != k && is_clash(x, y))
                *ARENA_PUSH(a, b->block[i].clash, b->block[i].nclash) = k;
            for (int c = 0; c < b->ncorner && y->first <= x->first && x->first <= y->last; c++)
                live[c] += y->size[c];
        }
        for (int c = 0; c < b->ncorner; c++)
            b->live[c] = live[c] > b->live[c] ? live[c] : b->live[c];
    }
}

/* ---- an order ---- */

/* Bytes over what is there at once. */
static double excess(const Search *s, int corner)
{
    const double live = s->blocks->live[corner];
    return live > 0 && s->total[corner] > live ? s->total[corner] / live : 1;
}

static int worst_corner(const Search *s)
{
    int worst = s->from;
    for (int c = s->from; c < s->to; c++)
        worst = excess(s, c) > excess(s, worst) ? c : worst;
    return worst;
}

/* Where the block begins: behind those that are placed and there at the same time. */
static void put(const Search *s, Block *b)
{
    for (int c = s->from; c < s->to; c++)
        b->at[c] = 0;
    for (int i = 0; i < b->nclash; i++) {
        const Block *other = &s->blocks->block[b->clash[i]];
        for (int c = s->from; c < s->to && s->placed[b->clash[i]]; c++)
            if (other->at[c] + other->size[c] > b->at[c])
                b->at[c] = other->at[c] + other->size[c];
    }
}

/* Places blocks in this order. Gives the excess at the worst corner. */
static double place(Search *s, const int *order)
{
    memset(s->placed, 0, (size_t)s->blocks->nblock * sizeof *s->placed);
    memset(s->total, 0, sizeof s->total);
    for (int i = 0; i < s->blocks->nblock; i++) {
        Block *b = &s->blocks->block[order[i]];
        put(s, b);
        for (int c = s->from; c < s->to; c++)
            s->total[c] = b->at[c] + b->size[c] > s->total[c] ? b->at[c] + b->size[c] : s->total[c];
        s->placed[order[i]] = true;
    }
    return s->from < s->to ? excess(s, worst_corner(s)) : 1;
}

/* The block that ends there at the corner, of those that block `above` (-1: none) stands on; -1: there is none. */
static int ends_at(const Search *s, int above, double at, int corner)
{
    const Block *all = s->blocks->block;
    const int n = above < 0 ? s->blocks->nblock : all[above].nclash;
    for (int i = 0; i < n && at > 0; i++) {
        const int k = above < 0 ? i : all[above].clash[i];
        const bool is_before = above < 0 || s->place_of[k] < s->place_of[above];
        if (is_before && all[k].size[corner] > 0 && all[k].at[corner] + all[k].size[corner] == at)
            return k;
    }
    return -1;
}

/* Finds the pillar of the order that was placed last: how many blocks it has. */
static int find_pillar(Search *s, const int *order)
{
    const int corner = worst_corner(s);
    int n = 0;
    for (int i = 0; i < s->blocks->nblock; i++)
        s->place_of[order[i]] = i;
    for (int b = ends_at(s, -1, s->total[corner], corner); b >= 0;) {
        s->pillar[n++] = s->place_of[b];
        b = ends_at(s, b, s->blocks->block[b].at[corner], corner);
    }
    return n;
}

/* ---- the search ---- */

/* Sizes of a block, each as a part of what is there at once. */
static double weight(const Search *s, const Block *b)
{
    double sum = 0;
    for (int c = s->from; c < s->to; c++)
        sum += s->blocks->live[c] > 0 ? b->size[c] / s->blocks->live[c] : 0;
    return sum;
}

/* Ways to begin: as they come; the largest first; those that stay longest first; size times time. */
enum { BEGINNINGS = 4 };

static double begins_by(const Search *s, const Block *b, int way)
{
    const double stays = b->last - b->first + 1;
    return way == 0 ? -b->first : way == 1 ? weight(s, b) : way == 2 ? stays : weight(s, b) * stays;
}

static void begin(const Search *s, int way, int *order)
{
    const Block *b = s->blocks->block;
    for (int i = 0; i < s->blocks->nblock; i++) {
        int k = i;
        for (; k > 0 && begins_by(s, &b[order[k - 1]], way) < begins_by(s, &b[i], way); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static void move(int *order, int from, int to)
{
    const int what = order[from];
    const int step = from < to ? 1 : -1;
    for (int i = from; i != to; i += step)
        order[i] = order[i + step];
    order[to] = what;
}

/* Moves a block of the pillar, or another one to its place. */
static void change(Search *s, int *order, int npillar)
{
    const int pillar = s->pillar[rng_below(&s->rng, npillar)], other = (int)rng_below(&s->rng, s->blocks->nblock);
    const bool leaves = rng_below(&s->rng, 2);
    move(order, leaves ? pillar : other, leaves ? other : pillar);
}

static int64_t changes_tried(const Search *s)
{
    int64_t cost = 1;
    for (int i = 0; i < s->blocks->nblock; i++)
        cost += (int64_t)(s->blocks->block[i].nclash + 1) * (s->to - s->from);
    return CHANGES < MAX_COST / cost ? CHANGES : MAX_COST / cost;
}

/* Finds the best order for these corners. order: room for another one. */
static void find_order(Search *s, int *best, int *order)
{
    const size_t bytes = (size_t)s->blocks->nblock * sizeof *best;
    double least = 0;
    for (int way = 0; way < BEGINNINGS; way++) {
        begin(s, way, order);
        const double found = place(s, order);
        if (way == 0 || found < least) {
            least = found;
            memcpy(best, order, bytes);
        }
    }
    int npillar = place(s, best) > 1 ? find_pillar(s, best) : 0;
    for (int64_t i = changes_tried(s); i > 0 && least > 1 && npillar; i--) {
        memcpy(order, best, bytes);
        change(s, order, npillar);
        const double found = place(s, order);
        if (found <= least) {
            least = found;
            memcpy(best, order, bytes);
            npillar = find_pillar(s, best);
        }
    }
}

/* The excess of an order at all corners: `least` where it is the least so far. */
static void take_least(Search *s, const int *order, double *least)
{
    s->from = 0;
    s->to = s->blocks->ncorner;
    place(s, order);
    for (int c = 0; c < s->to; c++)
        least[c] = excess(s, c) < least[c] ? excess(s, c) : least[c];
}

int blocks_order(Arena *a, Blocks *b, int *order[ORDER_MOST], double *most)
{
    const size_t n = (size_t)b->nblock + 1;
    Search s = { .blocks = b, .to = b->ncorner, .rng = { 1 } };
    double least[ORDER_CORNERS];
    int *room = ARENA_ARRAY(a, n, int), norder = 0;
    s.placed = ARENA_ARRAY(a, n, bool);
    s.place_of = ARENA_ARRAY(a, n, int);
    s.pillar = ARENA_ARRAY(a, n, int);
    for (int c = 0; c < b->ncorner; c++)
        least[c] = INFINITY;
    for (*most = INFINITY; norder<ORDER_MOST && * most> good_enough; norder++) {
        order[norder] = ARENA_ARRAY(a, n, int);
        find_order(&s, order[norder], room);
        take_least(&s, order[norder], least);
        int worst = 0;
        for (int c = 1; c < b->ncorner; c++)
            worst = least[c] > least[worst] ? c : worst;
        *most = b->ncorner ? least[worst] : 1;
        s.from = worst;
        s.to = worst + 1;
    }
    return norder;
}
