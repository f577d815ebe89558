/* SPDX-License-Identifier: Apache-2.0
 *
 * lines: reads a descriptor line by line, with a bound on a line's length. Used on both sides of the runner protocol,
 * and for record files.
 */
#ifndef DCGEN_LINES_H
#define DCGEN_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINE_MAX_BYTES = 1 << 20 };

typedef enum {
    LINE_READY,    /* *line is a whole line, without its newline, NUL-terminated; it stays until the next call */
    LINE_NONE,     /* no whole line yet: lines_fill */
    LINE_TOO_LONG, /* a line over the bound was dropped */
    LINE_END       /* end of file or error, and nothing is left; an unfinished last line is dropped */
} LineStatus;

typedef struct {
    int fd;
    char *buffer; /* LINE_MAX_BYTES + 1 */
    size_t start, end;
    bool skipping; /* within a line over the bound: what is left of it is dropped */
    bool ended;
    int problem; /* errno of the error that ended it; 0: end of file */
} Lines;

bool lines_open(Lines *l, int fd); /* false: out of memory; does not take over fd */
void lines_close(Lines *l);        /* frees the buffer */
LineStatus lines_next(Lines *l, char **line, size_t *len);
void lines_fill(Lines *l); /* one read(2) */

#endif
