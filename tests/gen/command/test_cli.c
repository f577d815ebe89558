/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: every option's value, every error's text, and a usage that fits a terminal.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "gen/command/cli.h"

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

TEST(defaults)
{
    Parsed p = parse("a.cfg");
    assert_int_equal(p.code, -1);
    assert_int_equal(p.o.command, COMMAND_GENERATE);
    assert_string_equal(p.o.operand, "a.cfg");
    assert_null(p.o.out);
    assert_null(p.o.records);
    assert_string_equal(p.o.cc, "gcc");
    assert_int_equal(p.o.jobs, 0);
    assert_int_equal(p.o.trials, -1);
    assert_int_equal(p.o.seconds, -1);
    assert_int_equal(p.o.kernels, -1);
    assert_int_equal(p.o.code_kib, -1);
    assert_int_equal(p.o.seed, 1);
    assert_int_equal(p.o.target.n + p.o.templates.n + p.o.runner.n, 0);
    assert_false(p.o.offline || p.o.fresh || p.o.check || p.o.no_report || p.o.json || p.o.quiet);
    assert_int_equal(p.o.verbose, 0);
    assert_int_equal(p.o.dump, DUMP_NONE);
    assert_int_equal(p.o.progress, PROGRESS_AUTO);
    assert_int_equal(p.o.color, COLOR_AUTO);
    parsed_free(&p);
}

TEST(every_option)
{
    Parsed p =
        parse("generate -o o/x -t avx2,avx512 --target=portable -j4 --trials 10 --seconds=20 --kernels 3 --code-kib 64 "
              "--seed 18446744073709551615 --records r.jsonl --fresh --runner ssh~gpu1~dcgen-runner-c "
              "--templates t1,t2 --cc clang --progress=plain --color never --force -qvv");
    assert_int_equal(p.code, 2);
    assert_string_equal(p.err, "dcgen: missing SPEC after generate\nTry 'dcgen --help'.\n");
    parsed_free(&p);

    p = parse(
        "generate -o o/x -t avx2,avx512 --target=portable -j4 --trials 10 --seconds=20 --kernels 3 --code-kib 64 s.cfg "
        "--seed 18446744073709551615 --records r.jsonl --fresh --runner one --runner ssh~gpu1~dcgen-runner-c "
        "--templates t1,t2 --cc clang --progress=plain --color never --json --force -qvv");
    assert_int_equal(p.code, -1);
    assert_string_equal(p.o.operand, "s.cfg");
    assert_string_equal(p.o.out, "o/x");
    assert_int_equal(p.o.target.n, 3);
    assert_string_equal(p.o.target.item[1], "avx512");
    assert_string_equal(p.o.target.item[2], "portable");
    assert_null(p.o.target.item[3]);
    assert_int_equal(p.o.jobs, 4);
    assert_int_equal(p.o.trials, 10);
    assert_int_equal(p.o.seconds, 20);
    assert_int_equal(p.o.kernels, 3);
    assert_int_equal(p.o.code_kib, 64);
    assert_true(p.o.seed == UINT64_MAX);
    assert_string_equal(p.o.records, "r.jsonl");
    assert_true(p.o.fresh && p.o.json && p.o.quiet && p.o.force && !p.o.offline);
    assert_int_equal(p.o.runner.n, 3);
    assert_string_equal(p.o.runner.item[0], "ssh");
    assert_string_equal(p.o.runner.item[2], "dcgen-runner-c");
    assert_null(p.o.runner.item[3]);
    assert_int_equal(p.o.templates.n, 2);
    assert_string_equal(p.o.cc, "clang");
    assert_int_equal(p.o.progress, PROGRESS_PLAIN);
    assert_int_equal(p.o.color, COLOR_NEVER);
    assert_int_equal(p.o.verbose, 2);
    parsed_free(&p);

    p = parse("s.cfg --dump tree");
    assert_int_equal(p.o.dump, DUMP_TREE);
    parsed_free(&p);
}

TEST(commands)
{
    static const struct {
        const char *line;
        Command command;
        const char *operand;
    } rows[] = {
        { "generate s", COMMAND_GENERATE, "s" },
        { "check s", COMMAND_CHECK, "s" },
        { "replay s", COMMAND_REPLAY, "s" },
        { "replay --check --no-report --templates t p", COMMAND_REPLAY, "p" },
        { "bench p", COMMAND_BENCH, "p" },
        { "limits s --seconds 3 --records r -t cuda --runner r --nvcc n --cc c --json", COMMAND_LIMITS, "s" },
        { "build --builds d s", COMMAND_BUILD, "s" },
        { "explain p", COMMAND_EXPLAIN, "p" },
        { "-q check -- -s", COMMAND_CHECK, "-s" },
        { "./check", COMMAND_GENERATE, "./check" },
        { "-", COMMAND_GENERATE, "-" },
        { "generate check", COMMAND_GENERATE, "check" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        assert_int_equal(p.code, -1);
        assert_int_equal(p.o.command, rows[i].command);
        assert_string_equal(p.o.operand, rows[i].operand);
        parsed_free(&p);
    }
}

TEST(explain_takes_bindings)
{
    Parsed p = parse("explain out/x T=37 long_name=-9223372036854775808 --json N2=0");
    assert_int_equal(p.code, -1);
    assert_int_equal(p.o.nbinding, 3);
    assert_string_equal(p.o.binding[0].name, "T");
    assert_int_equal(p.o.binding[0].value, 37);
    assert_string_equal(p.o.binding[1].name, "long_name");
    assert_true(p.o.binding[1].value == INT64_MIN);
    assert_string_equal(p.o.binding[2].name, "N2");
    assert_true(p.o.json);
    parsed_free(&p);
}

/* The number may be left out; what is none is an operand. */
/* Values stand before the spec or behind it; a path may have a "=" in it. */
TEST(try_takes_a_template_values_and_a_spec)
{
    static const char *const line[] = { "try a/t.c MR=4 NV=-3 ./x=1.cfg",
                                        "try --json a/t.c ./x=1.cfg MR=4 NV=-3 --dump source",
                                        "try a/t.c MR=4 -t avx2 ./x=1.cfg NV=-3" };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        Parsed p = parse(line[i]);
        assert_int_equal(p.code, -1);
        assert_int_equal(p.o.command, COMMAND_TRY);
        assert_string_equal(p.o.tried, "a/t.c");
        assert_string_equal(p.o.operand, "./x=1.cfg");
        assert_int_equal(p.o.nbinding, 2);
        assert_string_equal(p.o.binding[0].name, "MR");
        assert_int_equal(p.o.binding[1].value, -3);
        parsed_free(&p);
    }
}

TEST(regret_takes_a_number_or_nothing)
{
    static const struct {
        const char *line;
        int regret;
    } rows[] = { { "bench out/x", -1 },           { "bench --regret out/x", 0 },
                 { "bench out/x --regret", 0 },   { "bench --regret 24 out/x", 24 },
                 { "bench --regret=3 out/x", 3 }, { "bench out/x --regret --json", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        assert_int_equal(p.code, -1);
        assert_int_equal(p.o.regret, rows[i].regret);
        assert_string_equal(p.o.operand, "out/x");
        parsed_free(&p);
    }
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
        { "explain p 2T", "'2T' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p T=", "'T=' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p T=-", "'T=-' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p T=3.5", "'T=3.5' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p 3=3", "'3=3' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p =3", "'=3' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p T=9223372036854775808",
          "'T=9223372036854775808' is not NAME=VALUE with a whole number, such as T=37" },
        { "explain p T=1 T=2", "'T' is given twice" },
        { "check --check s", "--check is no option of 'check'; it goes with replay --check" },
        { "limits s --trials 3", "--trials is no option of 'limits'; it goes with generate, build, --dump" },
        { "--check s", "--check is no option of 'generate'; it goes with replay --check" },
        { "replay --check p -o x", "--out is no option of 'replay --check'; it goes with generate, replay" },
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        char want[512];
        snprintf(want, sizeof want, "dcgen: %s\nTry 'dcgen --help'.\n", rows[i].message);
        assert_string_equal(p.err, want);
        assert_int_equal(p.code, 2);
        assert_string_equal(p.out, "");
        parsed_free(&p);
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
                assert_non_null(strstr(p.err, " is no option of '"));
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

TEST(help_fits_80_columns_and_names_everything)
{
    static const char *const names[] = {
        "generate SPEC",   "check SPEC",  "explain PKG",   "replay SPEC",  "bench PKG",
        "-o, --out DIR",   "build SPEC",  "--builds DIR",  "-t, --target", "-j, --jobs",
        "--trials",        "--seconds",   "--seed",        "--records",    "--offline",
        "--fresh",         "--runner",    "--templates",   "--dump",       "--progress auto|bar|plain|none",
        "--json",          "-q, --quiet", "-v, --verbose", "--version",    "-h, --help",
        "--kernels",       "--code-kib",  "--cc",          "--color",      "Examples:",
        "130 interrupted", "limits SPEC",
    };
    Parsed p = parse("check s -h --nonsense");
    assert_int_equal(p.code, 0);
    assert_string_equal(p.err, "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(p.out, names[i]))
            fail_msg("the usage does not name '%s'", names[i]);
    for (const char *line = p.out; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("too long: %.*s", (int)strcspn(line, "\n"), line);
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
        if (!strstr(manual, arena_printf(p.arena, "Fl Fl %.*s", n - 2, s + 2)))
            fail_msg("the manual lacks %.*s", n, s);
        noption++;
    }
    assert_int_equal(noption, 30);
    parsed_free(&p);
}

TEST(color_follows_the_terminal_and_the_wish)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_false(cli_color(COLOR_AUTO, file));
    assert_true(cli_color(COLOR_ALWAYS, file));
    assert_false(cli_color(COLOR_NEVER, file));
    fclose(file);
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

/* Each name of a choice, in the order of its enum. */
TEST(choices)
{
    static const struct {
        const char *line;
        int search, dump, progress, color;
    } rows[] = {
        { "s --search joint", STRATEGY_JOINT, 0, 0, 0 },
        { "s --search random", STRATEGY_RANDOM, 0, 0, 0 },
        { "s --search exhaustive", STRATEGY_EXHAUSTIVE, 0, 0, 0 },
        { "s --dump spec", 0, DUMP_SPEC, 0, 0 },
        { "s --dump space", 0, DUMP_SPACE, 0, 0 },
        { "s --dump source", 0, DUMP_SOURCE, 0, 0 },
        { "s --dump records", 0, DUMP_RECORDS, 0, 0 },
        { "s --dump model", 0, DUMP_MODEL, 0, 0 },
        { "s --dump assign", 0, DUMP_ASSIGN, 0, 0 },
        { "s --dump tree", 0, DUMP_TREE, 0, 0 },
        { "s --dump trace", 0, DUMP_TRACE, 0, 0 },
        { "s --progress auto", 0, 0, PROGRESS_AUTO, 0 },
        { "s --progress bar", 0, 0, PROGRESS_BAR, 0 },
        { "s --progress plain", 0, 0, PROGRESS_PLAIN, 0 },
        { "s --progress none", 0, 0, PROGRESS_NONE, 0 },
        { "s --json", 0, 0, PROGRESS_NONE, 0 },
        { "s --json --progress bar", 0, 0, PROGRESS_BAR, 0 },
        { "s --color auto", 0, 0, 0, COLOR_AUTO },
        { "s --color always", 0, 0, 0, COLOR_ALWAYS },
        { "s --color never", 0, 0, 0, COLOR_NEVER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        assert_int_equal(p.code, -1);
        assert_int_equal(p.o.search, rows[i].search);
        assert_int_equal(p.o.dump, rows[i].dump);
        assert_int_equal(p.o.progress, rows[i].progress);
        assert_int_equal(p.o.color, rows[i].color);
        parsed_free(&p);
    }
}

/* Words go where they belong; lists grow, a command line is replaced. */
TEST(words)
{
    Parsed p = parse(
        "s --cc 1 --cxx 2 --nvcc 3 --records 4 --out 5 --templates a --templates b,c, -t x -ty --offline --no-report");
    assert_int_equal(p.code, -1);
    assert_string_equal(p.o.cc, "1");
    assert_string_equal(p.o.cxx, "2");
    assert_string_equal(p.o.nvcc, "3");
    assert_string_equal(p.o.records, "4");
    assert_string_equal(p.o.out, "5");
    assert_int_equal(p.o.templates.n, 3);
    assert_string_equal(p.o.templates.item[2], "c");
    assert_null(p.o.templates.item[3]);
    assert_int_equal(p.o.target.n, 2);
    assert_string_equal(p.o.target.item[1], "y");
    assert_true(p.o.offline && p.o.no_report && !p.o.fresh && !p.o.force && !p.o.check && !p.o.json && !p.o.quiet);
    parsed_free(&p);
    p = parse("s");
    assert_string_equal(p.o.cxx, "g++");
    assert_null(p.o.nvcc);
    assert_int_equal(p.o.regret, -1);
    assert_int_equal(p.o.search, STRATEGY_JOINT);
    parsed_free(&p);
    p = parse("replay --check p");
    assert_true(p.o.check);
    parsed_free(&p);
}

TEST(bindings_of_every_form)
{
    char line[1024] = "explain p";
    for (int i = 1; i <= 65; i++) {
        sprintf(line + strlen(line), " a%d=%d", i, i);
        Parsed p = parse(line);
        assert_int_equal(p.code, i <= 64 ? -1 : 2);
        if (i <= 64)
            assert_true(p.o.nbinding == i && p.o.binding[i - 1].value == i);
        else
            assert_string_equal(p.err, "dcgen: more than 64 values given\nTry 'dcgen --help'.\n");
        parsed_free(&p);
    }
    static const struct {
        const char *line;
        int code;
    } rows[] = { { "explain p _x=3", -1 }, { "explain p a_1=-3", -1 }, { "explain p a-b=3", 2 },
                 { "explain p a.b=3", 2 }, { "explain p T=+3", 2 },    { "explain p T=~3", 2 },
                 { "explain p T=3~", 2 },  { "explain p 1a=3", 2 },    { "explain p", -1 },
                 { "check p T=3", 2 },     { "bench p T=3", 2 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Parsed p = parse(rows[i].line);
        if (p.code != rows[i].code)
            fail_msg("%s: code %d", rows[i].line, p.code);
        parsed_free(&p);
    }
}

/* Help stands in a column of its own, is broken before 80, and names commands where an option does not go with all. */
TEST(help_is_laid_out)
{
    static const char *const part[] = {
        "Usage: dcgen [COMMAND] [OPTION...] SPEC|PKG [NAME=VALUE...]\n",
        "\nCommands:\n  generate SPEC           search, then write the package (the default)\n",
        "\n  explain PKG T=37 ...    say which kernel a package takes for a shape, and why\n",
        "\n  -o, --out DIR           write the package to DIR (default: out/NAME)\n"
        "                          [generate, replay]\n",
        "\n      --json              print results and messages as JSON\n",
        "\n      --search joint|random|exhaustive\n"
        "                          which kernels to measure: ",
        "\n      --fresh             ignore what is recorded: measure everything anew\n"
        "                          [generate]\n",
        "\n  -h, --help              print this\n\nExamples:\n",
    };
    Parsed p = parse("-h");
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (!strstr(p.out, part[i]))
            fail_msg("no\n%sin\n%s", part[i], p.out);
    assert_null(strstr(p.out, " \n"));
    parsed_free(&p);
}

TEST(color_on_a_terminal)
{
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
