/* SPDX-License-Identifier: Apache-2.0
 *
 * Building: good and bad texts, and compilers that misbehave, which are shell scripts here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "search/build/build.h"
#include "search/build/compile.h"
#include "search/build/spills.h"
#include "tests/tmp_folder.h"
#include "tests/toolchain.h"

typedef struct {
    Arena *a;
    char *folder;
} World;

static const char *const flags[] = { "-O2", NULL };
static const char add_text[] = "int add(int a, int b) { return a + b; }\n";

static int set_up(void **state)
{
    World *w = calloc(1, sizeof *w);
    w->a = arena_new();
    w->folder = tmp_folder(arena_alloc(w->a, TMP_FOLDER_BYTES));
    *state = w;
    return w->folder && setenv("TMPDIR", w->folder, 1) == 0 ? 0 : -1;
}

/* Every test ends with an empty folder: builders remove theirs. */
static int tear_down(void **state)
{
    World *w = *state;
    int rc = rmdir(w->folder);
    if (rc != 0)
        perror(w->folder);
    arena_free(w->a);
    free(w);
    return rc;
}

static Builder *new_builder(World *w, const char *cc, double deadline_s)
{
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, cc, flags);
    Builder *b = builder_new(w->a, &tools, 2, deadline_s, NULL, &err);
    if (!b)
        print_error("%s\n", err);
    assert_non_null(b);
    return b;
}

/* A compiler that is `gcc` until the file under compilation contains STRANGE; then it does `body`. */
static char *strange_compiler(World *w, const char *body)
{
    char *path = arena_printf(w->a, "%s/cc", w->folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(
        f,
        "#!/bin/sh\nfor last; do :; done\nif grep -q STRANGE -- \"$last\" 2>/dev/null; then\n%s\nfi\nexec gcc \"$@\"\n",
        body);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static void good_text(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
    Build one[3] = { { .name = "one", .text = add_text },
                     { .name = "two", .text = "int two;" },
                     { .name = "three", .text = add_text } };
    assert_non_null(strstr(builder_version(b), "gcc"));
    build_all(b, w->a, one, 3, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(one[i].status, STATUS_OK);
        assert_string_equal(one[i].why, "");
    }
    assert_in_range(one[0].code_bytes, 1, 100);
    assert_int_equal(one[1].code_bytes, 0);
    void *so = dlopen(one[0].so, RTLD_NOW);
    assert_non_null(so);
    int (*add)(int, int);
    *(void **)&add = dlsym(so, "add");
    assert_int_equal(add(2, 3), 5);
    dlclose(so);
    build_remove(b, one[0].so);
    assert_int_not_equal(access(one[0].so, F_OK), 0);
    assert_int_equal(access(one[2].so, F_OK), 0);
    builder_free(b);
}

#if defined(__x86_64__)
/* Sixteen registers for 20 sums: some of them live on the stack. The folder keeps no assembly. */
static void spills_are_told(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
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

static void folder_is_private(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
    Build one = { .name = "one", .text = add_text };
    struct stat st;
    build_all(b, w->a, &one, 1, NULL);
    char *folder = arena_strdup(w->a, one.so);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    const char *other = arena_printf(w->a, "%s/other", w->folder); /* nothing outside is removed */
    assert_int_equal(close(open(other, O_WRONLY | O_CREAT, 0600)), 0);
    build_remove(b, other);
    build_remove(b, arena_printf(w->a, "%s/../other", folder));
    assert_int_equal(unlink(other), 0);
    builder_free(b);
    assert_int_not_equal(stat(folder, &st), 0);
}

static void bad_texts(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
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

/* What is said of a compiler that is none. */
static const char *refusal(World *w, const char *cc)
{
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, cc, flags);
    assert_null(builder_new(w->a, &tools, 1, 5, NULL, &err));
    return err;
}

static void no_compiler(void **state)
{
    World *w = *state;
    assert_non_null(strstr(refusal(w, "no-such-compiler"), "no-such-compiler"));
    assert_string_equal(refusal(w, "false"), "false --version exited with code 1");
    assert_string_equal(refusal(w, "true"), "true cannot build a shared object: the compiler made no assembly");
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_non_null(strstr(refusal(w, "gcc"), "No such file or directory"));
}

static void hanging_compiler(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "exec sleep 100");
    Builder *b = new_builder(w, cc, 1);
    Build two[] = { { .name = "hangs", .text = "/* STRANGE */" }, { .name = "good", .text = add_text } };
    double start = process_clock_s();
    build_all(b, w->a, two, 2, NULL);
    assert_true(process_clock_s() - start < 5);
    assert_int_equal(two[0].status, STATUS_TIMED_OUT);
    assert_string_equal(two[0].why, "killed after 1 s");
    assert_int_equal(two[1].status, STATUS_OK);
    builder_free(b);
    unlink(cc);
}

static void crashing_compiler(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "kill -SEGV $$");
    Builder *b = new_builder(w, cc, 60);
    Build one = { .name = "one", .text = "/* STRANGE */" };
    build_all(b, w->a, &one, 1, NULL);
    assert_int_equal(one.status, STATUS_BUILD_FAILED);
    assert_string_equal(one.why, "the compiler was killed by SIGSEGV");
    builder_free(b);
    unlink(cc);
}

/* An undefined name, or else an error, or else the first line; as plain text, so long, and without the folder. */
static void the_line_that_says_most(void **state)
{
    World *w = *state;
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
    char *cc = strange_compiler(w, arena_printf(w->a, "sed \"s:FOLDER:$TMPDIR:g\" %s >&2; exit 1", say));
    Builder *b = new_builder(w, cc, 60);
    Build good = { .name = "good", .text = add_text };
    build_all(b, w->a, &good, 1, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *f = fopen(say, "w");
        assert_non_null(f);
        fputs(rows[i][0], f);
        fclose(f);
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

/* The line with the mark, or the first. */
static void the_version_is_one_line(void **state)
{
    World *w = *state;
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, "gcc", flags);
    for (int marked = 0; marked < 2; marked++) {
        tools.version_mark = marked ? "Free Software Foundation" : "no such words";
        Builder *b = builder_new(w->a, &tools, 1, 60, NULL, &err);
        assert_non_null(b);
        const char *start = marked ? "Copyright" : "gcc";
        assert_memory_equal(builder_version(b), start, strlen(start));
        assert_null(strchr(builder_version(b), '\n'));
        builder_free(b);
    }
}

/* A compiler that the system kills, as it does when memory is short, gets a second chance, alone. */
static void killed_compiler(void **state)
{
    World *w = *state;
    char *mark = arena_printf(w->a, "%s/killed_once", w->folder);
    char *cc = strange_compiler(w, arena_printf(w->a, "[ -e %s ] || { touch %s; kill -KILL $$; }", mark, mark));
    Builder *b = new_builder(w, cc, 60);
    Build two[] = { { .name = "big", .text = "int strange; /* STRANGE */" }, { .name = "good", .text = add_text } };
    build_all(b, w->a, two, 2, NULL);
    assert_int_equal(access(mark, F_OK), 0);
    assert_int_equal(two[0].status, STATUS_OK);
    assert_int_equal(two[1].status, STATUS_OK);
    builder_free(b);
    unlink(cc);
    unlink(mark);
}

/* What the machine lacks is no fault of the text, even when it lacks it twice; what a compiler says of the text is. */
static void whose_fault_it_is(void **state)
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
    World *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *cc = strange_compiler(w, cases[i].body);
        Builder *b = new_builder(w, cc, 60);
        Build two[] = { { .name = "one", .text = "int strange; /* STRANGE */" }, { .name = "good", .text = add_text } };
        build_all(b, w->a, two, 2, NULL);
        assert_int_equal(two[0].blame, cases[i].blame);
        assert_int_equal(two[0].status, cases[i].blame == BLAME_CANDIDATE ? STATUS_BUILD_FAILED : STATUS_INVALID);
        assert_non_null(strstr(two[0].why, cases[i].why));
        assert_int_equal(two[1].status, STATUS_OK);
        builder_free(b);
        unlink(cc);
    }
}

/* One that fails for want of something gets a second chance, alone. */
static void wanting_compiler(void **state)
{
    World *w = *state;
    char *mark = arena_printf(w->a, "%s/wanted_once", w->folder);
    char *cc = strange_compiler(
        w, arena_printf(w->a, "[ -e %s ] || { touch %s; echo 'as: Too many open files' >&2; exit 1; }", mark, mark));
    Builder *b = new_builder(w, cc, 60);
    Build one = { .name = "one", .text = "int strange; /* STRANGE */" };
    build_all(b, w->a, &one, 1, NULL);
    assert_int_equal(access(mark, F_OK), 0);
    assert_int_equal(one.status, STATUS_OK);
    assert_int_equal(one.blame, BLAME_CANDIDATE);
    builder_free(b);
    unlink(cc);
    unlink(mark);
}

/* A compiler that built something when the run began, and now fails whatever it is given: no text is to blame, whatever it says. */
static void compiler_that_is_spent(void **state)
{
    World *w = *state;
    char *mark = arena_printf(w->a, "%s/spent", w->folder), *cc = arena_printf(w->a, "%s/cc", w->folder);
    FILE *f = fopen(cc, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n[ ! -e %s ] || { echo 'the licence has expired' >&2; exit 1; }\nexec gcc \"$@\"\n", mark);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(cc, 0700), 0);
    Builder *b = new_builder(w, cc, 60);
    f = fopen(mark, "w");
    assert_non_null(f);
    fclose(f);
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
static void no_descriptors(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
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
static void talkative_compiler(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "echo 'a.c:1:1: error: too much' >&2; head -c 3000000 /dev/zero >&2; exit 1");
    Builder *b = new_builder(w, cc, 60);
    Build one = { .name = "one", .text = "/* STRANGE */" };
    build_all(b, w->a, &one, 1, NULL);
    assert_int_equal(one.status, STATUS_BUILD_FAILED);
    assert_string_equal(one.why, "a.c:1:1: error: too much");
    builder_free(b);
    unlink(cc);
}

/* A compiler that fails has made nothing, whatever it left behind. */
static void what_a_failure_leaves_is_removed(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "case \"$*\" in *-shared*) while [ \"$1\" != -o ]; do shift; done; echo x >\"$2\"; "
                                   "echo 'a.c:1:1: error: no' >&2; exit 1 ;; esac");
    Builder *b = new_builder(w, cc, 60);
    Build two[] = { { .name = "bad", .text = "int STRANGE;" }, { .name = "good", .text = add_text } };
    build_all(b, w->a, two, 2, NULL);
    assert_int_equal(two[0].status, STATUS_BUILD_FAILED);
    assert_string_equal(two[0].why, "a.c:1:1: error: no");
    assert_int_equal(two[1].status, STATUS_OK);
    char *so = arena_strdup(w->a, two[1].so);
    assert_int_equal(access(so, F_OK), 0);
    strcpy(strrchr(so, '/') + 1, "bad.so");
    assert_int_not_equal(access(so, F_OK), 0);
    strcpy(strrchr(so, '/') + 1, "bad.c");
    assert_int_not_equal(access(so, F_OK), 0);
    strcpy(strrchr(so, '/') + 1, "bad.s");
    assert_int_not_equal(access(so, F_OK), 0);
    builder_free(b);
    unlink(cc);
}

static bool is_alive(pid_t pid)
{
    char state = 'X';
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(f);
    return state != 'Z' && state != 'X';
}

static pid_t read_pid(World *w, const char *path)
{
    size_t len;
    char *text = text_read_file(w->a, path, &len);
    assert_non_null(text);
    unlink(path);
    return (pid_t)atoi(text);
}

static void check_dies(pid_t pid)
{
    for (int i = 0; i < 200 && is_alive(pid); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    assert_false(is_alive(pid));
}

/* Children of a compiler die with it: when it is killed, and when it leaves them behind. */
static void children_die(void **state)
{
    static const char *const endings[] = { "wait", "exit 1" };
    World *w = *state;
    char *pid_path = arena_printf(w->a, "%s/pid", w->folder);
    for (int i = 0; i < 2; i++) {
        char *cc = strange_compiler(w, arena_printf(w->a, "sleep 100 & echo $! > %s; %s", pid_path, endings[i]));
        Builder *b = new_builder(w, cc, 1);
        Build one = { .name = "one", .text = "/* STRANGE */" };
        double start = process_clock_s();
        build_all(b, w->a, &one, 1, NULL);
        assert_true(process_clock_s() - start < 5);
        assert_int_equal(one.status, i == 0 ? STATUS_TIMED_OUT : STATUS_BUILD_FAILED);
        check_dies(read_pid(w, pid_path));
        builder_free(b);
        unlink(cc);
    }
}

/* As a user's Ctrl-C would. */
static volatile int stop_flag;

static void raise_flag(int signal_number)
{
    (void)signal_number;
    stop_flag = 1;
}

static void raise_flag_soon(void)
{
    stop_flag = 0;
    signal(SIGALRM, raise_flag);
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 200000 }, NULL), 0);
}

static void check_interrupted(const Build *builds, int n, double start)
{
    assert_true(process_clock_s() - start < 3);
    for (int i = 0; i < n; i++) {
        assert_int_equal(builds[i].status, STATUS_INVALID);
        assert_string_equal(builds[i].why, "interrupted");
    }
}

static void stop_is_honoured(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "exec sleep 100");
    Builder *b = new_builder(w, cc, 60);
    for (int background = 0; background < 2; background++) {
        Build all[4];
        for (int i = 0; i < 4; i++)
            all[i] = (Build){ .name = arena_printf(w->a, "hangs%d", i), .text = "/* STRANGE */" };
        raise_flag_soon();
        double start = process_clock_s();
        if (background) {
            build_start(b, w->a, all, 4);
            assert_false(build_wait(b, all, INFINITY, &stop_flag));
        } else {
            build_all(b, w->a, all, 4, &stop_flag);
        }
        check_interrupted(all, 4, start);
    }
    builder_free(b);
    unlink(cc);
}

static void in_the_background(void **state)
{
    enum { N = 7 };
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
    Build all[N];
    for (int i = 0; i < N; i++)
        all[i] =
            (Build){ .name = arena_printf(w->a, "k%d", i), .text = i == 3 ? "int f(void) { return x; }" : add_text };
    build_start(b, w->a, all, N);
    for (int i = 0; i < 100; i++)
        arena_alloc(w->a, 1000); /* the arena stays ours meanwhile */
    assert_true(build_wait(b, all, INFINITY, NULL));
    assert_true(build_wait(b, NULL, INFINITY, NULL)); /* of none */
    for (int i = 0; i < N; i++) {
        assert_int_equal(all[i].status, i == 3 ? STATUS_BUILD_FAILED : STATUS_OK);
        if (i != 3)
            assert_int_equal(access(all[i].so, F_OK), 0);
    }
    assert_non_null(strstr(all[3].why, "k3.c:1:"));
    builder_free(b);
}

/* The compiler writes each name to a file when it begins, and waits for a file of that name with .go. */
static char *patient_compiler(World *w)
{
    return strange_compiler(
        w, "n=$(basename \"$last\" .c)\n[ \"$1\" = --version ] || case $last in *.c) echo $n >>$TMPDIR/../begun\n"
           "while [ ! -e $TMPDIR/../$n.go ]; do sleep 0.01; done;; esac");
}

static void touch(World *w, const char *name)
{
    assert_int_equal(close(open(arena_printf(w->a, "%s/%s.go", w->folder, name), O_WRONLY | O_CREAT, 0600)), 0);
}

/* What was begun, once there are so many of them: "a b c". */
static const char *begun(World *w, int n)
{
    const char *path = arena_printf(w->a, "%s/begun", w->folder);
    for (int i = 0; i < 1000; i++) {
        size_t len;
        char *text = text_read_file(w->a, path, &len);
        int lines = 0;
        for (size_t k = 0; text && k < len; k++)
            if (text[k] == '\n') {
                lines++;
                text[k] = k + 1 < len ? ' ' : '\0';
            }
        if (lines >= n)
            return text;
        usleep(10000);
    }
    return "nothing begins";
}

static void forget(World *w)
{
    static const char *const name[] = { "begun", "cc", "a.go", "b.go", "c.go", "d.go", "e.go" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        unlink(arena_printf(w->a, "%s/%s", w->folder, name[i]));
}

/* Two compilers at a time: the second batch begins before the first is done, and what is wanted now before both. */
static void batches_follow_each_other(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, patient_compiler(w), 60);
    Build first[] = { { .name = "a", .text = "int a; /* STRANGE */" },
                      { .name = "b", .text = "int b; /* STRANGE */" } };
    Build second[] = { { .name = "c", .text = "int c; /* STRANGE */" },
                       { .name = "d", .text = "int = ; /* STRANGE */" } };
    Build now = { .name = "e", .text = add_text };
    build_start(b, w->a, first, 2);
    build_start(b, w->a, second, 2);
    assert_int_equal(strlen(begun(w, 2)), 3);
    touch(w, "b");
    assert_non_null(strchr(begun(w, 3), 'c'));
    touch(w, "c");
    touch(w, "d");
    build_all(b, w->a, &now, 1, NULL);
    assert_int_equal(now.status, STATUS_OK);
    assert_true(build_wait(b, second, INFINITY, NULL)); /* in any order */
    assert_int_equal(second[0].status, STATUS_OK);
    assert_int_equal(second[1].status, STATUS_BUILD_FAILED);
    assert_non_null(strstr(second[1].why, "d.c:1:"));
    touch(w, "a");
    assert_true(build_wait(b, first, INFINITY, NULL));
    assert_int_equal(first[0].status, STATUS_OK);
    assert_int_equal(access(first[0].so, R_OK), 0);
    builder_free(b);
    forget(w);
}

/* Time is up: what was done stays, the rest of all batches ends, and the builder goes on with others. */
static void nobody_waits_for_ever(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, patient_compiler(w), 60);
    Build first[] = { { .name = "a", .text = "int a; /* STRANGE */" },
                      { .name = "b", .text = "int b; /* STRANGE */" } };
    Build second = { .name = "c", .text = "int c; /* STRANGE */" };
    const double start = process_clock_s();
    build_start(b, w->a, first, 2);
    build_start(b, w->a, &second, 1);
    touch(w, "b");
    begun(w, 3);
    assert_false(build_wait(b, first, process_clock_s() + 0.3, NULL));
    assert_int_equal(first[1].status, STATUS_OK);
    check_interrupted(first, 1, start);
    assert_false(build_wait(b, &second, INFINITY, NULL));
    check_interrupted(&second, 1, start);
    build_start(b, w->a, &second, 1);
    build_cancel(b);
    check_interrupted(&second, 1, start);
    touch(w, "c");
    build_start(b, w->a, &second, 1);
    assert_true(build_wait(b, &second, INFINITY, NULL));
    assert_int_equal(second.status, STATUS_OK);
    builder_free(b);
    forget(w);
}

static void freed_while_building(void **state)
{
    World *w = *state;
    char *cc = strange_compiler(w, "exec sleep 100");
    Builder *b = new_builder(w, cc, 60);
    Build one = { .name = "one", .text = "/* STRANGE */" };
    double start = process_clock_s();
    build_start(b, w->a, &one, 1);
    builder_free(b);
    check_interrupted(&one, 1, start);
    builder_free(NULL);
    unlink(cc);
}

/* Nothing in a torn or hostile file leads astray; every cut of a good one is tried. */
static void elf_is_not_trusted(void **state)
{
    World *w = *state;
    Builder *b = new_builder(w, "gcc", 60);
    Build one = { .name = "one", .text = add_text };
    size_t len;
    build_all(b, w->a, &one, 1, NULL);
    int64_t whole = elf_code_bytes(one.so);
    assert_true(whole > 0);
    char *text = text_read_file(w->a, one.so, &len);
    char *path = arena_printf(w->a, "%s/cut", w->folder);
    for (size_t i = 0; i < len; i += 1 + i / 16) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fwrite(text, 1, i, f);
        fclose(f);
        int64_t bytes = elf_code_bytes(path);
        assert_true(bytes == -1 || bytes == whole);
    }
    for (size_t i = 0; i < 64; i++) {
        char kept = text[i];
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        text[i] = (char)0xff;
        fwrite(text, 1, len, f);
        fclose(f);
        text[i] = kept;
        int64_t bytes = elf_code_bytes(path);
        assert_true(bytes >= -1 && bytes <= (int64_t)len);
    }
    assert_int_equal(elf_code_bytes("/no/such/file"), -1);
    assert_int_equal(elf_code_bytes("/"), -1);
    unlink(path);
    builder_free(b);
}

/* nvcc's shared object holds the cubin that it makes alone: the same code, and the assembler's report. */
static void gpu_code(void **state)
{
    static const char *const object[] = { "-gencode=arch=compute_80,code=sm_80",
                                          "-Xptxas",
                                          "-v",
                                          "-shared",
                                          "-Xcompiler",
                                          "-fPIC",
                                          "-cudart",
                                          "none",
                                          "--no-compress",
                                          NULL };
    static const char *const cubin[] = { "-gencode=arch=compute_80,code=sm_80", "-Xptxas", "-v", "-cubin", NULL };
    World *w = *state;
    if (system("command -v nvcc >/dev/null 2>&1") != 0) {
        puts("skipped: nvcc is missing");
        skip();
    }
    Toolchain tools = { .program = "nvcc",
                        .flags = object,
                        .source = ".cu",
                        .product = ".so",
                        .empty = "__global__ void dcgen_empty() {}\n",
                        .version_mark = "release",
                        .keep_log = true };
    Build one[2];
    for (int i = 0; i < 2; i++) {
        const char *err = NULL;
        Builder *b = builder_new(w->a, &tools, 1, 60, NULL, &err);
        assert_non_null(b);
        assert_non_null(strstr(builder_version(b), "release"));
        one[i] = (Build){ .name = "twice",
                          .text = "__global__ void twice(float *y) { y[threadIdx.x] *= 2; }\n"
                                  "__global__ void thrice(float *y) { y[threadIdx.x] *= 3; }\n" };
        build_all(b, w->a, &one[i], 1, NULL);
        assert_int_equal(one[i].status, STATUS_OK);
        PtxasReport r;
        assert_true(spills_read_ptxas(one[i].log, &r));
        assert_int_equal(r.spill_bytes, 0);
        builder_free(b);
        tools.flags = cubin;
        tools.product = ".cubin";
    }
    assert_true(one[0].code_bytes > 0);
    assert_int_equal(one[0].code_bytes, one[1].code_bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_text),
        TEST(folder_is_private),
#if defined(__x86_64__)
        TEST(spills_are_told),
#endif
        TEST(bad_texts),
        TEST(no_compiler),
        TEST(the_line_that_says_most),
        TEST(the_version_is_one_line),
        TEST(hanging_compiler),
        TEST(crashing_compiler),
        TEST(killed_compiler),
        TEST(whose_fault_it_is),
        TEST(wanting_compiler),
        TEST(compiler_that_is_spent),
        TEST(no_descriptors),
        TEST(talkative_compiler),
        TEST(what_a_failure_leaves_is_removed),
        TEST(children_die),
        TEST(stop_is_honoured),
        TEST(in_the_background),
        TEST(batches_follow_each_other),
        TEST(nobody_waits_for_ever),
        TEST(freed_while_building),
        TEST(elf_is_not_trusted),
        TEST(gpu_code),
    };
    return cmocka_run_group_tests_name("search/build", tests, NULL, NULL);
}
