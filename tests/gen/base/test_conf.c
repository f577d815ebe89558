/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: getters and places, in a whole text and in a part of one. The golden files of spec and op cover faults.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/name.h"
#include "tests/gen/golden.h"
#include "tests/gen/pairs.h"
#include "tests/gen/place.h"

static Diag *diag;
static Source src;

static int make(void **state)
{
    const int failed = place_setup(state);
    diag = diag_new(arena);
    return failed;
}

static Conf *parse_part(const char *text, size_t begin, size_t end)
{
    src = (Source){ "t.cfg", text, strlen(text) };
    Conf *c = conf_parse(arena, &src, begin, end, diag);
    if (!c)
        diag_print(diag, stderr);
    assert_non_null(c);
    return c;
}

static Conf *parse(const char *text) { return parse_part(text, 0, strlen(text)); }

static void assert_loc(Loc at, int line, int col, int width)
{
    assert_ptr_equal(at.src, &src);
    assert_int_equal(at.line, line);
    assert_int_equal(at.col, col);
    assert_int_equal(at.width, width);
}

TEST(test_values)
{
    Conf *c = parse("i = 42; h = 0x2A; l = 5000000000L; r = 2.5; b = true; f = FALSE;\n"
                    "s = \"a\" \"b\\n\"; v = [1, 2]; w = (\"x\", \"y\");");
    const ConfSetting *top = c->root;
    int64_t i = 0, v[4];
    double r = 0;
    const char *s = NULL, *w[4];
    bool b = false;
    int n = 0;
    assert_true(conf_int(c, top, "i", 0, 100, &i) && i == 42);
    assert_true(conf_int(c, top, "h", 0, 100, &i) && i == 42);
    assert_true(conf_int(c, top, "l", 0, INT64_MAX, &i) && i == 5000000000);
    assert_true(conf_real(c, top, "r", &r) && r == 2.5);
    assert_true(conf_real(c, top, "i", &r) && r == 42);
    assert_true(conf_string(c, top, "s", &s));
    assert_true(conf_bool(c, top, "b", &b) && b);
    assert_true(conf_bool(c, top, "f", &b) && !b);
    assert_true(conf_ints(c, top, "v", 1, 2, v, 2, &n) && n == 2 && v[1] == 2);
    n = 0;
    assert_true(conf_strings(c, top, "w", w, 2, &n) && n == 2);
    assert_string_equal(s, "ab\n"); /* lives on in the arena */
    assert_string_equal(w[1], "y");
    assert_int_equal(diag_nerror(diag), 0);
}

TEST(test_absent)
{
    Conf *c = parse("x = 1;");
    int64_t i = 7;
    const char *s = "kept";
    Expr *e = NULL;
    int n = 3;
    assert_true(conf_int(c, c->root, "y", 0, 1, &i) && i == 7);
    assert_true(conf_string(c, c->root, "y", &s));
    assert_string_equal(s, "kept");
    assert_true(conf_expr(c, c->root, "y", &e) && !e);
    assert_true(conf_strings(c, c->root, "y", NULL, 0, &n) && n == 3);
    assert_null(conf_group(c, c->root, "y"));
    assert_null(conf_list(c, c->root, "y"));
    assert_null(conf_member(NULL, "y"));
    assert_int_equal(conf_length(NULL), 0);
    bool b = true;
    double r = 7;
    assert_true(conf_bool(c, c->root, "y", &b) && b && conf_real(c, c->root, "y", &r) && r == 7);
    assert_true(conf_ints(c, c->root, "y", 0, 1, &i, 1, &n) && n == 3);
    assert_true(conf_choice(c, c->root, "y", "letter", NAMES(&s, 1), &n) && n == 3);
    assert_int_equal(diag_nerror(diag), 0);
}

TEST(test_wrong)
{
    Conf *c = parse("i = 42; s = \"x\"; v = [3, 2, 1]; g = {}; w = (7, \"x\"); big = 1e999;");
    const ConfSetting *top = c->root;
    int64_t i = 7, v[4];
    const char *s = "kept", *words[4];
    double r = 7;
    bool b = true;
    Expr *e = NULL;
    int n = -1, choice = -1;
    static const char *const names[] = { "y", "z" };
    assert_false(conf_int(c, top, "i", 0, 41, &i));
    assert_false(conf_int(c, top, "s", 0, 41, &i));
    assert_false(conf_string(c, top, "i", &s));
    assert_false(conf_ints(c, top, "v", 0, 9, v, 2, &n));
    assert_false(conf_ints(c, top, "v", 0, 2, v, 4, &n));
    assert_false(conf_choice(c, top, "s", "letter", NAMES(names, 2), &choice));
    assert_null(conf_list(c, top, "g"));
    assert_null(conf_group(c, top, "v"));
    assert_int_equal(diag_nerror(diag), 8);
    assert_false(conf_choice(c, top, "i", "letter", NAMES(names, 2), &choice));
    assert_false(conf_bool(c, top, "i", &b));
    assert_false(conf_real(c, top, "s", &r));
    assert_false(conf_real(c, top, "big", &r));
    assert_false(conf_expr(c, top, "big", &e));
    assert_false(conf_strings(c, top, "w", words, 4, &n)); /* the last one is well */
    assert_false(conf_strings(c, top, "s", words, 4, &n));
    assert_false(conf_ints(c, top, "i", 0, 99, v, 4, &n));
    assert_int_equal(diag_nerror(diag), 16);
    assert_true(r == 7 && b && !e);
    assert_null(conf_member(conf_member(top, "v"), "i")); /* that is no group */
    assert_int_equal(i, 7);                               /* nothing was written */
    assert_string_equal(s, "kept");
    assert_int_equal(n, -1);
    assert_int_equal(choice, -1);
}

/* Only text of a file is parsed, and not too much of it. */
TEST(test_sources)
{
    const char *path = in_root("x.cfg");
    assert_null(conf_source(arena, path, diag));
    assert_null(conf_source(arena, root, diag));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(conf_source(arena, path, diag));
    assert_int_equal(unlink(path), 0);
    for (int more = 0; more < 2; more++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        for (int i = 0; i < CONF_MAX_BYTES + more; i++)
            fputc('#', f);
        assert_int_equal(fclose(f), 0);
        const Source *got = conf_source(arena, path, diag);
        assert_int_equal(got != NULL, !more);
        if (got) {
            assert_string_equal(got->path, path);
            assert_int_equal(got->len, CONF_MAX_BYTES);
        }
    }
    assert_string_equal(golden_diag(arena, diag),
                        arena_printf(arena,
                                     "%s: error: cannot read the file: No such file or directory\n"
                                     "%s: error: this is not a regular file\n"
                                     "%s: error: the file has %d bytes, more than the %d allowed\n"
                                     "%s: error: this is a folder, expected a file\n",
                                     path, path, path, CONF_MAX_BYTES + 1, CONF_MAX_BYTES, root));
}

/* Same keys on one line, strings that hold brackets, comments that hold quotes. */
TEST(test_places)
{
    Conf *c = parse("l = ( { M = 1; }, { M = \"}{\"; /* M = \" */ N = 2; },\n  3, \"four\" );\nM : [ 5,\n6 ];");
    const ConfSetting *l = conf_member(c->root, "l"), *m = conf_member(c->root, "M");
    const ConfSetting *second = conf_elem(l, 1);
    assert_loc(l->name_at, 1, 1, 1);
    assert_loc(l->at, 1, 5, 1);
    assert_loc(conf_member(conf_elem(l, 0), "M")->name_at, 1, 9, 1);
    assert_loc(conf_member(second, "M")->name_at, 1, 21, 1);
    assert_loc(conf_member(second, "M")->at, 1, 25, 4);
    assert_loc(conf_member(second, "N")->name_at, 1, 43, 1);
    assert_loc(conf_elem(l, 2)->at, 2, 3, 1);
    assert_loc(conf_elem(l, 3)->name_at, 2, 6, 6);
    assert_loc(conf_elem(m, 1)->at, 4, 1, 1);
    assert_loc(c->root->name_at, 1, 1, 1);
    assert_string_equal(m->name, "M");
    assert_null(second->name);
    c = parse("a = \"x\"\n\"y\";"); /* marked where it begins */
    assert_loc(conf_member(c->root, "a")->at, 1, 5, 1);
    c = parse_part("a = 1;", 0, 99);
    assert_loc(conf_member(c->root, "a")->name_at, 1, 1, 1);
}

/* A template's head: the rest of the file is not looked at, places count from its beginning. */
TEST(test_part)
{
    const char *text = "/* dcgen\n  a = 1;\n  b = \"x\" # the end\n*/\nint main(void) { \"";
    size_t begin = strlen("/* dcgen"), end = (size_t)(strstr(text, "*/") - text);
    Conf *c = parse_part(text, begin, end);
    assert_int_equal(conf_length(c->root), 2);
    assert_loc(conf_member(c->root, "a")->name_at, 2, 3, 1);
    assert_loc(conf_member(c->root, "b")->at, 3, 7, 3);
    assert_null(conf_parse(arena, &src, begin, strlen(text), diag)); /* "*" + "/" is no libconfig */
    assert_int_equal(diag_nerror(diag), 1);
}

/* Places inside an expression hold across strings side by side. */
TEST(test_expr)
{
    Conf *c = parse("a = \"1 +\\tB\"  /* \" */ \" * C\" # \"\n    \"- D\";\nn = -7;");
    Expr *e = NULL;
    assert_true(conf_expr(c, c->root, "a", &e));
    assert_string_equal(expr_text(e), "1 + B * C - D");
    char names[100] = "";
    for (const ExprName *n = expr_names(e); n; n = n->next)
        sprintf(names + strlen(names), "%s@%d:%d ", n->name, n->at.line, n->at.col);
    assert_string_equal(names, "B@1:11 C@1:27 D@2:8 ");
    static const char *const known[] = { "B", "C" };
    assert_false(conf_check_names(diag, e, "name", NAMES(known, 2)));
    assert_int_equal(diag_nerror(diag), 1);
    int64_t value = 0;
    assert_true(conf_expr(c, c->root, "n", &e));
    assert_int_equal(expr_int(e, NULL, NULL, &value), EXPR_OK);
    assert_int_equal(value, -7);
}

TEST(test_keys)
{
    static const ConfKey keys[] = { { "a", true, NULL }, { "b", false, NULL }, { "c", true, "the third" } };
    Conf *c = parse("a = 1; c = 2;");
    assert_true(conf_keys(c, c->root, keys, 3));
    c = parse("a = 1; d = 2; e = 3;");
    assert_false(conf_keys(c, c->root, keys, 3));
    assert_int_equal(diag_nerror(diag), 3); /* d, e unknown; c missing */
    const char *text = golden_diag(arena, diag);
    assert_has(text, "t.cfg:1:1: error: missing key 'c': the third\n");
    c = parse("c = 2;");
    assert_false(conf_keys(c, c->root, keys, 3));
    assert_has(golden_diag(arena, diag), "t.cfg:1:1: error: missing key 'a'\n");
}

TEST(test_names)
{
    static const struct {
        const char *name;
        bool ok, package_ok;
    } cases[] = {
        { "x", true, true },           { "bert_dense", true, true }, { "T2", true, false },
        { "", false, false },          { "2d", false, false },       { "_x", false, false },
        { "a-b", false, false },       { "a/b", false, false },      { "..", false, false },
        { "a b", false, false },       { "int", false, false },      { "class", false, false },
        { "alignas", false, false },   { "xor_eq", false, false },   { "main", true, false },
        { "abort", true, false },      { "write", true, false },     { "sm_90a", true, true },
        { "h\xc3\xa4", false, false }, { "size_t", true, false },    { "NULL", true, false },
        { "INT64_MAX", true, false },  { "offsetof", true, false },  { "index", true, false },
        { "sinf", true, false },       { "asctime_r", true, false }, { "pthread_x", true, false },
        { "string", true, false },     { "String", true, false },    { "test", true, false },
        { "float4", true, false },     { "sinful", true, true },     { "indexed", true, true },
        { "flush_l2", true, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(name_fault(cases[i].name) == NULL, cases[i].ok);
        assert_int_equal(name_package_fault(cases[i].name) == NULL, cases[i].package_ok);
    }
    static const char *const like[][2] = { { "size_t", "size" },
                                           { "NULL", "null" },
                                           { "GEMM", "gemm" },
                                           { "index", "index_op" },
                                           { "pthread_x", "my_pthread_x" } };
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        assert_string_equal(name_package_like(arena, like[i][0]), like[i][1]);
    char name[NAME_MAX_LENGTH + 2];
    memset(name, 'x', sizeof name);
    name[NAME_MAX_LENGTH] = '\0';
    assert_null(name_fault(name));
    name[NAME_MAX_LENGTH] = 'x';
    name[NAME_MAX_LENGTH + 1] = '\0';
    assert_non_null(name_fault(name));
}

/* ---- the scanner ---- */

/* The numbers that stand behind "a = ", which are whole or not by how they are written. */
static void check_numbers(const char *cases, bool whole)
{
    for (Pairs p = { .rest = cases }; pairs_next(arena, &p);) {
        Conf *c = parse(arena_printf(arena, "a = %s;", p.text));
        const ConfSetting *a = conf_member(c->root, "a");
        int64_t n = 99;
        double r = 99;
        assert_true(conf_real(c, a, NULL, &r) && r == atof(p.value));
        assert_loc(a->at, 1, 5, (int)strlen(p.text));
        if (conf_int(c, a, NULL, INT32_MIN, 4294967296, &n) != whole || (whole && (double)n != r))
            fail_msg("%s", p.text);
    }
}

TEST(test_numbers)
{
    check_numbers("7 -> 7; +7 -> 7; -7 -> -7; 7L -> 7; 7LL -> 7; 0x1fL -> 31; 0XA0 -> 160; 00 -> 0; "
                  "2147483647 -> 2147483647; -2147483648 -> -2147483648; 2147483648L -> 2147483648; "
                  "0x7FFFFFFF -> 2147483647",
                  true);
    check_numbers("1. -> 1; .5 -> 0.5; -.5 -> -0.5; 1.25e2 -> 125; 1e3 -> 1000; 1E+3 -> 1000; 5e-1 -> 0.5; "
                  "+1.5E-1 -> 0.15",
                  false);
}

TEST(test_blanks)
{
    static const char *const text[] = { "a=1;b=2",
                                        "a = 1 b = 2",
                                        "a:1,b:2,",
                                        "// x\na = 1; // y\nb = 2; // z",
                                        "a = 1; # \"\nb = 2 #",
                                        "/**/a = 1;/* * / */b = 2 /***/",
                                        "a = 1/*;*/;b = 2//;\n#",
                                        "a/**/=/**/1#\nb//\n= 2/**/",
                                        "a = 1;\r\n\tb\f= 2\n//",
                                        "# \xEF\xBB\xBF\na = /* 3; */ 1; b = // 4\n2;" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        Conf *c = parse(text[i]);
        int64_t a = 0, b = 0;
        assert_int_equal(conf_length(c->root), 2);
        assert_true(conf_int(c, c->root, "a", 1, 1, &a) && conf_int(c, c->root, "b", 2, 2, &b));
        assert_int_equal(a * 10 + b, 12);
    }
}

static char *repeated(const char *text, int n, const char *behind)
{
    char *all = "";
    for (int i = 0; i < n; i++)
        all = arena_printf(arena, "%s%s", all, text);
    return arena_printf(arena, "%s%s", all, behind);
}

/* "line:column+width message" of the first error; "": there is none. */
static const char *refusal(const char *text, size_t n)
{
    Diag *d = diag_new(arena);
    src = (Source){ "t.cfg", text, n };
    Conf *c = conf_parse(arena, &src, 0, n, d);
    const char *shown = golden_diag(arena, d), *caret = strchr(shown, '^'), *message = strstr(shown, "error: ");
    assert_int_equal(c == NULL, diag_nerror(d) > 0);
    if (c)
        return "";
    const size_t at = strlen("t.cfg:"), width = caret ? 1 + strspn(caret + 1, "~") : 0;
    return arena_printf(arena, "%.*s+%zu %.*s", (int)(strstr(shown, ": error") - shown - (long)at), shown + at, width,
                        (int)strcspn(message + 7, "\n"), message + 7);
}

#define ARRAYS "the values of an array [ ] are plain and all of one type; use a list ( ) to mix"
#define OPEN " this string is not closed; to go on in the next line, close it and open another"
#define NO_KEY ", which begins with a letter and is no value"

TEST(test_refusals)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "a = /", "1:5+1 text and expressions go in quotes: \"/\"" },
        { "a = 1 \"x\"", "1:7+3 expected ';' after the value, found a string" },
        { "*_a-* = False; *_a-* = 1;", "1:16+5 duplicate key '*_a-*', first set at line 1" },
        { "a = 1; /", "1:8+1 expected a key" NO_KEY ", found '/'" },
        { "a = 1; /* x", "1:8+2 this comment is not closed" },
        { "a = 1; /*/", "1:8+2 this comment is not closed" },
        { "a = \"x", "1:5+1" OPEN },
        { "a = \"x\ny\";", "1:5+1" OPEN },
        { "a = \"x\\", "1:5+1" OPEN },
        { "a = \"x\\\";", "1:5+1" OPEN },
        { "a = \"x\\\n\";", "1:5+1" OPEN },
        { "a = @;", "1:5+1 @include is not allowed here: the file must be complete by itself" },
        { "@include \"x\"", "1:1+8 @include is not allowed here: the file must be complete by itself" },
        { "a = \001;", "1:5+1 expected a value, found the byte 0x01" },
        { "a = \177;", "1:5+1 expected a value, found the byte 0x7F" },
        { "a = 1 ~", "1:7+1 expected ';' after the value, found '~'" },
        { "a = { b = 1; c = { b = 2; };\nb = 3; };", "2:1+1 duplicate key 'b', first set at line 1" },
        { "a = 1 a = 2;", "1:7+1 duplicate key 'a', first set at line 1" },
        { "a = 1;\nab = 2; a_ = { a = 1; };\na = 2;", "3:1+1 duplicate key 'a', first set at line 1" },
        { "a 1", "1:3+1 expected '=' after 'a', found '1'" },
        { "a", "1:2+1 expected '=' after 'a', found the end of the file" },
        { "a =", "1:4+1 expected a value, found the end of the file" },
        { "a = ;", "1:5+1 expected a value, found ';'" },
        { "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee 1",
          "1:46+1 expected '=' after 'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd', found '1'" },
        { "a = [ { } ];", "1:7+1 " ARRAYS },
        { "a = [1, 2.0];", "1:9+3 " ARRAYS },
        { "a = [1, 2L];", "1:9+2 " ARRAYS },
        { "a = [true, \"x\"];", "1:12+3 " ARRAYS },
        { "a = [[1]];", "1:6+1 " ARRAYS },
        { "a = [1, (2)];", "1:9+1 " ARRAYS },
        { "a = [1, T];", "1:9+1 text and expressions go in quotes: \"T\"" },
        { "a = [1, ];", "1:9+1 expected a value after ',', found ']'" },
        { "a = (1, );", "1:9+1 expected a value after ',', found ')'" },
        { "a = [1", "1:5+1 this '[' is not closed" },
        { "a = (1", "1:5+1 this '(' is not closed" },
        { "a = (1,", "1:5+1 this '(' is not closed" },
        { "a = (", "1:5+1 this '(' is not closed" },
        { "a = { b = 1;", "1:5+1 this '{' is not closed" },
        { "a =\n(1];", "2:3+1 expected ',' or ')' to close the '(' of line 2, found ']'" },
        { "a = [1);", "1:7+1 expected ',' or ']' to close the '[' of line 1, found ')'" },
        { "a = { b = 1; )", "1:14+1 expected '}' to close the '{' of line 1, found ')'" },
        { "a = { 1", "1:7+1 expected a key" NO_KEY ", or '}', found '1'" },
        { "a = 1; }", "1:8+1 expected a key, found '}'" },
        { "_a = 1;", "1:1+2 expected a key" NO_KEY ", found '_a'" },
        { "1 = 2;", "1:1+1 expected a key" NO_KEY ", found '1'" },
        { "true = 1;", "1:1+4 expected a key" NO_KEY ", found 'true'" },
        { "{ }", "1:1+1 expected a key, found '{'" },
        { "a = 2147483648;", "1:5+10 an integer beyond 32 bits needs the suffix L" },
        { "a = -2147483649;", "1:5+11 an integer beyond 32 bits needs the suffix L" },
        { "a = 0x80000000;", "1:5+10 an integer beyond 32 bits needs the suffix L" },
        { "a = 9223372036854775808L;", "1:5+20 the integer does not fit 64 bits" },
        { "a = 0xFFFFFFFFFFFFFFFFFL;", "1:5+20 the integer does not fit 64 bits" },
        { "a = 16 /* x */ * T;", "1:18+1 expected '=' after '*', found 'T'" },
        { "a = 2LLL = 1;", "1:5+4 text and expressions go in quotes: \"2LLL\"" },
        { "a = 16*T = 1;", "1:5+4 text and expressions go in quotes: \"16*T\"" },
        { "a.b = 1", "1:1+3 expected a key" NO_KEY ", found 'a.b'" },
        { "a = 1;\n\"b\" = \"c\"", "2:1+3 expected a key, found a string" },
        { "a = { b = 1, \"c\"", "1:14+3 expected a key, or '}', found a string" },
        { "a = \"x\"\n \"y", "2:2+1" OPEN },
        { "a = [16*T];", "1:6+4 text and expressions go in quotes: \"16*T\"" },
        { "\xEF\xBB\xBF", "1:1+1 a byte order mark; save the file as UTF-8 without one" },
        { "", "1:1+0 no settings here: expected something like name = \"value\";" },
        { "# a\n", "1:1+1 no settings here: expected something like name = \"value\";" },
        { "a = \"b\" 1", "1:9+1 expected ';' after the value, found '1'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = refusal(cases[i].text, strlen(cases[i].text));
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s\n%s\n%s", cases[i].text, got, cases[i].want);
    }
    for (Pairs p = { .rest = "/; .; -; +.; 1e; 1e+; 1.e+; 0x; 1x1; -0x1; 00x1; 1LLL; tru; falsee; ~; 16*T; T*16; 16/T; "
                             "L; true.5" };
         pairs_next(arena, &p);) {
        const char *text = arena_printf(arena, "a = %s;", p.text);
        assert_string_equal(
            refusal(text, strlen(text)),
            arena_printf(arena, "1:5+%d text and expressions go in quotes: \"%s\"", (int)strlen(p.text), p.text));
    }
    assert_string_equal(refusal("a = 1;\0b", 8), "1:7+1 a NUL byte: this is not a text file");
    assert_string_equal(refusal("a 1;\n\"\0\"", 8), "2:2+1 a NUL byte: this is not a text file");
}

/* As deep and as many as is allowed, and one more. */
TEST(test_limits)
{
    const char *deep = repeated("(", CONF_MAX_DEPTH, repeated(")", CONF_MAX_DEPTH, ";"));
    const char *deeper = repeated("(", CONF_MAX_DEPTH + 1, "");
    assert_string_equal(refusal(arena_printf(arena, "a = %s b = %s", deep, deep), 10 + 2 * strlen(deep) - 1), "");
    deeper = arena_printf(arena, "a = %s", deeper);
    assert_string_equal(
        refusal(deeper, strlen(deeper)),
        arena_printf(arena, "1:%d+1 nested too deeply (at most %d levels)", 5 + CONF_MAX_DEPTH, CONF_MAX_DEPTH));
    for (int more = 0; more < 2; more++) {
        Text t = { .arena = arena };
        for (int i = 0; i < CONF_MAX_MEMBER + more; i++)
            text_printf(&t, "k%04d = 1;\n", i);
        assert_string_equal(refusal(text_str(&t), t.len),
                            more ? arena_printf(arena, "%d:1+5 more than %d settings in one group", CONF_MAX_MEMBER + 1,
                                                CONF_MAX_MEMBER)
                                 : "");
    }
}

TEST_EACH(make, place_teardown)
