/* SPDX-License-Identifier: Apache-2.0
 *
 * report_axis: what the figures' scripts for gnuplot are made of. Numbers go into data blocks, ranges and ticks are
 * chosen here, so that no version of gnuplot has a choice to make.
 */
#ifndef DCGEN_REPORT_AXIS_H
#define DCGEN_REPORT_AXIS_H

#include <math.h>
#include "gen/report/report_private.h"

typedef struct Range {
    double lo, hi;
} Range;

#define RANGE_NOTHING ((Range){ INFINITY, -INFINITY })

void range_add(Range *r, double v);
Range range_widened(Range r, double factor);

/* A plot of that size, and its place among the report's plots. */
Plot *figure_begin(Report *r, int *index, int width, int height);
void figure_label(Plot *p, char axis, const char *text);
/* One piece of the plot command; style: "lines lw 2", "points pt 7". */
void figure_draw(Plot *p, bool first, const char *data, const char *style, int look);

/* A logarithmic axis with the densest ticks of one sort that leave room for their numbers. */
void axis_log(Plot *p, char axis, Range r, int max_tick);
/* A linear axis from 0 or another whole start, in steps of 1, 2 or 5 times a power of ten. */
void axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step);

void data_begin(Plot *p, const char *name);
bool data_add(Plot *p, double x, double y); /* false: one is not positive, and was left out */
void data_end(Plot *p);

#endif
