/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_lesser: finds the general kernels that a package carries for machines that lack the tuned target.
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

/* The general kernel of a template, if the package may carry it for machines that lack the tuned target and have this one. */
static bool lesser_kernel(const Lab *l, const Target *target, const Template *t, Candidate *out)
{
    const Study *s = l->study;
    return target_is_fallback(l->shop->unit->targets, target, s->target) && !has_own_search(l->shop, target) &&
           template_suits(t, s->spec, target) && candidate_general(t, target, out) &&
           candidate_fits(out, s->spec, s->device);
}

/* The trials that are to be built. */
typedef struct {
    int64_t *trial;
    int n, most;
} Wanted;

/* Adds a lesser kernel, unless it was built. False: there is none. */
static bool add_kernel(Lab *l, Wanted *w, const Target *target, const Template *t)
{
    Study *s = l->study;
    Candidate c;
    if (w->n == w->most || !lesser_kernel(l, target, t, &c))
        return false;
    const int64_t trial = study_add(s, &c);
    study_begin(s, trial);
    if (!s->trial[trial].built)
        w->trial[w->n++] = trial;
    return true;
}

int lesser_trials(Lab *l, bool one, int64_t *trial, int most)
{
    const TargetList *targets = l->shop->unit->targets;
    Wanted w = { trial, 0, most };
    for (int i = 0; i < targets->n; i++) {
        bool enough = one && l->anchor && add_kernel(l, &w, &targets->t[i], l->anchor->t);
        for (int j = 0; j < l->templates->n && !enough; j++)
            enough = add_kernel(l, &w, &targets->t[i], l->templates->t[j]) && one;
    }
    return w.n;
}

bool lesser_lacks(const Lab *l)
{
    const TargetList *targets = l->shop->unit->targets;
    for (int i = 0; i < targets->n; i++) {
        bool any = false, works = false;
        for (int j = 0; j < l->templates->n; j++) {
            Candidate c;
            const bool has = lesser_kernel(l, &targets->t[i], l->templates->t[j], &c);
            const int64_t trial = has ? study_find(l->study, &c) : -1;
            any = any || has;
            works = works || (trial >= 0 && trial_usable(&l->study->trial[trial]));
        }
        if (any && !works)
            return true;
    }
    return false;
}
