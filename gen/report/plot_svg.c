/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_svg: gnuplot's SVG, read element by element and written anew by the rules of plot.h. Runs of circles of one look
 * become one path: filled ones are dots of a round line cap, open ones are arcs. Text stands behind all shapes, sorted: versions of
 * gnuplot write it at different moments.
 */
#define _GNU_SOURCE
#include "gen/report/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RING_RADIUS = 4;

typedef struct {
    const char *s;
    size_t n;
} Slice;

typedef struct {
    Slice name; /* "path", "/g" */
    Slice attributes;
    const char *next; /* behind the '>' */
} Tag;

typedef struct {
    Text out;
    char **text; /* <text> elements */
    int ntext;
    Slice placed; /* attributes of the last <g transform=...>, which holds the text's place */
    int dots;     /* look of the open path of circles; 0: none */
    bool rings;
} Writer;

static bool next_tag(const char *p, const char *end, Tag *t)
{
    p = memchr(p, '<', (size_t)(end - p));
    const char *close = p ? memchr(p, '>', (size_t)(end - p)) : NULL;
    if (!close)
        return false;
    p++;
    size_t n = strcspn(p, " \t\n/>");
    t->name = (Slice){ p, n ? n : strcspn(p, " \t\n>") };
    t->attributes = (Slice){ p + t->name.n, (size_t)(close - p) - t->name.n };
    t->next = close + 1;
    return true;
}

static bool is_named(const Tag *t, const char *name)
{
    return t->name.n == strlen(name) && memcmp(t->name.s, name, t->name.n) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/* The value of an attribute; .s NULL when it is not there. gnuplot writes a='1', a="1" and a = '1'. */
static Slice attribute(Slice in, const char *name)
{
    size_t n = strlen(name);
    const char *end = in.s + in.n;
    for (const char *p = in.s; p + n < end; p++) {
        if (!is_blank(*p) || strncmp(p + 1, name, n) != 0)
            continue;
        const char *q = p + 1 + n;
        while (q < end && (is_blank(*q) || *q == '='))
            q++;
        const char *close = q < end && (*q == '"' || *q == '\'') ? memchr(q + 1, *q, (size_t)(end - q - 1)) : NULL;
        if (close)
            return (Slice){ q + 1, (size_t)(close - q - 1) };
    }
    return (Slice){ NULL, 0 };
}

static int look_of(Slice colour)
{
    int r, g, b;
    bool ours = colour.s && sscanf(colour.s, "rgb(%d,%d,%d)", &r, &g, &b) == 3 && r == 0 && g == 0 && b > 0;
    return ours ? b : LOOK_AXIS;
}

static void add_number(Text *t, double v)
{
    char s[32];
    int n = snprintf(s, sizeof s, "%.1f", v);
    if (n > 2 && strcmp(s + n - 2, ".0") == 0)
        s[n - 2] = '\0';
    text_add(t, strcmp(s, "-0") == 0 ? "0" : s);
}

/* Numbers and the letters of path commands, as short as they can be. */
static void add_numbers(Text *t, Slice in)
{
    const char *end = in.s + in.n;
    bool blank = false;
    for (const char *p = in.s; p < end;) {
        if ((*p >= '0' && *p <= '9') || *p == '-' || *p == '.') {
            char *after;
            double v = strtod(p, &after);
            if (after == p)
                return;
            if (blank)
                text_add(t, " ");
            add_number(t, v);
            blank = true;
            p = after;
        } else {
            if (*p == 'M' || *p == 'L' || *p == 'Z') {
                text_addn(t, p, 1);
                blank = false;
            }
            p++;
        }
    }
}

static void close_dots(Writer *w)
{
    if (w->dots)
        text_add(&w->out, "\"/>\n");
    w->dots = 0;
}

/* An element that is there already is not written again: gnuplot draws borders twice. */
static void add_once(Writer *w, const Text *element)
{
    if (!strstr(text_str(&w->out), text_str(element)))
        text_add(&w->out, text_str(element));
}

static void write_path(Writer *w, const Tag *t)
{
    Slice d = attribute(t->attributes, "d");
    Text e = { .arena = w->out.arena };
    if (!d.s)
        return;
    text_printf(&e, "<path class=\"l%d\" d=\"", look_of(attribute(t->attributes, "stroke")));
    add_numbers(&e, d);
    text_add(&e, "\"/>\n");
    add_once(w, &e);
}

static void write_polygon(Writer *w, const Tag *t)
{
    Slice points = attribute(t->attributes, "points");
    if (!points.s)
        return;
    text_printf(&w->out, "<polygon class=\"l%d\" points=\"", look_of(attribute(t->attributes, "fill")));
    add_numbers(&w->out, points);
    text_add(&w->out, "\"/>\n");
}

static bool translation(Slice attributes, double *x, double *y)
{
    Slice t = attribute(attributes, "transform");
    return t.s && sscanf(t.s, "translate(%lf,%lf)", x, y) == 2;
}

static void write_circle(Writer *w, const Tag *t)
{
    double x, y;
    Slice symbol = attribute(t->attributes, "xlink:href");
    int look = look_of(attribute(t->attributes, "color"));
    if (!symbol.s || !translation(t->attributes, &x, &y))
        return;
    bool ring = symbol.n == 6 && memcmp(symbol.s, "#gpPt5", 6) == 0;
    if (w->dots != look || w->rings != ring) {
        close_dots(w);
        text_printf(&w->out, "<path class=\"l%d\" d=\"", look);
    }
    w->dots = look;
    w->rings = ring;
    text_add(&w->out, "M");
    add_number(&w->out, ring ? x - RING_RADIUS : x);
    text_add(&w->out, " ");
    add_number(&w->out, y);
    if (ring)
        text_printf(&w->out, "a%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0", RING_RADIUS, RING_RADIUS, 2 * RING_RADIUS,
                    RING_RADIUS, RING_RADIUS, -2 * RING_RADIUS);
    else
        text_add(&w->out, "h0");
}

/* gnuplot turns text by "rotate(270)", or since version 6 "rotate(270.00)"; here it is the only angle. */
static bool is_upright(Slice transform)
{
    static const char turn[] = "rotate(";
    const char *at = memmem(transform.s, transform.n, turn, sizeof turn - 1);
    return !at || strtod(at + sizeof turn - 1, NULL) != 270;
}

static void write_text(Writer *w, const Tag *t)
{
    double x, y;
    const char *end = strstr(t->next, "</text>");
    Slice anchor = attribute(w->placed, "text-anchor"), transform = attribute(w->placed, "transform");
    if (!end || memchr(t->next, '<', (size_t)(end - t->next)) || !translation(w->placed, &x, &y))
        return;
    Text e = { .arena = w->out.arena };
    text_printf(&e, "<text class=\"l%d\"", look_of(attribute(w->placed, "fill")));
    if (anchor.s && strncmp(anchor.s, "start", 5) != 0)
        text_printf(&e, " text-anchor=\"%.*s\"", (int)anchor.n, anchor.s);
    text_printf(&e, " transform=\"translate(");
    add_number(&e, x);
    text_add(&e, " ");
    add_number(&e, y);
    text_add(&e, is_upright(transform) ? ")\">" : ") rotate(270)\">");
    text_addn(&e, t->next, (size_t)(end - t->next));
    text_add(&e, "</text>\n");
    w->text = arena_grow(e.arena, w->text, (size_t)w->ntext, (size_t)w->ntext + 1, sizeof *w->text);
    w->text[w->ntext++] = e.s;
}

static int by_bytes(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

static void add_texts(Writer *w)
{
    if (w->ntext)
        qsort(w->text, (size_t)w->ntext, sizeof *w->text, by_bytes);
    for (int i = 0; i < w->ntext; i++)
        if (i == 0 || strcmp(w->text[i], w->text[i - 1]) != 0)
            text_add(&w->out, w->text[i]);
}

char *plot_normalise(Arena *a, const char *begin, const char *end)
{
    static const struct {
        const char *name;
        void (*write)(Writer *, const Tag *);
    } row[] = { { "path", write_path }, { "polygon", write_polygon }, { "use", write_circle }, { "text", write_text } };
    Writer w = { .out = { .arena = a } };
    bool skip = false; /* within <defs> */
    Tag t;
    for (const char *p = begin; next_tag(p, end, &t); p = t.next) {
        if (is_named(&t, "defs") || is_named(&t, "/defs"))
            skip = is_named(&t, "defs");
        if (skip)
            continue;
        if (!is_named(&t, "use"))
            close_dots(&w);
        if (is_named(&t, "g") && attribute(t.attributes, "transform").s)
            w.placed = t.attributes;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
            if (is_named(&t, row[i].name))
                row[i].write(&w, &t);
    }
    close_dots(&w);
    add_texts(&w);
    return (char *)text_str(&w.out);
}
