/* SPDX-License-Identifier: Apache-2.0
 *
 * peak: what this CPU can do at all, measured: FMAs on registers only, and reading a buffer again and again.
 */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include <stddef.h>

const char *peak_isa(void);          /* "avx512": the widest that runs here */
double peak_fma_gflops(int threads); /* all threads together */

/* Ways to read a buffer: as one stream or several, with or without prefetching. Which is the fastest depends on where
 * the buffer lies, so the best is chosen once a buffer and then measured in each round. */
int peak_read_best(const void *buffer, size_t bytes, int threads);
const char *peak_read_name(int way);
double peak_read_gbs(const void *buffer, size_t bytes, int threads, int way);

#endif
