/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: what the command line changes, how the package's spec.cfg keeps it, and the jobs that this gives.
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

/* Of a spec; NULL after what *said tells. */
static const Workload *read_spec(const char *text, const Options *o, const char **said)
{
    const char *err = NULL;
    Diag *d = diag_new(arena);
    put_file(path, text);
    const Workload *w = workload_read(arena, path, o, d, &err);
    *said = golden_diag(arena, d);
    assert_null(err);
    assert_int_equal(w == NULL, diag_nerror(d) > 0);
    return w;
}

/* Of the body, and what stands before it. */
static const Workload *read_text(const char *first, const Options *o, const char **said)
{
    return read_spec(arena_printf(arena, "%s%s", first, body), o, said);
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

TEST(nothing_is_changed)
{
    const Workload *w = read_good("", &none);
    has_budget(w, 3, 44, 55, 66);
    assert_string_equal(w->spec_text, body);
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
    assert_has_all(w->spec_text, "\ntarget = [\"avx512\", \"portable\"];\n",
                   "\nbudget = { kernels = 5; code_kib = 6; trials = 55; seconds = 66; };\ntemplates = [\"");
    assert_has(w->spec_text, "\"];\nreport = false;\n");
    assert_false(w->report);
    assert_int_equal(w->target.n, 2);
    assert_string_equal(w->out, "there/x");
    assert_string_equal(w->records, "there/x.records.jsonl");
    assert_int_equal(w->folders.n, 2);
    assert_string_equal(w->folders.item[0], root);
    o.records = "r.jsonl";
    assert_string_equal(read_good("", &o)->records, "r.jsonl");
}

/* A setting is changed in its place or added at the end, and read from there without an option; all else stays. */
TEST(options_are_kept_as_settings)
{
#define HEAD "# mine\nname = \"tiny\"; /* ; */ op = \"dense\";\tshapes = ( { M = 7; N = 48; K = 64; } );"
#define NO -1, -1, NULL, false
    static const struct {
        const char *rest;
        int kernels, code_kib; /* -1: not given */
        const char *target;
        bool no_report;
        const char *keeps;
    } cases[] = {
        { "", NO, "" },
        { "", 3, -1, NULL, false, "\nbudget = { kernels = 3; };\n" },
        { " # 1", 3, 4, NULL, false, " # 1\nbudget = { code_kib = 4; kernels = 3; };\n" },
        { "\nbudget = {};\n", 3, -1, NULL, false, "\nbudget = { kernels = 3;};\n" },
        { "\nbudget:{trials = 9,}\n", -1, 4, NULL, false, "\nbudget:{ code_kib = 4;trials = 9,}\n" },
        { "budget = { kernels /* few */ = 0x10 ; /* so */ };\r\n", 5, -1, NULL, false,
          "budget = { kernels /* few */ = 5 ; /* so */ };\r\n" },
        { "report = true # yes\n;target=(\"avx2\"\n \"\")", -1, -1, "portable", true,
          "report = false # yes\n;target=[\"portable\"]" },
        { "target = [ # best\n \"avx512\", \"avx2\" ]; report = FALSE;", -1, -1, "portable", true,
          "target = [\"portable\"]; report = false;" },
        { "report = false;", NO, "report = false;" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Options o = none;
        const char *said;
        o.kernels = cases[i].kernels;
        o.code_kib = cases[i].code_kib;
        o.no_report = cases[i].no_report;
        if (cases[i].target)
            o.target = list_of(cases[i].target, NULL);
        const Workload *w = read_spec(arena_printf(arena, HEAD "%s", cases[i].rest), &o, &said);
        assert_string_equal(said, "");
        assert_string_equal(w->spec_text, arena_printf(arena, HEAD "%s", cases[i].keeps));
        const Workload *again = read_spec(w->spec_text, &none, &said);
        assert_string_equal(said, "");
        assert_string_equal(again->spec_text, w->spec_text);
        assert_memory_equal(&again->file->budget, &w->file->budget, sizeof(Budget));
        assert_int_equal(again->report, w->report);
        assert_string_equal(text_list_join(arena, &again->target, ","), text_list_join(arena, &w->target, ","));
    }
}

/* A package's spec takes its shapes from the package's own copy of the log, of each function. */
TEST(logs_are_the_packages_own)
{
    const char *said;
    put_file(in_root("calls.csv"), "M,N,K,count\n7,48,64,5\n9,48,64,1\n");
    const Workload *one =
        read_spec("name = \"tiny\"; op = \"dense\"; shapes = \"./calls.csv\" ; # mine\n", &none, &said);
    assert_string_equal(said, "");
    assert_string_equal(one->spec_text, "name = \"tiny\"; op = \"dense\"; shapes = \"shapes.csv\" ; # mine\n");
    const Workload *several =
        read_spec("name = \"tiny\"; functions = ( { name = \"a\"; op = \"dense\"; shapes = \"calls.csv\"; },\n"
                  "{ shapes = ( { M = 7; N = 8; K = 9; } ); name = \"b\"; op = \"dense\"; },\n"
                  "{ shapes = \"calls.csv\"; name = \"c\"; op = \"dense\"; } );\n",
                  &none, &said);
    assert_string_equal(said, "");
    assert_has_all(several->spec_text, "shapes = \"shapes_a.csv\"; },\n", "shapes = ( { M = 7;",
                   "{ shapes = \"shapes_c.csv\"; name");
}

static const char *kept_folder(const char *out, const char *folder)
{
    const TextList all = list_of(folder, "own");
    return kept_text(arena, &none, &all, out, "x = 1;\n");
}

/* Folders of templates are kept as seen from the package, and found from there, or else from the current folder. */
TEST(folders_are_kept)
{
    static const char *const cases[][3] = {
        { "a/b", "a/t", "../t" },
        { "a/b", "t", "../../t" },
        { "p", "./x/../t u", "../t u" },
        { "p", ".", ".." },
        { "p", "p", "." },
        { "/p/q", "/p/r/s", "../r/s" },
        { "/p/q", "/r/s", "/r/s" },
        { "/p/q", "/p/%,\"\\\n\xFF\xC3\xA4", "../%,\\x22\\x5C\\x0A\\xFF\xC3\xA4" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(kept_folder(cases[i][0], cases[i][1]),
                            arena_printf(arena, "x = 1;\ntemplates = [\"%s\"];\n", cases[i][2]));
    const char *odd = in_root("t \"\\\xFF"), *said;
    assert_int_equal(mkdir(odd, 0700), 0);
    Options o = none;
    o.out = root;
    o.templates = list_of(odd, root);
    const Workload *w = read_good("", &o);
    assert_has(w->spec_text, "\ntemplates = [\"t \\x22\\x5C\\xFF\", \".\"];\n");
    const char *text = w->spec_text;
    o.templates = none.templates;
    w = read_spec(text, &o, &said);
    assert_true(w && w->folders.n == 3);
    assert_string_equal(w->folders.item[0], odd);
    assert_string_equal(w->spec_text, text);
    o.out = in_root("in/it");
    assert_has(read_spec(text, &o, &said)->spec_text, "\ntemplates = [\"../../t \\x22\\x5C\\xFF\", \"../..\"];\n");
    assert_int_equal(rmdir(odd), 0);
    assert_null(read_spec(text, &o, &said));
    assert_has_all(said, "x.cfg:4:14: error: there is no folder '", "; where it lies elsewhere now, name it by --temp");
    o.templates = list_of(root, NULL);
    w = read_spec(text, &o, &said);
    assert_true(w && w->folders.n == 2);
    assert_string_equal(w->folders.item[0], root);
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
