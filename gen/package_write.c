/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: see the header. The temporary folder is named .<name>.tmp.<pid>.<random> and locked while it is
 * written; one whose process is gone and whose lock is free is left over. Where the file system cannot exchange two
 * folders in one step, the old one is first renamed to .<name>.old.<pid>.<random>; a run that finds such a folder
 * and no package puts it back.
 */
#define _GNU_SOURCE /* renameat2 */
#include "gen/package_write.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINK = 40, MAX_TRY = 16 };

typedef struct {
    Arena *arena;
    const char **err;
    const char *outdir;        /* as the user wrote it, for messages */
    const char *parent, *name; /* of the folder to write, links followed */
    const char *target;        /* parent/name */
    const char *tmp;           /* the temporary folder */
    int tmp_fd;                /* holds its lock */
} Writer;

const char *package_text(const Package *p, const char *path)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->file[i].path, path) == 0)
            return p->file[i].text;
    return NULL;
}

__attribute__((format(printf, 2, 3))) static bool fail(const Writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    *w->err = arena_vprintf(w->arena, fmt, ap);
    va_end(ap);
    return false;
}

/* With errno's text. */
static bool fail_errno(const Writer *w, const char *what, const char *path)
{
    return fail(w, "cannot %s '%s': %s", what, path, strerror(errno));
}

/* ---- removing ----------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    remove(path);
    return 0; /* go on: what cannot be removed now is swept by a later run */
}

static void remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

/* ---- where to write ------------------------------------------------------ */

static char *without_trailing_slashes(Arena *a, const char *path)
{
    char *s = arena_strdup(a, path);
    for (size_t n = strlen(s); n > 1 && s[n - 1] == '/'; n--)
        s[n - 1] = '\0';
    return s;
}

/* "a/b" -> "a", "b" -> ".", "/b" -> "/" */
static const char *parent_of(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : without_trailing_slashes(a, arena_strndup(a, path, (size_t)(slash - path)));
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *path_join(Arena *a, const char *dir, const char *name)
{
    return arena_printf(a, "%s%s%s", dir, strcmp(dir, "/") == 0 ? "" : "/", name);
}

/* Follows links by hand, as the last one may point to a folder that is not there yet. */
static const char *follow_links(const Writer *w, const char *path)
{
    char to[PATH_MAX];
    for (int i = 0; i < MAX_LINK; i++) {
        ssize_t n = readlink(path, to, sizeof to - 1);
        if (n < 0)
            return path;
        to[n] = '\0';
        path = to[0] == '/' ? arena_strdup(w->arena, to) : path_join(w->arena, parent_of(w->arena, path), to);
        path = without_trailing_slashes(w->arena, path);
    }
    errno = ELOOP;
    fail_errno(w, "write", w->outdir);
    return NULL;
}

static bool target_resolve(Writer *w)
{
    if (!*w->outdir)
        return fail(w, "the name of the output folder is empty");
    const char *path = follow_links(w, without_trailing_slashes(w->arena, w->outdir));
    if (!path)
        return false;
    if (strcmp(name_of(path), ".") == 0 || strcmp(name_of(path), "..") == 0) {
        char real[PATH_MAX];
        if (!realpath(path, real))
            return fail_errno(w, "write", w->outdir);
        path = arena_strdup(w->arena, real);
    }
    w->parent = parent_of(w->arena, path);
    w->name = name_of(path);
    w->target = path;
    return *w->name ? true : fail(w, "'%s' cannot be replaced by a package", w->outdir);
}

static bool parents_make(const Writer *w)
{
    char *path = arena_strdup(w->arena, w->parent);
    for (char *c = path + 1; *path; c++) {
        if (*c != '/' && *c)
            continue;
        char kept = *c;
        *c = '\0';
        struct stat st;
        if (mkdir(path, 0777) != 0) {
            int error = errno; /* EROFS and EACCES also come for a folder that is there */
            if (stat(path, &st) != 0)
                return fail(w, "cannot create the folder '%s': %s", path, strerror(error));
        }
        if (!kept)
            break;
        *c = kept;
    }
    return true;
}

static bool holds(const char *dir, const char *name)
{
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool found = fd >= 0 && faccessat(fd, name, F_OK, 0) == 0;
    if (fd >= 0)
        close(fd);
    return found;
}

static bool is_empty(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    if (!d)
        return false;
    while (n <= 2 && readdir(d))
        n++;
    closedir(d);
    return n <= 2; /* "." and ".." */
}

/* A shell that stands in a folder that is replaced would stand in a removed one. */
static bool is_current_folder(const char *dir)
{
    char cwd[PATH_MAX], real[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd) || !realpath(dir, real))
        return false;
    size_t n = strlen(real);
    return strncmp(cwd, real, n) == 0 && (cwd[n] == '\0' || cwd[n] == '/');
}

/* Nothing that is not dcgen's own is ever replaced. */
static bool target_check(const Writer *w)
{
    struct stat st;
    if (lstat(w->target, &st) != 0)
        return errno == ENOENT ? true : fail_errno(w, "write", w->outdir);
    if (!S_ISDIR(st.st_mode))
        return fail(w, "'%s' is not a folder; a package is written as a folder", w->outdir);
    if (!is_empty(w->target) && !(holds(w->target, "spec.cfg") && holds(w->target, "dispatch.h")))
        return fail(w,
                    "'%s' holds other files and is not a dcgen package (it lacks spec.cfg or dispatch.h); "
                    "choose a new or an empty folder",
                    w->outdir);
    if (is_current_folder(w->target))
        return fail(w, "'%s' is or holds the current folder and cannot be replaced; start dcgen elsewhere", w->outdir);
    return true;
}

/* ---- leftovers of killed runs --------------------------------------------- */

static bool owner_is_gone(pid_t pid) { return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH); }

/* The lock tells a live process that is not seen by its id (in another container). */
static bool lock_is_free(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES;
    bool unlocked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    close(fd);
    return unlocked;
}

/* Is entry ".<name>.<kind>.<pid>.<random>", of a process that is gone? */
static bool is_leftover(const Writer *w, const char *entry, const char *kind)
{
    const char *prefix = arena_printf(w->arena, ".%s.%s.", w->name, kind);
    size_t n = strlen(prefix);
    char *end;
    if (strncmp(entry, prefix, n) != 0)
        return false;
    long pid = strtol(entry + n, &end, 10);
    return pid > 0 && pid <= INT_MAX && *end == '.' && owner_is_gone((pid_t)pid) &&
           lock_is_free(path_join(w->arena, w->parent, entry));
}

static void leftovers_sweep(const Writer *w)
{
    DIR *d = opendir(w->parent);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        bool old = is_leftover(w, e->d_name, "old");
        if (!old && !is_leftover(w, e->d_name, "tmp"))
            continue;
        const char *path = path_join(w->arena, w->parent, e->d_name);
        if (old && access(w->target, F_OK) != 0 && rename(path, w->target) == 0)
            continue; /* killed between its two renames */
        remove_tree(path);
    }
    if (d)
        closedir(d);
}

/* ---- writing ---------------------------------------------------------------- */

static const char *sibling_name(const Writer *w, const char *kind)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uintptr_t)w ^ (uint64_t)getpid();
    const char *name = arena_printf(w->arena, ".%s.%s.%ld.%016" PRIx64, w->name, kind, (long)getpid(), random);
    return path_join(w->arena, w->parent, name);
}

static bool tmp_make(Writer *w)
{
    w->tmp = sibling_name(w, "tmp");
    if (mkdir(w->tmp, 0777) != 0) {
        w->tmp = NULL;
        return fail(w, "cannot write a folder in '%s': %s", w->parent, strerror(errno));
    }
    w->tmp_fd = open(w->tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (w->tmp_fd < 0)
        return fail_errno(w, "open", w->tmp);
    flock(w->tmp_fd, LOCK_EX | LOCK_NB); /* where there are no locks, the process id alone protects it */
    return true;
}

static bool write_all(int fd, const char *s, size_t n)
{
    while (n) {
        ssize_t done = write(fd, s, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        s += done;
        n -= (size_t)done;
    }
    return true;
}

/* Calls `act` with every folder within the package that leads to a file: "a", "a/b" for "a/b/c.h". */
static bool each_folder(const Writer *w, const char *path, bool (*act)(int dir, const char *folder))
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (!act(w->tmp_fd, arena_strndup(w->arena, path, (size_t)(slash - path))))
            return false;
    return true;
}

static bool folder_make(int dir, const char *folder) { return mkdirat(dir, folder, 0777) == 0 || errno == EEXIST; }

/* Some file systems cannot sync a folder; they say EINVAL. */
static bool folder_sync(int dir, const char *folder)
{
    int fd = openat(dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fsync(fd) == 0 || errno == EINVAL;
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

static bool file_write(const Writer *w, const PackageFile *f)
{
    if (!each_folder(w, f->path, folder_make))
        return false;
    int fd = openat(w->tmp_fd, f->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, f->text, f->len) && fsync(fd) == 0;
    int error = errno;
    if (close(fd) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

static bool files_write(const Writer *w, const Package *p)
{
    for (int i = 0; i < p->n; i++)
        if (!file_write(w, &p->file[i]))
            return fail(w, "cannot write '%s' of the package '%s': %s", p->file[i].path, w->outdir, strerror(errno));
    for (int i = 0; i < p->n; i++)
        if (!each_folder(w, p->file[i].path, folder_sync))
            return fail_errno(w, "write", w->outdir);
    return folder_sync(w->tmp_fd, ".") ? true : fail_errno(w, "write", w->outdir);
}

/* ---- taking the old one's place ------------------------------------------------ */

/* In two steps, for file systems without exchange. */
static bool swap_aside(Writer *w)
{
    const char *aside = sibling_name(w, "old");
    if (rename(w->target, aside) != 0)
        return fail_errno(w, "replace", w->outdir);
    if (rename(w->tmp, w->target) == 0) {
        w->tmp = aside;
        return true;
    }
    fail_errno(w, "replace", w->outdir);
    if (rename(aside, w->target) != 0)
        return fail(w, "cannot put '%s' back; the former package is in '%s'", w->outdir, aside);
    return false;
}

static bool cannot_exchange(int error) { return error == ENOSYS || error == EINVAL || error == ENOTSUP; }

/* Afterwards w->tmp is what is to be removed: the old package, if any. */
static bool swap_in(Writer *w)
{
    struct stat st;
    for (int i = 0; i < MAX_TRY; i++) {
        if (renameat2(AT_FDCWD, w->tmp, AT_FDCWD, w->target, RENAME_EXCHANGE) == 0)
            return true;
        int error = errno;
        if (cannot_exchange(error) && lstat(w->target, &st) == 0)
            return swap_aside(w);
        if (error != ENOENT && !cannot_exchange(error))
            return fail(w, "cannot replace '%s': %s", w->outdir, strerror(error));
        if (rename(w->tmp, w->target) == 0) {
            w->tmp = NULL;
            return true;
        }
        if (errno != EEXIST && errno != ENOTEMPTY) /* else another process was faster: replace its package */
            break;
    }
    return fail_errno(w, "write", w->outdir);
}

/* ---- the interface ---------------------------------------------------------------- */

static bool is_inside(const char *path)
{
    if (!*path || *path == '/')
        return false;
    for (const char *s = path;;) {
        size_t n = strcspn(s, "/");
        if (n == 0 || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
            return false;
        if (!s[n])
            return true;
        s += n + 1;
    }
}

static bool paths_check(const Writer *w, const Package *p)
{
    for (int i = 0; i < p->n; i++)
        if (!is_inside(p->file[i].path))
            return fail(w, "'%s' is no path within a package", p->file[i].path);
    return true;
}

static bool target_prepare(Writer *w)
{
    if (!target_resolve(w) || !parents_make(w))
        return false;
    leftovers_sweep(w);
    return target_check(w);
}

/* The nearest folder above that exists must be one that can be written into. */
static bool parent_check(const Writer *w)
{
    const char *path = w->parent;
    struct stat st;
    while (stat(path, &st) != 0 && errno == ENOENT && strcmp(path, "/") != 0 && strcmp(path, ".") != 0)
        path = parent_of(w->arena, path);
    if (stat(path, &st) != 0 || access(path, W_OK | X_OK) != 0)
        return fail(w, "cannot write a folder in '%s': %s", path, strerror(errno));
    return S_ISDIR(st.st_mode) ? true : fail(w, "cannot write a folder in '%s': it is a file", path);
}

bool package_check(const char *outdir, const char **err, Arena *a)
{
    Writer w = { .arena = a, .err = err, .outdir = outdir, .tmp_fd = -1 };
    return target_resolve(&w) && parent_check(&w) && target_check(&w);
}

bool package_write(const Package *p, const char *outdir, const char **err, Arena *a)
{
    Writer w = { .arena = a, .err = err, .outdir = outdir, .tmp_fd = -1 };
    if (!paths_check(&w, p) || !target_prepare(&w))
        return false;
    bool ok = tmp_make(&w) && files_write(&w, p) && swap_in(&w);
    if (w.tmp_fd >= 0)
        close(w.tmp_fd);
    if (ok)
        folder_sync(AT_FDCWD, w.parent); /* the package is whole already; this makes the rename last */
    if (w.tmp)
        remove_tree(w.tmp);
    return ok;
}
