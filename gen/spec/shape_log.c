/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_log: reads comma-separated values line by line. The header says which extent each column gives; a line is cut
 * into fields, each with its place, and each is read as one integer.
 */
#define _GNU_SOURCE /* qsort_r */
#include "gen/spec/shape_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/order.h"

static const int64_t MOST_CALLS = (int64_t)1 << 53; /* so that a count is exact as a weight */
static const char COUNT[] = "count";
enum { MAX_COLUMN = 2 * OP_MAX_EXTENT + 1, MAX_ERROR = 1000 };

/* What a column may hold. */
typedef struct {
    const char *name, *kind;
    int64_t least, most;
} Column;

/* Part of a line: bytes begin..end-1 of the source. */
typedef struct {
    size_t begin, end;
} Field;

typedef struct {
    Arena *arena;
    const Source *src;
    const Op *op;
    Diag *diag;
    int nerror;               /* that diag had before this file */
    size_t begin, end;        /* of the line at hand, without its end */
    int line;                 /* its number, from 1 */
    Field header;             /* the first line with anything in it */
    Column known[MAX_COLUMN]; /* columns that there may be: of extents, then the count */
    int nknown;
    int column[MAX_COLUMN]; /* of the file: which of the known ones each is */
    int ncolumn;
    int from[OP_MAX_EXTENT]; /* of each extent: the file's column with its value; -1: it has the usual one */
    int count_at;            /* the file's column with counts; -1: none */
} Reader;

/* ---- lines and fields ---- */

static Loc place(const Reader *r, Field f)
{
    const size_t width = f.end > f.begin ? f.end - f.begin : 1;
    const size_t start = r->line == 1 ? 0 : r->begin; /* a byte order mark counts */
    return (Loc){ r->src, r->line, (int)(f.begin - start) + 1, (int)width };
}

/* Goes on to the next line that is not empty; false: there is none. */
static bool next_line(Reader *r)
{
    const char *text = r->src->text;
    while (r->line == 0 || r->end < r->src->len) {
        r->begin = r->line++ ? r->end + 1 + (text[r->end] == '\r') : r->begin;
        const char *lf = memchr(text + r->begin, '\n', r->src->len - r->begin);
        r->end = lf ? (size_t)(lf - text) : r->src->len;
        r->end -= lf && r->end > r->begin && text[r->end - 1] == '\r';
        if (strspn(text + r->begin, " \t") < r->end - r->begin)
            return true;
    }
    return false;
}

/* Takes the field at *at and moves on behind its comma. Its blanks and quotes are left out. False: the line is over. */
static bool next_field(const Reader *r, size_t *at, Field *f)
{
    const char *text = r->src->text;
    if (*at > r->end)
        return false;
    const char *comma = memchr(text + *at, ',', r->end - *at);
    *f = (Field){ *at, comma ? (size_t)(comma - text) : r->end };
    *at = f->end + 1;
    while (f->begin < f->end && strchr(" \t", text[f->begin]))
        f->begin++;
    while (f->begin < f->end && strchr(" \t", text[f->end - 1]))
        f->end--;
    if (f->end - f->begin >= 2 && text[f->begin] == '"' && text[f->end - 1] == '"') {
        f->begin++;
        f->end--;
    }
    return true;
}

/* ---- the header ---- */

static const char *kind_of(const Extent *x) { return x->kind == EXTENT_ATTRIBUTE ? "attribute" : "extent"; }

static void list_known(Reader *r)
{
    const Op *op = r->op;
    for (const Extent *x = op->extent; x < op->extent + op->ngiven; x++)
        r->known[r->nknown++] = (Column){ x->name, kind_of(x), x->least, x->most };
    for (int i = 0; i < op->ngiven; i++)
        if (op_is_first_brief(op, i))
            r->known[r->nknown++] =
                (Column){ op->extent[i].brief, kind_of(&op->extent[i]), op->extent[i].least, op->extent[i].most };
    r->known[r->nknown++] = (Column){ COUNT, COUNT, 0, MOST_CALLS };
}

/* The file's column of that name; -1: there is none. */
static int column_named(const Reader *r, const char *name)
{
    int i = 0;
    while (name && i < r->ncolumn && strcmp(r->known[r->column[i]].name, name) != 0)
        i++;
    return name && i < r->ncolumn ? i : -1;
}

static void read_column(Reader *r, Field f)
{
    const char *word = arena_strndup(r->arena, r->src->text + f.begin, f.end - f.begin);
    if (column_named(r, word) >= 0)
        diag_error(r->diag, place(r, f), "the column '%s' is there twice", word);
    else {
        r->column[r->ncolumn] = conf_lookup(r->diag, place(r, f), "column", word, NAMES(r->known, r->nknown));
        r->ncolumn += r->column[r->ncolumn] >= 0;
    }
}

/* Finds the column of each extent, or says that it lacks. */
static void find_columns(Reader *r)
{
    for (int i = 0; i < r->op->ngiven; i++) {
        const Extent *x = &r->op->extent[i];
        const int own = column_named(r, x->name);
        r->from[i] = own >= 0 ? own : column_named(r, x->brief);
        if (r->from[i] < 0 && !x->has_usual)
            diag_error(r->diag, place(r, (Field){ r->begin, r->end }), "the column '%s' is missing%s%s", x->name,
                       *x->doc ? ": " : "", x->doc);
    }
    r->count_at = column_named(r, COUNT);
}

static bool read_header(Reader *r)
{
    Field f;
    size_t at = r->begin;
    r->header = (Field){ r->begin, r->end };
    if (strspn(r->src->text + r->begin, "0123456789 \t\",") == r->end - r->begin)
        return diag_error(r->diag, place(r, r->header),
                          "the first line has no names; expected a header such as %s,count",
                          names_join(r->arena, NAMES(r->op->extent, r->op->naxis), ","));
    while (next_field(r, &at, &f))
        read_column(r, f);
    if (diag_nerror(r->diag) == r->nerror)
        find_columns(r);
    return diag_nerror(r->diag) == r->nerror;
}

/* ---- rows ---- */

static bool is_header_again(const Reader *r)
{
    const size_t n = r->header.end - r->header.begin;
    return r->end - r->begin == n && memcmp(r->src->text + r->begin, r->src->text + r->header.begin, n) == 0;
}

/* An integer in decimal, with a sign or without. False: the field is none. One that is too large becomes INT64_MAX. */
static bool parse_integer(const char *s, size_t n, int64_t *out)
{
    const bool minus = n && *s == '-', sign = minus || (n && *s == '+');
    int64_t value = 0;
    for (size_t i = sign; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, s[i] - '0', &value))
            value = INT64_MAX;
    }
    *out = minus ? -value : value;
    return n > sign;
}

static bool read_value(Reader *r, const Column *c, Field f, int64_t *out)
{
    const char *text = r->src->text + f.begin;
    const int n = (int)(f.end - f.begin);
    if (parse_integer(text, (size_t)n, out) && *out >= c->least && *out <= c->most)
        return true;
    const char *whose = c->name == COUNT ? "" : arena_printf(r->arena, " %s", c->name);
    return diag_error(r->diag, place(r, f), "the %s%s is %s%.*s%s; expected an integer from %" PRId64 " to %" PRId64,
                      c->kind, whose, n ? "'" : "missing", n, text, n ? "'" : "", c->least, c->most);
}

/* Reads a line into one value a column. */
static bool read_fields(Reader *r, int64_t *value)
{
    Field f = { r->begin, r->begin };
    size_t at = r->begin;
    int n = 0;
    bool ok = true;
    for (; n < r->ncolumn && next_field(r, &at, &f); n++)
        ok = read_value(r, &r->known[r->column[n]], f, &value[n]) && ok;
    if (n < r->ncolumn)
        return diag_error(r->diag, place(r, (Field){ r->end, r->end }), "the line has %d value%s, expected %d: %.*s", n,
                          n == 1 ? "" : "s", r->ncolumn, (int)(r->header.end - r->header.begin),
                          r->src->text + r->header.begin);
    if (next_field(r, &at, &f))
        return diag_error(r->diag, place(r, (Field){ f.begin, r->end }),
                          "the line has more values than the header has names, expected %d: %.*s", r->ncolumn,
                          (int)(r->header.end - r->header.begin), r->src->text + r->header.begin);
    return ok;
}

static void read_row(Reader *r, ShapeLog *l)
{
    int64_t value[MAX_COLUMN] = { 0 }, *row = l->value + l->n * (l->ngiven + 2);
    if (is_header_again(r) || !read_fields(r, value))
        return;
    for (int i = 0; i < l->ngiven; i++)
        row[i] = r->from[i] >= 0 ? value[r->from[i]] : r->op->extent[i].usual;
    row[l->ngiven] = r->count_at >= 0 ? value[r->count_at] : 1;
    row[l->ngiven + 1] = (int64_t)r->begin;
    l->n++;
}

static void read_rows(Reader *r, ShapeLog *l)
{
    while (next_line(r) && diag_nerror(r->diag) - r->nerror < MAX_ERROR)
        if (r->end - r->begin > SHAPE_LOG_MAX_LINE)
            diag_error(r->diag, place(r, (Field){ r->begin, r->begin }),
                       "the line has %zu bytes, more than the %d allowed", r->end - r->begin, SHAPE_LOG_MAX_LINE);
        else if (l->n == SHAPE_LOG_MAX_ROW) {
            diag_error(r->diag, place(r, (Field){ r->begin, r->end }), "more than %d rows; leave the rarest out",
                       SHAPE_LOG_MAX_ROW);
            return;
        } else
            read_row(r, l);
}

/* ---- merging ---- */

static int by_extents(const void *x, const void *y, void *ngiven)
{
    return order_numbers(x, y, *(int *)ngiven + 2); /* then by count and place, so that the order is one */
}

static int64_t add_calls(int64_t x, int64_t y)
{
    int64_t sum;
    return __builtin_add_overflow(x, y, &sum) ? INT64_MAX : sum;
}

static void merge_rows(ShapeLog *l)
{
    const size_t bytes = (size_t)(l->ngiven + 2) * sizeof *l->value;
    int64_t n = 0, *last = NULL;
    qsort_r(l->value, (size_t)l->n, bytes, by_extents, &l->ngiven);
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t *row = shape_log_row(l, i), count = row[l->ngiven];
        l->calls = add_calls(l->calls, count);
        if (last && memcmp(last, row, (size_t)l->ngiven * sizeof *row) == 0) {
            last[l->ngiven] = add_calls(last[l->ngiven], count);
            last[l->ngiven + 1] = row[l->ngiven + 1] < last[l->ngiven + 1] ? row[l->ngiven + 1] : last[l->ngiven + 1];
        } else {
            last = l->value + n++ * (l->ngiven + 2);
            memmove(last, row, bytes);
        }
    }
    l->n = n;
}

/* ---- all ---- */

int64_t shape_log_find(const ShapeLog *l, const int64_t *extent)
{
    int64_t begin = 0, end = l->n;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        const int order = order_numbers(extent, shape_log_row(l, middle), l->ngiven);
        if (order == 0)
            return middle;
        begin = order > 0 ? middle + 1 : begin;
        end = order < 0 ? middle : end;
    }
    return -1;
}

Loc shape_log_loc(const ShapeLog *l, int64_t i)
{
    const size_t at = (size_t)shape_log_row(l, i)[l->ngiven + 1];
    return loc_at(l->src, at, (int)strcspn(l->src->text + at, "\r\n"));
}

static bool check_bytes(const Source *src, Diag *d)
{
    const char *nul = memchr(src->text, '\0', src->len);
    return !nul || diag_error(d, loc_at(src, (size_t)(nul - src->text), 1), "a zero byte; expected text");
}

static size_t count_lines(const Source *src)
{
    size_t n = 1;
    for (const char *s = src->text; (s = strchr(s, '\n')); s++)
        n++;
    return n;
}

ShapeLog *shape_log_parse(Arena *a, const Source *src, const Op *op, Diag *d)
{
    static const char bom[] = "\xef\xbb\xbf";
    Reader r = { .arena = a, .src = src, .op = op, .diag = d, .nerror = diag_nerror(d) };
    ShapeLog *l = ARENA_NEW(a, ShapeLog);
    *l = (ShapeLog){ .src = src, .ngiven = op->ngiven };
    if (!check_bytes(src, d))
        return NULL;
    r.begin = strncmp(src->text, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
    list_known(&r);
    if (!next_line(&r)) {
        diag_error(d, (Loc){ src, 1, 1, 1 }, "the file is empty; expected a header such as %s,count",
                   names_join(a, NAMES(op->extent, op->naxis), ","));
        return NULL;
    }
    if (!read_header(&r))
        return NULL;
    size_t nline = count_lines(src);
    nline = nline < SHAPE_LOG_MAX_ROW ? nline : SHAPE_LOG_MAX_ROW;
    l->value = ARENA_ARRAY(a, nline * (size_t)(l->ngiven + 2), int64_t);
    read_rows(&r, l);
    if (diag_nerror(d) == r.nerror && l->n == 0)
        diag_error(d, place(&r, (Field){ r.begin, r.end }),
                   "there are no rows below the header; expected at least one");
    merge_rows(l);
    return diag_nerror(d) == r.nerror ? l : NULL;
}
