/* SPDX-License-Identifier: Apache-2.0
 *
 * package_folder: a folder for each test of package_write, packages whose every byte tells their version, and children
 * that are killed.
 */
#ifndef DCGEN_TEST_PACKAGE_FOLDER_H
#define DCGEN_TEST_PACKAGE_FOLDER_H

#define _GNU_SOURCE
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/package/manifest.h"
#include "gen/package/package_write.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

enum { NFILE = 6, FILE_BYTES = 20000 };

static const char *const NAMES[NFILE] = {
    "spec.cfg", "dispatch.h", "kernels.c", "README.md", "src/a/deep.c", "src/b.c"
};

/* ---- a folder for each test, and packages whose every byte tells their version ---- */

static bool force; /* --force */
static int nopen;  /* before the test: it leaves no more */

static int folder_setup(void **state)
{
    nopen = open_files();
    force = false;
    return place_setup(state);
}

static int folder_teardown(void **state)
{
    const int rc = place_teardown(state);
    return open_files() == nopen ? rc : -1;
}

/* With a MANIFEST. */
static Package package_of(char version)
{
    Package p = { ARENA_ARRAY(arena, NFILE + 1, PackageFile), NFILE + 1 };
    Manifest m = { .package = "pkg", .version = "0" };
    char *text = arena_alloc(arena, FILE_BYTES);
    memset(text, version, FILE_BYTES);
    for (int i = 0; i < NFILE; i++) {
        p.file[i] = (PackageFile){ NAMES[i], text, FILE_BYTES };
        manifest_add(arena, &m, false, NAMES[i], text, FILE_BYTES);
    }
    const char *manifest = manifest_text(arena, &m);
    p.file[NFILE] = (PackageFile){ MANIFEST_PATH, manifest, strlen(manifest) };
    return p;
}

static bool write_version(char version, const char *outdir, const char **err)
{
    Package p = package_of(version);
    *err = NULL;
    return package_write(&p, outdir, force, err, arena);
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
    assert_has(err, message);
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

/* The package is in its folder, whole, of that version, and alone there. */
static void is_there_alone(char version)
{
    assert_int_equal(package_version(in_root("pkg")), version);
    assert_int_equal(nentry(root), 1);
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

/* Of a child that says by 77 that it cannot do so here. */
static inline void skip_if_cannot(int code, const char *why)
{
    if (code == 77) {
        print_message("skipped: %s\n", why);
        skip();
    }
}

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

#endif
