/* SPDX-License-Identifier: Apache-2.0
 *
 * samples: statistics of times.
 */
#ifndef DCGEN_SAMPLES_H
#define DCGEN_SAMPLES_H

#include <stdbool.h>

/* On a machine that others use too, a call that takes longer than this always meets some of what they do. */
#define SAMPLES_UNDISTURBED_NS 4e6

int samples_compare(const void *x, const void *y); /* of doubles, for qsort */

/* 0 when n is 0; quartiles are interpolated linearly. */
double samples_least(const double *v, int n);
/* The time of a call that counts. undisturbed: some samples met no other program; then it is the least, as others only
 * add to it. Else, all having met others alike, the mean but for the slowest: the least is the luckiest's. n 0: 0. */
double samples_time(const double *v, int n, bool undisturbed);
/* How far off samples_time may be, as a part of it: how much longer the second is, or the mean's error. n < 2: 0. */
double samples_error(const double *v, int n, bool undisturbed);
double samples_median(const double *v, int n);
double samples_spread(const double *v, int n); /* (q3 - q1) / median */

#endif
