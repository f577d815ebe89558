/* SPDX-License-Identifier: Apache-2.0
 *
 * record_rules: what must hold of a record, whether it is read or written. Private to record.c and record_line.c.
 */
#ifndef DCGEN_RECORD_RULES_H
#define DCGEN_RECORD_RULES_H

#include <stddef.h>
#include "search/record/record.h"

/* What is wrong with a record ("key is not a name"); NULL: nothing. */
const char *device_wrong(const Device *d);
const char *kernel_wrong(const KernelRecord *k);
const char *measure_wrong(const MeasureRecord *m);
const char *limit_wrong(const LimitRecord *l);

/* Copies as they will be read again: free text in plain ASCII and of bounded length, doubles of RECORD_DIGITS digits,
 * median and spread as the samples say. */
Device device_copy(Arena *a, const Device *d);
KernelRecord kernel_copy(Arena *a, const KernelRecord *k);
MeasureRecord measure_copy(Arena *a, const MeasureRecord *m);
LimitRecord limit_copy(Arena *a, const LimitRecord *l);

/* Free text may hold what a compiler or a stranger's file says: one plain line of at most `max` bytes comes out. */
void plain_copy(char *out, const char *s, size_t max);

Status status_find(const char *name); /* STATUS_COUNT when there is no such status */

#endif
