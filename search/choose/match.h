/* SPDX-License-Identifier: Apache-2.0
 *
 * match: which kernels are timed side by side on a shape, how often, and with how many samples: in the last comparison, while the choice is
 * settled, on held-out shapes and by `dcgen bench --regret`. The table match_rules has the numbers of every occasion.
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
    double ns[MATCH_MOST]; /* the expected time of each */
    /* the library's expected time, or that of the best kernel while it is not known; 0: the library takes no part */
    double library_ns;
} Match;

typedef struct {
    double near;     /* a kernel takes part if its time is at most so many times that of the best */
    int least, most; /* the `least` fastest take part in any case, and no more than `most` do */
    int passes;      /* how often they meet */
    int more; /* further passes, each held only if the first kernel was slower than the best by more than noise before */
    int few_repeats; /* samples of each kernel in a first look, or where time is short */
    int repeats;     /* samples of each kernel otherwise */
} MatchRule;

typedef enum {
    MATCH_FINALISTS, /* on every tuned shape */
    MATCH_MISSING,   /* a chosen kernel that did not meet the finalists on a shape, and its best rival there */
    MATCH_HELD_OUT,  /* the package's kernels, and those that may be better, where nothing was tuned */
    MATCH_UNSAID, /* the chosen kernel and the fastest others (settle.c picks them), where the regret is too uncertain to be stated */
    MATCH_BENCH,       /* bench --regret */
    MATCH_BENCH_AGAIN, /* bench --regret, once more where what the package states seems not to hold */
    MATCH_KINDS
} MatchKind;

extern const MatchRule match_rules[MATCH_KINDS];

/* Adds a kernel, unless it takes part already or MATCH_MOST kernels do. */
void match_enter(Match *m, int64_t trial, double ns);
/* Adds those of n trials that the rule admits, the fastest first; times are measured ones, or else the model's. The trial `but` is not added
 * (-1: none is left out). Returns the best time of all n, that of `but` among them. */
double match_near(Match *m, const MatchRule *r, const CostModel *model, const int64_t *trial, int64_t n, int64_t but);
/* Takes the times of a pass, measured_ns[i] of kernel i (0: it failed). Keeps the first kernel and those that may be the best, two at least if
 * there are so many; drops what failed. True if the first kernel was so much slower than the best that another pass must confirm it. */
bool match_keep_close(Match *m, const double *measured_ns);

/* What one sample of every kernel and of the library takes. */
double match_ns(const Match *m);
/* The seconds that the match will take. */
double match_expect_s(const Lab *l, const Match *m, int repeats);
/* Removes the slowest kernels until the match takes at most most_s. The two fastest and the last one, the anchor, always stay. */
void match_shrink(const Lab *l, Match *m, int repeats, double most_s);
/* Times the match. final and ns are those of LabKind.compare (lab.h). */
bool match_hold(Lab *l, Arena *scratch, const Match *m, int repeats, bool final, double *ns, const char **err);

/* Counts the usable trials of the tuned target, and stores them in trial[] unless that is NULL. shape >= 0: only those that were in a last
 * comparison on that tuned shape. */
int64_t match_usable(const Study *s, int64_t shape, int64_t *trial);
/* True if every kernel of the match was in at least `passes` last comparisons on this shape. */
bool match_was_held(const Study *s, int64_t shape, const Match *m, int passes);

#endif
