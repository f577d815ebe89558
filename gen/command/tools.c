/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: opens compilers, runner and records in this order, and closes what is open.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "gen/command/tools.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/diag.h"
#include "gen/base/dir.h"
#include "gen/base/number.h"
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "gen/unit/unit.h"

static const double COMPILE_DEADLINE_S = 60, COMPILE_DEADLINE_LEAST_S = 10; /* else half the budget */

/* ---- folders ---- */

bool tools_open_builds(Arena *a, const Options *o, BuildCache **out, const char **err)
{
    *out = NULL;
    if (!o->builds)
        return true;
    if (dir_make_parents(a, arena_printf(a, "%s/", o->builds), err))
        *out = build_cache_open(a, o->builds, err);
    return *out;
}

const char *tools_lost_builds(Arena *a, const Options *o, BuildCache *c)
{
    const BuildCacheCount n = c ? build_cache_count(c) : (BuildCacheCount){ 0 };
    return n.lost ? arena_printf(a, "%d build%s could not be stored in '%s': %s", n.lost, number_plural(n.lost),
                                 o->builds, n.lost_why)
                  : NULL;
}

static void say_builds(Arena *a, const Options *o, BuildCache *c)
{
    const BuildCacheCount n = build_cache_count(c);
    const char *lost = tools_lost_builds(a, o, c);
    diag_say(stderr, DIAG_NOTE, "of %d build%s %d %s found in '%s', and %d stored there", n.found + n.stored + n.lost,
             number_plural(n.found + n.stored + n.lost), n.found, n.found == 1 ? "was" : "were", o->builds, n.stored);
    if (n.damaged)
        diag_say(stderr, DIAG_WARNING, "%d damaged file%s in '%s' %s built anew, such as '%s'", n.damaged,
                 number_plural(n.damaged), o->builds, n.damaged == 1 ? "was" : "were", n.damaged_path);
    if (lost && o->command != COMMAND_BUILD) /* which fails for it */
        diag_say(stderr, DIAG_WARNING, "%s", lost);
}

void tools_close_builds(const Options *o, BuildCache *c)
{
    Arena *scratch = arena_new();
    if (c && !o->quiet)
        say_builds(scratch, o, c);
    build_cache_close(c);
    arena_free(scratch);
}

void tools_close(Tools *t)
{
    progress_close(t->progress);
    runner_stop(t->runner);
    Builder *const builders[] = { t->builder, t->assembler, t->reference };
    for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
        builder_free(builders[i]);
    tools_close_builds(t->options, t->builds);
    if (t->records)
        record_close(t->records);
}

/* ---- compilers ---- */

const char *tools_program(Arena *a, const Options *o, const Family *f)
{
    const FamilyCompiler *c = &f->compiler;
    const char *const given[][2] = { { "cc", o->cc }, { "nvcc", o->nvcc } };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i][1] && strcmp(given[i][0], c->option) == 0)
            return given[i][1];
    const char *found = process_find(a, c->option), *home = c->home ? getenv(c->home_variable) : NULL;
    if (found || !c->home)
        return found;
    const char *installed = arena_printf(a, "%s/bin/%s", home ? home : c->home, c->option);
    return access(installed, X_OK) == 0 ? installed : NULL;
}

Toolchain tools_cc(Arena *a, const Options *o) { return toolchain_make(a, o->cc, &family_cpu, "", false); }

/* CUDA text as C++ whose memory accesses call the emulator (TSan's instrumentation, without its run-time library). */
Toolchain tools_emulator(Arena *a, const Options *o, const Workload *w)
{
    static const char *const fixed[] = { "-x",
                                         "c++",
                                         "-std=gnu++17",
                                         "-O3",
                                         "-g1",
                                         "-march=native",
                                         "-fsanitize=thread",
                                         "-fno-plt",
                                         "-fno-builtin",
                                         "-fno-exceptions",
                                         "-fno-rtti",
                                         "-fno-tree-vectorize",
                                         "-fno-tree-slp-vectorize",
                                         "-w",
                                         "-shared",
                                         "-fPIC",
                                         "-nostdlib",
                                         "-DDCGEN_EMULATOR",
                                         "-I" };
    const size_t n = sizeof fixed / sizeof *fixed;
    const char **flags = ARENA_ARRAY(a, n + 2, const char *);
    memcpy(flags, fixed, sizeof fixed);
    flags[n] = arena_printf(a, "%s/../device/emulator", w->package_dir);
    return (Toolchain){ .program = o->cxx,
                        .flags = flags,
                        .source = ".cu",
                        .product = ".so",
                        .empty = "extern \"C\" int dcgen_empty; int dcgen_empty;\n",
                        .version_mark = "" };
}

int tools_jobs(const Options *o)
{
    cpu_set_t mine;
    return o->jobs ? o->jobs : sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

typedef struct {
    Arena *a;
    const Workload *w;
    const Options *o;
    const Site *site;
    const volatile int *stop;
    BuildCache *builds;
} Opening;

static Builder *open_builder(const Opening *q, const Toolchain *made, const char **err)
{
    Toolchain tools = *made;
    tools.cache = tools.portable ? q->builds : NULL;
    double deadline_s = fmin(COMPILE_DEADLINE_S, fmax(COMPILE_DEADLINE_LEAST_S, q->w->spec->budget.seconds / 2.0));
    return builder_new(q->a, &tools, tools_jobs(q->o), deadline_s, q->stop, err);
}

/* Some compilers say of a target that they do not know, be it too new or too old, only that. */
static Builder *open_kernels(const Opening *q, const Toolchain *tools, const char **err)
{
    const char *unknown = q->site->family->compiler.unknown;
    Builder *b = open_builder(q, tools, err);
    if (!b && unknown && strstr(*err, unknown))
        *err =
            arena_printf(q->a, "%s does not know target '%s': it is too old for it, or so new that it dropped it (%s)",
                         tools->program, q->site->target->name, *err);
    return b;
}

static const char *not_found(Arena *a, const FamilyCompiler *c)
{
    return arena_printf(a, "%s is not found: not in PATH, nor in %s, nor in %s; name it by --%s", c->option,
                        c->home_variable, c->home, c->option);
}

static void warn_of_spills(const Options *o)
{
    if (!o->quiet)
        diag_say(stderr, DIAG_WARNING,
                 "dcgen cannot read the assembly of %s: a kernel that does not fit its registers is not refused, only "
                 "its times tell",
                 arch_here());
}

/* The family's own compiler; what kernels run beside this CPU need a C compiler too, for the op's definition; and where nothing runs them, the
 * emulator's. */
static bool open_family(const Opening *q, Tools *t, const char **err)
{
    const Family *f = q->site->family;
    const bool model = q->site->modelled;
    const char *program = tools_program(q->a, q->o, f);
    const Toolchain cc = tools_cc(q->a, q->o), cxx = tools_emulator(q->a, q->o, q->w);
    if (!program) {
        *err = not_found(q->a, &f->compiler);
        return false;
    }
    const Toolchain tools = toolchain_make(q->a, program, f, q->site->target ? q->site->target->gencode : "", model);
    t->reference = f->aside ? open_builder(q, &cc, err) : NULL;
    Builder *kernels = t->reference || !f->aside ? open_kernels(q, &tools, err) : NULL;
    if (!kernels)
        return false;
    if (tools.assembly && !tools.syntax)
        warn_of_spills(q->o);
    *(model ? &t->assembler : &t->builder) = kernels;
    if (model)
        t->builder = open_builder(q, &cxx, err);
    t->compiler = builder_version(kernels);
    t->flags = tools.shipped;
    return t->builder;
}

/* ---- the runner ---- */

static const char *reference_so(const Opening *q, Builder *builder, const char **err)
{
    const Spec *s = q->w->spec;
    size_t len;
    const char *text = text_read_file(q->a, s->op->reference, &len);
    if (!text) {
        *err = arena_printf(q->a, "%s: %s", s->op->reference, strerror(errno));
        return NULL;
    }
    Build *b = ARENA_NEW(q->a, Build);
    *b = (Build){ .name = "reference", .text = unit_reference(q->a, s, text) };
    build_all(builder, q->a, b, 1, q->stop);
    if (b->status != STATUS_OK)
        *err = arena_printf(q->a, "the reference of op '%s' does not compile: %s", s->op->name, b->why);
    return b->status == STATUS_OK ? b->so : NULL;
}

static const char *const *runner_command(const Opening *q, const char **err)
{
    const Family *f = q->site->family;
    const char *name = q->site->modelled ? f->verifier : f->runner;
    if (q->o->runner.n && !q->site->modelled)
        return q->o->runner.item;
    const char **command = ARENA_ARRAY(q->a, 2, const char *);
    command[0] = dir_runner(q->a, name);
    if (!command[0])
        *err = arena_printf(q->a, "the program dcgen-runner-%s is not beside dcgen nor in its installation", name);
    return command[0] ? command : NULL;
}

static void warn_of_peak(const Options *o, const char *machine)
{
    const Arch *arch = arch_find(machine);
    if (!o->quiet && !(arch && arch->peak))
        diag_say(stderr, DIAG_WARNING,
                 "dcgen has no assembly that measures what %s can do at most: C does it, and may find less", machine);
}

/* NULL with *err set. */
static const char *open_compilers(Opening *q, Tools *t, const char **err)
{
    t->options = q->o;
    if (!tools_open_builds(q->a, q->o, &t->builds, err))
        return NULL;
    q->builds = t->builds;
    if (!open_family(q, t, err))
        return NULL;
    return reference_so(q, t->reference ? t->reference : t->builder, err);
}

bool tools_open_compilers(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *t,
                          const volatile int *stop, const char **err)
{
    Opening q = { a, w, o, site, stop, NULL };
    return open_compilers(&q, t, err);
}

bool tools_open(Arena *a, const Workload *w, const Options *o, const Site *site, Tools *t, const volatile int *stop,
                const char **err)
{
    Opening q = { a, w, o, site, stop, NULL };
    const Spec *s = w->spec;
    const char *const *command = runner_command(&q, err);
    const char *reference = command ? open_compilers(&q, t, err) : NULL;
    if (!reference)
        return false;
    t->runner = runner_start(a, command, s->op, s->dtype, s->epilogue, s->nepilogue, reference, o->seed, stop, err);
    if (t->runner && !site->family->aside)
        warn_of_peak(o, runner_device(t->runner)->arch);
    return t->runner != NULL;
}

/* ---- for a search ---- */

Workshop tools_workshop(Arena *a, const Tools *t, const Workload *w, const Options *o, const UnitContext *u)
{
    return (Workshop){ .unit = u,
                       .tuned = w->tuned,
                       .ntuned = w->ntuned,
                       .builder = t->builder,
                       .assembler = t->assembler,
                       .runner = t->runner,
                       .records = t->records,
                       .diag = diag_new(a),
                       .jobs = tools_jobs(o) };
}

bool tools_open_records(Arena *a, const Workload *w, const Options *o, Tools *t, const char **err)
{
    if (!dir_make_parents(a, w->records, err))
        return false;
    t->records = o->fresh ? record_open_new(a, w->records, stderr, err) : record_open(a, w->records, stderr, err);
    return t->records != NULL;
}
