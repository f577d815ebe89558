/* SPDX-License-Identifier: Apache-2.0
 *
 * printed: what is written to a stream, as text of an arena.
 *
 *   const char *text = PRINTED(arena, to, summary_print(to));
 */
#ifndef DCGEN_TESTS_PRINTED_H
#define DCGEN_TESTS_PRINTED_H

#include "gen/base/arena.h"

typedef struct {
    FILE *to;
    char *text;
    size_t n;
} Printed;

static inline FILE *printed_open(Printed *p) { return p->to = open_memstream(&p->text, &p->n); }

static inline char *printed_text(Printed *p, Arena *a)
{
    fclose(p->to);
    char *text = arena_strdup(a, p->text);
    free(p->text);
    return text;
}

#define PRINTED(arena, to, call)            \
    __extension__({                         \
        Printed printed_;                   \
        FILE *to = printed_open(&printed_); \
        call;                               \
        printed_text(&printed_, arena);     \
    })

#endif
