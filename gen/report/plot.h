/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: figures drawn by gnuplot, as SVG to be put into a page. Each thing drawn has a look, in a script the colour "#0000NN" (NN: the
 * look in hexadecimal), which the page's style sheet (templates/package/report.css) knows by its number, so that a figure follows the page
 * from light to dark. Points are circles (pt 6, pt 7). Bytes are those of the gnuplot at hand.
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
    const char *name; /* of letters, digits and "_"; unique in the page */
    int width, height;
    Text script;     /* what to draw, without terminal and output */
    const char *svg; /* filled in by plot_run: content of an <svg viewBox="0 0 width height"> */
} Plot;

/* Is gnuplot there? To be asked before long work. False with *why set. */
bool plot_check(Arena *a, const char **why);
/* One gnuplot draws all of them; for none it need not be there. False with *why set; then every svg is NULL. */
bool plot_run(Arena *a, Plot *plot, int n, const char **why);

#endif
