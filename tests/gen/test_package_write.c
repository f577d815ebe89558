/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: the package is there whole or as before, whatever fails and whenever the program is killed, and
 * nothing is left beside it.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/package_write.h"

enum { NFILE = 6, FILE_BYTES = 20000, NOBODY = 65534 };

static const char *const NAMES[NFILE] = {
    "spec.cfg", "dispatch.h", "kernels.c", "README.md", "src/a/deep.c", "src/b.c"
};

/* ---- a folder for each test, and packages whose every byte tells their version ---- */

static Arena *arena;
static char root[64];

static int folder_setup(void **state)
{
    (void)state;
    arena = arena_new();
    strcpy(root, "/tmp/dcgen-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int folder_teardown(void **state)
{
    (void)state;
    char *command = arena_printf(arena, "chmod -R u+rwx '%s'; rm -rf '%s'", root, root);
    int rc = system(command);
    arena_free(arena);
    return rc;
}

static const char *in_root(const char *name) { return arena_printf(arena, "%s/%s", root, name); }

static Package package_of(char version)
{
    Package p = { ARENA_ARRAY(arena, NFILE, PackageFile), NFILE };
    char *text = arena_alloc(arena, FILE_BYTES);
    memset(text, version, FILE_BYTES);
    for (int i = 0; i < NFILE; i++)
        p.file[i] = (PackageFile){ NAMES[i], text, FILE_BYTES };
    return p;
}

static bool write_version(char version, const char *outdir, const char **err)
{
    Package p = package_of(version);
    *err = NULL;
    return package_write(&p, outdir, err, arena);
}

static void write_ok(char version, const char *outdir)
{
    const char *err;
    if (!write_version(version, outdir, &err))
        fail_msg("%s", err);
}

static void write_fails(char version, const char *outdir, const char *message)
{
    const char *err;
    assert_false(write_version(version, outdir, &err));
    assert_non_null(err);
    if (!strstr(err, message))
        fail_msg("the error is '%s', not '%s'", err, message);
    assert_null(strchr(err, '\n'));
}

/* The version of a file, or 0 when it is not all of one. */
static char file_version(const char *path)
{
    static char text[FILE_BYTES + 1];
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t i = 1; i < n; i++)
        if (text[i] != text[0])
            return 0;
    return n == FILE_BYTES ? text[0] : 0;
}

/* The version of the whole package, or 0 when it is mixed or lacks something. */
static char package_version(const char *dir)
{
    char version = 0;
    for (int i = 0; i < NFILE; i++) {
        char v = file_version(arena_printf(arena, "%s/%s", dir, NAMES[i]));
        if (!v || (version && v != version))
            return 0;
        version = v;
    }
    return version;
}

static int nentry(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void put_folder(const char *path) { assert_int_equal(mkdir(path, 0755), 0); }

/* Runs `act` in a child (whose limits and privileges it may spoil); its exit code, or 128 + signal. */
static int in_child(int (*act)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(act());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- what is written ----------------------------------------------------------- */

static void new_package_with_parents(void **state)
{
    (void)state;
    write_ok('a', in_root("x/y/pkg"));
    assert_int_equal(package_version(in_root("x/y/pkg")), 'a');
    assert_int_equal(nentry(in_root("x/y")), 1);
    assert_int_equal(nentry(in_root("x/y/pkg")), 5);
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(in_root("x/y/pkg"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0777 & ~mask);
    assert_int_equal(stat(in_root("x/y/pkg/kernels.c"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static void old_package_is_replaced_whole(void **state)
{
    (void)state;
    write_ok('a', in_root("pkg"));
    put_file(in_root("pkg/only-in-a.txt"), "x");
    write_ok('b', in_root("pkg/"));
    assert_int_equal(package_version(in_root("pkg")), 'b');
    assert_int_not_equal(access(in_root("pkg/only-in-a.txt"), F_OK), 0);
    assert_int_equal(nentry(root), 1);
}

static void empty_folder_and_empty_file(void **state)
{
    (void)state;
    const char *err = NULL;
    Package p = { (PackageFile[]){ { "empty", "", 0 } }, 1 };
    put_folder(in_root("pkg"));
    if (!package_write(&p, in_root("pkg"), &err, arena))
        fail_msg("%s", err);
    struct stat st;
    assert_int_equal(stat(in_root("pkg/empty"), &st), 0);
    assert_int_equal(st.st_size, 0);
}

static void relative_path(void **state)
{
    (void)state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(root), 0);
    write_ok('a', "pkg");
    write_ok('b', "./pkg//");
    write_ok('c', "x/../pkg2/./p");
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_int_equal(package_version(in_root("pkg")), 'b');
    assert_int_equal(package_version(in_root("pkg2/p")), 'c');
}

static void links_are_written_through(void **state)
{
    (void)state;
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

static void not_a_package_is_refused(void **state)
{
    (void)state;
    put_file(in_root("file"), "mine");
    write_fails('a', in_root("file"), "is not a folder");
    put_folder(in_root("home"));
    put_file(in_root("home/thesis.tex"), "mine");
    write_fails('a', in_root("home"), "holds other files and is not a dcgen package");
    put_file(in_root("home/spec.cfg"), "mine");
    write_fails('a', in_root("home"), "it lacks spec.cfg or dispatch.h");
    assert_int_equal(access(in_root("home/thesis.tex"), F_OK), 0);
    write_fails('a', in_root("file/pkg"), "Not a directory");
    write_fails('a', "", "is empty");
    write_fails('a', "/", "cannot be replaced");
    assert_int_equal(symlink("loop", in_root("loop")), 0);
    write_fails('a', in_root("loop"), "symbolic links");
    assert_int_equal(nentry(root), 3);
}

static void current_folder_is_refused(void **state)
{
    (void)state;
    char *before = getcwd(NULL, 0);
    write_ok('a', in_root("pkg"));
    assert_int_equal(chdir(in_root("pkg/src")), 0);
    write_fails('b', "..", "the current folder");
    write_fails('b', in_root("pkg"), "the current folder");
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_int_equal(package_version(in_root("pkg")), 'a');
}

static void paths_outside_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = { "", "/etc/x", "..", "../x", "a/../../x", "a/..", "./x", "a//b", "a/", "a/." };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *err = NULL;
        Package p = { (PackageFile[]){ { "good.c", "x", 1 }, { paths[i], "x", 1 } }, 2 };
        assert_false(package_write(&p, in_root("pkg"), &err, arena));
        assert_non_null(strstr(err, "no path within a package"));
    }
    assert_int_equal(nentry(root), 0);
}

static void names_that_collide_are_refused(void **state)
{
    (void)state;
    const char *err = NULL;
    Package p = { (PackageFile[]){ { "a", "x", 1 }, { "a/b", "x", 1 } }, 2 };
    assert_false(package_write(&p, in_root("pkg"), &err, arena));
    assert_non_null(strstr(err, "'a/b'"));
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

static void full_disk_keeps_the_old_package(void **state)
{
    (void)state;
    assert_int_equal(in_child(write_with_small_files), 0);
    assert_int_equal(nentry(root), 0);
    write_ok('a', in_root("pkg"));
    assert_int_equal(in_child(write_with_small_files), 0);
    assert_int_equal(package_version(in_root("pkg")), 'a');
    assert_int_equal(nentry(root), 1);
}

static int write_as_nobody(void)
{
    const char *err;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return 77;
    return !write_version('b', in_root("pkg"), &err) && strstr(err, "Permission denied") ? 0 : 1;
}

static void read_only_parent_keeps_the_old_package(void **state)
{
    (void)state;
    write_ok('a', in_root("pkg"));
    assert_int_equal(chmod(root, 0555), 0);
    int code = in_child(write_as_nobody);
    assert_int_equal(chmod(root, 0755), 0);
    if (code == 77) {
        print_message("skipped: runs as root and cannot become another user\n");
        skip();
    }
    assert_int_equal(code, 0);
    assert_int_equal(package_version(in_root("pkg")), 'a');
    assert_int_equal(nentry(root), 1);
}

static void parent_that_takes_no_folders(void **state)
{
    (void)state;
    write_fails('a', "/proc/dcgen-test/pkg", "cannot create the folder '/proc/dcgen-test'");
    write_fails('a', "/proc/dcgen-test", "cannot write a folder in '/proc'");
}

/* ---- without RENAME_EXCHANGE ------------------------------------------------------------ */

/* Makes renameat2 with flags fail as on file systems that lack it. */
static bool forbid_exchange(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

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

static void works_without_exchange(void **state)
{
    (void)state;
    int code = in_child(write_without_exchange);
    if (code == 77) {
        print_message("skipped: no seccomp filter can be set here\n");
        skip();
    }
    assert_int_equal(code, 0);
    assert_int_equal(nentry(root), 1);
}

/* ---- killed runs ---------------------------------------------------------------------------- */

/* A process id that no process has: that of a child that has ended. */
static long dead_pid(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

static void leftovers_of_dead_runs_are_swept(void **state)
{
    (void)state;
    const char *dead = in_root(arena_printf(arena, ".pkg.tmp.%ld.00", dead_pid()));
    const char *alive = in_root(arena_printf(arena, ".pkg.tmp.%ld.00", (long)getppid()));
    const char *other = in_root(arena_printf(arena, ".pkg2.tmp.%ld.00", dead_pid()));
    const char *strange = in_root(".pkg.tmp.x");
    put_folder(dead);
    put_file(arena_printf(arena, "%s/half", dead), "x");
    put_folder(alive);
    put_folder(other);
    put_folder(strange);
    write_ok('a', in_root("pkg"));
    assert_int_not_equal(access(dead, F_OK), 0);
    assert_int_equal(access(alive, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(access(strange, F_OK), 0);
}

static void package_set_aside_is_put_back(void **state)
{
    (void)state;
    const char *aside = in_root(arena_printf(arena, ".pkg.old.%ld.00", dead_pid()));
    write_ok('a', in_root("pkg"));
    assert_int_equal(rename(in_root("pkg"), aside), 0);    /* as if killed between the two renames */
    assert_int_equal(in_child(write_with_small_files), 0); /* a run that fails must not lose it */
    assert_int_equal(package_version(in_root("pkg")), 'a');
    assert_int_equal(nentry(root), 1);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_s(double s)
{
    struct timespec t = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };
    nanosleep(&t, NULL);
}

/* A child that writes versions a, b, a, b ... until it is killed after delay_s. */
static void kill_while_writing(const char *outdir, double delay_s)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const char *err;
        for (int i = 0;; i++)
            if (!write_version(i % 2 ? 'b' : 'a', outdir, &err))
                _exit(1);
    }
    sleep_s(delay_s);
    int status;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it did not fail by itself */
}

static void killed_at_any_moment_leaves_a_whole_package(void **state)
{
    (void)state;
    enum { NKILL = 120 };
    int nleft = 0;
    const char *outdir = in_root("pkg");
    double start = now_s();
    for (int i = 0; i < 4; i++)
        write_ok('a', outdir);
    double write_s = (now_s() - start) / 4;
    unsigned seed = 1;
    for (int i = 0; i < NKILL; i++) {
        kill_while_writing(outdir, 2 * write_s * (double)rand_r(&seed) / RAND_MAX);
        char version = package_version(outdir);
        if (version != 'a' && version != 'b')
            fail_msg("after kill %d the package is not whole", i);
        nleft += nentry(root) > 1;
    }
    if (nleft == 0)
        fail_msg("no kill of %d hit a write", NKILL);
    write_ok('c', outdir);
    assert_int_equal(package_version(outdir), 'c');
    assert_int_equal(nentry(root), 1);
}

static void two_writers_at_once(void **state)
{
    (void)state;
    const char *outdir = in_root("pkg");
    pid_t child[2];
    for (int k = 0; k < 2; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            const char *err;
            for (int i = 0; i < 20; i++)
                if (!write_version((char)('a' + k), outdir, &err))
                    _exit(1);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(new_package_with_parents),
        TEST(old_package_is_replaced_whole),
        TEST(empty_folder_and_empty_file),
        TEST(relative_path),
        TEST(links_are_written_through),
        TEST(not_a_package_is_refused),
        TEST(current_folder_is_refused),
        TEST(paths_outside_are_refused),
        TEST(names_that_collide_are_refused),
        TEST(full_disk_keeps_the_old_package),
        TEST(read_only_parent_keeps_the_old_package),
        TEST(parent_that_takes_no_folders),
        TEST(works_without_exchange),
        TEST(leftovers_of_dead_runs_are_swept),
        TEST(package_set_aside_is_put_back),
        TEST(killed_at_any_moment_leaves_a_whole_package),
        TEST(two_writers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
