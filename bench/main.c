/* SPDX-License-Identifier: Apache-2.0
 *
 * bench: one function of a dcgen package side by side with libraries that compute the same, in one process (README.md).
 * Exit codes: 0 measured (missed goals are told, not punished), 1 the package computed a wrong result, 2 bad usage,
 * 3 environment.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/clock.h"
#include "bench/dispatch.h"
#include "bench/environment.h"
#include "bench/package.h"
#include "bench/report.h"
#include "gen/base/flush.h"

enum { MAX_THREAD_COUNTS = 8, MAX_NAMED = 64, DEFAULT_ROUNDS = 11, MIN_ROUNDS = 3, QUICK_ROUNDS = 9 };
enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

typedef struct {
    const char *spec, *folder;
    int nnamed;
    const char *named[MAX_NAMED]; /* shapes, as given */
    int nthread, threads[MAX_THREAD_COUNTS];
    int nround;
    bool quick;
} Options;

static const char usage[] =
    "usage: bench [OPTION...]\n"
    "  --quick            few shapes\n"
    "  --threads LIST     thread counts, such as 1,2 (default: 1 and all cores)\n"
    "  --rounds N         rounds a shape (default 11)\n"
    "  --shape M,N,...    this shape instead of the spec's tuned ones; may be repeated\n"
    "  --spec FILE        take the shapes from this spec (default: the package's own)\n"
    "  --cold             the constant operand lies in memory, not in a cache, when a call begins\n"
    "  --as-shipped       leave the peers' environment variables and their own choice of a code path alone\n"
    "  --results FOLDER   where <cpu>/<package>.json or _cold.json goes; '-': nowhere (default: " BENCH_RESULTS ")\n";

static const struct option option_rows[] = {
    { "quick", no_argument, NULL, 'q' },        { "threads", required_argument, NULL, 't' },
    { "rounds", required_argument, NULL, 'r' }, { "shape", required_argument, NULL, 's' },
    { "spec", required_argument, NULL, 'S' },   { "cold", no_argument, NULL, 'c' },
    { "as-shipped", no_argument, NULL, 'a' },   { "results", required_argument, NULL, 'o' },
    { "help", no_argument, NULL, 'h' },         { 0 },
};

/* "1,2" */
static bool read_threads(Options *o, const char *text)
{
    char *end;
    for (o->nthread = 0; o->nthread < MAX_THREAD_COUNTS; text = end + 1) {
        long n = strtol(text, &end, 10);
        if (end == text || n < 1 || n > 256)
            return false;
        o->threads[o->nthread++] = (int)n;
        if (*end != ',')
            return *end == '\0';
    }
    return false;
}

static bool read_rounds(Options *o, const char *text)
{
    char *end;
    o->nround = (int)strtol(text, &end, 10);
    return end != text && !*end && o->nround >= MIN_ROUNDS && o->nround <= MAX_ROUND;
}

static bool take_option(Options *o, int letter, const char *value)
{
    switch (letter) {
    case 'q':
        return o->quick = true;
    case 't':
        return read_threads(o, value);
    case 'r':
        return read_rounds(o, value);
    case 's':
        return o->nnamed < MAX_NAMED && (o->named[o->nnamed++] = value);
    case 'S':
        return (o->spec = value);
    case 'c':
        return peer_cold = true;
    case 'a':
        return peer_as_shipped = true;
    case 'o':
        return (o->folder = value);
    default:
        return false;
    }
}

static _Noreturn void usage_fail(const char *what, const char *value)
{
    if (what)
        fprintf(stderr, "bench: %s '%s'\n", what, value);
    fputs(usage, stderr);
    exit(EXIT_USAGE);
}

static Options read_options(int argc, char **argv, const Machine *machine)
{
    Options o = { .spec = package_tested.spec,
                  .folder = BENCH_RESULTS,
                  .nthread = machine->cores > 1 ? 2 : 1,
                  .threads = { 1, machine->cores } };
    int letter;
    while ((letter = getopt_long(argc, argv, "h", option_rows, NULL)) != -1) {
        if (letter == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (!take_option(&o, letter, optarg))
            usage_fail(letter == '?' ? NULL : "an option cannot have the value", optarg);
    }
    if (optind < argc)
        usage_fail("unexpected argument", argv[optind]);
    if (!o.nround)
        o.nround = o.quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
    return o;
}

/* The lines of all shapes with one thread count. */
static void run_shapes(Results *r, const ShapeList *list, int threads)
{
    report_columns(threads);
    for (int i = 0; i < list->n; i++) {
        Line *line = &r->line[r->nline++];
        *line = contest_run(&list->shape[i], threads, r->nround);
        report_line(line);
    }
}

static void run_all(Results *r, const Options *o, const ShapeList *shapes)
{
    double start_ns = clock_now_ns(), foreign_ns = machine_foreign_ns();
    for (int t = 0; t < o->nthread; t++)
        run_shapes(r, shapes, o->threads[t]);
    r->foreign_cores = fmax(0, (machine_foreign_ns() - foreign_ns) / (clock_now_ns() - start_ns));
    r->dispatch_ns = dispatch_ns(contest.spec);
}

static ShapeList shapes_of(const Options *o, const Spec *spec)
{
    ShapeList shapes = { 0 };
    for (int i = 0; i < o->nnamed; i++)
        if (!shapes_add(&shapes, spec, o->named[i]))
            usage_fail("not the extents of a call:", o->named[i]);
    if (!o->nnamed)
        shapes_take(&shapes, spec, false);
    if (o->quick)
        shapes_thin(&shapes, contest.op);
    return shapes;
}

static bool any_wrong(const Results *r)
{
    for (int i = 0; i < r->nline; i++)
        if (r->line[i].wrong)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    Results r = { .machine = machine_probe() };
    Options o = read_options(argc, argv, &r.machine);
    if (peer_cold && !flush_line()) {
        fputs("bench: --cold: no program may flush caches on CPUs of this architecture\n", stderr);
        return EXIT_ENVIRONMENT;
    }
    if (!peer_as_shipped)
        environment_clean(argv);
    const Spec *spec = shapes_spec(o.spec, package_tested.function, BENCH_TEMPLATES);
    if (!spec)
        return EXIT_USAGE;
    contest_open(spec);
    ShapeList shapes = shapes_of(&o, spec);
    r.nround = o.nround;
    r.line = calloc((size_t)shapes.n * o.nthread, sizeof *r.line);

    report_head(&r);
    run_all(&r, &o, &shapes);
    report_summary(&r);
    bool written = !strcmp(o.folder, "-") || report_json(&r, o.folder);

    int status = any_wrong(&r) ? EXIT_WRONG : written ? 0 : EXIT_ENVIRONMENT;
    free(r.line);
    shapes_free(&shapes);
    return status;
}
