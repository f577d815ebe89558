/* SPDX-License-Identifier: Apache-2.0
 *
 * choice: what is known of the kernel that a package takes for one shape. The report's tables and `dcgen explain` show
 * it.
 */
#ifndef DCGEN_CHOICE_H
#define DCGEN_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "search/choose/result.h"

typedef struct {
    int kernel;         /* of the assignment */
    double ns;          /* of that kernel */
    bool measured;      /* else predicted */
    double best_ns;     /* fastest known of any trial */
    int64_t best_trial; /* the trial it is of */
    int runner;         /* the fastest other kernel of the package; -1: there is none */
    double runner_ns;
} Choice;

/* cost: time in ns of each of the assignment's kernels on the shape. */
Choice choice_make(const Study *s, const Assignment *as, const Instance *inst, const double *cost, int kernel);

/* An extent is 0: nothing is computed. */
bool choice_is_empty(const Spec *s, const int64_t *extent);

/* f_pad: useful work / work done; f_occ: work done / (threads x work of the busiest). False when they cannot be
 * computed. */
bool choice_factors(const Study *s, const Candidate *c, const int64_t *extent, int threads, double *pad, double *occ);

/* Which kernel of the package a trial is; -1: none. */
int choice_kernel(const Assignment *as, int64_t trial);
/* The time of the kernel that was chosen for an instance. */
double choice_ns(const Result *r, int64_t instance);

/* The library against the package, on the tuned shapes where both were timed. */
typedef struct {
    int64_t n;
    double mean, least; /* its time over that of the package: geometric mean, and where it is least; INFINITY: n is 0 */
} Against;
Against choice_library(const Result *r);

/* Weighted mean of time / best known time - 1 over the tuned shapes; NAN: none has a weight. */
double choice_regret(const Result *r);

#endif
