/* SPDX-License-Identifier: Apache-2.0
 *
 * report: the table for people, the JSON for records. Neither holds dates or names of hosts.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/contest.h"
#include "bench/machine.h"

typedef struct {
    Machine machine;
    int nround, nline;
    Line *line; /* by thread count, then in the order of the shapes */
    double dispatch_ns;
    double foreign_cores; /* that others took meanwhile; NaN: unknown */
} Results;

const char *report_caches(void);    /* "hot"; "cold": for the constant operand alone */
void report_head(const Results *r); /* machine, peers and their versions */
void report_columns(int threads);
void report_line(const Line *line);                     /* as soon as it is known */
int report_summary(const Results *r);                   /* geomeans, worst, goals; the number of goals missed */
bool report_json(const Results *r, const char *folder); /* <folder>/<cpu>/<package>.json, or <package>_cold.json */

#endif
