/* SPDX-License-Identifier: Apache-2.0
 *
 * compile: what becomes of texts, good and bad, and of compilers that fail, hang or lack something: whose fault it is,
 * and what is said of it. And how much code an object has, be it torn.
 */
#include "tests/test.h"
#include "tests/search/build/build_place.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "gen/base/text.h"
#include "search/build/compile.h"

#if defined(__x86_64__)
/* Sixteen registers for 20 sums: some of them live on the stack. The folder keeps no assembly. */
TEST(spills_are_told)
{
    Builder *b = new_builder("gcc", 60);
    static const char pattern[] =
        "typedef float v __attribute__((vector_size(16)));\n"
        "void f(v *x, long n)\n{\n    v s[%d] = {0};\n    for (; n > 0; n--)\n"
        "#pragma GCC unroll 32\n        for (int i = 0; i < %d; i++)\n            s[i] += x[n] * x[n + i];\n"
        "#pragma GCC unroll 32\n    for (int i = 0; i < %d; i++)\n        x[i] = s[i];\n}\n";
    Build one[2] = { { .name = "few", .text = arena_printf(w->a, pattern, 8, 8, 8) },
                     { .name = "many", .text = arena_printf(w->a, pattern, 20, 20, 20) } };
    build_all(b, w->a, one, 2, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(one[i].status, STATUS_OK);
        assert_int_equal(one[i].spills.loops, 1);
        assert_int_equal(one[i].spills.multiplications, i ? 20 : 8);
    }
    assert_int_equal(one[0].spills.stored + one[0].spills.loaded, 0);
    assert_in_range(one[1].spills.stored, 3, 60);
    char *assembly = arena_strdup(w->a, one[1].so);
    memcpy(strrchr(assembly, '.'), ".s", 3);
    assert_int_not_equal(access(assembly, F_OK), 0);
    builder_free(b);
}
#endif

TEST(bad_texts)
{
    Builder *b = new_builder("gcc", 60);
    Build bad[] = {
        { .name = "syntax", .text = "int f(void) { return 1 }\n" },
        { .name = "../up", .text = add_text },
        { .name = "good", .text = add_text },
        { .name = "include", .text = "#include \"no_such_file.h\"\n" },
    };
    build_all(b, w->a, bad, 4, NULL);
    assert_int_equal(bad[0].status, STATUS_BUILD_FAILED);
    assert_ptr_equal(strstr(bad[0].why, "syntax.c:1:"), bad[0].why); /* the folder is cut off */
    assert_non_null(strstr(bad[0].why, "error: expected ';'"));
    assert_null(bad[0].so);
    assert_int_equal(bad[1].status, STATUS_BUILD_FAILED);
    assert_int_equal(bad[2].status, STATUS_OK);
    assert_int_equal(bad[3].status, STATUS_BUILD_FAILED);
    assert_non_null(strstr(bad[3].why, "no_such_file.h"));
    builder_free(b);
}

/* What becomes of a strange text and of a good one with a compiler that does `body`. */
static void build_two(const char *body, double deadline_s, Build two[2])
{
    char *cc = strange_compiler(body);
    Builder *b = new_builder(cc, deadline_s);
    two[0] = (Build){ .name = "one", .text = "int strange; /* STRANGE */" };
    two[1] = (Build){ .name = "good", .text = add_text };
    build_all(b, w->a, two, 2, NULL);
    assert_int_equal(two[1].status, STATUS_OK);
    builder_free(b);
    unlink(cc);
}

TEST(hanging_compiler)
{
    Build two[2];
    build_two("exec sleep 100", 1, two);
    assert_int_equal(two[0].status, STATUS_TIMED_OUT);
    assert_string_equal(two[0].why, "killed after 1 s");
}

/* A compiler that does `body` makes nothing, and this is said of it. */
static void check_fails(const char *body, const char *why)
{
    Build two[2];
    build_two(body, 60, two);
    assert_int_equal(two[0].status, STATUS_BUILD_FAILED);
    assert_string_equal(two[0].why, why);
    assert_null(strstr(two[0].log, "/dcgen-")); /* no temporary folder */
}

TEST(crashing_compiler) { check_fails("kill -SEGV $$", "the compiler was killed by SIGSEGV"); }

/* An undefined name, or else an error, or else the first line; as plain text, so long, and without the folder. */
TEST(the_line_that_says_most)
{
    char text[400], longest[301] = "";
    memset(text, 'e', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memset(longest, 'e', sizeof longest - 1);
    const char *const rows[][2] = {
        { "a.c: no error yet\na.c:1: error: first\na.c:2: error: second\n", "a.c:1: error: first" },
        { "a.c:1: error: x\nld: undefined reference to `f'\n", "ld: undefined reference to `f'" },
        { "errors are near\na.c:1: fatal error: y\n", "a.c:1: fatal error: y" },
        { "\nwarning\nan error", "an error" },
        { "\nwarning\nand another\n", "warning" },
        { "tab\there \303\251 \177~", "tab?here ?? ?~" },
        { "error in FOLDER/a.c, FOLDER/b.c, FOLDERx/c.c", "error in a.c, b.c, FOLDERx/c.c" },
        { text, longest },
        { "", "the compiler exited with code 1" },
    };
    const char *say = arena_printf(w->a, "%s/say", w->folder);
    char *cc = strange_compiler(arena_printf(w->a, "sed \"s:FOLDER:$TMPDIR:g\" %s >&2; exit 1", say));
    Builder *b = new_builder(cc, 60);
    Build good = { .name = "good", .text = add_text };
    build_all(b, w->a, &good, 1, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_file(say, rows[i][0]);
        Build one = { .name = "one", .text = "/* STRANGE */" };
        build_all(b, w->a, &one, 1, NULL);
        const char *folder = strstr(rows[i][1], "FOLDER"), *want = rows[i][1];
        if (folder)
            want = arena_printf(w->a, "%.*s%.*s%s", (int)(folder - want), want, (int)(strrchr(good.so, '/') - good.so),
                                good.so, folder + strlen("FOLDER"));
        assert_string_equal(one.why, want);
        assert_int_equal(one.status, STATUS_BUILD_FAILED);
    }
    builder_free(b);
    unlink(cc);
    unlink(say);
}

/* A compiler that the system kills, as it does when memory is short, or that fails because the machine lacked
 * something, gets a second chance, alone. */
TEST(second_chances)
{
    static const char *const ends[] = { "kill -KILL $$", "echo 'as: Too many open files' >&2; exit 1" };
    char *mark = arena_printf(w->a, "%s/once", w->folder);
    for (size_t i = 0; i < LENGTH(ends); i++) {
        Build two[2];
        build_two(arena_printf(w->a, "[ -e %s ] || { touch %s; %s; }", mark, mark, ends[i]), 60, two);
        assert_int_equal(unlink(mark), 0);
        assert_int_equal(two[0].status, STATUS_OK);
        assert_int_equal(two[0].blame, BLAME_CANDIDATE);
    }
}

/* What the machine lacks is no fault of the text, even when it lacks it twice; what a compiler says of the text is. */
TEST(whose_fault_it_is)
{
    static const struct {
        const char *body;
        Blame blame;
        const char *why;
    } cases[] = {
        { "echo 'gcc: fatal error: Killed signal terminated program cc1' >&2; exit 1", BLAME_MOMENT, "Killed signal" },
        { "kill -KILL $$", BLAME_MOMENT, "killed by SIGKILL" },
        { "echo one.c: note; echo 'cc1: out of memory allocating 65536 bytes' >&2; exit 1", BLAME_MOMENT,
          "cc1: out of memory" },
        { "echo 'a.c:1:1: error: x' >&2; echo 'ld: final link failed: No space left on device' >&2; exit 1",
          BLAME_MACHINE, "ld: final link failed: No space left on device" },
        { "kill -XFSZ $$", BLAME_MACHINE, "killed by SIGXFSZ" },
        { "echo 'gcc: fatal error: cannot execute cc1: vfork: Resource temporarily unavailable' >&2; exit 1",
          BLAME_MACHINE, "vfork: Resource" },
        { "echo 'internal compiler error: Segmentation fault' >&2; exit 1", BLAME_CANDIDATE,
          "internal compiler error" },
        { "kill -ABRT $$", BLAME_CANDIDATE, "killed by SIGABRT" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Build two[2];
        build_two(cases[i].body, 60, two);
        assert_int_equal(two[0].blame, cases[i].blame);
        assert_int_equal(two[0].status, cases[i].blame == BLAME_CANDIDATE ? STATUS_BUILD_FAILED : STATUS_INVALID);
        assert_non_null(strstr(two[0].why, cases[i].why));
    }
}

/* A compiler that built something when the run began, and now fails whatever it is given: no text is to blame, whatever
 * it says. */
TEST(compiler_that_is_spent)
{
    char *mark = arena_printf(w->a, "%s/spent", w->folder), *cc = arena_printf(w->a, "%s/cc", w->folder);
    static const char pattern[] =
        "#!/bin/sh\n[ ! -e %s ] || { echo 'the licence has expired' >&2; exit 1; }\nexec gcc \"$@\"\n";
    put_program(cc, arena_printf(w->a, pattern, mark));
    Builder *b = new_builder(cc, 60);
    put_file(mark, "");
    Build two[] = { { .name = "one", .text = add_text }, { .name = "two", .text = "int = ;" } };
    build_all(b, w->a, two, 2, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(two[i].blame, BLAME_MACHINE);
        assert_int_equal(two[i].status, STATUS_INVALID);
        assert_non_null(strstr(two[i].why, "does not build anything any more: the licence has expired"));
    }
    unlink(mark);
    build_all(b, w->a, two, 2, NULL);
    assert_int_equal(two[0].status, STATUS_OK);
    assert_int_equal(two[1].status, STATUS_BUILD_FAILED);
    builder_free(b);
    unlink(cc);
}

/* With no descriptor left no compiler can be started. */
TEST(no_descriptors)
{
    Builder *b = new_builder("gcc", 60);
    struct rlimit was, none;
    Build one = { .name = "one", .text = add_text };
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    const int next = dup(0);
    close(next);
    none = (struct rlimit){ (rlim_t)next + 1, was.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    build_all(b, w->a, &one, 1, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_int_equal(one.blame, BLAME_MACHINE);
    assert_string_equal(one.why, "cannot start gcc: Too many open files");
    build_all(b, w->a, &one, 1, NULL);
    assert_int_equal(one.status, STATUS_OK);
    builder_free(b);
}

/* Megabytes of warnings neither block the compiler nor hide the error's first line. */
TEST(talkative_compiler)
{
    check_fails("echo 'a.c:1:1: error: too much' >&2; head -c 3000000 /dev/zero >&2; exit 1",
                "a.c:1:1: error: too much");
}

/* A compiler that fails has made nothing, whatever it left behind. */
TEST(what_a_failure_leaves_is_removed)
{
    char *cc = strange_compiler("case \"$*\" in *-shared*) while [ \"$1\" != -o ]; do shift; done; echo x >\"$2\"; "
                                "echo 'a.c:1:1: error: no' >&2; exit 1 ;; esac");
    Builder *b = new_builder(cc, 60);
    Build two[] = { { .name = "bad", .text = "int STRANGE;" }, { .name = "good", .text = add_text } };
    build_all(b, w->a, two, 2, NULL);
    assert_int_equal(two[0].status, STATUS_BUILD_FAILED);
    assert_string_equal(two[0].why, "a.c:1:1: error: no");
    assert_int_equal(two[1].status, STATUS_OK);
    static const char *const name[] = { "good.so", "bad.so", "bad.c", "bad.s" };
    char *path = arena_strdup(w->a, two[1].so);
    for (size_t i = 0; i < LENGTH(name); i++) {
        strcpy(strrchr(path, '/') + 1, name[i]);
        assert_int_equal(access(path, F_OK) == 0, i == 0);
    }
    builder_free(b);
    unlink(cc);
}

static bool is_alive(pid_t pid)
{
    size_t len;
    const char *stat = text_read_file(w->a, arena_printf(w->a, "/proc/%d/stat", (int)pid), &len);
    const char *behind = stat ? strrchr(stat, ')') : NULL;
    return behind && !strchr("ZX", behind[2]);
}

static pid_t read_pid(const char *path)
{
    size_t len;
    char *text = text_read_file(w->a, path, &len);
    assert_non_null(text);
    unlink(path);
    return (pid_t)atoi(text);
}

static void check_dies(pid_t pid)
{
    for (int i = 0; i < 2000 && is_alive(pid); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    assert_false(is_alive(pid));
}

/* Children of a compiler die with it: when it is killed, and when it leaves them behind. */
TEST(children_die)
{
    static const char *const endings[] = { "wait", "exit 1" };
    char *pid_path = arena_printf(w->a, "%s/pid", w->folder);
    for (int i = 0; i < 2; i++) {
        char *cc = strange_compiler(arena_printf(w->a, "sleep 100 & echo $! > %s; %s", pid_path, endings[i]));
        Builder *b = new_builder(cc, 1);
        Build one = { .name = "one", .text = "/* STRANGE */" };
        build_all(b, w->a, &one, 1, NULL);
        assert_int_equal(one.status, i == 0 ? STATUS_TIMED_OUT : STATUS_BUILD_FAILED);
        check_dies(read_pid(pid_path));
        builder_free(b);
        unlink(cc);
    }
}

static void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* Nothing in a torn or hostile file leads astray; every cut of a good one is tried. */
TEST(elf_is_not_trusted)
{
    Builder *b = new_builder("gcc", 60);
    Build one = { .name = "one", .text = add_text };
    size_t len;
    build_all(b, w->a, &one, 1, NULL);
    int64_t whole = elf_code_bytes(one.so);
    assert_true(whole > 0);
    char *text = text_read_file(w->a, one.so, &len);
    char *path = arena_printf(w->a, "%s/cut", w->folder);
    for (size_t i = 0; i < len; i += 1 + i / 16) {
        put_bytes(path, text, i);
        int64_t bytes = elf_code_bytes(path);
        assert_true(bytes == -1 || bytes == whole);
    }
    for (size_t i = 0; i < 64; i++) {
        char kept = text[i];
        text[i] = (char)0xff;
        put_bytes(path, text, len);
        text[i] = kept;
        assert_in_range(elf_code_bytes(path) + 1, 0, len + 1);
    }
    assert_int_equal(elf_code_bytes("/no/such/file"), -1);
    assert_int_equal(elf_code_bytes("/"), -1);
    unlink(path);
    builder_free(b);
}

TEST_EACH(set_up, tear_down)
