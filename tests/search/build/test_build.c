/* SPDX-License-Identifier: Apache-2.0
 *
 * build: a builder from its start to its end: its compiler, its folder, and batches that are waited for, follow each
 * other or are broken off.
 */
#include "tests/test.h"
#include "tests/search/build/build_place.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "search/build/spills.h"
#include "tests/stop_soon.h"

TEST(good_text)
{
    Builder *b = new_builder("gcc", 60);
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

TEST(folder_is_private)
{
    Builder *b = new_builder("gcc", 60);
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

/* What is said of a compiler that is none. */
static const char *refusal(const char *cc)
{
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, cc, flags);
    assert_null(builder_new(w->a, &tools, 1, 5, NULL, &err));
    return err;
}

TEST(no_compiler)
{
    assert_non_null(strstr(refusal("no-such-compiler"), "no-such-compiler"));
    assert_string_equal(refusal("false"), "false --version exited with code 1");
    assert_string_equal(refusal("true"), "true cannot build a shared object: the compiler made no assembly");
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_non_null(strstr(refusal("gcc"), "No such file or directory"));
}

/* The line with the mark, or the first. */
TEST(the_version_is_one_line)
{
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

static void check_interrupted(const Build *builds, int n)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(builds[i].status, STATUS_INVALID);
        assert_string_equal(builds[i].why, "interrupted");
    }
}

TEST(stop_is_honoured)
{
    char *cc = strange_compiler("exec sleep 100");
    Builder *b = new_builder(cc, 60);
    for (int background = 0; background < 2; background++) {
        Build all[4];
        for (int i = 0; i < 4; i++)
            all[i] = (Build){ .name = arena_printf(w->a, "hangs%d", i), .text = "/* STRANGE */" };
        stop_soon();
        if (background) {
            build_start(b, w->a, all, 4);
            assert_false(build_wait(b, all, INFINITY, false, &stop_flag));
        } else {
            build_all(b, w->a, all, 4, &stop_flag);
        }
        check_interrupted(all, 4);
    }
    builder_free(b);
    unlink(cc);
}

TEST(in_the_background)
{
    enum { N = 7 };
    Builder *b = new_builder("gcc", 60);
    Build all[N];
    for (int i = 0; i < N; i++)
        all[i] =
            (Build){ .name = arena_printf(w->a, "k%d", i), .text = i == 3 ? "int f(void) { return x; }" : add_text };
    build_start(b, w->a, all, N);
    for (int i = 0; i < 100; i++)
        arena_alloc(w->a, 1000); /* the arena stays ours meanwhile */
    assert_true(build_wait(b, all, INFINITY, false, NULL));
    assert_true(build_wait(b, NULL, INFINITY, false, NULL)); /* of none */
    for (int i = 0; i < N; i++) {
        assert_int_equal(all[i].status, i == 3 ? STATUS_BUILD_FAILED : STATUS_OK);
        if (i != 3)
            assert_int_equal(access(all[i].so, F_OK), 0);
    }
    assert_non_null(strstr(all[3].why, "k3.c:1:"));
    builder_free(b);
}

/* The compiler writes each name to a file when it begins, and waits for a file of that name with .go. */
static char *patient_compiler(void)
{
    return strange_compiler(
        "n=$(basename \"$last\" .c)\n[ \"$1\" = --version ] || case $last in *.c) echo $n >>$TMPDIR/../begun\n"
        "while [ ! -e $TMPDIR/../$n.go ]; do sleep 0.01; done;; esac");
}

#define PATIENT_PAIR                                                                                     \
    {                                                                                                    \
        { .name = "a", .text = "int a; /* STRANGE */" }, { .name = "b", .text = "int b; /* STRANGE */" } \
    }

static void touch(const char *name)
{
    assert_int_equal(close(open(arena_printf(w->a, "%s/%s.go", w->folder, name), O_WRONLY | O_CREAT, 0600)), 0);
}

/* What was begun, once there are so many of them: "a b c". */
static const char *begun(int n)
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

static void forget(void)
{
    static const char *const name[] = { "begun", "cc", "a.go", "b.go", "c.go", "d.go", "e.go" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        unlink(arena_printf(w->a, "%s/%s", w->folder, name[i]));
}

/* Two compilers at a time: the second batch begins before the first is done, and what is wanted now before both. */
TEST(batches_follow_each_other)
{
    Builder *b = new_builder(patient_compiler(), 60);
    Build first[] = PATIENT_PAIR, second[] = { { .name = "c", .text = "int c; /* STRANGE */" },
                                               { .name = "d", .text = "int = ; /* STRANGE */" } };
    Build now = { .name = "e", .text = add_text };
    build_start(b, w->a, first, 2);
    build_start(b, w->a, second, 2);
    assert_int_equal(strlen(begun(2)), 3);
    touch("b");
    assert_non_null(strchr(begun(3), 'c'));
    touch("c");
    touch("d");
    build_all(b, w->a, &now, 1, NULL);
    assert_int_equal(now.status, STATUS_OK);
    assert_true(build_wait(b, second, INFINITY, false, NULL)); /* in any order */
    assert_int_equal(second[0].status, STATUS_OK);
    assert_int_equal(second[1].status, STATUS_BUILD_FAILED);
    assert_non_null(strstr(second[1].why, "d.c:1:"));
    touch("a");
    assert_true(build_wait(b, first, INFINITY, false, NULL));
    assert_int_equal(first[0].status, STATUS_OK);
    assert_int_equal(access(first[0].so, R_OK), 0);
    builder_free(b);
    forget();
}

/* Time is up: what was done stays, the rest of all batches ends, and the builder goes on with others. */
TEST(nobody_waits_for_ever)
{
    Builder *b = new_builder(patient_compiler(), 60);
    Build first[] = PATIENT_PAIR, second = { .name = "c", .text = "int c; /* STRANGE */" };
    build_start(b, w->a, first, 2);
    build_start(b, w->a, &second, 1);
    touch("b");
    begun(3);
    assert_false(build_wait(b, first, process_clock_s() + 0.3, false, NULL));
    assert_int_equal(first[1].status, STATUS_OK);
    check_interrupted(first, 1);
    assert_false(build_wait(b, &second, INFINITY, false, NULL));
    check_interrupted(&second, 1);
    build_start(b, w->a, &second, 1);
    build_cancel(b);
    check_interrupted(&second, 1);
    touch("c");
    build_start(b, w->a, &second, 1);
    assert_true(build_wait(b, &second, INFINITY, false, NULL));
    assert_int_equal(second.status, STATUS_OK);
    builder_free(b);
    forget();
}

/* But if one is needed, time is up when that is built. */
TEST(one_may_be_waited_for)
{
    Builder *b = new_builder(patient_compiler(), 60);
    Build two[] = PATIENT_PAIR;
    Build wrong = { .name = "c", .text = "this is no C" };
    const double start = process_clock_s();
    build_start(b, w->a, two, 2);
    begun(2);
    touch("b");
    assert_false(build_wait(b, two, start, true, NULL));
    assert_int_equal(two[1].status, STATUS_OK);
    assert_true(build_was_ended(&two[0]) && !build_was_ended(&two[1]));
    build_start(b, w->a, &wrong, 1);
    assert_true(build_wait(b, &wrong, start, true, NULL));
    assert_int_equal(wrong.status, STATUS_BUILD_FAILED);
    builder_free(b);
    forget();
}

TEST(freed_while_building)
{
    char *cc = strange_compiler("exec sleep 100");
    Builder *b = new_builder(cc, 60);
    Build one = { .name = "one", .text = "/* STRANGE */" };
    build_start(b, w->a, &one, 1);
    builder_free(b);
    check_interrupted(&one, 1);
    builder_free(NULL);
    unlink(cc);
}

/* nvcc's shared object holds the cubin that it makes alone: the same code, and the assembler's report. */
TEST(gpu_code)
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

TEST_EACH(set_up, tear_down)
