/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: what the command line and the first line of a package's spec.cfg change, and the jobs that this
 * gives.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/driver/kept.h"
#include "gen/driver/workload.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h"

static const char *path;

static int setup(void **state)
{
    const int rc = place_setup(state);
    path = in_root("x.cfg");
    return rc;
}

static const Options none = { .trials = -1, .seconds = -1, .kernels = -1, .code_kib = -1, .regret = -1 };

static const char body[] = "name = \"tiny\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } );\n"
                           "target = [\"avx2\", \"avx512\"];\n"
                           "budget = { kernels = 3; code_kib = 44; trials = 55; seconds = 66; };\n";

/* Of a spec with this first line; NULL after what *said tells. */
static const Workload *read_text(const char *first, const Options *o, const char **said)
{
    const char *err = NULL;
    Diag *d = diag_new(arena);
    put_file(path, arena_printf(arena, "%s%s", first, body));
    const Workload *w = workload_read(arena, path, o, d, &err);
    *said = golden_diag(arena, d);
    assert_null(err);
    assert_int_equal(w == NULL, diag_nerror(d) > 0);
    return w;
}

static const Workload *read_good(const char *first, const Options *o)
{
    const char *said;
    const Workload *w = read_text(first, o, &said);
    assert_string_equal(said, "");
    return w;
}

static TextList list_of(const char *one, const char *two)
{
    TextList list = { ARENA_ARRAY(arena, 3, const char *), two ? 2 : 1 };
    list.item[0] = one;
    list.item[1] = two;
    return list;
}

static void has_budget(const Workload *w, int kernels, int code_kib, int trials, int seconds)
{
    const Budget *b = &w->function->spec->budget;
    assert_true(b->kernels == kernels && b->code_kib == code_kib && b->trials == trials && b->seconds == seconds);
}

/* The text of the package's spec.cfg is this first line and the body. */
static void keeps(const Workload *w, const char *first)
{
    assert_string_equal(w->spec_text, arena_printf(arena, "%s%s", first, body));
}

TEST(nothing_is_changed)
{
    const Workload *w = read_good("", &none);
    has_budget(w, 3, 44, 55, 66);
    keeps(w, "");
    assert_true(w->report && w->target.n == 2);
    assert_string_equal(w->out, "out/tiny");
    assert_string_equal(w->records, "out/tiny.records.jsonl");
    assert_true(w->folders.n == 1 && w->function->templates.n > 3);
}

TEST(the_command_line_changes)
{
    Options o = none;
    o.trials = 1;
    o.seconds = 2;
    o.kernels = 5;
    o.code_kib = 6;
    o.no_report = true;
    o.target = list_of("avx512", "portable");
    o.out = "there/x";
    o.templates = list_of(root, NULL);
    const Workload *w = read_good("", &o);
    has_budget(w, 5, 6, 1, 2);
    assert_has(w->spec_text, "# dcgen: --kernels 5 --code-kib 6 --target avx512,portable --templates ");
    assert_has(w->spec_text, " --no-report\n");
    assert_false(w->report);
    assert_int_equal(w->target.n, 2);
    assert_string_equal(w->out, "there/x");
    assert_string_equal(w->records, "there/x.records.jsonl");
    assert_int_equal(w->folders.n, 2);
    assert_string_equal(w->folders.item[0], root);
    o.records = "r.jsonl";
    assert_string_equal(read_good("", &o)->records, "r.jsonl");
}

/* Each alone, in the line and on the command line, which wins; what is beyond its range or no such line is no
 * option. */
TEST(a_first_line_is_kept)
{
    static const struct {
        const char *first;
        int kernels, code_kib; /* given: -1 not */
        const char *keeps;
        int has_kernels, has_code_kib;
    } cases[] = {
        { "# dcgen: --kernels 256 --code-kib 1048576\n", -1, -1, "# dcgen: --kernels 256 --code-kib 1048576\n", 256,
          1048576 },
        { "# dcgen: --kernels 7\n", -1, -1, "# dcgen: --kernels 7\n", 7, 44 },
        { "# dcgen: --kernels 7\n", 9, -1, "# dcgen: --kernels 9\n", 9, 44 },
        { "# dcgen: --code-kib 7\n", 9, -1, "# dcgen: --kernels 9 --code-kib 7\n", 9, 7 },
        { "# dcgen: --code-kib 7\n", -1, 8, "# dcgen: --code-kib 8\n", 3, 8 },
        { "# dcgen: --kernels 257 --code-kib 1048577\n", -1, -1, "", 3, 44 },
        { "# dcgen: --kernels 0 --code-kib 0\n", -1, -1, "", 3, 44 },
        { "# dcgen: --kernels -4\n", -1, -1, "", 3, 44 },
        { "# dcgen: nothing\n", -1, -1, "", 3, 44 },
        { "# about dcgen: --kernels 7\n", -1, -1, "# about dcgen: --kernels 7\n", 3, 44 },
        { "# dcgen: --trials 9 --seconds 9\n", -1, -1, "", 3, 44 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Options o = none;
        o.kernels = cases[i].kernels;
        o.code_kib = cases[i].code_kib;
        const Workload *w = read_good(cases[i].first, &o);
        has_budget(w, cases[i].has_kernels, cases[i].has_code_kib, 55, 66);
        keeps(w, cases[i].keeps);
    }
    const Workload *w = read_good("# dcgen: --target portable --no-report\n", &none);
    keeps(w, "# dcgen: --target portable --no-report\n");
    assert_false(w->report);
    assert_int_equal(w->target.n, 1);
    assert_string_equal(w->target.item[0], "portable");
    w = read_good("# dcgen: --target portable,avx2,\n# --kernels 9\n", &none);
    assert_int_equal(w->target.n, 2);
    assert_string_equal(w->target.item[0], "avx2"); /* the higher rank first */
    has_budget(w, 3, 44, 55, 66);
    Options o = none;
    o.target = list_of("avx512", NULL);
    w = read_good("# dcgen: --target portable\n", &o);
    keeps(w, "# dcgen: --target avx512\n");
    assert_int_equal(w->target.n, 1);
}

/* Folders of templates are kept as seen from the package, and found from there, or else from the current folder. */
TEST(folders_are_kept)
{
    static const char *const cases[][3] = {
        { "a/b", "a/t", "../t" },
        { "a/b", "t", "../../t" },
        { "p", "./x/../t u", "../t%20u" },
        { "p", ".", ".." },
        { "p", "p", "." },
        { "/p/q", "/p/r/s", "../r/s" },
        { "/p/q", "/r/s", "/r/s" },
        { "/p/q", "/p/%,\"", "../%25%2C%22" },
    };
    Options o = none;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o.templates = list_of(cases[i][1], NULL);
        assert_string_equal(kept_text(arena, &o, cases[i][0], "x"),
                            arena_printf(arena, "# dcgen: --templates %s\nx", cases[i][2]));
    }
    assert_int_equal(mkdir(in_root("t u"), 0700), 0);
    Diag *d = diag_new(arena);
    const char *spec = in_root("spec.cfg"), *first = "# dcgen: --templates t%20u,..\n";
    o = kept_add(arena, &none, spec, first, d);
    assert_int_equal(o.templates.n, 2);
    assert_string_equal(o.templates.item[0], in_root("t u"));
    assert_string_equal(kept_text(arena, &o, root, first), first);
    assert_int_equal(diag_nerror(d), 0);
    assert_int_equal(rmdir(in_root("t u")), 0);
    kept_add(arena, &none, spec, first, d);
    assert_int_equal(diag_nerror(d), 1);
    assert_has(golden_diag(arena, d), "/t u', as its first line says, and that is not there; say where");
    Options given = none;
    given.templates = list_of("elsewhere", NULL);
    d = diag_new(arena);
    assert_string_equal(kept_add(arena, &given, spec, first, d).templates.item[0], "elsewhere");
    assert_int_equal(diag_nerror(d), 0);
}

TEST(faults)
{
    static const struct {
        const char *one, *two, *want;
    } cases[] = {
        { "avx1", NULL, "dcgen: error: unknown target 'avx1'; expected one of host, auto, cuda, sm_" },
        { "avx2", "avx2", "dcgen: error: target 'avx2' is there twice" },
        { "avx2", "sm_80", "several targets in one package must all be CPUs or all be GPUs" },
        { "sm_80", "avx2", "several targets in one package must all be CPUs or all be GPUs" },
        { "host", "avx2", "several targets in one package" },
        { "avx2", "auto", "several targets in one package" },
    };
    const char *said;
    Options o = none;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o.target = list_of(cases[i].one, cases[i].two);
        assert_null(read_text("", &o, &said));
        assert_has(said, cases[i].want);
    }
    o.target = list_of("sm_80", "sm_90a");
    read_good("", &o);
    o = none;
    o.templates = list_of(path, "/none");
    assert_null(read_text("", &o, &said));
    assert_has_all(said, "x.cfg' is not a folder", "--templates: '/none': No such file or directory");
    assert_null(read_text("space = { NO_SUCH = [1]; };", &none, &said));
    assert_has(said, "unknown parameter 'NO_SUCH'");
}

static const char two[] = "name = \"two\"; target = [\"avx2\", \"avx512\"];\n"
                          "budget = { kernels = 4; code_kib = 44; trials = 55; seconds = 66; };\n"
                          "functions = ( { name = \"a\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); },\n"
                          "              { name = \"b\"; op = \"rows\"; formula = \"x[m,n]\";\n"
                          "                shapes = ( { M = 7; N = 48; } ); } );\n";

static const Workload *read_two(const Options *o)
{
    const char *err = NULL;
    Diag *d = diag_new(arena);
    put_file(path, two);
    Workload *w = workload_read(arena, path, o, d, &err);
    assert_int_equal(diag_nerror(d), 0);
    assert_non_null(w);
    return w;
}

/* Function by function, and in each by rank, whatever the order in which the targets are named. */
TEST(a_job_is_a_function_on_a_target)
{
    static const char *const order[] = { "avx512", "avx2" };
    Options o = none;
    o.fresh = true;
    const Workload *w = read_two(&o);
    assert_true(w->nfunction == 2 && w->njob == 4 && w->results.n == 4 && w->ntuned == 2);
    for (int i = 0; i < 4; i++) {
        const Function *f = &w->function[i / 2];
        const Job *job = &w->job[i];
        assert_ptr_equal(job, &f->job[i % 2]);
        assert_ptr_equal(job->result, &f->results.item[i % 2]);
        assert_ptr_equal(job->result, &w->results.item[i]);
        assert_ptr_equal(job->workload, w);
        assert_ptr_equal(job->spec, w->file->function[i / 2]);
        assert_ptr_equal(job->templates, &f->templates);
        assert_string_equal(job->target, order[i % 2]);
        assert_string_equal(w->tuned[i % 2]->name, order[i % 2]);
        assert_string_equal(job->records, w->records);
        assert_int_equal(job->fresh, i == 0); /* the others add to what it began */
        assert_true(f->njob == 2 && f->results.n == 2 && !job->device && !job->result->assignment);
    }
    assert_string_equal(w->function[1].spec->name, "two_b");
}

TEST(host_stands_alone)
{
    Options o = none;
    o.target = list_of("host", NULL);
    const Workload *w = read_two(&o);
    assert_true(w->ntuned == 0 && w->njob == 2);
    for (int i = 0; i < 2; i++)
        assert_string_equal(w->job[i].target, "host");
}

/* As `try` leaves functions out. */
TEST(jobs_are_of_the_functions_at_hand)
{
    Workload w = *read_two(&none);
    w.function[0] = w.function[1];
    w.nfunction = 1;
    workload_make_jobs(arena, &w);
    assert_true(w.njob == 2 && w.results.n == 2);
    for (int i = 0; i < 2; i++)
        assert_true(w.job[i].spec == w.file->function[1] && w.job[i].templates == &w.function[0].templates);
}

TEST_FILE(setup, place_teardown)
