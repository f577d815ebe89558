/* SPDX-License-Identifier: Apache-2.0
 *
 * diag: collects errors and warnings, prints them by place. Text that came from a file is quoted (quote.h), so that a
 * hostile file cannot speak to the terminal. Columns count bytes, from 1.
 */
#include "gen/base/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/json.h"
#include "gen/base/order.h"

enum { DIAG_MAX_SHOWN = 100, DIAG_MAX_KEPT = 1000, LINE_MAX_SHOWN = 160, WORD_MAX = 128 };

typedef struct {
    DiagSeverity severity;
    const char *message; /* quoted */
    Loc at;
    size_t file;  /* index of the first entry with the same path */
    size_t order; /* its own index */
} Entry;

/* Escape sequences that begin what is bold, an error, a warning, a caret, and end it; all empty without colour. */
typedef struct {
    const char *bold, *error, *warning, *caret, *end;
} Palette;
static const Palette plain = { "", "", "", "", "" },
                     colored = { "\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;32m", "\033[0m" };
static const Palette *palette = &plain;
static bool use_json;

static const char *const severity_word[] = { [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note" };

void diag_use_color(bool on) { palette = on ? &colored : &plain; }
void diag_use_json(bool on) { use_json = on; }

struct Diag {
    Arena *arena;
    Entry *entry; /* room for DIAG_MAX_KEPT, once there is one */
    size_t n;
    int nerror;
};

Diag *diag_new(Arena *a)
{
    Diag *d = ARENA_NEW(a, Diag);
    d->arena = a;
    return d;
}

int diag_nerror(const Diag *d) { return d->nerror; }

static const char *path_of(const Entry *e) { return e->at.src && e->at.src->path ? e->at.src->path : ""; }

static bool is_same(const Entry *x, const Entry *y)
{
    return x->severity == y->severity && x->file == y->file && x->at.line == y->at.line && x->at.col == y->at.col &&
           strcmp(x->message, y->message) == 0;
}

bool diag_add(Diag *d, DiagSeverity severity, Loc at, const char *fmt, ...)
{
    d->nerror += severity == DIAG_ERROR;
    if (d->n == DIAG_MAX_KEPT)
        return false;
    Entry e = { .severity = severity, .at = at, .order = d->n };
    va_list ap;
    va_start(ap, fmt);
    e.message = quote_line(d->arena, arena_vprintf(d->arena, fmt, ap));
    va_end(ap);
    while (e.file < d->n && strcmp(path_of(&d->entry[e.file]), path_of(&e)) != 0)
        e.file++;
    for (size_t i = 0; i < d->n; i++)
        if (is_same(&d->entry[i], &e))
            return false;
    if (!d->entry)
        d->entry = ARENA_ARRAY(d->arena, DIAG_MAX_KEPT, Entry);
    d->entry[d->n++] = e;
    return false;
}

/* Line `line` of src, without its end; false when there is none. */
static bool line_find(const Source *src, int line, const char **s, size_t *n)
{
    const char *p = src->text, *end = src->text + src->len;
    for (int i = 1; i < line && p; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    if (!p)
        return false;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    *s = p;
    *n = (size_t)((stop ? stop : end) - p);
    if (*n && p[*n - 1] == '\r')
        --*n;
    return true;
}

/* Blanks as wide as the n bytes at s: a tab stays one, a UTF-8 sequence is one column. */
static void print_padding(FILE *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t len = quote_shown(s + i, n - i);
        fputc(s[i] == '\t' ? '\t' : ' ', out);
        i += len ? len : 1;
    }
}

/* A line that is too long is cut to a window around the caret. */
static void print_snippet(FILE *out, Loc at)
{
    const char *s;
    size_t n;
    if (!at.src || !at.src->text || at.line <= 0 || !line_find(at.src, at.line, &s, &n) || n == 0)
        return;
    size_t col = at.col > 0 ? (size_t)at.col - 1 : 0, from = 0, to = n;
    if (col > n)
        col = n;
    if (n > LINE_MAX_SHOWN) {
        from = col > LINE_MAX_SHOWN / 2 ? col - LINE_MAX_SHOWN / 2 : 0;
        to = from + LINE_MAX_SHOWN < n ? from + LINE_MAX_SHOWN : n;
    }
    const char *cut = from > 0 ? "..." : "";
    fprintf(out, "    %s", cut);
    quote_print(out, s + from, to - from);
    fprintf(out, "%s\n", to < n ? "..." : "");
    if (at.col <= 0)
        return;
    fprintf(out, "    %*s", (int)strlen(cut), "");
    print_padding(out, s + from, col - from);
    fprintf(out, "%s^", palette->caret);
    for (size_t i = 1; i < (size_t)(at.width > 1 ? at.width : 1) && col + i < to; i++)
        fputc('~', out);
    fprintf(out, "%s\n", palette->end);
}

static void print_entry(FILE *out, const Entry *e)
{
    const char *path = path_of(e), *mark = e->severity == DIAG_ERROR ? palette->error : palette->warning;
    fputs(palette->bold, out);
    quote_print(out, *path ? path : "dcgen", strlen(*path ? path : "dcgen"));
    if (e->at.line > 0)
        fprintf(out, ":%d", e->at.line);
    if (e->at.line > 0 && e->at.col > 0)
        fprintf(out, ":%d", e->at.col);
    fprintf(out, ":%s %s%s:%s %s\n", palette->end, mark, severity_word[e->severity], palette->end, e->message);
    print_snippet(out, e->at);
}

/* ---- as JSON ---- */

/* What the message says would be right; NULL: it says nothing of that. */
static char *expected_of(Arena *a, const char *message)
{
    const char *near = strstr(message, "did you mean '"), *text = strstr(message, "expected ");
    text = near ? near + strlen("did you mean '") : text ? text + strlen("expected ") : NULL;
    if (!text)
        return NULL;
    const char *end = near ? strstr(text, "'?") : strstr(text, ", found "), *semicolon = strstr(text, "; ");
    if (!end || (!near && semicolon && semicolon < end))
        end = semicolon ? semicolon : text + strlen(text);
    return arena_strndup(a, text, (size_t)(end - text));
}

static json_t *json_of_positive(int v) { return v > 0 ? json_integer(v) : json_null(); }

/* Prints in ASCII: a reader need not know what the bytes of a path mean. */
static void print_json(FILE *out, const Entry *e)
{
    Arena *a = arena_new();
    const char *path = path_of(e);
    const int width = e->at.col > 0 && e->at.width < 1 ? 1 : e->at.width;
    json_t *o =
        JSON_OBJECT(FIELD("severity", severity_word[e->severity]), FIELD("file", *path ? quote_line(a, path) : NULL),
                    FIELD("line", json_of_positive(e->at.line)), FIELD("column", json_of_positive(e->at.col)),
                    FIELD("width", json_of_positive(width)), FIELD("message", e->message),
                    FIELD("expected", expected_of(a, e->message)));
    json_dumpf(o, out, JSON_COMPACT | JSON_ENSURE_ASCII);
    fputc('\n', out);
    json_decref(o);
    arena_free(a);
}

/* ---- all of them ---- */

static int compare_entry(const void *pa, const void *pb)
{
    const Entry *a = pa, *b = pb;
    const int64_t x[] = { (int64_t)a->file, a->at.line, a->at.col, (int64_t)a->order };
    const int64_t y[] = { (int64_t)b->file, b->at.line, b->at.col, (int64_t)b->order };
    return order_numbers(x, y, 4);
}

void diag_print(const Diag *d, FILE *out)
{
    if (d->n == 0)
        return;
    Entry *sorted = ARENA_ARRAY(d->arena, d->n, Entry);
    memcpy(sorted, d->entry, d->n * sizeof *sorted);
    qsort(sorted, d->n, sizeof *sorted, compare_entry);
    size_t shown = d->n < DIAG_MAX_SHOWN ? d->n : DIAG_MAX_SHOWN;
    for (size_t i = 0; i < shown; i++)
        if (use_json)
            print_json(out, &sorted[i]);
        else
            print_entry(out, &sorted[i]);
    if (shown < d->n)
        diag_say(out, DIAG_WARNING, "%zu%s more are not shown", d->n - shown, d->n == DIAG_MAX_KEPT ? " or" : "");
}

/* ---- messages that show no line of a file ---- */

void diag_say_at(FILE *out, DiagSeverity severity, const char *path, int64_t line, const char *fmt, ...)
{
    Arena *a = arena_new();
    va_list ap;
    va_start(ap, fmt);
    const char *message = arena_vprintf(a, fmt, ap), *word = severity_word[severity];
    va_end(ap);
    const Source src = { .path = path };
    if (use_json)
        print_json(out, &(Entry){ severity, quote_line(a, message), .at = { .src = &src, .line = (int)line } });
    else if (!path)
        quote_printf(out, "%s%s\n", severity == DIAG_NOTE ? "" : "dcgen: ", message);
    else if (line > 0)
        quote_printf(out, "%s:%" PRId64 ": %s: %s\n", path, line, word, message);
    else
        quote_printf(out, "%s: %s: %s\n", path, word, message);
    arena_free(a);
}

/* ---- the nearest name ---- */

static char small_letter(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* Edits (insert, delete, replace, swap two neighbours) from a to b, letter case ignored; both at most WORD_MAX long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    size_t row[3][WORD_MAX + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = last[j - 1] + (small_letter(a[i - 1]) != small_letter(b[j - 1]));
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && small_letter(a[i - 1]) == small_letter(b[j - 2]) &&
                small_letter(a[i - 2]) == small_letter(b[j - 1]))
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *diag_nearest(const char *word, Names names)
{
    size_t n = strlen(word);
    if (n == 0 || n > WORD_MAX)
        return NULL;
    size_t limit = n / 3 > 1 ? n / 3 : 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names_at(names, i);
        const size_t len = strlen(name), distance = len > WORD_MAX ? len : edit_distance(word, name);
        /* a word of which no letter stays is not near: "Q" is not near "T" */
        if (distance > limit || distance >= n || distance >= len)
            continue;
        if (distance == 0)
            return name;
        nearest = name;
        limit = distance - 1;
    }
    return nearest;
}

/* ---- places ---- */

Loc loc_at(const Source *src, size_t offset, int width)
{
    const Loc first = { .src = src, .line = 1, .col = 1 };
    return src->text ? loc_in(first, src->text, offset < src->len ? offset : src->len, (size_t)width)
                     : (Loc){ .src = src };
}

Loc loc_in(Loc at, const char *text, size_t offset, size_t width)
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
