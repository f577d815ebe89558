/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: `dcgen bench PKG --regret`. Takes a package's own spec and records, and the bound that its regret.json states; measures on this
 * machine, on each shape of the contract, the chosen kernel side by side with all that it was compared with there before (race.c); prints the
 * regret of each shape then and now, and fails when their sums, or a single shape, are above the bound. A shape that would break it, or
 * whose times differ by too much to say its regret, is measured again with more samples; one that still cannot be said is named, and
 * judges nothing.
 */
#ifndef DCGEN_REGRET_H
#define DCGEN_REGRET_H

#include "gen/command/replay.h"
#include "gen/command/tools.h"
#include "search/choose/match.h"

/* REGRET_FURTHER: held-out shapes that the package's contract says nothing of. */
typedef enum { REGRET_TUNED, REGRET_HELD_OUT, REGRET_FURTHER, REGRET_GROUPS } RegretGroup;

typedef struct {
    ContractShape was, now; /* was: as the package's records say, which know nothing of a further shape */
    RegretGroup group;
    int nrival; /* kernels that are timed, the chosen one included */
    bool again; /* it was measured again, as its regret was above a bound or could not be said */
} RegretCase;

typedef struct {
    Run *run;
    const Result *out;
    bool several; /* the package has other targets too */
    Tools tools;
    const Device *here; /* without its compiler, which is tools.compiler */
    const char **so;    /* one a trial; NULL: not built */
    bool whole;         /* every shape of the contract is among the cases: means are judged */
    int64_t n;
    RegretCase *item;
    ContractSum sum[REGRET_GROUPS];
    double mean_bound[REGRET_GROUPS], worst_bound[REGRET_GROUPS]; /* INFINITY: none */
    bool broken;
    bool vague; /* of most shapes that count nothing can be said here */
} Regret;

/* Judges the first of n targets' results, by descending rank, that this machine runs. Fails with EXIT_FAILED above the bound, with
 * EXIT_ENVIRONMENT when nothing can be said of most shapes. o->regret: 0: all shapes of the contract; fewer than it has: so many, drawn evenly,
 * and means are not judged; more: held-out shapes besides, against the kernels that are predicted to be near the best, without a bound. */
bool regret(Run *r, const Workload *w, const Result *out, int n);

/* Times kernels side by side on one shape, in up to three heats. The chosen kernel comes first in the match. All run with few samples; then the
 * chosen one and the fastest with `repeats` samples (at most RECORD_MAX_SAMPLE); then, if one was faster, the chosen one and that one again. The
 * last heat counts: the regret is 1 less than the ratio of the two times (samples_time). What slows the machine for a while is waited for
 * (search/runner/timing.c). Afterwards the rivals stand in the order of their times. out: gets times, regret and spread. EXIT_FAILED: the chosen
 * kernel fails. */
bool race_hold(const Regret *g, Match *m, int repeats, ContractShape *out);

/* What was measured, as text or as one JSON object. The verdict above a bound also goes to stderr. */
void regret_show(const Regret *g);
/* Prints which of several targets is judged; warns if the bound was measured on another machine or with another compiler. */
void regret_show_machine(const Regret *g);
/* Prints the line of one shape. */
void regret_show_case(const Regret *g, const RegretCase *c);

#endif
