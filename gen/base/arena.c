/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: a list of chunks. Under AddressSanitizer bytes that nobody asked for are poisoned.
 */
#include "gen/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DCGEN_SANITIZE_address
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 16, CHUNK_BYTES = 64 * 1024, EXIT_ENVIRONMENT = 3 };

typedef struct Chunk {
    struct Chunk *next;
    size_t cap, used;
    _Alignas(ALIGN) char data[];
} Chunk;

struct Arena {
    Chunk *first, *current; /* chunks after `current` are empty */
};

static _Noreturn void out_of_memory(void)
{
    fputs("dcgen: out of memory\n", stderr);
    exit(EXIT_ENVIRONMENT);
}

static Chunk *chunk_new(size_t bytes)
{
    size_t cap = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    Chunk *c = malloc(sizeof *c + cap);
    if (!c)
        out_of_memory();
    *c = (Chunk){ .cap = cap };
    ASAN_POISON_MEMORY_REGION(c->data, cap);
    return c;
}

Arena *arena_new(void)
{
    Arena *a = calloc(1, sizeof *a);
    if (!a)
        out_of_memory();
    a->first = a->current = chunk_new(0);
    return a;
}

void arena_free(Arena *a)
{
    if (!a)
        return;
    for (Chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        ASAN_UNPOISON_MEMORY_REGION(c->data, c->cap);
        free(c);
    }
    free(a);
}

void arena_reset(Arena *a)
{
    for (Chunk *c = a->first; c; c = c->next) {
        ASAN_POISON_MEMORY_REGION(c->data, c->cap);
        c->used = 0;
    }
    a->current = a->first;
}

static size_t round_up(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        out_of_memory();
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Moves on to the next chunk with room: one kept by a reset, or a new one. */
static void chunk_advance(Arena *a, size_t bytes)
{
    Chunk *next = a->current->next;
    if (!next || next->cap < bytes) {
        Chunk *c = chunk_new(bytes);
        c->next = next;
        a->current->next = c;
        next = c;
    }
    a->current = next;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    size_t need = round_up(bytes ? bytes : 1);
    if (a->current->cap - a->current->used < need)
        chunk_advance(a, need);
    Chunk *c = a->current;
    char *p = c->data + c->used;
    c->used += need;
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return memset(p, 0, bytes);
}

static size_t checked_product(size_t count, size_t elem_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, elem_bytes, &bytes))
        out_of_memory();
    return bytes;
}

void *arena_array(Arena *a, size_t count, size_t elem_bytes)
{
    return arena_alloc(a, checked_product(count, elem_bytes));
}

/* Grows the newest allocation where it is, if its chunk has room. */
static bool grow_in_place(Arena *a, char *old, size_t old_bytes, size_t new_bytes)
{
    Chunk *c = a->current;
    size_t old_need = round_up(old_bytes ? old_bytes : 1), need = round_up(new_bytes ? new_bytes : 1);
    if (c->used < old_need || old != c->data + c->used - old_need || need - old_need > c->cap - c->used)
        return false;
    c->used += need - old_need;
    ASAN_UNPOISON_MEMORY_REGION(old, new_bytes);
    memset(old + old_bytes, 0, new_bytes - old_bytes);
    return true;
}

/* Grows an allocation that has a chunk for itself together with its chunk. Gives its new place; NULL: it has none. */
static void *grow_chunk(Arena *a, const char *old, size_t old_bytes, size_t new_bytes)
{
    const size_t old_need = round_up(old_bytes), need = round_up(new_bytes);
    Chunk **at = &a->first;
    while (*at && (*at)->data != old)
        at = &(*at)->next;
    if (!*at || (*at)->used != old_need)
        return NULL;
    const bool is_current = a->current == *at;
    ASAN_UNPOISON_MEMORY_REGION((*at)->data, (*at)->cap);
    Chunk *c = realloc(*at, sizeof *c + need);
    if (!c)
        out_of_memory();
    *at = c;
    c->cap = c->used = need;
    a->current = is_current ? c : a->current;
    ASAN_POISON_MEMORY_REGION(c->data, c->cap);
    ASAN_UNPOISON_MEMORY_REGION(c->data, new_bytes);
    memset(c->data + old_bytes, 0, new_bytes - old_bytes);
    return c->data;
}

void *arena_grow(Arena *a, const void *old, size_t old_count, size_t new_count, size_t elem_bytes)
{
    size_t old_bytes = checked_product(old_count, elem_bytes), new_bytes = checked_product(new_count, elem_bytes);
    if (new_bytes < old_bytes)
        new_bytes = old_bytes;
    if (old && grow_in_place(a, (char *)old, old_bytes, new_bytes))
        return (void *)old;
    void *p = arena_alloc(a, new_bytes);
    if (old_bytes)
        memcpy(p, old, old_bytes);
    return p;
}

void *arena_regrow(Arena *a, void *old, size_t old_count, size_t new_count, size_t elem_bytes)
{
    const size_t old_bytes = checked_product(old_count, elem_bytes);
    const size_t new_bytes = checked_product(new_count, elem_bytes);
    void *grown = old_bytes > CHUNK_BYTES && new_bytes > old_bytes ? grow_chunk(a, old, old_bytes, new_bytes) : NULL;
    return grown ? grown : arena_grow(a, old, old_count, new_count, elem_bytes);
}

char *arena_strdup(Arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_strndup(Arena *a, const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = arena_alloc(a, len + 1);
    return memcpy(copy, s, len);
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    va_list copy;
    va_copy(copy, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *s = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0)
        vsnprintf(s, (size_t)n + 1, fmt, copy);
    va_end(copy);
    return s;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}
