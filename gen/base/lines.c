/* SPDX-License-Identifier: Apache-2.0
 *
 * lines: keeps what was read in one buffer, and cuts lines off its beginning.
 */
#include "gen/base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool lines_open(Lines *l, int fd)
{
    *l = (Lines){ .fd = fd, .buffer = malloc(LINE_MAX_BYTES + 1) };
    return l->buffer != NULL;
}

void lines_close(Lines *l)
{
    free(l->buffer);
    *l = (Lines){ .fd = -1, .ended = true };
}

LineStatus lines_next(Lines *l, char **line, size_t *len)
{
    size_t held = l->end - l->start;
    char *from = l->buffer + l->start, *newline = held ? memchr(from, '\n', held) : NULL;
    if (!newline && l->ended)
        return LINE_END;
    if (!newline && held == LINE_MAX_BYTES) {
        l->skipping = true;
        l->start = l->end = 0;
    }
    if (!newline)
        return LINE_NONE;
    *newline = '\0';
    *line = from;
    *len = (size_t)(newline - from);
    l->start += *len + 1;
    if (!l->skipping)
        return LINE_READY;
    l->skipping = false;
    return LINE_TOO_LONG;
}

void lines_fill(Lines *l)
{
    memmove(l->buffer, l->buffer + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    ssize_t got = read(l->fd, l->buffer + l->end, LINE_MAX_BYTES - l->end);
    if (got > 0)
        l->end += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        l->ended = true;
        l->problem = got < 0 ? errno : 0;
    }
}
