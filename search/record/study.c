/* SPDX-License-Identifier: Apache-2.0
 *
 * study: takes records of kernels and measurements one by one, and keeps for each trial and tuned shape the time that
 * counts. study_load.c does so with all records of a file.
 */
#include "search/record/study_private.h"

#include <math.h>
#include <stdlib.h>
#include "gen/base/flush.h"
#include "gen/base/order.h"
#include "gen/spec/op_shown.h"
#include "search/record/roofline.h"
#include "search/record/samples.h"

enum { PLACES = 32 }; /* held-out shapes for which a study has room at first */

static bool is_at(const Study *s, const Instance *inst, const int64_t *extent, int threads)
{
    return inst->threads == threads && memcmp(inst->extent, extent, (size_t)s->spec->op->ngiven * sizeof *extent) == 0;
}

static uint64_t hash_shape(const Spec *spec, const int64_t *extent, int threads)
{
    return index_hash(extent, (size_t)spec->op->ngiven * sizeof *extent, (uint64_t)threads);
}

static const Instance *find_instance(const Study *s, const int64_t *extent, int threads)
{
    const uint64_t hash = hash_shape(s->spec, extent, threads);
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&s->instance, hash, &from)) >= 0 && !is_at(s, &s->spec->instance[i], extent, threads))
        continue;
    return i < 0 ? NULL : &s->spec->instance[i];
}

int study_threads(const Study *s, int threads) { return s->target->family->splits_calls ? threads : 1; }

Study *study_new(Arena *a, const Spec *spec, const Device *device, const Target *target, const char *context_hash)
{
    Study *s = ARENA_NEW(a, Study);
    *s = (Study){ .arena = a, .spec = spec, .device = device, .target = target, .context_hash = context_hash };
    s->shape = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, const Instance *);
    s->anchor = ARENA_ARRAY(a, (size_t)spec->ninstance + 1, Anchor);
    for (int64_t i = 0; i < spec->ninstance; i++)
        if (spec->instance[i].tuned) {
            s->anchor[s->nshape].ns = 1;
            s->shape[s->nshape++] = &spec->instance[i];
        }
    study_index(s);
    s->instance.arena = a;
    for (int64_t i = 0; i < spec->ninstance; i++)
        if (!find_instance(s, spec->instance[i].extent, spec->instance[i].threads))
            index_add(&s->instance, hash_shape(spec, spec->instance[i].extent, spec->instance[i].threads), i);
    s->nplace = s->nshape;
    s->room = s->nshape + PLACES;
    return s;
}

void study_rate(Study *s, const Records *r)
{
    s->rated = rates_of(s->arena, s->target, s->device, s->spec->dtype, r);
    s->roofline = roofline_make(s->arena, s, r);
}

const Target *study_rated(const Study *s, const Target *t) { return t == s->target && s->rated ? s->rated : t; }

static uint64_t hash_choice(const Candidate *c) { return index_hash(c->choice, sizeof c->choice, 0); }

int64_t study_find(const Study *s, const Candidate *c)
{
    const uint64_t hash = hash_choice(c);
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&s->choice, hash, &from)) >= 0 && !(i < s->ntrial && candidate_same(&s->trial[i].c, c)))
        continue;
    return i;
}

int64_t study_find_key(const Study *s, const char *key)
{
    const uint64_t hash = index_word(key, 0);
    size_t from = 0;
    int64_t i;
    while ((i = index_next(&s->key, hash, &from)) >= 0 && !(i < s->ntrial && strcmp(s->trial[i].key, key) == 0))
        continue;
    return i;
}

static void index_trial(Study *s, int64_t i)
{
    index_add(&s->key, index_word(s->trial[i].key, 0), i);
    index_add(&s->choice, hash_choice(&s->trial[i].c), i);
}

void study_index(Study *s)
{
    s->key = s->choice = (Index){ .arena = s->arena };
    for (int64_t i = 0; i < s->ntrial; i++)
        index_trial(s, i);
}

int64_t study_add(Study *s, const Candidate *c)
{
    int64_t i = study_find(s, c);
    if (i >= 0)
        return i;
    const size_t n = (size_t)s->ntrial;
    if ((n & (n - 1)) == 0) /* the list is full: it doubles whenever its length is a power of two */
        s->trial = arena_grow(s->arena, s->trial, n, n ? 2 * n : 1, sizeof *s->trial);
    s->trial[n] = (Trial){ .c = *c,
                           .key = candidate_key(s->arena, c, s->context_hash, s->device),
                           .status = STATUS_OK,
                           .why = "",
                           .ns = ARENA_ARRAY(s->arena, (size_t)s->room, double),
                           .count = ARENA_ARRAY(s->arena, (size_t)s->room, int),
                           .taken = ARENA_ARRAY(s->arena, (size_t)s->room, Ratio *) };
    index_trial(s, s->ntrial);
    return s->ntrial++;
}

static int64_t find_place(const Study *s, const int64_t *extent, int threads, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (is_at(s, s->shape[i], extent, threads))
            return i;
    return -1;
}

int64_t study_shape(const Study *s, const int64_t *extent, int threads)
{
    return find_place(s, extent, threads, s->nshape);
}

int64_t study_place(const Study *s, const Instance *inst)
{
    return find_place(s, inst->extent, inst->threads, s->nplace);
}

static void grow_places(Study *s)
{
    const size_t had = (size_t)s->room, has = 2 * had;
    for (Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        t->ns = arena_grow(s->arena, t->ns, had, has, sizeof *t->ns);
        t->count = arena_grow(s->arena, t->count, had, has, sizeof *t->count);
        t->taken = arena_grow(s->arena, t->taken, had, has, sizeof *t->taken);
    }
    s->room = (int64_t)has;
}

/* The place of these extents; a held-out instance without one gets the next. -1: the spec has no such instance. */
static int64_t find_or_add_place(Study *s, const int64_t *extent, int threads)
{
    const int64_t known = find_place(s, extent, threads, s->nplace);
    if (known >= 0)
        return known;
    const Instance *inst = find_instance(s, extent, threads);
    if (!inst)
        return -1;
    if (s->nplace == s->room)
        grow_places(s);
    s->anchor[s->nplace].ns = 1;
    s->shape[s->nplace] = inst;
    return s->nplace++;
}

static void swap(void *list, size_t size, int64_t a, int64_t b)
{
    char kept[sizeof(Anchor)], *x = (char *)list + (size_t)a * size, *y = (char *)list + (size_t)b * size;
    memcpy(kept, x, size);
    memmove(x, y, size); /* a and b may be the same */
    memcpy(y, kept, size);
}

static void swap_places(Study *s, int64_t a, int64_t b)
{
    swap(s->shape, sizeof *s->shape, a, b);
    swap(s->anchor, sizeof *s->anchor, a, b);
    for (Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        swap(t->ns, sizeof *t->ns, a, b);
        swap(t->count, sizeof *t->count, a, b);
        swap(t->taken, sizeof *t->taken, a, b);
    }
}

/* Shapes that are taken in stand in the order of the spec, in whatever order they came. */
void study_take_in(Study *s)
{
    for (int64_t j = s->nshape; j < s->nplace; j++) {
        if (!s->anchor[j].tunes)
            continue;
        swap_places(s, j, s->nshape);
        for (int64_t k = s->nshape++; k > 0 && !s->shape[k - 1]->tuned && s->shape[k - 1] > s->shape[k]; k--)
            swap_places(s, k - 1, k);
    }
}

int64_t study_njoined(const Study *s)
{
    int64_t n = 0;
    while (n < s->nshape && !s->shape[s->nshape - 1 - n]->tuned)
        n++;
    return n;
}

bool study_tunes(const Study *s, const Instance *inst)
{
    int64_t left = study_njoined(s);
    while (left > 0 && s->shape[s->nshape - left] != inst)
        left--;
    return inst->tuned || left > 0;
}

bool study_holds_out(const Study *s, const Instance *inst) { return inst->weight > 0 && !study_tunes(s, inst); }

int64_t study_nheld_out(const Study *s)
{
    int64_t n = 0;
    for (const Instance *inst = s->spec->instance; inst < s->spec->instance + s->spec->ninstance; inst++)
        n += study_holds_out(s, inst);
    return n;
}

static KernelFacts copy_facts(Arena *a, const KernelRecord *k)
{
    Param *fact = ARENA_ARRAY(a, (size_t)k->nfact, Param);
    for (int i = 0; i < k->nfact; i++)
        fact[i] = (Param){ arena_strdup(a, k->fact[i].name), k->fact[i].value };
    return (KernelFacts){ k->nfact, fact };
}

const char *study_why(const Study *s, Arena *a, const int64_t *extent, int threads, const char *why)
{
    return arena_printf(a, "on %s threads=%d: %s", op_shown_call(a, s->spec->op, extent, "=", " "), threads, why);
}

void study_set_status(Study *s, Trial *t, Status status, const char *why)
{
    t->status = status;
    t->why = arena_strdup(s->arena, why);
}

/* Of several records of one kernel the one with the highest rank counts. Wrong once is wrong for good. A try that went
 * well outranks one that was too slow and, of a general kernel, every failure but a wrong result. */
static int rank_of(Status status, bool general)
{
    static const int rank[STATUS_COUNT] = { [STATUS_TIMED_OUT] = 0,    [STATUS_OK] = 1,      [STATUS_INVALID] = 2,
                                            [STATUS_BUILD_FAILED] = 3, [STATUS_CRASHED] = 4, [STATUS_WRONG] = 6 };
    return status == STATUS_OK && general ? 5 : rank[status];
}

void study_kernel(Study *s, const KernelRecord *k)
{
    int64_t i = study_find_key(s, k->key);
    if (i < 0)
        return;
    Trial *t = &s->trial[i];
    const bool general = candidate_is_general(&t->c);
    if (!t->built || rank_of(k->status, general) > rank_of(t->status, general))
        study_set_status(s, t, k->status, k->why);
    t->retried = t->retried || k->retry;
    t->built = true;
    t->n = k->n && (!t->n || k->n < t->n) ? k->n : t->n;
    t->code_bytes = k->code_bytes > t->code_bytes ? k->code_bytes : t->code_bytes;
    if (k->nfact > t->facts.n)
        t->facts = copy_facts(s->arena, k);
}

static void set_time(const Study *s, Trial *t, int64_t place)
{
    if (s->loading)
        return;
    t->ns[place] = t->count[place] ? trial_part(s, t, place) * s->anchor[place].ns : 0;
}

static void forget_times(const Study *s, int64_t place)
{
    for (Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        t->count[place] = 0;
        t->ns[place] = 0;
    }
}

/* Takes a time of the anchor. All times of a place are reckoned from the anchor's least one, so they change with it.
 * Once there is one, measurements without an anchor are worthless: nobody knows how fast the machine was. */
static void move_anchor(Study *s, int64_t place, double ns)
{
    Anchor *a = &s->anchor[place];
    const bool first = a->count++ == 0;
    if (!first && ns >= a->ns)
        return;
    a->ns = ns;
    if (first)
        forget_times(s, place);
    for (Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        set_time(s, t, place);
}

static int by_part(const void *x, const void *y)
{
    const Ratio *a = x, *b = y;
    const double s[] = { a->part, a->anchor_ns, a->error }, t[] = { b->part, b->anchor_ns, b->error };
    return order_reals(s, t, LENGTH(s));
}

/* Keeps the list ascending: the order of records means nothing; study_load sorts lists once it has all. */
static void add_ratio(const Study *s, Trial *t, int64_t place, Ratio r)
{
    int i = t->count[place]++;
    if ((i & (i - 1)) == 0)
        t->taken[place] = arena_grow(s->arena, t->taken[place], (size_t)i, i ? 2 * (size_t)i : 1, sizeof r);
    Ratio *list = t->taken[place];
    for (; i > 0 && !s->loading && by_part(&list[i - 1], &r) > 0; i--)
        list[i] = list[i - 1];
    list[i] = r;
}

void study_end_loading(Study *s)
{
    s->loading = false;
    for (Trial *t = s->trial; t < s->trial + s->ntrial; t++)
        for (int64_t j = 0; j < s->nplace; j++) {
            if (t->count[j])
                qsort(t->taken[j], (size_t)t->count[j], sizeof **t->taken, by_part);
            set_time(s, t, j);
        }
}

bool study_wants_cold(const Study *s, const int64_t *extent)
{
    return !s->spec->hot && !s->target->family->off_cpu && flush_is_for(s->device->arch) &&
           spec_packed_bytes(s->spec, extent) > (double)s->device->l2_bytes;
}

bool study_is_cold(const Study *s, const int64_t *extent) { return s->has_cold && study_wants_cold(s, extent); }

/* False if times with such caches (cold: flushed) do not count there. The first cold time replaces all hot ones. */
static bool suits_caches(Study *s, int64_t place, bool cold)
{
    Anchor *a = &s->anchor[place];
    if (!study_wants_cold(s, s->shape[place]->extent))
        return !cold;
    if (cold && !a->cold) {
        s->has_cold = true;
        *a = (Anchor){ .ns = 1, .cold = true, .tunes = a->tunes };
        forget_times(s, place);
    }
    return cold == a->cold;
}

static void take_time(Study *s, Trial *t, int64_t place, const MeasureRecord *m)
{
    Anchor *a = &s->anchor[place];
    const bool alone = !(m->anchor_ns > 0);
    if (!suits_caches(s, place, m->cold))
        return;
    a->tunes = a->tunes || m->tunes;
    if (!alone)
        move_anchor(s, place, m->anchor_ns);
    if (!alone && m->library_ns > 0) {
        a->library = (a->library * a->nlibrary + m->library_ns / m->anchor_ns) / (a->nlibrary + 1);
        a->nlibrary++;
    }
    if (alone && a->count)
        return;
    const double base_ns = alone ? a->ns : m->anchor_ns;
    add_ratio(s, t, place,
              (Ratio){ m->time_ns / base_ns, samples_error(m->ns, m->nsample, base_ns <= SAMPLES_UNDISTURBED_NS),
                       m->anchor_ns });
    set_time(s, t, place);
}

void study_measure(Study *s, const MeasureRecord *m)
{
    const int64_t i = study_find_key(s, m->key);
    if (i < 0)
        return;
    Trial *t = &s->trial[i];
    if (m->status != STATUS_OK) { /* wrong once is wrong for good */
        if (t->status == STATUS_OK || rank_of(m->status, false) > rank_of(t->status, false))
            study_set_status(s, t, m->status, study_why(s, s->arena, m->extent, m->threads, m->why));
        return;
    }
    if (m->max_err > t->max_err)
        t->max_err = m->max_err;
    if (!(m->time_ns > 0) || t->c.target != s->target) /* times of another target have another anchor */
        return;
    const int64_t place =
        m->naxis == s->spec->op->ngiven ? find_or_add_place(s, m->extent, study_threads(s, m->threads)) : -1;
    if (place >= 0 && candidate_serves(&t->c, s->spec, s->shape[place]->extent))
        take_time(s, t, place, m);
}

void study_begin(Study *s, int64_t trial)
{
    Trial *t = &s->trial[trial];
    if (!t->due)
        return;
    t->due = t->built = false;
    t->retried = true;
    t->status = STATUS_OK;
    t->why = "";
}

int study_due(Study *s, Candidate *out, int most)
{
    int n = 0;
    for (int64_t i = 0; i < s->ntrial && n < most; i++)
        if (s->trial[i].due && s->trial[i].c.target == s->target) {
            out[n++] = s->trial[i].c;
            study_begin(s, i);
        }
    return n;
}

void study_leave(Study *s, int64_t trial, const char *why)
{
    Trial *t = &s->trial[trial];
    study_set_status(s, t, STATUS_INVALID, why);
    t->built = t->left_out = true;
}

double study_library(const Study *s, int64_t place) { return s->anchor[place].library * s->anchor[place].ns; }

int64_t study_added_bytes(const Study *s, const Trial *t)
{
    for (int i = 0; s->present && i < s->present->n; i++)
        if (strcmp(s->present->key[i], t->key) == 0)
            return 0;
    return t->code_bytes;
}

bool trial_usable(const Trial *t) { return t->built && t->status == STATUS_OK; }

bool trial_timed(const Study *s, const Trial *t)
{
    for (int64_t j = 0; j < s->nshape; j++)
        if (t->ns[j] > 0)
            return true;
    return false;
}

bool study_may_choose(const Study *s, const Trial *t)
{
    return trial_usable(t) && t->c.target == s->target && !t->behind;
}

bool study_may_pick(const Study *s, const Trial *t)
{
    return study_may_choose(s, t) && (s->device->modelled || trial_timed(s, t));
}

int64_t study_tried(const Study *s, bool failed)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        n += s->trial[i].c.target == s->target && (!failed || s->trial[i].status != STATUS_OK);
    return n;
}

int64_t study_nbehind(const Study *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        n += s->trial[i].behind;
    return n;
}

int64_t study_choosable(const Study *s, int64_t place, int64_t *trial)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]) && (place < 0 || s->trial[i].ns[place] > 0)) {
            if (trial)
                trial[n] = i;
            n++;
        }
    return n;
}

double study_best_but(const Study *s, int64_t place, int64_t but, int64_t *trial)
{
    double best = INFINITY;
    for (int64_t i = 0; i < s->ntrial; i++) {
        const Trial *t = &s->trial[i];
        if (i == but || !trial_usable(t) || !(t->ns[place] > 0) || t->ns[place] >= best)
            continue;
        best = t->ns[place];
        if (trial)
            *trial = i;
    }
    return best;
}

double study_best(const Study *s, int64_t place, int64_t *trial) { return study_best_but(s, place, -1, trial); }
