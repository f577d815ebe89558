/* SPDX-License-Identifier: Apache-2.0
 *
 * process: see process.h.
 */
#define _GNU_SOURCE
#include "gen/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

double process_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double process_clock_s(void) { return 1e-9 * process_clock_ns(); }

const char *process_find(Arena *a, const char *program)
{
    const char *p = getenv("PATH");
    for (p = p ? p : "/bin:/usr/bin"; *p;) {
        size_t n = strcspn(p, ":");
        const char *file = arena_printf(a, "%.*s/%s", (int)n, p, program);
        if (n && access(file, X_OK) == 0)
            return file;
        p += n + (p[n] == ':');
    }
    return NULL;
}

bool process_set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool is_replaced(const char *variable, const char *const *env)
{
    size_t name_len = strcspn(variable, "=") + 1;
    for (; env && *env; env++)
        if (strncmp(variable, *env, name_len) == 0)
            return true;
    return false;
}

/* Our environment with the given variables in place of ours; freed by the caller (the array only). */
static char **merge_environment(const char *const *env)
{
    size_t count = 1;
    for (char **v = environ; *v; v++)
        count++;
    for (const char *const *v = env; v && *v; v++)
        count++;
    char **merged = calloc(count, sizeof *merged);
    if (!merged)
        return NULL;
    char **out = merged;
    for (const char *const *v = env; v && *v; v++)
        *out++ = (char *)*v;
    for (char **v = environ; *v; v++)
        if (!is_replaced(*v, env))
            *out++ = *v;
    return merged;
}

static int plan_descriptors(posix_spawn_file_actions_t *actions, int in, int out, int err)
{
    const int given[3] = { in, out, err };
    for (int fd = 0; fd < 3; fd++) {
        int rc = given[fd] >= 0
                     ? posix_spawn_file_actions_adddup2(actions, given[fd], fd)
                     : posix_spawn_file_actions_addopen(actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
        if (rc != 0)
            return rc;
    }
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int plan_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &all);
    return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

pid_t process_spawn(const char *const *argv, const char *const *env, int in, int out, int err)
{
    char **merged = merge_environment(env);
    if (!merged) {
        errno = ENOMEM;
        return -1;
    }
    pid_t pid = -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    int rc = plan_descriptors(&actions, in, out, err);
    if (rc == 0)
        rc = plan_attributes(&attr);
    if (rc == 0)
        rc = posix_spawnp(&pid, argv[0], &actions, &attr, (char *const *)argv, merged);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    free(merged);
    errno = rc;
    return rc == 0 ? pid : -1;
}

bool process_has_ended(pid_t pid)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

int process_end(pid_t pid)
{
    int status = 0;
    kill(-pid, SIGKILL); /* first: while the leader is not reaped, its group's number cannot be another's */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

const char *process_status_text(Arena *a, int wait_status)
{
    if (!WIFSIGNALED(wait_status))
        return arena_printf(a, "exited with code %d", WEXITSTATUS(wait_status));
    const char *name = sigabbrev_np(WTERMSIG(wait_status));
    return name ? arena_printf(a, "was killed by SIG%s", name)
                : arena_printf(a, "was killed by signal %d", WTERMSIG(wait_status));
}

bool capture_open(Capture *c, int *child_end)
{
    int ends[2];
    c->fd = -1;
    c->len = 0;
    c->text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    c->fd = ends[0];
    *child_end = ends[1];
    return process_set_nonblocking(c->fd);
}

/* At most this many bytes a call, so that a child that writes without end does not hold us. */
void capture_drain(Capture *c)
{
    char spill[4096];
    for (int round = 0; round < 64 && c->fd >= 0; round++) {
        size_t room = CAPTURE_MAX - c->len;
        ssize_t got = read(c->fd, room ? c->text + c->len : spill, room ? room : sizeof spill);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            capture_close(c);
        } else if (room) {
            c->len += (size_t)got;
            c->text[c->len] = '\0';
        }
    }
}

void capture_close(Capture *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}
