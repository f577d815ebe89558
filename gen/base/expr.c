/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: a parser by operator precedence over two tables (operators, functions).
 */
#include "gen/base/expr_node.h"
#include "gen/base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPR_MAX_DEPTH = 200, EXPR_MAX_NODE = 4096, PREC_LOWEST = 1, PREC_CMP = 3 };

static const OpRow binary_ops[] = {
    { "||", OP_OR, 2, PREC_LOWEST }, { "&&", OP_AND, 2, 2 },       { "<=", OP_LE, 2, PREC_CMP },
    { ">=", OP_GE, 2, PREC_CMP },    { "==", OP_EQ, 2, PREC_CMP }, { "!=", OP_NE, 2, PREC_CMP },
    { "<", OP_LT, 2, PREC_CMP },     { ">", OP_GT, 2, PREC_CMP },  { "+", OP_ADD, 2, 4 },
    { "-", OP_SUB, 2, 4 },           { "*", OP_MUL, 2, 5 },        { "/", OP_DIV, 2, 5 },
    { "%", OP_MOD, 2, 5 },
};

static const OpRow unary_ops[] = { { "-", OP_NEG, 1, 0 }, { "!", OP_NOT, 1, 0 } };

static const OpRow functions[] = {
    { "min", OP_MIN, 2, 0 },         { "max", OP_MAX, 2, 0 },   { "ceil_div", OP_CEIL_DIV, 2, 0 },
    { "ceil_to", OP_CEIL_TO, 2, 0 }, { "log2", OP_LOG2, 1, 0 }, { "sqrt", OP_SQRT, 1, 0 },
};

#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* ---- parser ---- */

typedef struct {
    Arena *arena;
    const char *text;
    size_t pos;
    Loc at;
    Diag *diag;
    int depth, nnode;
} Parser;

/* Place of text[offset]; the text may run over several lines. */
static Loc loc_in(Loc at, const char *text, size_t offset, size_t width)
{
    at.width = width ? (int)width : 1;
    if (at.line <= 0 || at.col <= 0)
        return at;
    size_t start = 0;
    for (const char *p; (p = memchr(text + start, '\n', offset - start)); at.line++, at.col = 1)
        start = (size_t)(p - text) + 1;
    at.col += (int)(offset - start);
    return at;
}

static Node *fail(Parser *p, size_t offset, size_t width, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static Node *fail(Parser *p, size_t offset, size_t width, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_error(p->diag, loc_in(p->at, p->text, offset, width), "%s", arena_vprintf(p->arena, fmt, ap));
    va_end(ap);
    return NULL;
}

static bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name(char c) { return is_name_start(c) || is_digit(c); }

static void skip_blank(Parser *p) { p->pos += strspn(p->text + p->pos, " \t\r\n\f\v"); }

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (is_name(s[n]))
        n++;
    return n;
}

/* What stands at the cursor, for a message: a word, a character, or the end. */
static const char *found(Parser *p, size_t *width)
{
    const char *s = p->text + p->pos;
    size_t n = word_length(s);
    *width = n ? n : 1;
    return *s ? arena_printf(p->arena, "'%.*s'", (int)*width, s) : "the end";
}

static Node *node_new(Parser *p, size_t offset, Node init)
{
    int depth = 0;
    for (int i = 0; i < 2; i++)
        if (init.arg[i] && init.arg[i]->depth > depth)
            depth = init.arg[i]->depth;
    if (++p->nnode > EXPR_MAX_NODE || depth >= EXPR_MAX_DEPTH)
        return fail(p, offset, 1, "the expression is too long");
    Node *n = ARENA_NEW(p->arena, Node);
    *n = init;
    n->slot = -1;
    n->depth = depth + 1;
    n->offset = offset;
    n->width = p->pos - offset;
    return n;
}

static Node *parse_binary(Parser *p, int min_prec);

static const OpRow *find_row(const OpRow *rows, size_t n, const char *s, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].text) == len && memcmp(rows[i].text, s, len) == 0)
            return &rows[i];
    return NULL;
}

static Node *parse_number(Parser *p)
{
    size_t start = p->pos;
    const char *s = p->text + start;
    size_t n = strspn(s, "0123456789");
    bool real = s[n] == '.' || ((s[n] == 'e' || s[n] == 'E') && strspn(s + n + 1, "+-0123456789"));
    char *end = (char *)s + n;
    Node node = { .kind = INT };
    errno = 0;
    if (real) {
        node.kind = REAL;
        node.real = strtod(s, &end);
    } else {
        node.value = strtoll(s, &end, 10);
    }
    size_t len = (size_t)(end - s);
    if (is_name(*end)) {
        size_t all = len + word_length(end);
        return fail(p, start, all, "malformed number '%.*s'; a product is written %.*s*%.*s", (int)all, s, (int)len, s,
                    (int)(all - len), end);
    }
    if (real ? !isfinite(node.real) : errno == ERANGE)
        return fail(p, start, len, "the number %.*s does not fit 64 bits", (int)len, s);
    p->pos += len;
    return node_new(p, start, node);
}

static Node *unknown_function(Parser *p, size_t start, size_t len)
{
    const char *names[LENGTH(functions)];
    for (size_t i = 0; i < LENGTH(functions); i++)
        names[i] = functions[i].text;
    char *word = arena_strndup(p->arena, p->text + start, len);
    const char *near = diag_nearest(word, names, LENGTH(functions));
    if (near)
        return fail(p, start, len, "unknown function '%s'; did you mean '%s'?", word, near);
    return fail(p, start, len, "unknown function '%s'; there are min, max, ceil_div, ceil_to, log2, sqrt", word);
}

/* After "name (". */
static Node *parse_call(Parser *p, size_t start, size_t len)
{
    const OpRow *f = find_row(functions, LENGTH(functions), p->text + start, len);
    if (!f)
        return unknown_function(p, start, len);
    Node node = { .kind = APPLY, .op = f };
    size_t width;
    for (int i = 0; i < f->narg; i++) {
        node.arg[i] = parse_binary(p, PREC_LOWEST);
        if (!node.arg[i])
            return NULL;
        char want = i + 1 < f->narg ? ',' : ')';
        skip_blank(p);
        if (p->text[p->pos] != want) {
            const char *what = found(p, &width);
            return fail(p, p->pos, width, "expected '%c', found %s; %s takes %d value%s", want, what, f->text, f->narg,
                        number_plural(f->narg));
        }
        p->pos++;
    }
    return node_new(p, start, node);
}

static Node *parse_word(Parser *p)
{
    size_t start = p->pos, len = word_length(p->text + start);
    p->pos += len;
    size_t after = p->pos;
    skip_blank(p);
    if (p->text[p->pos] == '(') {
        p->pos++;
        return parse_call(p, start, len);
    }
    p->pos = after;
    return node_new(p, start, (Node){ .kind = NAME, .name = arena_strndup(p->arena, p->text + start, len) });
}

static Node *parse_parenthesis(Parser *p)
{
    size_t open = p->pos++, width;
    Node *n = parse_binary(p, PREC_LOWEST);
    if (!n)
        return NULL;
    skip_blank(p);
    if (p->text[p->pos] != ')') {
        const char *what = found(p, &width);
        return p->text[p->pos] ? fail(p, p->pos, width, "expected an operator or ')', found %s", what)
                               : fail(p, open, 1, "this '(' is not closed");
    }
    p->pos++;
    return n;
}

static Node *parse_primary(Parser *p)
{
    skip_blank(p);
    char c = p->text[p->pos];
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->pos + 1])))
        return parse_number(p);
    if (is_name_start(c))
        return parse_word(p);
    if (c == '(')
        return parse_parenthesis(p);
    size_t width;
    const char *what = found(p, &width);
    return fail(p, p->pos, width, "expected a number, a name or '(', found %s", what);
}

static Node *parse_unary(Parser *p)
{
    skip_blank(p);
    size_t start = p->pos;
    const OpRow *op = find_row(unary_ops, LENGTH(unary_ops), p->text + start, p->text[start] ? 1 : 0);
    if (!op)
        return parse_primary(p);
    p->pos++;
    Node *arg = parse_primary(p);
    return arg ? node_new(p, start, (Node){ .kind = APPLY, .op = op, .arg = { arg } }) : NULL;
}

static const OpRow *peek_binary(Parser *p)
{
    skip_blank(p);
    const char *s = p->text + p->pos;
    const OpRow *op = s[0] && s[1] ? find_row(binary_ops, LENGTH(binary_ops), s, 2) : NULL;
    return op ? op : s[0] ? find_row(binary_ops, LENGTH(binary_ops), s, 1) : NULL;
}

/* Operators of at least min_prec, all to the left; comparisons do not chain. */
static Node *parse_operators(Parser *p, int min_prec)
{
    Node *left = parse_unary(p);
    bool compared = false;
    for (const OpRow *op; left && (op = peek_binary(p)) && op->prec >= min_prec;) {
        size_t start = p->pos, len = strlen(op->text);
        if (op->prec == PREC_CMP && compared)
            return fail(p, start, len, "comparisons do not chain; write a < b && b < c");
        compared = op->prec == PREC_CMP;
        p->pos += len;
        Node *right = parse_binary(p, op->prec + 1);
        left = right ? node_new(p, left->offset, (Node){ .kind = APPLY, .op = op, .arg = { left, right } }) : NULL;
    }
    return left;
}

static Node *parse_binary(Parser *p, int min_prec)
{
    if (++p->depth > EXPR_MAX_DEPTH)
        return fail(p, p->pos, 1, "the expression is nested too deeply");
    Node *n = parse_operators(p, min_prec);
    p->depth--;
    return n;
}

/* Trimmed, runs of blanks as one. */
static const char *text_tidy(Arena *a, const char *s)
{
    char *out = arena_alloc(a, strlen(s) + 1), *q = out;
    for (s += strspn(s, " \t\r\n\f\v"); *s;) {
        size_t blank = strspn(s, " \t\r\n\f\v");
        s += blank;
        if (blank && *s)
            *q++ = ' ';
        if (*s)
            *q++ = *s++;
    }
    return out;
}

static Expr *expr_new(Arena *a, Node *root, const char *source, Loc at)
{
    Expr *e = ARENA_NEW(a, Expr);
    *e = (Expr){ .root = root, .source = source, .text = text_tidy(a, source), .at = at };
    return e;
}

Expr *expr_parse(Arena *a, const char *text, Loc at, Diag *d)
{
    Parser p = { .arena = a, .text = arena_strdup(a, text), .at = at, .diag = d };
    size_t width;
    skip_blank(&p);
    if (!p.text[p.pos]) {
        fail(&p, 0, 1, "empty expression");
        return NULL;
    }
    Node *root = parse_binary(&p, PREC_LOWEST);
    if (!root)
        return NULL;
    skip_blank(&p);
    if (p.text[p.pos]) {
        const char *what = found(&p, &width);
        fail(&p, p.pos, width, "expected an operator, found %s", what);
        return NULL;
    }
    return expr_new(a, root, p.text, at);
}

Expr *expr_const(Arena *a, int64_t value)
{
    Node *n = ARENA_NEW(a, Node);
    *n = (Node){ .kind = INT, .value = value };
    return expr_new(a, n, arena_printf(a, "%" PRId64, value), (Loc){ 0 });
}

static void visit_names(const Expr *e, const Node *n, void (*visit)(void *, const char *, Loc), void *ctx)
{
    if (n->kind == NAME)
        visit(ctx, n->name, loc_in(e->at, e->source, n->offset, n->width));
    for (int i = 0; i < 2; i++)
        if (n->arg[i])
            visit_names(e, n->arg[i], visit, ctx);
}

void expr_names(const Expr *e, void (*visit)(void *ctx, const char *name, Loc at), void *ctx)
{
    visit_names(e, e->root, visit, ctx);
}

const char *expr_text(const Expr *e) { return e->text; }

Loc expr_loc(const Expr *e)
{
    size_t lead = strspn(e->source, " \t\r\n\f\v");
    size_t len = strcspn(e->source + lead, "\n");
    while (len > 1 && strchr(" \t\r\f\v", e->source[lead + len - 1]))
        len--;
    return loc_in(e->at, e->source, lead, len);
}
