/* SPDX-License-Identifier: Apache-2.0
 *
 * distribution: sorts instances by one extent after the other, and adds their counts and times up; and puts what comes
 * of it in words.
 */
#define _GNU_SOURCE /* qsort_r */
#include "search/choose/distribution.h"

#include <math.h>
#include <stdlib.h>
#include "gen/base/number.h"
#include "gen/spec/op_shown.h"
#include "model/rank.h"

/* The time of all calls of an instance, in ns. */
static double all_ns(const Study *s, const Assignment *as, int64_t instance)
{
    const double ns = as->cost[instance * as->nkernel + as->chosen[instance]];
    return isfinite(ns) ? ns * s->spec->instance[instance].weight : 0;
}

typedef struct {
    const Spec *spec;
    int extent;
} Order;

static int by_extent(const void *x, const void *y, void *order)
{
    const Order *o = order;
    const int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
    const int64_t a = o->spec->instance[i].extent[o->extent], b = o->spec->instance[j].extent[o->extent];
    return a != b ? (a > b) - (a < b) : (i > j) - (i < j);
}

/* at: room for n numbers of instances. */
static Spread spread_along(Arena *a, const Study *s, const Assignment *as, const Distribution *d, int extent,
                           int64_t *at)
{
    const int64_t n = spec_shape_count(s->spec);
    Spread x = { extent, 0, ARENA_ARRAY(a, (size_t)n, int64_t), ARENA_ARRAY(a, (size_t)n, double),
                 ARENA_ARRAY(a, (size_t)n, double) };
    double calls = 0, ns = 0;
    for (int64_t i = 0; i < n; i++)
        at[i] = i;
    qsort_r(at, (size_t)n, sizeof *at, by_extent, &(Order){ s->spec, extent });
    for (int64_t i = 0; i < n; i++) {
        const Instance *inst = &s->spec->instance[at[i]];
        calls += inst->weight;
        ns += all_ns(s, as, at[i]);
        x.n += i == 0 || x.value[x.n - 1] != inst->extent[extent];
        x.value[x.n - 1] = inst->extent[extent];
        x.calls[x.n - 1] = calls / d->calls;
        x.time[x.n - 1] = ns / d->ns;
    }
    return x;
}

int64_t spread_quantile(const Spread *s, const double *share, double part)
{
    static const double ROUNDING = 1e-9;
    int64_t i = 0;
    while (i + 1 < s->n && share[i] < part - ROUNDING)
        i++;
    return s->value[i];
}

Distribution distribution_of(Arena *a, const Study *s, const Assignment *as)
{
    const Spec *spec = s->spec;
    const int64_t n = spec_shape_count(spec);
    int64_t *at = ARENA_ARRAY(a, (size_t)n, int64_t);
    Ranked frequent[DISTRIBUTION_FREQUENT];
    Distribution d = { 0 };
    for (int64_t i = 0; i < n; i++) {
        const double calls = spec->instance[i].weight, ns = all_ns(s, as, i);
        d.calls += calls;
        d.ns += ns;
        d.tuned_calls += study_tunes(s, &spec->instance[i]) ? calls : 0;
        d.tuned_time += study_tunes(s, &spec->instance[i]) ? ns : 0;
        d.nfrequent = ranked_insert(frequent, d.nfrequent, DISTRIBUTION_FREQUENT, -calls, i);
    }
    d.tuned_calls /= d.calls;
    d.tuned_time /= d.ns;
    for (int i = 0; i < d.nfrequent; i++)
        d.frequent[i] = frequent[i].at;
    for (int x = 0; x < spec->op->ngiven && d.nspread < DISTRIBUTION_MOST; x++)
        if (spec->box.min[x] < spec->box.max[x])
            d.spread[d.nspread++] = spread_along(a, s, as, &d, x, at);
    return d;
}

/* ---- words ---- */

static void add_spread_row(FillScope *words, const Spec *spec, const Spread *s)
{
    static const struct {
        const char *word;
        double part;
    } up_to[] = { { "UP_TO_0", 0 },    { "UP_TO_10", 0.1 },  { "UP_TO_50", 0.5 },
                  { "UP_TO_90", 0.9 }, { "UP_TO_99", 0.99 }, { "UP_TO_100", 1 } };
    FillScope *row = fill_row(words);
    fill_word(row, "SPREAD_OF", spec->op->extent[s->extent].name);
    for (size_t i = 0; i < LENGTH(up_to); i++)
        fill_number(row, up_to[i].word, spread_quantile(s, s->calls, up_to[i].part));
    fill_number(row, "HALF_OF_TIME", spread_quantile(s, s->time, 0.5));
}

void distribution_words(FillScope *words, const Study *s, const Assignment *as, int first, const Distribution *d)
{
    Arena *a = words->arena;
    FILL_WORDS(words, WORD("LOG_CALLS", number_count(a, s->spec->log->calls)),
               WORD("LOG_ROWS", number_count(a, s->spec->log->n)),
               WORD("TUNED_CALLS", number_percent(a, d->tuned_calls)),
               WORD("TUNED_TIME", number_percent(a, d->tuned_time)), WORD("HAS_SPREADS", d->nspread > 0));
    fill_list(words, "spreads");
    for (int i = 0; i < d->nspread; i++)
        add_spread_row(words, s->spec, &d->spread[i]);
    fill_list(words, "frequent");
    for (int i = 0; i < d->nfrequent; i++) {
        const Instance *inst = &s->spec->instance[d->frequent[i]];
        FillScope *row = fill_row(words);
        fill_wordf(row, "TAKEN_KERNEL", "k%d", first + as->chosen[d->frequent[i]]);
        FILL_WORDS(row, WORD("LOG_SHAPE", op_shown_call(a, s->spec->op, inst->extent, " = ", ", ")),
                   WORD("LOG_COUNT", number_count(a, (int64_t)inst->weight)),
                   WORD("CALLS_SHARE", number_percent(a, inst->weight / d->calls)),
                   WORD("TIME_SHARE", number_percent(a, all_ns(s, as, d->frequent[i]) / d->ns)),
                   WORD("TAKEN_NUMBER", first + as->chosen[d->frequent[i]]),
                   WORD("HOW_KNOWN", study_tunes(s, inst) ? "tuned" : "held out"));
    }
}
