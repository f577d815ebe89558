/* SPDX-License-Identifier: Apache-2.0
 *
 * result: what the records say of one target: the study, the model, the choice and its contract. A package, its report
 * and every answer about it are made of such results. Nothing is compiled or measured here.
 */
#ifndef DCGEN_RESULT_H
#define DCGEN_RESULT_H

#include "gen/unit/unit.h"
#include "search/choose/contract.h"

typedef struct {
    UnitContext unit; /* how its kernels are written; the spec, device and target are the study's */
    const TemplateList *templates;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Records *records; /* those that the study was made of */
    const Contract *contract;
    const CostReport *cost; /* how good the model is; NULL: that was not worked out */
    int first;              /* the package's number of the assignment's first kernel */
} Result;

/* Of a function one a target, by descending rank; of a package those of one function after the other. */
typedef struct {
    const Result *item;
    int n;
} ResultList;

/* What the records of u->device say. present: kernels that the package has for other functions, NULL: none. False with
 * *err set: the records hold no usable measurement. `first` is 0 and `cost` NULL. */
bool result_make(Arena *a, const UnitContext *u, const TemplateList *templates, const Records *r,
                 const KernelKeys *present, Result *out, const char **err);

#endif
