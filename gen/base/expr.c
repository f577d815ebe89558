/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: a table of operators and functions, and a parser by operator precedence, which makes a tree.
 */
#include "gen/base/expr_private.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/text.h"

static const char BLANKS[] = " \t\r\n\f\v";

/* ---- operators and functions ---- */

static bool int_add(int64_t a, int64_t b, int64_t *out) { return __builtin_add_overflow(a, b, out); }
static bool int_sub(int64_t a, int64_t b, int64_t *out) { return __builtin_sub_overflow(a, b, out); }
static bool int_mul(int64_t a, int64_t b, int64_t *out) { return __builtin_mul_overflow(a, b, out); }
static bool int_neg(int64_t a, int64_t b, int64_t *out) { return int_sub(b, a, out); }

/* The result of an operator that cannot overflow. */
static bool int_give(int64_t value, int64_t *out)
{
    *out = value;
    return false;
}

static bool int_min(int64_t a, int64_t b, int64_t *out) { return int_give(a < b ? a : b, out); }
static bool int_max(int64_t a, int64_t b, int64_t *out) { return int_give(a > b ? a : b, out); }

/* INT64_MIN / -1 and INT64_MIN % -1 would trap. */
static bool int_mod(int64_t a, int64_t b, int64_t *out) { return int_give(b == -1 ? 0 : a % b, out); }
static bool int_div(int64_t a, int64_t b, int64_t *out) { return b == -1 ? int_neg(a, 0, out) : int_give(a / b, out); }

static bool int_ceil_div(int64_t a, int64_t b, int64_t *out)
{
    const bool overflow = int_div(a, b, out);
    *out += b != -1 && a % b != 0 && (a < 0) == (b < 0);
    return overflow;
}

static bool int_ceil_to(int64_t a, int64_t b, int64_t *out) { return int_ceil_div(a, b, out) || int_mul(*out, b, out); }

static double real_add(double a, double b) { return a + b; }
static double real_sub(double a, double b) { return a - b; }
static double real_mul(double a, double b) { return a * b; }
static double real_div(double a, double b) { return a / b; }
static double real_ceil_div(double a, double b) { return ceil(a / b); }
static double real_ceil_to(double a, double b) { return ceil(a / b) * b; }
static double real_neg(double a, double b) { return (void)b, -a; }
static double real_log2(double a, double b) { return (void)b, log2(a); }
static double real_exp2(double a, double b) { return (void)b, exp2(a); }
static double real_sqrt(double a, double b) { return (void)b, sqrt(a); }

static const OpRow binary_ops[] = {
    { "||", 2, PREC_OR, NULL, NULL, BY_TRUE, NULL },
    { "&&", 2, PREC_AND, NULL, NULL, BY_FALSE, NULL },
    { "<=", 2, PREC_CMP, NULL, NULL, LESS | EQUAL, NULL },
    { ">=", 2, PREC_CMP, NULL, NULL, GREATER | EQUAL, NULL },
    { "==", 2, PREC_CMP, NULL, NULL, EQUAL, NULL },
    { "!=", 2, PREC_CMP, NULL, NULL, LESS | GREATER, NULL },
    { "<", 2, PREC_CMP, NULL, NULL, LESS, NULL },
    { ">", 2, PREC_CMP, NULL, NULL, GREATER, NULL },
    { "+", 2, PREC_SUM, int_add, real_add, PLAIN, NULL },
    { "-", 2, PREC_SUM, int_sub, real_sub, PLAIN, NULL },
    { "*", 2, PREC_TERM, int_mul, real_mul, PLAIN, NULL },
    { "/", 2, PREC_TERM, int_div, real_div, DIVIDES, NULL },
    { "%", 2, PREC_TERM, int_mod, fmod, DIVIDES, expr_mod_range },
};

static const OpRow unary_ops[] = {
    { "-", 1, PREC_UNARY, int_neg, real_neg, PLAIN, NULL },
    { "!", 1, PREC_UNARY, NULL, NULL, EQUAL, NULL },
};

static const OpRow functions[] = {
    { "min", 2, PREC_PRIMARY, int_min, fmin, PLAIN, NULL },
    { "max", 2, PREC_PRIMARY, int_max, fmax, PLAIN, NULL },
    { "ceil_div", 2, PREC_PRIMARY, int_ceil_div, real_ceil_div, DIVIDES, NULL },
    { "ceil_to", 2, PREC_PRIMARY, int_ceil_to, real_ceil_to, DIVIDES, expr_ceil_to_range },
    { "log2", 1, PREC_PRIMARY, NULL, real_log2, PLAIN, NULL },
    { "exp2", 1, PREC_PRIMARY, NULL, real_exp2, PLAIN, NULL },
    { "sqrt", 1, PREC_PRIMARY, NULL, real_sqrt, PLAIN, NULL },
};

static const OpRow *find_row(const OpRow *rows, size_t n, const char *s, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].text) == len && strncmp(rows[i].text, s, len) == 0)
            return &rows[i];
    return NULL;
}

const OpRow *expr_operator(const char *s, size_t len) { return find_row(binary_ops, LENGTH(binary_ops), s, len); }
const OpRow *expr_function(const char *s, size_t len) { return find_row(functions, LENGTH(functions), s, len); }

/* ---- parser ---- */

typedef struct {
    Arena *arena;
    const char *text;
    size_t pos;
    Loc at;
    Diag *diag;
    int depth, nnode;
    bool formula;
    ExprName *names, **end; /* the names so far, as a list, and where to link the next one in */
} Parser;

/* Reports an error about `width` bytes from `offset` on. Always NULL. */
#define FAIL(p, offset, width, ...) \
    (diag_error((p)->diag, loc_in((p)->at, (p)->text, offset, width), __VA_ARGS__), (Node *)NULL)

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Skips blanks, and gives the character behind them. */
static char peek(Parser *p) { return p->text[p->pos += strspn(p->text + p->pos, BLANKS)]; }

static size_t word_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* Reports what stands at the cursor: a word, a character, or the end. */
static Node *report_unexpected(Parser *p, const char *expected, const char *hint)
{
    const char *s = p->text + p->pos;
    const size_t n = word_length(s), width = n ? n : 1;
    const char *found = *s ? arena_printf(p->arena, "'%.*s'", (int)width, s) : "the end";
    return FAIL(p, p->pos, width, "expected %s, found %s%s", expected, found, hint);
}

static Node *node_new(Parser *p, size_t offset, Node init)
{
    int depth = 0;
    for (int i = 0; i < 2; i++)
        if (init.arg[i] && init.arg[i]->depth > depth)
            depth = init.arg[i]->depth;
    for (int i = 0; i < init.nlist; i++)
        if (init.list[i]->depth > depth)
            depth = init.list[i]->depth;
    if (++p->nnode > EXPR_MAX_NODE || depth >= EXPR_MAX_DEPTH)
        return FAIL(p, offset, 1, "the expression is too long");
    Node *n = ARENA_NEW(p->arena, Node);
    *n = init;
    n->depth = depth + 1;
    n->offset = offset;
    return n;
}

static Node *parse_whole(Parser *p);
static Node *parse_binary(Parser *p, int min_prec);

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
    if (word_length(end)) {
        size_t all = len + word_length(end);
        return FAIL(p, start, all, "malformed number '%.*s'; a product is written %.*s*%.*s", (int)all, s, (int)len, s,
                    (int)(all - len), end);
    }
    if (real ? !isfinite(node.real) : errno == ERANGE)
        return FAIL(p, start, len, "the number %.*s does not fit 64 bits", (int)len, s);
    p->pos += len;
    return node_new(p, start, node);
}

static Node *report_unknown_function(Parser *p, size_t start, size_t len)
{
    char *word = arena_strndup(p->arena, p->text + start, len);
    const char *near = diag_nearest(word, NAMES(functions, LENGTH(functions)));
    if (near)
        return FAIL(p, start, len, "unknown function '%s'; did you mean '%s'?", word, near);
    return FAIL(p, start, len, "unknown function '%s'; there are min, max, ceil_div, ceil_to, log2, exp2, sqrt", word);
}

/* Parses the arguments of a call, behind its "name (". */
static Node *parse_call(Parser *p, size_t start, size_t len)
{
    const OpRow *f = expr_function(p->text + start, len);
    if (!f)
        return report_unknown_function(p, start, len);
    Node node = { .kind = APPLY, .op = f };
    for (int i = 0; i < f->narg; i++) {
        node.arg[i] = parse_whole(p);
        if (!node.arg[i])
            return NULL;
        const bool last = i + 1 == f->narg;
        if (peek(p) != (last ? ')' : ','))
            return report_unexpected(
                p, last ? "')'" : "','",
                arena_printf(p->arena, "; %s takes %d value%s", f->text, f->narg, number_plural(f->narg)));
        p->pos++;
    }
    return node_new(p, start, node);
}

/* Adds values to a node's list up to `close`, which stands behind them; behind those in brackets there may be a last
 * one with a semicolon before it. False after an error. */
static bool parse_list(Parser *p, char close, Node *node)
{
    do {
        p->pos++;
        Node *value = parse_whole(p);
        if (!value)
            return false;
        *ARENA_PUSH(p->arena, node->list, node->nlist) = value;
    } while (peek(p) == ',');
    if (close == ']' && peek(p) == ';') {
        p->pos++;
        if (!(node->arg[0] = parse_whole(p)))
            return false;
    }
    if (peek(p) != close)
        return report_unexpected(p, close == ')' ? "',' or ')'" : node->arg[0] ? "']'" : "',' or ']'", "");
    p->pos++;
    return true;
}

/* Parses what follows the name of a call, an element or a reduction. */
static Node *parse_use(Parser *p, size_t start, size_t len)
{
    const bool element = peek(p) == '[';
    Node node = { .kind = element ? ELEMENT : CALL,
                  .name = { arena_strndup(p->arena, p->text + start, len), loc_in(p->at, p->text, start, len), -1,
                            NULL } };
    if (!parse_list(p, element ? ']' : ')', &node))
        return NULL;
    if (element && peek(p) == '(') {
        if (node.nlist != 1 || node.arg[0])
            return FAIL(p, start, p->pos - start, "expected one axis, as in %s[n](...)", node.name.name);
        node.kind = REDUCE;
        if (!parse_list(p, ')', &node))
            return NULL;
    }
    return node_new(p, start, node);
}

static Node *parse_word(Parser *p)
{
    size_t start = p->pos, len = word_length(p->text + start);
    p->pos += len;
    if (p->formula && (peek(p) == '(' || peek(p) == '['))
        return parse_use(p, start, len);
    if (peek(p) == '(') {
        p->pos++;
        return parse_call(p, start, len);
    }
    const char *name = arena_strndup(p->arena, p->text + start, len);
    Node *n =
        node_new(p, start, (Node){ .kind = NAME, .name = { name, loc_in(p->at, p->text, start, len), -1, NULL } });
    if (!n)
        return NULL;
    *p->end = &n->name;
    p->end = &n->name.next;
    return n;
}

static Node *parse_parenthesis(Parser *p)
{
    size_t open = p->pos++;
    Node *n = parse_whole(p);
    if (!n)
        return NULL;
    const char c = peek(p);
    if (c != ')')
        return c ? report_unexpected(p, "an operator or ')'", "") : FAIL(p, open, 1, "this '(' is not closed");
    p->pos++;
    return n;
}

static Node *parse_primary(Parser *p)
{
    const char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->pos + 1])))
        return parse_number(p);
    if (word_length(p->text + p->pos))
        return parse_word(p);
    if (c == '(')
        return parse_parenthesis(p);
    return report_unexpected(p, "a number, a name or '('", "");
}

static Node *parse_unary(Parser *p)
{
    peek(p);
    const size_t start = p->pos;
    const OpRow *op = find_row(unary_ops, LENGTH(unary_ops), p->text + start, 1);
    if (!op)
        return parse_primary(p);
    p->pos++;
    Node *arg = parse_primary(p);
    return arg ? node_new(p, start, (Node){ .kind = APPLY, .op = op, .arg = { arg } }) : NULL;
}

static const OpRow *peek_binary(Parser *p)
{
    peek(p);
    const char *s = p->text + p->pos;
    const OpRow *op = expr_operator(s, 2);
    return op ? op : expr_operator(s, 1);
}

/* Parses operators of at least min_prec, which group from left to right; comparisons do not chain. */
static Node *parse_operators(Parser *p, int min_prec)
{
    Node *left = parse_unary(p);
    bool compared = false;
    for (const OpRow *op; left && (op = peek_binary(p)) && op->prec >= min_prec;) {
        size_t start = p->pos, len = strlen(op->text);
        if (op->prec == PREC_CMP && compared)
            return FAIL(p, start, len, "comparisons do not chain; write a < b && b < c");
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
        return FAIL(p, p->pos, 1, "the expression is nested too deeply");
    Node *n = parse_operators(p, min_prec);
    p->depth--;
    return n;
}

/* Parses an expression; in a formula it may be a choice, `condition ? value : other`. */
static Node *parse_whole(Parser *p)
{
    Node *n = parse_binary(p, PREC_OR);
    if (!n || !p->formula || peek(p) != '?')
        return n;
    Node *list[3] = { n };
    if (++p->depth > EXPR_MAX_DEPTH)
        return FAIL(p, p->pos, 1, "the expression is nested too deeply");
    for (int i = 1; i < 3; i++) {
        if (peek(p) != "?:"[i - 1])
            return report_unexpected(p, "an operator or ':'", "; a choice is written condition ? value : other");
        p->pos++;
        if (!(list[i] = parse_whole(p)))
            return NULL;
    }
    p->depth--;
    Node choice = { .kind = CHOICE, .list = arena_alloc(p->arena, sizeof list), .nlist = 3 };
    memcpy(choice.list, list, sizeof list);
    return node_new(p, n->offset, choice);
}

/* A copy without blanks at its ends, and with one blank for each run of them. */
static const char *tidy_text(Arena *a, const char *s)
{
    char *out = arena_alloc(a, strlen(s) + 1), *end = out;
    for (s += strspn(s, BLANKS); *s; s += strspn(s, BLANKS)) {
        const size_t n = strcspn(s, BLANKS);
        end += sprintf(end, "%s%.*s", end > out ? " " : "", (int)n, s);
        s += n;
    }
    return out;
}

static Expr *parse(Arena *a, const char *text, Loc at, bool formula, Diag *d)
{
    Parser p = { .arena = a, .text = arena_strdup(a, text), .at = at, .diag = d, .formula = formula };
    p.end = &p.names;
    Node *root = peek(&p) ? parse_whole(&p) : FAIL(&p, 0, 1, formula ? "the formula is empty" : "empty expression");
    if (root && peek(&p))
        root = report_unexpected(&p, "an operator", "");
    if (!root)
        return NULL;
    Expr *e = ARENA_NEW(a, Expr);
    *e = (Expr){ .root = root, .names = p.names, .source = p.text, .text = tidy_text(a, p.text), .at = at };
    if (!formula)
        expr_list_steps(a, e);
    return e;
}

Expr *expr_parse(Arena *a, const char *text, Loc at, Diag *d) { return parse(a, text, at, false, d); }
Expr *expr_parse_formula(Arena *a, const char *text, Loc at, Diag *d) { return parse(a, text, at, true, d); }

const ExprName *expr_names(const Expr *e) { return e ? e->names : NULL; }

bool expr_uses(const Expr *e, const char *name)
{
    const ExprName *n = expr_names(e);
    while (n && strcmp(n->name, name) != 0)
        n = n->next;
    return n;
}

const char *expr_text(const Expr *e) { return e->text; }

Loc expr_loc(const Expr *e)
{
    size_t lead = strspn(e->source, BLANKS);
    size_t len = strcspn(e->source + lead, "\n");
    while (len > 1 && strchr(" \t\r\f\v", e->source[lead + len - 1]))
        len--;
    return loc_in(e->at, e->source, lead, len);
}

const char *expr_status_text(ExprStatus s)
{
    static const char *const text[] = {
        [EXPR_OK] = "is well",
        [EXPR_OVERFLOW] = "overflows 64 bits",
        [EXPR_DIV_BY_ZERO] = "divides by zero",
        [EXPR_UNKNOWN_NAME] = "uses an unknown name",
        [EXPR_NOT_INTEGER] = "is not an integer expression: it has log2, exp2, sqrt or a fraction",
        [EXPR_NOT_FINITE] = "is not a finite number",
    };
    return text[s];
}
