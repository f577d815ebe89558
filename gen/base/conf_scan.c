/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_scan: a recursive descent over libconfig's grammar.
 *
 *   settings = { name ("=" | ":") value [ ";" | "," ] } ;
 *   value    = scalar | "{" settings "}" | "(" [ value { "," value } ] ")" | "[" [ scalar { "," scalar } ] "]" ;
 *
 * It is stricter than libconfig where that would get things wrong in silence: an integer beyond 64 bits, or
 * beyond 32 without the suffix L, the number ".", a comment that is not closed, a string over several lines (mostly a
 * forgotten quote). "@include" is refused.
 */
#define _GNU_SOURCE /* memmem */
#include "gen/base/conf_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"

typedef enum { T_END, T_NAME, T_BOOL, T_INT, T_INT64, T_REAL, T_STRING, T_PUNCT, T_BAD } TokenKind;

typedef struct {
    TokenKind kind;
    size_t at, len;
} Token;

typedef struct {
    Arena *arena;
    const Source *src;
    size_t pos, end;
    Token token; /* the next one, not taken yet */
    ConfPlaces *places;
    Diag *diag;
    int depth;
    bool duplicates;
} Scan;

static bool scan_settings(Scan *s);
static bool scan_value(Scan *s, size_t place);

/* Reports at `len` bytes from `at`; always false. */
static bool fail(Scan *s, size_t at, size_t len, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static bool fail(Scan *s, size_t at, size_t len, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_error(s->diag, loc_at(s->src, at, (int)len), "%s", arena_vprintf(s->arena, fmt, ap));
    va_end(ap);
    return false;
}

/* ---- tokens ---- */

size_t conf_skip_blank(const char *text, size_t pos, size_t end)
{
    while (pos < end) {
        if (strchr(" \t\r\n\f", text[pos]) && text[pos]) {
            pos++;
        } else if (text[pos] == '#' || (text[pos] == '/' && pos + 1 < end && text[pos + 1] == '/')) {
            const char *stop = memchr(text + pos, '\n', end - pos);
            pos = stop ? (size_t)(stop - text) : end;
        } else if (text[pos] == '/' && pos + 1 < end && text[pos + 1] == '*') {
            const char *stop = memmem(text + pos + 2, end - pos - 2, "*/", 2);
            if (!stop)
                return pos; /* not closed: an error there, where libconfig would read on to the end */
            pos = (size_t)(stop - text) + 2;
        } else {
            return pos;
        }
    }
    return pos;
}

static size_t span(const Scan *s, size_t pos, const char *set)
{
    size_t n = 0;
    while (pos + n < s->end && s->src->text[pos + n] && strchr(set, s->src->text[pos + n]))
        n++;
    return n;
}

static char peek(const Scan *s, size_t pos) { return pos < s->end ? s->src->text[pos] : '\0'; }

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static TokenKind suffixed(const Scan *s, size_t *len, size_t at)
{
    size_t n = 0;
    while (n < 2 && peek(s, at + *len + n) == 'L')
        n++;
    *len += n;
    return n ? T_INT64 : T_INT;
}

/* [eE][-+]?[0-9]+ at pos: its length, or 0. */
static size_t exponent(const Scan *s, size_t pos)
{
    if (peek(s, pos) != 'e' && peek(s, pos) != 'E')
        return 0;
    size_t sign = peek(s, pos + 1) == '-' || peek(s, pos + 1) == '+';
    size_t n = span(s, pos + 1 + sign, DIGITS);
    return n ? 1 + sign + n : 0;
}

static Token number(const Scan *s)
{
    size_t at = s->pos, sign = peek(s, at) == '-' || peek(s, at) == '+';
    size_t len = sign + span(s, at + sign, DIGITS);
    if (!sign && len == 1 && peek(s, at) == '0' && (peek(s, at + 1) | 0x20) == 'x' &&
        isxdigit((unsigned char)peek(s, at + 2))) {
        len = 2 + span(s, at + 2, DIGITS "abcdefABCDEF");
        TokenKind kind = suffixed(s, &len, at);
        return (Token){ kind, at, len };
    }
    if (peek(s, at + len) == '.') {
        size_t fraction = span(s, at + len + 1, DIGITS);
        if (len == sign && fraction == 0)
            return (Token){ T_BAD, at, 1 }; /* libconfig reads "." as 0.0 */
        len += 1 + fraction;
        return (Token){ T_REAL, at, len + exponent(s, at + len) };
    }
    if (len == sign)
        return (Token){ T_BAD, at, 1 };
    size_t e = exponent(s, at + len);
    if (e)
        return (Token){ T_REAL, at, len + e };
    TokenKind kind = suffixed(s, &len, at);
    return (Token){ kind, at, len };
}

/* One string; T_BAD when it is not closed on its line. */
static Token string(const Scan *s)
{
    size_t p = s->pos + 1;
    while (peek(s, p) && peek(s, p) != '"' && peek(s, p) != '\n')
        p += peek(s, p) == '\\' && peek(s, p + 1) && peek(s, p + 1) != '\n' ? 2 : 1;
    return peek(s, p) == '"' ? (Token){ T_STRING, s->pos, p + 1 - s->pos } : (Token){ T_BAD, s->pos, 1 };
}

static bool is_bool(const char *s, size_t n)
{
    return (n == 4 && strncasecmp(s, "true", 4) == 0) || (n == 5 && strncasecmp(s, "false", 5) == 0);
}

static Token token_at(const Scan *s)
{
    char c = peek(s, s->pos);
    const char *text = s->src->text + s->pos;
    if (s->pos >= s->end)
        return (Token){ T_END, s->end, 1 };
    if (isalpha((unsigned char)c) || c == '*') {
        size_t n = span(s, s->pos, LETTERS DIGITS "-_*");
        return (Token){ is_bool(text, n) ? T_BOOL : T_NAME, s->pos, n };
    }
    if (isdigit((unsigned char)c) || (c && strchr("+-.", c)))
        return number(s);
    if (c == '"')
        return string(s);
    return (Token){ c && strchr("=:;,{}()[]", c) ? T_PUNCT : T_BAD, s->pos, 1 };
}

static void next(Scan *s)
{
    s->pos = conf_skip_blank(s->src->text, s->pos, s->end);
    s->token = token_at(s);
    s->pos = s->token.at + (s->token.kind == T_END ? 0 : s->token.len);
}

static bool is_punct(const Scan *s, const char *any)
{
    return s->token.kind == T_PUNCT && strchr(any, s->src->text[s->token.at]);
}

/* ---- messages ---- */

static const char *found(const Scan *s)
{
    enum { SHOWN = 40 };
    const char *t = s->src->text + s->token.at;
    int n = s->token.len < SHOWN ? (int)s->token.len : SHOWN;
    unsigned char c = (unsigned char)*t;
    if (s->token.kind == T_END)
        return s->end == s->src->len ? "the end of the file" : "the end of the settings";
    if (s->token.kind == T_BAD && (c < 0x20 || c > 0x7E))
        return arena_printf(s->arena, "the byte 0x%02X", c);
    if (s->token.kind == T_STRING)
        return "a string";
    return arena_printf(s->arena, "'%.*s'", n, t);
}

/* Up to the next blank or separator from `at`: what the user thought of as one word. */
static size_t word_length(const Scan *s, size_t at)
{
    size_t n = 0;
    while (at + n < s->end && s->src->text[at + n] && !strchr(" \t\r\n;,{}[]\"", s->src->text[at + n]))
        n++;
    return n;
}

static bool unexpected(Scan *s, const char *expected)
{
    const char *t = s->src->text + s->token.at;
    size_t at = s->token.at;
    if (s->token.kind == T_BAD && *t == '"')
        return fail(s, at, 1, "this string is not closed; to go on in the next line, close it and open another");
    if (s->token.kind == T_BAD && *t == '@')
        return fail(s, at, word_length(s, at), "@include is not allowed here: the file must be complete by itself");
    if (s->token.kind == T_BAD && *t == '/' && peek(s, at + 1) == '*')
        return fail(s, at, 2, "this comment is not closed");
    return fail(s, at, s->token.kind == T_STRING ? 1 : s->token.len, "expected %s, found %s", expected, found(s));
}

static bool needs_quotes(Scan *s, size_t at)
{
    size_t n = word_length(s, at);
    return fail(s, at, n, "text and expressions go in quotes: \"%.*s\"", (int)n, s->src->text + at);
}

/* ---- grammar ---- */

static size_t place_new(Scan *s, Token name)
{
    ConfPlaces *p = s->places;
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 64;
        p->place = arena_grow(s->arena, p->place, p->cap, cap, sizeof *p->place);
        p->cap = cap;
    }
    p->place[p->n] = (ConfPlace){ .name = name.at, .nname = name.len };
    return p->n++;
}

/* The settings of one group so far, as indices of places. */
typedef struct {
    size_t *place;
    size_t n, cap;
} Members;

static void member_add(Scan *s, Members *m, size_t place)
{
    if (m->n == m->cap) {
        size_t cap = m->cap ? 2 * m->cap : 8;
        m->place = arena_grow(s->arena, m->place, m->cap, cap, sizeof *m->place);
        m->cap = cap;
    }
    m->place[m->n++] = place;
}

static const ConfPlace *earlier(const Scan *s, const Members *m, Token name)
{
    for (size_t i = 0; i < m->n; i++) {
        const ConfPlace *p = &s->places->place[m->place[i]];
        if (p->nname == name.len && memcmp(s->src->text + p->name, s->src->text + name.at, name.len) == 0)
            return p;
    }
    return NULL;
}

static void check_duplicate(Scan *s, const Members *m, Token name)
{
    const ConfPlace *first = earlier(s, m, name);
    if (!first)
        return;
    s->duplicates = true;
    fail(s, name.at, name.len, "duplicate key '%.*s', first set at line %d", (int)name.len, s->src->text + name.at,
         loc_at(s->src, first->name, 1).line);
}

/* After a value: a separator, the end of the group, or at once the next key. */
static bool scan_terminator(Scan *s)
{
    if (is_punct(s, ";,")) {
        next(s);
        return true;
    }
    return s->token.kind == T_NAME || s->token.kind == T_END || is_punct(s, "})") ||
           unexpected(s, "';' after the value");
}

static bool is_word_start(const Scan *s)
{
    char c = s->src->text[s->token.at];
    return s->token.kind != T_END && (c == '_' || isdigit((unsigned char)c));
}

static bool scan_setting(Scan *s, Members *m)
{
    if (s->token.kind == T_BOOL)
        return unexpected(s, "a key (true and false are values)");
    if (s->token.kind != T_NAME)
        return unexpected(s, arena_printf(s->arena, "a key%s%s", is_word_start(s) ? ", which begins with a letter" : "",
                                          s->depth ? ", or '}'" : ""));
    if (m->n == CONF_MAX_MEMBER)
        return fail(s, s->token.at, s->token.len, "more than %d settings in one group", CONF_MAX_MEMBER);
    Token name = s->token;
    check_duplicate(s, m, name);
    size_t place = place_new(s, name);
    member_add(s, m, place);
    next(s);
    if (!is_punct(s, "=:"))
        return unexpected(s, arena_printf(s->arena, "'=' after '%.*s'", (int)(name.len < 40 ? name.len : 40),
                                          s->src->text + name.at));
    next(s);
    return scan_value(s, place) && scan_terminator(s);
}

/* Up to the end or a closing bracket, which the caller checks. */
static bool scan_settings(Scan *s)
{
    Members members = { 0 };
    while (s->token.kind != T_END && !is_punct(s, "})"))
        if (!scan_setting(s, &members))
            return false;
    return true;
}

static bool scan_close(Scan *s, size_t open, char close)
{
    if (is_punct(s, (char[]){ close, 0 }))
        return true;
    if (s->token.kind == T_END)
        return fail(s, open, 1, "this '%c' is not closed", s->src->text[open]);
    return unexpected(s, arena_printf(s->arena, "%s'%c' to close the '%c' of line %d", close == '}' ? "" : "',' or ",
                                      close, s->src->text[open], loc_at(s->src, open, 1).line));
}

static bool scan_list(Scan *s, size_t open)
{
    next(s);
    if (is_punct(s, ")"))
        return true;
    for (;;) {
        if (!scan_value(s, place_new(s, (Token){ T_END, s->token.at, 0 })))
            return false;
        if (!is_punct(s, ","))
            return scan_close(s, open, ')');
        next(s);
        if (is_punct(s, ")"))
            return unexpected(s, "a value after ','");
    }
}

static const char *kind_text(TokenKind kind)
{
    static const char *const text[] = {
        [T_BOOL] = "a bool",        [T_INT] = "an integer",  [T_INT64] = "a 64-bit integer",
        [T_REAL] = "a real number", [T_STRING] = "a string", [T_BAD] = "",
    };
    return text[kind];
}

static bool is_scalar(TokenKind kind)
{
    return kind == T_BOOL || kind == T_INT || kind == T_INT64 || kind == T_REAL || kind == T_STRING;
}

static bool scan_array(Scan *s, size_t open)
{
    next(s);
    if (is_punct(s, "]"))
        return true;
    for (TokenKind first = s->token.kind;;) {
        Token t = s->token;
        if (is_punct(s, "{[("))
            return fail(s, t.at, 1, "an array [ ] holds plain values only; use a list ( )");
        if (is_scalar(t.kind) && is_scalar(first) && t.kind != first)
            return fail(s, t.at, t.kind == T_STRING ? 1 : t.len,
                        "the values of an array [ ] are all of one type: this is %s, the first is %s; "
                        "use a list ( ) to mix",
                        kind_text(t.kind), kind_text(first));
        if (!scan_value(s, place_new(s, (Token){ T_END, t.at, 0 })))
            return false;
        if (!is_punct(s, ","))
            return scan_close(s, open, ']');
        next(s);
    }
}

/* From an opening bracket to its partner. */
static bool scan_aggregate(Scan *s)
{
    size_t open = s->token.at;
    char c = s->src->text[open];
    if (++s->depth > CONF_MAX_DEPTH)
        return fail(s, open, 1, "nested too deeply (at most %d levels)", CONF_MAX_DEPTH);
    bool ok = true;
    if (c == '(') {
        ok = scan_list(s, open);
    } else if (c == '[') {
        ok = scan_array(s, open);
    } else {
        next(s);
        ok = scan_settings(s) && scan_close(s, open, '}');
    }
    s->depth--;
    return ok;
}

/* libconfig cuts an integer that does not fit, and 1.5 also one beyond 32 bits without the suffix L. */
static bool check_integer(Scan *s, Token t)
{
    const char *text = s->src->text + t.at;
    bool hex = t.len > 2 && (text[1] | 0x20) == 'x';
    errno = 0;
    long long v = strtoll(text, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return fail(s, t.at, t.len, "the integer does not fit 64 bits");
    if (t.kind == T_INT && (v > INT32_MAX || v < INT32_MIN))
        return fail(s, t.at, t.len, "an integer beyond 32 bits needs the suffix L");
    return true;
}

static bool scan_scalar(Scan *s, size_t place)
{
    Token t = s->token;
    if ((t.kind == T_INT || t.kind == T_INT64) && !check_integer(s, t))
        return false;
    next(s);
    size_t stop = t.at + t.len;
    bool touching = s->token.at == stop && s->token.kind != T_END && s->token.kind != T_PUNCT;
    if (touching && t.kind != T_STRING && s->token.kind != T_STRING) /* 16*T */
        return needs_quotes(s, t.at);
    for (; t.kind == T_STRING && s->token.kind == T_STRING; next(s)) /* "a" "b" is one string */
        stop = s->token.at + s->token.len;
    s->places->place[place].value = t.at;
    s->places->place[place].nvalue = stop - t.at;
    return true;
}

static bool scan_value(Scan *s, size_t place)
{
    size_t at = s->token.at;
    if (is_scalar(s->token.kind))
        return scan_scalar(s, place);
    if (s->token.kind == T_NAME)
        return needs_quotes(s, at);
    if (!is_punct(s, "{[("))
        return unexpected(s, "a value");
    if (!scan_aggregate(s))
        return false;
    s->places->place[place].value = at;
    s->places->place[place].nvalue = s->token.at + 1 - at;
    next(s);
    return true;
}

static bool check_text(Scan *s)
{
    const char *nul = memchr(s->src->text + s->pos, '\0', s->end - s->pos);
    if (nul)
        return fail(s, (size_t)(nul - s->src->text), 1, "a NUL byte: this is not a text file");
    if (s->end - s->pos >= 3 && memcmp(s->src->text + s->pos, "\xEF\xBB\xBF", 3) == 0)
        return fail(s, s->pos, 1, "a byte order mark; save the file as UTF-8 without one");
    return true;
}

bool conf_scan(Arena *a, const Source *src, size_t begin, size_t end, ConfPlaces *out, Diag *d)
{
    Scan s = { .arena = a, .src = src, .pos = begin, .end = end, .places = out, .diag = d };
    if (!check_text(&s))
        return false;
    next(&s);
    place_new(&s, (Token){ T_NAME, s.token.at, s.token.len });
    out->place[0].value = s.token.at;
    out->place[0].nvalue = s.token.len;
    if (s.token.kind == T_END)
        return fail(&s, begin, 1, "no settings here: expected something like name = \"value\";");
    if (!scan_settings(&s))
        return false;
    if (s.token.kind != T_END)
        return unexpected(&s, "a key");
    return !s.duplicates;
}
