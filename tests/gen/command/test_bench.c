/* SPDX-License-Identifier: Apache-2.0
 *
 * bench, where "cmake" is a script that notes how it is called.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "tests/test.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include "gen/command/command.h"
#include "tests/gen/place.h"
#include "tests/gen/said_by.h"
#include "tests/open_files.h"

static const char *path_before, *tmpdir_before;
static volatile int stop;
static int nopen;

/* Notes its arguments; configuring makes the build folder, building makes the benchmark. */
static const char cmake[] =
    "#!/bin/sh\n"
    "for a; do printf '[%s]' \"$a\"; done >>\"$NOTES\"; echo \" $TMPDIR\" >>\"$NOTES\"\n"
    "[ \"$1\" = \"$FAILS\" ] && { $SAYS; echo bad; printf \"worse$END\" >&2; exit 7; }\n"
    "[ \"$1\" = \"$WAITS\" ] && exec sleep 1000\n"
    "if [ \"$1\" = -S ]; then mkdir \"$4\"; else\n"
    "    printf '#!/bin/sh\\necho ran \"$@\" >>\"$NOTES\"\\n%s\\n' \"$RUN\" >\"$2/tiny_bench\"\n"
    "    chmod +x \"$2/tiny_bench\"\nfi\n";

static int setup(void **state)
{
    nopen = open_files();
    if (place_setup(state))
        return -1;
    path_before = arena_strdup(arena, getenv("PATH"));
    tmpdir_before = getenv("TMPDIR") ? arena_strdup(arena, getenv("TMPDIR")) : NULL;
    static const char *const made[] = { "bin", "tmp", "pkg" };
    for (int i = 0; i < 3; i++)
        assert_int_equal(mkdir(in_root(made[i]), 0700), 0);
    put_program(in_root("bin/cmake"), cmake);
    put("pkg/spec.cfg", "name = \"tiny\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } );\n");
    put("pkg/dispatch.h", "");
    put("pkg/bench.c", "");
    put("pkg/CMakeLists.txt", "# project(other)\nproject(tiny LANGUAGES C)\n");
    setenv("PATH", arena_printf(arena, "%s:%s", in_root("bin"), path_before), 1);
    setenv("TMPDIR", in_root("tmp"), 1);
    setenv("NOTES", in_root("notes"), 1);
    setenv("SAYS", ":", 1);
    setenv("TESTER", arena_printf(arena, "%d", (int)getpid()), 1);
    static const char *const empty[] = { "FAILS", "END", "WAITS", "RUN" };
    for (int i = 0; i < 4; i++)
        setenv(empty[i], "", 1);
    stop = 0;
    return 0;
}

static int teardown(void **state)
{
    setenv("PATH", path_before, 1);
    if (tmpdir_before)
        setenv("TMPDIR", tmpdir_before, 1);
    else
        unsetenv("TMPDIR");
    return place_teardown(state) | (open_files() == nopen ? 0 : -1);
}

static void run_bench(void *ctx)
{
    Run *r = ctx;
    if (bench_package(r))
        r->code = EXIT_DONE;
    else
        run_say(r);
}

/* The exit code; *said: what came on stderr. */
static int bench(const Options *o, const char **said)
{
    Run r = { .a = arena, .o = o, .stop = &stop, .code = EXIT_ENVIRONMENT };
    *said = said_by(run_bench, &r);
    return r.code;
}

static Options options(void)
{
    return (Options){ .command = COMMAND_BENCH, .operand = in_root("pkg"), .cc = "some-cc", .jobs = 3, .quiet = true };
}

static const char *notes(void)
{
    const char *text = text_read_file(arena, in_root("notes"), NULL);
    unlink(in_root("notes"));
    return text ? text : "";
}

/* The temporary folder, which is made again, is empty. */
static void nothing_is_left(void)
{
    assert_int_equal(rmdir(in_root("tmp")), 0);
    assert_int_equal(mkdir(in_root("tmp"), 0700), 0);
}

/* Configured with the compiler that dcgen measures with, built by so many jobs, else by one a core of ours, and run;
 * all in one folder. */
TEST(is_configured_built_and_run)
{
    const char *said, *text;
    Options o = options();
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(root), 0);
    o.operand = "pkg";
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    assert_int_equal(fchdir(here), 0);
    close(here);
    o.operand = in_root("pkg");
    assert_string_equal(said, "");
    text = notes();
    const char *folder = arena_strndup(arena, strchr(text, ' ') + 1, strcspn(strchr(text, ' ') + 1, "\n"));
    assert_int_equal(strncmp(folder, in_root("tmp/"), strlen(in_root("tmp/"))), 0);
    assert_string_equal(
        text, arena_printf(arena,
                           "[-S][%s][-B][%s/build][-DCMAKE_BUILD_TYPE=Release][-DCMAKE_C_COMPILER=some-cc]"
                           "[-DCMAKE_C_FLAGS=] %s\n"
                           "[--build][%s/build][--config][Release][--parallel][3][--target][tiny_bench] %s\nran\n",
                           realpath(in_root("pkg"), arena_alloc(arena, 4096)), folder, folder, folder, folder));
    nothing_is_left();
    o.quiet = false;
    o.jobs = 0;
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    assert_string_equal(said, arena_printf(arena,
                                           "bench builds and runs code that comes with '%s': do it only with a package "
                                           "that you trust\n",
                                           o.operand));
    text = notes();
    cpu_set_t mine, one;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    assert_has(text, arena_printf(arena, "[--parallel][%d]", CPU_COUNT(&mine)));
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    sched_setaffinity(0, sizeof mine, &mine);
    assert_has(notes(), "[--parallel][1]");
}

/* The compiler is called as it was given; where its path means something to CMake, by a link in our folder. */
TEST(odd_paths_become_links)
{
    const char *said;
    Options o = options();
    put("cc", "");
    o.cc = in_root("cc");
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    assert_has(notes(), arena_printf(arena, "[-DCMAKE_C_COMPILER=%s]", realpath(o.cc, arena_alloc(arena, 4096))));
    put("c\xc3\xa4", ""); /* this it takes as it is */
    o.cc = in_root("c\xc3\xa4");
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    assert_has(notes(), "/c\xc3\xa4][-DCMAKE_C_FLAGS");
    put("c;c", "");
    assert_int_equal(rename(in_root("pkg"), in_root("p$g")), 0);
    o.cc = in_root("c;c");
    o.operand = in_root("p$g");
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    const char *text = notes(), *source = strstr(text, "/source][-B]");
    assert_non_null(source);
    assert_null(strpbrk(text, ";$"));
    assert_has(text, "/cc][-DCMAKE_C_FLAGS");
    nothing_is_left();
    assert_int_equal(mkdir(in_root("t;p"), 0700), 0);
    setenv("TMPDIR", in_root("t;p"), 1); /* and another temporary folder */
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    text = notes();
    assert_null(strchr(text, ';'));
    assert_has(text, "[-B][/tmp/");
    assert_int_equal(rmdir(in_root("t;p")), 0);
}

TEST(says_what_failed)
{
    static const struct {
        const char *fails, *run, *message;
        int nran;
    } row[] = { { "-S", "", "bad\nworse\ndcgen: '%s' cannot be configured: cmake exited with code 7\n", 0 },
                { "--build", "", "bad\nworse\ndcgen: '%s' cannot be built: cmake exited with code 7\n", 0 },
                { "", "exit 5", "dcgen: the benchmark of '%s' exited with code 5\n", 1 } };
    const char *said;
    const Options o = options();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        setenv("END", i ? "\\n" : "", 1); /* what ends with a line's end, and what does not */
        setenv("FAILS", row[i].fails, 1);
        setenv("RUN", row[i].run, 1);
        assert_int_equal(bench(&o, &said), EXIT_FAILED);
        const char *want = strchr(row[i].message, '%'), *behind = want + 2;
        assert_string_equal(
            said, arena_printf(arena, "%.*s%s%s", (int)(want - row[i].message), row[i].message, o.operand, behind));
        assert_int_equal(strstr(notes(), "ran\n") != NULL, row[i].nran);
        nothing_is_left();
    }
    setenv("FAILS", "-S", 1);
    setenv("SAYS", "head -c 300000 /dev/zero", 1); /* more than a pipe holds */
    assert_int_equal(bench(&o, &said), EXIT_FAILED);
    setenv("SAYS", "head -c 1 /dev/zero", 1); /* what is behind a NUL is not shown */
    assert_int_equal(bench(&o, &said), EXIT_FAILED);
    assert_int_equal(strncmp(said, "\ndcgen: '", 9), 0);
    setenv("PATH", in_root("tmp"), 1);
    assert_int_equal(bench(&o, &said), EXIT_ENVIRONMENT);
    assert_string_equal(said, "dcgen: cannot start cmake: No such file or directory\n");
    nothing_is_left();
}

static void interrupt(int signal) { stop = 1; }

/* An interrupt ends each of the programs, and what comes behind it is not begun. */
TEST(can_be_interrupted)
{
    static const char *const waits[] = { "-S", "--build" };
    const char *said;
    const Options o = options();
    stop = 1;
    for (int i = 0; i < 2; i++) {
        setenv("WAITS", waits[i], 1);
        assert_int_equal(bench(&o, &said), EXIT_INTERRUPTED);
        assert_string_equal(said, "dcgen: interrupted\n");
        assert_lacks(notes(), "ran\n");
        nothing_is_left();
    }
    stop = 0;
    setenv("WAITS", "", 1);
    setenv("RUN", "kill -USR1 $TESTER; exec sleep 1000", 1);
    void (*before)(int) = signal(SIGUSR1, interrupt);
    assert_int_equal(bench(&o, &said), EXIT_INTERRUPTED);
    assert_string_equal(said, "dcgen: interrupted\n");
    nothing_is_left();
    signal(SIGUSR1, before);
}

TEST(is_a_package_or_is_refused)
{
    static const char *const needed[] = { "pkg/spec.cfg", "pkg/bench.c", "pkg/CMakeLists.txt" };
    static const char *const text[] = { "project(tiny)", "\nproject()\n", "\nproject(2d C)\n", "\nnoproject(tiny)\n" };
    const char *said;
    Options o = options();
    const char *lacks = arena_printf(
        arena, "dcgen: '%s' is not a dcgen package: it lacks spec.cfg, bench.c or CMakeLists.txt\n", o.operand);
    for (int i = 0; i < 4; i++) {
        put("pkg/CMakeLists.txt", text[i]);
        assert_int_equal(bench(&o, &said), EXIT_USAGE);
        assert_string_equal(said, lacks);
    }
    put("pkg/CMakeLists.txt", "\nproject(tiny)");
    assert_int_equal(bench(&o, &said), EXIT_DONE);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rename(in_root(needed[i]), in_root("away")), 0);
        assert_int_equal(bench(&o, &said), EXIT_USAGE);
        assert_string_equal(said, lacks);
        assert_int_equal(rename(in_root("away"), in_root(needed[i])), 0);
    }
    o.operand = in_root("none");
    assert_int_equal(bench(&o, &said), EXIT_USAGE);
    assert_string_equal(
        said, arena_printf(arena, "dcgen: '%s' is not a dcgen package: No such file or directory\n", o.operand));
    o = options();
    o.target = (TextList){ (const char *[]){ "avx2", "avx512", NULL }, 2 };
    assert_int_equal(bench(&o, &said), EXIT_USAGE);
    assert_string_equal(said, "dcgen: --target: the benchmark runs for one target at a time\n");
    o.target.n = 1; /* which needs its records */
    assert_int_equal(bench(&o, &said), EXIT_ENVIRONMENT);
    assert_has(said, "records.jsonl");
}

TEST_EACH(setup, teardown)
