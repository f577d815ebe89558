/* SPDX-License-Identifier: Apache-2.0
 *
 * diag: what is wrong with a user's file, all of it at once, each with its place:
 *
 *   specs/x.cfg:7:5: error: unknown key 'weigth'; did you mean 'weight'?
 *       { M = "16*T"; weigth = 1.0; }
 *                     ^~~~~~
 */
#ifndef DCGEN_DIAG_H
#define DCGEN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "gen/arena.h"

typedef struct {
    const char *path; /* as the user wrote it */
    const char *text; /* the whole file, NUL-terminated; NULL when it could not be read */
    size_t len;
} Source;

typedef struct {
    const Source *src;
    int line, col; /* from 1; 0 when unknown: then the line, or the caret, is not shown */
    int width;     /* characters underlined, at least 1 */
} Loc;

typedef struct Diag Diag;

Diag *diag_new(Arena *a);
void diag_error(Diag *d, Loc at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warn(Diag *d, Loc at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int diag_nerror(const Diag *d);
void diag_print(const Diag *d, FILE *out); /* in order of file, line, column; stable */
void diag_use_color(bool on);              /* by all that is printed from now on; off at first */

/* The name nearest to `word` by edit distance (at most a third of its letters, at least one); NULL if none. */
const char *diag_nearest(const char *word, const char *const *names, size_t nname);

/* Line and column of byte `offset` of a source. */
Loc loc_at(const Source *src, size_t offset, int width);

#endif
