/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign: lists what is in a package's folder and is not the package's, and moves it to another folder.
 */
#define _GNU_SOURCE /* renameat2, O_PATH */
#include "gen/package/foreign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/order.h"
#include "gen/base/text.h"

enum { MAX_ROUND = 16 }; /* of foreign_move, while another process adds files */

const Manifest *foreign_manifest(Arena *a, const char *folder, const char **err)
{
    const char *path = arena_printf(a, "%s/%s", folder, MANIFEST_PATH);
    struct stat st = { 0 };
    *err = NULL;
    if (lstat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return NULL;
    size_t len;
    const char *text = S_ISREG(st.st_mode) ? text_read_file(a, path, &len) : NULL;
    if (!text)
        *err = "it is no file that can be read";
    return text ? manifest_read(a, text_with_lf(a, text, &len), err) : NULL;
}

typedef enum { OWN_FILE, OWN_FOLDER, FOREIGN } Owner;

/* OWN_FOLDER: a file of the package is in it. type: of the entry, as S_IFREG; links, pipes and such are foreign. */
static Owner owner_of(const Manifest *m, const char *path, mode_t type)
{
    const size_t n = strlen(path);
    if (m && type == S_IFREG)
        return manifest_lists(m, path) ? OWN_FILE : FOREIGN;
    for (int i = 0; m && type == S_IFDIR && i < m->n; i++)
        if (m->entry[i].kind != MANIFEST_TEMPLATE && strncmp(m->entry[i].path, path, n) == 0 &&
            m->entry[i].path[n] == '/')
            return OWN_FOLDER;
    return FOREIGN;
}

/* Folders are held by descriptors: nobody can put a link into the way. */
static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void close_folder(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* The type of an entry, as S_IFDIR; one that has just gone counts as a file. */
static mode_t type_of(int at, const char *name)
{
    struct stat st;
    return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & S_IFMT : S_IFREG;
}

/* The names in a folder, sorted. False with errno set. */
static bool read_names(Arena *a, int folder, char ***name, int *n)
{
    int fd = open_folder(folder, "."); /* closedir closes it */
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    *name = NULL;
    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            *ARENA_PUSH(a, *name, *n) = arena_strdup(a, e->d_name);
    }
    if (*n)
        qsort(*name, (size_t)*n, sizeof **name, order_word);
    if (d)
        closedir(d);
    return d != NULL;
}

typedef struct {
    Arena *arena;
    const Manifest *m;  /* NULL: all is foreign */
    ForeignList *found; /* NULL: the walk removes the package's files instead of listing foreign ones */
} Walk;

/* Lists what is foreign in a folder, or removes what is the package's. within: the folder's path in the package. A
 * folder that cannot be read is foreign. MANIFEST is not removed: after a kill it must still tell what else is the
 * package's. False with errno set. */
static bool walk_folder(const Walk *w, int folder, const char *within)
{
    ForeignList *list = w->found;
    char **name;
    int n;
    if (!read_names(w->arena, folder, &name, &n))
        return false;
    for (int i = 0; i < n; i++) {
        const char *path = *within ? arena_printf(w->arena, "%s/%s", within, name[i]) : name[i];
        const mode_t type = type_of(folder, name[i]);
        const Owner owner = owner_of(w->m, path, type);
        int fd = owner == OWN_FOLDER ? open_folder(folder, name[i]) : -1;
        if (owner != OWN_FILE && (fd < 0 || !walk_folder(w, fd, path)) && list)
            *ARENA_PUSH(w->arena, list->path, list->n) =
                arena_printf(w->arena, "%s%s", path, type == S_IFDIR ? "/" : "");
        if (owner == OWN_FILE && !list && strcmp(path, MANIFEST_PATH) != 0)
            unlinkat(folder, name[i], 0);
        close_folder(fd);
        if (fd >= 0 && !list)
            unlinkat(folder, name[i], AT_REMOVEDIR); /* if nothing is left in it */
    }
    return true;
}

bool foreign_list(Arena *a, const char *folder, const Manifest *m, ForeignList *out)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *out = (ForeignList){ 0 };
    const bool ok = fd >= 0 && walk_folder(&(Walk){ a, m, out }, fd, "");
    const int error = errno;
    close_folder(fd);
    errno = error;
    return ok;
}

/* Moves an entry without replacing anything. False with errno EEXIST if its place is taken. */
static bool move_entry(int from, int to, const char *name)
{
    struct stat st;
    if (renameat2(from, name, to, name, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) /* else: a file system that cannot promise it */
        return false;
    if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(from, name, to, name) == 0;
}

/* Moves all entries of the folder `from` except the name `but`. If a folder is in both places, moves what is in it. */
static void move_entries(Arena *a, int from, int to, const char *but)
{
    char **name;
    int n;
    if (!read_names(a, from, &name, &n))
        return;
    for (int i = 0; i < n; i++) {
        if (strcmp(name[i], but) == 0 || move_entry(from, to, name[i]) || errno != EEXIST)
            continue;
        int in = open_folder(from, name[i]), out = open_folder(to, name[i]);
        if (in >= 0 && out >= 0)
            move_entries(a, in, out, "");
        close_folder(in);
        close_folder(out);
        unlinkat(from, name[i], AT_REMOVEDIR); /* if nothing is left in it */
    }
}

/* Another process may still put something into `from`: the next round moves it, too. */
bool foreign_move(Arena *a, const char *from, const char *to)
{
    const char *err;
    char **left;
    int n;
    const Manifest *m = foreign_manifest(a, from, &err);
    int in = open_folder(AT_FDCWD, from), out = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool gone = false;
    for (int i = 0; in >= 0 && out >= 0 && !gone && i < MAX_ROUND; i++) {
        if (m)
            walk_folder(&(Walk){ a, m, NULL }, in, "");
        move_entries(a, in, out, m ? MANIFEST_PATH : "");
        if (!read_names(a, in, &left, &n) || n > 1 || (n == 1 && (!m || strcmp(left[0], MANIFEST_PATH) != 0)))
            break;
        unlinkat(in, MANIFEST_PATH, 0);
        gone = rmdir(from) == 0;
    }
    close_folder(in);
    close_folder(out);
    return gone;
}
