/* SPDX-License-Identifier: Apache-2.0
 *
 * lab: what all labs have in common: their clock and budget, the anchor, the progress display, and the library's part
 * in a race.
 */
#include "search/measure/lab.h"

#include <math.h>
#include "gen/base/process.h"

/* Before any candidate was tried, it is expected to take so long, as surely as if one had. */
static const double CANDIDATE_S = 0.5;

double lab_now_s(const Lab *l) { return l->kind->own_clock ? l->now_s : process_clock_s(); }
double lab_until_s(const Lab *l, double share) { return l->began_s + share * l->seconds; }
double lab_left_s(const Lab *l, double share) { return lab_until_s(l, share) - lab_now_s(l); }

int lab_fitting(const Lab *l, double share, int n)
{
    const Effort *e = l->effort;
    if (!e)
        return n;
    const double each_s = (CANDIDATE_S + e->spent_s) / (double)(1 + e->n);
    return (int)fmax(1, fmin(n, share * l->seconds / each_s));
}

void lab_count_effort(Lab *l, double took_s, int64_t n)
{
    if (!l->effort)
        return;
    l->effort->spent_s += took_s;
    l->effort->n += n;
}

int64_t lab_anchor(const Lab *l) { return l->anchor ? study_find(l->study, l->anchor) : -1; }

int64_t lab_ntried(const Lab *l)
{
    const Study *s = l->study;
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        n += s->trial[i].built && s->trial[i].c.target == s->target;
    return n;
}

/* "1.14x of the general kernel": geometric mean over the shapes that both were measured on. */
const char *lab_best_text(const Lab *l, Arena *a)
{
    const Study *s = l->study;
    const int64_t anchor = lab_anchor(l);
    double sum = 0;
    int n = 0;
    for (int64_t j = 0; anchor >= 0 && j < s->nshape; j++) {
        const double best = study_best(s, j, NULL);
        if (s->trial[anchor].ns[j] > 0 && isfinite(best)) { /* there is none where all failed later on */
            sum += log(s->trial[anchor].ns[j] / best);
            n++;
        }
    }
    return n ? arena_printf(a, "%.2fx of the general kernel", exp(sum / n)) : "";
}

bool lab_work(const Lab *l, const char **err) { return agents_work(l->shop->agents, l->stop, err); }

bool lab_still_wants(const Lab *l, Kernels *k)
{
    int n = 0;
    for (int i = 0; i < k->n; i++)
        if (l->study->trial[study_find_key(l->study, k->key[i])].status == STATUS_OK) {
            k->key[n] = k->key[i];
            k->so[n] = k->so[i];
            k->at[n++] = k->at[i];
        }
    k->n = n;
    return n > 0;
}

bool lab_knows_nothing(const Lab *l)
{
    bool known = l->ntimed > 0;
    for (int64_t j = 0; j < l->study->nshape && !known; j++)
        known = study_choosable(l->study, j, NULL) > 0;
    return !known;
}

void lab_show(const Lab *l, Arena *scratch)
{
    progress_update(l->progress, (double)lab_ntried(l), lab_best_text(l, scratch), fmax(lab_left_s(l, 1), 0));
}

/* ---- the library ---- */

/* The library as a build that is still to be done; NULL: there is no library. */
static Build *new_library_build(Lab *l)
{
    Diag *d = diag_new(l->arena);
    Build *b = ARENA_NEW(l->arena, Build);
    *b = (Build){ .name = "library", .text = unit_library(l->arena, l->shop->unit, d), .status = STATUS_INVALID };
    if (!b->text && diag_nerror(d))
        l->shop->library.why = "it does not compile: a name or condition in it is wrong";
    return b->text ? b : NULL;
}

void library_begin(Lab *l)
{
    Build *b = l->shop ? l->shop->library.build = new_library_build(l) : NULL;
    if (b)
        build_start(l->shop->builder, l->arena, b, 1);
}

void library_build(Lab *l)
{
    Library *x = &l->shop->library;
    Build *b = x->build ? x->build : new_library_build(l);
    x->met = ARENA_ARRAY(l->arena, (size_t)l->study->spec->ninstance + 1, bool);
    if (b && b->status == STATUS_INVALID) /* it was not begun, or not done when the search ended */
        build_all(l->shop->builder, l->arena, b, 1, l->stop);
    if (b && b->status == STATUS_OK)
        x->so = b->so;
    else if (b)
        x->why = arena_printf(l->arena, "it does not compile: %s", b->why);
}
