/* SPDX-License-Identifier: Apache-2.0
 *
 * cover: picks places, tuned shapes that stand for all others, and gives each in turn the candidate that is predicted
 * to be the fastest there.
 *
 * A list is what the spec lists as one shape, with one number of threads. Its places are its calls with the least and
 * the most work, and one in the middle between these. The heaviest list comes first, with its small, its large and its
 * middle call; so an early end leaves a spread. A log has no lists: its places are the shapes that stand for most
 * calls. Places with fewer measurements have their turns before others.
 */
#include "search/space/propose.h"

#include <math.h>
#include <stdlib.h>
#include "model/rank.h"

enum {
    MAX_PLACE = COVER_TRIALS, /* more would never have a turn */
    TURNS = 2,                /* of one place: its third wish is much like the first */
    MAX_RANKED = 20000,       /* candidates that are ranked; of more an even sample */
    NEAR_PLACES = 2           /* besides its own place a candidate is measured on so many of the nearest */
};

enum { SMALL, LARGE, MIDDLE, NSIZE };

typedef struct {
    int decl, threads;
    double weight;
    double log_work[NSIZE]; /* of its least and its most work, and their mean */
    int64_t shape[NSIZE];   /* which have that work, or come nearest */
} List;

typedef struct {
    int64_t shape;
    int seen;            /* measurements there */
    int n, next;         /* of its wishes, and the first that had no turn yet */
    int64_t wish[TURNS]; /* members of the space, the fastest by prediction first */
} Place;

typedef struct {
    const Study *s;
    const Space *space;
    const CostModel *m;
    int nplace;
    Place place[MAX_PLACE];
} Cover;

static List *list_of(List *list, int *n, const Instance *inst)
{
    int i = 0;
    while (i < *n && (list[i].decl != inst->decl || list[i].threads != inst->threads))
        i++;
    if (i == *n)
        list[(*n)++] = (List){ .decl = inst->decl,
                               .threads = inst->threads,
                               .log_work = { INFINITY, -INFINITY, 0 },
                               .shape = { -1, -1, -1 } };
    return &list[i];
}

static double log_work_of(const Study *s, int64_t shape) { return log2(spec_flops(s->spec, s->shape[shape]->extent)); }

static int compare_lists(const void *x, const void *y)
{
    const List *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->decl != b->decl ? (a->decl > b->decl) - (a->decl < b->decl) : a->threads - b->threads;
}

static int make_lists(const Study *s, List *list)
{
    int n = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        List *l = list_of(list, &n, s->shape[j]);
        const double work = log_work_of(s, j);
        l->weight += s->shape[j]->weight;
        if (work < l->log_work[SMALL]) {
            l->log_work[SMALL] = work;
            l->shape[SMALL] = j;
        }
        if (work > l->log_work[LARGE]) {
            l->log_work[LARGE] = work;
            l->shape[LARGE] = j;
        }
    }
    for (int64_t j = 0; j < s->nshape; j++) {
        List *l = list_of(list, &n, s->shape[j]);
        l->log_work[MIDDLE] = (l->log_work[SMALL] + l->log_work[LARGE]) / 2;
        if (l->shape[MIDDLE] < 0 || fabs(log_work_of(s, j) - l->log_work[MIDDLE]) <
                                        fabs(log_work_of(s, l->shape[MIDDLE]) - l->log_work[MIDDLE]))
            l->shape[MIDDLE] = j;
    }
    qsort(list, (size_t)n, sizeof *list, compare_lists);
    return n;
}

static void add_place(Cover *c, int64_t shape)
{
    int seen = 0;
    for (int i = 0; i < c->nplace; i++)
        if (c->place[i].shape == shape)
            return;
    for (int64_t i = 0; i < c->s->ntrial; i++)
        seen += cost_counts(c->s, i, shape) && !candidate_is_general(&c->s->trial[i].c);
    if (c->nplace < MAX_PLACE)
        c->place[c->nplace++] = (Place){ .shape = shape, .seen = seen };
}

/* Adds a log's shapes that stand for most calls. It lists no shapes; its ends may be calls that nobody makes, and that
 * take as long as all others. */
static void add_standing(Cover *c)
{
    Ranked order[MAX_PLACE];
    int n = 0;
    for (int64_t j = 0; j < c->s->nshape; j++)
        n = ranked_insert(order, n, MAX_PLACE, -instance_stands(c->s->shape[j]), j);
    for (int i = 0; i < n; i++)
        add_place(c, order[i].at);
}

static void add_lists(Arena *a, Cover *c)
{
    List *list = ARENA_ARRAY(a, (size_t)c->s->nshape + 1, List);
    const int n = make_lists(c->s, list);
    for (int i = 0; i < n; i++)
        for (int size = 0; size < NSIZE; size++)
            add_place(c, list[i].shape[size]);
}

static bool ranks_templates(const Cover *c) { return c->m->ridge || c->s->target->family->ranks_templates; }

/* The fastest members of the space on a shape, of each group of candidates by itself; returns the number of groups. A
 * group is a template where predictions do not compare, else all. None has a fixed extent. */
static int rank_groups(const Cover *c, int64_t shape, Ranked (*rank)[TURNS], int *nrank)
{
    const Instance *inst = c->s->shape[shape];
    const Template *last = NULL;
    int n = 0;
    for (int64_t i = 0; i < c->space->n; i += c->space->n / MAX_RANKED + 1) {
        const Candidate *k = &c->space->candidate[i];
        if (n == 0 || (k->t != last && !ranks_templates(c)))
            nrank[n++] = 0;
        last = k->t;
        if (!candidate_is_fixed(k) && candidate_serves(k, c->s->spec, inst->extent))
            nrank[n - 1] =
                ranked_insert(rank[n - 1], nrank[n - 1], TURNS, cost_predict(c->m, k, inst->extent, inst->threads), i);
    }
    return n;
}

/* Lists a place's wishes: the groups' best, then the second. Places begin with different groups: few turns show all. */
static void make_wishes(Arena *a, Cover *c, int at)
{
    Place *p = &c->place[at];
    const size_t most = (size_t)c->m->templates->n + 1;
    Ranked(*rank)[TURNS] = arena_array(a, most, sizeof *rank);
    int *nrank = ARENA_ARRAY(a, most, int);
    const int ngroup = rank_groups(c, p->shape, rank, nrank), shift = at / NSIZE + at % NSIZE;
    for (int turn = 0; ngroup && turn < TURNS * ngroup && p->n < TURNS; turn++) {
        const int group = (turn + shift) % ngroup, k = turn / ngroup;
        if (k < nrank[group])
            p->wish[p->n++] = rank[group][k].at;
    }
}

static double distance(const Cover *c, int64_t x, int64_t y)
{
    const Instance *a = c->s->shape[x], *b = c->s->shape[y];
    return op_distance(c->s->spec->op, a->extent, b->extent) + fabs(log2((double)a->threads / b->threads));
}

/* Has a candidate that is tried for a place measured on the nearest others too. */
static void add_near(const Cover *c, const Place *of, Proposal *p)
{
    Ranked near[NEAR_PLACES];
    int n = 0;
    for (int i = 0; i < c->nplace; i++)
        if (&c->place[i] != of && candidate_serves(&p->c, c->s->spec, c->s->shape[c->place[i].shape]->extent))
            n = ranked_insert(near, n, NEAR_PLACES, distance(c, of->shape, c->place[i].shape), c->place[i].shape);
    for (int i = 0; i < n; i++)
        proposal_add(p, near[i].at, PROPOSE_MAX_SHAPES);
}

/* Proposes what a place wishes for next. What is proposed is measured there too; what is known counts as a turn. */
static int take_turn(const Cover *c, Place *p, Proposal *out, int n)
{
    const Candidate *k = &c->space->candidate[p->wish[p->next++]];
    for (int i = 0; i < n; i++)
        if (candidate_same(&out[i].c, k)) {
            proposal_add(&out[i], p->shape, PROPOSE_MAX_SHAPES);
            return n;
        }
    if (study_find(c->s, k) >= 0)
        return n;
    out[n] = (Proposal){ .c = *k, .gain = 1 };
    proposal_add(&out[n], p->shape, PROPOSE_MAX_SHAPES);
    add_near(c, p, &out[n]);
    return n + 1;
}

/* The place with the fewest measurements and turns of those that have wishes left; NULL: none has. */
static Place *next_place(Cover *c)
{
    Place *least = NULL;
    for (Place *p = c->place; p < c->place + c->nplace; p++)
        if (p->next < p->n && (!least || p->seen < least->seen))
            least = p;
    return least;
}

/* How many more candidates are to be tried here: those of the study are tried, or under way. */
static int count_left(const Study *s)
{
    const int64_t tried = study_tried(s, false);
    return tried < COVER_TRIALS ? COVER_TRIALS - (int)tried : 0;
}

int cover(Arena *a, const Study *s, const Space *space, const CostModel *m, Proposal *out, int n)
{
    Cover *c = ARENA_NEW(a, Cover);
    const int left = count_left(s), most = left < n ? left : n;
    *c = (Cover){ .s = s, .space = space, .m = m };
    if (most == 0)
        return 0;
    if (s->spec->log)
        add_standing(c);
    else
        add_lists(a, c);
    for (int i = 0; i < c->nplace; i++)
        make_wishes(a, c, i);
    int count = 0;
    for (Place *p; count < most && (p = next_place(c)); p->seen++)
        count = take_turn(c, p, out, count);
    return count;
}
