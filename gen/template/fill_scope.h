/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_scope: the words and lists that a pattern is filled with (fill.h), put together by who fills it.
 */
#ifndef DCGEN_FILL_SCOPE_H
#define DCGEN_FILL_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/base/arena.h"

typedef struct FillScope FillScope;

typedef struct {
    const char *name, *text; /* text NULL: it stands for the number */
    int64_t number;
    size_t len; /* of the name */
} FillWord;

typedef struct {
    const char *name;
    int n;
    FillScope **row;
} FillList;

/* What the names of a pattern stand for. */
struct FillScope {
    Arena *arena;
    const FillScope *outer; /* whose names are known here too; NULL: none */
    FillWord *word;
    FillList *list;
    int nword, nlist;
};

FillScope *fill_scope(Arena *a, const FillScope *outer);
void fill_word(FillScope *s, const char *name, const char *text);
void fill_wordf(FillScope *s, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void fill_number(FillScope *s, const char *name, int64_t value);
/* Several words, each for a text or for an integer: FILL_WORDS(row, WORD("AXIS", axis->name), WORD("PLACE", i)); */
#define FILL_WORDS(s, ...) fill_words(s, (const FillWord[]){ __VA_ARGS__, { .name = NULL } })
#define WORD(name, v) \
    _Generic((v), bool: fill_as_number, int: fill_as_number, int64_t: fill_as_number, char *: fill_as_text, \
             const char *: fill_as_text)(name, v)
void fill_words(FillScope *s, const FillWord *word);
FillWord fill_as_number(const char *name, int64_t number);
FillWord fill_as_text(const char *name, const char *text);
/* fill_list begins a list; fill_row adds a row to the list that was begun last. Each row has the words NUMBER (from 0),
 * LAST (0 or 1) and COMMA, which is empty in the last row. */
void fill_list(FillScope *s, const char *name);
FillScope *fill_row(FillScope *s);
/* Makes a scope that there is already a row of the list that was begun last. */
void fill_adopt(FillScope *s, FillScope *row);
/* The i-th row of a list that s has. */
FillScope *fill_row_at(const FillScope *s, const char *list, int i);
/* The text of a word: of the innermost scope that has it, and there of the last one of that name. NULL: none has it. */
const char *fill_find(const FillScope *s, const char *name, size_t len);

#endif
