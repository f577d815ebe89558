/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign: what a user keeps in a package's folder is refused before anything is touched; with --force it stays where
 * it is, whichever call that changes a folder the program is killed at.
 * ctest: replaces
 */
#include "tests/test.h"
#include "tests/gen/package/package_folder.h"

#include <signal.h>
#include "gen/base/text.h"
#include "gen/package/foreign.h"

/* ---- calls that change a folder, in place of the C library's ---- */

static int kill_at;               /* the call before which the process is killed; 0: none */
static void (*before_swap)(void); /* called before the package takes its place */
static int no_promise;            /* errno of a file system that cannot promise to replace nothing; 0: it can */

static void count_call(void)
{
    if (kill_at > 0 && --kill_at == 0)
        raise(SIGKILL);
}

static int move(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    const size_t n = strlen(to);
    if (before_swap && n > 4 && strcmp(to + n - 4, "/pkg") == 0)
        before_swap();
    count_call();
    if (no_promise && flags) {
        errno = no_promise;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int rename(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int fd, const char *from, int to_fd, const char *to) { return move(fd, from, to_fd, to, 0); }
int renameat2(int fd, const char *from, int to_fd, const char *to, unsigned f) { return move(fd, from, to_fd, to, f); }

int unlinkat(int dir, const char *path, int flags)
{
    count_call();
    return (int)syscall(SYS_unlinkat, dir, path, flags);
}

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode)
{
    count_call();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int fsync(int fd)
{
    count_call();
    return (int)syscall(SYS_fsync, fd);
}

/* ---- what a user has in the folder ---- */

static const char *const MINE[] = { "notes.txt",    ".git/HEAD", "build/deep/x.o", "src/mine.c",
                                    "src/a/mine.c", "x.jsonl",   "own/a.txt" };
enum { NMINE = sizeof MINE / sizeof *MINE };

static const char *in_pkg(const char *path) { return arena_printf(arena, "%s/pkg/%s", root, path); }

static void put_mine(void)
{
    static const char *const folder[] = { ".git", "build", "build/deep", "build/empty", "own", "src", "src/a" };
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
        if (access(in_pkg(folder[i]), F_OK) != 0)
            put_folder(in_pkg(folder[i]));
    for (int i = 0; i < NMINE; i++)
        put_file(in_pkg(MINE[i]), MINE[i]);
    assert_int_equal(symlink("notes.txt", in_pkg("link")), 0);
}

static bool is_text(const char *name, const char *want)
{
    const char *text = text_read_file(arena, in_root(name), NULL);
    return text && strcmp(text, want) == 0;
}

/* What of it is not as it was; NULL: nothing. */
static const char *lost_of_mine(void)
{
    char text[64];
    for (int i = 0; i < NMINE; i++)
        if (!is_text(arena_printf(arena, "pkg/%s", MINE[i]), MINE[i]))
            return MINE[i];
    return access(in_pkg("build/empty"), F_OK) != 0  ? "build/empty"
           : readlink(in_pkg("link"), text, 64) != 9 ? "link"
                                                     : NULL;
}

static void nothing_lost(void)
{
    const char *lost = lost_of_mine();
    if (lost)
        fail_msg("'%s' is lost", lost);
}

static void check_fails(const char *outdir, const char *message)
{
    const char *err = NULL;
    assert_false(package_check(outdir, force, &err, arena));
    assert_has(err, message);
}

/* ---- without --force ---- */

TEST(is_listed)
{
    static const char *const want[] = { ".git/", "build/",       "link",       "notes.txt",
                                        "own/",  "src/a/mine.c", "src/mine.c", "x.jsonl" };
    const char *err;
    ForeignList list;
    write_ok('a', in_root("pkg"));
    put_mine();
    assert_true(foreign_list(arena, in_root("pkg"), foreign_manifest(arena, in_root("pkg"), &err), &list));
    assert_int_equal(list.n, LENGTH(want));
    for (size_t i = 0; i < LENGTH(want); i++)
        assert_string_equal(list.path[i], want[i]);
    assert_true(foreign_list(arena, in_root("pkg"), NULL, &list));
    assert_int_equal(list.n, 6 + 6); /* everything; src/ is one */
}

TEST(is_refused)
{
    const char *message = "'%s' holds what is not the package's: .git/, build/, link, notes.txt and 4 more; move it "
                          "elsewhere, or give --force";
    write_ok('a', in_root("pkg"));
    put_mine();
    message = arena_printf(arena, message, in_root("pkg"));
    check_fails(in_root("pkg"), message);
    write_fails('b', in_root("pkg"), message);
    nothing_lost();
    is_there_alone('a');
}

TEST(each_alone_is_refused)
{
    static const char *const entry[] = { "note", "src/note", "src/a/note" };
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
        write_ok('a', in_root("pkg"));
        for (int k = 0; k < 3; k++) {
            if (k == 0)
                put_file(in_pkg(entry[i]), "mine");
            else if (k == 1)
                put_folder(in_pkg(entry[i]));
            else
                assert_int_equal(symlink("/no/such/file", in_pkg(entry[i])), 0);
            write_fails('b', in_root("pkg"), arena_printf(arena, "not the package's: %s", entry[i]));
            assert_int_equal(remove(in_pkg(entry[i])), 0);
        }
    }
}

/* A user's own spec.cfg and dispatch.h make no package. */
TEST(without_a_manifest)
{
    put_folder(in_root("pkg"));
    put_mine();
    put_file(in_pkg("spec.cfg"), "mine");
    put_file(in_pkg("dispatch.h"), "mine");
    check_fails(in_root("pkg"),
                "is not a dcgen package (it has no MANIFEST): .git/, build/, dispatch.h, link and 5 more");
    write_fails('a', in_root("pkg"), "is not a dcgen package");
    force = true;
    write_fails('a', in_root("pkg"), "'dispatch.h' in");
    assert_int_equal(remove(in_pkg("spec.cfg")) | remove(in_pkg("dispatch.h")), 0);
    write_ok('a', in_root("pkg"));
    nothing_lost();
    assert_int_equal(package_version(in_root("pkg")), 'a');
}

TEST(with_a_manifest_that_is_none)
{
    write_ok('a', in_root("pkg"));
    put_file(in_pkg("MANIFEST"), "my own list\n");
    for (int i = 0; i < 2; i++, force = true) {
        check_fails(in_root("pkg"), "MANIFEST' does not say which files are dcgen's: line 1");
        write_fails('b', in_root("pkg"), "MANIFEST' does not say");
    }
    assert_int_equal(unlink(in_pkg("MANIFEST")), 0);
    assert_int_equal(mkfifo(in_pkg("MANIFEST"), 0600), 0);
    write_fails('b', in_root("pkg"), "MANIFEST' does not say which files are dcgen's: it is no file");
    assert_int_equal(package_version(in_root("pkg")), 'a');
}

/* As git may have written it. */
TEST(with_a_manifest_of_other_line_ends)
{
    write_ok('a', in_root("pkg"));
    assert_int_equal(system(arena_printf(arena, "sed -i 's/$/\\r/' '%s'", in_pkg("MANIFEST"))), 0);
    write_ok('b', in_root("pkg"));
    assert_int_equal(package_version(in_root("pkg")), 'b');
}

/* ---- with --force ---- */

TEST(is_kept)
{
    force = true;
    write_ok('a', in_root("pkg"));
    put_mine();
    write_ok('b', in_root("pkg"));
    nothing_lost();
    is_there_alone('b');
    const char *err = NULL;
    Package few = package_of('c'); /* without src: that folder is now the user's alone */
    Manifest m = { .package = "pkg", .version = "0" };
    few.n = 2;
    manifest_add(arena, &m, false, few.file[0].path, few.file[0].text, few.file[0].len);
    few.file[1] = (PackageFile){ MANIFEST_PATH, manifest_text(arena, &m), 0 };
    few.file[1].len = strlen(few.file[1].text);
    assert_true(package_write(&few, in_root("pkg"), true, &err, arena));
    nothing_lost();
    assert_int_not_equal(access(in_pkg("src/b.c"), F_OK), 0);
    write_ok('d', in_root("pkg"));
    nothing_lost();
    assert_int_equal(package_version(in_root("pkg")), 'd');
}

/* A file that is open, such as the records that this very run appends to. */
TEST(an_open_file_stays_that_file)
{
    force = true;
    write_ok('a', in_root("pkg"));
    put_mine();
    FILE *f = fopen(in_pkg("x.jsonl"), "a");
    write_ok('b', in_root("pkg"));
    fputs(" and more", f);
    assert_int_equal(fclose(f), 0);
    struct stat st;
    assert_int_equal(stat(in_pkg("x.jsonl"), &st), 0);
    assert_int_equal(st.st_size, strlen("x.jsonl and more"));
}

/* A foreign entry where the package wants a file, or a folder for one; one that cannot be moved. */
TEST(in_the_way_is_refused)
{
    const char *err = NULL;
    force = true;
    write_ok('a', in_root("pkg"));
    static const struct {
        const char *mine, *path;
        bool folder;
    } row[] = { { "new.h", "new.h", false },
                { "new.h", "new.h", true },
                { "new", "new/x.h", false },
                { "src/new", "src/new", false },
                { "src/new", "src/new/x.h", false } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Package p = package_of('b');
        p.file[0].path = row[i].path;
        if (row[i].folder)
            put_folder(in_pkg(row[i].mine));
        else
            put_file(in_pkg(row[i].mine), "mine");
        assert_false(package_write(&p, in_root("pkg"), true, &err, arena));
        assert_has(err, arena_printf(arena, "'%s%s' in '%s' is none of dcgen's files and in the way of one",
                                     row[i].mine, row[i].folder ? "/" : "", in_root("pkg")));
        assert_int_equal(remove(in_pkg(row[i].mine)), 0);
    }
    assert_int_equal(unlink(in_pkg("kernels.c")), 0); /* a listed name, but now a user's folder */
    put_folder(in_pkg("kernels.c"));
    write_fails('b', in_root("pkg"), "'kernels.c/' in");
    assert_int_equal(nentry(root), 1);
}

/* The package has files alone: a link or a pipe under the name of one is a user's, also where what the link leads to is
 * a file. */
TEST(a_link_in_place_of_a_file_is_refused)
{
    static const char *const to[] = { "b.c", "/no/such/file", ".", NULL };
    static const char *const listed[] = { "src/a/deep.c", "kernels.c" };
    write_ok('a', in_root("pkg"));
    put_file(in_root("notes"), "mine");
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        for (size_t k = 0; k < sizeof listed / sizeof *listed; k++) {
            const char *path = in_pkg(listed[k]);
            assert_int_equal(unlink(path), 0);
            assert_int_equal(to[i] ? symlink(to[i], path) : mkfifo(path, 0600), 0);
            force = false;
            write_fails('b', in_root("pkg"), arena_printf(arena, "not the package's: %s", listed[k]));
            force = true;
            write_fails('b', in_root("pkg"), arena_printf(arena, "'%s' in", listed[k]));
            struct stat st;
            assert_int_equal(lstat(path, &st), 0);
            assert_true(to[i] ? S_ISLNK(st.st_mode) : S_ISFIFO(st.st_mode));
            assert_int_equal(unlink(path), 0);
            write_ok('a', in_root("pkg"));
        }
}

/* ---- what comes late ---- */

static void put_late(void)
{
    before_swap = NULL;
    if (!force)
        put_mine();
    put_file(in_pkg("late"), "mine");
}

TEST(what_comes_late_stays)
{
    write_ok('a', in_root("pkg"));
    for (int i = 0; i < 2; i++, force = true) {
        before_swap = put_late;
        write_ok('b', in_root("pkg"));
        assert_null(before_swap);
        nothing_lost();
        assert_int_equal(access(in_pkg("late"), F_OK), 0);
        assert_int_equal(package_version(in_root("pkg")), 'b');
        assert_int_equal(remove(in_pkg("late")), 0);
    }
    assert_int_equal(nentry(root), 1);
}

static void put_into_empty(void)
{
    before_swap = NULL;
    put_file(in_pkg("late"), "mine");
}

TEST(an_empty_folder_that_is_none_any_more)
{
    put_folder(in_root("pkg"));
    before_swap = put_into_empty;
    write_ok('a', in_root("pkg"));
    assert_int_equal(access(in_pkg("late"), F_OK), 0);
    is_there_alone('a');
}

static int nswap;

/* Another process removes the former package just before it is exchanged. */
static void remove_at_exchange(void)
{
    if (++nswap == 2)
        assert_int_equal(system(arena_printf(arena, "rm -rf '%s'", in_root("pkg"))), 0);
}

TEST(a_package_that_goes_meanwhile)
{
    write_ok('a', in_root("pkg"));
    nswap = 0;
    before_swap = remove_at_exchange;
    write_ok('b', in_root("pkg"));
    before_swap = NULL;
    assert_int_equal(nswap, 3); /* into its place, in exchange, and again */
    is_there_alone('b');
}

/* Where a file of the package goes: it stays where it is told, until it is moved away. */
static void put_in_the_way(void)
{
    before_swap = NULL;
    assert_int_equal(unlink(in_pkg("kernels.c")), 0);
    put_folder(in_pkg("kernels.c"));
    put_file(in_pkg("kernels.c/thesis.tex"), "mine");
}

TEST(what_comes_late_and_has_no_place)
{
    write_ok('a', in_root("pkg"));
    before_swap = put_in_the_way;
    write_fails('b', in_root("pkg"), "have no place there any more and are in '");
    assert_int_equal(package_version(in_root("pkg")), 'b');
    check_fails(in_root("pkg"), "move them away, then try again");
    const char *move_away =
        arena_printf(arena, "mv '%s'/.pkg.tmp.*/old/kernels.c/thesis.tex '%s' && rmdir '%s'/.pkg.tmp.*/old/kernels.c",
                     root, root, root);
    assert_int_equal(system(move_away), 0);
    write_ok('c', in_root("pkg"));
    assert_int_equal(nentry(root), 2);
}

/* ---- into another folder ---- */

/* What is the package's goes, what is foreign comes; also where the file system cannot promise to replace nothing. */
TEST(is_moved)
{
    static const int problem[] = { 0, EINVAL, ENOSYS, ENOTSUP };
    for (int i = 0; i < 4; i++) {
        const char *to = arena_printf(arena, "to%d", i), *mine = arena_printf(arena, "%s/src/mine.c", to);
        no_promise = 0;
        force = true;
        write_ok('a', in_root("pkg"));
        put_file(in_pkg("notes"), "mine");
        put_folder(in_root(to));
        no_promise = problem[i];
        assert_true(foreign_move(arena, in_root("pkg"), in_root(to)));
        assert_int_not_equal(access(in_root("pkg"), F_OK), 0);
        assert_int_equal(nentry(in_root(to)), 1); /* no folder of the package's */
        assert_true(is_text(arena_printf(arena, "%s/notes", to), "mine"));
        no_promise = 0;
        write_ok('a', in_root("pkg"));
        put_file(in_pkg("src/mine.c"), "mine");
        put_file(in_pkg("notes"), "other");
        put_folder(in_root(arena_printf(arena, "%s/src", to)));
        no_promise = problem[i];
        assert_false(foreign_move(arena, in_root("pkg"), in_root(to))); /* one of that name is there */
        no_promise = 0;
        assert_true(is_text(arena_printf(arena, "%s/notes", to), "mine") && is_text("pkg/notes", "other"));
        assert_true(is_text(mine, "mine"));
        assert_int_equal(nentry(in_root("pkg")), 2); /* MANIFEST still tells whose it is */
        assert_int_equal(access(in_pkg(MANIFEST_PATH), F_OK), 0);
        assert_int_equal(remove(in_pkg("notes")), 0);
    }
    put_file(in_pkg("notes"), "mine");
    put_folder(in_root("to"));
    no_promise = EIO;
    assert_false(foreign_move(arena, in_root("pkg"), in_root("to")));
    no_promise = 0;
    assert_int_equal(nentry(in_root("to")), 0);
    assert_true(is_text("pkg/notes", "mine"));
    assert_false(foreign_move(arena, in_root("none"), in_root("to")));
    assert_false(foreign_move(arena, in_root("pkg"), in_root("none")));
}

/* A folder that only a template's path begins with is not the package's. */
TEST(templates_are_elsewhere)
{
    const char *err = "?";
    ForeignList list;
    Manifest m = { .package = "pkg", .version = "0" };
    manifest_add(arena, &m, true, "dense/op.cfg", "", 0);
    manifest_add(arena, &m, false, "denser/a.c", "", 0);
    put_folder(in_root("pkg"));
    put_folder(in_pkg("dense"));
    put_folder(in_pkg("denser"));
    put_file(in_pkg("dense/op.cfg"), "mine");
    put_file(in_pkg("denser/b.c"), "mine");
    assert_true(foreign_list(arena, in_root("pkg"), &m, &list));
    assert_int_equal(list.n, 2);
    assert_string_equal(list.path[0], "dense/");
    assert_string_equal(list.path[1], "denser/b.c");
    assert_false(foreign_list(arena, in_pkg("denser/b.c"), &m, &list));
    assert_int_equal(list.n, 0);
    assert_null(foreign_manifest(arena, in_pkg("denser/b.c"), &err));
    assert_null(err);
    char name[400] = ""; /* longer than a name may be, so that nobody can tell what is there */
    memset(name, 'x', sizeof name - 1);
    assert_null(foreign_manifest(arena, in_pkg(name), &err));
    assert_string_equal(err, "it is no file that can be read");
}

/* ---- kills ---- */

static int write_until_killed(void)
{
    const char *err;
    return write_version('b', in_root("pkg"), &err) ? 0 : 1;
}

static int write_until_killed_without_exchange(void) { return forbid_exchange() ? write_until_killed() : 77; }

/* Killed before the first call, the second ..., until one run comes to its end. The next run completes what was
 * begun. */
static void kill_at_each_call(int (*write)(void))
{
    const char *err;
    int ncall = 0, code = 128 + SIGKILL;
    force = true;
    write_ok('a', in_root("pkg"));
    put_mine();
    while (code == 128 + SIGKILL) {
        kill_at = ++ncall;
        code = in_child(write);
        kill_at = 0;
        const bool there = access(in_root("pkg"), F_OK) == 0;
        const char *wrong = write == write_until_killed && !there                   ? "there is no package"
                            : there && !package_version(in_root("pkg"))             ? "the package is not whole"
                            : !package_check(in_root("pkg"), true, &err, arena)     ? err
                            : lost_of_mine()                                        ? lost_of_mine()
                            : !package_version(in_root("pkg")) || nentry(root) != 1 ? "something is left"
                                                                                    : NULL;
        if (wrong)
            fail_msg("killed at call %d: %s", ncall, wrong);
    }
    skip_if_cannot(code, "no seccomp filter can be set here");
    assert_int_equal(code, 0);
    assert_int_equal(package_version(in_root("pkg")), 'b');
    assert_in_range(ncall, 30, 1000);
}

TEST(killed_at_any_call_loses_nothing) { kill_at_each_call(write_until_killed); }

TEST(nor_without_exchange) { kill_at_each_call(write_until_killed_without_exchange); }

/* ---- where a file is ---- */

TEST(place_in_the_folder)
{
    put_folder(in_root("pkg"));
    put_folder(in_root("pkg/sub"));
    put_folder(in_root("pkg-2"));
    assert_int_equal(symlink("pkg", in_root("link")), 0);
    assert_int_equal(symlink("pkg/x.jsonl", in_root("to-x")), 0);
    put_file(in_root("pkg/x.jsonl"), "");
    const struct {
        const char *outdir, *path, *place;
    } row[] = {
        { "pkg", "pkg/x.jsonl", "x.jsonl" },
        { "pkg/", "pkg/sub/../x", "x" },
        { "link", "pkg/x.jsonl", "x.jsonl" },
        { "pkg", "link/sub/x", "sub/x" },
        { "pkg", "to-x", "x.jsonl" },
        { "pkg", "pkg.jsonl", NULL },
        { "pkg", "pkg-2/x", NULL },
        { "pkg", "x", NULL },
        { "none", "none/deep/x", "deep/x" },
        { "none", "none.x", NULL },
        { "pkg", "pkg", NULL },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *place = package_place(arena, in_root(row[i].outdir), in_root(row[i].path));
        if (row[i].place ? !place || strcmp(place, row[i].place) != 0 : place != NULL)
            fail_msg("%s in %s is at '%s'", row[i].path, row[i].outdir, place ? place : "nowhere");
    }
}

TEST_EACH(folder_setup, folder_teardown)
