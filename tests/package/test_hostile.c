/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile text in every text of a spec, op.cfg, a target's file, a template's head and the records. Each is refused, or
 * it is text and no more: the package has the tokens, the tags, the structure of one that was made of harmless text,
 * and what dcgen prints holds nothing that speaks to a terminal. Nothing is measured: the records are made up, and
 * `replay` makes packages of them.
 *
 * The texts are found in the files themselves, and the readers' own lists of keys say that no key is missing there.
 *
 * ctest: timeout=300
 */
#define _GNU_SOURCE
#include "tests/package/made_up.h"

#include <ctype.h>
#include <jansson.h>
#include <sys/stat.h>
#include "gen/base/quote.h"

static const char spec_text[] =
    "name = \"tiny\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
    "dims = { T = { min = 1; max = 4; }; };\n"
    "shapes = ( { M = \"T\"; N = 24; K = 16; PAD = 1; MARGIN = 1; weight = 1.0; } );\n"
    "tune = { T = [1, 2, 4]; }; weights = { T = \"1\"; }; epilogue = \"acc + bias[n] + s[m]\";\n"
    "types = { s = \"s32\"; }; extents = { s = [\"M\"]; }; accuracy = 2; caches = \"cold\"; version = \"1.0.0\";\n"
    "layout = { W = \"NK\"; packed = false; }; strides = []; sizes = []; in_place = []; threads = [1]; space = { UK = "
    "[1, 2, 4]; "
    "};\n"
    "budget = { kernels = 2; code_kib = 512; trials = 3; seconds = 20; }; regret = { mean = 0.9; worst = 0.9; };\n"
    "templates = [\".\"]; report = true;\n";

static const char op_text[] =
    "name = \"dense\"; doc = \"a doc\"; also = [\"product\"]; advice = ( { words = [\"d1\"]; say = \"do\"; } ); dtypes "
    "= [\"f32\", \"tf32\", \"f16\", \"bf16\"]; \n"
    "sums = [\"acc\"]; epilogues = ( { name = \"bias\"; formula = \"acc + bias[n]\"; } );\n"
    "axes = ( { name = \"M\"; kind = \"spatial\"; least = 0; try = [7]; doc = \"a doc\"; }, { name = \"N\"; kind = "
    "\"spatial\"; "
    "doc = \"a "
    "doc\"; },\n"
    "         { name = \"K\"; kind = \"reduce\"; doc = \"a doc\"; } );\n"
    "attributes = ( { name = \"PAD\"; min = 0; max = 4; default = 1; brief = \"MARGIN\"; doc = \"a doc\"; } );\n"
    "accuracies = ( { name = \"rough\"; factor = 3; doc = \"a doc\"; } ); packs = [\"PART\"];\n"
    "derived = ( { name = \"P\"; expr = \"M + PAD\"; doc = \"a doc\"; } );\n"
    "operands = (\n"
    "  { name = \"X\"; role = \"in\"; dtype = \"f32\"; strided = false; finite = \"a doc\"; extents = [\"M\", \"K\"]; "
    "doc = \"a doc\"; },\n"
    "  { name = \"W\"; role = \"const\"; doc = \"a doc\";\n"
    "    layouts = ( { name = \"NK\"; extents = [\"N\", \"K\"]; }, { name = \"KN\"; extents = [\"K\", \"N\"]; } ); },\n"
    "  { name = \"V\"; role = \"in\"; doc = \"a doc\"; layout_of = \"W\";\n"
    "    layouts = ( { name = \"NK\"; extents = [\"N\", \"K\"]; }, { name = \"KN\"; extents = [\"K\", \"N\"]; } ); },\n"
    "  { name = \"Y\"; role = \"out\"; extents = [\"M\", \"N\"]; doc = \"a doc\"; },\n"
    "  { name = \"mask\"; role = \"index\"; extents = [\"M\"]; doc = \"a doc\"; data = "
    "\"lengths\"; "
    "of = \"N\"; } );\n"
    "flops = \"2*M*N*K\"; rows = \"M\"; row_elems = \"N\"; reference = \"reference.c\"; templates = \"dense\"; "
    "work_by_data = false;\n";

static char long_text[16000];

static const char *const hostile[] = {
    "*/ __asm__(\"boom\"); int boom; /*",
    "x\n*/ int boom; /* \\",
    "*\\\n/ int boom; /*\\",
    "*?\?/\n/ int boom; /* ?\?/",
    "\"); int boom; //\\\" %s%n",
    "${X} $ENV{HOME} \") message(boom) #[[ ]==] ]] ;a;b @X@ $<BOOL:1>",
    "'; system \"touch boom\"; print `touch boom`; set output 'boom' \\",
    "<script>boom()</script> &amp; ' onclick=boom \"><img src=x> --> ]]>",
    "| a | b |\n\n# boom\n\n[x](javascript:boom) ![x](y) ]]( **b** ```\n```c\nboom",
    "\x1b[31m\x1b]0;boom\x07\r\b\x7f\x01",
    "\xff\xfe\xc0\xaf \xe2\x80\xae boom \xe2\x81\xa6 \xc2\x85 \xe2\x80\xa8",
    long_text,
};

/* Nothing but lines of text, in UTF-8. */
static void check_said(const char *what)
{
    size_t n;
    const char *s = read_text(in(root, "said"), &n);
    for (size_t len; n > 0; s += len, n -= len) {
        len = *s == '\n' || *s == '\t' ? 1 : quote_shown(s, n);
        if (len == 0)
            fail_msg("%s: byte 0x%02x reaches the terminal", what, (unsigned char)*s);
    }
}

/* ---- texts of a file ---- */

typedef struct {
    const char *path; /* absolute */
    const char *text;
    size_t begin, end; /* of what libconfig reads */
} File;

/* A string of a file, and the key that it belongs to. */
typedef struct {
    size_t at, len; /* with its quotes */
    char key[32];
} Field;

static bool next_field(const File *f, size_t from, Field *out)
{
    size_t word = 0, nword = 0;
    for (size_t i = f->begin; i < f->end; i++) {
        const char *s = f->text + i;
        if (*s == '#') {
            i += strcspn(s, "\n");
        } else if (isalpha((unsigned char)*s)) {
            word = i;
            nword = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
            i += nword - 1;
        } else if (*s == '=') {
            snprintf(out->key, sizeof out->key, "%.*s", (int)nword, f->text + word);
        } else if (*s == '"') {
            size_t len = 1;
            while (s[len] != '"')
                len += s[len] == '\\' ? 2 : 1;
            out->at = i;
            out->len = len + 1;
            if (i >= from)
                return true;
            i += len;
        }
    }
    return false;
}

/* text as a string of libconfig, every byte escaped. */
static const char *conf_literal(const char *text)
{
    Text t = { .arena = arena };
    text_add(&t, "\"");
    for (; *text; text++)
        text_printf(&t, "\\x%02X", (unsigned char)*text);
    text_add(&t, "\"");
    return text_str(&t);
}

/* The file with this text in place of those fields that `wanted` has as true, of all that it has. Names stay different
 * ones. */
static const char *spoiled(const File *f, const bool *wanted, const char *text)
{
    Text t = { .arena = arena };
    Field field = { 0 };
    size_t done = 0;
    for (int i = 0; next_field(f, field.at + field.len, &field); i++)
        if (wanted[i]) {
            text_addn(&t, f->text + done, field.at - done);
            text_add(&t, conf_literal(strcmp(field.key, "name") ? text : arena_printf(arena, "%d%s", i, text)));
            done = field.at + field.len;
        }
    text_add(&t, f->text + done);
    return text_str(&t);
}

static int count_fields(const File *f)
{
    Field field = { 0 };
    int n = 0;
    while (next_field(f, field.at + field.len, &field))
        n++;
    return n;
}

/* ---- the tree: dcgen, templates whose kernels are short, a spec ---- */

enum { SPEC, OP, TARGET, CPU, GPU_TARGET, GPU, NFILE, MAX_FIELD = 128 };
static File file[NFILE];

static File file_of(const char *path)
{
    size_t n;
    File f = { .path = path, .text = read_text(path, &n) };
    const char *head = strstr(f.text, "/* dcgen\n");
    f.begin = head ? (size_t)(head - f.text) + strlen("/* dcgen\n") : 0;
    f.end = head ? (size_t)(strstr(head, "*/") - f.text) : n;
    return f;
}

/* The body of the GPU's template goes to a file of another folder, and its head says that it is like that. */
static void make_like(void)
{
    size_t n;
    const char *path = in(share, "dense/plain.cu"), *text = read_text(path, &n);
    const char *head = strstr(text, "/* dcgen\n") + strlen("/* dcgen\n"), *end = strstr(head, "*/");
    assert_int_equal(mkdir(in(share, "bare"), 0755), 0);
    put_file(in(share, "bare/body.cu"), arena_printf(arena, "/* dcgen\nregs = \"64\";\n%s", end));
    put_file(path, arena_printf(arena, "%.*slike = \"../bare/body.cu\";\n%.*s*/\n", (int)(head - text), text,
                                (int)(end - head), head));
}

static int setup(void **state)
{
    assert_int_equal(made_up_setup(state), 0);
    memset(long_text, '*', sizeof long_text - 1);
    for (size_t i = 1; i < sizeof long_text - 1; i += 2)
        long_text[i] = i % 3 ? '/' : '"';
    put_file(in(root, "tiny.cfg"), spec_text);
    put_file(in(share, "dense/op.cfg"), op_text);
    assert_int_equal(
        shell("sed -i -e 's/^features = .*/terms = ( { name = \"work\"; expr = \"M * N * K\"; doc = \"a doc\"; } "
              ");\\n&/' "
              "-e 's/^tile = /serves = \"MB > 0 || M > 0\";\\n&/' -e 's/name = \"UK\";/& ordered = false;/' "
              "%s/dense/plain.c",
              share),
        0);
    assert_int_equal(
        shell("sed -i 's/^tile /maps = ( { name = \"x_map\"; operand = \"X\"; box = [\"1\", \"8\"]; swizzle = \"0\"; } "
              ");\\n&/' %s/dense/plain.cu",
              share),
        0);
    make_like();
    assert_int_equal(
        shell("echo 'like = \"avx2\";' >>%s/targets/avx512.cfg; echo 'like = \"sm_80\";' >>%s/targets/sm_90a.cfg",
              share, share),
        0);
    static const char *const path[] = { "targets/avx512.cfg", "dense/plain.c", "targets/sm_90a.cfg", "dense/plain.cu" };
    file[SPEC] = file_of(in(root, "tiny.cfg"));
    file[OP] = file_of(in(share, "dense/op.cfg"));
    for (int i = TARGET; i < NFILE; i++)
        file[i] = file_of(in(share, path[i - TARGET]));
    return 0;
}

static void restore(void)
{
    for (int i = 0; i < NFILE; i++)
        put_file(file[i].path, file[i].text);
}

/* ---- packages ---- */

static int replay(const char *records, const char *target, const char *out, bool report)
{
    const int code = shell("%s replay tiny.cfg --records %s -t %s -o %s %s", dcgen, records, target, out,
                           report ? "" : "--no-report");
    check_said("replay");
    return code;
}

/* C's phases 1 to 3, with trigraphs or without: no comments, strings without content, blanks as one. */
static const char *c_tokens(const char *s, size_t n, bool trigraphs)
{
    Text plain = { .arena = arena }, t = { .arena = arena };
    for (size_t i = 0; i < n; i++) {
        const bool trigraph = trigraphs && n - i > 2 && s[i] == '?' && s[i + 1] == '?' && s[i + 2] == '/';
        size_t blank = i + (trigraph ? 3 : 1);
        blank += strspn(s + blank, " \t");
        if ((trigraph || s[i] == '\\') && s[blank] == '\n')
            i = blank;
        else
            text_addn(&plain, trigraph ? "\\" : s + i, 1);
    }
    text_add(&plain, "");
    for (const char *p = plain.s; *p;) {
        if (p[0] == '/' && p[1] == '*') {
            p = strstr(p + 2, "*/");
            assert_non_null(p);
            p += 2;
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (*p == '"' || *p == '\'') {
            const char quote = *p++;
            while (*p != quote) {
                assert_true(*p && *p != '\n');
                p += *p == '\\' ? 2 : 1;
            }
            p++;
            text_add(&t, "\"\"");
            continue;
        } else if (!isspace((unsigned char)*p)) {
            text_addn(&t, p++, 1);
            continue;
        } else {
            p++;
        }
        if (t.len && t.s[t.len - 1] != ' ')
            text_add(&t, " ");
    }
    return text_str(&t);
}

/* All tags, with the names of their attributes. (Points of a figure come in the order of records' keys.) */
static const char *html_tags(const char *s)
{
    Text t = { .arena = arena };
    while ((s = strchr(s, '<'))) {
        for (; *s != '>'; s++) {
            assert_true(*s);
            text_addn(&t, s, 1);
            if (*s == '"' || *s == '\'') {
                s = strchr(s + 1, *s);
                assert_non_null(s);
            }
        }
        text_add(&t, ">\n");
    }
    return text_str(&t);
}

/* How each line begins, and the signs of Markdown that count. */
static const char *markdown_signs(const char *s)
{
    Text t = { .arena = arena };
    for (; *s; s++) {
        if (*s == '\\')
            s++;
        else if (strchr("\n`*_[]<>|~$&!#", *s))
            text_addn(&t, s, 1);
    }
    return text_str(&t);
}

/* Without the hashes. */
static const char *manifest_lines(const char *s)
{
    Text t = { .arena = arena };
    for (size_t n; *s; s += n) {
        n = strspn(s, "0123456789abcdef");
        if (n < 16)
            text_addn(&t, s, n + (s[n] != '\0'));
        n += n < 16 && s[n];
    }
    return text_str(&t);
}

static const char *structure(const char *name, const char *text, size_t n)
{
    const char *suffix = strrchr(name, '.');
    json_error_t e;
    if (!suffix)
        return manifest_lines(text);
    if (strstr(".c .h .cu", suffix))
        return arena_printf(arena, "%s\n%s", c_tokens(text, n, false), c_tokens(text, n, true));
    if (strcmp(suffix, ".html") == 0)
        return html_tags(text);
    if (strcmp(suffix, ".md") == 0)
        return markdown_signs(text);
    if (strcmp(suffix, ".json") == 0) {
        json_t *v = json_loadb(text, n, 0, &e);
        assert_non_null(v);
        json_decref(v);
        return "";
    }
    if (strcmp(suffix, ".jsonl") == 0) {
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            json_t *v = json_loadb(line, strcspn(line, "\n"), 0, &e);
            assert_non_null(v);
            json_decref(v);
        }
        return "";
    }
    return text; /* CMakeLists.txt: nothing from outside gets there; spec.cfg: the spec itself */
}

/* Every file of a package, against the harmless one's. */
static void check_package(const char *good, const char *found, const char *what)
{
    char **path, **other;
    int nfile, nother;
    size_t n, m;
    assert_true(dir_list(arena, in(root, good), "", &path, &nfile) &&
                dir_list(arena, in(root, found), "", &other, &nother));
    assert_int_equal(nfile, nother);
    assert_in_range(nfile, 10, 40);
    for (int i = 0; i < nfile; i++) {
        const char *name = strrchr(path[i], '/') + 1, *want = read_text(path[i], &n), *is = read_text(other[i], &m);
        assert_string_equal(name, strrchr(other[i], '/') + 1);
        if (strcmp(want, is) != 0 && strcmp(structure(name, want, n), structure(name, is, m)) != 0)
            fail_msg("%s: %s has other code than a harmless package", what, name);
    }
    assert_int_not_equal(access(in(root, "boom"), F_OK), 0);
}

/* ---- the tests ---- */

static bool has_key(const File *f, const char *key)
{
    /* a spec has an epilogue or, of other ops, a formula, which are read alike */
    const char *word =
        arena_printf(arena, "%s ", strcmp(key, "formula") == 0 && strstr(f->text, "epilogue =") ? "epilogue" : key);
    return memmem(f->text + f->begin, f->end - f->begin, word, strlen(word)) != NULL;
}

/* In the files here; of two heads, in either. */
TEST(no_key_is_missing)
{
    static const char mark[] = "expected one of ";
    (void)state;
    for (int i = 0; i < NFILE; i++) {
        Text t = { .arena = arena };
        text_addn(&t, file[i].text, file[i].begin);
        text_add(&t, "zzzzzzzzzzzz = 1;\n");
        for (size_t k = file[i].begin; k < strlen(file[i].text); k++) {
            text_addn(&t, file[i].text + k, 1);
            if (k < file[i].end && file[i].text[k] == '{')
                text_add(&t, " zzzzzzzzzzzz = 1; ");
        }
        put_file(file[i].path, text_str(&t));
        assert_int_equal(shell("%s check tiny.cfg -t %s", dcgen, i == GPU ? "sm_90a" : "avx512"), 2);
        restore();
        size_t n;
        const char *said = read_text(in(root, "said"), &n), *list = said;
        assert_non_null(strstr(said, "unknown key 'zzzzzzzzzzzz'; expected one of "));
        while ((list = strstr(list, mark))) {
            for (list += strlen(mark); *list && *list != '\n'; list += strspn(list, ", ")) {
                const char *key = arena_strndup(arena, list, strcspn(list, ",\n"));
                const bool is_head = i == CPU || i == GPU;
                if (!has_key(&file[i], key) && !(is_head && has_key(&file[CPU + GPU - i], key)))
                    fail_msg("%s: a reader knows the key '%s', which this test does not try", file[i].path, key);
                list += strlen(key);
            }
        }
    }
}

static const char *const target_of[NFILE] = { "avx512", "avx512", "avx512", "avx512", "sm_90a", "sm_90a" };
static bool accepted[NFILE][MAX_FIELD];

static const char *records_of(const char *target) { return arena_printf(arena, "%s.jsonl", target); }

static void make_harmless(bool report)
{
    restore();
    for (int gpu = 0; gpu < 2; gpu++) {
        const char *target = target_of[gpu ? GPU : CPU];
        make_records(in(root, records_of(target)), file[SPEC].path, target, "plain");
        assert_int_equal(replay(records_of(target), target, arena_printf(arena, "good_%s", target), report && !gpu), 0);
    }
}

/* Replays with this text in those fields: refused, or changes nothing but text. */
static bool takes(int i, const bool *wanted, const char *text, const char *what)
{
    put_file(file[i].path, spoiled(&file[i], wanted, text));
    const int code = replay(records_of(target_of[i]), target_of[i], "one", false);
    if (code != 0 && code != 2)
        fail_msg("%s: '%s': exit code %d", file[i].path, what, code);
    if (code == 0)
        check_package(arena_printf(arena, "good_%s", target_of[i]), "one", what);
    return code == 0;
}

/* Each is refused, at its place in its file, or changes nothing but text. Docs are free text: none is refused. */
TEST(each_text_of_a_file)
{
    Text all = { .arena = arena };
    for (size_t i = 0; i + 1 < LENGTH(hostile); i++)
        text_add(&all, hostile[i]);
    make_harmless(false);
    for (int i = 0; i < NFILE; i++) {
        bool docs[MAX_FIELD] = { false };
        Field field = { 0 };
        assert_in_range(count_fields(&file[i]), 1, MAX_FIELD);
        for (int k = 0; next_field(&file[i], field.at + field.len, &field); k++) {
            bool wanted[MAX_FIELD] = { false };
            wanted[k] = true;
            docs[k] = strcmp(field.key, "doc") == 0 || strcmp(field.key, "why") == 0;
            accepted[i][k] = docs[k] || (strcmp(field.key, "runtime_check") != 0 && /* code, which the user gave */
                                         takes(i, wanted, text_str(&all), field.key));
        }
        assert_true(takes(i, docs, text_str(&all), "doc"));
        restore();
    }
}

/* What dcgen prints of them. */
static void check_commands(const char *target, const char *out)
{
    static const char *const command[] = { "check tiny.cfg -t @",
                                           "explain * T=2",
                                           "replay --check *",
                                           "replay tiny.cfg -t @ -v -o again --no-report --records",
                                           "replay tiny.cfg -t @ --dump spec --records",
                                           "replay tiny.cfg -t @ --dump space --records",
                                           "replay tiny.cfg -t @ --dump records --records",
                                           "replay tiny.cfg -t @ --dump model --records",
                                           "replay tiny.cfg -t @ --dump assign --records" };
    for (size_t i = 0; i < LENGTH(command); i++)
        for (int json = 0; json < 2; json++) {
            Text t = { .arena = arena };
            for (const char *s = command[i]; *s; s++)
                text_printf(&t, "%s%.*s", *s == '@' ? target : *s == '*' ? out : "", *s != '@' && *s != '*', s);
            const size_t len = t.len;
            if (strcmp(t.s + len - 9, "--records") == 0)
                text_printf(&t, " %s", records_of(target));
            assert_int_equal(shell("%s %s %s", dcgen, text_str(&t), json ? "--json" : ""), 0);
            check_said(text_str(&t));
        }
}

static bool is_for_terminals(const char *text) { return *text == '\x1b'; }

TEST(all_texts_at_once)
{
    make_harmless(true);
    for (size_t h = 0; h < LENGTH(hostile); h++)
        for (int gpu = 0; gpu < 2; gpu++) {
            const char *target = target_of[gpu ? GPU : CPU];
            for (int i = 0; i < NFILE; i++)
                put_file(file[i].path, spoiled(&file[i], accepted[i], hostile[h]));
            make_records(in(root, records_of(target)), file[SPEC].path, target, hostile[h]);
            must(replay(records_of(target), target, "all", !gpu));
            check_package(arena_printf(arena, "good_%s", target), "all", hostile[h]);
            if (is_for_terminals(hostile[h]) || (gpu && strstr(hostile[h], "%s")))
                check_commands(target, "all");
        }
    restore();
}

/* A copy of each line of a record file for each string that it holds, names of members among them, with that one
 * spoiled. */
static void spoil_record(Text *t, const char *line, size_t n)
{
    for (size_t i = 0, from = 0; i < LENGTH(hostile); from = 0, i++) {
        const char *open;
        while ((open = memchr(line + from, '"', n - from))) {
            const char *close = strchr(open + 1, '"');
            text_addn(t, line, (size_t)(open - line));
            text_add(t, quote_json_text(arena, hostile[i]));
            text_addn(t, close + 1, n - (size_t)(close + 1 - line));
            text_add(t, "\n");
            from = (size_t)(close + 1 - line);
        }
    }
}

/* Lines with them are ignored, or they are text. */
TEST(each_text_of_a_record)
{
    const char *const target = target_of[CPU], *last = "";
    size_t n;
    (void)state;
    make_harmless(false);
    const char *text = read_text(in(root, records_of(target)), &n);
    Text t = { .arena = arena };
    text_add(&t, text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const char *type = strstr(line, "\"type\":");
        if (strncmp(type, last, 12) != 0) /* one of each type */
            spoil_record(&t, line, strcspn(line, "\n"));
        last = type;
    }
    put_file(in(root, "many.jsonl"), text_str(&t));
    assert_int_equal(replay("many.jsonl", target, "many", false), 0);
    check_package("good_avx512", "many", "a record");
}

TEST_FILE(setup, made_up_teardown)
