/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: memory that lives as long as one named thing (the run, one candidate). Nothing in an arena is freed alone, but
 * for what arena_regrow leaves; out of memory ends the program with exit code 3.
 */
#ifndef DCGEN_ARENA_H
#define DCGEN_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a);  /* NULL is allowed */
void arena_reset(Arena *a); /* forget everything, keep the memory */

void *arena_alloc(Arena *a, size_t bytes);                    /* zeroed, 16-byte aligned */
void *arena_array(Arena *a, size_t count, size_t elem_bytes); /* zeroed; checks the product */
void *arena_grow(Arena *a, const void *old, size_t old_count, size_t new_count, size_t elem_bytes);
/* As arena_grow, but nothing may point to the old place any more: of a large one the memory is used again. */
void *arena_regrow(Arena *a, void *old, size_t old_count, size_t new_count, size_t elem_bytes);
char *arena_strdup(Arena *a, const char *s);
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);

#define LENGTH(table) (sizeof(table) / sizeof *(table))
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))
/* The place of one more behind the n of a list, which it counts: *ARENA_PUSH(a, list->item, list->n) = x. */
#define ARENA_PUSH(a, list, n) \
    ((list) = arena_grow((a), (list), (size_t)(n), (size_t)(n) + 1, sizeof *(list)), &(list)[(n)++])
/* The same for a long list that grows while others do: its room doubles. All of it must be added so. */
#define ARENA_APPEND(a, list, n)                                                                                       \
    ((list) = ((n) & ((n)-1)) ? (list) : arena_grow((a), (list), (size_t)(n), 2 * (size_t)(n) + !(n), sizeof *(list)), \
     &(list)[(n)++])

#endif
