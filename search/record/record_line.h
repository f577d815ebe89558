/* SPDX-License-Identifier: Apache-2.0
 *
 * record_line: one record <-> one line of JSON. Private to record.c.
 */
#ifndef DCGEN_RECORD_LINE_H
#define DCGEN_RECORD_LINE_H

#include <stddef.h>
#include "search/record/record.h"

enum { RECORD_SCHEMA = 1, RECORD_LINE_BYTES = 64 * 1024 }; /* longer lines are not read */

typedef enum { LINE_DEVICE, LINE_KERNEL, LINE_MEASURE, LINE_LIMIT, LINE_OTHER_SCHEMA, LINE_BAD } LineType;

typedef struct {
    LineType type;
    bool object;     /* it is a JSON object; a torn line never is */
    const char *why; /* of LINE_BAD; may point to `text` */
    char text[200];
    Device device;
    KernelRecord kernel;
    MeasureRecord measure;
    LimitRecord limit;
} Line;

/* Reads one line without its newline. Only the strings of a good record are put into the arena. */
void line_read(Arena *a, const char *text, size_t len, Line *out);

/* The line without its newline, of a record as record_rules.h copies it. */
char *device_line(Arena *a, const Device *d);
char *kernel_line(Arena *a, const KernelRecord *k);
char *measure_line(Arena *a, const MeasureRecord *m);
char *limit_line(Arena *a, const LimitRecord *l);

#endif
