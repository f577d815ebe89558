/* SPDX-License-Identifier: Apache-2.0
 *
 * compile: one loop over at most `jobs` compilers: start, poll their stderr, look which has ended or is late. Messages
 * come without colours or translations (LC_ALL=C) and without the temporary folder, so that equal failures read
 * equally.
 */
#define _GNU_SOURCE
#include "search/build/compile.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "search/build/build_cache.h"

enum { TICK_MS = 3, WHY_MAX = 300 };

typedef struct {
    Build *build; /* NULL: the slot is free */
    BuildBatch *batch;
    char key[BUILD_KEY_BYTES]; /* of the build in the cache */
    double start_s;
    const char *source_path, *assembly_path, *product_path;
    bool to_assembly; /* the first of two steps runs */
    Child child;
} CompilerJob;

struct Jobs {
    const Compiler *c;
    CompilerJob job[]; /* c->jobs of them */
};

bool is_stopped(const Stop *s) { return (s->user && *s->user) || (s->own && atomic_load(s->own)); }

/* The line that says most: where `sign` is, or else an undefined name, an error, anything. */
static const char *telling_line(const char *text, const char *sign)
{
    static const char *const signs[] = { "undefined reference", ": error: ", ": fatal error: ", "error" };
    for (size_t i = 0; !sign && i < LENGTH(signs); i++)
        sign = strstr(text, signs[i]);
    sign = sign ? sign : text + strspn(text, "\n");
    while (sign > text && sign[-1] != '\n')
        sign--;
    return sign;
}

static const char *without_folder(Arena *a, const char *text, const char *folder)
{
    const char *path = arena_printf(a, "%s/", folder), *at;
    Text t = { .arena = a };
    for (; (at = strstr(text, path)); text = at + strlen(path))
        text_addn(&t, text, (size_t)(at - text));
    text_add(&t, text);
    return text_str(&t);
}

/* The line that says most, as plain text and without the folder in its paths. */
static const char *first_error(Arena *a, const char *text, const char *sign, const char *folder)
{
    const char *line = telling_line(text, sign);
    line = without_folder(a, arena_strndup(a, line, strcspn(line, "\n")), folder);
    char *why = arena_strndup(a, line, strnlen(line, WHY_MAX));
    for (char *c = why; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    return why;
}

/* ---- one compiler */

static void fail(Build *b, Status status, const char *why)
{
    *b = (Build){ .name = b->name, .text = b->text, .status = status, .log = "", .why = why };
}

static void fail_with_blame(Build *b, Blame blame, const char *why)
{
    fail(b, blame == BLAME_CANDIDATE ? STATUS_BUILD_FAILED : STATUS_INVALID, why);
    b->blame = blame;
}

static bool spawn_compiler(const Compiler *c, CompilerJob *job, bool to_assembly)
{
    const char **arg = c->argv + c->nfixed;
    job->to_assembly = to_assembly;
    if (c->tools.assembly)
        *arg++ = to_assembly ? "-S" : "-shared";
    *arg++ = "-o";
    *arg++ = to_assembly ? job->assembly_path : job->product_path;
    *arg++ = c->tools.assembly && !to_assembly ? job->assembly_path : job->source_path;
    return child_start(&job->child, job->batch->a,
                       &(ProcessPlan){ .argv = c->argv, .env = c->env, .err = PROCESS_KEEP });
}

static const char *start_problem(const Compiler *c, Arena *a)
{
    return arena_printf(a, "cannot start %s: %s", c->tools.program, strerror(errno));
}

static bool take_cached(const Compiler *c, Arena *a, CompilerJob *job, Build *build)
{
    if (!c->tools.cache)
        return false;
    build_cache_key(&c->tools, c->version, build->text, job->key);
    return build_cache_get(c->tools.cache, a, job->key, job->product_path, build);
}

static void job_start(const Compiler *c, BuildBatch *batch, CompilerJob *job)
{
    Arena *a = batch->a;
    Build *build = &batch->builds[batch->next++];
    fail(build, STATUS_BUILD_FAILED, ""); /* until the compiler has made something */
    job->batch = batch;
    if (!*build->name || strchr(build->name, '/')) {
        fail(build, STATUS_BUILD_FAILED, "the name is no file name");
        return;
    }
    job->source_path = arena_printf(a, "%s/%s%s", c->folder, build->name, c->tools.source);
    job->assembly_path =
        c->tools.assembly ? arena_printf(a, "%s/%s%s", c->folder, build->name, c->tools.assembly) : NULL;
    job->product_path = arena_printf(a, "%s/%s%s", c->folder, build->name, c->tools.product);
    job->start_s = process_clock_s();
    if (take_cached(c, a, job, build))
        return;
    if (!text_write_file(job->source_path, build->text, strlen(build->text)))
        fail_with_blame(build, BLAME_MACHINE,
                        arena_printf(a, "cannot write %s%s: %s", build->name, c->tools.source, strerror(errno)));
    else if (!spawn_compiler(c, job, c->tools.assembly))
        fail_with_blame(build, BLAME_MACHINE, start_problem(c, a));
    else
        job->build = build;
    if (!job->build)
        unlink(job->source_path);
}

static void job_free(CompilerJob *job)
{
    unlink(job->source_path);
    if (job->assembly_path)
        unlink(job->assembly_path);
    if (job->build->status != STATUS_OK)
        unlink(job->product_path);
    job->build = NULL;
}

static bool start_second_step(const Compiler *c, CompilerJob *job)
{
    Arena *scratch = arena_new();
    const char *text = text_read_file(scratch, job->assembly_path, NULL);
    const bool made = text;
    const Blame blame = made ? BLAME_MACHINE : blame_error(errno);
    if (made && c->tools.syntax)
        spills_read(c->tools.syntax, text, &job->build->spills);
    arena_free(scratch);
    const bool started = made && spawn_compiler(c, job, false);
    if (!started)
        fail_with_blame(job->build, blame, made ? start_problem(c, job->batch->a) : "the compiler made no assembly");
    return started;
}

static void take_product(const Compiler *c, CompilerJob *job)
{
    Build *build = job->build;
    errno = 0;
    const int64_t bytes = elf_code_bytes(job->product_path);
    if (bytes < 0) {
        fail_with_blame(build, blame_error(errno), "the compiler made no shared object");
        return;
    }
    build->status = STATUS_OK;
    build->log = c->tools.keep_log ? text_str(&job->child.output[2].text) : "";
    build->so = job->product_path;
    build->code_bytes = bytes > c->empty_bytes ? bytes - c->empty_bytes : 0;
    if (c->tools.cache)
        build_cache_put(c->tools.cache, job->key, build);
}

static void judge_failure(const Compiler *c, CompilerJob *job, int wait_status)
{
    Arena *a = job->batch->a;
    const char *sign, *output = text_str(&job->child.output[2].text);
    Blame blame = blame_text(output, &sign);
    if (blame == BLAME_CANDIDATE)
        blame = blame_end(wait_status);
    const char *why = first_error(a, output, sign, c->folder);
    if (!*why || (WIFSIGNALED(wait_status) && !sign))
        why = arena_printf(a, "the compiler %s", process_status_text(a, wait_status));
    fail_with_blame(job->build, blame, why);
    job->build->log = without_folder(a, output, c->folder);
}

static void job_finish(const Compiler *c, CompilerJob *job)
{
    const int wait_status = child_end(&job->child);
    if (wait_status != 0)
        judge_failure(c, job, wait_status);
    else if (!job->to_assembly)
        take_product(c, job);
    else if (start_second_step(c, job))
        return;
    job_free(job);
}

static void job_abort(CompilerJob *job, Status status, const char *why)
{
    child_end(&job->child);
    fail(job->build, status, why);
    job_free(job);
}

/* ---- a batch */

Jobs *jobs_new(Arena *a, const Compiler *c)
{
    Jobs *jobs = arena_alloc(a, sizeof *jobs + (size_t)c->jobs * sizeof *jobs->job);
    jobs->c = c;
    return jobs;
}

void jobs_poll(Jobs *jobs)
{
    Child *child[COMPILE_MAX_JOBS];
    for (int i = 0; i < jobs->c->jobs; i++)
        child[i] = &jobs->job[i].child;
    child_listen(child, jobs->c->jobs, TICK_MS);
}

static bool needs_retry(const BuildBatch *x)
{
    for (int i = 0; i < x->next; i++)
        if (x->builds[i].blame != BLAME_CANDIDATE)
            return true;
    return false;
}

/* The first batch with a build to be started. NULL: none, or a batch before it must have its second try. */
static BuildBatch *next_batch(BuildBatch *first)
{
    for (BuildBatch *x = first; x; x = x->later) {
        if (!x->done && x->next < x->n)
            return x;
        if (!x->done && needs_retry(x))
            return NULL;
    }
    return NULL;
}

int jobs_tend(Jobs *jobs, BuildBatch *first)
{
    const Compiler *c = jobs->c;
    int running = 0;
    for (int i = 0; i < c->jobs; i++) {
        CompilerJob *job = &jobs->job[i];
        if (job->build && child_has_ended(&job->child))
            job_finish(c, job);
        else if (job->build && process_clock_s() - job->start_s > c->deadline_s)
            job_abort(job, STATUS_TIMED_OUT, arena_printf(job->batch->a, "killed after %g s", c->deadline_s));
        BuildBatch *batch;
        while (!job->build && (batch = next_batch(first)))
            job_start(c, batch, job);
        running += job->build != NULL;
    }
    return running;
}

void jobs_end(Jobs *jobs)
{
    for (int i = 0; i < jobs->c->jobs; i++)
        if (jobs->job[i].build)
            job_abort(&jobs->job[i], STATUS_INVALID, "interrupted");
}

void compile_drop(BuildBatch *x)
{
    for (; x->next < x->n; x->next++)
        fail(&x->builds[x->next], STATUS_INVALID, "interrupted");
}

static void run_jobs(const Compiler *c, BuildBatch *x, const Stop *stop)
{
    Jobs *jobs = jobs_new(x->a, c);
    while (!is_stopped(stop) && jobs_tend(jobs, x) > 0)
        jobs_poll(jobs);
    compile_drop(x);
    jobs_end(jobs);
}

static void build_alone(const Compiler *c, Arena *a, Build *build, const Stop *stop)
{
    Compiler alone = *c;
    alone.jobs = 1;
    run_jobs(&alone, &(BuildBatch){ .a = a, .builds = build, .n = 1 }, stop);
}

/* Tries builds again for which something was lacking: several at a time may need too much memory. */
static void retry_alone(const Compiler *c, BuildBatch *x, const Stop *stop)
{
    for (int i = 0; i < x->n; i++)
        if (x->builds[i].blame != BLAME_CANDIDATE && !is_stopped(stop))
            build_alone(c, x->a, &x->builds[i], stop);
}

/* Not everything that a compiler lacks is known by its words. Where it no longer builds the empty text, which it built
 * when the builder was made, no text of the batch is to blame. The batch of the empty text itself needs no such try. */
static void try_empty(const Compiler *c, BuildBatch *x, const Stop *stop)
{
    Build empty = { .name = "empty", .text = c->tools.empty };
    Compiler anew = *c;
    int first = 0;
    while (first < x->n && x->builds[first].status != STATUS_BUILD_FAILED)
        first++;
    if (first == x->n || x->builds[first].text == empty.text || is_stopped(stop))
        return;
    anew.tools.cache = NULL;
    build_alone(&anew, x->a, &empty, stop);
    if (empty.so)
        unlink(empty.so);
    for (int i = first; i < x->n && empty.status != STATUS_OK && !is_stopped(stop); i++)
        if (x->builds[i].status == STATUS_BUILD_FAILED)
            fail_with_blame(&x->builds[i], BLAME_MACHINE,
                            arena_printf(x->a, "%s does not build anything any more: %s", c->tools.program, empty.why));
}

void compile_end(const Compiler *c, BuildBatch *x, const Stop *stop)
{
    retry_alone(c, x, stop);
    try_empty(c, x, stop);
}

void compile(const Compiler *c, BuildBatch *x, const Stop *stop)
{
    run_jobs(c, x, stop);
    compile_end(c, x, stop);
}

/* True if a compiler runs for that batch; NULL: for any. */
static bool has_jobs(const Jobs *jobs, const BuildBatch *x)
{
    for (int i = 0; i < jobs->c->jobs; i++)
        if (jobs->job[i].build && (!x || jobs->job[i].batch == x))
            return true;
    return false;
}

BuildBatch *jobs_built(const Jobs *jobs, BuildBatch *first)
{
    for (BuildBatch *x = first; x; x = x->later)
        if (!x->done && x->next == x->n && !has_jobs(jobs, needs_retry(x) ? NULL : x)) /* a retry is alone */
            return x;
    return NULL;
}
