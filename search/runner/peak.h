/* SPDX-License-Identifier: Apache-2.0
 *
 * peak: what this CPU can do at all, measured: FMAs on registers only, and reading a buffer again and again. For the
 * runner, which tells dcgen these limits, and for bench/.
 */
#ifndef DCGEN_PEAK_H
#define DCGEN_PEAK_H

#include <stddef.h>

/* One width of vectors: loops for a target, or for the widest target that runs here. */
typedef struct PeakIsa PeakIsa;
const PeakIsa *peak_best(void);
const PeakIsa *peak_find(const char *target); /* "avx512"; NULL: there is none, or it does not run here */
const char *peak_name(const PeakIsa *isa);

/* One sample of about sample_ns: f32, all threads together. */
double peak_fma_gflops(const PeakIsa *isa, int threads, double sample_ns);

/* Ways to read a buffer: one stream or several, prefetched or not. The fastest depends on where it lies. */
enum { PEAK_WAYS = 6 };
const char *peak_read_name(int way);
/* One sample of about sample_ns, but of one pass over the buffer at least. */
double peak_read_gbs(const PeakIsa *isa, const void *buffer, size_t bytes, int threads, int way, double sample_ns);
/* The very next pass, be the buffer in a cache or not. */
double peak_read_once_gbs(const PeakIsa *isa, const void *buffer, size_t bytes, int threads, int way);

#endif
