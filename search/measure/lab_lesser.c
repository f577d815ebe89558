/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_lesser: finds the general kernels that a package carries for machines that lack the tuned target, and for calls
 * that its tuned kernels do not serve.
 */
#include "search/measure/lab.h"

/* True if the target has a search of its own, which finds what the package has for these machines. */
static bool has_own_search(const Workshop *m, const Target *target)
{
    for (int i = 0; i < m->ntuned; i++)
        if (m->tuned[i] == target && !target_is_inherited(target))
            return true;
    return false;
}

static bool some_serve_less(const Lab *l)
{
    const Study *s = l->study;
    for (int j = 0; j < l->templates->n; j++)
        if (l->templates->t[j]->serves && template_suits(l->templates->t[j], s->spec, s->target))
            return true;
    return false;
}

/* What general kernels stand in for: machines without the tuned target, or calls that others do not serve. */
typedef enum { FOR_MACHINES, FOR_CALLS } Purpose;

/* The first general kernel of a template of use for the purpose, if the package may carry it for this target. */
static bool lesser_kernel(const Lab *l, const Target *target, const Template *t, Purpose purpose, Candidate *out)
{
    const Study *s = l->study;
    const bool is_lesser =
        target_is_fallback(l->shop->unit->targets, target, s->target) && !has_own_search(l->shop, target);
    if (!(is_lesser || (purpose == FOR_CALLS && target == s->target)) || !template_suits(t, s->spec, target))
        return false;
    for (int i = 0; candidate_general(t, target, i, out); i++)
        if (candidate_fits(out, s->spec, s->device) && (purpose == FOR_MACHINES || candidate_serves_all(out, s->spec)))
            return true;
    return false;
}

typedef struct {
    int64_t *trial;
    int n, most;
} Wanted;

/* Adds a lesser kernel, unless it was built, or is added or proposed already. False: there is none. */
static bool add_kernel(Lab *l, Wanted *w, const Target *target, const Template *t, Purpose purpose)
{
    Study *s = l->study;
    Candidate c;
    if (w->n == w->most || !lesser_kernel(l, target, t, purpose, &c))
        return false;
    const int64_t trial = study_add(s, &c);
    int at = 0;
    study_begin(s, trial);
    while (at < w->n && w->trial[at] != trial)
        at++;
    if (!s->trial[trial].built && !s->trial[trial].in_flight && at == w->n)
        w->trial[w->n++] = trial;
    return true;
}

int lesser_trials(Lab *l, bool one, int64_t *trial, int most)
{
    const TargetList *targets = l->shop->unit->targets;
    Wanted w = { trial, 0, most };
    for (Purpose purpose = FOR_MACHINES; purpose <= (some_serve_less(l) ? FOR_CALLS : FOR_MACHINES); purpose++)
        for (int i = 0; i < targets->n; i++) {
            bool enough = one && l->anchor && add_kernel(l, &w, &targets->t[i], l->anchor->t, purpose);
            for (int j = 0; j < l->templates->n && !enough; j++)
                enough = add_kernel(l, &w, &targets->t[i], l->templates->t[j], purpose) && one;
        }
    return w.n;
}

static bool lacks(const Lab *l, const Target *target, Purpose purpose)
{
    bool any = false;
    for (int j = 0; j < l->templates->n; j++) {
        Candidate c;
        const bool has = lesser_kernel(l, target, l->templates->t[j], purpose, &c);
        const int64_t trial = has ? study_find(l->study, &c) : -1;
        any = any || has;
        if (trial >= 0 && trial_usable(&l->study->trial[trial]))
            return false;
    }
    return any;
}

bool lesser_lacks(const Lab *l)
{
    const TargetList *targets = l->shop->unit->targets;
    for (int i = 0; i < targets->n; i++)
        if (lacks(l, &targets->t[i], FOR_MACHINES) || (some_serve_less(l) && lacks(l, &targets->t[i], FOR_CALLS)))
            return true;
    return false;
}
