/* SPDX-License-Identifier: Apache-2.0
 *
 * build: see build.h. A batch is one loop over at most `jobs` compilers: start, poll their stderr, look who has ended
 * or is late. In the background the same loop runs on a thread of its own, with an arena of its own: build_wait
 * copies the results. Messages come without colours or translations (LC_ALL=C) and without the temporary folder, so
 * that equal failures read equally.
 */
#define _GNU_SOURCE
#include "search/build.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/text.h"
#include "search/elf.h"
#include "search/process.h"
#include "search/scratch.h"

enum { MAX_JOBS = 256, TICK_MS = 3, WAIT_MS = 50, WHY_MAX = 300 };
static const double version_s = 10; /* for `cc --version` */

/* A batch on the helper thread. */
typedef struct {
    bool running;
    pthread_t thread;
    Arena *scratch, *result;
    Build *builds;
    int n;
    atomic_int stop;
    int done_fd; /* eventfd */
} Background;

struct Builder {
    Toolchain tools;
    const char *version, *folder;
    Scratch *scratch;
    const char **argv; /* program, flags, MODE if assembly is asked for, "-o", PRODUCT, SOURCE, NULL */
    int mode_arg, to_arg, from_arg;
    const char *env[3];
    int jobs;
    double deadline_s;
    int64_t empty_bytes; /* .text of a shared object without any code of its own */
    bool has_built;      /* the empty text, when the builder was made */
    Background back;
};

typedef struct {
    Build *build; /* NULL: the slot is free */
    pid_t pid;
    double start_s;
    const char *c_path, *s_path, *so_path;
    bool to_assembly; /* the first of two steps runs */
    Capture err;
} Job;

/* Who may end a batch early: the user, or the builder. */
typedef struct {
    const volatile int *user;
    atomic_int *own;
} Stop;

static bool is_stopped(const Stop *s) { return (s->user && *s->user) || (s->own && atomic_load(s->own)); }

/* ---- texts */

/* The line that says most: where `sign` is, or else an undefined name, an error, anything. */
static const char *telling_line(const char *text, const char *sign, size_t *len)
{
    static const char *const signs[] = { "undefined reference", ": error: ", ": fatal error: ", "error", "" };
    if (sign) {
        while (sign > text && sign[-1] != '\n')
            sign--;
        *len = strcspn(sign, "\n");
        return sign;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        for (const char *line = text; *line; line += *len + (line[*len] == '\n')) {
            *len = strcspn(line, "\n");
            if (*len > 0 && memmem(line, *len, signs[i], strlen(signs[i])))
                return line;
        }
    }
    *len = 0;
    return text;
}

/* That line as plain text without the folder. */
static const char *first_error(Arena *a, const char *text, const char *sign, const char *folder)
{
    size_t len, folder_len = strlen(folder);
    const char *line = telling_line(text, sign, &len);
    char *why = arena_alloc(a, WHY_MAX + 1);
    size_t n = 0;
    for (size_t i = 0; i < len && n < WHY_MAX; i++) {
        if (len - i > folder_len && strncmp(line + i, folder, folder_len) == 0 && line[i + folder_len] == '/')
            i += folder_len;
        else
            why[n++] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    return why;
}

/* ---- one compiler */

static void fail(Build *b, Status status, const char *why)
{
    b->status = status;
    b->blame = BLAME_CANDIDATE;
    b->why = why;
    b->log = "";
    b->so = NULL;
    b->code_bytes = 0;
    b->spills = (SpillReport){ 0 };
}

static void fail_by(Build *b, Blame blame, const char *why)
{
    fail(b, blame == BLAME_CANDIDATE ? STATUS_BUILD_FAILED : STATUS_INVALID, why);
    b->blame = blame;
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    int problem = text_write(fd, text, strlen(text)) ? 0 : errno;
    if (close(fd) != 0 && !problem)
        problem = errno;
    errno = problem;
    return problem == 0;
}

static bool spawn_compiler(const Builder *b, Job *job, bool to_assembly)
{
    int child_end = -1;
    if (!capture_open(&job->err, &child_end))
        return false;
    job->to_assembly = to_assembly;
    if (b->tools.assembly)
        b->argv[b->mode_arg] = to_assembly ? "-S" : "-shared";
    b->argv[b->to_arg] = to_assembly ? job->s_path : job->so_path;
    b->argv[b->from_arg] = b->tools.assembly && !to_assembly ? job->s_path : job->c_path;
    job->pid = process_spawn(b->argv, b->env, -1, -1, child_end);
    int problem = errno;
    close(child_end);
    if (job->pid < 0)
        capture_close(&job->err);
    errno = problem;
    return job->pid > 0;
}

static const char *cannot_start(const Builder *b, Arena *a)
{
    return arena_printf(a, "cannot start %s: %s", b->tools.program, strerror(errno));
}

static void job_start(const Builder *b, Arena *a, Job *job, Build *build)
{
    fail(build, STATUS_BUILD_FAILED, "");
    build->seconds = 0;
    build->log = "";
    if (!*build->name || strchr(build->name, '/')) {
        fail(build, STATUS_BUILD_FAILED, "the name is no file name");
        return;
    }
    job->c_path = arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.source);
    job->s_path = b->tools.assembly ? arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.assembly) : NULL;
    job->so_path = arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.product);
    job->start_s = process_clock_s();
    if (!write_text(job->c_path, build->text)) {
        fail_by(build, BLAME_MACHINE,
                arena_printf(a, "cannot write %s%s: %s", build->name, b->tools.source, strerror(errno)));
        unlink(job->c_path);
    } else if (!spawn_compiler(b, job, b->tools.assembly)) {
        fail_by(build, BLAME_MACHINE, cannot_start(b, a));
        unlink(job->c_path);
    } else {
        job->build = build;
    }
}

/* Ends the compiler and all it started; the wait status. */
static int job_reap(Job *job)
{
    int wait_status = process_end(job->pid);
    job->build->seconds = process_clock_s() - job->start_s;
    capture_drain(&job->err);
    capture_close(&job->err);
    return wait_status;
}

/* Frees the slot. */
static void job_free(Job *job)
{
    unlink(job->c_path);
    if (job->s_path)
        unlink(job->s_path);
    job->build = NULL;
}

/* Reads the assembly and starts the second step; else why not. */
static const char *assemble(const Builder *b, Arena *a, Job *job, Blame *blame)
{
    size_t len;
    Arena *scratch = arena_new();
    const char *text = text_read_file(scratch, job->s_path, &len);
    *blame = text ? BLAME_MACHINE : blame_error(errno);
    if (text)
        spills_read(text, &job->build->spills);
    arena_free(scratch);
    return !text ? "the compiler made no assembly" : spawn_compiler(b, job, false) ? NULL : cannot_start(b, a);
}

/* Of a compiler that failed: whose fault that is, and why. */
static void judge(const Builder *b, Arena *a, Build *build, int wait_status, const char *said)
{
    const char *sign;
    Blame blame = blame_text(said, &sign);
    if (blame == BLAME_CANDIDATE)
        blame = blame_end(wait_status);
    const char *why = first_error(a, said, sign, b->folder);
    if (!*why || (WIFSIGNALED(wait_status) && !sign))
        why = arena_printf(a, "the compiler %s", process_status_text(a, wait_status));
    fail_by(build, blame, why);
}

static void job_finish(const Builder *b, Arena *a, Job *job)
{
    Build *build = job->build;
    int wait_status = job_reap(job);
    if (wait_status == 0 && job->to_assembly) {
        Blame blame;
        const char *why = assemble(b, a, job, &blame);
        if (why) {
            job_free(job);
            fail_by(build, blame, why);
        }
        return;
    }
    job_free(job);
    errno = 0;
    int64_t bytes = wait_status == 0 ? elf_code_bytes(job->so_path) : -1;
    if (bytes >= 0) {
        build->status = STATUS_OK;
        build->log = b->tools.keep_log ? arena_strdup(a, job->err.text) : "";
        build->so = job->so_path;
        build->code_bytes = bytes > b->empty_bytes ? bytes - b->empty_bytes : 0;
    } else if (wait_status == 0) {
        fail_by(build, blame_error(errno), "the compiler made no shared object");
    } else {
        judge(b, a, build, wait_status, job->err.text);
    }
    if (bytes < 0)
        unlink(job->so_path);
}

static void job_abort(Job *job, Status status, const char *why)
{
    Build *build = job->build;
    job_reap(job);
    job_free(job);
    unlink(job->so_path);
    fail(build, status, why);
}

/* ---- a batch */

static void poll_jobs(Job *jobs, int njob)
{
    struct pollfd fds[MAX_JOBS];
    for (int i = 0; i < njob; i++)
        fds[i] = (struct pollfd){ .fd = jobs[i].build ? jobs[i].err.fd : -1, .events = POLLIN };
    poll(fds, (nfds_t)njob, TICK_MS);
    for (int i = 0; i < njob; i++)
        if (jobs[i].build)
            capture_drain(&jobs[i].err);
}

/* The first build of the batch with the name of build i: two compilers must not write the same files. */
static int namesake(const Build *builds, int i)
{
    int first = 0;
    while (strcmp(builds[first].name, builds[i].name) != 0)
        first++;
    return first;
}

static void copy_results(Build *builds, int n)
{
    for (int i = 0; i < n; i++) {
        const Build *from = &builds[namesake(builds, i)];
        builds[i] = (Build){ .name = builds[i].name,
                             .text = builds[i].text,
                             .status = from->status,
                             .blame = from->blame,
                             .so = from->so,
                             .code_bytes = from->code_bytes,
                             .spills = from->spills,
                             .seconds = from->seconds,
                             .log = from->log,
                             .why = from->why };
    }
}

/* Starts what fits, closes what has ended or is late; the number of compilers that run. */
static int tend_jobs(const Builder *b, Arena *a, Job *jobs, Build *builds, int n, int *next)
{
    int running = 0;
    for (int i = 0; i < b->jobs; i++) {
        Job *job = &jobs[i];
        if (job->build && process_has_ended(job->pid))
            job_finish(b, a, job);
        else if (job->build && process_clock_s() - job->start_s > b->deadline_s)
            job_abort(job, STATUS_TIMED_OUT, arena_printf(a, "killed after %g s", b->deadline_s));
        for (; !job->build && *next < n; ++*next)
            if (namesake(builds, *next) == *next)
                job_start(b, a, job, &builds[*next]);
        running += job->build != NULL;
    }
    return running;
}

/* One build, alone. */
static void run_alone(const Builder *b, Arena *a, Job *jobs, Build *build, const Stop *stop)
{
    Builder alone = *b;
    int next = 0;
    alone.jobs = 1;
    while (!is_stopped(stop) && tend_jobs(&alone, a, jobs, build, 1, &next) > 0)
        poll_jobs(jobs, 1);
}

/* Several compilers at a time may need more memory, descriptors or processes than there are. */
static void retry_alone(const Builder *b, Arena *a, Job *jobs, Build *builds, int n, const Stop *stop)
{
    for (int i = 0; i < n; i++)
        if (builds[i].blame != BLAME_CANDIDATE)
            run_alone(b, a, jobs, &builds[i], stop);
}

/* Signs are not all there are: where the text that built when the builder was made does not any more, no text of the batch is to blame. */
static void try_empty(const Builder *b, Arena *a, Job *jobs, Build *builds, int n, const Stop *stop)
{
    Build empty = { .name = "empty", .text = b->tools.empty };
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || builds[i].status == STATUS_BUILD_FAILED;
    if (!any || !b->has_built)
        return;
    run_alone(b, a, jobs, &empty, stop);
    build_remove(b, empty.so);
    for (int i = 0; i < n && empty.status != STATUS_OK && !is_stopped(stop); i++)
        if (builds[i].status == STATUS_BUILD_FAILED)
            fail_by(&builds[i], BLAME_MACHINE,
                    arena_printf(a, "%s does not build anything any more: %s", b->tools.program, empty.why));
}

static void abort_batch(const Builder *b, Job *jobs, Build *builds, int n, int next)
{
    for (int i = 0; i < b->jobs; i++)
        if (jobs[i].build)
            job_abort(&jobs[i], STATUS_INVALID, "interrupted");
    for (; next < n; next++)
        fail(&builds[next], STATUS_INVALID, "interrupted");
}

static void run_batch(const Builder *b, Arena *a, Build *builds, int n, Stop stop)
{
    Job *jobs = calloc((size_t)b->jobs, sizeof *jobs);
    int next = 0;
    for (int i = 0; !jobs && i < n; i++)
        fail_by(&builds[i], BLAME_MACHINE, "out of memory");
    while (jobs && !is_stopped(&stop) && tend_jobs(b, a, jobs, builds, n, &next) > 0)
        poll_jobs(jobs, b->jobs);
    if (jobs && !is_stopped(&stop))
        retry_alone(b, a, jobs, builds, n, &stop);
    if (jobs && !is_stopped(&stop))
        try_empty(b, a, jobs, builds, n, &stop);
    if (jobs)
        abort_batch(b, jobs, builds, n, next);
    copy_results(builds, n);
    free(jobs);
}

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    build_wait(b, stop);
    run_batch(b, a, builds, n, (Stop){ .user = stop });
}

/* ---- in the background */

static void *background_main(void *builder)
{
    Builder *b = builder;
    Background *g = &b->back;
    run_batch(b, g->scratch, g->builds, g->n, (Stop){ .own = &g->stop });
    uint64_t one = 1;
    while (write(g->done_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    return NULL;
}

void build_start(Builder *b, Arena *a, Build *builds, int n)
{
    Background *g = &b->back;
    build_wait(b, NULL);
    g->result = a;
    g->builds = builds;
    g->n = n;
    atomic_store(&g->stop, 0);
    g->scratch = arena_new();
    g->done_fd = eventfd(0, EFD_CLOEXEC);
    g->running = g->done_fd >= 0 && pthread_create(&g->thread, NULL, background_main, b) == 0;
    if (g->running)
        return;
    if (g->done_fd >= 0) /* no thread to be had: do it now */
        close(g->done_fd);
    arena_free(g->scratch);
    build_all(b, a, builds, n, NULL);
}

void build_wait(Builder *b, const volatile int *stop)
{
    Background *g = &b->back;
    if (!g->running)
        return;
    struct pollfd done = { .fd = g->done_fd, .events = POLLIN };
    while (poll(&done, 1, WAIT_MS) <= 0)
        if (stop && *stop)
            atomic_store(&g->stop, 1);
    pthread_join(g->thread, NULL);
    for (int i = 0; i < g->n; i++) {
        Build *build = &g->builds[i];
        build->why = arena_strdup(g->result, build->why);
        build->log = arena_strdup(g->result, build->log);
        build->so = build->so ? arena_strdup(g->result, build->so) : NULL;
    }
    close(g->done_fd);
    arena_free(g->scratch);
    g->running = false;
}

/* ---- the builder */

static bool make_folder(Builder *b, Arena *a, const char **err)
{
    b->scratch = scratch_new(a, err);
    if (!b->scratch)
        return false;
    b->folder = scratch_path(b->scratch);
    b->env[0] = "LC_ALL=C";
    b->env[1] = arena_printf(a, "TMPDIR=%s", b->folder); /* what a killed compiler leaves, goes with it */
    return true;
}

static void make_argv(Builder *b, Arena *a)
{
    size_t nflag = 0;
    while (b->tools.flags[nflag])
        nflag++;
    const char **p = b->argv = ARENA_ARRAY(a, nflag + 6, const char *);
    *p++ = b->tools.program;
    for (size_t i = 0; i < nflag; i++)
        *p++ = b->tools.flags[i];
    b->mode_arg = (int)(p - b->argv);
    p += b->tools.assembly != NULL;
    *p++ = "-o";
    b->to_arg = (int)(p++ - b->argv);
    b->from_arg = (int)(p - b->argv);
}

/* The line with the mark, else the first. */
static const char *version_line(const Builder *b, Arena *a, const char *said)
{
    const char *mark = strstr(said, b->tools.version_mark), *line = mark ? mark : said;
    while (line > said && line[-1] != '\n')
        line--;
    return arena_strndup(a, line, strcspn(line, "\n"));
}

/* What `PROGRAM --version` says. */
static bool ask_version(Builder *b, Arena *a, const volatile int *stop, const char **err)
{
    const char *const argv[] = { b->tools.program, "--version", NULL };
    Capture *out = ARENA_NEW(a, Capture);
    int child_end = -1;
    pid_t pid = capture_open(out, &child_end) ? process_spawn(argv, b->env, -1, child_end, -1) : -1;
    if (pid < 0)
        *err = arena_printf(a, "cannot start the compiler %s: %s", b->tools.program, strerror(errno));
    if (child_end >= 0)
        close(child_end);
    const double patience_s = fmin(b->deadline_s, version_s), end = process_clock_s() + patience_s;
    while (pid > 0 && !process_has_ended(pid) && process_clock_s() < end && !(stop && *stop)) {
        poll(&(struct pollfd){ .fd = out->fd, .events = POLLIN }, 1, TICK_MS);
        capture_drain(out);
    }
    bool late = pid > 0 && !process_has_ended(pid);
    int wait_status = pid > 0 ? process_end(pid) : 0;
    capture_drain(out);
    capture_close(out);
    b->version = version_line(b, a, out->text);
    if (stop && *stop)
        *err = "interrupted";
    else if (late)
        *err = arena_printf(a, "%s --version does not end within %g s", b->tools.program, patience_s);
    else if (pid > 0 && wait_status != 0)
        *err = arena_printf(a, "%s --version %s", b->tools.program, process_status_text(a, wait_status));
    return pid > 0 && wait_status == 0;
}

/* Builds nothing at all: that works with any compiler which can build anything, and tells the size of the C runtime's
 * part. */
static bool try_compiler(Builder *b, Arena *a, const volatile int *stop, const char **err)
{
    Build empty = { .name = "empty", .text = b->tools.empty };
    build_all(b, a, &empty, 1, stop);
    if (empty.status != STATUS_OK) {
        *err = arena_printf(a, "%s cannot build a shared object: %s", b->tools.program, empty.why);
        return false;
    }
    b->empty_bytes = empty.code_bytes;
    b->has_built = true;
    build_remove(b, empty.so);
    return true;
}

Toolchain toolchain_c(Arena *a, const char *cc, const char *const *flags)
{
    size_t n = 0;
    while (flags[n])
        n++;
    const char **all = ARENA_ARRAY(a, n + 2, const char *);
    memcpy(all, flags, n * sizeof *all);
    all[n] = "-fPIC";
    return (Toolchain){ .program = arena_strdup(a, cc),
                        .flags = all,
                        .source = ".c",
                        .assembly = ".s",
                        .product = ".so",
                        .empty = "int dcgen_empty;\n",
                        .version_mark = "" };
}

Builder *builder_new(Arena *a, const Toolchain *tools, int jobs, double deadline_s, const volatile int *stop,
                     const char **err)
{
    Builder *b = ARENA_NEW(a, Builder);
    b->tools = *tools;
    b->jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    b->deadline_s = deadline_s;
    if (!make_folder(b, a, err))
        return NULL;
    make_argv(b, a);
    if (ask_version(b, a, stop, err) && try_compiler(b, a, stop, err))
        return b;
    builder_free(b);
    return NULL;
}

const char *builder_version(const Builder *b) { return b->version; }

void build_remove(const Builder *b, const char *so)
{
    size_t len = strlen(b->folder);
    if (so && strncmp(so, b->folder, len) == 0 && so[len] == '/' && !strchr(so + len + 1, '/'))
        unlink(so);
}

void builder_free(Builder *b)
{
    static const volatile int stop = 1;
    if (!b)
        return;
    build_wait(b, &stop);
    scratch_free(b->scratch);
}
