/* SPDX-License-Identifier: Apache-2.0
 *
 * match: the table of who meets whom, and what all matches have in common.
 */
#include "search/choose/match.h"

#include <math.h>
#include "model/rank.h"
#include "search/measure/stopwatch.h"

/* The model may err by a quarter on a shape that nothing was measured on; where finalists were measured on other shapes only, by somewhat
 * more. What slows a machine for seconds must not decide which kernel is best, so all meet in several passes: that is worth more than many
 * samples in one. A bench has time for both. How many may meet is bounded by the time: a package has few kernels, and held-out shapes are
 * many. All of a match and the anchor fit into MATCH_MOST. */
const MatchRule match_rules[MATCH_KINDS] = {
    [MATCH_FINALISTS] = { .near = 1.3, .most = 40, .passes = 3, .few_repeats = 3, .repeats = 5 },
    [MATCH_MISSING] = { .least = 1, .most = 1, .passes = 2, .repeats = 5 },
    [MATCH_HELD_OUT] = { .near = 1.25, .least = 3, .most = 12, .passes = 3, .more = 2, .few_repeats = 3, .repeats = 5 },
    [MATCH_UNSAID] = { .most = 3, .passes = 6, .repeats = 5 },
    [MATCH_BENCH] = { .near = 1.25, .most = 20, .few_repeats = 5, .repeats = 15 },
    [MATCH_BENCH_AGAIN] = { .most = 40, .repeats = 61 },
};
/* A kernel within CLOSE of the best time is worth another pass, as noise may hide that it is the best. A first kernel above DOUBTFUL of it must
 * be confirmed; noise is about as much. */
static const double CLOSE = 1.1, DOUBTFUL = 1.03;
enum { LEAST = 3 }; /* two that compete and the anchor */

void match_enter(Match *m, int64_t trial, double ns)
{
    for (int i = 0; i < m->n; i++)
        if (m->trial[i] == trial)
            return;
    if (m->n == MATCH_MOST)
        return;
    m->trial[m->n] = trial;
    m->ns[m->n++] = ns;
}

double match_near(Match *m, const MatchRule *r, const CostModel *model, const int64_t *trial, int64_t n, int64_t but)
{
    Ranked near[MATCH_MOST];
    double best = INFINITY;
    int nnear = 0;
    for (int64_t k = 0; k < n; k++) {
        const double ns = cost_trial(model, trial[k], m->inst);
        best = fmin(best, ns);
        if (trial[k] != but)
            nnear = ranked_insert(near, nnear, r->most, ns, trial[k]);
    }
    for (int i = 0; i < nnear && (i < r->least || near[i].key <= r->near * best); i++)
        match_enter(m, near[i].at, near[i].key);
    return best;
}

bool match_keep_close(Match *m, const double *measured_ns)
{
    double rival = INFINITY;
    int n = 0;
    for (int i = 1; i < m->n; i++)
        rival = measured_ns[i] > 0 ? fmin(rival, measured_ns[i]) : rival;
    const double first = measured_ns[0], best = first > 0 ? fmin(first, rival) : rival;
    for (int i = 0; i < m->n; i++)
        if (measured_ns[i] > 0 && (i == 0 || measured_ns[i] <= fmax(CLOSE * best, rival))) {
            m->trial[n] = m->trial[i];
            m->ns[n++] = measured_ns[i];
        }
    m->n = n;
    return first > DOUBTFUL * best;
}

static double sample_ns(double ns) { return fmax(ns, STOPWATCH_SAMPLE_NS); }

double match_ns(const Match *m)
{
    double ns = 0;
    for (int i = 0; i < m->n; i++)
        ns += sample_ns(m->ns[i]);
    return ns + (m->library_ns > 0 ? sample_ns(m->library_ns) : 0);
}

double match_expect_s(const Lab *l, const Match *m, int repeats)
{
    return stopwatch_expect_s(l, 1, match_ns(m), repeats);
}

void match_shrink(const Lab *l, Match *m, int repeats, double most_s)
{
    while (m->n > LEAST && match_expect_s(l, m, repeats) > most_s) {
        m->n--;
        m->trial[m->n - 1] = m->trial[m->n];
        m->ns[m->n - 1] = m->ns[m->n];
    }
}

bool match_hold(Lab *l, Arena *scratch, const Match *m, int repeats, bool final, double *ns, const char **err)
{
    return l->kind->compare(l, scratch, m->inst, m->trial, m->n, repeats, final, ns, err);
}

int64_t match_usable(const Study *s, int64_t shape, int64_t *trial)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]) && (shape < 0 || s->trial[i].final[shape])) {
            if (trial)
                trial[n] = i;
            n++;
        }
    return n;
}

bool match_was_held(const Study *s, int64_t shape, const Match *m, int passes)
{
    for (int i = 0; i < m->n; i++) {
        const Trial *t = &s->trial[m->trial[i]];
        if (!t->final[shape] || t->count[shape] < passes)
            return false;
    }
    return true;
}
