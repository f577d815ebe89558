/* SPDX-License-Identifier: Apache-2.0
 *
 * build: see build.h. One loop over at most `jobs` compilers: start, poll their stderr, look who has ended or is late. In the
 * background the same loop runs on a thread of its own, over all batches there are, so that the last compilers of one run beside the
 * first of the next; each batch has an arena of its own, and build_wait copies the results. Messages come without colours or translations (LC_ALL=C) and without the temporary folder, so
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/text.h"
#include "search/build_cache.h"
#include "search/elf.h"
#include "search/process.h"
#include "search/scratch.h"

enum { MAX_JOBS = 256, TICK_MS = 3, WAIT_MS = 50, WHY_MAX = 300, NICE = 10 };
static const double version_s = 10; /* for `cc --version` */

/* Builds that were asked for together. */
typedef struct Batch {
    struct Batch *later; /* in the background */
    Arena *a, *result;   /* where results are made; where they go (background) */
    Build *builds;
    int n, next; /* the next to be started */
    bool done;
} Batch;

/* The helper thread. It works on the batches without the lock, but for what follows here and Batch.later, next and done. */
typedef struct {
    pthread_t thread;
    bool has_thread, has_ended; /* it is to be joined; nothing was left for it */
    pthread_mutex_t lock;
    pthread_cond_t finished; /* a batch is done */
    Batch *first;
    atomic_int stop;
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
    Batch *batch;
    char key[BUILD_KEY_BYTES]; /* in the cache */
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

/* It was built before. */
static bool is_found(const Builder *b, Arena *a, Job *job, Build *build)
{
    if (!b->tools.cache)
        return false;
    build_cache_key(&b->tools, b->version, build->text, job->key);
    return build_cache_get(b->tools.cache, a, job->key, job->so_path, build);
}

static void job_start(const Builder *b, Batch *batch, Job *job, Build *build)
{
    Arena *a = batch->a;
    fail(build, STATUS_BUILD_FAILED, "");
    build->seconds = 0;
    build->found = false;
    job->batch = batch;
    build->log = "";
    if (!*build->name || strchr(build->name, '/')) {
        fail(build, STATUS_BUILD_FAILED, "the name is no file name");
        return;
    }
    job->c_path = arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.source);
    job->s_path = b->tools.assembly ? arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.assembly) : NULL;
    job->so_path = arena_printf(a, "%s/%s%s", b->folder, build->name, b->tools.product);
    job->start_s = process_clock_s();
    if (is_found(b, a, job, build))
        return;
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

static void job_finish(const Builder *b, Job *job)
{
    Build *build = job->build;
    Arena *a = job->batch->a;
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
        if (b->tools.cache)
            build_cache_put(b->tools.cache, job->key, build);
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
                             .found = from->found,
                             .log = from->log,
                             .why = from->why };
    }
}

/* Some of it are to be tried again, alone. */
static bool is_hungry(const Batch *x)
{
    for (int i = 0; i < x->next; i++)
        if (x->builds[i].blame != BLAME_CANDIDATE)
            return true;
    return false;
}

/* What is to be started next, of the first batch that has anything; NULL: nothing, or not before a batch has had its second try. */
static Build *next_build(Batch *first, Batch **of)
{
    for (Batch *x = first; x; x = x->later) {
        while (!x->done && x->next < x->n) {
            const int i = x->next++;
            *of = x;
            if (namesake(x->builds, i) == i)
                return &x->builds[i];
        }
        if (!x->done && is_hungry(x))
            return NULL;
    }
    return NULL;
}

/* Starts what fits, closes what has ended or is late; the number of compilers that run. */
static int tend_jobs(const Builder *b, Job *jobs, Batch *first)
{
    int running = 0;
    for (int i = 0; i < b->jobs; i++) {
        Job *job = &jobs[i];
        Batch *of = NULL;
        if (job->build && process_has_ended(job->pid))
            job_finish(b, job);
        else if (job->build && process_clock_s() - job->start_s > b->deadline_s)
            job_abort(job, STATUS_TIMED_OUT, arena_printf(job->batch->a, "killed after %g s", b->deadline_s));
        for (Build *build; !job->build && (build = next_build(first, &of));)
            job_start(b, of, job, build);
        running += job->build != NULL;
    }
    return running;
}

static void abort_jobs(Job *jobs, int njob)
{
    for (int i = 0; i < njob; i++)
        if (jobs[i].build)
            job_abort(&jobs[i], STATUS_INVALID, "interrupted");
}

static void abort_rest(Batch *x)
{
    for (; x->next < x->n; x->next++)
        fail(&x->builds[x->next], STATUS_INVALID, "interrupted");
}

static void starve(Batch *x)
{
    for (; x->next < x->n; x->next++)
        fail_by(&x->builds[x->next], BLAME_MACHINE, "out of memory");
}

static void run_jobs(const Builder *b, Batch *x, const Stop *stop)
{
    Job *jobs = calloc((size_t)b->jobs, sizeof *jobs);
    if (!jobs)
        starve(x);
    while (jobs && !is_stopped(stop) && tend_jobs(b, jobs, x) > 0)
        poll_jobs(jobs, b->jobs);
    if (jobs)
        abort_jobs(jobs, b->jobs);
    abort_rest(x);
    free(jobs);
}

/* One build, alone. */
static void run_alone(const Builder *b, Arena *a, Build *build, const Stop *stop)
{
    Builder alone = *b;
    Batch one = { .a = a, .builds = build, .n = 1 };
    alone.jobs = 1;
    run_jobs(&alone, &one, stop);
}

/* Several compilers at a time may need more memory, descriptors or processes than there are. */
static void retry_alone(const Builder *b, Batch *x, const Stop *stop)
{
    for (int i = 0; i < x->n; i++)
        if (x->builds[i].blame != BLAME_CANDIDATE && namesake(x->builds, i) == i && !is_stopped(stop))
            run_alone(b, x->a, &x->builds[i], stop);
}

/* Signs are not all there are: where the text that built when the builder was made does not any more, no text of the batch is to blame. */
static void try_empty(const Builder *b, Batch *x, const Stop *stop)
{
    Build empty = { .name = "empty", .text = b->tools.empty };
    Builder anew = *b;
    bool any = false;
    for (int i = 0; i < x->n; i++)
        any = any || x->builds[i].status == STATUS_BUILD_FAILED;
    if (!any || !b->has_built)
        return;
    anew.tools.cache = NULL;
    run_alone(&anew, x->a, &empty, stop);
    build_remove(b, empty.so);
    for (int i = 0; i < x->n && empty.status != STATUS_OK && !is_stopped(stop); i++)
        if (x->builds[i].status == STATUS_BUILD_FAILED)
            fail_by(&x->builds[i], BLAME_MACHINE,
                    arena_printf(x->a, "%s does not build anything any more: %s", b->tools.program, empty.why));
}

/* All its compilers have ended. */
static void conclude(const Builder *b, Batch *x, const Stop *stop)
{
    if (!is_stopped(stop))
        retry_alone(b, x, stop);
    if (!is_stopped(stop))
        try_empty(b, x, stop);
    copy_results(x->builds, x->n);
}

/* ---- in the background */

static bool has_jobs(const Builder *b, const Job *jobs, const Batch *x)
{
    for (int i = 0; i < b->jobs; i++)
        if (jobs[i].build && (!x || jobs[i].batch == x))
            return true;
    return false;
}

/* A batch that has been built, but for its end; NULL: there is none. */
static Batch *concluding(const Builder *b, const Job *jobs)
{
    for (Batch *x = b->back.first; x; x = x->later)
        if (!x->done && x->next == x->n && !has_jobs(b, jobs, is_hungry(x) ? NULL : x))
            return x;
    return NULL;
}

static bool is_busy(const Background *g)
{
    const Batch *x = g->first;
    while (x && x->done)
        x = x->later;
    return x;
}

static void finish(Background *g, Batch *x)
{
    x->done = true;
    pthread_cond_broadcast(&g->finished);
}

/* jobs NULL: there is no memory for them. */
static void abort_all(Builder *b, Job *jobs)
{
    if (jobs)
        abort_jobs(jobs, b->jobs);
    for (Batch *x = b->back.first; x; x = x->later)
        if (!x->done) {
            if (!jobs)
                starve(x);
            abort_rest(x);
            copy_results(x->builds, x->n);
            finish(&b->back, x);
        }
}

static void *background_main(void *builder)
{
    Builder *b = builder;
    Background *g = &b->back;
    const Stop stop = { .own = &g->stop };
    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread and its compilers: what measures comes first */
    pthread_mutex_lock(&g->lock);
    Job *jobs = calloc((size_t)b->jobs, sizeof *jobs);
    while (jobs && is_busy(g) && !is_stopped(&stop)) {
        tend_jobs(b, jobs, g->first);
        Batch *x = concluding(b, jobs);
        pthread_mutex_unlock(&g->lock);
        if (x)
            conclude(b, x, &stop);
        else
            poll_jobs(jobs, b->jobs);
        pthread_mutex_lock(&g->lock);
        if (x)
            finish(g, x);
    }
    abort_all(b, jobs);
    g->has_ended = true;
    pthread_mutex_unlock(&g->lock);
    free(jobs);
    return NULL;
}

/* Behind the others, or in front of them. */
static void enqueue(Background *g, Batch *x, bool in_front)
{
    Batch **at = &g->first;
    while (*at && !in_front)
        at = &(*at)->later;
    x->later = *at;
    *at = x;
}

static void add_batch(Builder *b, Arena *a, Build *builds, int n, bool in_front)
{
    Background *g = &b->back;
    Batch *x = ARENA_NEW(a, Batch);
    *x = (Batch){ .a = arena_new(), .result = a, .builds = builds, .n = n };
    pthread_mutex_lock(&g->lock);
    enqueue(g, x, in_front);
    const bool ended = g->has_thread && g->has_ended;
    pthread_mutex_unlock(&g->lock);
    if (ended)
        pthread_join(g->thread, NULL);
    if (g->has_thread && !ended)
        return;
    g->has_ended = false;
    atomic_store(&g->stop, 0);
    g->has_thread = pthread_create(&g->thread, NULL, background_main, b) == 0;
    if (!g->has_thread) { /* none to be had: do it now */
        run_jobs(b, x, &(Stop){ 0 });
        conclude(b, x, &(Stop){ 0 });
        x->done = true;
    }
}

void build_start(Builder *b, Arena *a, Build *builds, int n) { add_batch(b, a, builds, n, false); }

/* Waits for the batch, with the lock. */
static void wait_done(Background *g, const Batch *x, double until_s, const volatile int *stop)
{
    while (!x->done) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += WAIT_MS * 1000000L;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&g->finished, &g->lock, &t);
        if (!x->done && ((stop && *stop) || process_clock_s() >= until_s))
            atomic_store(&g->stop, 1);
    }
}

/* The results come to where they were asked for. */
static void take_out(Background *g, Batch *x)
{
    Batch **at = &g->first;
    while (*at != x)
        at = &(*at)->later;
    *at = x->later;
    for (int i = 0; i < x->n; i++) {
        Build *build = &x->builds[i];
        build->why = arena_strdup(x->result, build->why);
        build->log = arena_strdup(x->result, build->log);
        build->so = build->so ? arena_strdup(x->result, build->so) : NULL;
    }
    arena_free(x->a);
}

bool build_wait(Builder *b, const Build *builds, double until_s, const volatile int *stop)
{
    Background *g = &b->back;
    bool in_time = true;
    pthread_mutex_lock(&g->lock);
    for (Batch *x = g->first, *later; x; x = later) {
        later = x->later;
        if (builds && x->builds != builds)
            continue;
        wait_done(g, x, until_s, stop);
        for (int i = 0; i < x->n; i++)
            in_time = in_time && strcmp(x->builds[i].why, "interrupted") != 0;
        take_out(g, x);
    }
    pthread_mutex_unlock(&g->lock);
    return in_time;
}

void build_cancel(Builder *b)
{
    static const volatile int stop = 1;
    build_wait(b, NULL, INFINITY, &stop);
}

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    Background *g = &b->back;
    pthread_mutex_lock(&g->lock);
    const bool busy = is_busy(g);
    pthread_mutex_unlock(&g->lock);
    if (busy) { /* these are wanted first */
        add_batch(b, a, builds, n, true);
        build_wait(b, builds, INFINITY, stop);
        return;
    }
    Batch x = { .a = a, .builds = builds, .n = n };
    const Stop user = { .user = stop };
    run_jobs(b, &x, &user);
    conclude(b, &x, &user);
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
                        .version_mark = "",
                        .portable = true };
}

Builder *builder_new(Arena *a, const Toolchain *tools, int jobs, double deadline_s, const volatile int *stop,
                     const char **err)
{
    Builder *b = ARENA_NEW(a, Builder);
    b->tools = *tools;
    b->jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    b->deadline_s = deadline_s;
    pthread_mutex_init(&b->back.lock, NULL);
    pthread_cond_init(&b->back.finished, NULL);
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
    if (!b)
        return;
    build_cancel(b);
    if (b->back.has_thread)
        pthread_join(b->back.thread, NULL);
    pthread_mutex_destroy(&b->back.lock);
    pthread_cond_destroy(&b->back.finished);
    scratch_free(b->scratch);
}
