/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the loop. Propose a batch, build it, verify it, measure it, fit the model again, until the budget is spent or
 * nothing better is expected; then choose, and measure what the choice rests on (race.h), until it stands. Every result
 * becomes a record before the next step, so that a run that is killed resumes where it was.
 */
#ifndef DCGEN_SEARCH_H
#define DCGEN_SEARCH_H

#include "search/choose/contract.h"
#include "search/loop/race.h"

/* The part of the time budget at which each phase ends: finding kernels, the race on tuned shapes, on held-out ones. */
#define SEARCH_SHARE 0.6
#define TUNED_SHARE 0.88
#define HELD_OUT_SHARE 0.98

typedef struct {
    Lab *lab; /* its study grows during a run */
    const Strategy *strategy;
    const Space *space;
    uint64_t seed;
    bool *far_slower; /* one a general kernel: it is not timed, as it is far slower than another on every shape */
    bool ahead;       /* candidates are compiled while others are measured */
    bool fruitless;   /* result: it ended without a kernel, and the environment is not to blame */
} Search;

/* True where compilers do not disturb what measures: on another device (Family.off_cpu), or where calls leave a
 * core. */
bool search_builds_ahead(const Study *s);

/* The whole search; where the lab times nothing, offline_run. False with *err set: interrupted, the runner cannot be
 * started, the records cannot be written. What was measured is recorded. */
bool search_run(Search *q, const char **err);

/* Runs the rounds alone, and builds the library: this compiles what a search on another machine will need. */
bool search_compile(Search *q, const char **err);

/* ---- its stages ---- */

/* Proposes at most `most` general kernels that were not tried and are not under way, and returns how many. They come
 * first: they are the baseline, and the model's first measurements. */
int search_general(const Search *q, Proposal *out, int most);
/* Tries the candidates of study_due once more, until that share of the time is over. *any: there were some. */
bool search_retries(const Search *q, Arena *scratch, double share, bool *any, const char **err);
/* The search where no device can be timed (offline.c). */
bool offline_run(Search *q, Arena *scratch, const char **err);

/* Chooses by what the lab's study says. The choice is in scratch, reset before. False with *err set: no kernel. */
bool choose(Search *q, Arena *scratch, Selection *c, const char **err);

enum { HELD_OUT_LEAST = 8, HELD_OUT_MOST = 24 };

/* The instances that the race is held on: the tuned shapes, and a few of the others, on which the model is least sure
 * which kernel of the package is the fastest. Those join the tuned ones once they are measured; at most half as many as
 * are tuned do, HELD_OUT_LEAST never. While tuned shapes lack a time of their kernel, few join or none. */
int64_t heldout_join(Arena *a, const Study *s, const Selection *c, const Instance ***out);

/* At most `most` of the instances that are held out: half of them those on which the model is least sure of the choice,
 * the rest spread evenly over the weight of all. They are the same for the same seed. Returns how many. */
int heldout_sample(Arena *a, const Study *s, const Selection *c, uint64_t seed, int most, int64_t *instance);

/* Why a search ends without a kernel to choose: one line that says whether the time was up, nothing could be built, all
 * that was built is wrong, or the machine lacked what it takes; then the most frequent reasons of candidates that
 * failed, each with one of them to try. Sets q->fruitless. */
const char *ending_text(Search *q);
/* The same of one template, of which candidates were tried and none works; NULL: none was tried, or some works. */
const char *ending_template_text(Arena *a, const Study *s, const Template *t);

#endif
