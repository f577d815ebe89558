/* SPDX-License-Identifier: Apache-2.0
 *
 * race: builds the kernels that take part, times them in up to three heats, and says how much faster than the chosen one the best was.
 */
#include "gen/command/regret.h"

#include <math.h>
#include "model/rank.h"
#include "search/measure/runner.h"
#include "search/measure/stopwatch.h"
#include "search/record/samples.h"

enum { LAST_RIVALS = 4 }; /* of the chosen kernel, in the second heat */
/* of a request: see MeasureRequest */
static const double SAMPLE_NS = 1e6, MAX_NS = 20e9, WAIT_NS = 5e8, DEADLINE_S = 60;

/* Builds the kernels of the match that are not built yet. False: the chosen one cannot be built. */
static bool build_kernels(const Regret *g, const Match *m)
{
    Run *r = g->run;
    Build build[MATCH_MOST];
    int64_t built[MATCH_MOST], value[TEMPLATE_MAX_PARAM]; /* built: the trial of each build */
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        const Trial *t = &g->out->study->trial[m->trial[i]];
        if (g->so[m->trial[i]])
            continue;
        candidate_values(&t->c, value);
        const UnitKernel k = { t->c.t, t->c.target, value, t->facts, NULL };
        built[n] = m->trial[i];
        build[n++] = (Build){ .name = t->key, .text = unit_candidate(r->a, &g->out->unit, &k, diag_new(r->a)) };
    }
    build_all(g->tools.builder, r->a, build, n, r->stop);
    for (int i = 0; i < n; i++)
        g->so[built[i]] = build[i].status == STATUS_OK ? build[i].so : NULL;
    return g->so[m->trial[0]] || run_fails(r, EXIT_ENVIRONMENT, "the chosen kernel does not compile");
}

static double error_of(const MeasureRecord *m)
{
    return m->status == STATUS_OK ? samples_error(m->ns, m->nsample, m->time_ns <= SAMPLES_REST_NS) : 0;
}

/* Gives the regret. The match becomes the n kernels of the heat, the rivals by their times. at[i]: where kernel i was in the match before. */
static void judge_heat(Match *m, const MeasureRecord *result, const int *at, int n, ContractShape *out)
{
    const Match was = *m;
    Ranked rival[MATCH_MOST]; /* by their times as parts of the chosen one's */
    const double chosen_ns = result[0].time_ns;
    int nrival = 0;
    for (int i = 1; i < n; i++)
        nrival = ranked_insert(rival, nrival, MATCH_MOST,
                               result[i].status == STATUS_OK ? result[i].time_ns / chosen_ns : INFINITY, i);
    m->n = n;
    for (int i = 0; i < nrival; i++)
        m->trial[i + 1] = was.trial[at[rival[i].at]];
    const double part = nrival ? fmin(rival[0].key, 1) : 1;
    out->measured = true;
    out->chosen_ns = chosen_ns;
    out->best_ns = chosen_ns * part;
    out->regret = 1 / part - 1;
    out->spread = fmax(error_of(&result[0]), nrival ? error_of(&result[rival[0].at]) : 0);
    out->said = contract_says(out->regret, out->spread);
}

/* Times the kernels of the match that were built, and judges them. */
static bool run_heat(const Regret *g, Match *m, int repeats, ContractShape *out)
{
    Run *r = g->run;
    MeasureRecord *result = ARENA_ARRAY(r->a, MATCH_MOST, MeasureRecord);
    Kernels k = { 0 };
    for (int i = 0; i < m->n; i++)
        if (g->so[m->trial[i]])
            kernels_add(&k, g->out->study->trial[m->trial[i]].key, g->so[m->trial[i]], i);
    const MeasureRequest q = { .extent = m->inst->extent,
                               .threads = m->inst->threads,
                               .repeats = repeats,
                               .sample_ns = SAMPLE_NS,
                               .max_ns = MAX_NS,
                               .keep = 0, /* the chosen one */
                               .wait_ns = WAIT_NS,
                               .deadline_s = DEADLINE_S };
    if (!measure(g->tools.runner, r->a, &q, k.key, k.so, k.n, result, r->stop, &r->err))
        return false;
    if (result[0].status != STATUS_OK)
        return run_fails(r, EXIT_FAILED, "the chosen kernel fails here: %s: %s", status_name(result[0].status),
                         result[0].why ? result[0].why : "");
    judge_heat(m, result, k.at, k.n, out);
    return true;
}

bool race_hold(const Regret *g, Match *m, int repeats, ContractShape *out)
{
    if (!build_kernels(g, m) || !run_heat(g, m, match_rules[MATCH_BENCH].few_repeats, out))
        return false;
    m->n = m->n < LAST_RIVALS + 1 ? m->n : LAST_RIVALS + 1;
    if (!run_heat(g, m, repeats, out))
        return false;
    if (m->n < 3 || !(out->regret > 0))
        return true;
    m->n = 2; /* the luckiest of several rivals would win too often: what counts is whether it wins again, alone */
    return run_heat(g, m, repeats, out);
}
