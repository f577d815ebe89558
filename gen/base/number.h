/* SPDX-License-Identifier: Apache-2.0
 *
 * number: figures for people, rounded to what they are worth. What is not finite is shown as "-".
 * All printing follows the thread's locale: callers that promise fixed bytes set the C locale first.
 */
#ifndef DCGEN_NUMBER_H
#define DCGEN_NUMBER_H

#include <stdint.h>
#include "gen/base/arena.h"

char *number_sig(Arena *a, double v, int digits); /* "0.0123", "1.23", "12300"; below 1e-4: "1.2e-08" */
char *number_time(Arena *a, double ns);           /* "812 ns", "12.3 us", "4.56 ms", "1.20 s" */
char *number_bytes(Arena *a, int64_t bytes);      /* "812 bytes", "41.2 KiB", "4.00 MiB" */
char *number_percent(Arena *a, double part);      /* 0.0134: "1.3 %" */
char *number_ratio(Arena *a, double v);           /* "1.38", "12.4"; near 1, where 1.00 would say nothing, "1.004" */
char *number_count(Arena *a, int64_t n);          /* "12,345" */
const char *number_plural(int64_t n);             /* what a noun ends in: "" for 1, else "s" */

#endif
