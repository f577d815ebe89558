/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/command/race.h"

#include <math.h>
#include <stdlib.h>
#include "gen/unit/unit.h"
#include "model/rank.h"
#include "search/record/samples.h"

enum { FIRST_REPEATS = 5, LAST_RIVALS = 4 };
static const double SAMPLE_NS = 1e6, MAX_NS = 20e9, WAIT_NS = 5e8, DEADLINE_S = 60;

static bool build_rivals(const Track *t, const Race *r, const char **err)
{
    const Result *out = t->out;
    Build build[RACE_MOST];
    int64_t trial[RACE_MOST], value[TEMPLATE_MAX_PARAM];
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        const Trial *one = &out->study->trial[r->trial[i]];
        if (t->so[r->trial[i]])
            continue;
        candidate_values(&one->c, value);
        const UnitKernel k = { one->c.t, one->c.target, value, one->facts };
        trial[n] = r->trial[i];
        build[n++] = (Build){ .name = one->key, .text = unit_candidate(t->arena, &out->unit, &k, diag_new(t->arena)) };
    }
    build_all(t->tools->builder, t->arena, build, n, t->stop);
    for (int i = 0; i < n; i++)
        t->so[trial[i]] = build[i].status == STATUS_OK ? build[i].so : NULL;
    if (!t->so[r->trial[0]])
        *err = *t->stop ? "interrupted" : "the chosen kernel does not compile";
    return t->so[r->trial[0]] != NULL;
}

static double error_of(const MeasureRecord *m)
{
    return m->status == STATUS_OK ? samples_error(m->ns, m->nsample, m->time_ns <= SAMPLES_REST_NS) : 0;
}

/* Of the chosen one, and of the one of `trial` that is the best rival. */
static double spread_of(const Race *r, const MeasureRecord *result, const int64_t *trial, int n)
{
    double spread = error_of(&result[0]);
    for (int i = 1; i < n; i++)
        if (trial[i] == r->trial[1])
            spread = fmax(spread, error_of(&result[i]));
    return spread;
}

static void judge(Race *r, const MeasureRecord *result, const int64_t *trial, int n)
{
    Ranked rival[RACE_MOST]; /* by their times as parts of the chosen one's */
    for (int i = 0; i < n; i++)
        rival[i] =
            (Ranked){ result[i].status == STATUS_OK ? result[i].time_ns / result[0].time_ns : INFINITY, trial[i] };
    rival[0].key = 1;
    qsort(rival + 1, (size_t)(n - 1), sizeof *rival, ranked_compare);
    r->n = n;
    for (int i = 0; i < n; i++)
        r->trial[i] = rival[i].at;
    r->spread = spread_of(r, result, trial, n);
    const bool beaten = n > 1 && rival[1].key < 1;
    r->chosen_ns = result[0].time_ns;
    r->best = beaten ? rival[1].at : rival[0].at;
    r->best_ns = r->chosen_ns * (beaten ? rival[1].key : 1);
    r->regret = beaten ? 1 / rival[1].key - 1 : 0;
}

/* Those that were built; afterwards the rivals stand in the order of their times. */
static bool time_all(const Track *t, Race *r, int repeats, bool *wrong, const char **err)
{
    const char *key[RACE_MOST], *so[RACE_MOST];
    int64_t trial[RACE_MOST];
    MeasureRecord *result = ARENA_ARRAY(t->arena, RACE_MOST, MeasureRecord);
    int n = 0;
    for (int i = 0; i < r->n; i++)
        if (t->so[r->trial[i]]) {
            trial[n] = r->trial[i];
            key[n] = t->out->study->trial[r->trial[i]].key;
            so[n++] = t->so[r->trial[i]];
        }
    const MeasureRequest q = { .extent = r->inst->extent,
                               .threads = r->inst->threads,
                               .repeats = repeats,
                               .sample_ns = SAMPLE_NS,
                               .max_ns = MAX_NS,
                               .keep = 0, /* the chosen one */
                               .wait_ns = WAIT_NS,
                               .deadline_s = DEADLINE_S };
    if (!measure(t->tools->runner, t->arena, &q, key, so, n, result, t->stop, err))
        return false;
    *wrong = result[0].status != STATUS_OK;
    if (*wrong) {
        *err = arena_printf(t->arena, "the chosen kernel fails here: %s: %s", status_name(result[0].status),
                            result[0].why ? result[0].why : "");
        return false;
    }
    judge(r, result, trial, n);
    return true;
}

bool race_hold(const Track *t, Race *r, int repeats, bool *wrong, const char **err)
{
    *wrong = false;
    if (!build_rivals(t, r, err) || !time_all(t, r, FIRST_REPEATS, wrong, err))
        return false;
    r->n = r->n < LAST_RIVALS + 1 ? r->n : LAST_RIVALS + 1;
    if (!time_all(t, r, repeats, wrong, err))
        return false;
    if (r->n < 3 || !(r->regret > 0))
        return true;
    r->n = 2; /* the luckiest of several would win too often: what counts is whether it does so again */
    return time_all(t, r, repeats, wrong, err);
}
