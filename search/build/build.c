/* SPDX-License-Identifier: Apache-2.0
 *
 * build: a builder of one toolchain. Batches in the background have an arena each; build_wait copies their results.
 */
#define _GNU_SOURCE
#include "search/build/build.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/tempdir.h"
#include "gen/base/text_list.h"
#include "search/build/compile.h"

enum { WAIT_MS = 50, NICE = 5 };
static const double VERSION_DEADLINE_S = 10; /* for `cc --version` */

/* The thread works on batches without the lock. It guards what follows, and BuildBatch.later, next and done. */
struct Builder {
    Compiler compiler;
    Scratch *scratch;
    pthread_t thread;
    bool has_thread, has_ended; /* the thread is still to be joined; it had nothing left to do */
    pthread_mutex_t lock;
    pthread_cond_t finished; /* a batch is done */
    BuildBatch *first;
    atomic_int stop; /* the thread ends */
};

/* The line that has the mark in it, else the first. */
static const char *version_line(const char *version_mark, Arena *a, const char *output)
{
    const char *mark = strstr(output, version_mark), *line = mark ? mark : output;
    while (line > output && line[-1] != '\n')
        line--;
    return arena_strndup(a, line, strcspn(line, "\n"));
}

static bool ask_version(Compiler *c, Arena *a, const volatile int *stop, const char **err)
{
    const char *const argv[] = { c->tools.program, "--version", NULL };
    const double patience_s = fmin(c->deadline_s, VERSION_DEADLINE_S);
    const ProcessEnd e =
        process_run(a, &(ProcessPlan){ .argv = argv, .env = c->env, .out = PROCESS_KEEP }, patience_s, stop);
    c->version = version_line(c->tools.version_mark, a, text_str(&e.out));
    if (e.stopped)
        *err = "interrupted";
    else if (e.error)
        *err = arena_printf(a, "cannot start the compiler %s: %s", c->tools.program, strerror(e.error));
    else if (e.late)
        *err = arena_printf(a, "%s --version does not end within %g s", c->tools.program, patience_s);
    else if (e.wait_status != 0)
        *err = arena_printf(a, "%s --version %s", c->tools.program, process_status_text(a, e.wait_status));
    return process_is_well(&e);
}

Toolchain toolchain_make(Arena *a, const char *program, const Family *f, const char *gencode, bool code)
{
    const FamilyCompiler *c = &f->compiler;
    const Arch *arch = arch_find(arch_here());
    TextList flags = { 0 };
    for (const char *const *flag = c->shipped; *flag; flag++) {
        const bool wants_gencode = (*flag)[strlen(*flag) - 1] == '=';
        text_list_add(a, &flags, wants_gencode ? arena_printf(a, "%s%s", *flag, gencode) : *flag);
    }
    const char *shipped = text_list_join(a, &flags, " ");
    for (const char *const *flag = code ? c->code : c->object; *flag; flag++)
        text_list_add(a, &flags, *flag);
    return (Toolchain){ .program = arena_strdup(a, program),
                        .flags = flags.item,
                        .shipped = shipped,
                        .source = f->suffix,
                        .assembly = c->assembly,
                        .syntax = arch ? arch->assembly : NULL,
                        .product = code ? c->code_suffix : ".so",
                        .empty = c->empty,
                        .version_mark = c->version_mark,
                        .keep_log = c->keeps_log,
                        .portable = true };
}

/* CUDA text is compiled as C++ whose memory accesses call the emulator (TSan's, without its library). */
Toolchain toolchain_emulator(Arena *a, const char *program, const char *package_dir)
{
    TextList flags = { 0 };
    text_list_split(
        a, &flags,
        "-x c++ -std=gnu++17 -O3 -g1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions "
        "-fno-rtti -fno-tree-vectorize -fno-tree-slp-vectorize -w -shared -fPIC -nostdlib -DDCGEN_EMULATOR -I",
        " ");
    text_list_add(a, &flags, arena_printf(a, "%s/../device/emulator", package_dir));
    return (Toolchain){ .program = program,
                        .flags = flags.item,
                        .source = ".cu",
                        .product = ".so",
                        .empty = "extern \"C\" int dcgen_empty; int dcgen_empty;\n",
                        .version_mark = "" };
}

/* ---- in the background ---- */

static bool is_busy(const Builder *b)
{
    const BuildBatch *x = b->first;
    while (x && x->done)
        x = x->later;
    return x;
}

static void mark_done(Builder *b, BuildBatch *x)
{
    x->done = true;
    pthread_cond_broadcast(&b->finished);
}

static void *run_background(void *builder)
{
    Builder *b = builder;
    const Stop stop = { .own = &b->stop };
    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread and its compilers: what measures comes first */
    Arena *a = arena_new();
    Jobs *jobs = jobs_new(a, &b->compiler);
    pthread_mutex_lock(&b->lock);
    while (is_busy(b) && !is_stopped(&stop)) {
        jobs_tend(jobs, b->first);
        BuildBatch *x = jobs_built(jobs, b->first);
        pthread_mutex_unlock(&b->lock);
        if (x)
            compile_end(&b->compiler, x, &stop);
        else
            jobs_poll(jobs);
        pthread_mutex_lock(&b->lock);
        if (x)
            mark_done(b, x);
    }
    jobs_end(jobs);
    for (BuildBatch *x = b->first; x; x = x->later) {
        compile_drop(x);
        mark_done(b, x);
    }
    b->has_ended = true;
    pthread_mutex_unlock(&b->lock);
    arena_free(a);
    return NULL;
}

/* Puts a batch into the list, in front of all others or behind them, and sees to it that the thread runs. */
static void start_batch(Builder *b, Arena *a, Build *builds, int n, bool in_front)
{
    BuildBatch *x = ARENA_NEW(a, BuildBatch), **at = &b->first;
    *x = (BuildBatch){ .a = arena_new(), .result = a, .builds = builds, .n = n };
    pthread_mutex_lock(&b->lock);
    while (*at && !in_front)
        at = &(*at)->later;
    x->later = *at;
    *at = x;
    const bool ended = b->has_thread && b->has_ended;
    pthread_mutex_unlock(&b->lock);
    if (ended)
        pthread_join(b->thread, NULL);
    if (b->has_thread && !ended)
        return;
    b->has_ended = false;
    atomic_store(&b->stop, 0);
    b->has_thread = pthread_create(&b->thread, NULL, run_background, b) == 0;
    if (!b->has_thread) { /* no thread can be had: do it now */
        compile(&b->compiler, x, &(Stop){ 0 });
        x->done = true;
    }
}

static bool has_built(const BuildBatch *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->builds[i].status == STATUS_OK && x->builds[i].so)
            return true;
    return false;
}

/* Waits for the batch; one of it beyond until_s, if that is needed. The caller holds the lock. */
static void wait_done(Builder *b, const BuildBatch *x, double until_s, bool needed, const volatile int *stop)
{
    while (!x->done) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += WAIT_MS * 1000000L;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&b->finished, &b->lock, &t);
        const bool late = process_clock_s() >= until_s && (!needed || has_built(x));
        if (!x->done && ((stop && *stop) || late))
            atomic_store(&b->stop, 1);
    }
}

static void take_out(Builder *b, BuildBatch *x)
{
    BuildBatch **at = &b->first;
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

bool build_wait(Builder *b, const Build *builds, double until_s, bool needed, const volatile int *stop)
{
    bool in_time = true;
    pthread_mutex_lock(&b->lock);
    for (BuildBatch *x = b->first, *later; x; x = later) {
        later = x->later;
        if (builds && x->builds != builds)
            continue;
        wait_done(b, x, until_s, needed, stop);
        for (int i = 0; i < x->n; i++)
            in_time = in_time && !build_was_ended(&x->builds[i]);
        take_out(b, x);
    }
    pthread_mutex_unlock(&b->lock);
    return in_time;
}

bool build_was_ended(const Build *build)
{
    return build->status == STATUS_INVALID && strcmp(build->why, "interrupted") == 0;
}

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    pthread_mutex_lock(&b->lock);
    const bool busy = is_busy(b);
    pthread_mutex_unlock(&b->lock);
    if (busy) { /* these are wanted first */
        start_batch(b, a, builds, n, true);
        build_wait(b, builds, INFINITY, false, stop);
    } else {
        compile(&b->compiler, &(BuildBatch){ .a = a, .builds = builds, .n = n }, &(Stop){ .user = stop });
    }
}

void build_start(Builder *b, Arena *a, Build *builds, int n) { start_batch(b, a, builds, n, false); }

void build_cancel(Builder *b)
{
    static const volatile int stop = 1;
    build_wait(b, NULL, INFINITY, false, &stop);
}

/* Builds an empty text: any compiler that works builds that, and it tells the size of the C runtime's part. */
static bool try_compiler(Builder *b, Arena *a, const volatile int *stop, const char **err)
{
    Build empty = { .name = "empty", .text = b->compiler.tools.empty };
    build_all(b, a, &empty, 1, stop);
    if (empty.status != STATUS_OK) {
        *err = arena_printf(a, "%s cannot build a shared object: %s", b->compiler.tools.program, empty.why);
        return false;
    }
    b->compiler.empty_bytes = empty.code_bytes;
    build_remove(b, empty.so);
    return true;
}

Builder *builder_new(Arena *a, const Toolchain *tools, int jobs, double deadline_s, const volatile int *stop,
                     const char **err)
{
    Builder *b = ARENA_NEW(a, Builder);
    Compiler *c = &b->compiler;
    const int fewer_jobs = jobs < COMPILE_MAX_JOBS ? jobs : COMPILE_MAX_JOBS;
    int nflag = 0;
    while (tools->flags[nflag])
        nflag++;
    *c = (Compiler){ .tools = *tools,
                     .nfixed = nflag + 1,
                     .env = { "LC_ALL=C" },
                     .jobs = fewer_jobs > 1 ? fewer_jobs : 1,
                     .deadline_s = deadline_s };
    b->scratch = scratch_new(a, err);
    if (!b->scratch)
        return NULL;
    c->folder = scratch_path(b->scratch);
    c->env[1] = arena_printf(a, "TMPDIR=%s", c->folder); /* what a killed compiler leaves goes with the folder */
    c->argv = ARENA_ARRAY(a, (size_t)c->nfixed + 5, const char *); /* 5: see Compiler.argv */
    c->argv[0] = tools->program;
    memcpy(c->argv + 1, tools->flags, (size_t)nflag * sizeof *c->argv);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->finished, NULL);
    if (ask_version(&b->compiler, a, stop, err) && try_compiler(b, a, stop, err))
        return b;
    builder_free(b);
    return NULL;
}

const char *builder_version(const Builder *b) { return b->compiler.version; }

void build_remove(const Builder *b, const char *so)
{
    size_t len = strlen(b->compiler.folder);
    if (so && strncmp(so, b->compiler.folder, len) == 0 && so[len] == '/' && !strchr(so + len + 1, '/'))
        unlink(so);
}

void builder_free(Builder *b)
{
    if (!b)
        return;
    build_cancel(b);
    if (b->has_thread)
        pthread_join(b->thread, NULL);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->finished);
    scratch_free(b->scratch);
}
