/* SPDX-License-Identifier: Apache-2.0
 *
 * bench: configures, builds and runs the benchmark of a package by three programs, each ended when the user interrupts.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/process.h"
#include "gen/base/tempdir.h"
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/driver/replay.h"
#include "gen/driver/tools.h"
#include "gen/package/emit.h"
#include "gen/target/family.h"

typedef struct {
    Run *run;
    Arena *a;
    const Options *o;
    const char *package, *name;
    const char *folder, *build; /* a temporary folder; the one in it where the package is built */
    const char *flags;          /* of the compiler, besides the package's own */
    TextList program;           /* one a function: bert_dense_bench */
} Benchmark;

/* Runs a program to its end, good or bad. False: it could not be started, or the user interrupted. */
static bool run_program(const Benchmark *b, const ProcessPlan *plan, ProcessEnd *end)
{
    *end = process_run(b->a, plan, INFINITY, b->run->stop);
    if (end->error)
        return run_fails(b->run, EXIT_ENVIRONMENT, "cannot start %s: %s", plan->argv[0], strerror(end->error));
    return !end->stopped;
}

/* Runs CMake silently; its output is shown when it fails. done: what it does to the package, for that message. */
static bool run_cmake(const Benchmark *b, const char *const *argv, const char *done)
{
    /* Files that compilers leave behind are removed together with our folder. */
    const char *const env[] = { arena_printf(b->a, "TMPDIR=%s", b->folder), NULL };
    const ProcessPlan plan = { .argv = argv, .env = env, .out = PROCESS_KEEP, .err = PROCESS_WITH_OUT };
    ProcessEnd e;
    if (!run_program(b, &plan, &e) || process_is_well(&e))
        return process_is_well(&e);
    const char *output = text_str(&e.out);
    const size_t n = strlen(output);
    diag_say(stderr, DIAG_NOTE, "%.*s", (int)(n && output[n - 1] == '\n' ? n - 1 : n), output);
    return run_fails(b->run, EXIT_FAILED, "'%s' cannot be %s: cmake %s", b->package, done,
                     process_status_text(b->a, e.wait_status));
}

/* True if CMake and make read the path as it is: ; makes it a list, and $, # and : have a meaning of their own. */
static bool is_plain(const char *path)
{
    for (; *path; path++)
        if (!isalnum((unsigned char)*path) && !strchr("/._+-~@ ", *path) && (signed char)*path >= 0)
            return false;
    return true;
}

/* The absolute path if it is plain, else a link to it in our folder. */
static const char *plain_path(const Benchmark *b, const char *path, const char *link)
{
    char *absolute = realpath(path, NULL);
    const char *plain = absolute ? arena_strdup(b->a, absolute) : path;
    if (absolute && !is_plain(absolute)) {
        plain = arena_printf(b->a, "%s/%s", b->folder, link);
        if (symlink(absolute, plain) != 0)
            plain = path;
    }
    free(absolute);
    return plain;
}

/* Makes the temporary folder; in /tmp if TMPDIR is not plain. */
static Scratch *make_folder(Arena *a, const char **err)
{
    const char *tmpdir = getenv("TMPDIR");
    char *absolute = tmpdir ? realpath(tmpdir, NULL) : NULL;
    if (absolute && !is_plain(absolute))
        unsetenv("TMPDIR");
    free(absolute);
    return scratch_new(a, err);
}

static bool configure_package(const Benchmark *b)
{
    const char *source = plain_path(b, b->package, "source");
    /* The same compiler that dcgen measures with, so that figures compare. */
    const char *cc = strchr(b->o->cc, '/') ? plain_path(b, b->o->cc, "cc") : b->o->cc;
    const char *compiler = arena_printf(b->a, "-DCMAKE_C_COMPILER=%s", cc);
    const char *flags = arena_printf(b->a, "-DCMAKE_C_FLAGS=%s", b->flags);
    const char *const argv[] = { "cmake",  "-S",  source, "-B", b->build, "-DCMAKE_BUILD_TYPE=Release",
                                 compiler, flags, NULL };
    return run_cmake(b, argv, "configured");
}

static bool build_benchmark(const Benchmark *b)
{
    const char *jobs = arena_printf(b->a, "%d", tools_jobs(b->o));
    TextList argv = { 0 };
    static const char *const always[] = { "cmake",   "--build",    NULL, "--config",
                                          "Release", "--parallel", NULL, "--target" };
    for (size_t i = 0; i < LENGTH(always); i++)
        text_list_add(b->a, &argv, always[i] ? always[i] : i == 2 ? b->build : jobs);
    for (int i = 0; i < b->program.n; i++)
        text_list_add(b->a, &argv, b->program.item[i]);
    return run_cmake(b, argv.item, "built");
}

static bool run_benchmark(const Benchmark *b, const char *program)
{
    const char *const argv[] = { arena_printf(b->a, "%s/%s", b->build, program), NULL };
    ProcessEnd e;
    if (!run_program(b, &(ProcessPlan){ .argv = argv, .out = STDOUT_FILENO, .err = STDERR_FILENO }, &e))
        return false;
    return process_is_well(&e) || run_fails(b->run, EXIT_FAILED, "the benchmark of '%s' %s", b->package,
                                            process_status_text(b->a, e.wait_status));
}

static bool run_benchmarks(const Benchmark *b)
{
    for (int i = 0; i < b->program.n; i++) {
        if (b->program.n > 1) {
            printf("%s%s\n", i ? "\n" : "", b->program.item[i]);
            fflush(stdout);
        }
        if (!run_benchmark(b, b->program.item[i]))
            return false;
    }
    return true;
}

/* The programs that CMakeLists.txt makes of bench.c, or of bench_FUNCTION.c. */
static TextList find_programs(Arena *a, const char *package, const char *name)
{
    TextList found = { 0 };
    char **path;
    int n = 0;
    dir_list(a, package, ".c", &path, &n);
    for (int i = 0; i < n; i++) {
        const char *file = strrchr(path[i], '/') + 1;
        if (strncmp(file, "bench", strlen("bench")) == 0 && strchr("._", file[strlen("bench")]))
            text_list_add(
                a, &found,
                arena_printf(a, "%s%.*s_bench", name, (int)(strlen(file) - strlen("bench.c")), file + strlen("bench")));
    }
    return found;
}

/* The package's name, from "project(NAME LANGUAGES C)" of its CMakeLists.txt; NULL: it is no package. */
static const char *package_name(Arena *a, const char *package)
{
    size_t len;
    if (access(arena_printf(a, "%s/spec.cfg", package), R_OK) != 0)
        return NULL;
    const char *text = text_read_file(a, arena_printf(a, "%s/CMakeLists.txt", package), &len);
    const char *project = text ? strstr(text, "\nproject(") : NULL;
    if (!project)
        return NULL;
    project += strlen("\nproject(");
    const char *name = arena_strndup(a, project, strcspn(project, " )\n"));
    return name_fault(name) ? NULL : name;
}

/* Every function's dispatcher numbers the kinds of machines alike. */
static const char *flags_text(Arena *a, const Workload *w, const char *macro, int entry)
{
    Text t = { .arena = a };
    for (int i = 0; i < w->nfunction; i++)
        text_printf(&t, "%s-D%s_%s=%d", i ? " " : "", w->function[i].spec->name, macro, entry);
    return text_str(&t);
}

/* Sets the flag with which the package's code takes this CPU for one that has no more than the named target. */
static bool fix_target(Benchmark *b, const char *name)
{
    Device here;
    const Workload *w = run_package(b->run, (TextList){ 0 });
    if (!w || !replay_all(b->run, w, "interrupted"))
        return false;
    const char *macro = w->job->result->study->target->family->fixed_by;
    const Dispatcher *d = package_dispatcher(b->a, &w->function->results);
    int entry = d->nentry - 1; /* which of the package's kinds of machines has that target; -1: none */
    while (entry >= 0 && strcmp(d->entry[entry].target->name, name) != 0)
        entry--;
    if (!macro)
        return run_fails(b->run, EXIT_USAGE, "--target: a package for GPUs takes the kernels of the device at hand");
    if (entry < 0)
        return run_fails(b->run, EXIT_USAGE, "--target: the package has no kernels for '%s'", name);
    if (!device_probe(b->a, w->targets, &here, &b->run->err))
        return false;
    if (!device_runs(&here, d->entry[entry].target))
        return run_fails(b->run, EXIT_USAGE, "--target: %s does not run '%s'", here.name, name);
    b->flags = flags_text(b->a, w, macro, entry);
    return true;
}

void command_warn_of_code(const Options *o)
{
    if (!o->quiet)
        diag_say(stderr, DIAG_NOTE,
                 "bench builds and runs code that comes with '%s': do it only with a package that you trust",
                 o->operand);
}

bool bench_package(Run *r)
{
    const TextList *target = &r->o->target;
    Benchmark b = { .run = r, .a = r->a, .o = r->o, .package = r->o->operand, .flags = "" };
    b.name = package_name(r->a, b.package);
    if (b.name)
        b.program = find_programs(r->a, b.package, b.name);
    if (!b.program.n)
        return run_fails(r, EXIT_USAGE, "'%s' is not a dcgen package: %s", b.package,
                         access(b.package, F_OK) != 0 ? strerror(errno)
                                                      : "it lacks spec.cfg, bench.c or CMakeLists.txt");
    if (target->n > 1)
        return run_fails(r, EXIT_USAGE, "--target: the benchmark runs for one target at a time");
    if (target->n && !fix_target(&b, target->item[0]))
        return false;
    command_warn_of_code(r->o);
    Scratch *s = make_folder(r->a, &r->err);
    if (!s)
        return false;
    b.folder = scratch_path(s);
    b.build = arena_printf(r->a, "%s/build", b.folder);
    const bool ok = configure_package(&b) && build_benchmark(&b) && run_benchmarks(&b);
    scratch_free(s);
    return ok;
}
