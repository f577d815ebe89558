/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_parse: libconfig reads the values of a text, the text tells their places. Its tokens are walked over twice: up
 * to one that libconfig must not see, as it would open a file (@include), take long (a huge group) or say nothing (an
 * open comment); then along libconfig's tree of the text before that. The first token that does not fit the tree is
 * reported, or a number that libconfig has cut.
 */
#include "gen/base/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"

/* Kinds of tokens: a sign stands for itself, '=' also for ':'. A word is a name, number, boolean or unknown. libconfig
 * must not see a T_BAD. */
enum { T_END, T_WORD = 'w', T_STRING = '"', T_BAD = '?' };
/* How values of libconfig's types begin and end: none, group, the integers, real, string, boolean, array, list. */
static const char *const signs[] = { "-", "{}", "w", "w", "w", "\"", "w", "[]", "()" };

typedef struct {
    Arena *arena;
    Diag *diag;
    const Source *src;
    const char *text;            /* of the source, up to where the settings end */
    const char *at, *line_start; /* the token at hand, and its line */
    size_t len;
    int line, kind;
    const char *fault, *error; /* what to say of a T_BAD, NULL: it is not what was expected; libconfig's message */
    Text expr;                 /* ConfSetting.expr of a T_STRING */
    /* brackets around the token; how many names each has so far, -1 if it is no group */
    int depth, nname[CONF_MAX_DEPTH + 1];
} Scan;

/* The first character from p on that is neither blank nor comment. A comment that is not closed is none. */
static const char *skip_blank(const char *p)
{
    for (;; p++) {
        const char *close = p[0] == '/' && p[1] == '*' ? strstr(p + 2, "*/") : NULL;
        if (close)
            p = close + 1;
        else if (*p == '#' || (p[0] == '/' && p[1] == '/'))
            p += strcspn(p, "\n") - 1;
        else if (!*p || !strchr(" \t\r\n\f", *p))
            return p;
    }
}

/* Takes strings side by side, which are one value. */
static void scan_strings(Scan *s)
{
    const char *open = s->at, *p = open;
    for (s->expr.len = 0; *open == '"'; open = skip_blank(p + 1)) {
        for (; p <= open; p++) /* from the quote before to this one */
            text_add(&s->expr, *p == '\n' ? "\n" : " ");
        for (size_t n; *p != '"'; p += n) {
            if (!*p || *p == '\n') {
                if (s->kind == T_STRING || open == s->at) /* else it is the first that libconfig must not see */
                    s->fault = "this string is not closed; to go on in the next line, close it and open another";
                s->at = s->fault ? open : s->at;
                return;
            }
            n = *p == '\\' && p[1] && strchr("nrtf\\\"", p[1]) ? 2 : 1;
            text_addn(&s->expr, n == 2 && p[1] >= 'a' ? "  " : p, n);
        }
    }
    text_add(&s->expr, " ");
    s->len = (size_t)(p + 1 - s->at);
}

static void next(Scan *s)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*+-./%<>!&|?^~'$`\\";
    const int before = s->kind;
    const char *from = s->at, c = *(s->at = skip_blank(from + s->len));
    s->kind = T_BAD;
    s->len = 1;
    s->fault = NULL;
    if (!c) {
        s->kind = T_END;
    } else if (strncmp(s->at, "\xEF\xBB\xBF", 3) == 0) {
        s->fault = "a byte order mark; save the file as UTF-8 without one";
    } else if (c == '@' || (c == '/' && s->at[1] == '*')) {
        s->len = c == '@' ? strcspn(s->at, " \t\r\n;,\"") : 2;
        s->fault = c == '/' ? "this comment is not closed"
                            : "@include is not allowed here: the file must be complete by itself";
    } else if (strchr(word, c)) {
        s->kind = T_WORD;
        while ((s->at[s->len] != '/' || !strchr("/*", s->at[s->len + 1])) && s->at[s->len] &&
               strchr(word, s->at[s->len]))
            s->len++;
        if (s->nname[s->depth] >= 0 && before != '=' && s->nname[s->depth]++ == CONF_MAX_MEMBER)
            s->fault = arena_printf(s->arena, "more than %d settings in one group", CONF_MAX_MEMBER);
    } else if (c == '"') { /* where no value is expected libconfig 1.5 would not free it */
        s->kind = before && (strchr("=([", before) || (before == ',' && s->nname[s->depth] < 0)) ? T_STRING : T_BAD;
        scan_strings(s);
    } else if (strchr("{[(", c)) {
        s->kind = c;
        if (s->depth == CONF_MAX_DEPTH)
            s->fault = arena_printf(s->arena, "nested too deeply (at most %d levels)", CONF_MAX_DEPTH);
        else
            s->nname[++s->depth] = c == '{' ? 0 : -1;
    } else if (strchr(")]}=:;,", c)) {
        s->kind = c == ':' ? '=' : c;
        s->depth -= s->depth > 0 && strchr(")]}", c);
    }
    s->kind = s->fault ? T_BAD : s->kind;
    for (; (from = memchr(from, '\n', (size_t)(s->at - from))); s->line++)
        s->line_start = ++from;
}

static Loc place(const Scan *s)
{
    return (Loc){ s->src, s->line, (int)(s->at - s->line_start) + 1, memchr(s->at, '\n', s->len) ? 1 : (int)s->len };
}

/* Reports at the token at hand, and is false. So are all that begin with fail_. */
#define FAIL(s, ...) diag_error((s)->diag, place(s), __VA_ARGS__)
static bool fail_expected(Scan *s, const char *expected)
{
    const char *found = arena_printf(s->arena, "'%.*s'", s->len < 40 ? (int)s->len : 40, s->at);
    if (s->kind == T_END)
        found = s->src->text[s->at - s->text] ? "the end of the settings" : "the end of the file";
    else if (*s->at == '"')
        found = conf_type_text(CONF_STRING);
    else if (*s->at < 0x20 || *s->at > 0x7E)
        found = arena_printf(s->arena, "the byte 0x%02X", (unsigned char)*s->at);
    return s->fault ? FAIL(s, "%s", s->fault) : FAIL(s, "expected %s, found %s", expected, found);
}

static bool fail_value(Scan *s, const char *expected)
{
    if (s->kind != T_WORD)
        return fail_expected(s, expected);
    s->len = strcspn(s->at, " \t\r\n;,{}[]\""); /* what the user sees as one word */
    return FAIL(s, "text and expressions go in quotes: \"%.*s\"", (int)s->len, s->at);
}

/* libconfig has no more settings of `in`, and the token at hand does not end it. */
static bool fail_member(Scan *s, const ConfSetting *in, const char *sign, bool separated)
{
    const char *name = arena_strndup(s->arena, s->at, s->len);
    const bool closes = s->kind && strchr(")]}", s->kind), is_group = *sign == '{';
    if (s->kind == T_END && sign[1])
        return diag_error(s->diag, in->at, "this '%c' is not closed", *sign);
    if (*sign == '[' && (strchr("{[(", s->kind) || strncmp(s->error, "mismatch", 8) == 0))
        return FAIL(s, "the values of an array [ ] are plain and all of one type; use a list ( ) to mix");
    if (!is_group && separated)
        return fail_value(s, in->n ? "a value after ','" : "a value");
    if (sign[1] && (!is_group || closes))
        return fail_expected(s, arena_printf(s->arena, "%s'%c' to close the '%c' of line %d", is_group ? "" : "',' or ",
                                             sign[1], sign[0], in->at.line));
    if (conf_member(in, name))
        return FAIL(s, "duplicate key '%s', first set at line %d", name, conf_member(in, name)->name_at.line);
    if (!separated && !closes)
        return fail_expected(s, "';' after the value");
    name = s->kind == T_WORD ? ", which begins with a letter and is no value" : "";
    return fail_expected(s, arena_printf(s->arena, "a key%s%s", name, sign[1] ? ", or '}'" : ""));
}

/* Is the word at hand, all of it, what libconfig has read? */
static bool check_word(Scan *s, const ConfSetting *v)
{
    const bool is_integer = v->type != CONF_BOOL && v->type != CONF_REAL;
    const bool is_hex = s->at[0] == '0' && (s->at[1] | 0x20) == 'x';
    char *end = (char *)s->at + (v->integer ? strlen("true") : strlen("false"));
    if (v->type == CONF_REAL)
        (void)strtod(s->at, &end);
    errno = 0;
    const int64_t n = is_integer ? strtoll(s->at, &end, is_hex ? 16 : 10) : v->integer;
    const bool is_long = is_integer && *end == 'L' && end > s->at;
    if (end + is_long + (is_long && end[1] == 'L') != s->at + s->len)
        return fail_value(s, "a value");
    if (errno == ERANGE)
        return FAIL(s, "the integer does not fit 64 bits");
    if (!is_long && (int32_t)n != n) /* libconfig 1.5 cuts it */
        return FAIL(s, "an integer beyond 32 bits needs the suffix L");
    return n == v->integer || FAIL(s, "libconfig reads this as %lld", (long long)v->integer);
}

/* Takes a value, or the bracket that opens it, into *out, which has its name already. */
static bool take_value(Scan *s, const config_setting_t *t, ConfSetting *out)
{
    out->at = place(s);
    out->begin = (size_t)(s->at - s->text);
    out->type = (ConfType)config_setting_type(t);
    out->real = config_setting_get_float(t); /* of other types it is 0, and so is the integer */
    out->integer = out->type == CONF_BOOL ? config_setting_get_bool(t) : config_setting_get_int64(t);
    if (s->kind == T_WORD)
        return check_word(s, out);
    if (s->kind != *signs[out->type])
        return fail_value(s, "a value");
    if (s->kind == T_STRING) {
        out->text = arena_strdup(s->arena, config_setting_get_string(t));
        out->expr = arena_strdup(s->arena, text_str(&s->expr));
    }
    return true;
}

/* Takes the settings of a group, list or array, from behind its opening bracket up to the closing one. */
static bool take_members(Scan *s, const config_setting_t *t, ConfSetting *out, const char *sign)
{
    const int n = config_setting_length(t);
    bool separated = true; /* nothing, or a separator, stands before the token at hand */
    next(s);
    for (out->elem = ARENA_ARRAY(s->arena, n, ConfSetting); out->n < n; out->n++) {
        const config_setting_t *member = config_setting_get_elem(t, (unsigned)out->n);
        ConfSetting *e = &out->elem[out->n];
        e->name_at = place(s);
        if (*sign == '{') {
            e->name = arena_strndup(s->arena, s->at, s->len);
            if (strcmp(e->name, config_setting_name(member)) != 0)
                return fail_member(s, out, sign, separated);
            next(s);
            if (s->kind != '=')
                return fail_expected(s, arena_printf(s->arena, "'=' after '%.40s'", e->name));
            next(s);
        }
        if (!take_value(s, member, e) || (signs[e->type][1] && !take_members(s, member, e, signs[e->type])))
            return false;
        e->end = (size_t)(s->at - s->text) + s->len;
        next(s);
        if ((separated = s->kind == ',' || (s->kind == ';' && *sign == '{')))
            next(s);
    }
    return (s->kind == sign[1] && (*sign == '{' || !separated || n == 0)) || fail_member(s, out, sign, separated);
}

Conf *conf_parse(Arena *a, const Source *src, size_t begin, size_t end, Diag *d)
{
    const size_t n = end < src->len ? end : src->len;
    const char *text = arena_strndup(a, src->text, n);
    Scan s = { a, d, src, text, text, text, begin, .line = 1, .expr = { .arena = a } };
    bool ok = strlen(text) == n || diag_error(d, loc_at(src, strlen(text), 1), "a NUL byte: this is not a text file");
    Scan ahead = s;
    next(&ahead);
    ConfSetting *root = ARENA_NEW(a, ConfSetting);
    *root = (ConfSetting){ .type = CONF_GROUP, .name_at = place(&ahead), .at = place(&ahead) };
    while (ahead.kind != T_END && ahead.kind != T_BAD)
        next(&ahead);
    config_t config;
    config_init(&config);
    /* libconfig does not see a comment that the end of the text cuts off: hence the line's end */
    const char *seen = arena_printf(a, "%.*s\n", (int)(ahead.at - text) - (int)begin, text + begin);
    s.error = config_read_string(&config, seen) ? "" : config_error_text(&config);
    ok = ok && take_members(&s, config_root_setting(&config), root, "{") && (!*s.error || FAIL(&s, "%s", s.error));
    if (ok && root->n == 0)
        ok = diag_error(d, loc_at(src, begin, 1), "no settings here: expected something like name = \"value\";");
    config_destroy(&config);
    Conf *c = ARENA_NEW(a, Conf);
    *c = (Conf){ a, d, root };
    return ok ? c : NULL;
}
