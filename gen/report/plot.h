/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: figures drawn by gnuplot, as SVG to be put into a page. gnuplot does the geometry alone: colours, widths and
 * fonts are the page's. Each thing drawn has a look, in a script the colour "#0000NN" (NN: the look in hexadecimal),
 * in the SVG the class "lNN" (decimal), so that a figure follows the page from light to dark. Of gnuplot's output only
 * paths, polygons, circles (pt 6, pt 7) and text are taken over, coordinates rounded to a tenth: no ids, versions or
 * fonts remain, and versions 5.4 to 6.0 give the same bytes.
 */
#ifndef DCGEN_PLOT_H
#define DCGEN_PLOT_H

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
    int width, height;
    Text script;     /* what to draw, without terminal and output */
    const char *svg; /* filled in by plot_run: content of an <svg viewBox="0 0 width height"> */
} Plot;

/* Is gnuplot there? To be asked before long work. False with *why set. */
bool plot_check(Arena *a, const char **why);
/* One gnuplot draws all of them; for none it need not be there. False with *why set; then every svg is NULL. */
bool plot_run(Arena *a, Plot *plot, int n, const char **why);

/* Private to plot.c: the content of gnuplot's document from `begin` to `end`, by the rules above. */
char *plot_normalise(Arena *a, const char *begin, const char *end);

#endif
