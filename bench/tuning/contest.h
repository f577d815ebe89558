/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: one way to find kernels, tried on a table: how good its choice was after how many trials and seconds. No
 * time is measured here; the clock is the one of search/measure/lab_records.c.
 */
#ifndef BENCH_TUNING_CONTEST_H
#define BENCH_TUNING_CONTEST_H

#include "bench/tuning/noise.h"
#include "bench/tuning/table.h"
#include "search/measure/lab.h"
#include "search/space/propose.h"

/* After a batch. */
typedef struct {
    int64_t trials;
    double seconds;
    Quality shown, held_out;
    /* on the shapes shown, against the best of the kernels that the search timed there: what it can know */
    Quality tried;
    int kernels;
} Point;

typedef struct {
    int64_t n;
    Point *point;
    bool stopped; /* it ended by itself, before its trials were used up */
} Curve;

typedef struct {
    const Table *table;
    LabCost cost;
    const int64_t *shown;
    int nshown;
    int trials; /* the most */
} Contest;

/* The searches are shown the shapes whose first dim has this value. */
bool contest_shows(const Contest *c, int64_t value);

/* All shown shapes in one search. */
Curve contest_joint(Arena *a, const Contest *c, const Strategy *s, uint64_t seed);
/* A search of its own for each shown shape; after k trials of each of them. */
Curve contest_per_shape(Arena *a, const Contest *c, const Strategy *s, uint64_t seed);
/* A search for the largest shape; its best kernel serves all. */
Curve contest_largest(Arena *a, const Contest *c, const Strategy *s, uint64_t seed);
/* For each shape the kernel that the templates' closed forms call fastest; nothing is measured. */
Point contest_analytic(Arena *a, const Contest *c);

/* One joint search, ended, and out[i]: with at most kernels[i] in the choice. */
void contest_budgets(Arena *a, const Contest *c, uint64_t seed, const int *kernels, int n, Point *out);

/* One joint search, with so many seconds of the lab's clock, on a machine with that noise (NULL: none): the choice in
 * the end. *stated: the mean regret that its package would state of the tuned shapes. False: it found none, and said
 * why. */
bool contest_timed(Arena *a, const Contest *c, double seconds, Noise *noise, uint64_t seed, Point *out, double *stated);

/* The first point whose choice is within `near` of the best (weighted mean over shown shapes). NULL: none is. */
const Point *curve_within(const Curve *c, double near);

#endif
