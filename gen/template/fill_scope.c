/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_scope: puts words and lists together, and finds them.
 */
#include "gen/template/fill_scope.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "gen/base/text.h"

FillScope *fill_scope(Arena *a, const FillScope *outer)
{
    FillScope *s = ARENA_NEW(a, FillScope);
    *s = (FillScope){ .arena = a, .outer = outer };
    return s;
}

void fill_word(FillScope *s, const char *name, const char *text)
{
    *ARENA_PUSH(s->arena, s->word, s->nword) = (FillWord){ .name = name, .text = text, .len = strlen(name) };
}

void fill_wordf(FillScope *s, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill_word(s, name, arena_vprintf(s->arena, fmt, ap));
    va_end(ap);
}

void fill_number(FillScope *s, const char *name, int64_t value) { fill_wordf(s, name, "%" PRId64, value); }

FillWord fill_as_number(const char *name, int64_t number) { return (FillWord){ .name = name, .number = number }; }
FillWord fill_as_text(const char *name, const char *text) { return (FillWord){ .name = name, .text = text }; }

void fill_words(FillScope *s, const FillWord *word)
{
    for (; word->name; word++)
        if (word->text)
            fill_word(s, word->name, word->text);
        else
            fill_number(s, word->name, word->number);
}

void fill_list(FillScope *s, const char *name)
{
    *ARENA_PUSH(s->arena, s->list, s->nlist) = (FillList){ .name = name };
}

void fill_adopt(FillScope *s, FillScope *row)
{
    FillList *l = &s->list[s->nlist - 1];
    if (l->n)
        FILL_WORDS(l->row[l->n - 1], WORD("LAST", 0), WORD("COMMA", ","));
    FILL_WORDS(row, WORD("NUMBER", l->n), WORD("LAST", 1), WORD("COMMA", ""));
    *ARENA_PUSH(s->arena, l->row, l->n) = row;
}

FillScope *fill_row(FillScope *s)
{
    FillScope *row = fill_scope(s->arena, s);
    fill_adopt(s, row);
    return row;
}

FillScope *fill_row_at(const FillScope *s, const char *list, int i)
{
    const FillList *l = names_row(NAMES(s->list, s->nlist), list);
    return l->row[i];
}

const char *fill_find(const FillScope *s, const char *name, size_t len)
{
    for (; s; s = s->outer)
        for (int i = s->nword; i-- > 0;)
            if (s->word[i].len == len && memcmp(name, s->word[i].name, len) == 0)
                return s->word[i].text;
    return NULL;
}
