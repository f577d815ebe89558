/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: what requests for times will take, learnt from those before. A request takes a + b x seconds, x being what its samples would take
 * on a machine at rest: a is starting, waiting for rest and verifying small shapes, b the neighbours, other clocks and large shapes' data. Both by
 * least squares, with a prior that some requests outweigh.
 */
#ifndef DCGEN_PACE_H
#define DCGEN_PACE_H

#include "gen/base/arena.h"

/* Sums over requests. */
typedef struct {
    double n, x, y, xx, xy;
} Pace;

/* Knows the prior alone. */
Pace pace_new(void);
/* A request took so long. */
void pace_learn(Pace *p, double x_s, double took_s);
/* Of so many requests with x_s in all. */
double pace_expect_s(const Pace *p, double requests, double x_s);

#endif
