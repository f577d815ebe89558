/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_DISPATCH_H
#define BENCH_DISPATCH_H

#include "bench/shapes.h"

/* Time of one call of the package's choose over a random sequence of shapes, the loop's own time taken off. */
double dispatch_ns(const Package *p, const ShapeList *list);

#endif
