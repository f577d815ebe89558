/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: what a package states of its own choice. Takes a study and the choice made of it; gives, for each tuned
 * instance and each held-out one that was measured, the chosen kernel's time, the best of all times that are known
 * there and the regret between them (chosen / best - 1), their sums, and the bound that a measurement taken again shall
 * keep.
 *
 * A choice made by the very times that it is judged by looks better than it is: of kernels that are alike the luckiest
 * is taken. So on tuned shapes each regret counts in the sums with what chance is expected to hide of it (Efron's
 * optimism, by a parametric bootstrap): were the recorded times the true ones, and measured again with their errors,
 * how much larger would be the true regret of what is chosen then than the one that is seen. It counts up to the
 * spread.
 *
 *   times  those of the study: of all that was recorded, whatever it was measured for
 *   rival  the fastest of the others
 *   spread standard error of the chosen kernel's time over the rival's (trial_error of both)
 *   resolved  shapes whose regret is known well: their times differ by more than they scatter, or spread <= 4 %, or a
 *          quarter of the regret. Of the others nobody can say which of the two is faster: both are named, and the race
 *          measures them again while time is left
 *   mean   geometric mean of 1 + regret + hidden over the shapes that were measured, each by its weight, less 1; worst
 *          the largest of these
 *   noise  standard error of the difference between a regret and the same regret taken again: sqrt 2 times the root
 *          mean square of the spreads
 *   count  how many shapes the mean rests on, (sum w)^2 / sum w^2 of their weights w
 *
 *   mean bound  = mean + min(3 noise / sqrt(count), 5 %) + 0.5 %
 *   worst bound = worst + min(4 noise, 8 %) + 2 %
 *
 * Three and four standard errors, as one mean is looked at but many single shapes; the last term is for what differs
 * from day to day (placement in memory, clocks, neighbours) and no repetition within one run shows. A bound that the
 * spec demands (its key `regret`) takes the place of the one worked out.
 *
 * Held-out shapes have no part in any choice, except that a kernel found wrong there is wrong for good.
 */
#ifndef DCGEN_CONTRACT_H
#define DCGEN_CONTRACT_H

#include "search/choose/select.h"

typedef struct {
    const Instance *inst;
    bool tuned;                        /* study_tunes(inst) */
    int kernel;                        /* the chosen one, its place in the assignment */
    bool measured;                     /* the chosen kernel has a time there, and so has another, if any other works */
    double chosen_ns, best_ns, regret; /* NAN: not known */
    double hidden;                     /* what chance is expected to hide of the regret, at least 0 */
    double spread;
    bool resolved; /* the regret is known well enough */
    int64_t rival; /* trial of the study: the fastest of the others; -1: there is none, and no regret */
} ContractShape;

typedef struct {
    int64_t nshape, nmeasured, nresolved; /* nmeasured: beside a rival */
    double mean, worst, noise;            /* over those that are so measured and have a weight; NAN: there is none */
    double mean_bound, worst_bound;       /* NAN: none is stated */
} ContractSum;

typedef struct {
    bool modelled;               /* there was no device: nothing was measured, there is no contract */
    int64_t nshape;              /* tuned and held-out ones together */
    ContractShape *shape;        /* the tuned instances, then the held-out ones, each in the spec's order */
    ContractSum tuned, held_out; /* held-out shapes are here only when measured */
} Contract;

const Contract *contract_make(Arena *a, const Study *s, const Assignment *as);

/* Fills in what a study says of a choice on an instance: all but `inst` and `kernel`. all: study_noise(s). */
void contract_judge(const Study *s, const Assignment *as, double all, ContractShape *shape);
/* The sums of n shapes, bounds included. */
ContractSum contract_sum(const ContractShape *shape, int64_t n);
/* Why no regret of the tuned shapes is known, in a few words; NULL: it is. */
const char *contract_unknown(const Contract *c);
/* Counts the tuned shapes on which the chosen kernel was not measured, or another works and was not. */
int64_t contract_missing(const Contract *c);
/* Counts the measured shapes whose regret is not resolved. */
int64_t contract_unresolved(const Contract *c);
/* True if the regret of most measured shapes is not resolved. */
bool contract_is_mostly_unresolved(const ContractSum *sum);

/* One line that says which of the spec's bounds the measured regrets exceed; NULL: none. */
const char *contract_broken(Arena *a, const Contract *c);

#endif
