/* SPDX-License-Identifier: Apache-2.0
 *
 * tempdir: makes, locks, sweeps and removes such folders. A run may be killed between making the folder and marking it: one that has the name, but no mark, is
 * removed only if it is empty, by rmdir.
 */
#define _GNU_SOURCE /* nftw, O_PATH */
#include "gen/base/tempdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/text.h"

enum { MAX_TRY = 16, RANDOM_DIGITS = 16, MAX_OPEN = 16 };

static const char FORMAT[] = "dcgen temporary folder 1\n";
static const char ABOUT[] =
    "dcgen removes this folder, with all in it, when the process that it is named after is gone.\n";

/* ---- removing ---- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st, (void)type;
    if (place->level != 1 || strcmp(path + place->base, TEMPDIR_MARK) != 0)
        remove(path);
    return 0; /* go on with the rest whatever happens */
}

/* The mark goes last: a run that is killed here leaves what the next one knows. */
void tempdir_remove_tree(const char *path)
{
    nftw(path, remove_entry, MAX_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    unlinkat(fd, TEMPDIR_MARK, 0);
    close(fd);
    rmdir(path);
}

void tempdir_remove(const TempDir *t)
{
    tempdir_remove_tree(t->path);
    close(t->fd);
}

/* ---- making ---- */

static const char *new_path(Arena *a, const char *parent, const char *prefix)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uintptr_t)a ^ (uint64_t)getpid();
    return arena_printf(a, "%s%s%s%ld-%0*" PRIx64, parent, strcmp(parent, "/") == 0 ? "" : "/", prefix, (long)getpid(),
                        RANDOM_DIGITS, random);
}

static bool write_mark(int folder)
{
    int fd = openat(folder, TEMPDIR_MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    return text_close(fd, dprintf(fd, "%s%s", FORMAT, ABOUT) > 0);
}

/* Where there are no locks, the process id alone protects the folder. */
static bool lock_and_mark(TempDir *t)
{
    t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (t->fd < 0)
        return false;
    flock(t->fd, LOCK_EX | LOCK_NB);
    if (write_mark(t->fd))
        return true;
    int error = errno;
    tempdir_remove(t);
    errno = error;
    return false;
}

/* A folder that is gone before it is locked was removed by a run that has our process id, elsewhere: then another. */
bool tempdir_make(Arena *a, const char *parent, const char *prefix, TempDir *out)
{
    for (int i = 0; i < MAX_TRY; i++) {
        out->path = new_path(a, parent, prefix);
        bool made = mkdir(out->path, 0700) == 0;
        if (made && lock_and_mark(out))
            return true;
        if (errno != (made ? ENOENT : EEXIST))
            break;
    }
    return false;
}

/* ---- sweeping ---- */

/* The process in "PREFIX<process>-<16 hex digits>"; 0: the name is another. */
static pid_t process_of(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || name[n] < '1' || name[n] > '9')
        return 0;
    char *end;
    errno = 0;
    const long pid = strtol(name + n, &end, 10);
    const bool exact = errno == 0 && pid <= INT_MAX && *end == '-' && strlen(end + 1) == RANDOM_DIGITS &&
                       strspn(end + 1, "0123456789abcdef") == RANDOM_DIGITS;
    return exact ? (pid_t)pid : 0;
}

/* Our own id may have been another's before, in a container: then the lock tells. */
static bool is_gone(pid_t pid) { return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH); }

static bool is_marked(int folder, struct stat *st)
{
    char line[sizeof FORMAT] = "";
    int fd = openat(folder, TEMPDIR_MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool marked = fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
                        read(fd, line, sizeof FORMAT - 1) == (ssize_t)sizeof FORMAT - 1 && strcmp(line, FORMAT) == 0;
    close(fd);
    return marked;
}

/* An empty file may be all that there is of the mark. */
static void remove_unmarked(int folder, const char *path)
{
    struct stat st;
    if (fstatat(folder, TEMPDIR_MARK, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
        unlinkat(folder, TEMPDIR_MARK, 0);
    rmdir(path);
}

static void sweep_one(const char *path, TempDirRescue *rescue, void *ctx)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (!is_marked(fd, &st))
            remove_unmarked(fd, path);
        else if (!rescue || rescue(ctx, path))
            tempdir_remove_tree(path);
    }
    close(fd);
}

void tempdir_sweep(Arena *a, const char *parent, const char *prefix, TempDirRescue *rescue, void *ctx)
{
    DIR *d = opendir(parent);
    for (struct dirent *e; d && (e = readdir(d));) {
        const pid_t pid = process_of(e->d_name, prefix);
        if (pid && is_gone(pid))
            sweep_one(arena_printf(a, "%s/%s", parent, e->d_name), rescue, ctx);
    }
    if (d)
        closedir(d);
}
