/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes: which shapes are compared: those that the package's spec was tuned for, or those named on the command line.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdbool.h>
#include "bench/peer.h"

typedef struct {
    int n;
    Shape *shape;
} ShapeList;

/* The tuned shapes of a spec of the operator dense; false after errors on stderr. */
bool shapes_read(ShapeList *list, const char *spec_path, const char *templates);
/* "61,768,768" (M,N,K); false when it is none. */
bool shapes_add(ShapeList *list, const char *text);
/* Keeps M in {1, 4, 17, 64, 256} or, where the list has none of them, every fifth shape. */
void shapes_thin(ShapeList *list);
void shapes_free(ShapeList *list);

#endif
