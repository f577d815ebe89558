/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: every option's value, every error's text, and a usage that fits a terminal.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "tests/test.h"
#include <inttypes.h>
#include <fcntl.h>
#include <unistd.h>
#include "gen/driver/cli.h"

enum { MAX_WORD = 96 };

typedef struct {
    Arena *arena;
    Options o;
    int code;
    char *out, *err;
} Parsed;

/* Parses a line of words; '~' stands for a space within a word, "''" for an empty word. */
static Parsed parse(const char *line)
{
    Parsed p = { .arena = arena_new() };
    char *argv[MAX_WORD + 1] = { 0 };
    int argc = 0;
    size_t nout, nerr;
    char *words = arena_printf(p.arena, "dcgen %s", line);
    for (char *w = strtok(words, " "); w && argc < MAX_WORD; w = strtok(NULL, " ")) {
        for (char *c = w; *c; c++)
            *c = *c == '~' ? ' ' : *c;
        argv[argc++] = strcmp(w, "''") == 0 ? w + 2 : w;
    }
    FILE *out = open_memstream(&p.out, &nout), *err = open_memstream(&p.err, &nerr);
    p.code = cli_parse(p.arena, argc, argv, out, err, &p.o);
    fclose(out);
    fclose(err);
    return p;
}

static void parsed_free(Parsed *p)
{
    free(p->out);
    free(p->err);
    arena_free(p->arena);
}

/* ---- what is understood ---- */

static void add_list(Text *t, const char *name, const TextList *list)
{
    for (int i = 0; i < list->n; i++)
        text_printf(t, "%s%s", i ? "," : arena_printf(t->arena, " %s=", name), list->item[i]);
    assert_true(list->n == 0 || !list->item[list->n]);
}

static void add_number(Text *t, const char *name, int64_t value, int64_t usual)
{
    if (value != usual)
        text_printf(t, " %s=%" PRId64, name, value);
}

static void add_word(Text *t, const char *name, const char *value, const char *usual)
{
    if (value && (!usual || strcmp(value, usual) != 0))
        text_printf(t, " %s=%s", name, value);
}

/* "COMMAND OPERAND", then all that is not as usual. */
static const char *understood(const Parsed *p)
{
    static const char *const command[] = {
        [COMMAND_GENERATE] = "generate", [COMMAND_CHECK] = "check", [COMMAND_EXPLAIN] = "explain",
        [COMMAND_REPLAY] = "replay",     [COMMAND_BENCH] = "bench", [COMMAND_BUILD] = "build",
        [COMMAND_LIMITS] = "limits",     [COMMAND_TRY] = "try"
    };
    const Options *o = &p->o;
    Text t = { .arena = p->arena };
    text_printf(&t, "%s %s", command[o->command], o->operand);
    add_word(&t, "tried", o->tried, NULL);
    add_word(&t, "out", o->out, NULL);
    add_word(&t, "records", o->records, NULL);
    add_word(&t, "builds", o->builds, NULL);
    add_word(&t, "cc", o->cc, "gcc");
    add_word(&t, "cxx", o->cxx, "g++");
    add_word(&t, "nvcc", o->nvcc, NULL);
    add_list(&t, "target", &o->target);
    add_list(&t, "templates", &o->templates);
    add_list(&t, "runner", &o->runner);
    add_number(&t, "jobs", o->jobs, 0);
    add_number(&t, "trials", o->trials, -1);
    add_number(&t, "seconds", o->seconds, -1);
    add_number(&t, "kernels", o->kernels, -1);
    add_number(&t, "code_kib", o->code_kib, -1);
    add_number(&t, "regret", o->regret, -1);
    add_number(&t, "verbose", o->verbose, 0);
    if (o->seed != 1)
        text_printf(&t, " seed=%" PRIu64, o->seed);
    text_printf(&t, "%s%s%s%s%s%s%s", o->offline ? " offline" : "", o->fresh ? " fresh" : "", o->check ? " check" : "",
                o->no_report ? " no_report" : "", o->json ? " json" : "", o->quiet ? " quiet" : "",
                o->force ? " force" : "");
    add_number(&t, "search", o->search, STRATEGY_JOINT);
    add_number(&t, "dump", o->dump, DUMP_NONE);
    add_number(&t, "progress", o->progress, PROGRESS_AUTO);
    add_number(&t, "color", o->color, COLOR_AUTO);
    for (int i = 0; i < o->nbinding; i++)
        text_printf(&t, " %s:%" PRId64, o->binding[i].name, o->binding[i].value);
    return text_str(&t);
}

/* Each option by itself, with words that go where they belong; lists grow, a command line of a runner is replaced. */
TEST(lines_are_understood)
{
    static const char *const rows[][2] = {
        { "a.cfg", "generate a.cfg" },
        { "generate s", "generate s" },
        { "check s", "check s" },
        { "replay s", "replay s" },
        { "replay --check --no-report --templates t p", "replay p templates=t check no_report" },
        { "bench p", "bench p" },
        { "limits s --seconds 3 --records r -t cuda --runner r --nvcc n --cc c --json",
          "limits s records=r cc=c nvcc=n target=cuda runner=r seconds=3 json progress=3" },
        { "build --builds d s", "build s builds=d" },
        { "explain p", "explain p" },
        { "-q check -- -s", "check -s quiet" },
        { "./check", "generate ./check" },
        { "-", "generate -" },
        { "generate check", "generate check" },
        { "generate -o o/x -t avx2,avx512 --target=portable -j4 --trials 10 --seconds=20 --kernels 3 --code-kib 64 "
          "s.cfg --seed 18446744073709551615 --records r.jsonl --fresh --runner one --runner ssh~gpu1~dcgen-runner-c "
          "--templates t1,t2 --cc clang --progress=plain --color never --json --force -qvv",
          "generate s.cfg out=o/x records=r.jsonl cc=clang target=avx2,avx512,portable templates=t1,t2 "
          "runner=ssh,gpu1,dcgen-runner-c jobs=4 trials=10 seconds=20 kernels=3 code_kib=64 verbose=2 "
          "seed=18446744073709551615 fresh json quiet force progress=2 color=2" },
        { "s --cc 1 --cxx 2 --nvcc 3 --records 4 --out 5 --templates a --templates b,c, -t x -ty --offline --no-report",
          "generate s out=5 records=4 cc=1 cxx=2 nvcc=3 target=x,y templates=a,b,c offline no_report" },
        { "explain out/x T=37 long_name=-9223372036854775808 --json N2=0",
          "explain out/x json progress=3 T:37 long_name:-9223372036854775808 N2:0" },
        { "explain p _x=3 a_1=-3", "explain p _x:3 a_1:-3" },
        /* values stand before the spec or behind it; a path may have a "=" in it */
        { "try a/t.c MR=4 NV=-3 ./x=1.cfg", "try ./x=1.cfg tried=a/t.c MR:4 NV:-3" },
        { "try --json a/t.c ./x=1.cfg MR=4 NV=-3 --dump source",
          "try ./x=1.cfg tried=a/t.c json dump=3 progress=3 MR:4 NV:-3" },
        { "try a/t.c MR=4 -t avx2 ./x=1.cfg NV=-3", "try ./x=1.cfg tried=a/t.c target=avx2 MR:4 NV:-3" },
        /* the number may be left out; what is none is an operand */
        { "bench --regret out/x", "bench out/x regret=0" },
        { "bench out/x --regret", "bench out/x regret=0" },
        { "bench --regret 24 out/x", "bench out/x regret=24" },
        { "bench --regret=3 out/x", "bench out/x regret=3" },
        { "bench out/x --regret --json", "bench out/x regret=0 json progress=3" },
        { "s --json --progress bar", "generate s json progress=1" },
    };
    assert_true(PROGRESS_NONE == 3 && PROGRESS_PLAIN == 2 && PROGRESS_BAR == 1 && COLOR_NEVER == 2 && DUMP_SOURCE == 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i][0]);
        assert_string_equal(p.err, "");
        assert_int_equal(p.code, -1);
        assert_string_equal(understood(&p), rows[i][1]);
        parsed_free(&p);
    }
}

/* Each name of a choice is the number of its enum. */
TEST(choices)
{
    static const struct {
        const char *option, *field;
        int first;
        const char *name[9];
    } rows[] = {
        { "search", "search", STRATEGY_JOINT, { "joint", "random", "exhaustive" } },
        { "dump", "dump", DUMP_SPEC, { "spec", "space", "source", "records", "model", "assign", "tree", "trace" } },
        { "progress", "progress", PROGRESS_AUTO, { "auto", "bar", "plain", "none" } },
        { "color", "color", COLOR_AUTO, { "auto", "always", "never" } }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; rows[i].name[k]; k++) {
            char line[64];
            snprintf(line, sizeof line, "s --%s %s", rows[i].option, rows[i].name[k]);
            Parsed p = parse(line);
            const char *want = arena_printf(p.arena, "generate s %s=%d", rows[i].field, rows[i].first + k);
            assert_string_equal(understood(&p), k == 0 && i != 1 ? "generate s" : want);
            parsed_free(&p);
        }
}

static void check_error(const char *line, const char *message)
{
    Parsed p = parse(line);
    assert_string_equal(p.err, arena_printf(p.arena, "dcgen: %s\nTry 'dcgen --help'.\n", message));
    assert_int_equal(p.code, 2);
    assert_string_equal(p.out, "");
    parsed_free(&p);
}

TEST(errors_say_what_was_expected)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        { "", "missing SPEC" },
        { "check", "missing SPEC after check" },
        { "explain", "missing PKG after explain" },
        { "--trails 3 s", "unknown option '--trails'; did you mean '--trials'?" },
        { "--trails=3 s", "unknown option '--trails'; did you mean '--trials'?" },
        { "--wibble s", "unknown option '--wibble'" },
        { "-x s", "unknown option '-x'" },
        { "-qx s", "unknown option '-x'" },
        { "s --out", "--out: missing DIR" },
        { "s -qo", "--out: missing DIR" },
        { "s --out=", "--out: its DIR is empty" },
        { "s --out ''", "--out: its DIR is empty" },
        { "s --json=yes", "--json takes no argument, but got 'yes'" },
        { "s -j 0", "--jobs: '0' is not a whole number from 1 to 1024" },
        { "s -j 1025", "--jobs: '1025' is not a whole number from 1 to 1024" },
        { "s --trials 12x", "--trials: '12x' is not a whole number from 1 to 1000000" },
        { "s --trials ''", "--trials: '' is not a whole number from 1 to 1000000" },
        { "s --trials -3", "--trials: '-3' is not a whole number from 1 to 1000000" },
        { "s --trials 99999999999999999999",
          "--trials: '99999999999999999999' is not a whole number from 1 to 1000000" },
        { "build s", "build: missing --builds DIR, where what it compiles is kept" },
        { "bench p --regret 0", "--regret: '0' is not a whole number from 1 to 100000" },
        { "bench p --regret=", "--regret: '' is not a whole number from 1 to 100000" },
        { "bench p --regret=x", "--regret: 'x' is not a whole number from 1 to 100000" },
        { "s --seed -1", "--seed: '-1' is not a whole number from 0 to 18446744073709551615" },
        { "s --seed 18446744073709551616",
          "--seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615" },
        { "s --progress bra", "--progress: unknown choice 'bra'; did you mean 'bar'?" },
        { "s --color purple", "--color: 'purple' is none of auto|always|never" },
        { "s --target ,", "--target: ',' names nothing" },
        { "s --runner ~", "--runner: ' ' names nothing" },
        { "a b", "too many operands: 'b'" },
        { "check a b", "too many operands: 'b'" },
        { "chek a", "unknown command 'chek'; did you mean 'check'?" },
        { "check p T=3", "too many operands: 'T=3'" },
        { "bench p T=3", "too many operands: 'T=3'" },
        { "generate -o x --fresh -qv", "missing SPEC after generate" },
        { "explain p T=1 T=2", "'T' is given twice" },
        { "check --check s", "--check is no option of 'check'; it goes with replay --check" },
        { "limits s --trials 3", "--trials is no option of 'limits'; it goes with generate, build, --dump" },
        { "--check s", "--check is no option of 'generate'; it goes with replay --check" },
        { "replay --check p -o x", "--out is no option of 'replay --check'; it goes with generate, replay, import" },
        { "explain p --dump tree --records x",
          "--records is no option of 'explain --dump'; it goes with generate, replay, limits, try, --dump" },
        { "replay --check p --dump tree", "--check is no option of '--dump'; it goes with replay --check" },
        { "try", "missing TEMPLATE after try" },
        { "try t MR=4", "missing SPEC after try t" },
        { "try t s u", "too many operands: 'u'" },
        { "try t MR= s", "'MR=' is not NAME=VALUE with a whole number, such as T=37" },
        { "try t MR=1 s MR=1", "'MR' is given twice" },
        { "try t s --dump tree", "--dump of that stage is no option of 'try', which has the source alone" },
        { "s --offline --fresh", "--offline measures nothing and --fresh everything: choose one" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_error(rows[i].line, rows[i].message);
    static const char *const no_value[] = { "T=",    "T=-",   "T=+3", "T=~3", "T=3~",
                                            "a-b=3", "T=3.5", "3=3",  "=3",   "T=9223372036854775808" };
    for (size_t i = 0; i < LENGTH(no_value); i++) {
        char line[64], message[128];
        snprintf(line, sizeof line, "explain p %s", no_value[i]);
        snprintf(message, sizeof message, "'%s' is not NAME=VALUE with a whole number, such as T=37", no_value[i]);
        for (char *c = message; *c; c++)
            *c = *c == '~' ? ' ' : *c;
        check_error(line, message);
    }
}

/* One letter a way to run dcgen, '.' where it refuses the option. */
TEST(options_go_with_their_commands)
{
    static const char *const line[] = { "generate s",
                                        "check s",
                                        "explain p T=1",
                                        "replay s",
                                        "bench p",
                                        "build --builds d s",
                                        "replay --check p",
                                        "bench --regret 3 p",
                                        "replay --dump tree s",
                                        "explain p --dump tree",
                                        "try p s" };
    static const struct {
        const char *option, *modes;
    } rows[] = {
        { "-o x", "g..r......." },
        { "--force", "g..r......." },
        { "-t avx2", "gcerbu.RdDt" },
        { "-j 2", "g...bu.R..t" },
        { "--trials 3", "g....u..d.." },
        { "--seconds 3", "g.......d.." },
        { "--kernels 3", "g..r....d.." },
        { "--code-kib 3", "g..r....d.." },
        { "--search random", "g.......dD." },
        { "--seed 3", "g....u.RdDt" },
        { "--records x", "g..r....d.t" },
        { "--builds x", "g....u.R..." },
        { "--offline", "g.........." },
        { "--fresh", "g.........." },
        { "--no-report", "g..r..C...." },
        { "--runner x", "gc.....RdDt" },
        { "--templates x", "gcer.uCRdDt" },
        { "--cc x", "g...bu.RdDt" },
        { "--cxx x", "g.......dDt" },
        { "--nvcc x", "gc...u.RdDt" },
        { "--dump spec", "gcerb...dD." },
        { "--progress bar", "g....u....." },
        { "--color never", "gcerbuCRdDt" },
        { "--json", "gcerbuCRdDt" },
        { "-q", "gcerbuCRdDt" },
        { "-v", "gc.r......." },
        { "--regret 2", "....b..R..." },
        { "--check", "...r..C...." },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
            char both[128];
            snprintf(both, sizeof both, "%s %s", line[k], rows[i].option);
            Parsed p = parse(both);
            if (p.code != (rows[i].modes[k] == '.' ? 2 : -1))
                fail_msg("dcgen %s: code %d, %s", both, p.code, p.err);
            if (p.code == 2)
                assert_has(p.err, " is no option of '");
            parsed_free(&p);
        }
}

TEST(version)
{
    Parsed p = parse("--version");
    assert_int_equal(p.code, 0);
    assert_string_equal(p.out, "dcgen 0.1.0\n");
    assert_string_equal(p.err, "");
    parsed_free(&p);
}

/* Every "--option" of the usage stands in the manual as ".It ... Fl Fl option". */
TEST(manual_has_every_option)
{
    Parsed p = parse("--help");
    const char *manual = text_read_file(p.arena, DCGEN_SOURCE_DIR "/man/dcgen.1", &(size_t){ 0 });
    int noption = 0;
    assert_non_null(manual);
    for (const char *s = strstr(p.out, "\nOptions"); (s = strchr(s, '\n')) && s < strstr(p.out, "\nExamples:");) {
        const size_t indent = strspn(++s, " "); /* more: the help of one, wrapped */
        s += indent <= strlen("  -o, ") ? indent : 0;
        s += strncmp(s, "--", 2) != 0 && s[0] == '-' ? strlen("-o, ") : 0;
        const int n = (int)strspn(s, "abcdefghijklmnopqrstuvwxyz-");
        if (strncmp(s, "--", 2) != 0)
            continue;
        assert_has(manual, arena_printf(p.arena, "Fl Fl %.*s", n - 2, s + 2));
        noption++;
    }
    assert_int_equal(noption, 33);
    parsed_free(&p);
}

/* The last number that each option takes, and the first that it refuses; where it goes. */
TEST(borders_of_numbers)
{
    static const struct {
        const char *command, *option;
        int most;
    } rows[] = { { "", "jobs", 1024 },   { "", "trials", 1000000 },   { "", "seconds", 1000000 },
                 { "", "kernels", 256 }, { "", "code-kib", 1048576 }, { "bench ", "regret", 100000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 4; k++) {
            const int given = k == 0 ? 0 : k == 1 ? 1 : rows[i].most + k - 2;
            char line[64];
            snprintf(line, sizeof line, "%ss --%s %d", rows[i].command, rows[i].option, given);
            Parsed p = parse(line);
            const int got[] = { p.o.jobs, p.o.trials, p.o.seconds, p.o.kernels, p.o.code_kib, p.o.regret };
            assert_int_equal(p.code, k % 3 == 0 ? 2 : -1);
            if (k % 3 != 0)
                for (int n = 0; n < 6; n++)
                    assert_int_equal(got[n], n == (int)i ? given : n == 0 ? 0 : -1);
            parsed_free(&p);
        }
}

TEST(so_many_values)
{
    char line[1024] = "explain p";
    for (int i = 1; i <= 65; i++) {
        sprintf(line + strlen(line), " a%d=%d", i, i);
        Parsed p = parse(line);
        if (i <= 64)
            assert_true(p.code == -1 && p.o.nbinding == i && p.o.binding[i - 1].value == i);
        else
            assert_string_equal(p.err, "dcgen: more than 64 values given\nTry 'dcgen --help'.\n");
        parsed_free(&p);
    }
}

/* Help stands in a column of its own, is broken before 80, and names an option's commands. What stands beside --help is
 * not looked at. */
TEST(help_is_laid_out)
{
    Parsed p = parse("check s -h --nonsense");
    assert_int_equal(p.code, 0);
    assert_string_equal(p.err, "");
    assert_has_all(p.out, "Usage: dcgen [COMMAND] [OPTION...] SPEC|PKG [NAME=VALUE...]\n",
                   "\nCommands:\n  generate SPEC           search, then write the package (the default)\n",
                   "\n  check SPEC ",
                   "\n  explain PKG T=37 ...    say which kernel a package takes for a shape, and why\n",
                   "\n  replay SPEC", "\n  bench PKG ", "\n  build SPEC ", "\n  limits SPEC ",
                   "\n  -o, --out DIR           write the package to DIR (default: out/NAME); import:\n"
                   "                          the spec and the weights (default: beside MODEL)\n"
                   "                          [generate, replay, import]\n",
                   "\n  import MODEL ", "\n      --json              print results and messages as JSON\n",
                   "--progress auto|bar|plain|none",
                   "\n      --search joint|random|exhaustive\n"
                   "                          which kernels to measure: ",
                   "\n      --fresh             ignore what is recorded: measure everything anew\n"
                   "                          [generate]\n",
                   "\n  -h, --help              print this\n\nExamples:\n", "130 interrupted");
    assert_lacks(p.out, " \n");
    for (const char *line = p.out; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("too long: %.*s", (int)strcspn(line, "\n"), line);
    parsed_free(&p);
}

TEST(color_follows_the_terminal_and_the_wish)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(!cli_color(COLOR_AUTO, file) && cli_color(COLOR_ALWAYS, file) && !cli_color(COLOR_NEVER, file));
    fclose(file);
    static const struct {
        const char *none, *term;
        bool color;
    } rows[] = { { NULL, "xterm", true },
                 { "", "xterm", true },
                 { "1", "xterm", false },
                 { NULL, "dumb", false },
                 { NULL, NULL, false } };
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    FILE *to = fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 ? fopen(ptsname(fd), "r+") : NULL;
    if (!to || !isatty(fileno(to)))
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].none ? setenv("NO_COLOR", rows[i].none, 1) : unsetenv("NO_COLOR");
        rows[i].term ? setenv("TERM", rows[i].term, 1) : unsetenv("TERM");
        assert_int_equal(cli_color(COLOR_AUTO, to), rows[i].color);
        assert_false(cli_color(COLOR_NEVER, to));
    }
    none ? setenv("NO_COLOR", none, 1) : unsetenv("NO_COLOR");
    term ? setenv("TERM", term, 1) : unsetenv("TERM");
    fclose(to);
    close(fd);
}

/* Also where --json stands behind what is wrong, but not where it is an operand. */
TEST(errors_are_json_too)
{
    static const struct {
        const char *line;
        bool json;
    } rows[] = { { "--wibble s --json", true },
                 { "--json", true },
                 { "a b --json", true },
                 { "a -- b --json", false },
                 { "a b", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        assert_int_equal(p.code, 2);
        assert_int_equal(strncmp(p.err, "{\"severity\":\"error\",\"file\":null,", 32) == 0, rows[i].json);
        parsed_free(&p);
    }
}
