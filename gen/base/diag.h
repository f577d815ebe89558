/* SPDX-License-Identifier: Apache-2.0
 *
 * diag: what is wrong with a user's file, all of it at once, each with its place:
 *
 *   specs/x.cfg:7:5: error: unknown key 'weigth'; did you mean 'weight'?
 *       { M = "16*T"; weigth = 1.0; }
 *                     ^~~~~~
 *
 * A message says what would be right, where that is known, as "expected X", with ", found Y" or "; ..." behind it or
 * nothing, or as "did you mean 'X'?": in JSON that is a key of its own.
 */
#ifndef DCGEN_DIAG_H
#define DCGEN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "gen/base/text.h"

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

/* A DIAG_NOTE is an answer that the user asked for, no complaint. */
typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } DiagSeverity;

Diag *diag_new(Arena *a);
/* Keeps a message, but the same one at a place once. Always false: a reader ends with `return diag_error(...)`. */
bool diag_add(Diag *d, DiagSeverity severity, Loc at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
#define diag_error(d, ...) diag_add(d, DIAG_ERROR, __VA_ARGS__)
#define diag_warn(d, ...) diag_add(d, DIAG_WARNING, __VA_ARGS__)
int diag_nerror(const Diag *d);
void diag_print(const Diag *d, FILE *out); /* in order of file, line, column; stable */
void diag_use_color(bool on);              /* by all that is printed from now on; off at first */

/* Prints one line at once, without a line of a file below it: "dcgen: ..." (of a note the text alone) or "path:line:
 * warning: ...". */
void diag_say_at(FILE *out, DiagSeverity severity, const char *path, int64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
#define diag_say(out, severity, ...) diag_say_at(out, severity, NULL, 0, __VA_ARGS__)
/* From now on each error, warning and note is one JSON object in a line (docs/spec.md has its keys); off at first. */
void diag_use_json(bool on);

/* The name nearest to `word` by edit distance (at most a third of its letters, at least one); NULL if none. */
const char *diag_nearest(const char *word, Names names);

/* The place of byte `offset` of a source. */
Loc loc_at(const Source *src, size_t offset, int width);
/* The place of text[offset], where text[0] stands at `at`; the text may run over several lines. */
Loc loc_in(Loc at, const char *text, size_t offset, size_t width);

#endif
