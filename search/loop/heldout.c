/* SPDX-License-Identifier: Apache-2.0
 *
 * heldout: which of the shapes that are not tuned are measured. Some the race takes in: from then on they are tuned
 * shapes like those that the spec names. Of the others a sample says how good the choice is where it rests on
 * predictions. Choice, model and dispatcher never see these results, or the shapes would not be held out any more.
 */
#include "search/loop/search.h"

enum {
    ADDED_PART = 2,  /* at most one shape joins for so many that the spec tunes */
    ROUND_PART = 16, /* a round adds 1 + nshape / ROUND_PART shapes, */
    UNTIMED_PART = 4 /* less one for so many tuned ones on which the kernel that serves them has no time */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t heldout_join(Arena *a, const Study *s, const Selection *c, const Instance ***out)
{
    const int64_t n = s->nshape, njoined = study_njoined(s);
    int64_t nuntimed = 0;
    for (int64_t j = 0; j < n; j++)
        nuntimed += !(s->trial[c->as->kernel[c->as->chosen[s->shape[j] - s->spec->instance]]].ns[j] > 0);
    const int64_t room = least((n - njoined) / ADDED_PART - njoined, study_nheld_out(s) - HELD_OUT_LEAST);
    const int64_t round = least(room, 1 + n / ROUND_PART - nuntimed / UNTIMED_PART);
    const int most = round > 0 ? (int)round : 0;
    Ranked *r = ARENA_ARRAY(a, (size_t)most + 1, Ranked);
    const int njoin = most ? race_doubtful(s, c, most, r) : 0;
    *out = ARENA_ARRAY(a, (size_t)(n + njoin) + 1, const Instance *);
    for (int64_t j = 0; j < n + njoin; j++)
        (*out)[j] = j < n ? s->shape[j] : &s->spec->instance[r[j - n].at];
    return n + njoin;
}

/* Takes at most `most` of the instances that are free, in steps of equal weight, from a random place on: the sample
 * holds what is asked for often, and no part of the ranges is left out. Returns how many. */
static int take_by_weight(const Spec *spec, bool *is_free, Rng *rng, int most, int64_t *out)
{
    double total = 0, sum = 0;
    int n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++)
        total += is_free[i] ? spec->instance[i].weight : 0;
    if (most <= 0 || !(total > 0))
        return 0;
    const double step = total / most;
    double next = step * rng_uniform(rng);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        if (!is_free[i])
            continue;
        sum += spec->instance[i].weight;
        if (sum > next && n < most) {
            out[n++] = i;
            is_free[i] = false;
        }
        while (next < sum)
            next += step;
    }
    return n;
}

int heldout_sample(Arena *a, const Study *s, const Selection *c, uint64_t seed, int most, int64_t *instance)
{
    bool *is_free = ARENA_ARRAY(a, (size_t)s->spec->ninstance + 1, bool);
    Ranked *r = ARENA_ARRAY(a, (size_t)most + 1, Ranked);
    Rng rng = { seed };
    int n = race_doubtful(s, c, most / 2, r);
    for (int64_t i = 0; i < s->spec->ninstance; i++)
        is_free[i] = study_holds_out(s, &s->spec->instance[i]);
    for (int i = 0; i < n; i++)
        is_free[instance[i] = r[i].at] = false;
    for (int before = -1; n < most && n > before;) { /* an instance that outweighs a step leaves room for others */
        before = n;
        n += take_by_weight(s->spec, is_free, &rng, most - n, instance + n);
    }
    return n;
}
