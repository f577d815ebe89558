/* SPDX-License-Identifier: Apache-2.0
 *
 * main: runs the tests of one of the files that it is linked with (tests/test.h).
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 64, MOST_TESTS = 64, SKIPPED = 77 };

typedef struct {
    const char *path;
    struct CMUnitTest test[MOST_TESTS];
    int line[MOST_TESTS];
    size_t ntest;
    CMFixtureFunction setup, teardown, first, last;
    bool (*is_there)(void);
} File;

static File files[MOST_FILES];
static size_t nfile;
int test_argc;
char **test_argv;

static File *file_of(const char *path)
{
    size_t i = 0;
    while (i < nfile && strcmp(files[i].path, path) != 0)
        i++;
    if (i == MOST_FILES)
        abort();
    nfile = i < nfile ? nfile : i + 1;
    files[i].path = path;
    return &files[i];
}

/* Tests of a file are in the order of their lines, in which its constructors need not run. */
void test_add(const char *path, int line, const char *name, CMUnitTestFunction run)
{
    File *f = file_of(path);
    if (f->ntest == MOST_TESTS)
        abort();
    size_t i = f->ntest++;
    for (; i > 0 && f->line[i - 1] > line; i--) {
        f->test[i] = f->test[i - 1];
        f->line[i] = f->line[i - 1];
    }
    f->test[i] = (struct CMUnitTest){ name, run, NULL, NULL, NULL };
    f->line[i] = line;
}

void test_each(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    file_of(path)->setup = setup;
    file_of(path)->teardown = teardown;
}

void test_file(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    file_of(path)->first = setup;
    file_of(path)->last = teardown;
}

void test_needs(const char *path, bool is_there(void)) { file_of(path)->is_there = is_there; }

/* Is the file's name "test_text.c" for "test_text"? */
static bool is_called(const File *f, const char *name)
{
    const char *base = strrchr(f->path, '/') ? strrchr(f->path, '/') + 1 : f->path;
    return strncmp(base, name, strlen(name)) == 0 && strcmp(base + strlen(name), ".c") == 0;
}

static int run(File *f)
{
    if (f->is_there && !f->is_there())
        return SKIPPED;
    for (size_t i = 0; i < f->ntest; i++) {
        f->test[i].setup_func = f->setup;
        f->test[i].teardown_func = f->teardown;
    }
    return _cmocka_run_group_tests("tests", f->test, f->ntest, f->first, f->last);
}

int main(int argc, char **argv)
{
    char *one = argc > 1 ? strchr(argv[1], ':') : NULL;
    if (one) {
        *one = '\0';
        cmocka_set_test_filter(one + 1);
    }
    for (size_t i = 0; argc > 1 && i < nfile; i++)
        if (is_called(&files[i], argv[1])) {
            test_argc = argc - 2;
            test_argv = argv + 2;
            return run(&files[i]);
        }
    fprintf(stderr, "usage: %s FILE[:TEST] [ARGUMENT...]; the files are:\n", argv[0]);
    for (size_t i = 0; i < nfile; i++)
        fprintf(stderr, "  %s\n", files[i].path);
    return 2;
}
