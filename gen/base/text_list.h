/* SPDX-License-Identifier: Apache-2.0
 *
 * text_list: a list of words that grows.
 */
#ifndef DCGEN_TEXT_LIST_H
#define DCGEN_TEXT_LIST_H

#include <stdbool.h>
#include "gen/base/arena.h"

typedef struct {
    const char **item; /* item[n] is NULL */
    int n;
} TextList;

void text_list_add(Arena *a, TextList *list, const char *item);
/* Splits text at any of `separators`; empty pieces are dropped. */
void text_list_split(Arena *a, TextList *list, const char *text, const char *separators);
const char *text_list_join(Arena *a, const TextList *list, const char *separator);
bool text_list_has(const TextList *list, const char *item);

#endif
