/* SPDX-License-Identifier: Apache-2.0
 *
 * record_line: one record <-> one line of JSON. Private to record.c.
 */
#ifndef DCGEN_RECORD_LINE_H
#define DCGEN_RECORD_LINE_H

#include <stddef.h>
#include "search/record/record_type.h"

enum { RECORD_SCHEMA = 1, RECORD_LINE_BYTES = 64 * 1024 }; /* longer lines are not read */

typedef enum { LINE_RECORD, LINE_OTHER_SCHEMA, LINE_BAD } LineKind;

typedef struct {
    LineKind kind;
    bool object;     /* it is a JSON object; a torn line never is */
    const char *why; /* of LINE_BAD; may point to `text` */
    char text[RECORD_WRONG_BYTES];
    RecordKind type;
    AnyRecord record;
} Line;

/* Reads one line without its newline. Only the strings of a good record are put into the arena. */
void line_read(Arena *a, const char *text, size_t len, Line *out);

/* The line without its newline. */
char *line_text(Arena *a, const RecordType *t, const void *record);

#endif
