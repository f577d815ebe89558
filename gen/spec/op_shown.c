/* SPDX-License-Identifier: Apache-2.0
 *
 * op_shown: which numbers of a call people are shown. A convolution has eight attributes; nearly always a line about it
 * needs "STRIDE = 2" alone.
 */
#include "gen/spec/op_shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "gen/base/text.h"

/* The texts of n calls, those of one behind those of the other. */
typedef struct {
    const Op *op;
    const char *const *value;
    int64_t n;
} Calls;

static const char *value_of(const Calls *c, int64_t call, int extent)
{
    return c->value[call * c->op->ngiven + extent];
}

/* Is the attribute what a shape need not say, in all calls? */
static bool is_usual(const Calls *c, int extent)
{
    char usual[24];
    bool is = c->op->extent[extent].has_usual;
    snprintf(usual, sizeof usual, "%" PRId64, c->op->extent[extent].usual);
    for (int64_t i = 0; is && i < c->n; i++)
        is = value_of(c, i, extent) && strcmp(value_of(c, i, extent), usual) == 0;
    return is;
}

static bool are_alike(const Calls *c, int extent, int other)
{
    bool are = true;
    for (int64_t i = 0; are && i < c->n; i++) {
        const char *a = value_of(c, i, extent), *b = value_of(c, i, other);
        are = a && b && strcmp(a, b) == 0;
    }
    return are;
}

static bool shares_brief(const Extent *a, const Extent *b)
{
    return a->brief && b->brief && strcmp(a->brief, b->brief) == 0;
}

/* Are all attributes alike that share the name of this one, so that the name says them all? */
static bool is_brief(const Calls *c, int extent)
{
    const Extent *x = c->op->extent;
    bool is = x[extent].brief;
    for (int i = 0; is && i < c->op->ngiven; i++)
        is = !shares_brief(&x[i], &x[extent]) || are_alike(c, i, extent);
    return is;
}

/* Is there something to show of it, and of those that are shown with it? */
static bool is_shown(const Calls *c, int extent, bool brief)
{
    bool usual = is_usual(c, extent), given = true;
    for (int i = 0; usual && brief && i < c->op->ngiven; i++)
        usual = !shares_brief(&c->op->extent[i], &c->op->extent[extent]) || is_usual(c, i);
    for (int64_t i = 0; i < c->n; i++)
        given = given && value_of(c, i, extent);
    return given && !usual;
}

int op_shown(const Op *op, const char *const *value, int64_t n, OpShown *shown)
{
    const Calls c = { op, value, n };
    int nshown = 0;
    for (int i = 0; i < op->ngiven; i++) {
        const bool brief = is_brief(&c, i);
        if ((!brief || op_is_first_brief(op, i)) && is_shown(&c, i, brief))
            shown[nshown++] = (OpShown){ brief ? op->extent[i].brief : op->extent[i].name, i };
    }
    return nshown;
}

const char **op_shown_texts(Arena *a, const Op *op, const int64_t *extent)
{
    const char **text = ARENA_ARRAY(a, (size_t)op->ngiven, const char *);
    for (int i = 0; i < op->ngiven; i++)
        text[i] = arena_printf(a, "%" PRId64, extent[i]);
    return text;
}

const char *op_shown_values(Arena *a, const Op *op, const char *const *value, const char *is, const char *next)
{
    OpShown shown[OP_MAX_EXTENT];
    Text t = { .arena = a };
    const int n = op_shown(op, value, 1, shown);
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s%s%s", i ? next : "", shown[i].name, is, value[shown[i].extent]);
    return text_str(&t);
}

const char *op_shown_call(Arena *a, const Op *op, const int64_t *extent, const char *is, const char *next)
{
    return op_shown_values(a, op, op_shown_texts(a, op, extent), is, next);
}
