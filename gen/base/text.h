/* SPDX-License-Identifier: Apache-2.0
 *
 * text: a growing string, and whole files as strings. Used by everything that writes source code.
 */
#ifndef DCGEN_TEXT_H
#define DCGEN_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"

typedef struct {
    Arena *arena;
    char *s; /* NUL-terminated once anything was added; NULL before */
    size_t len, cap;
} Text;

void text_add(Text *t, const char *s);
void text_addn(Text *t, const char *s, size_t n);
void text_printf(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *text_str(const Text *t); /* never NULL */

/* Makes all letters of s small or capital, in place: `to` is tolower or toupper. Gives s. */
char *text_letters(char *s, int (*to)(int));

/* n names, to look one up in: of a table of structs whose first member is the name, or of a list of words. */
typedef struct {
    const void *rows;
    size_t row_bytes, n;
} Names;
#define NAMES(rows, n) ((Names){ rows, sizeof *(rows), (size_t)(n) })
const char *names_at(Names all, size_t i);
int names_find(Names all, const char *name);  /* the number of its row; -1: there is none */
void *names_row(Names all, const char *name); /* its row; NULL: there is none */
const char *names_join(Arena *a, Names all, const char *between);

/* The whole file, NUL-terminated, with its length; NULL with errno set when it cannot be read. */
char *text_read_file(Arena *a, const char *path, size_t *len);

/* Writes all n bytes; false with errno set. After a short write it tries the rest, so that errno says what is wrong. */
bool text_write(int fd, const char *s, size_t n);
/* Writes n bytes to a new file, or in the place of what a file holds. False with errno set. */
bool text_write_file(const char *path, const char *s, size_t n);
/* Closes fd. False when `ok` is false, with errno as it was before, or when closing fails, with errno set. */
bool text_close(int fd, bool ok);

/* The text with LF in the place of CR LF, which git may write. *len: its bytes, before and after the call. */
char *text_with_lf(Arena *a, const char *text, size_t *len);

#endif
