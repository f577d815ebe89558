/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: the package is there whole or as before, whatever fails and whenever the program is killed, and
 * nothing is left beside it. (What is in the folder besides, and kills at each call: test_foreign.c.)
 * ctest: replaces
 */
#include "tests/test.h"
#include "tests/gen/package/package_folder.h"

#include <signal.h>
#include <sys/resource.h>
#include "gen/base/tempdir.h"

enum { NOBODY = 65534 };

/* ---- what is written ----------------------------------------------------------- */

TEST(new_package_with_parents)
{
    write_ok('a', in_root("x/y/pkg"));
    assert_int_equal(package_version(in_root("x/y/pkg")), 'a');
    assert_int_equal(nentry(in_root("x/y")), 1);
    assert_int_equal(nentry(in_root("x/y/pkg")), 6);
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(in_root("x/y/pkg"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0777 & ~mask);
    assert_int_equal(stat(in_root("x/y/pkg/kernels.c"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

TEST(texts_are_found_by_their_path)
{
    const Package p = package_of('a');
    for (int i = 0; i < p.n; i++)
        assert_ptr_equal(package_text(&p, p.file[i].path), p.file[i].text);
    assert_null(package_text(&p, "kernels"));
}

TEST(old_package_is_replaced_whole)
{
    const char *err, *extra = "only/in-a.txt";
    Package p = package_of('a');
    Manifest m = *manifest_read(arena, p.file[NFILE].text, &err);
    manifest_add(arena, &m, false, extra, "x", 1);
    p.file = (PackageFile[]){ p.file[0], p.file[1], { extra, "x", 1 }, { MANIFEST_PATH, manifest_text(arena, &m), 0 } };
    p.n = 4;
    p.file[3].len = strlen(p.file[3].text);
    assert_true(package_write(&p, in_root("pkg"), false, &err, arena));
    write_ok('b', in_root("pkg/"));
    assert_int_equal(package_version(in_root("pkg")), 'b');
    assert_int_not_equal(access(in_root("pkg/only"), F_OK), 0);
    assert_int_equal(nentry(in_root("pkg")), 6);
    assert_int_equal(nentry(root), 1);
}

TEST(empty_folder_and_empty_file)
{
    const char *err = NULL;
    Package p = { (PackageFile[]){ { "empty", "", 0 } }, 1 };
    put_folder(in_root("pkg"));
    if (!package_write(&p, in_root("pkg"), false, &err, arena))
        fail_msg("%s", err);
    struct stat st;
    assert_int_equal(stat(in_root("pkg/empty"), &st), 0);
    assert_int_equal(st.st_size, 0);
}

TEST(relative_path)
{
    assert_int_equal(chdir(root), 0);
    write_ok('a', "pkg");
    write_ok('b', "./pkg//");
    write_ok('c', "x/../pkg2/./p");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(package_version(in_root("pkg")), 'b');
    assert_int_equal(package_version(in_root("pkg2/p")), 'c');
}

TEST(links_are_written_through)
{
    struct stat st;
    put_folder(in_root("real"));
    assert_int_equal(symlink("real/pkg", in_root("link")), 0); /* dangling at first */
    assert_int_equal(symlink(in_root("link"), in_root("link2")), 0);
    write_ok('a', in_root("link"));
    assert_int_equal(package_version(in_root("real/pkg")), 'a');
    write_ok('b', in_root("link2/"));
    assert_int_equal(package_version(in_root("real/pkg")), 'b');
    assert_int_equal(lstat(in_root("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(nentry(root), 3);
    assert_int_equal(nentry(in_root("real")), 1);
}

/* ---- what is refused -------------------------------------------------------------- */

TEST(not_a_package_is_refused)
{
    put_file(in_root("file"), "mine");
    write_fails('a', in_root("file"), "is not a folder");
    put_folder(in_root("home"));
    put_file(in_root("home/thesis.tex"), "mine");
    write_fails('a', in_root("home"), "holds other files and is not a dcgen package");
    put_file(in_root("home/spec.cfg"), "mine");
    write_fails('a', in_root("home"), "it has no MANIFEST): spec.cfg, thesis.tex");
    assert_int_equal(access(in_root("home/thesis.tex"), F_OK), 0);
    write_fails('a', in_root("file/pkg"), "Not a directory");
    write_fails('a', "", "is empty");
    write_fails('a', "/", "cannot be replaced");
    assert_int_equal(symlink("loop", in_root("loop")), 0);
    write_fails('a', in_root("loop"), "symbolic links");
    assert_int_equal(nentry(root), 3);
}

TEST(current_folder_is_refused)
{
    write_ok('a', in_root("pkg"));
    assert_int_equal(chdir(in_root("pkg/src")), 0);
    write_fails('b', "..", "the current folder");
    write_fails('b', in_root("pkg"), "the current folder");
    assert_int_equal(chdir(".."), 0);
    write_fails('b', ".", "the current folder");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(package_version(in_root("pkg")), 'a');
}

/* A folder whose name begins alike is another. */
TEST(folder_beside_the_current_one)
{
    put_folder(in_root("pkg-of-mine"));
    write_ok('a', in_root("pkg"));
    assert_int_equal(chdir(in_root("pkg-of-mine")), 0);
    write_ok('b', in_root("pkg"));
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(package_version(in_root("pkg")), 'b');
}

/* Paths outside of the package, and a name below that of a file. */
TEST(bad_paths_are_refused)
{
    static const char *const paths[] = { "",    "/etc/x", "..", "../x", "a/../../x", "a/..",
                                         "./x", "a//b",   "a/", "a/.",  "good.c/b" };
    for (size_t i = 0; i < LENGTH(paths); i++) {
        const char *err = NULL;
        Package p = { (PackageFile[]){ { "good.c", "x", 1 }, { paths[i], "x", 1 } }, 2 };
        assert_false(package_write(&p, in_root("pkg"), false, &err, arena));
        assert_has(err, i + 1 < LENGTH(paths) ? "no path within a package" : "'good.c/b'");
    }
    assert_int_equal(nentry(root), 0);
}

/* ---- the disk fails ------------------------------------------------------------------ */

static int write_with_small_files(void)
{
    const char *err;
    struct rlimit limit = { FILE_BYTES / 2, FILE_BYTES / 2 };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return !write_version('b', in_root("pkg"), &err) && strstr(err, "cannot write 'spec.cfg'") &&
                   strstr(err, "File too large")
               ? 0
               : 1;
}

TEST(full_disk_keeps_the_old_package)
{
    assert_int_equal(in_child(write_with_small_files), 0);
    assert_int_equal(nentry(root), 0);
    write_ok('a', in_root("pkg"));
    assert_int_equal(in_child(write_with_small_files), 0);
    is_there_alone('a');
}

static int write_as_nobody(void)
{
    const char *err;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return 77;
    return !write_version('b', in_root("pkg"), &err) && strstr(err, "Permission denied") ? 0 : 1;
}

TEST(read_only_parent_keeps_the_old_package)
{
    write_ok('a', in_root("pkg"));
    assert_int_equal(chmod(root, 0555), 0);
    int code = in_child(write_as_nobody);
    assert_int_equal(chmod(root, 0755), 0);
    skip_if_cannot(code, "runs as root and cannot become another user");
    assert_int_equal(code, 0);
    is_there_alone('a');
}

TEST(parent_that_takes_no_folders)
{
    write_fails('a', "/proc/dcgen-test/pkg", "cannot create the folder '/proc/dcgen-test'");
    write_fails('a', "/proc/dcgen-test", "cannot write a folder in '/proc'");
}

/* ---- power fails ----------------------------------------------------------------------- */

enum { MAX_SYNCED = 64 };
static ino_t synced[MAX_SYNCED];
static int nsynced;

/* In place of the C library's: what was synced is remembered. */
int fsync(int fd)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && nsynced < MAX_SYNCED)
        synced[nsynced++] = st.st_ino;
    return (int)syscall(SYS_fsync, fd);
}

static bool is_synced(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (int i = 0; i < nsynced; i++)
        if (synced[i] == st.st_ino)
            return true;
    return false;
}

static bool watching;
static const char *unsynced; /* what of the package was not, when it took its place */

/* The same for what puts the package in its place, or into the folder that is exchanged with it. */
int rename(const char *from, const char *to)
{
    static const char *const folder[] = { "", "src", "src/a" };
    if (watching && strstr(from, "/new")) {
        for (int i = 0; i < NFILE; i++)
            if (!is_synced(arena_printf(arena, "%s/%s", from, NAMES[i])))
                unsynced = NAMES[i];
        for (int i = 0; i < 3; i++)
            if (!is_synced(arena_printf(arena, "%s/%s", from, folder[i])))
                unsynced = folder[i];
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

TEST(all_is_on_disk_before_the_old_one_goes)
{
    watching = true;
    for (char version = 'a'; version <= 'b'; version++) {
        nsynced = 0;
        unsynced = NULL;
        write_ok(version, in_root("pkg"));
        if (unsynced)
            fail_msg("'%s' was not synced", unsynced);
        assert_true(is_synced(root));
    }
    watching = false;
}

/* ---- without RENAME_EXCHANGE ------------------------------------------------------------ */

static int write_without_exchange(void)
{
    const char *err;
    if (!forbid_exchange())
        return 77;
    return write_version('a', in_root("pkg"), &err) && package_version(in_root("pkg")) == 'a' &&
                   write_version('b', in_root("pkg"), &err) && package_version(in_root("pkg")) == 'b'
               ? 0
               : 1;
}

TEST(works_without_exchange)
{
    int code = in_child(write_without_exchange);
    skip_if_cannot(code, "no seccomp filter can be set here");
    assert_int_equal(code, 0);
    assert_int_equal(nentry(root), 1);
}

/* ---- killed runs ---------------------------------------------------------------------------- */

static int leave_half_a_package(void)
{
    TempDir t;
    return tempdir_make(arena, root, ".pkg.tmp.", &t) && mkdir(arena_printf(arena, "%s/new", t.path), 0755) == 0 &&
                   fclose(fopen(arena_printf(arena, "%s/new/half", t.path), "w")) == 0
               ? 0
               : 1;
}

TEST(leftovers_of_dead_runs_are_swept)
{
    const char *other = in_root(arena_printf(arena, ".pkg2.tmp.%ld-0123456789abcdef", 99999999L));
    TempDir alive;
    assert_int_equal(in_child(leave_half_a_package), 0);
    assert_true(tempdir_make(arena, root, ".pkg.tmp.", &alive));
    put_folder(other);
    assert_int_equal(nentry(root), 3);
    write_ok('a', in_root("pkg"));
    assert_int_equal(nentry(root), 3);
    assert_int_equal(access(alive.path, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    tempdir_remove(&alive);
}

/* As if killed between the two renames. */
static int set_aside(void)
{
    TempDir t;
    return tempdir_make(arena, root, ".pkg.tmp.", &t) &&
                   rename(in_root("pkg"), arena_printf(arena, "%s/old", t.path)) == 0
               ? 0
               : 1;
}

TEST(package_set_aside_is_put_back)
{
    write_ok('a', in_root("pkg"));
    assert_int_equal(in_child(set_aside), 0);
    assert_int_not_equal(access(in_root("pkg"), F_OK), 0);
    assert_int_equal(in_child(write_with_small_files), 0); /* a run that fails must not lose it */
    is_there_alone('a');
}

TEST(two_writers_at_once)
{
    const char *outdir = in_root("pkg");
    pid_t child[2];
    for (int k = 0; k < 2; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            const char *err;
            for (int i = 0; i < 150; i++)
                if (!write_version((char)('a' + k), outdir, &err))
                    fprintf(stderr, "%s\n", err), _exit(1);
            _exit(0);
        }
    }
    for (int k = 0; k < 2; k++) {
        int status;
        assert_int_equal(waitpid(child[k], &status, 0), child[k]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_not_equal(package_version(outdir), 0);
    assert_int_equal(nentry(root), 1);
}

TEST_EACH(folder_setup, folder_teardown)
