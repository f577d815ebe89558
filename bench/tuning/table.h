/* SPDX-License-Identifier: Apache-2.0
 *
 * table: a space of which every kernel was measured on every shape (dcgen --search exhaustive), as the truth that
 * searches are judged by.
 */
#ifndef BENCH_TUNING_TABLE_H
#define BENCH_TUNING_TABLE_H

#include "gen/driver/replay.h"

typedef struct {
    const Job *job; /* the first of the spec */
    const Device *device;
    const Target *target;
    const Records *records;
    const Space *space;
    const Study *truth; /* all shapes are tuned ones */
    double *best;       /* one a shape of the truth, ns */
} Table;

/* How far a choice is from the best of the table on some shapes. */
typedef struct {
    int64_t n;
    double mean;    /* weighted mean of time / best - 1 */
    double geomean; /* weighted geometric mean of the same ratio, minus 1 */
    double worst;
} Quality;

/* NULL with a message on stderr: no such files, or some kernel was not measured on some shape. */
const Table *table_read(Arena *a, const char *spec, const char *records);

/* The spec with the table's shapes alone: those whose first dim has one of these values are tuned, the others held
 * out. */
Spec *table_spec(Arena *a, const Table *t, const int64_t *shown, int nshown);
/* The same with one shape, tuned. */
Spec *table_one_shape(Arena *a, const Table *t, int64_t shape);

/* A kernel's time; the best of a shape was found in the last comparison, and one that had no part in it does not count
 * as faster. */
double table_ns(const Table *t, const Candidate *c, const Instance *inst);
double table_best(const Table *t, const Instance *inst);

/* Adds one shape on which a kernel takes ratio times as long as the best. */
void quality_add(Quality *q, double ratio, double weight, double *total_weight);

#endif
