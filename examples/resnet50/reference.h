/* SPDX-License-Identifier: MIT-0
 *
 * reference: the same network by its definition, in double precision, to check the example with.
 */
#ifndef RESNET50_REFERENCE_H
#define RESNET50_REFERENCE_H

#include <stddef.h>
#include "layers.h"

/* Arguments as those of resnet50_new and resnet50_run. 0: done; -1: no memory. */
int resnet50_reference(int batch, int pixels, const Resnet50Weights *weights, const float *images, double *y);

/* The largest |got - expected| of n elements, divided by the root of the mean square of what is expected; NaN when an element is.
 *
 * A float sum of K products of mixed signs is off by some 2^-25 * sqrt(K / 2) of its own size: 3e-7 for 256 products, 1.4e-6 for 4608, the most that
 * there are. A layer passes the errors of its input on and adds its own. If all added theirs in full, that would be a standard deviation of 5e-6 in the
 * end, and five times as much for the worst of a million elements. */
#define RESNET50_TOLERANCE 1e-4
double resnet50_error(size_t n, const float *got, const double *expected);

#endif
