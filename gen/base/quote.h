/* SPDX-License-Identifier: Apache-2.0
 *
 * quote: text from outside, written into another language. From outside come specs, op.cfg, the files of targets, the
 * heads of templates, records, names of files, and what compilers say. One function a language; whatever it is given,
 * what it writes stays within the comment, string, cell or line that it is put into.
 *
 * What all of them write is valid UTF-8. Bytes that are not, control characters, and characters that turn the direction
 * of writing or cannot be seen ("Trojan source") become "?", in HTML U+FFFD; an end of a line and a tab become a blank.
 * One line of text is cut behind QUOTE_MAX bytes, and "..." says so; strings of C, CMake, JSON and HTML are not cut.
 * NULL is written as "", in JSON as null.
 */
#ifndef DCGEN_QUOTE_H
#define DCGEN_QUOTE_H

#include <stdbool.h>
#include <stdio.h>
#include "gen/base/text.h"

struct json_t;

enum { QUOTE_MAX = 600 };

/* C: within a block comment. It cannot end there, nor can another begin; no trigraph, and no backslash at the end. */
char *quote_comment(Arena *a, const char *s);
/* C: a string literal with its quotes. */
char *quote_string(Arena *a, const char *s);
/* Markdown: within a line, behind its first word, or within a cell of a table. */
char *quote_markdown(Arena *a, const char *s);
/* gnuplot: a string with its quotes; all but letters, digits and harmless signs become "?". */
char *quote_gnuplot(Arena *a, const char *s);
/* CMake: a quoted argument with its quotes. It refers to no variable and is one element of a list. */
char *quote_cmake(Arena *a, const char *s);
/* HTML: content of an element, or of a quoted attribute. */
void quote_html(Text *t, const char *s);

/* JSON: a string. Only what is not UTF-8 is changed. */
struct json_t *quote_json(const char *s);
char *quote_json_text(Arena *a, const char *s); /* with its quotes */
/* JSON: a value on lines of its own, in ASCII, reals with nine digits. Both functions take over the reference to it. */
char *quote_json_lines(Arena *a, struct json_t *value);
void quote_print_json(struct json_t *value, FILE *to);

/* A terminal: one line of text, as a field of a message or of a table. */
char *quote_line(Arena *a, const char *s);
/* A terminal: whole messages and tables, of which the ends of lines and the tabs stay. */
void quote_print(FILE *to, const char *s, size_t n);
void quote_printf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void quote_vprintf(FILE *to, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Bytes of the character at s, of which n > 0 bytes are left; 0: it is none, or none that is shown. */
size_t quote_shown(const char *s, size_t n);

#endif
