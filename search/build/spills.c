/* SPDX-License-Identifier: Apache-2.0
 *
 * spills: see spills.h. One pass over the lines. Only labels behind the last jump, call or return can begin a straight loop, so they
 * alone are remembered; what happened between them and the jump back is the difference of two counts.
 */
#include "search/build/spills.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_LABELS = 16 }; /* at one run of code; the first are forgotten */

typedef struct {
    int stored, loaded, multiplications;
} Counts;

typedef struct {
    const char *text;
    size_t len;
} Slice;

typedef struct {
    Slice name;
    Counts before;
} Label;

typedef struct {
    Counts now;
    int nlabel;
    Label label[MOST_LABELS];
    bool frame_pointer; /* %rbp is one in this function, not a register like others */
} Reader;

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

static bool is_vector(Slice operand)
{
    return begins(operand, "%zmm") || begins(operand, "%ymm") || begins(operand, "%xmm");
}

/* "-64(%rsp)": a fixed place. With an index it would be an array's element. */
static bool is_on_stack(const Reader *r, Slice operand)
{
    return ends(operand, "(%rsp)") || (r->frame_pointer && ends(operand, "(%rbp)"));
}

/* vmulps, mulps, vfmadd231ps, vfnmsub132pd, vpdpbusd, vpmaddwd ... and no scalars. */
static bool multiplies(Slice op)
{
    static const char *const packed[] = { "ps", "pd", "ph" }, *const of_floats[] = { "vfm", "vfnm", "vmul", "mul" },
                             *const of_integers[] = { "vpdp", "vpmadd", "vpmul", "pmadd", "pmul", "vdp", "tdp" };
    bool is_packed = false;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        is_packed = is_packed || ends(op, packed[i]);
    for (size_t i = 0; is_packed && i < sizeof of_floats / sizeof *of_floats; i++)
        if (begins(op, of_floats[i]))
            return true;
    for (size_t i = 0; i < sizeof of_integers / sizeof *of_integers; i++)
        if (begins(op, of_integers[i]))
            return true;
    return false;
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
    if (begins(op, "j")) {
        take_jump(r, operand(&p, end), out);
    } else if (begins(op, "call") || begins(op, "ret")) {
        r->nlabel = 0;
    } else {
        Slice last = { p, 0 }, next, before = { p, 0 };
        bool from_stack = false;
        while ((next = operand(&p, end)).len > 0) {
            from_stack = from_stack || is_on_stack(r, last);
            before = last;
            last = next;
        }
        r->now.multiplications += multiplies(op);
        r->now.loaded += from_stack && is_vector(last);
        r->now.stored += is_on_stack(r, last) && is_vector(before);
        r->frame_pointer = r->frame_pointer || (same(before, (Slice){ "%rsp", 4 }) && same(last, (Slice){ "%rbp", 4 }));
    }
}

void spills_read(const char *assembly, SpillReport *out)
{
    Reader r = { .nlabel = 0 };
    *out = (SpillReport){ 0 };
    for (const char *line = assembly, *end; *line; line = end + (*end == '\n')) {
        const char *p = line;
        end = line + strcspn(line, "\n");
        Slice first = word(&p, end);
        if (same(first, (Slice){ ".cfi_startproc", strlen(".cfi_startproc") }))
            r = (Reader){ .nlabel = 0 };
        else if (ends(first, ":"))
            remember(&r, (Slice){ first.text, first.len - 1 });
        else if (first.len > 0 && *first.text != '.' && *first.text != '#')
            take_instruction(&r, first, p, end, out);
    }
}
