/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_spec: any bytes as a spec, and every quoted string in them as an expression. Nothing may crash; a spec is either
 * read or has errors, and what is read keeps its promises.
 *
 * Under libFuzzer (clang -fsanitize=fuzzer -DDCGEN_LIBFUZZER) it calls the entry. Otherwise main replays a folder
 * of inputs and a number of mutations of each (ten times as many where the input is a good spec), always the same:
 *
 *   fuzz_spec [FOLDER [MUTATIONS]]        default: tests/gen/spec, 40
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/spec.h"
#include "gen/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ops[] = { DCGEN_SOURCE_DIR "/tests/gen/op" };
static int64_t last_ninstance; /* of the last input; 0 when it was no spec */

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

static bool lookup(void *ctx, const char *name, int64_t *value)
{
    (void)ctx;
    *value = (int64_t)strlen(name) * 3 - 4;
    return name[0] != 'q';
}

/* What was parsed has a value or a reason for having none, and its tidy text means the same. */
static void check_expr(Arena *a, const char *text)
{
    Diag *d = diag_new(a);
    Source src = { "e", text, strlen(text) };
    Expr *e = expr_parse(a, text, (Loc){ &src, 1, 1, 1 }, d);
    REQUIRE((e == NULL) == (diag_nerror(d) > 0));
    if (!e)
        return;
    Expr *again = expr_parse(a, expr_text(e), (Loc){ 0 }, d);
    REQUIRE(again);
    int64_t x = 0, y = 0;
    ExprStatus s = expr_int(e, lookup, NULL, &x);
    REQUIRE(s == expr_int(again, lookup, NULL, &y));
    REQUIRE(s != EXPR_OK || x == y);
    double real;
    expr_real(e, lookup, NULL, &real);
    REQUIRE(strlen(expr_status_text(s)) > 0);
    REQUIRE(expr_loc(e).width >= 1);
}

static void check_strings(Arena *a, const char *text)
{
    enum { MAX_STRINGS = 64 };
    for (int i = 0; i < MAX_STRINGS && (text = strchr(text, '"')); i++) {
        const char *end = strchr(++text, '"');
        if (!end)
            return;
        check_expr(a, arena_strndup(a, text, (size_t)(end - text)));
        text = end;
    }
}

static void check_spec(const Spec *s)
{
    REQUIRE(s->ninstance > 0 && s->ninstance <= SPEC_MAX_INSTANCE);
    double sum = 0;
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        for (int x = 0; x < s->op->naxis; x++)
            REQUIRE(in->extent[x] >= 1 && in->extent[x] <= INT32_MAX);
        for (int k = 0; k < s->ndim; k++)
            REQUIRE(in->dim[k] >= s->dim[k].min && in->dim[k] <= s->dim[k].max);
        REQUIRE(in->weight >= 0 && in->decl < s->nshape && in->threads >= 1);
        sum += in->weight;
    }
    REQUIRE(sum > 0);
}

/* Everything can be printed. That libconfig refuses what conf_scan accepts must not happen. */
static void check_diag(const Diag *d)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    REQUIRE(f);
    diag_print(d, f);
    fclose(f);
    for (const char *line = out; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int used = 0; /* snippets are indented, so they cannot look like this */
        sscanf(line, "fuzz.cfg:%*d: error: libconfig:%n", &used);
        if (used)
            fputs(out, stderr);
        REQUIRE(!used);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    char *text = arena_alloc(a, size + 1);
    if (size)
        memcpy(text, data, size);
    Source src = { "fuzz.cfg", text, size };
    Spec *spec = spec_parse(a, &src, ops, 1, d);
    REQUIRE((spec == NULL) == (diag_nerror(d) > 0));
    if (spec)
        check_spec(spec);
    last_ninstance = spec ? spec->ninstance : 0;
    check_diag(d);
    check_strings(a, text);
    arena_free(a);
    return 0;
}

#ifndef DCGEN_LIBFUZZER

enum { MAX_FILES = 1000, MAX_BYTES = 4096, MAX_INSTANCES_TO_MUTATE = 10000, GOOD_FACTOR = 10 };

typedef struct {
    char *text;
    size_t len;
} Input;

static uint64_t random_state;

static size_t below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n ? (size_t)(random_state % n) : 0;
}

/* Replaces `cut` bytes at `at` by n bytes of s; the buffer has MAX_BYTES. */
static void replace(char *buf, size_t *len, size_t at, size_t cut, const char *s, size_t n)
{
    if (*len - cut + n > MAX_BYTES)
        return;
    char copy[MAX_BYTES];
    memcpy(copy, s, n); /* s may lie in buf */
    memmove(buf + at + n, buf + at + cut, *len - at - cut);
    memcpy(buf + at, copy, n);
    *len = *len - cut + n;
}

/* Another number in the place of one: the text stays well formed, its meaning changes. */
static void mutate_number(char *buf, size_t *len)
{
    static const char *const numbers[] = {
        "0", "1", "2", "7", "100", "1000", "-1", "2147483647", "2147483648L", "65536", "0.5",
    };
    size_t at = below(*len), end;
    while (at < *len && !(buf[at] >= '0' && buf[at] <= '9'))
        at++;
    for (end = at; end < *len && buf[end] >= '0' && buf[end] <= '9'; end++) {
    }
    const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
    if (end > at)
        replace(buf, len, at, end - at, number, strlen(number));
}

static void mutate_once(char *buf, size_t *len, const Input *other)
{
    static const char *const words[] = {
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        ";",
        ",",
        "=",
        "-",
        "\\",
        "\n",
        "#",
        "/*",
        "*/",
        "//",
        "0",
        "-1",
        "1L",
        "1.5",
        "1e999",
        ".",
        "9223372036854775807",
        "2147483648",
        "0x7fffffff",
        "0xffffffffL",
        "true",
        "@include \"x\"",
        "\"T\"",
        "T",
        "16*T",
        "%",
        "/0",
        "min(",
        "ceil_div(T,0)",
        "&&",
        "||",
        "dims",
        "shapes",
        "weight",
        "name",
        "\xff",
        "\x00",
        "\xc3\xb6",
        "\\x00",
        "\" \"",
    };
    size_t at = below(*len + 1), rest = *len - at, cut = below(rest < 12 ? rest + 1 : 12);
    size_t word = below(sizeof words / sizeof *words), from = below(other->len + 1), n = below(other->len - from + 1);
    char byte = (char)below(256);
    switch (below(8)) {
    case 0:
        replace(buf, len, at, 0, words[word], strlen(words[word]));
        break;
    case 1:
        replace(buf, len, at, cut, words[word], strlen(words[word]));
        break;
    case 2:
        replace(buf, len, at, cut, "", 0);
        break;
    case 3:
        replace(buf, len, at, 0, buf + at, cut);
        break;
    case 4:
        replace(buf, len, at, rest ? 1 : 0, &byte, 1);
        break;
    case 5:
        replace(buf, len, at, cut, other->text + from, n < 40 ? n : 40);
        break;
    default:
        mutate_number(buf, len);
    }
}

static void run_mutations(const Input *in, const Input *all, size_t nall, int n)
{
    for (int i = 0; i < n; i++) {
        char buf[MAX_BYTES];
        size_t len = in->len < MAX_BYTES ? in->len : MAX_BYTES;
        memcpy(buf, in->text, len);
        for (size_t k = 1 + below(4); k > 0; k--)
            mutate_once(buf, &len, &all[below(nall)]);
        LLVMFuzzerTestOneInput((const uint8_t *)buf, len);
    }
}

static int is_spec(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".cfg") == 0;
}

static size_t read_folder(Arena *a, const char *folder, Input *out)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_spec, alphasort), kept = 0;
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%s", folder, entry[i]->d_name);
        if (kept < MAX_FILES && (out[kept].text = text_read_file(a, path, &out[kept].len)))
            kept++;
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return (size_t)kept;
}

int main(int argc, char **argv)
{
    static Input input[MAX_FILES];
    Arena *a = arena_new();
    const char *folder = argc > 1 ? argv[1] : DCGEN_SOURCE_DIR "/tests/gen/spec";
    int mutations = argc > 2 ? atoi(argv[2]) : 40;
    size_t n = read_folder(a, folder, input);
    if (n == 0) {
        fprintf(stderr, "%s: no *.cfg there\n", folder);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        random_state = 0x9E3779B97F4A7C15u * (i + 1);
        LLVMFuzzerTestOneInput((const uint8_t *)input[i].text, input[i].len);
        if (last_ninstance <= MAX_INSTANCES_TO_MUTATE) /* else each run takes long and finds nothing new */
            run_mutations(&input[i], input, n, last_ninstance ? GOOD_FACTOR * mutations : mutations);
    }
    printf("%zu inputs, %d mutations each\n", n, mutations);
    arena_free(a);
    return 0;
}

#endif
