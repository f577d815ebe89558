/* SPDX-License-Identifier: Apache-2.0
 *
 * choice: what is known of the kernel that a package takes for one shape, and what follows from it for all tuned
 * shapes. The report, `dcgen explain` and the summary show it.
 */
#ifndef DCGEN_CHOICE_H
#define DCGEN_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "search/choose/result.h"

typedef struct {
    int kernel;    /* the chosen one: its place in the assignment */
    double ns;     /* its time: as it was measured, on a tuned shape or one that is held out, else as it is predicted */
    bool measured; /* ns was measured, not predicted */
    double best_ns;     /* the least time known of any trial */
    int64_t best_trial; /* that trial */
    bool best_measured;
    int runner;       /* the runner-up, the fastest other kernel of the package; -1: there is none */
    double runner_ns; /* its time; INFINITY: there is none */
    bool runner_measured;
} Choice;

/* Compares the chosen kernel with its rivals. cost: time in ns of each of the assignment's kernels on the shape. */
Choice choice_make(const Study *s, const Assignment *as, const Instance *inst, const double *cost, int kernel);

/* Is nothing computed, as an axis is 0 or the output has no elements? (An attribute may be 0.) */
bool choice_is_empty(const Spec *s, const int64_t *extent);

/* *pad: f_pad, useful work / work done; *occ: f_occ, work done / (threads x work of the busiest thread); both are 1
 * where nothing is computed. False: they cannot be computed. */
bool choice_factors(const Study *s, const Candidate *c, const int64_t *extent, int threads, double *pad, double *occ);

/* The time of a kernel of the package on an instance, tuned or held out; 0: it was not measured there. */
double choice_measured_ns(const Result *r, const Instance *inst, int kernel);

/* The time of the kernel that was chosen for an instance; of one held out the prediction that it was chosen by. */
double choice_ns(const Result *r, int64_t instance);

/* The library's time over the package's, on the n tuned shapes where both were timed. */
typedef struct {
    int64_t n;
    double mean, least; /* the geometric mean, and the least; INFINITY: n is 0 */
} Against;
Against choice_library(const Result *r);

#endif
