/* SPDX-License-Identifier: Apache-2.0
 *
 * text_list: keeps a NULL behind the last word, so that a list is also an argv.
 */
#include "gen/base/text_list.h"

#include <string.h>
#include "gen/base/text.h"

void text_list_add(Arena *a, TextList *list, const char *item)
{
    list->item = arena_grow(a, list->item, (size_t)list->n, (size_t)list->n + 2, sizeof *list->item);
    list->item[list->n++] = item;
    list->item[list->n] = NULL;
}

void text_list_split(Arena *a, TextList *list, const char *text, const char *separators)
{
    while (*(text += strspn(text, separators))) {
        size_t n = strcspn(text, separators);
        text_list_add(a, list, arena_strndup(a, text, n));
        text += n;
    }
}

const char *text_list_join(Arena *a, const TextList *list, const char *separator)
{
    return names_join(a, NAMES(list->item, list->n), separator);
}

bool text_list_has(const TextList *list, const char *item) { return names_find(NAMES(list->item, list->n), item) >= 0; }
