/* SPDX-License-Identifier: Apache-2.0
 *
 * regret_show: what `dcgen bench PKG --regret` measured, as text or as one JSON object. The verdict above a bound also goes to stderr.
 */
#ifndef DCGEN_REGRET_SHOW_H
#define DCGEN_REGRET_SHOW_H

#include "gen/command/replay.h"

/* FURTHER: held-out shapes that the package's contract says nothing of. */
typedef enum { REGRET_TUNED, REGRET_HELD_OUT, REGRET_FURTHER, REGRET_GROUPS } RegretGroup;

typedef struct {
    ContractShape was, now; /* was: as recorded; not measured in a further one */
    RegretGroup group;
    int nrival; /* the chosen one included */
    bool again; /* it was above a bound, or could not be said, and measured again */
} RegretCase;

/* The package states a bound for it (of a further one there is none, and none is needed). */
bool regret_is_stated(const RegretCase *c);

typedef struct {
    Arena *arena;
    const Result *out;
    bool several; /* the package has other targets too */
    bool json;
    const Device *here;
    const char *compiler; /* here */
    bool whole;           /* every shape of the contract is among the cases: means are judged */
    int64_t n;
    RegretCase *item;
    ContractSum sum[REGRET_GROUPS];
    double mean_bound[REGRET_GROUPS], worst_bound[REGRET_GROUPS]; /* INFINITY: none */
    bool broken;
    bool vague; /* of most shapes that a bound is stated for nothing can be said here */
} Regret;

/* Which of several targets it is; and says so when the bound is another machine's. */
void regret_show_machine(const Regret *g);
void regret_show_case(const Regret *g, const RegretCase *c);
void regret_show(const Regret *g);

#endif
