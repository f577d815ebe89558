/* SPDX-License-Identifier: Apache-2.0
 *
 * process: starts children, hears them and ends them. Waiting is a loop that takes what the child says, asks whether it
 * has ended, and looks at the clock.
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* TICK_MS: how often process_run looks whether a child has ended; SILENT_TICK_MS: if none of its streams is kept. */
enum { TICK_MS = 3, SILENT_TICK_MS = 50, READ_BYTES = 16 * 1024, MAX_READ = 64 };

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

/* Our environment, but with the given variables in the place of ours of the same names. */
static char **merge_environment(Arena *a, const char *const *env)
{
    size_t n = 0, nours = 0, ngiven = 0;
    while (environ[nours])
        nours++;
    while (env && env[ngiven])
        ngiven++;
    char **merged = ARENA_ARRAY(a, nours + ngiven + 1, char *);
    for (; n < ngiven; n++)
        merged[n] = (char *)env[n];
    for (char **v = environ; *v; v++)
        if (!is_replaced(*v, env))
            merged[n++] = *v;
    return merged;
}

static int plan_descriptors(posix_spawn_file_actions_t *actions, const int given[3])
{
    for (int fd = 0; fd < 3; fd++) {
        int rc = given[fd] > 0
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

/* given[fd]: our descriptor that becomes the child's fd; 0: /dev/null does. Returns the pid; 0 with errno set. */
static pid_t spawn(Arena *a, const char *const *argv, const char *const *env, const int given[3])
{
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    int rc = plan_descriptors(&actions, given);
    if (rc == 0)
        rc = plan_attributes(&attr);
    if (rc == 0)
        rc = posix_spawnp(&pid, argv[0], &actions, &attr, (char *const *)argv, merge_environment(a, env));
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    errno = rc;
    return rc == 0 ? pid : 0;
}

/* ---- what a child writes ---- */

static void output_close(ChildOutput *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* Takes what is there without waiting, but at most MAX_READ pieces: a child may write without end. */
static void output_take(ChildOutput *s)
{
    char piece[READ_BYTES];
    for (int i = 0; i < MAX_READ && s->fd >= 0; i++) {
        ssize_t got = read(s->fd, piece, sizeof piece);
        const size_t room = s->most - s->text.len;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got > 0)
            text_addn(&s->text, piece, (size_t)got < room ? (size_t)got : room);
        else if (got == 0 || errno != EINTR)
            output_close(s);
    }
}

/* child_end: the planned descriptor or, with PROCESS_KEEP, the end of a pipe that `s` hears. False with errno set. */
static bool output_open(ChildOutput *s, Arena *a, int planned, size_t most, int *child_end)
{
    int ends[2];
    *s = (ChildOutput){ .fd = -1, .most = most ? most : PROCESS_OUTPUT_BYTES, .text = { .arena = a } };
    *child_end = planned;
    if (planned != PROCESS_KEEP)
        return true;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    s->fd = ends[0];
    *child_end = ends[1];
    return process_set_nonblocking(s->fd);
}

/* Where the child reads `text`: a file in memory, as a pipe would have to be filled meanwhile. -1 with errno set. */
static int text_descriptor(const char *text)
{
    int fd = memfd_create("dcgen-text", MFD_CLOEXEC);
    if (fd >= 0 && text_write(fd, text, strlen(text)) && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        text_close(fd, false);
    return -1;
}

/* ---- children ---- */

bool child_start(Child *c, Arena *a, const ProcessPlan *p)
{
    const int planned[3] = { p->text ? PROCESS_KEEP : p->in, p->out, p->err };
    int given[3] = { p->text ? text_descriptor(p->text) : p->in };
    *c = (Child){ 0 };
    bool ok = given[0] >= 0;
    for (int fd = 1; fd < 3; fd++)
        ok = output_open(&c->output[fd], a, planned[fd], p->most, &given[fd]) && ok;
    given[2] = given[2] == PROCESS_WITH_OUT ? given[1] : given[2];
    c->pid = ok ? spawn(a, p->argv, p->env, given) : 0;
    const int problem = errno;
    for (int fd = 0; fd < 3; fd++) {
        if (planned[fd] == PROCESS_KEEP && given[fd] >= 0)
            close(given[fd]);
        if (fd > 0 && !c->pid)
            output_close(&c->output[fd]);
    }
    errno = problem;
    return c->pid > 0;
}

bool child_has_ended(const Child *c)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == c->pid;
}

void child_listen(Child *const *child, int n, int ms)
{
    struct pollfd fds[2 * PROCESS_MAX_CHILD];
    for (int i = 0; i < 2 * n; i++) {
        const Child *c = child[i / 2];
        fds[i] = (struct pollfd){ .fd = c->pid ? c->output[1 + i % 2].fd : -1, .events = POLLIN };
    }
    poll(fds, 2 * (nfds_t)n, ms);
    for (int i = 0; i < 2 * n; i++)
        if (child[i / 2]->pid)
            output_take(&child[i / 2]->output[1 + i % 2]);
}

int child_end(Child *c)
{
    int status = 0;
    kill(-c->pid, SIGKILL); /* before the leader is reaped: after that, its group's number may be another's */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    for (int fd = 1; fd < 3; fd++) {
        output_take(&c->output[fd]);
        output_close(&c->output[fd]);
    }
    c->pid = 0;
    return status;
}

ProcessEnd process_run(Arena *a, const ProcessPlan *p, double deadline_s, const volatile int *stop)
{
    Child c;
    ProcessEnd e = { 0 };
    const double end_s = process_clock_s() + deadline_s;
    const bool speaks = p->out == PROCESS_KEEP || p->err == PROCESS_KEEP;
    if (!child_start(&c, a, p))
        return (ProcessEnd){ .error = errno, .stopped = stop && *stop };
    while (!child_has_ended(&c) && process_clock_s() < end_s && !(stop && *stop))
        child_listen(&(Child *){ &c }, 1, speaks ? TICK_MS : SILENT_TICK_MS);
    e.stopped = stop && *stop;
    e.late = !e.stopped && !child_has_ended(&c);
    e.wait_status = child_end(&c);
    e.out = c.output[1].text;
    e.err = c.output[2].text;
    return e;
}

bool process_is_well(const ProcessEnd *e) { return !e->error && e->wait_status == 0; }

const char *process_status_text(Arena *a, int wait_status)
{
    if (!WIFSIGNALED(wait_status))
        return arena_printf(a, "exited with code %d", WEXITSTATUS(wait_status));
    const char *name = sigabbrev_np(WTERMSIG(wait_status));
    return name ? arena_printf(a, "was killed by SIG%s", name)
                : arena_printf(a, "was killed by signal %d", WTERMSIG(wait_status));
}
