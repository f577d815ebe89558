/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: figures as SVG for a page: writes scripts for gnuplot, and runs it. Each thing that is drawn has a look. A
 * script writes it as the colour "#0000NN" (NN: the look in hexadecimal); the page's style sheet
 * (templates/package/report.css) gives it the real colour, so that a figure follows the page from light to dark. Points
 * are circles (pt 6, pt 7). Numbers go into data blocks; ranges and ticks are chosen here, so that no version of
 * gnuplot has a choice to make. The bytes of the SVG still depend on the gnuplot at hand.
 */
#ifndef DCGEN_PLOT_H
#define DCGEN_PLOT_H

#include <math.h>
#include <stdbool.h>
#include "gen/base/text.h"

/* The look of kernel k is LOOK_KERNEL + k % LOOK_NKERNEL. */
enum {
    LOOK_AXIS = 1,
    LOOK_GRID,
    LOOK_TEXT,
    LOOK_LABEL,
    LOOK_CHOSEN,
    LOOK_GENERAL,
    LOOK_BEST,
    LOOK_DOT,
    LOOK_CLOUD,
    LOOK_KEPT,
    LOOK_GUIDE,
    LOOK_ROOF,
    LOOK_LIBRARY,
    LOOK_LIBRARY_DOT,
    LOOK_KERNEL = 16,
    LOOK_NKERNEL = 8
};

typedef struct {
    const char *name; /* of letters, digits and "_"; unique in the page */
    int width, height;
    Text script;              /* settings and data, without terminal and output */
    Text drawing;             /* the plot command, which follows the script */
    const char *svg;          /* filled in by plot_run: content of an <svg viewBox="0 0 width height"> */
    const char *word;         /* the word of the page's pattern that the figure replaces */
    const char *id, *caption; /* the page shows the caption; the id lacks the part's prefix */
} Plot;

typedef struct {
    double lo, hi;
} Range;

#define RANGE_NOTHING ((Range){ INFINITY, -INFINITY })

void range_add(Range *r, double v);
Range range_widened(Range r, double factor); /* lo / factor to hi * factor */

void plot_label(Plot *p, char axis, const char *text);
/* Makes an axis logarithmic. Its ticks are the densest of a few patterns ("1, 2, 5 in each decade") with at most
 * max_tick of them, or powers of ten. */
void plot_axis_log(Plot *p, char axis, Range r, int max_tick);
/* Makes an axis linear, with ticks in steps of 1, 2 or 5 times a power of ten. */
void plot_axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step);
/* Begins a block of data, whose lines follow until plot_data_end. */
void plot_data(Plot *p, const char *name);
bool plot_point(Plot *p, double x, double y); /* false: x or y is not positive and finite, so the point was left out */
void plot_data_end(Plot *p);
/* Adds a block of data to what the figure shows. style: "lines lw 2", "points pt 7". */
void plot_draw(Plot *p, const char *data, const char *style, int look);

/* Is gnuplot there? Callers ask before long work. False with *why set. */
bool plot_check(Arena *a, const char **why);
/* Draws n figures by one gnuplot, which need not be there if n is 0. False with *why set; then every svg is NULL. */
bool plot_run(Arena *a, Plot *plot, int n, const char **why);

#endif
