/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: figures drawn by gnuplot, as SVG to be put into a page: what their scripts are made of, and running them. Each thing drawn has a look,
 * in a script the colour "#0000NN" (NN: the look in hexadecimal), which the page's style sheet (templates/package/report.css) knows by its
 * number, so that a figure follows the page from light to dark. Points are circles (pt 6, pt 7). Numbers go into data blocks, ranges and ticks
 * are chosen here, so that no version of gnuplot has a choice to make. Bytes are those of the gnuplot at hand.
 */
#ifndef DCGEN_PLOT_H
#define DCGEN_PLOT_H

#include <math.h>
#include <stdbool.h>
#include "gen/base/text.h"

/* Kernel k: LOOK_KERNEL + k % LOOK_NKERNEL. */
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
    Text drawing;             /* the plot command */
    const char *svg;          /* filled in by plot_run: content of an <svg viewBox="0 0 width height"> */
    const char *word;         /* of the page's pattern, in whose place it stands */
    const char *id, *caption; /* as the page has them */
} Plot;

typedef struct {
    double lo, hi;
} Range;

#define RANGE_NOTHING ((Range){ INFINITY, -INFINITY })

void range_add(Range *r, double v);
Range range_widened(Range r, double factor);

void plot_label(Plot *p, char axis, const char *text);
/* A logarithmic axis with the densest ticks of one sort that leave room for their numbers. */
void plot_axis_log(Plot *p, char axis, Range r, int max_tick);
/* A linear axis from 0 or another whole start, in steps of 1, 2 or 5 times a power of ten. */
void plot_axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step);
/* A block of data: its lines go between. */
void plot_data(Plot *p, const char *name);
bool plot_point(Plot *p, double x, double y); /* false: one is not positive, and was left out */
void plot_data_end(Plot *p);
/* A piece of the plot command; style: "lines lw 2", "points pt 7". */
void plot_draw(Plot *p, const char *data, const char *style, int look);

/* Is gnuplot there? To be asked before long work. False with *why set. */
bool plot_check(Arena *a, const char **why);
/* One gnuplot draws all of them; for none it need not be there. False with *why set; then every svg is NULL. */
bool plot_run(Arena *a, Plot *plot, int n, const char **why);

#endif
