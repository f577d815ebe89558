/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: writes a package into a temporary folder beside the output folder, .<name>.tmp.<process>-<random>
 * (gen/base/tempdir.h). There the package is written as `new`. When it is whole, it is renamed to `old` and changes
 * places with the output folder in one step, so that `old` is now the former package. Its files are removed, and what
 * else is in it is moved to the new package (gen/package/foreign.h). So `new` holds only dcgen's files, and `old` may
 * hold a user's: a run that finds the `old` of a killed run completes this. Where the file system cannot exchange two
 * folders, the output folder is first renamed to `old`, then `new` to the output folder. A run that finds an `old` and
 * no output folder puts it back.
 */
#define _GNU_SOURCE /* renameat2, basename */
#include "gen/package/package_write.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/tempdir.h"
#include "gen/base/text.h"
#include "gen/package/foreign.h"

/* MAX_LINK: links followed; MAX_TRY: tries while another dcgen writes there; MAX_NAMED: foreign entries in a message */
enum { MAX_LINK = 40, MAX_TRY = 16, MAX_NAMED = 5 };

typedef struct {
    Arena *arena;
    const char **err;
    const char *outdir;        /* as the user wrote it, for messages */
    bool force;                /* foreign files stay where they are instead of being a reason to refuse */
    const char *target;        /* outdir, links followed */
    const char *parent, *name; /* target is parent/name */
    TempDir tmp;
    const char *fresh, *old; /* the paths of `new` and `old` in tmp */
    int fd;                  /* of the folder `new` */
} Writer;

const char *package_text(const Package *p, const char *path)
{
    const PackageFile *file = names_row(NAMES(p->file, p->n), path);
    return file ? file->text : NULL;
}

__attribute__((format(printf, 2, 3))) static bool fail(const Writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    *w->err = arena_vprintf(w->arena, fmt, ap);
    va_end(ap);
    return false;
}

/* Says that `what` cannot be done to a path, with errno's text. */
static bool fail_errno(const Writer *w, const char *what, const char *path)
{
    return fail(w, "cannot %s '%s': %s", what, path, strerror(errno));
}

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
    if (strcmp(basename(path), ".") == 0 || strcmp(basename(path), "..") == 0) {
        char real[PATH_MAX];
        if (!realpath(path, real))
            return fail_errno(w, "write", w->outdir);
        path = arena_strdup(w->arena, real);
    }
    w->parent = parent_of(w->arena, path);
    w->name = basename(path);
    w->target = path;
    return *w->name ? true : fail(w, "'%s' cannot be replaced by a package", w->outdir);
}

/* Is the current folder `dir`, or within it? Replacing `dir` would leave the user's shell in a removed folder. */
static bool is_current_folder(const char *dir)
{
    char cwd[PATH_MAX], real[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd) || !realpath(dir, real))
        return false;
    size_t n = strlen(real);
    return strncmp(cwd, real, n) == 0 && (cwd[n] == '\0' || cwd[n] == '/');
}

/* ---- what is not dcgen's ------------------------------------------------- */

/* "a, b/ and 3 more" */
static const char *foreign_names(const Writer *w, const ForeignList *list)
{
    const int n = list->n <= MAX_NAMED ? list->n : MAX_NAMED - 1;
    Text t = { .arena = w->arena };
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", list->path[i]);
    if (n < list->n)
        text_printf(&t, " and %d more", list->n - n);
    return text_str(&t);
}

/* Is the path within the folder whose name has n bytes? */
static bool is_within(const char *path, const char *folder, size_t n)
{
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* Does a foreign entry stand where a file of the package goes? */
static bool is_in_the_way(const Writer *w, const char *entry, const char *path)
{
    struct stat st;
    const bool folder = entry[strlen(entry) - 1] == '/';
    const size_t n = strlen(entry) - folder;
    if (is_within(entry, path, strlen(path)) || (strlen(path) == n && strncmp(path, entry, n) == 0))
        return true;
    if (!is_within(path, entry, n))
        return false;
    return !folder || lstat(path_join(w->arena, w->target, path), &st) == 0 || errno == ENOTDIR;
}

/* A foreign folder is moved as a whole: not to another file system, nor if this user may not write to it. */
static bool can_move(const Writer *w, const char *entry)
{
    struct stat st, here;
    const char *path = path_join(w->arena, w->target, entry);
    if (entry[strlen(entry) - 1] != '/' || lstat(path, &st) != 0 || lstat(w->target, &here) != 0)
        return true;
    return st.st_dev == here.st_dev && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* Can all foreign entries stay where they are? p NULL: the package is not known yet. */
static bool can_keep_all(const Writer *w, const ForeignList *list, const Package *p)
{
    for (int i = 0; i < list->n; i++) {
        for (int k = 0; p && k < p->n; k++)
            if (is_in_the_way(w, list->path[i], p->file[k].path))
                return fail(w, "'%s' in '%s' is none of dcgen's files and in the way of one; move it elsewhere",
                            list->path[i], w->outdir);
        if (!can_move(w, list->path[i]))
            return fail(w, "'%s' in '%s' cannot be kept: it is mounted there or read-only; choose another folder",
                        list->path[i], w->outdir);
    }
    return true;
}

/* May the package p replace what is in the folder? */
static bool foreign_check(const Writer *w, const Package *p)
{
    const char *why;
    const Manifest *m = foreign_manifest(w->arena, w->target, &why);
    ForeignList list;
    if (why)
        return fail(w, "'%s/%s' does not say which files are dcgen's: %s; move the folder away, or choose another",
                    w->outdir, MANIFEST_PATH, why);
    if (!foreign_list(w->arena, w->target, m, &list))
        return fail_errno(w, "read", w->outdir);
    if (w->force || !list.n)
        return can_keep_all(w, &list, p);
    if (!m)
        return fail(w,
                    "'%s' holds other files and is not a dcgen package (it has no %s): %s; choose a new or an empty "
                    "folder, or --force, which keeps them",
                    w->outdir, MANIFEST_PATH, foreign_names(w, &list));
    return fail(w, "'%s' holds what is not the package's: %s; move it elsewhere, or give --force, which keeps it",
                w->outdir, foreign_names(w, &list));
}

/* Is another folder there now than `before`, as another dcgen has just replaced it? */
static bool was_replaced(const Writer *w, const struct stat *before)
{
    struct stat st;
    return lstat(w->target, &st) != 0 || st.st_ino != before->st_ino;
}

/* May the output folder be replaced, as it is now? Nothing that is not dcgen's is ever replaced. */
static bool target_check(const Writer *w, const Package *p)
{
    struct stat st;
    for (int ntry = 1;; ntry++) {
        if (lstat(w->target, &st) != 0)
            return errno == ENOENT ? true : fail_errno(w, "write", w->outdir);
        if (!S_ISDIR(st.st_mode))
            return fail(w, "'%s' is not a folder; a package is written as a folder", w->outdir);
        if (foreign_check(w, p))
            break;
        /* If the folder was replaced, new files may have been compared with the former manifest: check again. */
        if (ntry == MAX_TRY || !was_replaced(w, &st))
            return false;
    }
    if (is_current_folder(w->target))
        return fail(w, "'%s' is or holds the current folder and cannot be replaced; start dcgen elsewhere", w->outdir);
    return true;
}

/* ---- the former package ---------------------------------------------------- */

/* Removes the former package from `old`, and moves all else there to the new one. False: some of it cannot be moved. */
static bool old_clear(const Writer *w, const char *old)
{
    struct stat st;
    if (lstat(old, &st) != 0)
        return errno == ENOENT;
    if (lstat(w->target, &st) != 0 && errno == ENOENT && rename(old, w->target) == 0)
        return true; /* a run was killed between its two renames */
    return foreign_move(w->arena, old, w->target) ||
           fail(w,
                "files that were in '%s' have no place there any more and are in '%s'; move them away, then try again",
                w->outdir, old);
}

static bool rescue_foreign(void *writer, const char *path)
{
    const Writer *w = writer;
    return old_clear(w, path_join(w->arena, path, "old"));
}

/* Completes what runs that were killed had begun. */
static bool leftovers_complete(Writer *w)
{
    *w->err = NULL;
    tempdir_sweep(w->arena, w->parent, arena_printf(w->arena, ".%s.tmp.", w->name), rescue_foreign, w);
    return *w->err == NULL;
}

/* ---- writing ---------------------------------------------------------------- */

static bool tmp_make(Writer *w)
{
    if (!tempdir_make(w->arena, w->parent, arena_printf(w->arena, ".%s.tmp.", w->name), &w->tmp)) {
        w->tmp.path = NULL;
        return fail(w, "cannot write a folder in '%s': %s", w->parent, strerror(errno));
    }
    w->fresh = path_join(w->arena, w->tmp.path, "new");
    w->old = path_join(w->arena, w->tmp.path, "old");
    if (mkdir(w->fresh, 0777) == 0)
        w->fd = open(w->fresh, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return w->fd >= 0 ? true : fail_errno(w, "write", w->fresh);
}

/* Calls `act` with every folder that leads to the file: "a" and "a/b" for "a/b/c.h". False: `act` failed. */
static bool for_each_folder(const Writer *w, const char *path, bool (*act)(int dir, const char *folder))
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (!act(w->fd, arena_strndup(w->arena, path, (size_t)(slash - path))))
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
    return text_close(fd, fsync(fd) == 0 || errno == EINVAL);
}

static bool file_write(const Writer *w, const PackageFile *f)
{
    if (!for_each_folder(w, f->path, folder_make))
        return false;
    int fd = openat(w->fd, f->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    return text_close(fd, text_write(fd, f->text, f->len) && fsync(fd) == 0);
}

static bool files_write(const Writer *w, const Package *p)
{
    for (int i = 0; i < p->n; i++)
        if (!file_write(w, &p->file[i]))
            return fail(w, "cannot write '%s' of the package '%s': %s", p->file[i].path, w->outdir, strerror(errno));
    for (int i = 0; i < p->n; i++)
        if (!for_each_folder(w, p->file[i].path, folder_sync))
            return fail_errno(w, "write", w->outdir);
    return folder_sync(w->fd, ".") ? true : fail_errno(w, "write", w->outdir);
}

/* ---- taking the former package's place ------------------------------------------ */

/* Serves file systems that cannot exchange two folders. */
static bool swap_in_two_steps(const Writer *w)
{
    if (rename(w->target, w->old) != 0)
        return false;
    if (rename(w->fresh, w->target) == 0)
        return true;
    const int error = errno;
    rename(w->old, w->target); /* if it fails, the next run puts it back */
    errno = error;
    return false;
}

static bool lacks_exchange(int error) { return error == ENOSYS || error == EINVAL || error == ENOTSUP; }

/* Renames `new` to `old`, and exchanges that with the output folder: `old` is first the whole new package, then the
 * former one. */
static bool swap_at_once(const Writer *w)
{
    if (rename(w->fresh, w->old) != 0)
        return false;
    if (renameat2(AT_FDCWD, w->old, AT_FDCWD, w->target, RENAME_EXCHANGE) == 0)
        return true;
    const int error = errno;
    const bool back = rename(w->old, w->fresh) == 0;
    errno = error;
    return back && lacks_exchange(error) && swap_in_two_steps(w);
}

/* Puts `new` in the output folder's place. */
static bool swap_in(const Writer *w)
{
    for (int i = 0; i < MAX_TRY; i++) {
        if (rename(w->fresh, w->target) == 0) /* there was no output folder, or an empty one */
            return true;
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
        if (swap_at_once(w))
            return true;
        if (errno != ENOENT) /* ENOENT: the output folder has just gone */
            break;
    }
    return fail_errno(w, "replace", w->outdir);
}

/* ---- the interface ---------------------------------------------------------------- */

/* Can folders be made in the nearest existing folder above the output folder? */
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

bool package_check(const char *outdir, bool force, const char **err, Arena *a)
{
    Writer w = { .arena = a, .err = err, .outdir = outdir, .force = force, .fd = -1 };
    return target_resolve(&w) && parent_check(&w) && leftovers_complete(&w) && target_check(&w, NULL);
}

/* Removes the temporary folder. False: it holds what is not dcgen's, and stays. swapped: the new package is in its
 * place. */
static bool tmp_remove(const Writer *w, bool swapped)
{
    struct stat st;
    const bool cleared = swapped ? old_clear(w, w->old) : lstat(w->old, &st) != 0;
    if (!cleared && !swapped)
        fail(w, "%s; what was there is in '%s', and the next run puts it back", *w->err, w->old);
    if (w->fd >= 0)
        close(w->fd);
    if (cleared)
        tempdir_remove(&w->tmp);
    else
        close(w->tmp.fd);
    return cleared;
}

bool package_write(const Package *p, const char *outdir, bool force, const char **err, Arena *a)
{
    Writer w = { .arena = a, .err = err, .outdir = outdir, .force = force, .fd = -1 };
    for (int i = 0; i < p->n; i++)
        if (!manifest_is_path(p->file[i].path))
            return fail(&w, "'%s' is no path within a package", p->file[i].path);
    if (!target_resolve(&w) || !dir_make_parents(a, w.target, err) || !leftovers_complete(&w) || !target_check(&w, p))
        return false;
    const bool ok = tmp_make(&w) && files_write(&w, p) && swap_in(&w);
    const bool cleared = !w.tmp.path || tmp_remove(&w, ok);
    if (ok)
        folder_sync(AT_FDCWD, w.parent); /* the package is there; now the rename also outlasts a loss of power */
    return ok && cleared;
}

/* The absolute path with links followed, as far as the path exists. */
static const char *real_path(Arena *a, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real))
        return arena_strdup(a, real);
    return strcmp(path, ".") == 0 || strcmp(path, "/") == 0
               ? path
               : path_join(a, real_path(a, parent_of(a, path)), basename(path));
}

const char *package_place(Arena *a, const char *outdir, const char *path)
{
    const char *err;
    Writer w = { .arena = a, .err = &err, .outdir = outdir };
    if (!target_resolve(&w))
        return NULL;
    const char *folder = real_path(a, w.target);
    const char *const file[] = { path_join(a, real_path(a, parent_of(a, path)), basename(path)), real_path(a, path) };
    for (int i = 0; i < 2; i++) /* a link, and what it points to */
        if (is_within(file[i], folder, strlen(folder)))
            return file[i] + strlen(folder) + 1;
    return NULL;
}
