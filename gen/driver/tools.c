/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: opens compilers, runner and records in this order, and closes what is open.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "gen/driver/tools.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include "gen/base/dir.h"
#include "gen/base/number.h"
#include "gen/base/text.h"

/* A compiler has COMPILE_MOST_S for a kernel. In a search it has a part of the search's seconds, but at least
 * COMPILE_LEAST_S: on a busy machine a kernel with functions takes 10 s, and a short search has no other one. */
static const double COMPILE_PART = 0.3, COMPILE_LEAST_S = 30, COMPILE_MOST_S = 60;

/* ---- folders ---- */

static bool open_builds(Run *r, BuildCache **out)
{
    if (!r->o->builds)
        return true;
    if (dir_make_parents(r->a, arena_printf(r->a, "%s/", r->o->builds), &r->err))
        *out = build_cache_open(r->a, r->o->builds, &r->err);
    return *out;
}

const char *tools_lost_builds(const Run *r, const Tools *t)
{
    const BuildCacheCount n = t->builds ? build_cache_count(t->builds) : (BuildCacheCount){ 0 };
    return n.lost ? arena_printf(r->a, "%d build%s could not be stored in '%s': %s", n.lost, number_plural(n.lost),
                                 r->o->builds, n.lost_why)
                  : NULL;
}

static void say_builds(const Run *r, const Tools *t)
{
    const Options *o = r->o;
    const BuildCacheCount n = build_cache_count(t->builds);
    const int all = n.found + n.stored + n.lost;
    const char *lost = tools_lost_builds(r, t);
    diag_say(stderr, DIAG_NOTE, "of %d build%s %d %s found in '%s', and %d stored there", all, number_plural(all),
             n.found, n.found == 1 ? "was" : "were", o->builds, n.stored);
    if (n.damaged)
        diag_say(stderr, DIAG_WARNING, "%d damaged file%s in '%s' %s built anew, such as '%s'", n.damaged,
                 number_plural(n.damaged), o->builds, n.damaged == 1 ? "was" : "were", n.damaged_path);
    if (lost && o->command != COMMAND_BUILD) /* there it is an error, which build_ahead.c reports */
        diag_say(stderr, DIAG_WARNING, "%s", lost);
}

bool tools_open_records(Run *r, const Job *job, Tools *t)
{
    if (dir_make_parents(r->a, job->records, &r->err))
        t->records = (job->fresh ? record_open_new : record_open)(r->a, job->records, stderr, &r->err);
    return t->records;
}

void tools_close(const Run *r, Tools *t)
{
    progress_close(t->progress);
    agents_stop(t->agents);
    Builder *const builders[] = { t->builder, t->assembler, t->reference };
    for (size_t i = 0; i < LENGTH(builders); i++)
        builder_free(builders[i]);
    if (t->builds && !r->o->quiet)
        say_builds(r, t);
    build_cache_close(t->builds);
    if (t->records)
        record_close(t->records);
}

/* ---- compilers ---- */

Toolchain tools_cc(Arena *a, const Options *o) { return toolchain_make(a, o->cc, &family_cpu, "", false); }

int tools_jobs(const Options *o)
{
    cpu_set_t allowed[64]; /* for 1024 cores each: a mask without room for all cores of the machine is refused */
    if (o->jobs)
        return o->jobs;
    return sched_getaffinity(0, sizeof allowed, allowed) == 0 ? CPU_COUNT_S(sizeof allowed, allowed) : 1;
}

static Builder *open_builder(Run *r, const Job *job, const Tools *t, Toolchain chain)
{
    const double part_s =
        r->o->command == COMMAND_GENERATE ? COMPILE_PART * job->workload->file->budget.seconds : COMPILE_MOST_S;
    const double deadline_s = fmin(COMPILE_MOST_S, fmax(COMPILE_LEAST_S, part_s));
    chain.cache = chain.portable ? t->builds : NULL;
    return builder_new(r->a, &chain, tools_jobs(r->o), deadline_s, r->stop, &r->err);
}

/* Opens the compiler of the site's kernels. Some compilers say only that they do not know a target: this adds why that
 * may be. */
static Builder *open_kernel_builder(Run *r, const Job *job, const Site *site, const Tools *t, Toolchain chain)
{
    const char *unknown = site->family->compiler.unknown;
    Builder *b = open_builder(r, job, t, chain);
    if (!b && unknown && strstr(r->err, unknown))
        r->err =
            arena_printf(r->a, "%s does not know target '%s': it is too old for it, or so new that it dropped it (%s)",
                         chain.program, site->target->name, r->err);
    return b;
}

/* Opens the compiler of the family's kernels; if they do not run on this CPU, also a C compiler for the op's
 * definition; and without a device the compiler for the emulator. */
static bool open_compilers(Run *r, const Job *job, const Site *site, Tools *t)
{
    const Family *f = site->family;
    const FamilyCompiler *c = &f->compiler;
    const char *program = site_compiler(r->a, r->o, f);
    if (!program)
        return run_fails(r, EXIT_ENVIRONMENT, "%s is not found: not in PATH, nor in %s, nor in %s; name it by --%s",
                         c->option, c->home_variable, c->home, c->option);
    const Toolchain chain = toolchain_make(r->a, program, f, site->target ? site->target->gencode : "", site->modelled);
    if (f->off_cpu && !(t->reference = open_builder(r, job, t, tools_cc(r->a, r->o))))
        return false;
    Builder *kernels = open_kernel_builder(r, job, site, t, chain);
    if (!kernels)
        return false;
    if (chain.assembly && !chain.syntax && !r->o->quiet)
        diag_say(stderr, DIAG_WARNING,
                 "dcgen cannot read the assembly of %s: a kernel that does not fit its registers is not refused, only "
                 "its times tell",
                 arch_here());
    t->compiler = builder_version(kernels);
    t->flags = chain.shipped;
    if (site->modelled)
        t->assembler = kernels;
    t->builder = site->modelled
                     ? open_builder(r, job, t, toolchain_emulator(r->a, r->o->cxx, job->workload->package_dir))
                     : kernels;
    return t->builder;
}

/* ---- the runner ---- */

/* Compiles the op's definition, and gives its path. NULL: it fails. */
static const char *build_reference(Run *r, const Job *job, Builder *builder)
{
    const Spec *s = job->spec;
    Diag *d = diag_new(r->a);
    const char *text = s->op->reference ? text_read_file(r->a, s->op->reference, NULL) : "";
    if (!text) {
        run_fails(r, EXIT_ENVIRONMENT, "%s: %s", s->op->reference, strerror(errno));
        return NULL;
    }
    Build *b = ARENA_NEW(r->a, Build);
    *b = (Build){ .name = "reference", .text = unit_reference(r->a, s, job->workload->package_dir, text, d) };
    if (!b->text) {
        diag_print(d, stderr);
        r->code = EXIT_ENVIRONMENT;
        return NULL;
    }
    build_all(builder, r->a, b, 1, r->stop);
    if (b->status == STATUS_OK)
        return b->so;
    run_fails(r, EXIT_ENVIRONMENT, "the reference of op '%s' does not compile: %s", s->op->name, b->why);
    return NULL;
}

/* The command that starts the runner; NULL: it fails. */
static const char *const *runner_command(Run *r, const Job *job, const Site *site)
{
    const char *name = site->modelled ? site->family->verifier : site->family->runner;
    if (r->o->runner.n && !site->modelled)
        return r->o->runner.item;
    const TextList command = site_runner(r->a, job->workload, name);
    if (!command.n)
        run_fails(r, EXIT_ENVIRONMENT, "the program dcgen-runner-%s is not beside dcgen nor in its installation", name);
    return command.n ? command.item : NULL;
}

static void warn_of_peak(const char *machine)
{
    const Arch *arch = arch_find(machine);
    if (!arch || !arch->peak)
        diag_say(stderr, DIAG_WARNING,
                 "dcgen has no assembly that measures what %s can do at most: C does it, and may find less", machine);
}

const char *tools_open_compilers(Run *r, const Job *job, const Site *site, Tools *t)
{
    if (!open_builds(r, &t->builds) || !open_compilers(r, job, site, t))
        return NULL;
    return build_reference(r, job, t->reference ? t->reference : t->builder);
}

bool tools_open(Run *r, const Job *job, const Site *site, Tools *t)
{
    const Spec *s = job->spec;
    const char *const *command = runner_command(r, job, site);
    const char *reference = command ? tools_open_compilers(r, job, site, t) : NULL;
    if (reference)
        t->agents = agents_start(r->a, command, s, reference, r->o->seed, r->stop, &r->err);
    if (t->agents && !site->family->off_cpu && !r->o->quiet)
        warn_of_peak(agents_device(t->agents)->arch);
    return t->agents;
}

/* ---- for a search ---- */

const Device *tools_device(Run *r, const Site *site, Tools *t)
{
    Device *d = ARENA_NEW(r->a, Device);
    *d = site->modelled ? device_typical(r->a, site->target) : *agents_device(t->agents);
    device_set_compiler(r->a, d, site->family, t->compiler, t->flags);
    return t->device = d;
}

Workshop tools_workshop(Run *r, const Tools *t, const Job *job, const UnitContext *u)
{
    return (Workshop){ .unit = u,
                       .tuned = job->workload->tuned,
                       .ntuned = job->workload->ntuned,
                       .builder = t->builder,
                       .assembler = t->assembler,
                       .agents = t->agents,
                       .records = t->records,
                       .diag = diag_new(r->a),
                       .jobs = tools_jobs(r->o) };
}
