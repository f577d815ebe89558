/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch: the folder is there while the program is, and neither it nor what was started outlives a kill.
 */
#define _GNU_SOURCE
#include "tests/test.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/base/tempdir.h"
#include "tests/gen/place.h"

enum { PATIENCE = 6000 }; /* hundredths of a second, on a machine that is busy */

/* TMPDIR is a folder of the test's own, which is empty in the end. */
static int set_up(void **state) { return place_setup(state) == 0 && setenv("TMPDIR", root, 1) == 0 ? 0 : -1; }
static int tear_down(void **state)
{
    arena_free(arena);
    return rmdir(root);
}

static bool soon(bool (*holds)(void *), void *what)
{
    for (int i = 0; i < PATIENCE && !holds(what); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    return holds(what);
}

static bool is_empty(void *folder) { return nentry(folder) == 0; }

/* Also when it was killed and nobody has asked for its exit status: some containers have no process that does. */
static bool is_gone(void *pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)*(pid_t *)pid);
    FILE *f = fopen(path, "r");
    bool running = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && state != 'Z';
    if (f)
        fclose(f);
    return !running;
}

TEST(made_and_removed)
{
    const char *err = NULL;
    struct stat st;
    Scratch *s = scratch_new(arena, &err);
    assert_non_null(s);
    assert_int_equal(stat(scratch_path(s), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(mkdir(arena_printf(arena, "%s/sub", scratch_path(s)), 0700), 0);
    assert_string_equal(getenv("DCGEN_RUN"), scratch_path(s));
    scratch_free(s);
    assert_true(is_empty(root));
}

TEST(cannot_be_made)
{
    const char *err = NULL;
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_null(scratch_new(arena, &err));
    assert_has_all(err, "/no/such/folder/dcgen-", "No such file or directory");
    setenv("TMPDIR", root, 1);
}

/* A program that starts a shell which starts another, makes files, and is killed. Returns the shell's pid. */
static pid_t killed_program(pid_t *shared)
{
    pid_t child = fork();
    if (child == 0) {
        static const char *const argv[] = { "sh", "-c", "touch \"$DCGEN_RUN/file\"; sleep 100 & sleep 100", NULL };
        const char *err = NULL;
        Scratch *s = scratch_new(arena, &err);
        Child shell;
        shared[0] = s && child_start(&shell, arena, &(ProcessPlan){ .argv = argv }) ? shell.pid : -1;
        while (s && access(arena_printf(arena, "%s/file", scratch_path(s)), F_OK) != 0)
            continue;
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    return shared[0];
}

TEST(a_kill_leaves_nothing)
{
    pid_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t shell = killed_program(shared);
    assert_true(shell > 0);
    assert_true(soon(is_gone, &shell));
    assert_true(soon(is_empty, root));
    munmap(shared, sizeof *shared);
}

/* What lives on after scratch_free was not to be killed: its program goes on. */
TEST(free_kills_nobody)
{
    static const char *const argv[] = { "sleep", "100", NULL };
    const char *err = NULL;
    Scratch *s = scratch_new(arena, &err);
    assert_non_null(s);
    Child sleeper;
    assert_true(child_start(&sleeper, arena, &(ProcessPlan){ .argv = argv }));
    scratch_free(s);
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    assert_false(child_has_ended(&sleeper));
    child_end(&sleeper);
}

/* A run that was killed together with its guard. (What is not swept: tests/gen/base/test_tempdir.c.) */
TEST(leftovers_are_swept)
{
    const char *err = NULL, *other = arena_printf(arena, "%s/dcgen-notes", root);
    TempDir left;
    pid_t gone = fork();
    if (gone == 0)
        _exit(tempdir_make(arena, root, "dcgen-", &left) ? 0 : 1);
    waitpid(gone, NULL, 0);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(nentry(root), 2);
    Scratch *s = scratch_new(arena, &err);
    assert_non_null(s);
    assert_int_equal(nentry(root), 2);
    scratch_free(s);
    assert_int_equal(nentry(root), 1);
    assert_int_equal(rmdir(other), 0);
}

TEST_EACH(set_up, tear_down)
