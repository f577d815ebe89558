/* SPDX-License-Identifier: Apache-2.0
 *
 * noise: what a busy machine does to measurements, drawn from real ones. Of records in which kernels were timed several
 * times on a shape it takes, for each such measurement, how much longer the anchor took than at best, how far the
 * kernel's part of the anchor's time was off the median of that kernel and shape, and how its samples lay about its
 * time. An answer of a lab (search/measure/lab.h) is disturbed by one of these, drawn by chance.
 */
#ifndef BENCH_TUNING_NOISE_H
#define BENCH_TUNING_NOISE_H

#include "gen/base/rng.h"
#include "search/record/record.h"

typedef struct Noise Noise;

/* NULL with a message on stderr: the file cannot be read, or no kernel was timed twice on a shape. */
Noise *noise_read(Arena *a, const char *records);
void noise_seed(Noise *n, uint64_t seed);
/* LabDisturb: the anchor's slowness is drawn once a request, and each kernel's disturbance among those of about that
 * slowness: a kernel is off by more when the machine is busy. */
void noise_disturb(void *noise, bool first, bool is_anchor, MeasureRecord *m);

#endif
