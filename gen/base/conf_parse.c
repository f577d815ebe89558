/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_parse: reads a text of libconfig's language by recursive descent, and gives every setting its place.
 *
 *   settings = { name ("=" | ":") value [ ";" | "," ] } ;
 *   value    = scalar | "{" settings "}" | "(" [ value { "," value } ] ")" | "[" [ scalar { "," scalar } ] "]" ;
 *
 * What is accepted means the same to libconfig. This reader is stricter where libconfig would get things wrong in silence: an
 * integer beyond 64 bits, or beyond 32 without the suffix L, the number ".", a comment that is not closed, a string over
 * several lines (mostly a forgotten quote). "@include" is refused.
 */
#include "gen/base/conf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gen/base/text.h"

/* Kinds of tokens. A plain value has its ConfType as its kind, a sign or bracket its character; these are the others. */
enum { T_END = CONF_LIST + 1, T_NAME, T_BAD };

typedef struct {
    int kind;
    const char *at; /* in Scan.text */
    size_t len;
    ConfSetting value; /* its place, and what a plain value says */
    bool too_large;    /* an integer beyond 64 bits */
} Token;

typedef struct {
    Arena *arena;
    Diag *diag;
    const Source *src;
    const char *text;       /* of the source, up to where the settings end */
    const char *line_start; /* of the line of the token at hand */
    int line;
    Token token; /* the one at hand, not taken yet */
    int depth;
} Scan;

static bool scan_value(Scan *s, ConfSetting *out);

/* Reports at `len` bytes from `from`, which is in the text; always false. */
#define FAIL(s, from, len, ...) \
    diag_error((s)->diag, loc_at((s)->src, (size_t)((from) - (s)->text), (int)(len)), __VA_ARGS__)

/* ---- tokens ---- */

/* The first character from p on that is neither blank nor comment. A comment that is not closed is none. */
static const char *skip_blank(const char *p)
{
    for (;;) {
        const char *close = p[0] == '/' && p[1] == '*' ? strstr(p + 2, "*/") : NULL;
        if (close)
            p = close + 2;
        else if (*p == '#' || (p[0] == '/' && p[1] == '/'))
            p += strcspn(p, "\n");
        else if (*p && strchr(" \t\r\n\f", *p))
            p++;
        else
            return p;
    }
}

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static void read_name(Token *t)
{
    t->len = strspn(t->at, WORD "-*");
    t->value.integer = t->len == 4 && strncasecmp(t->at, "true", 4) == 0;
    t->kind = t->value.integer || (t->len == 5 && strncasecmp(t->at, "false", 5) == 0) ? CONF_BOOL : T_NAME;
}

/* 7, -7, 0x1F, 7L, 1.5, .5e-3: the whole word; T_BAD when it is no number. */
static void read_number(Scan *s, Token *t)
{
    t->len = strspn(t->at, WORD "+-.");
    const char *word = arena_strndup(s->arena, t->at, t->len);
    const bool hex = word[0] == '0' && (word[1] | 0x20) == 'x';
    char *end;
    errno = 0;
    t->value.integer = strtoll(word, &end, hex ? 16 : 10);
    const size_t suffix = strspn(end, "L");
    if (end > word && suffix <= 2 && !end[suffix]) {
        t->too_large = errno == ERANGE;
        t->kind = suffix ? CONF_INT64 : CONF_INT;
        return;
    }
    t->value.real = strtod(word, &end);
    if (end > word && !*end && !word[strspn(word, "0123456789+-.eE")]) /* strtod also knows "nan" and 0x1p3 */
        t->kind = CONF_REAL;
}

/* The byte that a string has at p, where it may be written as an escape sequence. Gives how many characters of the text say it. */
static size_t unescape(const char *p, char *byte)
{
    static const char name[] = "nrtf\\\"", meant[] = "\n\r\t\f\\\"";
    const char *known = *p == '\\' && p[1] ? strchr(name, p[1]) : NULL;
    const bool hex =
        *p == '\\' && (p[1] | 0x20) == 'x' && isxdigit((unsigned char)p[2]) && isxdigit((unsigned char)p[3]);
    *byte = known ? meant[known - name] : hex ? (char)strtol((char[]){ p[2], p[3], 0 }, NULL, 16) : *p;
    return known ? 2 : hex ? 4 : 1;
}

/* Reads strings side by side, which are one value. T_BAD at the one that is not closed on its line. */
static void read_strings(Scan *s, Token *t)
{
    Text text = { .arena = s->arena }, expr = text;
    const char *close = t->at, *p = t->at;
    while (*p == '"') {
        for (; close <= p; close++) /* from the quote before to this one */
            text_add(&expr, *close == '\n' ? "\n" : " ");
        const char *open = p++;
        for (size_t n; *p != '"'; p += n) {
            char byte;
            if (!*p || *p == '\n') {
                t->at = open;
                return;
            }
            n = unescape(p, &byte);
            text_addn(&text, &byte, 1);
            text_addn(&expr, n == 2 && isspace((unsigned char)byte) ? "  " : p, n);
        }
        close = p;
        p = skip_blank(p + 1);
    }
    text_add(&expr, " ");
    t->kind = CONF_STRING;
    t->len = (size_t)(close + 1 - t->at);
    t->value.text = text_str(&text);
    t->value.expr = text_str(&expr);
}

/* Moves on to the next token. */
static void scan_token(Scan *s)
{
    Token t = { .kind = T_BAD, .at = skip_blank(s->token.at + s->token.len), .len = 1 };
    for (const char *p = s->token.at; (p = memchr(p, '\n', (size_t)(t.at - p))); s->line++)
        s->line_start = ++p;
    if (!*t.at)
        t.kind = T_END;
    else if (strchr("=:;,{}()[]", *t.at))
        t.kind = *t.at;
    else if (isalpha((unsigned char)*t.at) || *t.at == '*')
        read_name(&t);
    else if (strchr("0123456789+-.", *t.at))
        read_number(s, &t);
    else if (*t.at == '"')
        read_strings(s, &t);
    t.value.at = (Loc){ s->src, s->line, (int)(t.at - s->line_start) + 1, memchr(t.at, '\n', t.len) ? 1 : (int)t.len };
    s->token = t;
}

static bool is_plain(int kind) { return kind >= CONF_BOOL && kind <= CONF_STRING; }

static bool is_any(const Scan *s, const char *signs) { return s->token.kind > T_BAD && strchr(signs, s->token.kind); }

/* ---- messages ---- */

/* The token at hand, for a message. */
static const char *found_text(const Scan *s)
{
    const Token *t = &s->token;
    unsigned char c = (unsigned char)*t->at;
    if (t->kind == T_END)
        return (size_t)(t->at - s->text) == s->src->len ? "the end of the file" : "the end of the settings";
    if (t->kind == CONF_STRING)
        return conf_type_text(CONF_STRING);
    if (t->kind == T_BAD && (c < 0x20 || c > 0x7E))
        return arena_printf(s->arena, "the byte 0x%02X", c);
    return arena_printf(s->arena, "'%.*s'", t->len < 40 ? (int)t->len : 40, t->at);
}

/* Bytes up to the next blank or separator: what the user thought of as one word. */
static size_t word_length(const char *at) { return strcspn(at, " \t\r\n;,{}[]\""); }

static bool report_unexpected(Scan *s, const char *expected)
{
    const Token *t = &s->token;
    if (t->kind == T_BAD && *t->at == '"')
        return FAIL(s, t->at, 1, "this string is not closed; to go on in the next line, close it and open another");
    if (t->kind == T_BAD && *t->at == '@')
        return FAIL(s, t->at, word_length(t->at), "@include is not allowed here: the file must be complete by itself");
    if (t->kind == T_BAD && t->at[0] == '/' && t->at[1] == '*')
        return FAIL(s, t->at, 2, "this comment is not closed");
    return FAIL(s, t->at, t->kind == CONF_STRING ? 1 : t->len, "expected %s, found %s", expected, found_text(s));
}

static bool report_missing_quotes(Scan *s, const char *at)
{
    size_t n = word_length(at);
    return FAIL(s, at, n, "text and expressions go in quotes: \"%.*s\"", (int)n, at);
}

/* ---- grammar ---- */

static ConfSetting *elem_new(Scan *s, ConfSetting *in)
{
    if (in->n == in->cap) {
        in->cap = in->cap ? 2 * in->cap : 8;
        in->elem = arena_grow(s->arena, in->elem, (size_t)in->n, (size_t)in->cap, sizeof *in->elem);
    }
    return &in->elem[in->n++];
}

static bool scan_setting(Scan *s, ConfSetting *group)
{
    const Token t = s->token;
    if (t.kind == CONF_BOOL)
        return report_unexpected(s, "a key (true and false are values)");
    if (t.kind != T_NAME)
        return report_unexpected(
            s, arena_printf(s->arena, "a key%s%s",
                            *t.at == '_' || isdigit((unsigned char)*t.at) ? ", which begins with a letter" : "",
                            s->depth ? ", or '}'" : ""));
    if (group->n == CONF_MAX_MEMBER)
        return FAIL(s, t.at, t.len, "more than %d settings in one group", CONF_MAX_MEMBER);
    const char *name = arena_strndup(s->arena, t.at, t.len);
    const ConfSetting *first = conf_member(group, name);
    if (first) /* reading goes on, so that all duplicate keys are reported */
        FAIL(s, t.at, t.len, "duplicate key '%s', first set at line %d", name, first->name_at.line);
    ConfSetting *out = elem_new(s, group);
    *out = (ConfSetting){ .name = name, .name_at = t.value.at };
    scan_token(s);
    if (!is_any(s, "=:"))
        return report_unexpected(s, arena_printf(s->arena, "'=' after '%.40s'", name));
    scan_token(s);
    return scan_value(s, out);
}

/* Reads settings up to the end or a closing bracket, which the caller checks. Behind a value comes a separator, or at once the next key. */
static bool scan_settings(Scan *s, ConfSetting *group)
{
    while (s->token.kind != T_END && !is_any(s, "})")) {
        if (!scan_setting(s, group))
            return false;
        if (is_any(s, ";,"))
            scan_token(s);
        else if (s->token.kind != T_NAME && s->token.kind != T_END && !is_any(s, "})"))
            return report_unexpected(s, "';' after the value");
    }
    return true;
}

static bool scan_close(Scan *s, const char *open, char close)
{
    if (s->token.kind == close)
        return true;
    if (s->token.kind == T_END)
        return FAIL(s, open, 1, "this '%c' is not closed", *open);
    return report_unexpected(s, arena_printf(s->arena, "%s'%c' to close the '%c' of line %d",
                                             close == '}' ? "" : "',' or ", close, *open,
                                             loc_at(s->src, (size_t)(open - s->text), 1).line));
}

/* Does the next token belong into an array whose first one is of kind `first`? */
static bool check_array(Scan *s, int first)
{
    const Token *t = &s->token;
    if (is_any(s, "{[("))
        return FAIL(s, t->at, 1, "an array [ ] holds plain values only; use a list ( )");
    if (is_plain(t->kind) && is_plain(first) && t->kind != first)
        return FAIL(s, t->at, t->kind == CONF_STRING ? 1 : t->len,
                    "the values of an array [ ] are all of one type: this is %s, the first is %s; "
                    "use a list ( ) to mix",
                    conf_type_text(t->kind), conf_type_text(first));
    return true;
}

static bool scan_sequence(Scan *s, ConfSetting *out, const char *open, char close)
{
    scan_token(s);
    if (s->token.kind == close)
        return true;
    for (int first = s->token.kind;; scan_token(s)) {
        if (out->n && s->token.kind == close)
            return report_unexpected(s, "a value after ','");
        if ((out->type == CONF_ARRAY && !check_array(s, first)) || !scan_value(s, elem_new(s, out)))
            return false;
        if (s->token.kind != ',')
            return scan_close(s, open, close);
    }
}

/* Reads a value from its opening bracket to the closing one. */
static bool scan_aggregate(Scan *s, ConfSetting *out)
{
    const char *open = s->token.at;
    bool ok;
    if (++s->depth > CONF_MAX_DEPTH)
        return FAIL(s, open, 1, "nested too deeply (at most %d levels)", CONF_MAX_DEPTH);
    out->type = *open == '{' ? CONF_GROUP : *open == '(' ? CONF_LIST : CONF_ARRAY;
    if (out->type == CONF_GROUP) {
        scan_token(s);
        ok = scan_settings(s, out) && scan_close(s, open, '}');
    } else {
        ok = scan_sequence(s, out, open, *open == '(' ? ')' : ']');
    }
    s->depth--;
    if (ok)
        scan_token(s);
    return ok;
}

/* Reads a value into *out, which has its name already. */
static bool scan_value(Scan *s, ConfSetting *out)
{
    Token t = s->token;
    t.value.name = out->name;
    t.value.name_at = out->name ? out->name_at : t.value.at;
    *out = t.value;
    if (is_any(s, "{[("))
        return scan_aggregate(s, out);
    if (t.kind == T_NAME || (t.kind == T_BAD && t.len > 1))
        return report_missing_quotes(s, t.at);
    if (!is_plain(t.kind))
        return report_unexpected(s, "a value");
    out->type = t.kind;
    if (t.too_large)
        return FAIL(s, t.at, t.len, "the integer does not fit 64 bits");
    if (t.kind == CONF_INT && (int32_t)t.value.integer != t.value.integer) /* libconfig 1.5 cuts it */
        return FAIL(s, t.at, t.len, "an integer beyond 32 bits needs the suffix L");
    scan_token(s);
    const bool touching = s->token.at == t.at + t.len && (s->token.kind == T_NAME || s->token.kind == T_BAD);
    return !touching || t.kind == CONF_STRING || report_missing_quotes(s, t.at); /* 16*T */
}

static bool scan_text(Scan *s, size_t begin, size_t end, ConfSetting *root)
{
    const size_t before_nul = strlen(s->text);
    if (before_nul < end)
        return FAIL(s, s->text + before_nul, 1, "a NUL byte: this is not a text file");
    if (strncmp(s->text + begin, "\xEF\xBB\xBF", 3) == 0)
        return FAIL(s, s->text + begin, 1, "a byte order mark; save the file as UTF-8 without one");
    s->token = (Token){ .at = s->text, .len = begin };
    scan_token(s);
    *root = (ConfSetting){ .type = CONF_GROUP, .name_at = s->token.value.at, .at = s->token.value.at };
    if (s->token.kind == T_END)
        return FAIL(s, s->text + begin, 1, "no settings here: expected something like name = \"value\";");
    return scan_settings(s, root) && (s->token.kind == T_END || report_unexpected(s, "a key"));
}

Conf *conf_parse(Arena *a, const Source *src, size_t begin, size_t end, Diag *d)
{
    if (end > src->len)
        end = src->len;
    const char *text = arena_strndup(a, src->text, end);
    Scan s = { .arena = a, .diag = d, .src = src, .text = text, .line_start = text, .line = 1 };
    ConfSetting *root = ARENA_NEW(a, ConfSetting);
    const int nerror = diag_nerror(d);
    if (!scan_text(&s, begin, end, root) || diag_nerror(d) > nerror)
        return NULL;
    Conf *c = ARENA_NEW(a, Conf);
    *c = (Conf){ a, d, root };
    return c;
}
