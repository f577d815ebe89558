/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: `dcgen bench PKG --regret`. Takes a package's own spec and records, and the bound that its regret.json
 * states; holds the race of a search (search/loop/race.h) once more on this machine, with a study of its own, between
 * the kernels that the package's records hold, on each shape of the contract; prints the regret of each shape then and
 * now, and fails when their sums, or a single shape, are above the bound. What is still not resolved when the race is
 * over, or the seconds that the spec allows a search, is named, and judges nothing.
 */
#ifndef DCGEN_REGRET_H
#define DCGEN_REGRET_H

#include "gen/driver/replay.h"
#include "gen/driver/tools.h"
#include "gen/package/regret_file.h"
#include "search/loop/race.h"

/* REGRET_FURTHER: held-out shapes that the package's contract says nothing of. */
typedef enum { REGRET_TUNED, REGRET_HELD_OUT, REGRET_FURTHER, REGRET_GROUPS } RegretGroup;

typedef struct {
    ContractShape was, now; /* was: as the package's records say, which know nothing of a further shape */
} RegretCase;

typedef struct {
    Run *run;
    const Job *job;    /* that is judged */
    const Result *out; /* its */
    bool several;      /* the package has other targets too */
    Tools tools;
    const Device *here; /* without its compiler, which is tools.compiler */
    Study *now;         /* what was measured here, of the trials of out->study */
    bool whole;         /* every shape of the contract is among the cases: means are judged */
    int64_t n;
    RegretCase *item;
    ContractSum sum[REGRET_GROUPS];
    RegretBound bound[REGRET_GROUPS];
    bool broken;
    bool mostly_unresolved; /* of most shapes that count the regret is not resolved here */
} Regret;

/* Judges the first of n jobs, each with its result, that this machine runs. Fails with EXIT_FAILED above the
 * bound, with EXIT_ENVIRONMENT when the regret of most shapes is not resolved. o->regret: 0: all shapes of the
 * contract; fewer than it has: so many, drawn evenly, and means are not judged; more: held-out shapes besides, without
 * a bound. */
bool regret(Run *r, const Job *const *job, int n);

/* What was measured, as text or as one JSON object. The verdict above a bound also goes to stderr. */
void regret_show(const Regret *g);
/* Prints which of several targets is judged; warns if the bound was measured on another machine or with another
 * compiler. */
void regret_show_machine(const Regret *g);
/* Prints the line of one shape. */
void regret_show_case(const Regret *g, const RegretCase *c);

#endif
