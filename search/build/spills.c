/* SPDX-License-Identifier: Apache-2.0
 *
 * spills: looks for the loops in a compiler's assembly, in one pass over the lines. Only labels behind the last jump, call or return can begin a straight loop, so they
 * alone are remembered; what happened between them and the jump back is the difference of two counts.
 */
#include "search/build/spills.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_LABELS = 16 }; /* at one run of code; the first are forgotten */

typedef struct {
    const char *text;
    size_t len;
} Slice;

typedef struct {
    Slice name;
    SpillReport before; /* counts until there */
} Label;

typedef struct {
    const Assembly *syntax;
    SpillReport now; /* counts so far, of all loops */
    int nlabel;
    Label label[MOST_LABELS];
    bool frame_pointer; /* this function has one; else it is a register like others */
} Reader;

static bool is(Slice s, const char *text) { return s.len == strlen(text) && memcmp(s.text, text, s.len) == 0; }

static bool same(Slice a, Slice b) { return a.len == b.len && memcmp(a.text, b.text, a.len) == 0; }

static bool begins(Slice s, const char *with)
{
    return s.len >= strlen(with) && memcmp(s.text, with, strlen(with)) == 0;
}

static bool ends(Slice s, const char *with)
{
    const size_t n = strlen(with);
    return s.len >= n && memcmp(s.text + s.len - n, with, n) == 0;
}

/* One of a list that the text begins with, or ends in. */
static bool any(const char *const *list, Slice s, bool (*fits)(Slice s, const char *with))
{
    for (; *list; list++)
        if (fits(s, *list))
            return true;
    return false;
}

static bool is_vector(const Reader *r, Slice operand) { return any(r->syntax->vector, operand, begins); }

static bool is_on_stack(const Reader *r, Slice operand)
{
    return ends(operand, r->syntax->stack) || (r->frame_pointer && ends(operand, r->syntax->frame));
}

/* vmulps, mulps, vfmadd231ps, vfnmsub132pd, vpdpbusd, vpmaddwd ... and no scalars. */
static bool multiplies(const Assembly *x, Slice op)
{
    return any(x->multiply, op, begins) || (any(x->multiply_f, op, begins) && any(x->packed, op, ends));
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static Slice word(const char **p, const char *end)
{
    while (*p < end && is_blank(**p))
        ++*p;
    Slice w = { *p, 0 };
    while (*p < end && !is_blank(**p))
        ++*p;
    w.len = (size_t)(*p - w.text);
    return w;
}

/* The next of "8(%rax,%rdx,4), %zmm0"; none: an empty one. */
static Slice operand(const char **p, const char *end)
{
    int depth = 0;
    while (*p < end && (is_blank(**p) || **p == ','))
        ++*p;
    Slice o = { *p, 0 };
    for (; *p < end && **p != '#' && !(**p == ',' && depth == 0); ++*p)
        depth += (**p == '(') - (**p == ')');
    o.len = (size_t)(*p - o.text);
    while (o.len > 0 && is_blank(o.text[o.len - 1]))
        o.len--;
    return o;
}

static void remember(Reader *r, Slice name)
{
    if (r->nlabel == MOST_LABELS)
        memmove(r->label, r->label + 1, (size_t)--r->nlabel * sizeof *r->label);
    r->label[r->nlabel++] = (Label){ name, r->now };
}

static void take_loop(const Reader *r, const Label *from, SpillReport *out)
{
    const int stored = r->now.stored - from->before.stored, loaded = r->now.loaded - from->before.loaded;
    const int multiplications = r->now.multiplications - from->before.multiplications;
    if (multiplications == 0)
        return;
    const bool most = out->loops == 0 || stored + loaded > out->stored + out->loaded;
    out->loops++;
    if (most) {
        out->stored = stored;
        out->loaded = loaded;
        out->multiplications = multiplications;
    }
}

static void take_jump(Reader *r, Slice target, SpillReport *out)
{
    for (int i = 0; i < r->nlabel; i++)
        if (same(r->label[i].name, target))
            take_loop(r, &r->label[i], out);
    r->nlabel = 0;
}

static void take_instruction(Reader *r, Slice op, const char *p, const char *end, SpillReport *out)
{
    if (begins(op, r->syntax->jump)) {
        take_jump(r, operand(&p, end), out);
    } else if (any(r->syntax->leave, op, begins)) {
        r->nlabel = 0;
    } else {
        Slice last = { p, 0 }, next, before = { p, 0 };
        bool from_stack = false;
        while ((next = operand(&p, end)).len > 0) {
            from_stack = from_stack || is_on_stack(r, last);
            before = last;
            last = next;
        }
        r->now.multiplications += multiplies(r->syntax, op);
        r->now.loaded += from_stack && is_vector(r, last);
        r->now.stored += is_on_stack(r, last) && is_vector(r, before);
        r->frame_pointer = r->frame_pointer || (is(before, r->syntax->from) && is(last, r->syntax->to));
    }
}

void spills_read(const Assembly *syntax, const char *text, SpillReport *out)
{
    Reader r = { .syntax = syntax };
    *out = (SpillReport){ 0 };
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        const char *p = line;
        end = line + strcspn(line, "\n");
        Slice first = word(&p, end);
        if (is(first, ".cfi_startproc"))
            r = (Reader){ .syntax = syntax };
        else if (ends(first, ":"))
            remember(&r, (Slice){ first.text, first.len - 1 });
        else if (first.len > 0 && *first.text != '.' && *first.text != '#')
            take_instruction(&r, first, p, end, out);
    }
}
