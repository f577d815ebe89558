/* SPDX-License-Identifier: Apache-2.0
 *
 * tempdir: makes, locks, sweeps and removes temporary folders. A run may be killed after it has made a folder and
 * before it has marked it. So a folder that has the name but no mark is removed only if it is empty, by rmdir.
 *
 * The guard of a run reads from a pipe whose other end only the program holds. A byte says that all is in order; if the
 * pipe ends without one, the program is gone. The guard finds what the program had started by a variable in the
 * environment: grandchildren inherit it, no list is needed, and a new process is known from its first moment. The
 * folder is locked by the program and its guard together.
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
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/text.h"

enum { MAX_TRY = 16, RANDOM_DIGITS = 16, MAX_OPEN = 16 }; /* MAX_OPEN: descriptors that nftw may use */

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

/* The mark is removed last: if this run is killed here, the next one still knows the folder by it. */
static void remove_tree(const char *path)
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
    remove_tree(t->path);
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

/* A file system may have no locks: then the process id in the name is all that protects the folder. */
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

/* If a folder is gone before it is locked, a run of our process id in another container removed it: another is made. */
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

/* In containers process ids repeat: a folder with our own id may be left from a former run, as its lock tells. */
static bool is_gone(pid_t pid) { return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH); }

static bool is_marked(int folder)
{
    struct stat st;
    char line[sizeof FORMAT] = "";
    int fd = openat(folder, TEMPDIR_MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool marked = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                        read(fd, line, sizeof FORMAT - 1) == (ssize_t)sizeof FORMAT - 1 && strcmp(line, FORMAT) == 0;
    close(fd);
    return marked;
}

/* A run that was killed while it wrote the mark has left an empty file. */
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
        if (!is_marked(fd))
            remove_unmarked(fd, path);
        else if (!rescue || rescue(ctx, path))
            remove_tree(path);
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

/* ---- a run: its guard ---- */

enum { MAX_ROUND = 100, QUIET_ROUNDS = 3, ROUND_NS = 10000000 };
static const char PREFIX[] = "dcgen-", VARIABLE[] = "DCGEN_RUN";

struct Scratch {
    TempDir dir;
    int pipe_fd; /* our end of the guard's pipe; -1: there is no guard */
    pid_t guard;
};

/* True if the process of this folder of /proc has the variable, "DCGEN_RUN=<folder>", in its environment. */
static bool is_ours(Arena *a, const char *path, const char *variable)
{
    size_t n;
    const char *env = text_read_file(a, arena_printf(a, "%s/environ", path), &n);
    for (const char *v = env; v && v < env + n; v += strlen(v) + 1)
        if (strcmp(v, variable) == 0)
            return true;
    return false;
}

/* Kills all processes that the program started and that are there now; returns how many. */
static int kill_ours(Arena *a, const char *variable)
{
    char **path;
    int n = 0, nkilled = 0;
    dir_list(a, "/proc", "", &path, &n);
    for (int i = 0; i < n; i++) {
        const long pid = strtol(path[i] + strlen("/proc/"), NULL, 10);
        nkilled += pid > 1 && is_ours(a, path[i], variable) && kill((pid_t)pid, SIGKILL) == 0;
    }
    arena_reset(a);
    return nkilled;
}

/* After the program was killed: several rounds, as the compilers may be starting other processes right now. */
static void clean_up(const Scratch *s, const char *variable)
{
    Arena *a = arena_new();
    for (int round = 0, quiet = 0; round < MAX_ROUND && quiet < QUIET_ROUNDS; round++) {
        quiet = kill_ours(a, variable) ? 0 : quiet + 1;
        nanosleep(&(struct timespec){ .tv_nsec = ROUND_NS }, NULL);
    }
    remove_tree(s->dir.path);
}

enum { GUARD_LOCK = 3, GUARD_PIPE, GUARD_END }; /* the guard's descriptors, behind the standard ones */

/* Keeps of the program the lock and the pipe's end alone, first moved out of the way of replaced descriptors. */
static void guard_detach(int lock_fd, int pipe_fd)
{
    int nothing = open("/dev/null", O_RDWR), lock = fcntl(lock_fd, F_DUPFD, 10), end = fcntl(pipe_fd, F_DUPFD, 10);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    dup2(lock, GUARD_LOCK);
    dup2(end, GUARD_PIPE);
    close_range(GUARD_END, ~0u, 0);
    setsid();
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT ? SIG_IGN : SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "dcgen-guard");
}

__attribute__((noreturn)) static void guard_main(const Scratch *s, const char *variable, int pipe_fd)
{
    char byte;
    ssize_t got;
    guard_detach(s->dir.fd, pipe_fd);
    while ((got = read(GUARD_PIPE, &byte, 1)) < 0 && errno == EINTR)
        continue;
    if (got == 0)
        clean_up(s, variable);
    _exit(0);
}

/* If the guard cannot be started, the run goes on without it; a folder that it leaves is removed by the next run. */
static void guard_start(Arena *a, Scratch *s)
{
    const char *variable = arena_printf(a, "%s=%s", VARIABLE, s->dir.path);
    int ends[2];
    if (setenv(VARIABLE, s->dir.path, 1) != 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    s->guard = fork();
    if (s->guard == 0) {
        close(ends[1]);
        guard_main(s, variable, ends[0]);
    }
    close(ends[0]);
    s->pipe_fd = ends[1];
    if (s->guard < 0) {
        close(s->pipe_fd);
        s->pipe_fd = -1;
    }
}

static void guard_dismiss(Scratch *s)
{
    if (s->pipe_fd < 0)
        return;
    while (write(s->pipe_fd, "", 1) < 0 && errno == EINTR)
        continue;
    close(s->pipe_fd);
    while (waitpid(s->guard, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* ---- a run's folder ---- */

Scratch *scratch_new(Arena *a, const char **err)
{
    const char *tmpdir = getenv("TMPDIR"), *parent = tmpdir && *tmpdir ? arena_strdup(a, tmpdir) : "/tmp";
    Scratch *s = ARENA_NEW(a, Scratch);
    s->pipe_fd = -1;
    tempdir_sweep(a, parent, PREFIX, NULL, NULL);
    if (!tempdir_make(a, parent, PREFIX, &s->dir)) {
        *err = arena_printf(a, "cannot make a temporary folder %s: %s", s->dir.path, strerror(errno));
        return NULL;
    }
    char *real = realpath(s->dir.path, NULL); /* children in other folders could not use a relative path */
    if (real)
        s->dir.path = arena_strdup(a, real);
    free(real);
    guard_start(a, s);
    return s;
}

const char *scratch_path(const Scratch *s) { return s->dir.path; }

void scratch_free(Scratch *s)
{
    if (!s)
        return;
    remove_tree(s->dir.path);
    guard_dismiss(s);
    close(s->dir.fd);
}
