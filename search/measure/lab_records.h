/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_records: a lab that measures nothing: it answers from records. With the records of one search and its seed the same search comes
 * out again, step by step (its trace); with the records of a whole space any search can be tried in a moment, on a clock of its own.
 */
#ifndef DCGEN_LAB_RECORDS_H
#define DCGEN_LAB_RECORDS_H

#include "search/measure/lab.h"

/* What a step costs on the clock of this lab, in seconds. */
typedef struct {
    double kernel_s;  /* build a kernel and verify it on awkward shapes */
    double request_s; /* one kernel on one shape, beside its samples */
} LabCost;

typedef struct LabRecords LabRecords;

/* use: how often a record of a pair may serve. Once: each answer takes the next one, as the search that left them did. Again: a table. */
typedef enum { LAB_ONCE, LAB_AGAIN } LabUse;

/* r stays unchanged as long as the lab is used. */
LabRecords *lab_records_new(Arena *a, const Records *r, LabUse use, LabCost cost);
/* Called after each batch of trials, with the candidates that were in it. */
void lab_records_watch(LabRecords *x, void (*seen)(void *ctx, Lab *l, const Proposal *p, int n), void *ctx);
/* Lab.data is a LabRecords. */
extern const LabKind lab_records;

#endif
