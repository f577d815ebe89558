/* SPDX-License-Identifier: Apache-2.0
 *
 * match: which kernels are timed side by side on a shape, how often, and with how many samples: in the last comparison, while the choice is
 * settled, on held-out shapes and by `dcgen bench --regret`. One table says it of all of them.
 */
#ifndef DCGEN_MATCH_H
#define DCGEN_MATCH_H

#include "search/measure/lab.h"
#include "search/space/cost.h"

enum { MATCH_MOST = 48 };

/* The kernels that meet on one shape. */
typedef struct {
    const Instance *inst;
    int n;
    int64_t trial[MATCH_MOST];
    double ns[MATCH_MOST]; /* what each takes there, as far as it is known */
    double library_ns;     /* the same of the library; 0: it has no part */
} Match;

typedef struct {
    double near;     /* who may take so many times what the best takes, takes part */
    int least, most; /* so many of the fastest in any case, and no more */
    int passes;      /* how often they meet */
    int few_repeats; /* samples of each: in a first look, or where time is short */
    int repeats;     /* samples of each */
} MatchRule;

typedef enum {
    MATCH_LAST,     /* the finalists, on every tuned shape */
    MATCH_MISSING,  /* a chosen kernel that had no part in that, and its best rival */
    MATCH_HELD_OUT, /* the package's kernels, and those that may be better, where nothing was tuned */
    MATCH_UNSAID,   /* the chosen kernel and the fastest others, where their times differ too much to say the regret */
    MATCH_BENCH,    /* bench --regret */
    MATCH_KINDS
} MatchKind;

extern const MatchRule match_rules[MATCH_KINDS];

/* Adds one, unless it is there or there is no room. */
void match_enter(Match *m, int64_t trial, double ns);
/* Adds those of n trials that the rule lets take part, by ascending time as the model or a measurement says; `but` is not added, -1: all
 * are. The best time of all. */
double match_near(Match *m, const MatchRule *r, const CostModel *model, const int64_t *trial, int64_t n, int64_t but);
/* After a pass in which each took took[i] (0: it failed): keeps the first and those that may be the best, no fewer than two if there are.
 * True: the first was not among the best, and further passes must confirm it. */
bool match_keep_close(Match *m, const double *took);

/* One sample of each. */
double match_ns(const Match *m);
/* How long the match will take. */
double match_expect_s(const Lab *l, const Match *m, int repeats);
/* The slowest stay away, but for the two fastest and the last one, until the match takes no longer. */
void match_shrink(const Lab *l, Match *m, int repeats, double most_s);
/* final, ns: as of LabKind.compare. */
bool match_hold(Lab *l, Arena *scratch, const Match *m, int repeats, bool final, double *ns, const char **err);

/* Trials of the tuned target that can be used; with a tuned shape those of them that had part in a last comparison there, -1: all.
 * trial[] gets them, NULL: they are only counted. */
int64_t match_usable(const Study *s, int64_t shape, int64_t *trial);
/* All of the match had part in so many passes of it. */
bool match_was_held(const Study *s, int64_t shape, const Match *m, int passes);

#endif
