/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_names: names of nodes and values: which there are, how those within a function are called outside of it, and
 * new ones.
 */
#include "gen/import/onnx_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 100, NAME_UNIT = 16 /* bytes of a new name that count as one piece of work */ };

/* ---- tables ---- */

void *list_room(Arena *a, void *item, int n, int *cap, size_t item_bytes)
{
    if (n < *cap)
        return item;
    const int old = *cap;
    *cap = old ? 2 * old : 8;
    return arena_grow(a, item, (size_t)old, (size_t)*cap, item_bytes);
}

NameTable table_new(Arena *a) { return (NameTable){ .index.arena = a }; }

NameRow *table_find(const NameTable *t, const char *name)
{
    const uint64_t hash = index_word(name, 0);
    size_t from = 0;
    for (int64_t i; (i = index_next(&t->index, hash, &from)) >= 0;)
        if (strcmp(t->row[i].name, name) == 0)
            return &t->row[i];
    return NULL;
}

NameRow *table_add(NameTable *t, const char *name, int64_t value)
{
    t->row = list_room(t->index.arena, t->row, t->n, &t->cap, sizeof *t->row);
    t->row[t->n] = (NameRow){ name, value };
    index_add(&t->index, index_word(name, 0), t->n);
    return &t->row[t->n++];
}

/* ---- names ---- */

const char *onnx_text(const char *s) { return s ? s : ""; }

const char *onnx_domain(const char *s) { return !s || strcmp(s, "ai.onnx") == 0 ? "" : s; }

const char *onnx_shown(Arena *a, const char *name)
{
    return arena_printf(a, "'%.*s%s'", SHOWN_BYTES, name, strnlen(name, SHOWN_BYTES + 1) > SHOWN_BYTES ? "..." : "");
}

const char *onnx_unique(Import *im, NameTable *t, const char *like)
{
    const char *name = like;
    NameRow *row = table_find(t, like);
    if (row) { /* its value is the last number behind it, below 0 if no node has it yet */
        int64_t k = llabs(row->value) + (row->value == 0);
        while (table_find(t, name))
            name = arena_printf(im->arena, "%s_%" PRId64, like, ++k);
        row->value = row->value > 0 ? k : -k;
    }
    onnx_spend(im, 1 + (int64_t)strlen(name) / NAME_UNIT);
    return table_add(t, name, 1)->name;
}

static void note(NameTable *t, const char *name)
{
    if (name && *name && !table_find(t, name))
        table_add(t, name, 0);
}

void onnx_note_names(Import *im, const Onnx__GraphProto *g)
{
    for (size_t i = 0; i < g->n_input; i++)
        note(&im->values, g->input[i]->name);
    for (size_t i = 0; i < g->n_initializer; i++)
        note(&im->values, g->initializer[i]->name);
    for (size_t i = 0; i < g->n_node; i++) {
        const Onnx__NodeProto *p = g->node[i];
        note(&im->nodes, p->name);
        for (size_t k = 0; k < p->n_output; k++)
            note(&im->values, p->output[k]);
        for (size_t k = 0; k < p->n_attribute; k++)
            if (p->attribute[k]->g)
                onnx_note_names(im, p->attribute[k]->g);
    }
}

/* ---- scopes ---- */

void onnx_map(Import *im, Scope *s, const char *inside, const char *outside)
{
    s->outside = list_room(im->arena, s->outside, s->names.n, &s->cap, sizeof *s->outside);
    s->outside[s->names.n] = outside;
    table_add(&s->names, inside, s->names.n);
}

const char *onnx_outside(Import *im, Scope *s, const char *name)
{
    if (!s || !*name)
        return name;
    const NameRow *row = table_find(&s->names, name);
    if (row)
        return s->outside[row->value];
    const char *outside = onnx_unique(im, &im->values, arena_printf(im->arena, "%s/%s", s->prefix, name));
    onnx_map(im, s, name, outside);
    return outside;
}
