/* SPDX-License-Identifier: Apache-2.0
 *
 * fill: see fill.h. Goes through a text line by line: lines that steer (conditions, repetitions, pieces, texts) are carried out, of all others
 * the names are replaced.
 */
#define _GNU_SOURCE /* basename */
#include "gen/template/fill.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"

enum { MAX_DEPTH = 32, MAX_IDENT = 128, MAX_REPEAT = 4096 };

/* One open "#if". A folded one prints neither its own lines nor its dead branches. */
typedef struct {
    bool folded, live, taken;
    size_t at;
} Cond;

typedef struct {
    Arena *arena;
    const Source *src;
    const Fill *fill;
    const FillScope *scope; /* the row of the repetition in hand, within those around it */
    Diag *diag;
    Text out;
    Cond cond[MAX_DEPTH];
    int depth;
} Filler;

static bool is_ident_start(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_ident(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t ident_len(const char *s)
{
    size_t n = 0;
    while (is_ident(s[n]))
        n++;
    return n;
}

static Loc at(const Filler *f, const char *s, size_t width)
{
    return loc_at(f->src, (size_t)(s - f->src->text), (int)width);
}

static bool word_is(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

/* ---- names ---- */

/* A list of the name at `name`; NULL after an error. */
static const FillList *find_list(Filler *f, const char *name, size_t len)
{
    for (const FillScope *s = f->scope; s; s = s->outer)
        for (int i = 0; i < s->nlist; i++)
            if (word_is(name, len, s->list[i].name))
                return &s->list[i];
    diag_error(f->diag, at(f, name, len ? len : 1), "there is no list '%.*s'", (int)len, name);
    return NULL;
}

static bool filler_lookup(void *ctx, const char *name, int64_t *value)
{
    Filler *f = ctx;
    char *end;
    const char *text = fill_find(f->scope, name, strlen(name));
    if (text && isdigit((unsigned char)*text)) {
        *value = strtoll(text, &end, 10);
        return *end == '\0';
    }
    return f->fill->lookup && f->fill->lookup(f->fill->ctx, name, value);
}

/* Bytes of the longest word that the identifier begins with, up to a '_' or its end; 0: none. Words in small letters are whole texts, for
 * lines of their own. */
static size_t first_word(const Filler *f, const char *id, size_t len, const char **text)
{
    for (size_t n = islower((unsigned char)*id) ? 0 : len < MAX_IDENT ? len : MAX_IDENT; n; n--) /* no word is longer */
        if ((n == len || id[n] == '_') && (*text = fill_find(f->scope, id, n)))
            return n;
    return 0;
}

/* NAME_tree_TARGET: an identifier whose first part is a word, and other parts may be. */
static bool add_words(Filler *f, const char *id, size_t len)
{
    const char *text;
    if (!first_word(f, id, len, &text))
        return false;
    for (size_t n; len; id += n, len -= n) {
        if ((n = first_word(f, id, len, &text))) {
            text_add(&f->out, text);
            continue;
        }
        n = strcspn(id, "_");
        n = n == 0 ? 1 : n < len ? n : len;
        text_addn(&f->out, id, n);
    }
    return true;
}

static void add_ident(Filler *f, const char *id, size_t len, bool in_string)
{
    char name[MAX_IDENT];
    int64_t value;
    if (add_words(f, id, len))
        return;
    if (!in_string && len < sizeof name) {
        memcpy(name, id, len);
        name[len] = 0;
        if (filler_lookup(f, name, &value)) {
            text_printf(&f->out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
            return;
        }
    }
    text_addn(&f->out, id, len);
}

static void add_filled(Filler *f, const char *s, const char *end);

/* "(axes, double AXIS)": the text behind the list's name once a row, with `join` between. Gives what stands behind. */
static const char *add_joined(Filler *f, const char *open, const char *end, const char *join)
{
    const char *name = open + 1, *s = name + ident_len(name), *close = s;
    const FillList *list = find_list(f, name, ident_len(name));
    const FillScope *outer = f->scope;
    for (int depth = 1; close < end; close++)
        if ((depth += (*close == '(') - (*close == ')')) == 0)
            break;
    s += strspn(s, ", ");
    for (int i = 0; list && i < list->n; i++) {
        text_add(&f->out, i ? join : "");
        f->scope = list->row[i];
        add_filled(f, s, close);
    }
    f->scope = outer;
    return close < end ? close + 1 : end;
}

/* One line or a part of it, every identifier replaced. */
static void add_filled(Filler *f, const char *s, const char *end)
{
    char quote = 0;
    while (s < end) {
        const size_t len = is_ident(*s) ? ident_len(s) : 0;
        if (len && s[len] == '(' && (word_is(s, len, "EACH") || word_is(s, len, "ANY"))) {
            s = add_joined(f, s + len, end, *s == 'E' ? ", " : " || ");
        } else if (len && is_ident_start(*s)) {
            add_ident(f, s, len, quote != 0);
            s += len;
        } else if (len) { /* 0x1F, 1e3f: letters inside belong to the number */
            text_addn(&f->out, s, len);
            s += len;
        } else if (!quote && end - s >= 3 && memcmp(s, "'\"'", 3) == 0) {
            text_addn(&f->out, s, 3);
            s += 3;
        } else {
            if (quote && *s == '\\' && s + 1 < end)
                text_addn(&f->out, s++, 1);
            else if (quote ? *s == quote : *s == '"')
                quote = quote ? 0 : *s;
            text_addn(&f->out, s++, 1);
        }
    }
}

/* ---- conditions ---- */

static bool live(const Filler *f)
{
    for (int i = 0; i < f->depth; i++)
        if (f->cond[i].folded && !f->cond[i].live)
            return false;
    return true;
}

/* The value of a condition that uses known names only: 0 or 1; -1: it is the C compiler's business; -2: an error. */
static int fold(Filler *f, const char *s, const char *end)
{
    bool any = false;
    for (const char *p = s; p < end;) {
        size_t len = is_ident(*p) ? ident_len(p) : 0;
        char name[MAX_IDENT];
        int64_t value;
        if (len && len < sizeof name && is_ident_start(*p)) {
            memcpy(name, p, len);
            name[len] = 0;
            any = any || filler_lookup(f, name, &value);
        }
        p += len ? len : 1;
    }
    bool constant = end - s == 1 && (*s == '0' || *s == '1');
    if (!any && !constant)
        return -1;
    int before = diag_nerror(f->diag);
    Expr *e = expr_parse(f->arena, arena_strndup(f->arena, s, (size_t)(end - s)), at(f, s, 1), f->diag);
    if (!e || diag_nerror(f->diag) != before)
        return -2;
    int64_t value = 0;
    bool known = true;
    for (const ExprName *n = expr_names(e); n && known; n = n->next)
        known = filler_lookup(f, n->name, &value);
    ExprStatus status = expr_int(e, filler_lookup, f, &value);
    if (!known || status != EXPR_OK) {
        diag_error(f->diag, at(f, s, (size_t)(end - s)), "a condition over declared names may use no other names: %s",
                   expr_status_text(status));
        return -2;
    }
    return value != 0;
}

static bool open_cond(Filler *f, const char *line, const char *arg, const char *end, size_t len)
{
    const char *word = line;
    int value;
    if (f->depth == MAX_DEPTH) {
        diag_error(f->diag, at(f, line, len), "conditions nest deeper than %d", MAX_DEPTH);
        return false;
    }
    size_t arglen = (size_t)(end - arg);
    if (word_is(word, len, "if"))
        value = live(f) ? fold(f, arg, end) : 0;
    else if (word_is(arg, arglen, "DCGEN"))
        value = word_is(word, len, "ifdef");
    else
        value = live(f) ? -1 : 0;
    f->cond[f->depth++] =
        (Cond){ .folded = value != -1, .live = value == 1, .taken = value == 1, .at = (size_t)(line - f->src->text) };
    return value == -1;
}

static bool next_branch(Filler *f, const char *line, const char *arg, const char *end, size_t len)
{
    if (!f->depth) {
        diag_error(f->diag, at(f, line, len), "'#%.*s' without '#if'", (int)len, line);
        return false;
    }
    Cond *c = &f->cond[f->depth - 1];
    if (!c->folded)
        return true;
    bool want = !c->taken;
    f->depth--;
    bool outside = live(f);
    f->depth++;
    if (want && outside && word_is(line, len, "elif")) {
        int value = fold(f, arg, end);
        if (value == -1)
            diag_error(f->diag, at(f, arg, (size_t)(end - arg)),
                       "'#elif' without a declared name behind a '#if' with one");
        want = value == 1;
    }
    c->live = want;
    c->taken = c->taken || want;
    return false;
}

/* A "#" line of the conditional kind. *keep: it goes to the output as it is. False: not such a line. */
static bool directive(Filler *f, const char *line, const char *end, bool *keep)
{
    const char *s = line;
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    if (s == end || *s++ != '#')
        return false;
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    size_t len = ident_len(s);
    const char *arg = s + len;
    while (arg < end && isspace((unsigned char)*arg))
        arg++;
    const char *stop = end;
    for (const char *p = arg; p + 1 < stop; p++) /* a comment behind the condition is not part of it */
        if (p[0] == '/' && (p[1] == '*' || p[1] == '/'))
            stop = p;
    while (stop > arg && isspace((unsigned char)stop[-1]))
        stop--;
    if (word_is(s, len, "if") || word_is(s, len, "ifdef") || word_is(s, len, "ifndef"))
        *keep = open_cond(f, s, arg, stop, len);
    else if (word_is(s, len, "elif") || word_is(s, len, "else"))
        *keep = next_branch(f, s, arg, stop, len);
    else if (word_is(s, len, "endif")) {
        if (!f->depth)
            diag_error(f->diag, at(f, s, len), "'#endif' without '#if'");
        else
            *keep = !f->cond[--f->depth].folded;
    } else
        return false;
    return true;
}

/* ---- repetitions, texts and pieces ---- */

static bool bound(Filler *f, const char *s, const char *end, int64_t *value)
{
    Expr *e = expr_parse(f->arena, arena_strndup(f->arena, s, (size_t)(end - s)), at(f, s, 1), f->diag);
    if (!e)
        return false;
    ExprStatus status = expr_int(e, filler_lookup, f, value);
    if (status != EXPR_OK)
        diag_error(f->diag, at(f, s, (size_t)(end - s)), "this bound %s", expr_status_text(status));
    return status == EXPR_OK;
}

/* "R = a..b": a list with a row for each value of R. NULL after an error. */
static const FillList *value_list(Filler *f, const char *s, const char *end)
{
    const size_t len = ident_len(s);
    const char *eq = memchr(s, '=', (size_t)(end - s)), *dots = eq ? strstr(eq, "..") : NULL;
    int64_t from, to;
    if (!len || !eq || !dots || dots >= end) {
        diag_error(f->diag, at(f, s, 1), "expected '//@ repeat NAME = FROM..TO'");
        return NULL;
    }
    if (!bound(f, eq + 1, dots, &from) || !bound(f, dots + 2, end, &to))
        return NULL;
    const uint64_t n = to < from ? 0 : (uint64_t)to - (uint64_t)from + 1;
    if (n > MAX_REPEAT || (n == 0 && to >= from)) {
        diag_error(f->diag, at(f, s, 1), "repeats more than %d times", MAX_REPEAT);
        return NULL;
    }
    FillList *list = ARENA_NEW(f->arena, FillList);
    FillScope *row = ARENA_ARRAY(f->arena, n + 1, FillScope);
    FillWord *word = ARENA_ARRAY(f->arena, n + 1, FillWord);
    const char *name = arena_strndup(f->arena, s, len);
    *list = (FillList){ .row = ARENA_ARRAY(f->arena, n + 1, FillScope *) };
    for (uint64_t i = 0; i < n; i++) {
        const int64_t value = from + (int64_t)i;
        word[i] = (FillWord){ name, arena_printf(f->arena, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value), len };
        row[i] = (FillScope){ .outer = f->scope, .word = &word[i], .nword = 1 };
        list->row[list->n++] = &row[i];
    }
    return list;
}

/* Where the marker of a "//@", "#@" or "<!--@" line stands; NULL: none. *word: what follows it. */
static const char *marker(const char *line, const char *end, const char **word)
{
    static const char *const form[] = { "//@", "#@", "<!--@" };
    for (const char *s = line; s < end; s++)
        for (size_t i = 0; i < 3; i++) {
            size_t n = strlen(form[i]);
            if ((size_t)(end - s) > n && memcmp(s, form[i], n) == 0) {
                for (*word = s + n; *word < end && **word == ' '; ++*word)
                    ;
                return s;
            }
        }
    return NULL;
}

static void fill_lines(Filler *f, const char *line, const char *to);

/* The line that closes what is repeated from `line` on; NULL: none. Such lines nest. */
static const char *block_end(const char *line)
{
    for (int depth = 1; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word, *end = line + strcspn(line, "\n"), *mark = marker(line, end, &word);
        if (!mark || strspn(line, " \t") < (size_t)(mark - line))
            continue;
        depth += (strncmp(word, "repeat ", 7) == 0) - (strncmp(word, "end", 3) == 0 && !is_ident(word[3]));
        if (depth == 0)
            return line;
    }
    return NULL;
}

/* What stands from line to end, once a row of the list: a part of a line, or whole ones. */
static void repeat_rows(Filler *f, const FillList *list, const char *line, const char *end, bool is_block)
{
    const FillScope *outer = f->scope;
    for (int i = 0; list && i < list->n; i++) {
        f->scope = list->row[i];
        if (is_block) {
            fill_lines(f, line, end);
        } else {
            add_filled(f, line, end);
            text_add(&f->out, "\n");
        }
    }
    f->scope = outer;
}

/* A line with "//@ repeat " before s: a list's name, or "R = a..b". Gives the line behind all that is repeated. */
static const char *repeat_line(Filler *f, const char *line, const char *mark, const char *s, const char *end)
{
    const size_t len = ident_len(s);
    const char *next = end + (*end == '\n'), *behind = s + len + strspn(s + len, " ");
    const bool is_list = len && (behind >= end || strncmp(behind, "-->", 3) == 0);
    const FillList *list = is_list ? find_list(f, s, len) : value_list(f, s, end);
    while (mark > line && (mark[-1] == ' ' || mark[-1] == '\t'))
        mark--;
    if (mark > line) {
        repeat_rows(f, list, line, mark, false);
        return next;
    }
    const char *close = block_end(next);
    if (!close) {
        diag_error(f->diag, at(f, s, len ? len : 1), "this repetition has no '//@ end'");
        return next;
    }
    repeat_rows(f, list, next, close, true);
    close += strcspn(close, "\n");
    return close + (*close == '\n');
}

static void text_line(Filler *f, const char *name)
{
    const size_t len = ident_len(name);
    const char *text = fill_find(f->scope, name, len);
    if (text)
        text_add(&f->out, text);
    else
        diag_error(f->diag, at(f, name, len), "there is no text '%.*s'", (int)len, name);
}

/* The FILE of a line '#include "FILE"'; NULL: it is another. */
static const char *included(const char *line, const char *end, size_t *len)
{
    static const char word[] = "#include \"";
    const size_t n = sizeof word - 1;
    if ((size_t)(end - line) <= n || memcmp(line, word, n) != 0)
        return NULL;
    *len = strcspn(line + n, "\"\n");
    return line[n + *len] == '"' ? line + n : NULL;
}

static const Source *find_piece(const Fill *fill, const char *file, size_t len)
{
    for (int i = 0; i < fill->npiece; i++)
        if (word_is(file, len, basename(fill->piece[i]->path)))
            return fill->piece[i];
    return NULL;
}

/* Bytes of the line at the head of a file that names its licence and says no more. */
static size_t licence_bytes(const Source *piece)
{
    const size_t line = strcspn(piece->text, "\n");
    const char *head = "/* SPDX-License-Identifier: ", *end = strstr(piece->text, "*/");
    if (strncmp(piece->text, head, strlen(head)) != 0 || !end || end + 2 != piece->text + line)
        return 0;
    return line + (piece->text[line] == '\n');
}

/* The piece in the place of the line that includes it, apart from what stands before. */
static void include_piece(Filler *f, const Source *piece)
{
    const size_t len = f->out.len;
    if (len > 1 && strcmp(f->out.s + len - 2, "\n\n") != 0)
        text_add(&f->out, "\n");
    Filler of_piece = *f;
    of_piece.src = piece;
    of_piece.depth = 0;
    fill_lines(&of_piece, piece->text + licence_bytes(piece), piece->text + strlen(piece->text));
    f->out = of_piece.out;
}

/* Gives the line behind what this one stands for. */
static const char *fill_line(Filler *f, const char *line, const char *end)
{
    bool keep = false;
    const char *word, *file, *next = end + (*end == '\n');
    const Source *piece;
    size_t len;
    if (directive(f, line, end, &keep)) {
        if (!keep)
            return next;
    } else if (!live(f)) {
        return next;
    } else if ((file = included(line, end, &len)) && (piece = find_piece(f->fill, file, len))) {
        include_piece(f, piece);
        return next;
    } else {
        const char *mark = marker(line, end, &word);
        if (mark && strncmp(word, "repeat ", 7) == 0)
            return repeat_line(f, line, mark, word + 7, end);
        if (mark && strspn(line, " \t") < (size_t)(mark - line)) {
            diag_error(f->diag, at(f, mark, 1), "only '//@ repeat' may stand behind other text");
            return next;
        }
        if (mark) {
            text_line(f, word);
            return next;
        }
    }
    add_filled(f, line, end);
    text_add(&f->out, "\n");
    return next;
}

static void fill_lines(Filler *f, const char *line, const char *to)
{
    const int depth = f->depth;
    while (line < to)
        line = fill_line(f, line, line + strcspn(line, "\n"));
    if (f->depth > depth)
        diag_error(f->diag, loc_at(f->src, f->cond[f->depth - 1].at, 1), "this condition has no '#endif'");
    f->depth = depth;
}

char *fill_text(Arena *a, const Source *src, size_t offset, const Fill *fill, Diag *d)
{
    Filler f = { .arena = a, .src = src, .fill = fill, .scope = fill->scope, .diag = d, .out = { .arena = a } };
    int before = diag_nerror(d);
    fill_lines(&f, src->text + offset, src->text + strlen(src->text));
    return diag_nerror(d) == before ? arena_strdup(a, text_str(&f.out)) : NULL;
}

void fill_includes(const Source *src, size_t offset, void (*visit)(void *ctx, const char *file, size_t len, size_t at),
                   void *ctx)
{
    for (const char *line = src->text + offset; *line;) {
        const char *end = line + strcspn(line, "\n");
        size_t len;
        const char *file = included(line, end, &len);
        if (file)
            visit(ctx, file, len, (size_t)(file - src->text));
        line = end + (*end == '\n');
    }
}

/* The end of the comment or string that begins at s, or s itself. */
static const char *skip_quoted(const char *s)
{
    if (s[0] == '/' && s[1] == '*') {
        const char *e = strstr(s + 2, "*/");
        return e ? e + 2 : s + strlen(s);
    }
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] != '"' && s[0] != '\'')
        return s;
    const char *e = s + 1;
    while (*e && *e != s[0] && *e != '\n')
        e += e[0] == '\\' && e[1] ? 2 : 1;
    return *e ? e + 1 : e;
}

/* The name that the line around s binds by "//@ repeat NAME = ..."; NULL: none. */
static const char *repeat_name(const char *s, size_t *len)
{
    size_t line = strcspn(s, "\n");
    const char *mark = strstr(s, "//@ repeat ");
    if (!mark || (size_t)(mark - s) >= line)
        return NULL;
    *len = ident_len(mark + 11);
    return mark + 11;
}

void fill_names(const Source *src, size_t offset, void (*visit)(void *ctx, const char *name, size_t len, size_t at),
                void *ctx)
{
    size_t bound_len = 0;
    const char *bound_name = repeat_name(src->text + offset, &bound_len);
    for (const char *s = src->text + offset; *s;) {
        if (strncmp(s, "//@ repeat ", 11) == 0) { /* its bounds are uses, its own name is not */
            s += 11 + bound_len;
            continue;
        }
        const char *e = skip_quoted(s);
        if (e != s) {
            s = e;
        } else if (is_ident(*s)) {
            size_t len = ident_len(s);
            bool is_bound = bound_name && len == bound_len && memcmp(s, bound_name, len) == 0;
            if (is_ident_start(*s) && !is_bound)
                visit(ctx, s, len, (size_t)(s - src->text));
            s += len;
        } else if (*s++ == '\n')
            bound_name = repeat_name(s, &bound_len);
    }
}
