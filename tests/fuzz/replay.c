/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: the main of a fuzzer where no libFuzzer is linked (README.md). It runs the seeds, then mutations of them,
 * always the same; then seeds with a piece that is repeated until they have 64 KiB, which must not take long. It takes
 * the options of libFuzzer that it understands and leaves the others:
 *
 *   replay_spec FILE...               each of them once
 *   fuzz_spec -seed_inputs=@LIST      LIST: a file that names seeds, by commas
 *             -runs=N                 so many mutations (20000), or as many as a second of the processor allows
 *             -artifact_prefix=PREFIX the input under way is in PREFIXinput, and stays there if the program ends over
 *             it
 */
#include <ctype.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_SEEDS = 2000, MAX_BYTES = 1 << 16, MAX_REPEATS = 40 };
static const double most_mutating_s = 1, most_input_s = 2; /* of the processor */

#if defined(DCGEN_SANITIZE_address) || defined(DCGEN_SANITIZE_thread)
static const double slower = 5;
#else
static const double slower = 1;
#endif

typedef struct {
    const char *path, *text;
    size_t len;
} Seed;

typedef struct {
    char text[MAX_BYTES];
    size_t len;
} Input;

static Seed seed[MAX_SEEDS];
static size_t nseed;
static int input_fd = -1;

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static size_t below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n ? (size_t)(random_state % n) : 0;
}

static double cpu_s(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* An input that ends the program, or that a deadline ends it over, is in the file by then. */
static void run(const char *text, size_t len)
{
    if (input_fd >= 0)
        REQUIRE(ftruncate(input_fd, 0) == 0 && pwrite(input_fd, text, len, 0) == (ssize_t)len);
    const double begin_s = cpu_s();
    LLVMFuzzerTestOneInput((const uint8_t *)text, len);
    REQUIRE(cpu_s() - begin_s < most_input_s * slower);
}

/* ---- mutations ---- */

/* Replaces `cut` bytes at `at` by n others, unless that is too long. */
static void splice(Input *in, size_t at, size_t cut, const char *with, size_t n)
{
    static char copy[MAX_BYTES];
    if (in->len - cut + n > MAX_BYTES)
        return;
    memcpy(copy, with, n); /* it may lie in the input */
    memmove(in->text + at + n, in->text + at + cut, in->len - at - cut);
    memcpy(in->text + at, copy, n);
    in->len = in->len - cut + n;
}

static int kind_of(char c)
{
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return 1;
    return c == ' ' || c == '\n' || c == '\t' ? 2 : 0;
}

/* A word, a run of blanks, or one other byte, somewhere in the text. */
static size_t token(const char *text, size_t len, size_t *n)
{
    size_t at = below(len), end = at + 1;
    if (len == 0)
        return *n = 0;
    while (at > 0 && kind_of(text[at]) && kind_of(text[at - 1]) == kind_of(text[at]))
        at--;
    while (end < len && kind_of(text[at]) && kind_of(text[end]) == kind_of(text[at]))
        end++;
    *n = end - at;
    return at;
}

static const char *some_word(size_t *n)
{
    static const char *const word[] = {
        "0",     "1",      "-1",  "65536", "2147483647",  "2147483648",  "9223372036854775807",
        "1e999", "1e-320", "NaN", "null",  "\\u0000",     "\xff",        "\xc3\xb6",
        "/*",    "*/",     "..",  "/",     "(((((((((((", "[[[[[[[[[[[", "\"",
        "\\",    "\r\n"
    };
    const char *chosen = word[below(sizeof word / sizeof *word)];
    *n = strlen(chosen);
    return chosen;
}

/* Another number in the place of one: the text stays well formed, its meaning changes. */
static void mutate_number(Input *in)
{
    static const char *const number[] = { "0",     "1",          "2",          "7",   "100",  "1000", "-1",
                                          "65536", "2147483647", "2147483648", "0.5", "-0.5", "1e9" };
    const char *with = number[below(sizeof number / sizeof *number)];
    size_t at = below(in->len), end;
    while (at < in->len && !isdigit((unsigned char)in->text[at]))
        at++;
    for (end = at; end < in->len && isdigit((unsigned char)in->text[end]);)
        end++;
    if (end > at)
        splice(in, at, end - at, with, strlen(with));
}

static void mutate(Input *in)
{
    const Seed *other = &seed[below(nseed)];
    size_t n, cut, at = token(in->text, in->len, &cut), from = token(other->text, other->len, &n);
    const char byte = (char)below(256), *with = other->text + from;
    switch (below(7)) {
    case 0: /* a byte */
        splice(in, below(in->len + 1), 0, &byte, 1);
        break;
    case 1: /* a piece of another seed */
        n = below(other->len - from + 1);
        splice(in, at, below(2) * cut, with, n < 200 ? n : 200);
        break;
    case 2: /* nothing, from here to there */
        splice(in, at, below(4) ? cut : below(in->len - at + 1), "", 0);
        break;
    case 3: /* what parsers stumble over */
        with = some_word(&n);
        splice(in, at, below(2) * cut, with, n);
        break;
    case 4:
        mutate_number(in);
        break;
    default: /* a word for a word */
        splice(in, at, cut, with, n);
    }
}

static void start_from(Input *in, const Seed *s)
{
    in->len = s->len < MAX_BYTES ? s->len : MAX_BYTES;
    memcpy(in->text, s->text, in->len);
}

static long run_mutations(long most)
{
    static Input in;
    long done = 0;
    for (const double begin_s = cpu_s(); done < most && cpu_s() - begin_s < most_mutating_s; done++) {
        start_from(&in, &seed[(size_t)done % nseed]);
        for (size_t k = 1 + below(2) * below(4); k > 0; k--)
            mutate(&in);
        run(in.text, in.len);
    }
    return done;
}

/* Time must not grow much faster than the text. */
static void run_repeats(void)
{
    static Input in;
    for (size_t i = 0; i < MAX_REPEATS; i++) {
        size_t n;
        start_from(&in, &seed[i % nseed]);
        const size_t at = token(in.text, in.len, &n), more = below(3) ? below(in.len - at - n + 1) : 0;
        const char *piece = in.text + at;
        n = n + more < 300 ? n + more : n;
        while (n > 0 && n < MAX_BYTES && in.len + n <= MAX_BYTES) {
            splice(&in, at, 0, piece, n);
            n = 2 * n <= MAX_BYTES - in.len ? 2 * n : n;
        }
        run(in.text, in.len);
    }
}

/* ---- the program ---- */

static void add_seed(Arena *a, const char *path)
{
    Seed *s = &seed[nseed];
    s->path = path;
    s->text = text_read_file(a, path, &s->len);
    if (!s->text || nseed + 1 == MAX_SEEDS) {
        fprintf(stderr, "%s: %s\n", path, s->text ? "too many seeds" : "cannot be read");
        exit(2);
    }
    nseed++;
}

static void add_list(Arena *a, const char *path)
{
    size_t len;
    char *list = text_read_file(a, path, &len);
    for (char *one = list ? strtok(list, ",\n") : NULL; one; one = strtok(NULL, ",\n"))
        add_seed(a, one);
}

/* What stands behind "-name="; NULL: it is another argument. */
static const char *value_of(const char *argument, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(argument, name, n) == 0 ? argument + n : NULL;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const char *kept = NULL, *value;
    long most = 20000;
    bool mutated = false;
    for (int i = 1; i < argc; i++) {
        if ((value = value_of(argv[i], "-seed_inputs=@"))) {
            mutated = true;
            add_list(a, value);
        } else if ((value = value_of(argv[i], "-artifact_prefix="))) {
            kept = arena_printf(a, "%sinput", value);
        } else if ((value = value_of(argv[i], "-runs="))) {
            most = atol(value);
        } else if (argv[i][0] != '-') {
            add_seed(a, argv[i]);
        }
    }
    if (nseed == 0) {
        fprintf(stderr, "usage: %s FILE... | -seed_inputs=@LIST [-runs=N] [-artifact_prefix=PREFIX]\n", argv[0]);
        return 2;
    }
    if (kept)
        printf("the input under way is in %s\n", kept);
    fflush(stdout);
    input_fd = kept ? open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    for (size_t i = 0; i < nseed; i++)
        run(seed[i].text, seed[i].len);
    printf("%zu seeds", nseed);
    if (mutated) {
        printf(", %ld mutations", run_mutations(most));
        run_repeats();
    }
    printf(", %.1f s\n", cpu_s());
    if (kept)
        unlink(kept);
    arena_free(a);
    return 0;
}
