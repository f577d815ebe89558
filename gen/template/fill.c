/* SPDX-License-Identifier: Apache-2.0
 *
 * fill: goes through a text line by line. Some lines are commands (conditions, repetitions, pieces, texts), which it
 * carries out; in all others it replaces the names.
 */
#define _GNU_SOURCE /* basename */
#include "gen/template/fill.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"

enum { MAX_DEPTH = 32, MAX_IDENT = 128, MAX_REPEAT = 4096 };
static const char BLANKS[] = " \t\r\f\v";

/* One open "#if". */
typedef struct {
    bool folded; /* it is decided here, and its "#" lines are left out; else it is left to the C compiler */
    bool live;   /* folded: the branch at hand is printed */
    bool taken;  /* folded: this branch or one before it was live */
    size_t at;   /* offset in the text, for an error */
} Cond;

/* What fold_condition gives beside 0 and 1. */
enum { LEFT_TO_C = -1, FAULTY = -2 };

typedef struct {
    Arena *arena;
    const Source *src;
    const Fill *fill;
    const FillScope *scope; /* of the innermost repetition the row at hand; its `outer` leads to those around it */
    Diag *diag;
    Text out;
    Cond cond[MAX_DEPTH];
    int depth;
} Filler;

size_t fill_ident(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

static Loc place_of(const Filler *f, const char *s, size_t width)
{
    return loc_at(f->src, (size_t)(s - f->src->text), (int)width);
}

static bool word_is(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

/* ---- names ---- */

/* The list with this name; NULL after an error. */
static const FillList *find_list(Filler *f, const char *name, size_t len)
{
    for (const FillScope *s = f->scope; s; s = s->outer)
        for (int i = 0; i < s->nlist; i++)
            if (word_is(name, len, s->list[i].name))
                return &s->list[i];
    diag_error(f->diag, place_of(f, name, len ? len : 1), "there is no list '%.*s'", (int)len, name);
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

/* The length of the longest word that the identifier begins with, where a '_' or its end follows; 0: there is none.
 * Words that begin with a small letter are whole texts, which stand on lines of their own and never in identifiers. */
static size_t leading_word(const Filler *f, const char *id, size_t len, const char **text)
{
    for (size_t n = islower((unsigned char)*id) ? 0 : len < MAX_IDENT ? len : MAX_IDENT; n; n--) /* no word is longer */
        if ((n == len || id[n] == '_') && (*text = fill_find(f->scope, id, n)))
            return n;
    return 0;
}

/* The value of an identifier; false: it has none. */
static bool ident_value(Filler *f, const char *id, size_t len, int64_t *value)
{
    char name[MAX_IDENT];
    if (len >= sizeof name)
        return false;
    memcpy(name, id, len);
    name[len] = 0;
    return filler_lookup(f, name, value);
}

/* Adds a name's value in the name's place; else the name. */
static void add_value(Filler *f, const char *id, size_t len, bool in_string)
{
    int64_t value;
    if (!in_string && ident_value(f, id, len, &value))
        text_printf(&f->out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    else
        text_addn(&f->out, id, len);
}

/* Adds an identifier, or what it stands for. Where its first part is a word, others may be too, as in NAME_tree_TARGET;
 * and, behind a namespace, the last one a name with a value, as in PACKAGE_device::DTYPE_wgmma_BN. */
static void add_ident(Filler *f, const char *id, size_t len, bool in_string)
{
    const char *text;
    const bool is_in_space = id > f->src->text && id[-1] == ':';
    if (!leading_word(f, id, len, &text)) {
        add_value(f, id, len, in_string);
        return;
    }
    for (size_t n; len; id += n, len -= n) {
        if ((n = leading_word(f, id, len, &text))) {
            text_add(&f->out, text);
        } else if (is_in_space && !memchr(id, '_', len)) {
            add_value(f, id, n = len, in_string);
        } else {
            n = strcspn(id, "_");
            n = n == 0 ? 1 : n < len ? n : len;
            text_addn(&f->out, id, n);
        }
    }
}

/* Adds the text from s to end once for each row of the list, by add_filled or fill_lines, with `join` between and
 * `behind` after each. */
static void repeat_rows(Filler *f, const FillList *list, void (*put)(Filler *f, const char *s, const char *end),
                        const char *s, const char *end, const char *join, const char *behind)
{
    const FillScope *outer = f->scope;
    for (int i = 0; list && i < list->n; i++) {
        text_add(&f->out, i ? join : "");
        f->scope = list->row[i];
        put(f, s, end);
        text_add(&f->out, behind);
    }
    f->scope = outer;
}

static void add_filled(Filler *f, const char *s, const char *end);

/* Carries out EACH or ANY, whose "(axes, double AXIS)" begins at `open`: adds the text behind the list's name once for
 * each row, with `join` between. Gives what stands behind the ')'. */
static const char *add_joined(Filler *f, const char *open, const char *end, const char *join)
{
    const char *name = open + 1, *s = name + fill_ident(name), *close = s;
    const FillList *list = find_list(f, name, fill_ident(name));
    for (int depth = 1; close < end; close++)
        if ((depth += (*close == '(') - (*close == ')')) == 0)
            break;
    repeat_rows(f, list, add_filled, s + strspn(s, ", "), close, join, "");
    return close < end ? close + 1 : end;
}

/* Adds one line or a part of it, with every identifier replaced. */
static void add_filled(Filler *f, const char *s, const char *end)
{
    char quote = 0;
    while (s < end) {
        const size_t len = fill_ident(s);
        if (len && s[len] == '(' && (word_is(s, len, "EACH") || word_is(s, len, "ANY"))) {
            s = add_joined(f, s + len, end, *s == 'E' ? ", " : " || ");
        } else if (len) { /* or a number: in 0x1F and 1e3f the letters belong to it */
            add_ident(f, s, len, quote != 0);
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

/* Are lines printed that stand within the outermost `depth` conditions? Within one that is not live nothing is. */
static bool is_live(const Filler *f, int depth)
{
    return depth == 0 || !f->cond[depth - 1].folded || f->cond[depth - 1].live;
}

static Expr *parse_expr(Filler *f, const char *s, const char *end)
{
    return expr_parse(f->arena, arena_strndup(f->arena, s, (size_t)(end - s)), place_of(f, s, 1), f->diag);
}

/* The value of a condition: 0 or 1 where it uses known names only; LEFT_TO_C where it uses none; FAULTY after an error,
 * as where it uses both kinds. */
static int fold_condition(Filler *f, const char *s, const char *end)
{
    bool known = end - s == 1 && (*s == '0' || *s == '1');
    int64_t value = 0;
    for (size_t i = 0, len; s + i < end && !known; i += len ? len : 1) {
        len = fill_ident(s + i);
        known = len && ident_value(f, s + i, len, &value);
    }
    if (!known)
        return LEFT_TO_C;
    const Expr *e = parse_expr(f, s, end);
    if (!e)
        return FAULTY;
    for (const ExprName *n = expr_names(e); n && known; n = n->next)
        known = filler_lookup(f, n->name, &value);
    const ExprStatus status = expr_int(e, filler_lookup, f, &value);
    if (!known || status != EXPR_OK) {
        diag_error(f->diag, place_of(f, s, (size_t)(end - s)),
                   "a condition over declared names may use no other names: %s", expr_status_text(status));
        return FAULTY;
    }
    return value != 0;
}

/* Opens a condition. word: "if", "ifdef" or "ifndef"; arg: what follows it. True when the line goes to the output. */
static bool open_cond(Filler *f, const char *word, size_t len, const char *arg, const char *end)
{
    if (f->depth == MAX_DEPTH)
        return diag_error(f->diag, place_of(f, word, len), "conditions nest deeper than %d", MAX_DEPTH);
    int value = is_live(f, f->depth) ? LEFT_TO_C : 0;
    if (value && word_is(word, len, "if"))
        value = fold_condition(f, arg, end);
    else if (value && word_is(arg, (size_t)(end - arg), "DCGEN"))
        value = word_is(word, len, "ifdef");
    f->cond[f->depth++] = (Cond){
        .folded = value != LEFT_TO_C, .live = value == 1, .taken = value == 1, .at = (size_t)(word - f->src->text)
    };
    return value == LEFT_TO_C;
}

/* Goes on to the branch that "elif" or "else" begins. True when the line goes to the output. */
static bool begin_branch(Filler *f, const char *word, size_t len, const char *arg, const char *end)
{
    Cond *c = &f->cond[f->depth - 1];
    if (!c->folded)
        return true;
    c->live = !c->taken && is_live(f, f->depth - 1);
    if (c->live && word_is(word, len, "elif")) {
        const int value = fold_condition(f, arg, end);
        if (value == LEFT_TO_C)
            diag_error(f->diag, place_of(f, arg, (size_t)(end - arg)),
                       "'#elif' without a declared name behind a '#if' with one");
        c->live = value == 1;
    }
    c->taken = c->taken || c->live;
    return false;
}

const char *fill_directive(const char *line, size_t *len, const char **arg)
{
    const char *hash = line + strspn(line, BLANKS), *word = *hash == '#' ? hash + 1 + strspn(hash + 1, BLANKS) : "";
    *len = fill_ident(word);
    *arg = word + *len + strspn(word + *len, BLANKS);
    return word;
}

/* Carries out "#if" or one of its kin, and sets *keep: the line goes to the output. False: it is another line. */
static bool carry_out_condition(Filler *f, const char *line, const char *end, bool *keep)
{
    size_t len;
    const char *arg, *word = fill_directive(line, &len, &arg), *stop = arg;
    if (!len)
        return false;
    while (stop < end && !(stop[0] == '/' && (stop[1] == '*' || stop[1] == '/'))) /* a comment ends it */
        stop++;
    while (stop > arg && isspace((unsigned char)stop[-1]))
        stop--;
    if (word_is(word, len, "if") || word_is(word, len, "ifdef") || word_is(word, len, "ifndef"))
        *keep = open_cond(f, word, len, arg, stop);
    else if (!word_is(word, len, "elif") && !word_is(word, len, "else") && !word_is(word, len, "endif"))
        return false;
    else if (!f->depth)
        diag_error(f->diag, place_of(f, word, len), "'#%.*s' without '#if'", (int)len, word);
    else if (word_is(word, len, "endif"))
        *keep = !f->cond[--f->depth].folded;
    else
        *keep = begin_branch(f, word, len, arg, stop);
    return true;
}

/* ---- repetitions, texts and pieces ---- */

/* A bound of a repetition; false after an error. */
static bool read_bound(Filler *f, const char *s, const char *end, int64_t *value)
{
    const Expr *e = parse_expr(f, s, end);
    if (!e)
        return false;
    const ExprStatus status = expr_int(e, filler_lookup, f, value);
    if (status != EXPR_OK)
        diag_error(f->diag, place_of(f, s, (size_t)(end - s)), "this bound %s", expr_status_text(status));
    return status == EXPR_OK;
}

/* "R = a..b": a list with a row for each value of R. NULL after an error. */
static const FillList *value_list(Filler *f, const char *s, const char *end)
{
    const size_t len = fill_ident(s);
    const char *eq = memchr(s, '=', (size_t)(end - s)), *dots = eq ? strstr(eq, "..") : NULL;
    int64_t from, to;
    if (!len || !eq || !dots || dots >= end) {
        diag_error(f->diag, place_of(f, s, 1), "expected '//@ repeat NAME = FROM..TO'");
        return NULL;
    }
    if (!read_bound(f, eq + 1, dots, &from) || !read_bound(f, dots + 2, end, &to))
        return NULL;
    const uint64_t n = to < from ? 0 : (uint64_t)to - (uint64_t)from + 1;
    if (n > MAX_REPEAT || (n == 0 && to >= from)) {
        diag_error(f->diag, place_of(f, s, 1), "repeats more than %d times", MAX_REPEAT);
        return NULL;
    }
    FillList *list = ARENA_NEW(f->arena, FillList);
    const char *name = arena_strndup(f->arena, s, len);
    list->row = ARENA_ARRAY(f->arena, n + 1, FillScope *);
    for (int64_t value = from; list->n < (int)n; value++) {
        FillScope *row = list->row[list->n++] = fill_scope(f->arena, f->scope);
        fill_wordf(row, name, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    }
    return list;
}

/* Where the "//@", "#@" or "<!--@" of a line stands, and in *word what follows it; NULL: the line has none. */
static const char *find_marker(const char *line, const char *end, const char **word)
{
    static const char *const form[] = { "//@", "#@", "<!--@" };
    for (const char *s = line; s < end; s++)
        for (size_t i = 0; i < 3; i++) {
            const size_t n = strlen(form[i]);
            if ((size_t)(end - s) > n && memcmp(s, form[i], n) == 0) {
                *word = s + n + strspn(s + n, " ");
                return s;
            }
        }
    return NULL;
}

static void fill_lines(Filler *f, const char *line, const char *to);

/* The "//@ end" that closes a repetition whose lines begin at `line`; NULL: there is none. Repetitions nest. */
static const char *block_end(const char *line)
{
    for (int depth = 1; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word, *end = line + strcspn(line, "\n"), *mark = find_marker(line, end, &word);
        if (!mark || strspn(line, " \t") < (size_t)(mark - line))
            continue;
        depth += (strncmp(word, "repeat ", 7) == 0) - word_is(word, fill_ident(word), "end");
        if (depth == 0)
            return line;
    }
    return NULL;
}

/* Carries out a repetition. s: what follows "//@ repeat ", a list or "R = a..b". Gives the line behind all of it. */
static const char *carry_out_repeat(Filler *f, const char *line, const char *mark, const char *s, const char *end)
{
    const size_t len = fill_ident(s);
    const char *next = end + (*end == '\n'), *behind = s + len + strspn(s + len, " ");
    const bool is_list = len && (behind >= end || strncmp(behind, "-->", 3) == 0);
    const FillList *list = is_list ? find_list(f, s, len) : value_list(f, s, end);
    while (mark > line && isblank((unsigned char)mark[-1]))
        mark--;
    if (mark > line) {
        repeat_rows(f, list, add_filled, line, mark, "", "\n");
        return next;
    }
    const char *close = block_end(next);
    if (!close) {
        diag_error(f->diag, place_of(f, s, len ? len : 1), "this repetition has no '//@ end'");
        return next;
    }
    repeat_rows(f, list, fill_lines, next, close, "", "");
    close += strcspn(close, "\n");
    return close + (*close == '\n');
}

static void add_text_of(Filler *f, const char *name)
{
    const size_t len = fill_ident(name);
    const char *text = fill_find(f->scope, name, len);
    if (text)
        text_add(&f->out, text);
    else
        diag_error(f->diag, place_of(f, name, len), "there is no text '%.*s'", (int)len, name);
}

/* The FILE of a line '#include "FILE"'; NULL: it is another. */
static const char *included_file(const char *line, size_t *len)
{
    static const char word[] = "#include \"";
    const size_t n = sizeof word - 1;
    if (strncmp(line, word, n) != 0)
        return NULL;
    *len = strcspn(line + n, "\"\n");
    return line[n + *len] == '"' ? line + n : NULL;
}

/* The piece that `file` names: of its path, the last part counts. */
static const Source *find_piece(const Fill *fill, const char *file, size_t len)
{
    const char *slash = memrchr(file, '/', len), *name = slash ? slash + 1 : file;
    len -= (size_t)(name - file);
    for (int i = 0; i < fill->npiece; i++)
        if (word_is(name, len, basename(fill->piece[i]->path)))
            return fill->piece[i];
    return NULL;
}

size_t fill_licence(const Source *src)
{
    const size_t line = strcspn(src->text, "\n");
    const char *head = "/* SPDX-License-Identifier: ", *end = strstr(src->text, "*/");
    if (strncmp(src->text, head, strlen(head)) != 0 || !end || end + 2 != src->text + line)
        return 0;
    return line + (src->text[line] == '\n');
}

/* Adds the piece in the place of the line that includes it, with a blank line before it. */
static void include_piece(Filler *f, const Source *piece)
{
    const size_t len = f->out.len;
    if (len > 1 && strcmp(f->out.s + len - 2, "\n\n") != 0)
        text_add(&f->out, "\n");
    Filler of_piece = *f;
    of_piece.src = piece;
    of_piece.depth = 0;
    fill_lines(&of_piece, piece->text + fill_licence(piece), piece->text + strlen(piece->text));
    f->out = of_piece.out;
}

/* Fills a line, or all that is repeated from it on. Gives the line behind. */
static const char *fill_line(Filler *f, const char *line, const char *end)
{
    const char *word = end, *file, *next = end + (*end == '\n'), *mark = find_marker(line, end, &word);
    const Source *piece;
    size_t len;
    bool keep = false;
    if (!carry_out_condition(f, line, end, &keep) && is_live(f, f->depth)) {
        if ((file = included_file(line, &len)) && (piece = find_piece(f->fill, file, len)))
            include_piece(f, piece);
        else if (!mark)
            keep = true;
        else if (strncmp(word, "repeat ", 7) == 0)
            return carry_out_repeat(f, line, mark, word + 7, end);
        else if (strspn(line, " \t") < (size_t)(mark - line))
            diag_error(f->diag, place_of(f, mark, 1), "only '//@ repeat' may stand behind other text");
        else
            add_text_of(f, word);
    }
    if (keep) {
        add_filled(f, line, end);
        text_add(&f->out, "\n");
    }
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

const char *fill_next_include(const char **at, size_t *len)
{
    const char *file = NULL;
    while (!file && **at) {
        file = included_file(*at, len);
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
    }
    return file;
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

/* What a repetition counts by, and where that is known: in one line up to the marker, or in lines up to "//@ end". */
struct FillBound {
    const char *name, *from, *to; /* to NULL: the end was not met yet */
    size_t len;
    const FillBound *outer;
};

FillNames fill_names(Arena *a, const char *text) { return (FillNames){ .arena = a, .at = text, .line = text }; }

/* Goes on to the next line: looks whether a repetition begins or ends there. */
static void begin_line(FillNames *n)
{
    const char *line = n->line, *word, *end = line + strcspn(line, "\n"), *mark = find_marker(line, end, &word);
    const bool is_alone = mark && strspn(line, " \t") == (size_t)(mark - line);
    n->repeat = NULL;
    if (n->bound && n->bound->to) /* of the line before */
        n->bound = n->bound->outer;
    if (mark && strncmp(word, "repeat ", 7) == 0) {
        FillBound *b = ARENA_NEW(n->arena, FillBound);
        *b = (FillBound){ word + 7, is_alone ? end : line, is_alone ? NULL : mark, fill_ident(word + 7), n->bound };
        n->repeat = mark;
        n->bound = b;
    } else if (is_alone && n->bound && word_is(word, fill_ident(word), "end")) {
        n->bound = n->bound->outer;
    }
    n->line = end + (*end == '\n');
}

static bool is_bound(const FillNames *n, const char *name, size_t len)
{
    const FillBound *b = n->bound;
    while (b && (name < b->from || (b->to && name >= b->to) || b->len != len || memcmp(b->name, name, len) != 0))
        b = b->outer;
    return b != NULL;
}

const char *fill_next_name(FillNames *n, size_t *len)
{
    for (const char *s = n->at; *s;) {
        while (n->line <= s)
            begin_line(n);
        const char *behind = skip_quoted(s);
        *len = fill_ident(s);
        if (s == n->repeat) { /* its bounds are uses, its own name is not */
            s = n->bound->name + n->bound->len;
        } else if (behind != s) {
            s = behind;
        } else if (*len && !isdigit((unsigned char)*s) && !is_bound(n, s, *len)) {
            n->at = s + *len;
            return s;
        } else {
            s += *len ? *len : 1;
        }
    }
    return NULL;
}

bool fill_has_name(Arena *a, const char *text, const char *name)
{
    const size_t wanted = strlen(name);
    FillNames names = fill_names(a, text);
    size_t len;
    for (const char *s; (s = fill_next_name(&names, &len));)
        if (len == wanted && memcmp(s, name, len) == 0)
            return true;
    return false;
}
