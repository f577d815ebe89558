/* SPDX-License-Identifier: Apache-2.0
 *
 * tempdir: only what a run of dcgen made and left is removed by a later one, and nothing that a user may have called
 * alike.
 * ctest: replaces
 */
#define _GNU_SOURCE
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/tempdir.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

/* In place of the C library's: these are drawn, the last one again and again; without any, others; it fails where
 * ndrawn is below 0. */
static uint64_t drawn[4], fresh;
static int ndrawn, ndraw;

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    assert_int_equal(n, sizeof *drawn);
    assert_int_equal(flags, 0);
    if (ndrawn < 0)
        return -1;
    fresh += UINT64_C(0x9e3779b97f4a7c15);
    memcpy(to, ndrawn ? &drawn[ndraw < ndrawn ? ndraw : ndrawn - 1] : &fresh, n);
    ndraw++;
    return (ssize_t)n;
}

static const char PREFIX[] = "dcgen-", FORMAT[] = "dcgen temporary folder 1\n";

static int nopen; /* before the test: it leaves no more */

static int set_up(void **state)
{
    nopen = open_files();
    ndrawn = ndraw = 0;
    return place_setup(state);
}

static int tear_down(void **state)
{
    const int rc = place_teardown(state);
    return open_files() == nopen ? rc : -1;
}

/* What a process that is dead may have called a folder. */
static const char *left_by(int pid, const char *digits) { return arena_printf(arena, "dcgen-%d-%s", pid, digits); }

static pid_t dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

/* A folder of that name, with a file in it, and with a mark of that text (NULL: none). */
static const char *put_folder(const char *name, const char *mark)
{
    const char *path = in_root(name);
    assert_int_equal(mkdir(path, 0700), 0);
    put_file(arena_printf(arena, "%s/thesis.tex", path), "mine");
    if (mark)
        put_file(arena_printf(arena, "%s/%s", path, TEMPDIR_MARK), mark);
    return path;
}

static bool there(const char *path) { return access(path, F_OK) == 0; }
static void sweep(void) { tempdir_sweep(arena, root, PREFIX, NULL, NULL); }

TEST(made_and_removed)
{
    TempDir t;
    struct stat st;
    assert_true(tempdir_make(arena, root, PREFIX, &t));
    assert_int_equal(stat(t.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    sweep();
    assert_true(there(t.path));
    tempdir_remove(&t);
    assert_false(there(t.path));
}

TEST(what_a_dead_run_left_goes)
{
    pid_t child = fork();
    if (child == 0) {
        TempDir t;
        bool ok = tempdir_make(arena, root, PREFIX, &t);
        mkdir(arena_printf(arena, "%s/sub", t.path), 0700);
        _exit(ok && symlink(root, arena_printf(arena, "%s/sub/up", t.path)) == 0 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    put_file(in_root("mine"), "mine");
    sweep();
    assert_true(there(in_root("mine")));
    assert_int_equal(unlink(in_root("mine")), 0);
    assert_int_equal(rmdir(root), 0); /* nothing else */
    assert_int_equal(mkdir(root, 0700), 0);
}

static const char *name_of(const TempDir *t) { return strrchr(t->path, '/') + 1; }

/* A name that is taken already is not used: another is drawn, but not for ever. */
TEST(names_are_drawn)
{
    TempDir t[3];
    ndrawn = 3;
    drawn[0] = drawn[1] = 0x12;
    drawn[2] = UINT64_C(0xfedcba9876543210);
    assert_true(tempdir_make(arena, root, PREFIX, &t[0]));
    assert_string_equal(name_of(&t[0]), arena_printf(arena, "dcgen-%ld-0000000000000012", (long)getpid()));
    assert_true(tempdir_make(arena, root, PREFIX, &t[1]));
    assert_string_equal(name_of(&t[1]), arena_printf(arena, "dcgen-%ld-fedcba9876543210", (long)getpid()));
    assert_int_equal(ndraw, 3);
    errno = 0;
    assert_false(tempdir_make(arena, root, PREFIX, &t[2]));
    assert_int_equal(errno, EEXIST);
    assert_in_range(ndraw, 5, 100);
    ndraw = 0;
    assert_false(tempdir_make(arena, in_root("none"), PREFIX, &t[2]));
    assert_int_equal(ndraw, 1); /* no other name would help */
    drawn[2] = 0;
    ndrawn = -1; /* none can be drawn: still not the bytes that are there by chance */
    assert_true(tempdir_make(arena, root, PREFIX, &t[2]));
    assert_lacks(t[2].path, "-0000000000000000");
    for (int i = 0; i < 3; i++)
        tempdir_remove(&t[i]);
}

/* Where descriptors are so few that it cannot be opened, or its mark not be made; or where nothing can be written. */
TEST(what_cannot_be_marked_is_none)
{
    const int next = dup(0);
    close(next);
    const struct {
        int resource, most, problem;
        bool is_left; /* it cannot be opened to be removed either: a later run does that */
    } row[] = { { RLIMIT_NOFILE, next, EMFILE, true },
                { RLIMIT_NOFILE, next + 1, EMFILE, true },
                { RLIMIT_FSIZE, 0, EFBIG, false } };
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        TempDir t = { 0 };
        struct rlimit all, few;
        getrlimit(row[i].resource, &all);
        few = (struct rlimit){ (rlim_t)row[i].most, all.rlim_max };
        setrlimit(row[i].resource, &few);
        errno = 0;
        const bool made = tempdir_make(arena, root, PREFIX, &t);
        const int problem = errno;
        setrlimit(row[i].resource, &all);
        assert_false(made);
        assert_int_equal(problem, row[i].problem);
        assert_int_equal(open_files(), nopen);
        assert_int_equal(there(t.path), row[i].is_left);
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* A run that is killed meanwhile leaves the mark, by which the next one knows what is left. */
TEST(the_mark_goes_last)
{
    TempDir t;
    char bytes[1024], last[64] = "";
    assert_true(tempdir_make(arena, root, PREFIX, &t));
    for (int i = 0; i < 4; i++)
        put_file(arena_printf(arena, "%s/%d", t.path, i), "x");
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(watch >= 0 && inotify_add_watch(watch, t.path, IN_DELETE) >= 0);
    tempdir_remove(&t);
    const ssize_t n = read(watch, bytes, sizeof bytes);
    int ngone = 0;
    for (ssize_t at = 0; at < n; ngone++) {
        struct inotify_event e;
        memcpy(&e, bytes + at, sizeof e);
        if (e.mask & IN_DELETE)
            snprintf(last, sizeof last, "%s", bytes + at + sizeof e);
        at += (ssize_t)(sizeof e + e.len);
    }
    close(watch);
    assert_true(ngone >= 5);
    assert_string_equal(last, TEMPDIR_MARK);
}

/* Each has all that is asked but for one thing. */
TEST(a_users_folder_stays)
{
    const int dead = (int)dead_process();
    const char *digits = "0123456789abcdef";
    const struct {
        const char *name, *mark;
    } mine[] = {
        { arena_printf(arena, "dcgen-%d-%s", dead, digits), NULL },
        { arena_printf(arena, "dcgen-%d-1%s", dead, digits + 1), "dcgen temporary folder 2\n" },
        { arena_printf(arena, "dcgen-%d-2%s", dead, digits + 1), "" },
        { arena_printf(arena, "dcgen-%d-3%s", dead, digits + 1), "my dcgen temporary folder 1\n" },
        { arena_printf(arena, "dcgen-%d-notes", dead), FORMAT },
        { arena_printf(arena, "dcgen-%d-%s0", dead, digits), FORMAT },
        { arena_printf(arena, "dcgen-%d-%s", dead, digits + 1), FORMAT },
        { arena_printf(arena, "dcgen-%d-0123456789ABCDEF", dead), FORMAT },
        { arena_printf(arena, "dcgen-0%d-%s", dead, digits), FORMAT },
        { arena_printf(arena, "dcgen-+%d-%s", dead, digits), FORMAT },
        { arena_printf(arena, "dcgen-99999999999-%s", digits), FORMAT },
        { arena_printf(arena, "dcgen-1-%s", digits), FORMAT },
        { arena_printf(arena, "my-dcgen-%d-%s", dead, digits), FORMAT },
    };
    const char *path[LENGTH(mine)];
    for (size_t i = 0; i < LENGTH(mine); i++)
        path[i] = put_folder(mine[i].name, mine[i].mark);
    sweep();
    for (size_t i = 0; i < LENGTH(mine); i++)
        if (!there(arena_printf(arena, "%s/thesis.tex", path[i])))
            fail_msg("%s is gone", mine[i].name);
}

/* A mark that is not ours is somebody's, whatever kind of file it is, also where nothing else is there. */
TEST(a_foreign_mark_stays)
{
    const int dead = (int)dead_process();
    for (int i = 0; i < 3; i++) {
        const char *path = arena_printf(arena, "%s/dcgen-%d-%d123456789abcdef", root, dead, i),
                   *mark = arena_printf(arena, "%s/%s", path, TEMPDIR_MARK);
        assert_int_equal(mkdir(path, 0700), 0);
        if (i == 0)
            put_file(mark, "mine");
        else
            assert_int_equal(i == 1 ? mkfifo(mark, 0600) : symlink("nowhere", mark), 0);
        sweep();
        struct stat st;
        assert_int_equal(lstat(mark, &st), 0);
    }
}

/* It is only looked at: no signal goes to a process that lives. An id beyond all others is nobody's. */
TEST(the_living_keep_theirs)
{
    const pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    const char *its = put_folder(arena_printf(arena, "dcgen-%d-0123456789abcdef", (int)child), FORMAT),
               *nobodys = put_folder("dcgen-999999999-0123456789abcdef", FORMAT);
    int status = 0;
    sweep();
    assert_true(there(its));
    assert_false(there(nobodys));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    sweep();
    assert_false(there(its));
}

/* Another process may hold it whose id is not seen here. */
TEST(a_locked_folder_stays)
{
    const char *path = put_folder(left_by(dead_process(), "0123456789abcdef"), FORMAT);
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    sweep();
    assert_true(there(path));
    close(fd);
    sweep();
    assert_false(there(path));
}

TEST(links_are_not_followed)
{
    const int dead = (int)dead_process();
    const char *real = put_folder("mine", FORMAT), *folder = put_folder(left_by(dead, "1123456789abcdef"), NULL);
    const char *link = in_root(left_by(dead, "0123456789abcdef"));
    assert_int_equal(symlink(real, link), 0);
    assert_int_equal(
        symlink(arena_printf(arena, "%s/%s", real, TEMPDIR_MARK), arena_printf(arena, "%s/%s", folder, TEMPDIR_MARK)),
        0);
    sweep();
    assert_true(there(arena_printf(arena, "%s/thesis.tex", real)));
    assert_true(there(arena_printf(arena, "%s/thesis.tex", folder)));
    assert_true(there(link));
}

/* Another user's may be put there to have ours removed, or to have us fail. */
TEST(another_users_folder_stays)
{
    const char *path = put_folder(left_by(dead_process(), "0123456789abcdef"), FORMAT);
    if (chown(path, 65534, 65534) != 0) {
        print_message("skipped: only root can give a folder to another user\n");
        skip();
    }
    sweep();
    assert_true(there(path));
}

/* Killed between making and marking: the folder is empty, or so is the mark. */
TEST(a_run_killed_at_once_leaves_nothing)
{
    const int dead = (int)dead_process();
    const char *empty = in_root(left_by(dead, "0123456789abcdef"));
    const char *begun = in_root(left_by(dead, "1123456789abcdef"));
    assert_int_equal(mkdir(empty, 0700) | mkdir(begun, 0700), 0);
    put_file(arena_printf(arena, "%s/%s", begun, TEMPDIR_MARK), "");
    sweep();
    assert_false(there(empty));
    assert_false(there(begun));
}

static bool keep(void *ctx, const char *path)
{
    *(const char **)ctx = path;
    return false;
}

TEST(what_is_to_be_saved_stays)
{
    const char *seen = NULL, *path = put_folder(left_by(dead_process(), "0123456789abcdef"), FORMAT);
    tempdir_sweep(arena, root, PREFIX, keep, &seen);
    assert_string_equal(seen, path);
    assert_true(there(arena_printf(arena, "%s/thesis.tex", path)));
}

/* Whatever is within it; what cannot be made is told by errno. */
TEST(what_lies_deeper_goes_too)
{
    TempDir t;
    assert_true(tempdir_make(arena, root, PREFIX, &t));
    assert_int_equal(mkdir(arena_printf(arena, "%s/deep", t.path), 0700), 0);
    put_file(arena_printf(arena, "%s/deep/%s", t.path, TEMPDIR_MARK), FORMAT);
    put_file(arena_printf(arena, "%s/deep/x", t.path), "x");
    tempdir_remove(&t);
    assert_false(there(t.path));
    errno = 0;
    assert_false(tempdir_make(arena, in_root("none"), PREFIX, &t));
    assert_int_equal(errno, ENOENT);
    put_file(in_root("file"), "x");
    assert_false(tempdir_make(arena, in_root("file"), PREFIX, &t));
    assert_int_equal(errno, ENOTDIR);
    sweep(); /* nothing is there: no fault */
    tempdir_sweep(arena, in_root("none"), PREFIX, NULL, NULL);
}

TEST_EACH(set_up, tear_down)
