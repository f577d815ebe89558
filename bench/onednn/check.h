/* SPDX-License-Identifier: Apache-2.0
 *
 * check: is what oneDNN computes for bench/dnnl.h what its comments say?
 */
#ifndef BENCH_ONEDNN_CHECK_H
#define BENCH_ONEDNN_CHECK_H

/* Tries all functions on small data, and prints what is wrong. How many cases were wrong, or could not be set up. */
int check_all(void);

#endif
