/* SPDX-License-Identifier: Apache-2.0
 *
 * report: what a package holds and why, as one HTML5 page: tables, and figures as inline SVG drawn by gnuplot.
 * Nothing outside the page is referred to; no date, path, or host name is in it; the same input (and gnuplot) gives
 * the same bytes.
 */
#ifndef DCGEN_REPORT_H
#define DCGEN_REPORT_H

#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/report/roofline.h"
#include "gen/spec/spec.h"
#include "search/choose/contract.h"
#include "search/choose/select.h"
#include "search/record/study.h"
#include "search/space/cost.h"
#include "search/space/space.h"

typedef struct ReportInput ReportInput;
struct ReportInput {
    const ReportInput *next; /* of the package's next target; NULL: there is none */
    const Spec *spec;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    int first; /* the package's number of the assignment's first kernel */
    const Device *device;
    const Space *space;       /* NULL: its counts are not shown */
    const Roofline *roofline; /* NULL: the machine's limits are not known */
    const Contract *contract; /* NULL: it is not shown */
    CostReport cost;          /* nmeasure 0: the model's figures are not shown */
    const char *version;      /* of dcgen */
    /* Trials in the order in which they were measured. NULL when that is not known: then there is no figure of the
     * search's progress. */
    const int64_t *order;
    int64_t norder;
};

/* A page; of several targets with a part for each. NULL with *err set: its figures cannot be drawn, as gnuplot is missing or fails. A page without them would be another page on another
 * machine. */
char *report_html(Arena *a, const ReportInput *in, const char **err);

#endif
