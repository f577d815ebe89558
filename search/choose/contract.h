/* SPDX-License-Identifier: Apache-2.0
 *
 * contract: what a package states of its own choice. Takes records and the choice made of them; gives, for each tuned instance and each
 * held-out one where kernels were compared side by side, the chosen kernel's time, the best known one and the regret between them
 * (chosen / best - 1), their sums, and the bound that a measurement taken again shall keep.
 *
 *   spread how far the two least times of one kernel are apart, of the chosen one or of the best of the others, whichever is more
 *   said   shapes whose regret is known: spread <= 4 %, or a quarter of the regret. Of the others it cannot be said: they are named, counted
 *          and measured again while time is left (settle.c), and have no part in the sums and bounds
 *   mean   geometric mean of 1 + regret over the shapes that are said, each by its weight, less 1;   worst   the largest regret
 *   noise  standard error of the difference between a regret and the same regret taken again: 2 e, where e is that of one kernel's
 *          time, root mean square of the spreads; a regret is a ratio of two such times, and the difference one of two regrets
 *   count  how many shapes the mean rests on, (sum w)^2 / sum w^2 of their weights w
 *
 *   mean bound  = mean + min(3 noise / sqrt(count), 5 %) + 0.5 %
 *   worst bound = worst + min(4 noise, 8 %) + 2 %
 *
 * Three and four standard errors, as one mean is looked at but many single shapes, whose two times are off by 4 % each at most; the last
 * term is for what differs from day to day (placement in memory, clocks, neighbours) and no repetition within one run shows. A bound that
 * the spec demands (its key `regret`) takes the place of the one worked out.
 *
 * A time is the least of the passes of the last comparison (study.h). Held-out shapes have no part in any choice: their measurements are
 * `measure` records of extents that are not tuned, which the study leaves aside, except that a kernel found wrong there is wrong for good.
 */
#ifndef DCGEN_CONTRACT_H
#define DCGEN_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "search/choose/select.h"
#include "search/record/study.h"

typedef struct {
    int64_t instance; /* in the spec */
    const Instance *inst;
    int kernel;    /* the chosen one, its place in the assignment */
    bool measured; /* the chosen kernel was compared with others there; else the times that follow are 0 */
    double chosen_ns, best_ns, regret;
    double spread; /* 0: not known */
    bool said;     /* the regret is known well enough: contract_says */
    int nmet;
    int64_t *met; /* trials of the study that were compared there, the fastest first */
} ContractShape;

typedef struct {
    int64_t nshape, nmeasured, nsaid;
    double mean, worst, noise;      /* over those that are said and have a weight */
    double mean_bound, worst_bound; /* 0: no regret can be said, and none is stated */
} ContractSum;

typedef struct {
    bool modelled;                      /* there was no device: nothing was measured, there is no contract */
    int64_t nshape;                     /* tuned and held-out ones together */
    ContractShape *shape;               /* the tuned instances, then the held-out ones, each in the spec's order */
    ContractSum tuned, held_out;        /* held-out shapes are here only when measured */
    bool mean_demanded, worst_demanded; /* the spec demands this bound */
} Contract;

const Contract *contract_make(Arena *a, const Study *s, const Records *r, const TemplateList *templates,
                              const TargetList *targets, const Assignment *as);

/* True if a regret can be said although its times are off by `spread`. */
bool contract_says(double regret, double spread);
/* The sums of n shapes, bounds included. */
ContractSum contract_sum(const ContractShape *shape, int64_t n);
/* Counts the measured shapes whose regret cannot be said. */
int64_t contract_unsaid(const Contract *c);
/* True if the regret of most measured shapes cannot be said. */
bool contract_is_vague(const ContractSum *sum);

/* One line that says which of the spec's bounds the measured regrets exceed; NULL: none. */
const char *contract_broken(Arena *a, const Contract *c);

#endif
