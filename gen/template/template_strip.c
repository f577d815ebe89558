/* SPDX-License-Identifier: Apache-2.0
 *
 * template_strip: what few specs ask for leaves no trace in the text of a template where a spec does not. As the
 * template is read, before it is hashed or filled,
 *
 *   STRIDED(X, a->X_stride[0], K)   becomes `a->X_stride[0]` where the spec gives X strides, else `K`
 *   #if X_STRIDED, #if OUTPUT_READ, #if NSUM > 1
 *                                   are decided: the lines of the other branch are gone
 *
 * so kernels of a spec without strides are, byte for byte, what they were before templates knew of these, and what was
 * measured of them stays good.
 */
#include <ctype.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/template/fill.h"
#include "gen/template/template_private.h"

enum { MAX_DEPTH = 32, NAME_MOST = 64 };
static const char STRIDED[] = "STRIDED";

/* One open condition. */
typedef struct {
    bool decided, live, taken; /* as in fill.c */
} Open;

typedef struct {
    const TemplateReader *r;
    const Source *src;
    Text out;
    Open open[MAX_DEPTH];
    int depth;
} Stripper;

/* Of an operand that the op has. A text may serve several ops: others have nothing. ANY: is any? */
static bool is_strided(const Spec *s, const char *operand)
{
    if (strcmp(operand, "ANY") == 0)
        return s->strides;
    const int i = names_find(NAMES(s->op->operand, s->op->noperand), operand);
    return i >= 0 && s->strides >> i & 1;
}

bool template_asks(const Spec *s, const char *name, int64_t *value)
{
    static const char end[] = "_STRIDED";
    const size_t len = strlen(name), n = strlen(end);
    const bool is_read = strcmp(name, "OUTPUT_READ") == 0, is_sums = strcmp(name, "NSUM") == 0,
               of_operand = len > n && strcmp(name + len - n, end) == 0;
    char operand[NAME_MOST + 1] = "";
    if (of_operand && len - n <= NAME_MOST)
        memcpy(operand, name, len - n);
    *value = is_read ? spec_reads_output(s) : is_sums ? s->op->nsum : of_operand && is_strided(s, operand);
    return is_read || is_sums || of_operand;
}

static bool lookup(void *spec, const char *name, int64_t *value) { return template_asks(spec, name, value); }

static Loc place_of(const Stripper *c, const char *s, size_t len)
{
    return loc_at(c->src, (size_t)(s - c->src->text), (int)len);
}

static bool is_live(const Stripper *c)
{
    return c->depth == 0 || !c->open[c->depth - 1].decided || c->open[c->depth - 1].live;
}

/* Is the condition over choices alone? Then *value is what it is. */
static bool decides(const Stripper *c, const char *arg, const char *end, bool *value)
{
    char *text = arena_strndup(c->r->arena, arg, (size_t)(end - arg)), *comment = strstr(text, "/*");
    bool any = false;
    int64_t number;
    if (comment)
        *comment = '\0';
    for (size_t i = 0, len; text[i]; i += len ? len : 1) {
        len = fill_ident(text + i);
        if (len && isalpha((unsigned char)text[i])) {
            any = template_asks(c->r->spec, arena_strndup(c->r->arena, text + i, len), &number);
            if (!any)
                return false;
        }
    }
    const Expr *e = any ? expr_parse(c->r->arena, text, place_of(c, arg, 1), c->r->diag) : NULL;
    if (!e || expr_int(e, lookup, (void *)c->r->spec, &number) != EXPR_OK)
        return false;
    *value = number != 0;
    return true;
}

/* Carries out a line of a condition. False: the line is printed, if it is live. */
static bool carry_out(Stripper *c, const char *line, const char *end)
{
    size_t len;
    bool value = false;
    const char *arg, *word = fill_directive(line, &len, &arg);
    if (!len)
        return false;
    if (strncmp(word, "if", 2) == 0) {
        if (c->depth == MAX_DEPTH)
            return false; /* fill reports it */
        const bool outer = is_live(c);
        const bool decided = !outer || (len == 2 && decides(c, arg, end, &value));
        c->open[c->depth++] = (Open){ decided, outer && value, !outer || value };
        return decided;
    }
    Open *at = c->depth ? &c->open[c->depth - 1] : NULL;
    if (!at || strncmp(word, "e", 1) != 0 || (len != 5 && len != 4))
        return false;
    const bool decided = at->decided;
    if (strncmp(word, "endif", 5) == 0) {
        c->depth--;
    } else if (decided && strncmp(word, "else", 4) == 0) {
        at->live = !at->taken;
    } else if (decided) {
        at->live = !at->taken && decides(c, arg, end, &value) && value;
        at->taken = at->taken || at->live;
    }
    return decided;
}

/* The end of an argument that begins at s: the ',' or ')' that closes it. */
static const char *argument_end(const char *s, const char *end)
{
    for (int depth = 0; s < end && (depth || (*s != ',' && *s != ')')); s++)
        depth += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
    return s;
}

static void put_line(Stripper *c, const char *s, const char *end);

/* Puts one of two in the place of STRIDED(operand, strided, dense), whose '(' is at `open`. Gives what follows it. */
static const char *choose(Stripper *c, const char *open, const char *end)
{
    const char *from[3], *to[3], *s = open;
    for (int i = 0; i < 3; i++) {
        from[i] = s + (s < end);
        from[i] += strspn(from[i], " ");
        s = to[i] = argument_end(from[i], end);
    }
    const char *name = arena_strndup(c->r->arena, from[0], (size_t)(to[0] - from[0]));
    if (s >= end || *s != ')') {
        diag_error(c->r->diag, place_of(c, open, 1),
                   "expected STRIDED(operand, where it has strides, where it lies densely)");
        return end;
    }
    const int which = is_strided(c->r->spec, name) ? 1 : 2;
    put_line(c, from[which], to[which]);
    return s + 1;
}

static void put_line(Stripper *c, const char *s, const char *end)
{
    while (s < end) {
        const size_t len = fill_ident(s);
        if (len == strlen(STRIDED) && strncmp(s, STRIDED, len) == 0 && s[len] == '(') {
            s = choose(c, s + len, end);
        } else {
            text_addn(&c->out, s, len ? len : 1);
            s += len ? len : 1;
        }
    }
}

/* Does the text know strides of the operand? */
static bool knows_strides(const Source *src, size_t from, const char *operand, Arena *a)
{
    return fill_has_name(a, src->text + from, arena_printf(a, "%s_stride", operand));
}

const Source *template_strip(TemplateReader *r, const Source *src, size_t from)
{
    for (int i = 0; i < r->op->noperand; i++)
        if (r->op->operand[i].strided && knows_strides(src, from, r->op->operand[i].name, r->arena))
            r->t->strides |= 1u << i;
    if (!strstr(src->text + from, "STRIDED") && !strstr(src->text + from, "OUTPUT_READ") &&
        !strstr(src->text + from, "NSUM"))
        return src;
    Stripper c = { .r = r, .src = src, .out = { .arena = r->arena } };
    text_addn(&c.out, src->text, from);
    for (const char *line = src->text + from; *line;) {
        const char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        if (!carry_out(&c, line, end) && is_live(&c))
            put_line(&c, line, next);
        line = next;
    }
    Source *chosen = ARENA_NEW(r->arena, Source);
    *chosen = (Source){ .path = src->path, .text = text_str(&c.out), .len = c.out.len };
    return chosen;
}
