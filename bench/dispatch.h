/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: times the package's choose alone, apart from the kernel that it chooses.
 */
#ifndef BENCH_DISPATCH_H
#define BENCH_DISPATCH_H

#include "bench/shapes.h"

/* Time of one call of the package's choose over a random sequence of the spec's shapes, the loop's own time taken
 * off. */
double dispatch_ns(const Spec *spec);

#endif
