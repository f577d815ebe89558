/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch: the temporary folder of a run, and its guard. The guard reads from a pipe whose other end only the program holds: a byte says that all is in order,
 * the end of the pipe without one that the program is gone. What the program had started is found by a word in its environment,
 * which reaches grandchildren, needs no list, and has no moment in which a new process is not known yet.
 * The folder (gen/base/tempdir.h) is locked by the program and its guard together.
 */
#define _GNU_SOURCE
#include "gen/base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/tempdir.h"

enum { ENVIRONMENT_MAX = 256 * 1024, MAX_ROUND = 100, QUIET_ROUNDS = 3, ROUND_NS = 10000000 };
static const char PREFIX[] = "dcgen-", MARK[] = "DCGEN_RUN";

struct Scratch {
    TempDir dir;
    int pipe_fd; /* -1: there is no guard */
    pid_t guard;
};

/* ---- the guard ---- */

/* Does this process carry our mark? `buffer` holds ENVIRONMENT_MAX + 1 bytes. */
static bool is_marked(const char *process, const char *mark, char *buffer)
{
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/%.20s/environ", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (ssize_t got; n < ENVIRONMENT_MAX && (got = read(fd, buffer + n, ENVIRONMENT_MAX - n)) > 0;)
        n += (size_t)got;
    close(fd);
    buffer[n] = '\0';
    for (const char *v = buffer; v < buffer + n; v += strlen(v) + 1)
        if (strcmp(v, mark) == 0)
            return true;
    return false;
}

/* Kills all marked processes there are; how many there were. */
static int kill_marked(const char *mark, char *buffer)
{
    int n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        long pid = strtol(e->d_name, NULL, 10);
        if (pid > 1 && is_marked(e->d_name, mark, buffer) && kill((pid_t)pid, SIGKILL) == 0)
            n++;
    }
    if (d)
        closedir(d);
    return n;
}

/* The program was killed. Several rounds, as its compilers may be starting others right now. */
static void clean_up(const Scratch *s, const char *mark)
{
    char *buffer = malloc(ENVIRONMENT_MAX + 1);
    for (int round = 0, quiet = 0; buffer && round < MAX_ROUND && quiet < QUIET_ROUNDS; round++) {
        quiet = kill_marked(mark, buffer) ? 0 : quiet + 1;
        nanosleep(&(struct timespec){ .tv_nsec = ROUND_NS }, NULL);
    }
    tempdir_remove_tree(s->dir.path);
}

/* Keeps nothing of the program but the lock and the pipe's end, which become descriptors 3 and 4. */
static void guard_detach(int lock_fd, int pipe_fd)
{
    int nothing = open("/dev/null", O_RDWR), lock = fcntl(lock_fd, F_DUPFD, 10), end = fcntl(pipe_fd, F_DUPFD, 10);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    dup2(lock, 3);
    dup2(end, 4);
    close_range(5, ~0u, 0);
    setsid();
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT ? SIG_IGN : SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "dcgen-guard");
}

__attribute__((noreturn)) static void guard_main(const Scratch *s, const char *mark, int pipe_fd)
{
    char byte;
    ssize_t got;
    guard_detach(s->dir.fd, pipe_fd);
    while ((got = read(4, &byte, 1)) < 0 && errno == EINTR)
        continue;
    if (got == 0)
        clean_up(s, mark);
    _exit(0);
}

/* Without a guard all goes on: the folder is then removed by the next run. */
static void guard_start(Arena *a, Scratch *s)
{
    const char *mark = arena_printf(a, "%s=%s", MARK, s->dir.path);
    int ends[2];
    if (setenv(MARK, s->dir.path, 1) != 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    s->guard = fork();
    if (s->guard == 0) {
        close(ends[1]);
        guard_main(s, mark, ends[0]);
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

/* ---- the interface ---- */

Scratch *scratch_new(Arena *a, const char **err)
{
    const char *tmpdir = getenv("TMPDIR"), *parent = tmpdir && *tmpdir ? arena_strdup(a, tmpdir) : "/tmp";
    Scratch *s = ARENA_NEW(a, Scratch);
    *s = (Scratch){ .pipe_fd = -1 };
    tempdir_sweep(a, parent, PREFIX, NULL, NULL);
    if (!tempdir_make(a, parent, PREFIX, &s->dir)) {
        *err = arena_printf(a, "cannot make a temporary folder %s: %s", s->dir.path, strerror(errno));
        return NULL;
    }
    char *real = realpath(s->dir.path, NULL); /* a relative TMPDIR means nothing to who stands elsewhere */
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
    tempdir_remove_tree(s->dir.path);
    guard_dismiss(s);
    close(s->dir.fd);
}
