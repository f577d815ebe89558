/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: what the command line and the first line of a package's spec.cfg change, and which target is worked on.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/command/kept.h"
#include "gen/command/workload.h"
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

static CliList list_of(const char *one, const char *two)
{
    CliList list = { ARENA_ARRAY(arena, 3, const char *), two ? 2 : 1 };
    list.item[0] = one;
    list.item[1] = two;
    return list;
}

static void has_budget(const Workload *w, int kernels, int code_kib, int trials, int seconds)
{
    const Budget *b = &w->spec->budget;
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
    assert_true(w->report && w->target.n == 0 && workload_ntarget(w) == 2);
    assert_string_equal(w->out, "out/tiny");
    assert_string_equal(w->records, "out/tiny.records.jsonl");
    assert_true(w->folders.n == 1 && w->templates.n > 3);
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
    assert_int_equal(workload_ntarget(w), 2);
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
    assert_int_equal(workload_ntarget(w), 1);
    assert_string_equal(w->target.item[0], "portable");
    w = read_good("# dcgen: --target portable,avx2,\n# --kernels 9\n", &none);
    assert_int_equal(w->target.n, 2);
    assert_string_equal(w->target.item[1], "avx2");
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

/* By rank, whatever the order in which they are named; host, auto and cuda stand alone. */
TEST(one_target_at_a_time)
{
    const Workload *w = read_good("", &none);
    static const char *const order[] = { "avx512", "avx2" };
    for (int i = 0; i < 2; i++) {
        const Workload *one = workload_for(arena, w, i);
        assert_int_equal(one->ntuned, 2);
        assert_int_equal(workload_ntarget(one), 1);
        assert_string_equal(one->target.item[0], order[i]);
        for (int k = 0; k < 2; k++)
            assert_string_equal(one->tuned[k]->name, order[k]);
        assert_string_equal(one->spec_text, w->spec_text);
    }
    Options o = none;
    o.target = list_of("host", NULL);
    const Workload *host = workload_for(arena, read_good("", &o), 0);
    assert_int_equal(host->ntuned, 0);
    assert_string_equal(host->target.item[0], "host");
}

TEST(the_target_of_a_device)
{
    static const struct {
        const char *asked, *isa[2], *want, *why;
    } cases[] = {
        { "host", { "avx2", "portable" }, "avx2", NULL },
        { "auto", { "avx2", "portable" }, "avx2", NULL },
        { "auto", { "sm_80", "sm_75" }, "sm_80", NULL },
        { "cuda", { "sm_80", "" }, "sm_80", NULL },
        { "portable", { "avx2", "portable" }, "portable", NULL },
        { "avx512", { "avx2", "portable" }, NULL, "a box cannot run target 'avx512', so it cannot be tuned for there" },
        { "cuda", { "avx2", "portable" }, NULL, "a box cannot run target 'cuda'" },
        { "host", { "sm_80", "" }, NULL, "a box cannot run target 'host'" },
        { "auto", { "strange", "" }, NULL, "no target suits a box" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Options o = none;
        o.target = list_of(cases[i].asked, NULL);
        const Device d = { .name = "a box", .nisa = 2, .isa = { cases[i].isa[0], cases[i].isa[1] } };
        const char *err = NULL;
        const Target *t = workload_target(arena, read_good("", &o), &d, &err);
        if (!cases[i].want) {
            assert_null(t);
            assert_non_null(err);
            assert_has(err, cases[i].why);
        } else {
            assert_null(err);
            assert_string_equal(t->name, cases[i].want);
        }
    }
}

/* A GPU's kernels are measured once on each shape, however many numbers of threads the spec has, and a CPU's once for
 * each. */
TEST(threads_are_of_cpus)
{
    static const struct {
        const char *target;
        int nthread;
    } of[] = { { "avx2", 2 }, { "sm_80", 1 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const Workload *w = read_good("threads = [1, 4];\n", &none);
        const Target *t = target_find(w->targets, of[i].target);
        const Device d = device_typical(arena, t);
        const UnitContext u = workload_unit(arena, w, &d, t);
        const Study *s = study_new(arena, u.spec, &d, t, "");
        assert_int_equal(u.spec->nthread, of[i].nthread);
        assert_int_equal(s->nshape, of[i].nthread);
        assert_int_equal(s->shape[0]->threads, 1);
        assert_int_equal(spec_shape_count(u.spec), 1);
        assert_ptr_equal(workload_of(arena, w, u.spec, t)->spec, w->spec);
    }
}

TEST_FILE(setup, place_teardown)
