/* SPDX-License-Identifier: Apache-2.0
 *
 * bench: configures, builds and runs the benchmark of a package by three programs, each ended when the user interrupts.
 */
#include "gen/command/bench.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/name.h"
#include "gen/base/process.h"
#include "gen/base/tempdir.h"
#include "gen/base/text.h"
#include "gen/command/command.h"
#include "gen/command/replay.h"
#include "gen/package/emit.h"
#include "gen/target/family.h"

typedef struct {
    Arena *a;
    const Options *o;
    const volatile int *stop;
    const char *package, *name;
    const char *folder, *build; /* the temporary one; in it, where it is built */
    const char *flags;          /* of the compiler, besides the package's own */
} Bench;

__attribute__((format(printf, 3, 4))) static int fail(const Bench *b, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_say(stderr, DIAG_ERROR, "%s", arena_vprintf(b->a, fmt, ap));
    va_end(ap);
    return code;
}

/* Runs it silently; what it said is shown when it fails. */
static int run_quietly(const Bench *b, const char *const *argv, const char *what)
{
    /* What compilers leave goes with the folder. */
    const char *const env[] = { arena_printf(b->a, "TMPDIR=%s", b->folder), NULL };
    const ProcessPlan plan = { .argv = argv, .env = env, .out = PROCESS_KEEP, .err = PROCESS_WITH_OUT };
    const ProcessEnd e = process_run(b->a, &plan, INFINITY, b->stop);
    if (e.error)
        return fail(b, EXIT_ENVIRONMENT, "cannot start %s: %s", argv[0], strerror(e.error));
    if (e.stopped)
        return fail(b, EXIT_INTERRUPTED, "interrupted");
    if (process_is_well(&e))
        return EXIT_DONE;
    const char *said = text_str(&e.out);
    const size_t n = strlen(said);
    diag_say(stderr, DIAG_NOTE, "%.*s", (int)(n && said[n - 1] == '\n' ? n - 1 : n), said);
    return fail(b, EXIT_FAILED, "'%s' cannot be %s: cmake %s", b->package, what,
                process_status_text(b->a, e.wait_status));
}

/* CMake, and the make that it writes files for, stumble over some characters: ; as a list, $ and # and : as their own. */
static bool is_plain(const char *path)
{
    for (; *path; path++)
        if (!isalnum((unsigned char)*path) && !strchr("/._+-~@ ", *path) && (signed char)*path >= 0)
            return false;
    return true;
}

/* The absolute path, or a link to it in our folder. */
static const char *plain_path(const Bench *b, const char *path, const char *link)
{
    char *real = realpath(path, NULL);
    const char *plain = real ? arena_strdup(b->a, real) : path;
    if (real && !is_plain(real)) {
        plain = arena_printf(b->a, "%s/%s", b->folder, link);
        if (symlink(real, plain) != 0)
            plain = path;
    }
    free(real);
    return plain;
}

/* The folder is made in /tmp where CMake could not work in TMPDIR. */
static Scratch *make_folder(Arena *a, const char **err)
{
    const char *tmpdir = getenv("TMPDIR");
    char *real = tmpdir ? realpath(tmpdir, NULL) : NULL;
    if (real && !is_plain(real))
        unsetenv("TMPDIR");
    free(real);
    return scratch_new(a, err);
}

static int configure(const Bench *b)
{
    const char *cc = strchr(b->o->cc, '/') ? plain_path(b, b->o->cc, "cc") : b->o->cc;
    /* The same compiler that dcgen measures with, so that figures compare. */
    const char *const argv[] = { "cmake",
                                 "-S",
                                 plain_path(b, b->package, "source"),
                                 "-B",
                                 b->build,
                                 "-DCMAKE_BUILD_TYPE=Release",
                                 arena_printf(b->a, "-DCMAKE_C_COMPILER=%s", cc),
                                 arena_printf(b->a, "-DCMAKE_C_FLAGS=%s", b->flags),
                                 NULL };
    return run_quietly(b, argv, "configured");
}

static int build(const Bench *b)
{
    const char *jobs = arena_printf(b->a, "%ld", b->o->jobs ? b->o->jobs : sysconf(_SC_NPROCESSORS_ONLN));
    const char *const argv[] = {
        "cmake",      "--build", b->build, "--config", "Release", "--target", arena_printf(b->a, "%s_bench", b->name),
        "--parallel", jobs,      NULL
    };
    return run_quietly(b, argv, "built");
}

static int run(const Bench *b)
{
    const char *const argv[] = { arena_printf(b->a, "%s/%s_bench", b->build, b->name), NULL };
    const ProcessPlan plan = { .argv = argv, .out = STDOUT_FILENO, .err = STDERR_FILENO };
    const ProcessEnd e = process_run(b->a, &plan, INFINITY, b->stop);
    if (e.error)
        return fail(b, EXIT_ENVIRONMENT, "cannot start %s: %s", argv[0], strerror(e.error));
    if (e.stopped)
        return fail(b, EXIT_INTERRUPTED, "interrupted");
    return process_is_well(&e)
               ? EXIT_DONE
               : fail(b, EXIT_FAILED, "the benchmark of '%s' %s", b->package, process_status_text(b->a, e.wait_status));
}

/* The package's name, from "project(NAME LANGUAGES C)" of its CMakeLists.txt; NULL: it is no package. */
static const char *package_name(Arena *a, const char *package)
{
    static const char *const needed[] = { "spec.cfg", "dispatch.h", "bench.c" };
    size_t len;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (access(arena_printf(a, "%s/%s", package, needed[i]), R_OK) != 0)
            return NULL;
    const char *text = text_read_file(a, arena_printf(a, "%s/CMakeLists.txt", package), &len);
    const char *project = text ? strstr(text, "\nproject(") : NULL;
    if (!project)
        return NULL;
    project += strlen("\nproject(");
    const char *name = arena_strndup(a, project, strcspn(project, " )\n"));
    return name_fault(name) ? NULL : name;
}

/* The package's kind of machine of that name; -1: it has none. */
static int find_entry(const Dispatcher *d, const char *name)
{
    int i = d->nentry - 1;
    while (i >= 0 && strcmp(d->entry[i].target->name, name) != 0)
        i--;
    return i;
}

/* What to define for the package's code to take this CPU for one that has no more than the target; dcgen's exit code. */
static int fix_target(Bench *b, const Workload *w, const char *name)
{
    int code = EXIT_DONE;
    const char *err = NULL;
    Device here;
    const Result *out = replay_read_all(b->a, w, &code);
    if (!out)
        return code;
    const char *macro = out->study->target->family->fixed_by;
    const int entry = find_entry(package_dispatcher(b->a, out, workload_ntarget(w)), name);
    if (!macro)
        return fail(b, EXIT_USAGE, "--target: a package for GPUs takes the kernels of the device at hand");
    if (entry < 0)
        return fail(b, EXIT_USAGE, "--target: the package has no kernels for '%s'", name);
    if (!device_probe(b->a, w->targets, &here, &err))
        return command_fail(err, EXIT_ENVIRONMENT);
    if (!device_runs(&here, name))
        return fail(b, EXIT_USAGE, "--target: %s does not run '%s'", here.name, name);
    b->flags = arena_printf(b->a, "-D%s_%s=%d", b->name, macro, entry);
    return EXIT_DONE;
}

static int take_target(Bench *b)
{
    int code = EXIT_DONE;
    Options whole = *b->o;
    if (b->o->target.n > 1)
        return fail(b, EXIT_USAGE, "--target: the benchmark runs for one target at a time");
    whole.target = (CliList){ 0 };
    const Workload *w = b->o->target.n ? command_package(b->a, &whole, &code) : NULL;
    return w ? fix_target(b, w, b->o->target.item[0]) : code;
}

int bench_package(Arena *a, const Options *o, const volatile int *stop)
{
    static int (*const step[])(const Bench *) = { configure, build, run };
    const char *err = NULL;
    Bench b = { .a = a, .o = o, .stop = stop, .package = o->operand, .flags = "" };
    b.name = package_name(a, b.package);
    if (!b.name)
        return fail(&b, EXIT_USAGE, "'%s' is not a dcgen package: %s", b.package,
                    access(b.package, F_OK) != 0 ? strerror(errno)
                                                 : "it lacks spec.cfg, dispatch.h, bench.c or CMakeLists.txt");
    int code = take_target(&b);
    if (code != EXIT_DONE)
        return code;
    command_warn_of_code(o);
    Scratch *s = make_folder(a, &err);
    if (!s)
        return fail(&b, EXIT_ENVIRONMENT, "%s", err);
    b.folder = scratch_path(s);
    b.build = arena_printf(a, "%s/build", b.folder);
    for (size_t i = 0; i < sizeof step / sizeof *step && code == EXIT_DONE; i++)
        code = step[i](&b);
    scratch_free(s);
    return code;
}
