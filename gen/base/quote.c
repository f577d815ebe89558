/* SPDX-License-Identifier: Apache-2.0
 *
 * quote: writes text from outside into other languages, a character at a time. A character that may not be shown is
 * replaced; one that means something in the language at hand is escaped.
 */
#include "gen/base/quote.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters ---- */

/* Bytes of the UTF-8 character at s, of which n are left; 0: not valid, as overlong forms and surrogates. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *code)
{
    static const struct {
        unsigned char lead, mask;
        uint32_t least;
    } form[] = { { 0x00, 0x80, 0 }, { 0xc0, 0xe0, 0x80 }, { 0xe0, 0xf0, 0x800 }, { 0xf0, 0xf8, 0x10000 } };
    size_t more = 0; /* bytes after the first */
    while (more < 4 && (s[0] & form[more].mask) != form[more].lead)
        more++;
    if (more == 4 || more >= n)
        return 0;
    *code = s[0] & (unsigned char)~form[more].mask;
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    const bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < form[more].least || *code > 0x10ffff || is_surrogate ? 0 : more + 1;
}

size_t quote_shown(const char *s, size_t n)
{
    /* Control characters, and characters that cannot be seen or turn the direction of writing. */
    static const uint32_t hidden[][2] = { { 0, 0x1f },         { 0x7f, 0x9f },     { 0xad, 0xad },
                                          { 0x61c, 0x61c },    { 0x180e, 0x180e }, { 0x200b, 0x200f },
                                          { 0x2028, 0x202e },  { 0x2060, 0x206f }, { 0xfe00, 0xfe0f },
                                          { 0xfeff, 0xfeff },  { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
                                          { 0xe0000, 0xe01ef } };
    uint32_t code;
    const size_t len = decode((const unsigned char *)s, n, &code);
    for (size_t i = 0; len && i < LENGTH(hidden); i++)
        if (code >= hidden[i][0] && code <= hidden[i][1])
            return 0;
    return len;
}

/* ---- one way for all languages ---- */

/* Writes `instead` for an ASCII character between two others: `before` was written last, `next` comes next. 0: any. */
typedef struct {
    char before, character, next;
    const char *instead;
} Escape;

typedef struct {
    const char *backslashed; /* characters that get a backslash before them */
    const Escape *escape;    /* for other characters; the last one is { 0 }; NULL: none */
    const char *allowed;     /* all ASCII characters that stay, the others become "?"; NULL: all */
    const char *instead;     /* of what is not shown */
    size_t most;             /* the text is cut behind so many bytes */
} Language;

#define NO_LIMIT SIZE_MAX

static void add_ascii(Text *t, const Language *to, const char *s, char before)
{
    const Escape *e = to->escape;
    if (strchr(to->backslashed, *s))
        text_add(t, "\\");
    while (e && e->character &&
           (e->character != *s || (e->before && e->before != before) || (e->next && e->next != s[1])))
        e++;
    if (e && e->character)
        text_add(t, e->instead);
    else if (to->allowed && !strchr(to->allowed, *s))
        text_add(t, "?");
    else
        text_addn(t, s, 1);
}

/* begin: the character that the text is written behind. */
static void add_quoted(Text *t, const Language *to, const char *s, char begin)
{
    const size_t from = t->len;
    size_t len;
    for (size_t n = s ? strlen(s) : 0; n > 0; s += len, n -= len) {
        if (t->len - from >= to->most) {
            text_add(t, "...");
            return;
        }
        len = quote_shown(s, n);
        const char *shown = len ? s : strchr("\n\r\t", *s) ? " " : to->instead;
        if ((unsigned char)*shown < 0x80)
            add_ascii(t, to, shown, t->len > from ? t->s[t->len - 1] : begin);
        else
            text_addn(t, shown, len ? len : strlen(shown));
        len = len ? len : 1; /* a byte that is not shown */
    }
}

static char *quoted(Arena *a, const Language *to, const char *s, const char *quote)
{
    Text t = { .arena = a };
    text_add(&t, quote);
    add_quoted(&t, to, s, *quote ? *quote : ' ');
    text_add(&t, quote);
    return t.s;
}

/* ---- languages ---- */

static const Escape in_comment[] = { { '*', '/', 0, " /" }, { '/', '*', 0, " *" }, { '?', '?', 0, " ?" }, { 0 } };
static const Escape in_string[] = { { '?', '?', 0, "\\?" }, { 0 } };
/* The address behind "://" shall not become a link. */
static const Escape in_markdown[] = { { 0, ':', '/', "\\:" }, { 0 } };
static const Escape in_html[] = { { 0, '&', 0, "&amp;" },  { 0, '<', 0, "&lt;" },   { 0, '>', 0, "&gt;" },
                                  { 0, '"', 0, "&quot;" }, { 0, '\'', 0, "&#39;" }, { 0 } };

static const char gnuplot_allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,=()/-+*%";

static const Language line = { "", NULL, NULL, "?", QUOTE_MAX };
static const Language comment = { "", in_comment, NULL, "?", QUOTE_MAX };
static const Language string = { "\\\"", in_string, NULL, "?", NO_LIMIT };
static const Language markdown = { "\\`*_{}[]<>|~$&!#", in_markdown, NULL, "?", QUOTE_MAX };
static const Language gnuplot = { "", NULL, gnuplot_allowed, "?", QUOTE_MAX };
static const Language cmake = { "\\\"$;", NULL, NULL, "?", NO_LIMIT };
static const Language html = { "", in_html, NULL, "\xef\xbf\xbd", NO_LIMIT };
static const Language utf8 = { "", NULL, NULL, "?", NO_LIMIT };

char *quote_line(Arena *a, const char *s) { return quoted(a, &line, s, ""); }
char *quote_string(Arena *a, const char *s) { return quoted(a, &string, s, "\""); }
char *quote_markdown(Arena *a, const char *s) { return quoted(a, &markdown, s, ""); }
char *quote_cmake(Arena *a, const char *s) { return quoted(a, &cmake, s, "\""); }
void quote_html(Text *t, const char *s) { add_quoted(t, &html, s, ' '); }

char *quote_comment(Arena *a, const char *s)
{
    Text t = { .arena = a };
    text_add(&t, ""); /* t.s is a string even if s is empty */
    add_quoted(&t, &comment, s, '*');
    while (t.len && t.s[t.len - 1] == ' ') /* gcc joins lines behind a backslash and blanks too */
        t.s[--t.len] = '\0';
    if (t.len && t.s[t.len - 1] == '\\')
        t.s[t.len - 1] = '?';
    if (t.len && t.s[t.len - 1] == '*')
        text_add(&t, " ");
    return t.s;
}

char *quote_gnuplot(Arena *a, const char *s)
{
    char *text = quoted(a, &gnuplot, s, "'");
    for (char *p = text; *p; p++)
        *p = (unsigned char)*p < 0x80 ? *p : '?';
    return text;
}

/* ---- JSON ---- */

json_t *quote_json(const char *s)
{
    json_t *v = s ? json_string(s) : json_null();
    if (!v) { /* Jansson takes UTF-8 only */
        Arena *a = arena_new();
        v = json_string(quoted(a, &utf8, s, ""));
        arena_free(a);
    }
    return v;
}

/* The value in ASCII. Jansson leaves the control character DEL as it is, so it is escaped here. */
static char *json_ascii(Arena *a, json_t *value, size_t flags)
{
    Text t = { .arena = a };
    char *text = json_dumps(value, flags | JSON_ENSURE_ASCII);
    for (const char *s = text ? text : "null"; *s; s++)
        if (*s == 0x7f)
            text_add(&t, "\\u007F");
        else
            text_addn(&t, s, 1);
    free(text);
    return t.s;
}

char *quote_json_text(Arena *a, const char *s)
{
    json_t *v = quote_json(s);
    char *text = json_ascii(a, v, JSON_ENCODE_ANY);
    json_decref(v);
    return text;
}

char *quote_json_lines(Arena *a, json_t *value)
{
    char *text = arena_printf(a, "%s\n", json_ascii(a, value, JSON_INDENT(1) | JSON_REAL_PRECISION(9)));
    json_decref(value);
    return text;
}

void quote_print_json(json_t *value, FILE *to)
{
    Arena *a = arena_new();
    fputs(quote_json_lines(a, value), to);
    arena_free(a);
}

/* ---- terminals ---- */

void quote_print(FILE *to, const char *s, size_t n)
{
    while (n > 0) {
        size_t run = 0, len = 1; /* run: bytes that go out as they are; len: of a character */
        for (; run < n && len > 0; run += len)
            len = s[run] == '\n' || s[run] == '\t' ? 1 : quote_shown(s + run, n - run);
        const size_t hidden = len == 0;
        fwrite(s, 1, run, to);
        if (hidden)
            fputc('?', to);
        s += run + hidden;
        n -= run + hidden;
    }
}

void quote_vprintf(FILE *to, const char *fmt, va_list ap)
{
    Arena *a = arena_new();
    const char *text = arena_vprintf(a, fmt, ap);
    quote_print(to, text, strlen(text));
    arena_free(a);
}

void quote_printf(FILE *to, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    quote_vprintf(to, fmt, ap);
    va_end(ap);
}
