/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "gen/tools.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/place.h"
#include "gen/text.h"

/* What candidates are compiled with, and what the package's CMakeLists.txt compiles kernels.c with. */
static const char *const compile_flags[] = { "-std=gnu17", "-O3", "-ffp-contract=fast", NULL };
const char tools_flags[] = "-std=gnu17 -O3 -ffp-contract=fast";
static const double COMPILE_DEADLINE_S = 60, COMPILE_DEADLINE_LEAST_S = 10; /* else half the budget */

void tools_close(Tools *t)
{
    progress_close(t->progress);
    if (t->runner)
        runner_stop(t->runner);
    if (t->builder)
        builder_free(t->builder);
    if (t->records)
        record_close(t->records);
}

static const char *reference_so(Arena *a, const Workload *w, Builder *builder, const volatile int *stop,
                                const char **err)
{
    const Spec *s = w->spec;
    size_t len;
    const char *text = text_read_file(a, s->op->reference, &len);
    if (!text) {
        *err = arena_printf(a, "%s: %s", s->op->reference, strerror(errno));
        return NULL;
    }
    Build *b = ARENA_NEW(a, Build);
    *b = (Build){ .name = "reference",
                  .text = arena_printf(a, "#define DCGEN_LAYOUT_%s 1\n%s", s->layout ? s->layout : "NONE", text) };
    build_all(builder, a, b, 1, stop);
    if (b->status != STATUS_OK)
        *err = arena_printf(a, "the reference of op '%s' does not compile: %s", s->op->name, b->why);
    return b->status == STATUS_OK ? b->so : NULL;
}

static const char *const *runner_command(Arena *a, const Options *o, const char **err)
{
    if (o->runner.n)
        return o->runner.item;
    const char **command = ARENA_ARRAY(a, 2, const char *);
    command[0] = place_runner(a, "c");
    if (!command[0])
        *err = "the program dcgen-runner-c is not beside dcgen nor in its installation";
    return command[0] ? command : NULL;
}

/* Folders of a path that are not there yet are made. */
static bool make_parents(Arena *a, const char *path, const char **err)
{
    char *p = arena_strdup(a, path);
    for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(p, 0777) && errno != EEXIST) {
            *err = arena_printf(a, "cannot create the folder '%s': %s", p, strerror(errno));
            return false;
        }
        *slash = '/';
    }
    return true;
}

/* One compiler a core that we may run on, unless told otherwise. */
static int job_count(const Options *o)
{
    cpu_set_t mine;
    return o->jobs ? o->jobs : sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

/* Starts what measures: compiler and runner. Nothing is written yet. */
bool tools_open(Arena *a, const Workload *w, const Options *o, Tools *t, const volatile int *stop, const char **err)
{
    const char *const *command = runner_command(a, o, err);
    if (!command)
        return false;
    double deadline_s = fmin(COMPILE_DEADLINE_S, fmax(COMPILE_DEADLINE_LEAST_S, w->spec->budget.seconds / 2.0));
    t->builder = builder_new(a, o->cc, compile_flags, job_count(o), deadline_s, stop, err);
    const char *reference = t->builder ? reference_so(a, w, t->builder, stop, err) : NULL;
    if (!reference)
        return false;
    t->runner = runner_start(a, command, w->spec->op, w->spec->dtype, w->spec->epilogue, w->spec->nepilogue, reference,
                             o->seed, stop, err);
    return t->runner != NULL;
}

bool tools_open_records(Arena *a, const Workload *w, const Options *o, Tools *t, const char **err)
{
    if (!make_parents(a, w->records, err))
        return false;
    t->records = o->fresh ? record_open_new(a, w->records, stderr, err) : record_open(a, w->records, stderr, err);
    return t->records != NULL;
}
