/* SPDX-License-Identifier: Apache-2.0
 *
 * spills: looks for the loops in a compiler's assembly, in one pass over the lines. Only labels behind the last jump,
 * call or return can begin a straight loop, so they alone are remembered; what happened between them and the jump back
 * is the difference of two counts. In the log of the assembler of GPU code numbers are found by the words behind them,
 * as their order differs from release to release.
 */
#define _GNU_SOURCE /* memmem */
#include "search/build/spills.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 16 }; /* for one run of code; when there are more, the first are forgotten */
#define BLANKS " \t"

typedef struct {
    const char *text;
    size_t len;
} Slice;

typedef struct {
    Slice name;
    SpillReport before; /* the counts at the label */
    int instructions;   /* likewise */
} Label;

typedef struct {
    const Assembly *syntax;
    SpillReport now;  /* counts so far, of all loops */
    int instructions; /* of all loops, so far */
    int nlabel;
    Label label[MOST_LABELS];
    Slice function;     /* its name */
    bool frame_pointer; /* this function has one; without, Assembly.frame is a register like others */
    void (*each)(void *ctx, const char *function, int len, const SpillReport *loop);
    void *ctx;
} AssemblyReader;

static bool same(Slice a, Slice b) { return a.len == b.len && memcmp(a.text, b.text, a.len) == 0; }

static bool is(Slice s, const char *text) { return same(s, (Slice){ text, strlen(text) }); }

static bool begins(Slice s, const char *with)
{
    return s.len >= strlen(with) && memcmp(s.text, with, strlen(with)) == 0;
}

static bool ends(Slice s, const char *with)
{
    const size_t n = strlen(with);
    return s.len >= n && memcmp(s.text + s.len - n, with, n) == 0;
}

/* True if the slice fits one text of the list: begins with it, or ends in it. */
static bool fits_any(const char *const *list, Slice s, bool (*fits)(Slice s, const char *with))
{
    for (; *list; list++)
        if (fits(s, *list))
            return true;
    return false;
}

static bool is_vector(const AssemblyReader *r, Slice operand) { return fits_any(r->syntax->vector, operand, begins); }

static bool holds(Slice s, const char *text) { return memmem(s.text, s.len, text, strlen(text)) != NULL; }

static bool is_on_stack(const AssemblyReader *r, Slice operand)
{
    return holds(operand, r->syntax->stack) || (r->frame_pointer && holds(operand, r->syntax->frame));
}

/* True for vmulps, mulps, vfmadd231ps, vfnmsub132pd, vpdpbusd, vpmaddwd ..., and not for what multiplies scalars. */
static bool multiplies_vectors(const Assembly *x, Slice op)
{
    return fits_any(x->multiply, op, begins) || (fits_any(x->multiply_f, op, begins) && fits_any(x->packed, op, ends));
}

static Slice next_word(const char **p)
{
    *p += strspn(*p, BLANKS);
    const Slice w = { *p, strcspn(*p, "\n" BLANKS) };
    *p += w.len;
    return w;
}

/* The next operand of a line such as "8(%rax,%rdx,4), %zmm0"; an empty one at its end. */
static Slice next_operand(const char **p)
{
    int depth = 0;
    *p += strspn(*p, "," BLANKS);
    Slice o = { *p, 0 };
    for (; **p && **p != '\n' && **p != '#' && !(**p == ',' && depth == 0); ++*p)
        depth += (strchr("([{", **p) != NULL) - (strchr(")]}", **p) != NULL);
    o.len = (size_t)(*p - o.text);
    while (o.len > 0 && strchr(BLANKS, o.text[o.len - 1]))
        o.len--;
    return o;
}

static void take_label(AssemblyReader *r, Slice name)
{
    if (!begins(name, "."))
        r->function = name;
    if (r->nlabel == MOST_LABELS)
        memmove(r->label, r->label + 1, (size_t)--r->nlabel * sizeof *r->label);
    r->label[r->nlabel++] = (Label){ name, r->now, r->instructions };
}

static void take_loop(const AssemblyReader *r, const Label *from)
{
    SpillReport loop = { 1,
                         r->now.stored - from->before.stored,
                         r->now.loaded - from->before.loaded,
                         r->now.multiplications - from->before.multiplications,
                         r->now.stores - from->before.stores,
                         r->now.loads - from->before.loads,
                         0 };
    if (loop.multiplications == 0)
        return;
    loop.instructions = 100 * (r->instructions - from->instructions) / loop.multiplications;
    r->each(r->ctx, r->function.text, (int)r->function.len, &loop);
}

static void take_jump(AssemblyReader *r, Slice target)
{
    for (int i = 0; i < r->nlabel; i++)
        if (same(r->label[i].name, target))
            take_loop(r, &r->label[i]);
    r->nlabel = 0;
}

static void take_operands(AssemblyReader *r, Slice op, const char *p)
{
    Slice before = { p, 0 }, last = { p, 0 }, next;
    int vectors = 0;
    bool memory = false, stack = false, into = r->syntax->store && begins(op, r->syntax->store);
    for (; (next = next_operand(&p)).len > 0; before = last, last = next) {
        vectors += is_vector(r, next);
        stack = stack || is_on_stack(r, next);
        if (!is_vector(r, next) && holds(next, r->syntax->memory)) { /* v1.s[0] is a register */
            const char *behind = p;
            memory = true;
            into = into || (!r->syntax->store && next_operand(&behind).len == 0);
        }
    }
    if (vectors > 0) {
        r->now.multiplications += multiplies_vectors(r->syntax, op);
        *(into ? &r->now.stores : &r->now.loads) += memory;
        *(into ? &r->now.stored : &r->now.loaded) += stack;
    }
    r->frame_pointer = r->frame_pointer || (is(before, r->syntax->frame_made[0]) && is(last, r->syntax->frame_made[1]));
}

static void take_instruction(AssemblyReader *r, Slice op, const char *p)
{
    Slice last = { p, 0 };
    r->instructions++;
    if (fits_any(r->syntax->jump, op, begins) || is(op, r->syntax->always)) {
        for (Slice next; (next = next_operand(&p)).len > 0;)
            last = next;
        take_jump(r, last);
    } else if (fits_any(r->syntax->leave, op, begins)) {
        r->nlabel = 0;
    } else {
        take_operands(r, op, p);
    }
}

void spills_loops(const Assembly *syntax, const char *text,
                  void (*each)(void *ctx, const char *function, int len, const SpillReport *loop), void *ctx)
{
    AssemblyReader r = { .syntax = syntax, .each = each, .ctx = ctx };
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const Slice first = next_word(&p);
        if (is(first, ".cfi_startproc"))
            r = (AssemblyReader){ .syntax = syntax, .function = r.function, .each = each, .ctx = ctx };
        else if (ends(first, ":"))
            take_label(&r, (Slice){ first.text, first.len - 1 });
        else if (first.len > 0 && !strchr(".#/", *first.text))
            take_instruction(&r, first, p);
    }
}

/* The loop that moves most, and the one that multiplies most. */
typedef struct {
    SpillReport worst, longest;
} LoopsKept;

static void keep_loop(void *ctx, const char *function, int len, const SpillReport *loop)
{
    LoopsKept *k = ctx;
    SpillReport *worst = &k->worst, *longest = &k->longest;
    const int loops = worst->loops + 1, more = loop->multiplications - longest->multiplications;
    if (ends((Slice){ function, (size_t)len }, SPILLS_FINISH))
        return;
    if (more > 0 || (more == 0 && loop->instructions < longest->instructions))
        *longest = *loop;
    if (loops == 1 || loop->stored + loop->loaded > worst->stored + worst->loaded)
        *worst = *loop;
    worst->loops = loops;
}

void spills_read(const Assembly *syntax, const char *text, SpillReport *out)
{
    LoopsKept kept = { 0 };
    spills_loops(syntax, text, keep_loop, &kept);
    *out = kept.worst;
    out->instructions = kept.longest.instructions;
}

/* ---- the log of the assembler of GPU code ---- */

/* The number in front of `unit` within a line: "0 bytes stack frame, 8 bytes spill stores"; 0: it is not there. */
static int64_t number_before(const char *line, size_t len, const char *unit)
{
    const char *number = memmem(line, len, unit, strlen(unit));
    while (number && number > line && strchr(" 0123456789", number[-1]))
        number--;
    return number ? strtoll(number, NULL, 10) : 0;
}

static void raise_to(int64_t *most, int64_t v) { *most = v > *most ? v : *most; }

/* Takes over the line's warning of lost speed, up to the name of the function. */
static void take_loss(const char *line, size_t len, PtxasReport *out)
{
    const char *loss = memmem(line, len, "Potential Performance Loss", strlen("Potential Performance Loss"));
    if (out->loss || !loss)
        return;
    for (const char *code = loss; code > line && loss - code < 16; code--)
        if (code[-1] == '(')
            loss = code - 1;
    const size_t left = (size_t)(line + len - loss);
    const char *function = memmem(loss, left, " in the function", strlen(" in the function"));
    out->loss = loss;
    out->nloss = (int)(function ? (size_t)(function - loss) : left);
}

bool spills_read_ptxas(const char *log, PtxasReport *out)
{
    *out = (PtxasReport){ 0 };
    for (const char *line = log; *line;) {
        const size_t len = strcspn(line, "\n");
        raise_to(&out->stack_bytes, number_before(line, len, "bytes stack frame"));
        raise_to(&out->spill_bytes, number_before(line, len, "bytes spill stores"));
        take_loss(line, len, out);
        if (memmem(line, len, ": Used ", strlen(": Used ")))
            raise_to(&out->regs, number_before(line, len, "registers"));
        line += len + (line[len] == '\n');
    }
    return strstr(log, "Compiling entry function") && out->regs > 0;
}
