/* SPDX-License-Identifier: Apache-2.0
 *
 * build: see build.h. compile.c runs compilers for a batch, build_queue.c does it in the background.
 */
#define _GNU_SOURCE
#include "search/build/build.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/base/scratch.h"
#include "gen/base/text.h"
#include "search/build/build_queue.h"

static const double version_s = 10; /* for `cc --version` */

struct Builder {
    Compiler compiler;
    BuildQueue *queue;
    Scratch *scratch;
};

static bool make_folder(Builder *b, Arena *a, const char **err)
{
    Compiler *c = &b->compiler;
    b->scratch = scratch_new(a, err);
    if (!b->scratch)
        return false;
    c->folder = scratch_path(b->scratch);
    c->env[0] = "LC_ALL=C";
    c->env[1] = arena_printf(a, "TMPDIR=%s", c->folder); /* what a killed compiler leaves, goes with it */
    return true;
}

static void make_argv(Compiler *c, Arena *a)
{
    size_t nflag = 0;
    while (c->tools.flags[nflag])
        nflag++;
    const char **p = c->argv = ARENA_ARRAY(a, nflag + 6, const char *);
    *p++ = c->tools.program;
    for (size_t i = 0; i < nflag; i++)
        *p++ = c->tools.flags[i];
    c->mode_arg = (int)(p - c->argv);
    p += c->tools.assembly != NULL;
    *p++ = "-o";
    c->to_arg = (int)(p++ - c->argv);
    c->from_arg = (int)(p - c->argv);
}

/* The line with the mark, else the first. */
static const char *version_line(const char *version_mark, Arena *a, const char *said)
{
    const char *mark = strstr(said, version_mark), *line = mark ? mark : said;
    while (line > said && line[-1] != '\n')
        line--;
    return arena_strndup(a, line, strcspn(line, "\n"));
}

/* What `PROGRAM --version` says. */
static bool ask_version(Compiler *c, Arena *a, const volatile int *stop, const char **err)
{
    const char *const argv[] = { c->tools.program, "--version", NULL };
    const double patience_s = fmin(c->deadline_s, version_s);
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

/* Builds nothing at all: that works with any compiler which can build anything, and tells the size of the C runtime's
 * part. */
static bool try_compiler(Builder *b, Arena *a, const volatile int *stop, const char **err)
{
    Build empty = { .name = "empty", .text = b->compiler.tools.empty };
    build_all(b, a, &empty, 1, stop);
    if (empty.status != STATUS_OK) {
        *err = arena_printf(a, "%s cannot build a shared object: %s", b->compiler.tools.program, empty.why);
        return false;
    }
    b->compiler.empty_bytes = empty.code_bytes;
    b->compiler.has_built = true;
    build_remove(b, empty.so);
    return true;
}

static int count(const char *const *flags)
{
    int n = 0;
    while (flags[n])
        n++;
    return n;
}

Toolchain toolchain_make(Arena *a, const char *program, const Family *f, const char *gencode, bool code)
{
    const FamilyCompiler *c = &f->compiler;
    const Arch *arch = arch_find(arch_here(a));
    const char *const *last = code ? c->code : c->object;
    const int nshipped = count(c->shipped), nlast = count(last);
    const char **flags = ARENA_ARRAY(a, (size_t)(nshipped + nlast + 1), const char *);
    Text shipped = { .arena = a };
    for (int i = 0; i < nshipped; i++) {
        const bool open = c->shipped[i][strlen(c->shipped[i]) - 1] == '=';
        flags[i] = open ? arena_printf(a, "%s%s", c->shipped[i], gencode) : c->shipped[i];
        text_printf(&shipped, "%s%s", i ? " " : "", flags[i]);
    }
    memcpy(flags + nshipped, last, (size_t)nlast * sizeof *flags);
    return (Toolchain){ .program = arena_strdup(a, program),
                        .flags = flags,
                        .shipped = text_str(&shipped),
                        .source = f->suffix,
                        .assembly = c->assembly,
                        .syntax = arch ? arch->assembly : NULL,
                        .product = code ? c->code_suffix : ".so",
                        .empty = c->empty,
                        .version_mark = c->version_mark,
                        .keep_log = c->keeps_log,
                        .portable = true };
}

Toolchain toolchain_c(Arena *a, const char *cc, const char *const *flags)
{
    Family f = family_cpu;
    f.compiler.shipped = flags;
    return toolchain_make(a, cc, &f, "", false);
}

Builder *builder_new(Arena *a, const Toolchain *tools, int jobs, double deadline_s, const volatile int *stop,
                     const char **err)
{
    Builder *b = ARENA_NEW(a, Builder);
    b->compiler = (Compiler){ .tools = *tools,
                              .jobs = jobs < 1                  ? 1
                                      : jobs > COMPILE_MAX_JOBS ? COMPILE_MAX_JOBS
                                                                : jobs,
                              .deadline_s = deadline_s };
    if (!make_folder(b, a, err))
        return NULL;
    b->queue = queue_new(a, &b->compiler);
    make_argv(&b->compiler, a);
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

void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    if (queue_is_busy(b->queue)) { /* these are wanted first */
        queue_add(b->queue, a, builds, n, true);
        queue_wait(b->queue, builds, INFINITY, stop);
    } else {
        compile(&b->compiler, &(BuildBatch){ .a = a, .builds = builds, .n = n }, &(Stop){ .user = stop });
    }
}

void build_start(Builder *b, Arena *a, Build *builds, int n) { queue_add(b->queue, a, builds, n, false); }

bool build_wait(Builder *b, const Build *builds, double until_s, const volatile int *stop)
{
    return queue_wait(b->queue, builds, until_s, stop);
}

void build_cancel(Builder *b) { queue_cancel(b->queue); }

void builder_free(Builder *b)
{
    if (!b)
        return;
    queue_free(b->queue);
    scratch_free(b->scratch);
}
