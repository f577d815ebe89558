/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes: which shapes are compared: those that the package's spec was tuned for, or those named on the command line.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "bench/operator.h"

typedef struct {
    int64_t extent[OP_MAX_EXTENT]; /* all that describe a call, as in the op */
} Shape;

typedef struct {
    int n;
    Shape *shape;
} ShapeList;

/* The function's spec; NULL after errors on stderr. It lives until the program ends. */
const Spec *shapes_spec(const char *path, const char *function, const char *templates);
/* Adds the tuned shapes, or with `all` those of the whole range. */
void shapes_take(ShapeList *list, const Spec *spec, bool all);
/* "61,768,768": the extents that a caller gives, without attributes that are the same for all shapes; false when it is
 * none, or no legal one. */
bool shapes_add(ShapeList *list, const Spec *spec, const char *text);
/* Keeps those that the operator's table names for --quick or, where the list has none of them, every fifth. */
void shapes_thin(ShapeList *list, const Operator *op);
void shapes_free(ShapeList *list);

#endif
