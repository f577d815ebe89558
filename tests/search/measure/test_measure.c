/* SPDX-License-Identifier: Apache-2.0
 *
 * Measuring with the real runner: hand-written candidates of the op dense, good ones and ones that are wrong in every
 * way. Each must get its proper record, and the good ones beside it must be measured all the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/base/text.h"
#include "search/build/build.h"
#include "search/choose/search.h"
#include "search/measure/runner.h"
#include "tests/open_files.h"
#include "tests/toolchain.h"

static const char runner_path[] = DCGEN_BINARY_DIR "/dcgen-runner-c";
static const char targets_path[] = DCGEN_SOURCE_DIR "/templates/targets";
static const char *const runner_command[] = { runner_path, "--targets", targets_path, NULL };
static const char *const epilogues[] = { "bias" };

typedef struct {
    Arena *a;
    Builder *builder;
    const Op *op;
    const char *reference;
    Runner *runner;
    int nbuilt;
} World;

/* Every candidate begins with this. dense() does rows m0..m1-1 right. */
static const char prelude[] =
    "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
    "#include <unistd.h>\n"
    "static void dense(const int64_t *e, void *const *o, const float *w, int64_t wn, int64_t wk,\n"
    "                  int64_t m0, int64_t m1) {\n"
    "    const float *x = o[0], *b = o[2]; float *y = o[3];\n"
    "    for (int64_t m = m0; m < m1; m++) for (int64_t n = 0; n < e[1]; n++) {\n"
    "        float s = b ? b[n] : 0;\n"
    "        for (int64_t k = 0; k < e[2]; k++) s += x[m * e[2] + k] * w[n * wn + k * wk];\n"
    "        y[m * e[1] + n] = s; } }\n"
    "#define RUN int dcgen_run(const int64_t *e, void *const *o, void *ws, int64_t task, int64_t ntask)\n"
    "#define DENSE dense(e, o, o[1], e[2], 1, e[0] * task / ntask, e[0] * (task + 1) / ntask); (void)ws\n"
    "#define PACKED dense(e, o, o[1], 1, e[1], e[0] * task / ntask, e[0] * (task + 1) / ntask); (void)ws\n"
    "#define PACK int64_t dcgen_packed_bytes(const int64_t *e) { return e[1] * e[2] * 4; }\\\n"
    "    int dcgen_pack(const int64_t *e, const void *w, void *p)\n"
    "#define DO_PACK for (int64_t k = 0; k < e[2]; k++) for (int64_t n = 0; n < e[1]; n++)\\\n"
    "        ((float *)p)[k * e[1] + n] = ((const float *)w)[n * e[2] + k]\n";

static const char good[] = "RUN { DENSE; return 0; }";

/* The extents of most tests: odd sizes, so that no operand fills its pages. */
static const int64_t small[] = { 5, 7, 9 };

typedef struct {
    const char *name, *text;
    Status status;
    const char *why; /* part of it */
} Case;

static const Case cases[] = {
    { "good", good, STATUS_OK, "" },
    { "writes nothing", "RUN { return 0; }", STATUS_WRONG, "nan instead of" }, /* after one that wrote all */
    { "wrong result", "RUN { DENSE; ((float *)o[3])[11] += 0.01f; return 0; }", STATUS_WRONG, "row 1 element 4" },
    { "NaN", "RUN { DENSE; ((float *)o[3])[34] = NAN; return 0; }", STATUS_WRONG, "row 4 element 6 is nan" },
    { "infinity", "RUN { DENSE; ((float *)o[3])[0] = INFINITY; return 0; }", STATUS_WRONG, "row 0 element 0 is inf" },
    { "row left out", "RUN { dense(e, o, o[1], e[2], 1, 0, e[0] - 1); (void)ws, (void)task, (void)ntask; return 0; }",
      STATUS_WRONG, "row 4 element 0 is " },
    { "writes past Y", "RUN { DENSE; ((float *)o[3])[e[0] * e[1]] = 1; return 0; }", STATUS_CRASHED,
      "killed by SIGSEGV while verifying" },
    { "writes before Y", "RUN { DENSE; ((float *)o[3])[-1] = 1; return 0; }", STATUS_WRONG,
      "writes outside of operand 3" },
    { "reads past X", "RUN { volatile float x = ((float *)o[0])[e[0] * e[2]]; (void)x; DENSE; return 0; }",
      STATUS_CRASHED, "killed by SIGSEGV while verifying" },
    { "reads before X", "RUN { volatile float x = ((float *)o[0])[-1]; (void)x; DENSE; return 0; }", STATUS_CRASHED,
      "killed by SIGSEGV while verifying" },
    { "reads past bias", "RUN { volatile float x = ((float *)o[2])[e[1]]; (void)x; DENSE; return 0; }", STATUS_CRASHED,
      "killed by SIGSEGV while verifying" },
    { "writes into X", "RUN { DENSE; ((float *)o[0])[3] += 1; return 0; }", STATUS_WRONG, "changes operand 0" },
    { "endless loop", "RUN { for (volatile int i = 0;; i++) ; DENSE; return 0; }", STATUS_TIMED_OUT,
      "silent for 1 s while verifying" },
    { "abort", "RUN { abort(); DENSE; return 0; }", STATUS_CRASHED, "killed by SIGABRT while verifying" },
    { "says why it ends",
      "RUN { fputs(\"chatter\\ndcgen-runner-c: k: cudaErrorAssert (asserted)\\n\", stderr); _exit(4); DENSE; return 0; "
      "}",
      STATUS_CRASHED, "exited with code 4 while verifying: k: cudaErrorAssert (asserted)" },
    { "exits", "RUN { _exit(0); DENSE; return 0; }", STATUS_CRASHED, "exited with code 0 while verifying" },
    { "crashes when timed", "RUN { static int n; if (++n > 2) abort(); DENSE; return 0; }", STATUS_CRASHED,
      "killed by SIGABRT while timing" },
    { "writes when timed", "RUN { static int n; if (++n > 2) ((float *)o[0])[0] = 0; DENSE; return 0; }",
      STATUS_CRASHED, "killed by SIGSEGV while timing" },
    { "hangs when timed", "RUN { static int n; if (++n > 2) for (volatile int i = 0;; i++) ; DENSE; return 0; }",
      STATUS_TIMED_OUT, "silent for 1 s while timing" },
    { "prints", "RUN { printf(\"{\\\"event\\\":\\\"done\\\",\\\"id\\\":1}\\n\"); fflush(stdout); DENSE; return 0; }",
      STATUS_OK, "" },
    { "reads stdin", "RUN { if (getchar() != EOF) return 1; DENSE; return 0; }", STATUS_OK, "" },
    { "talks much",
      "RUN { static int n; DENSE; if (n++) return 0;\n"
      "    char t[4096]; memset(t, 'x', sizeof t); for (int i = 0; i < 2000; i++)\n"
      "        fwrite(t, 1, sizeof t, stderr); return 0; }",
      STATUS_OK, "" },
    { "spoils the protocol",
      "RUN { for (int f = 3; f < 20; f++) if (write(f, \"rubbish\\n\", 8) != 8) continue; DENSE; return 0; }",
      STATUS_CRASHED, "the runner talked nonsense while verifying" },
    { "closes the protocol", "RUN { for (int f = 0; f < 20; f++) close(f); DENSE; for (;;) pause(); return 0; }",
      STATUS_CRASHED, "while verifying" },
    { "refuses", "RUN { if (e[0] == 5) return 3; DENSE; return 0; }", STATUS_INVALID, "refuses these extents (3)" },
    { "has no entry", "int other;", STATUS_INVALID, "has no function dcgen_run" },
    { "does not load", "extern int missing(void); RUN { DENSE; return missing(); }", STATUS_INVALID, "missing" },
    { "crashes when loaded",
      "__attribute__((constructor)) static void start(void) { abort(); } RUN { DENSE; return 0; }", STATUS_CRASHED,
      "killed by SIGABRT while verifying" },
    { "packs", "PACK { DO_PACK; return 0; } RUN { PACKED; return 0; }", STATUS_OK, "" },
    { "packs wrongly", "PACK { DO_PACK; ((float *)p)[5] += 1; return 0; } RUN { PACKED; return 0; }", STATUS_WRONG,
      "element 5" },
    { "packs too much", "PACK { DO_PACK; ((float *)p)[e[1] * e[2]] = 1; return 0; } RUN { PACKED; return 0; }",
      STATUS_WRONG, "dcgen_pack writes outside" },
    { "packs into W", "PACK { DO_PACK; *(float *)w = 1; return 0; } RUN { PACKED; return 0; }", STATUS_WRONG,
      "changes operand 1" },
    { "cannot pack", "PACK { DO_PACK; return 4; } RUN { PACKED; return 0; }", STATUS_INVALID, "dcgen_pack returns 4" },
    { "half packs", "int64_t dcgen_packed_bytes(const int64_t *e) { return e[0]; } RUN { DENSE; return 0; }",
      STATUS_INVALID, "dcgen_pack" },
    { "writes into packed W", "PACK { DO_PACK; return 0; } RUN { PACKED; ((float *)o[1])[0] = 1; return 0; }",
      STATUS_WRONG, "changes the packed operand" },
    { "uses workspace",
      "int64_t dcgen_workspace(const int64_t *e) { return e[1] * 4; }\n"
      "RUN { memset(ws, 0, e[1] * 4); DENSE; return 0; }",
      STATUS_OK, "" },
    { "exceeds workspace",
      "int64_t dcgen_workspace(const int64_t *e) { return e[1] * 4; }\n"
      "RUN { memset(ws, 0, e[1] * 4 + 1); DENSE; return 0; }",
      STATUS_WRONG, "the workspace" },
    { "relies on a clear workspace",
      "int64_t dcgen_workspace(const int64_t *e) { return e[1] * 4; }\n"
      "RUN { float *s = ws; DENSE; ((float *)o[3])[8] += s[3]; return 0; }",
      STATUS_WRONG, "nan instead of" },
    { "relies on what it did not pack",
      "int64_t dcgen_packed_bytes(const int64_t *e) { return e[1] * e[2] * 4 + 4; }\n"
      "int dcgen_pack(const int64_t *e, const void *w, void *p) { DO_PACK; return 0; }\n"
      "RUN { PACKED; ((float *)o[3])[9] += ((float *)o[1])[e[1] * e[2]]; return 0; }",
      STATUS_WRONG, "nan instead of" },
    { "wants nothing packed",
      "int64_t dcgen_packed_bytes(const int64_t *e) { return 0 * e[0]; }\n"
      "int dcgen_pack(const int64_t *e, const void *w, void *p) { return 0; } RUN { DENSE; return 0; }",
      STATUS_INVALID, "wants 0 packed bytes" },
    { "absurd workspace", "int64_t dcgen_workspace(const int64_t *e) { return -e[1]; } RUN { DENSE; return 0; }",
      STATUS_INVALID, "workspace" },
    { "good too", "RUN { DENSE; return 0; } int different;", STATUS_OK, "" },
};
enum { NCASE = sizeof cases / sizeof *cases };

/* What the machine lacks, or another does. */
static const Case wanting[] = {
    { "is killed", "#include <signal.h>\nRUN { raise(SIGKILL); DENSE; return 0; }", STATUS_INVALID,
      "killed by SIGKILL while verifying" },
    { "has no memory", "RUN { fprintf(stderr, \"Cannot allocate memory\\n\"); _exit(3); DENSE; return 0; }",
      STATUS_INVALID, "exited with code 3 while verifying" },
    { "says that it has none",
      "RUN { DENSE; return -1; } const char *dcgen_why(int c) { (void)c; return \"out of memory\"; }", STATUS_INVALID,
      "out of memory" },
};

/* ---- the world */

static const char *build(World *w, const char *text, bool with_prelude)
{
    Build b = { .name = arena_printf(w->a, "k%d", w->nbuilt++), .text = text };
    if (with_prelude)
        b.text = arena_printf(w->a, "%s%s\n", prelude, text);
    build_all(w->builder, w->a, &b, 1, NULL);
    if (b.status != STATUS_OK)
        print_error("%s\n", b.why);
    assert_int_equal(b.status, STATUS_OK);
    return b.so;
}

static Runner *start_runner(World *w)
{
    const char *err = NULL;
    Runner *r = runner_start(w->a, runner_command, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
    if (!r)
        print_error("%s\n", err);
    assert_non_null(r);
    return r;
}

static int set_up(void **state)
{
    static const char *const flags[] = { "-O1", "-w", NULL };
    World *w = calloc(1, sizeof *w);
    const char *err = NULL;
    size_t len;
    *state = w;
    w->a = arena_new();
    Toolchain tools = toolchain_c(w->a, "gcc", flags);
    w->builder = builder_new(w->a, &tools, 2, 60, NULL, &err);
    Diag *d = diag_new(w->a);
    w->op = op_read(w->a, DCGEN_SOURCE_DIR "/templates/dense", d);
    diag_print(d, stderr);
    if (!w->builder || !w->op)
        return -1;
    w->reference = build(w, text_read_file(w->a, w->op->reference, &len), false);
    w->runner = start_runner(w);
    return 0;
}

static int tear_down(void **state)
{
    World *w = *state;
    runner_stop(w->runner);
    builder_free(w->builder);
    arena_free(w->a);
    free(w);
    return 0;
}

static MeasureRequest request(const int64_t *extent)
{
    return (MeasureRequest){
        .extent = extent, .threads = 1, .repeats = 5, .sample_ns = 20000, .max_ns = 1e9, .deadline_s = 1
    };
}

/* Samples at another clock of the core than most are left out, and others are taken for them. */
static void check_ok(const MeasureRecord *m, const MeasureRequest *q)
{
    if (m->status != STATUS_OK)
        print_error("%s: %s\n", status_name(m->status), m->why);
    assert_int_equal(m->status, STATUS_OK);
    assert_in_range(m->nsample, q->repeats > 0, q->repeats ? 16 + 2 * q->repeats : 0);
    assert_true(m->max_err >= 0 && m->max_err <= 1);
    for (int i = 0; i < m->nsample; i++)
        assert_true(m->ns[i] > 1 && m->ns[i] < 1e9);
    if (q->repeats)
        assert_true(m->time_ns > 1);
}

static void check_one(World *w, const char *so, const MeasureRequest *q, Status status, const char *why)
{
    const char *key = "0123456789abcdef0123456789abcdef", *err = NULL;
    MeasureRecord m;
    assert_true(measure(w->runner, w->a, q, &key, &so, 1, &m, NULL, &err));
    if (status == STATUS_OK)
        check_ok(&m, q);
    assert_int_equal(m.status, status);
    assert_non_null(strstr(m.why, why));
}

/* ---- tests */

static void device_is_known(void **state)
{
    World *w = *state;
    const Device *d = runner_device(w->runner);
    assert_int_equal(strlen(d->id), 16);
    assert_true(strlen(d->name) > 0 && strlen(d->arch) > 0);
    assert_true(d->cores > 0 && d->l1_bytes > 0 && d->l2_bytes >= d->l1_bytes);
    assert_true(d->nisa >= 1);
    assert_string_equal(d->isa[d->nisa - 1], "portable");
    assert_string_equal(d->compiler, "");
}

/* One that computes the result forty times over: out of the running. */
static void a_slow_kernel_has_two_samples(void **state)
{
    World *w = *state;
    const char *key[3], *so[3], *err = NULL;
    MeasureRecord out[3];
    MeasureRequest q = request(small);
    for (int i = 0; i < 3; i++) {
        key[i] = arena_printf(w->a, "%032d", i);
        so[i] = build(w, i == 1 ? good : "RUN { for (int again = 0; again < 40; again++) { DENSE; } return 0; }", true);
    }
    q.keep = -1;
    assert_true(measure(w->runner, w->a, &q, key, so, 3, out, NULL, &err));
    for (int i = 0; i < 3; i++)
        check_ok(&out[i], &q); /* nobody is dropped who was not asked to be */
    q.drop = 3;
    q.keep = 2;
    assert_true(measure(w->runner, w->a, &q, key, so, 3, out, NULL, &err));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(out[i].status, STATUS_OK);
        assert_in_range(out[i].nsample, 1, i == 0 ? 2 : 16 + 2 * q.repeats);
    }
}

/* No machine is ever as quiet as that: rounds go on for as long as they may, and no longer. */
static void rounds_do_not_go_on_for_ever(void **state)
{
    World *w = *state;
    const char *key[2], *so[2], *err = NULL;
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    for (int i = 0; i < 2; i++) {
        key[i] = arena_printf(w->a, "%032d", i);
        so[i] = build(w, good, true);
    }
    q.keep = 1;
    q.quiet_ns = 1e-3;
    q.wait_ns = 1e8;
    const double start = process_clock_s();
    assert_true(measure(w->runner, w->a, &q, key, so, 2, out, NULL, &err));
    const double took = process_clock_s() - start;
    assert_true(took >= 1e-9 * q.wait_ns && took < 30);
    for (int i = 0; i < 2; i++)
        check_ok(&out[i], &q);
}

/* All in one request: whatever one does, the others are measured. */
static void every_case_gets_its_record(void **state)
{
    World *w = *state;
    const char *key[NCASE], *so[NCASE], *err = NULL;
    MeasureRecord out[NCASE];
    MeasureRequest q = request(small);
    for (int i = 0; i < NCASE; i++) {
        key[i] = arena_printf(w->a, "%032d", i);
        so[i] = build(w, cases[i].text, true);
    }
    assert_true(measure(w->runner, w->a, &q, key, so, NCASE, out, NULL, &err));
    for (int i = 0; i < NCASE; i++) {
        const MeasureRecord *m = &out[i];
        if (m->status != cases[i].status || !strstr(m->why, cases[i].why))
            print_error("%s: is %s (%s)\n", cases[i].name, status_name(m->status), m->why);
        assert_int_equal(m->status, cases[i].status);
        assert_non_null(strstr(m->why, cases[i].why));
        assert_int_equal(m->blame, BLAME_CANDIDATE);
        assert_string_equal(m->key, key[i]);
        assert_string_equal(m->device, runner_device(w->runner)->id);
        assert_int_equal(m->threads, 1);
        assert_int_equal(m->naxis, 3);
        assert_memory_equal(m->extent, small, sizeof small);
        if (m->status == STATUS_OK)
            check_ok(m, &q);
        else
            assert_int_equal(m->nsample, 0);
    }
}

static void want_is_no_fault(void **state)
{
    enum { N = sizeof wanting / sizeof *wanting };
    World *w = *state;
    const char *key[N + 1], *so[N + 1], *err = NULL;
    MeasureRecord out[N + 1];
    MeasureRequest q = request(small);
    for (int i = 0; i <= N; i++) {
        key[i] = arena_printf(w->a, "%032d", i);
        so[i] = build(w, i < N ? wanting[i].text : good, true);
    }
    assert_true(measure(w->runner, w->a, &q, key, so, N + 1, out, NULL, &err));
    for (int i = 0; i < N; i++) {
        assert_int_equal(out[i].status, wanting[i].status);
        assert_int_equal(out[i].blame, BLAME_MOMENT);
        assert_non_null(strstr(out[i].why, wanting[i].why));
    }
    check_ok(&out[N], &q);
}

/* One that is killed while it is timed, and right when it is verified again alone: it has no time here, and no blame. */
static void killed_once(void **state)
{
    World *w = *state;
    const char *key[2], *so[2], *err = NULL;
    char *mark = arena_printf(w->a, "%s.killed", w->reference);
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    q.keep = 1;
    so[0] = build(w,
                  arena_printf(w->a,
                               "#include <signal.h>\nRUN { static int n; if (++n > 2 && access(\"%s\", F_OK)) {\n"
                               "    fclose(fopen(\"%s\", \"w\")); raise(SIGKILL); }\nDENSE; return 0; }",
                               mark, mark),
                  true);
    so[1] = build(w, good, true);
    for (int i = 0; i < 2; i++)
        key[i] = arena_printf(w->a, "%032d", i);
    assert_true(measure(w->runner, w->a, &q, key, so, 2, out, NULL, &err));
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(out[0].status, STATUS_OK);
    assert_int_equal(out[0].blame, BLAME_CANDIDATE);
    assert_int_equal(out[0].nsample, 0);
    check_ok(&out[1], &q);
}

/* A runner that may have so much memory: a kernel that wants more is left out, operands that want more end it all. */
static void memory_is_short(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)state;
    puts("skipped: a runner with sanitizers cannot have little memory");
    skip();
#else
    static const int64_t large[] = { 16384, 4, 16384 };
    static const char *const poor[] = { "sh",         "-c",        "ulimit -v 700000; exec \"$@\"",
                                        "sh",         runner_path, "--targets",
                                        targets_path, NULL };
    World *w = *state;
    const char *err = NULL, *key[2] = { "0", "1" };
    const char *so[2] = {
        build(w, "int64_t dcgen_workspace(const int64_t *e) { return e[0] << 30; } RUN { DENSE; return 0; }", true),
        build(w, good, true)
    };
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    Runner *r = runner_start(w->a, poor, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
    assert_non_null(r);
    assert_true(measure(r, w->a, &q, key, so, 2, out, NULL, &err));
    assert_int_equal(out[0].status, STATUS_INVALID);
    assert_int_equal(out[0].blame, BLAME_MOMENT);
    assert_non_null(strstr(out[0].why, "no memory for"));
    check_ok(&out[1], &q);
    q.extent = large;
    assert_false(measure(r, w->a, &q, key, so, 2, out, NULL, &err));
    assert_string_equal(err, "the runner cannot measure M=16384 N=4 K=16384: no memory for the operands");
    runner_stop(r);
#endif
}

static void verify_only(void **state)
{
    World *w = *state;
    MeasureRequest q = request(small);
    q.repeats = 0;
    check_one(w, build(w, good, true), &q, STATUS_OK, "");
}

static void threads_are_verified_too(void **state)
{
    World *w = *state;
    MeasureRequest q = request(small);
    q.threads = 2;
    check_one(w, build(w, good, true), &q, STATUS_OK, "");
    check_one(w, build(w, "RUN { DENSE; if (ntask == 2 && task == 1) ((float *)o[3])[34] = 0; return 0; }", true), &q,
              STATUS_WRONG, "row 4 element 6");
    check_one(w, build(w, "RUN { DENSE; return ntask == 2 && task == 1 ? 9 : 0; }", true), &q, STATUS_INVALID, "(9)");
    q.threads = 7; /* more than rows */
    check_one(w, build(w, good, true), &q, STATUS_OK, "");
}

/* Larger than what is compared element by element: one wrong element in an unknown row shows in the row's sum. */
static void large_outputs_are_sampled(void **state)
{
    static const int64_t large[] = { 3000, 256, 100 };
    World *w = *state;
    MeasureRequest q = request(large);
    q.repeats = 0;
    q.deadline_s = 20;
    check_one(w, build(w, good, true), &q, STATUS_OK, "");
    check_one(w, build(w, "RUN { DENSE; ((float *)o[3])[1234 * e[1] + 17] += 0.05f; return 0; }", true), &q,
              STATUS_WRONG, "row 1234 ");
    check_one(w, build(w, "RUN { DENSE; ((float *)o[3])[2999 * e[1] + 255] += 0.001f; return 0; }", true), &q,
              STATUS_WRONG, "row 2999 element 255");
}

static void sizes_are_checked(void **state)
{
    static const int64_t huge[] = { INT64_MAX / 2, 4, 4 }, many[] = { 1 << 20, 1 << 20, 1 }, none[] = { 0, 4, 4 };
    World *w = *state;
    const char *so = build(w, good, true);
    MeasureRequest q = request(huge);
    check_one(w, so, &q, STATUS_INVALID, "overflows");
    q.extent = many;
    check_one(w, so, &q, STATUS_INVALID, "elems must be");
    q.extent = none;
    check_one(w, so, &q, STATUS_INVALID, "rows times row_elems");
    q = request(small);
    q.threads = 100000;
    check_one(w, so, &q, STATUS_INVALID, "threads must be from 1 to 1024");
    check_one(w, "/no/such/file.so", &(MeasureRequest){ .extent = small, .threads = 1, .deadline_s = 1 },
              STATUS_INVALID, "/no/such/file.so");
}

static volatile int stop_flag;

static void raise_flag(int signal_number)
{
    (void)signal_number;
    stop_flag = 1;
}

static void stop_is_honoured(void **state)
{
    World *w = *state;
    const char *key = "00", *err = NULL, *so = build(w, "RUN { for (;;) pause(); DENSE; return 0; }", true);
    MeasureRequest q = request(small);
    MeasureRecord m;
    q.deadline_s = 60;
    stop_flag = 0;
    signal(SIGALRM, raise_flag);
    setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 200000 }, NULL);
    double start = process_clock_s();
    assert_false(measure(w->runner, w->a, &q, &key, &so, 1, &m, &stop_flag, &err));
    assert_true(process_clock_s() - start < 1);
    assert_string_equal(err, "interrupted");
    assert_int_equal(m.status, STATUS_INVALID);
    check_one(w, build(w, good, true), &q, STATUS_OK, "");
}

static void check_start_fails(World *w, const char *const *command, const char *reference, const char *text)
{
    const char *err = "";
    assert_null(runner_start(w->a, command, w->op, "f32", epilogues, 1, reference, 1, NULL, &err));
    if (!strstr(err, text))
        print_error("%s\n", err);
    assert_non_null(strstr(err, text));
}

static void bad_runners(void **state)
{
    World *w = *state;
    check_start_fails(w, (const char *[]){ "/no/such/runner", NULL }, w->reference, "/no/such/runner: No such file");
    check_start_fails(w, (const char *[]){ "false", NULL }, w->reference, "exited with code 1");
    check_start_fails(w, (const char *[]){ "echo", "hello", NULL }, w->reference, "does not speak the runner protocol");
    check_start_fails(w, (const char *[]){ "sh", "-c", "echo no route >&2; exit 3", NULL }, w->reference,
                      "exited with code 3: no route");
    check_start_fails(w, runner_command, "/no/such/reference.so", "/no/such/reference.so");
    check_start_fails(w, runner_command, build(w, "int x;", false), "the reference lacks a function");
}

/* A runner that is a script: what each of its runs does when it is asked to measure, one after the other. */
static Runner *start_script(World *w, const char *const *says)
{
    const char *path = arena_printf(w->a, "%s.script", w->reference), *err = NULL;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(
        f,
        "echo "
        "'{\"event\":\"hello\",\"protocol\":1,\"device\":{\"id\":\"0123456789abcdef\",\"name\":\"x\",\"arch\":\"x\","
        "\"cores\":1,\"l1_bytes\":1,\"l2_bytes\":1,\"l3_bytes\":1,\"isa\":[\"portable\"]}}'\n"
        "read line; echo '{\"event\":\"ready\"}'\nread line\necho run >>%s.runs\ncase $(wc -l <%s.runs) in\n",
        path, path);
    for (int i = 0; says[i]; i++)
        fprintf(f, "%d) %s ;;\n", i + 1, says[i]);
    fprintf(f, "esac\n");
    assert_int_equal(fclose(f), 0);
    unlink(arena_printf(w->a, "%s.runs", path));
    const char **command = ARENA_ARRAY(w->a, 3, const char *);
    command[0] = "sh";
    command[1] = path;
    Runner *r = runner_start(w->a, command, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
    assert_non_null(r);
    return r;
}

#define SAYS_RESULT(id, kernel, max_err)                                                       \
    "echo '{\"event\":\"begin\",\"id\":" #id ",\"kernel\":" #kernel ",\"phase\":\"verify\"}';" \
    "echo '{\"event\":\"result\",\"id\":" #id ",\"kernel\":" #kernel                           \
    ",\"status\":\"ok\",\"ns\":[],\"max_err\":" #max_err "}';"

/* A kernel is right up to its tolerance, whatever the runner makes of it. */
static void the_tolerance_is_kept(void **state)
{
    static const char *const says[] = { SAYS_RESULT(1, 0, 1) SAYS_RESULT(1, 1, 1.0000001), NULL };
    World *w = *state;
    const char *key[] = { "0", "1" }, *so[] = { "/0", "/1" }, *err = NULL;
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    q.repeats = 0;
    Runner *r = start_script(w, says);
    assert_true(measure(r, w->a, &q, key, so, 2, out, NULL, &err));
    assert_int_equal(out[0].status, STATUS_OK);
    assert_int_equal(out[1].status, STATUS_CRASHED);
    assert_string_equal(out[1].why, "the runner talked nonsense while verifying");
    runner_stop(r);
}

/* A runner that dies without a kernel to blame is started again, and given up when that comes twice in succession: not when a kernel's fault
 * lies between. */
static void in_succession_means_in_succession(void **state)
{
    static const char *const apart[] = {
        "exit 1", "echo '{\"event\":\"begin\",\"id\":2,\"kernel\":0,\"phase\":\"verify\"}'; exit 1", "exit 1",
        SAYS_RESULT(4, 0, 0) "echo '{\"event\":\"done\",\"id\":4}'; read line", NULL
    };
    static const char *const twice[] = { "exit 1", "exit 1", NULL };
    World *w = *state;
    const char *key[] = { "0", "1" }, *so[] = { "/0", "/1" }, *err = NULL;
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    q.repeats = 0;
    Runner *r = start_script(w, apart);
    assert_true(measure(r, w->a, &q, key, so, 2, out, NULL, &err));
    assert_int_equal(out[0].status, STATUS_CRASHED);
    assert_int_equal(out[1].status, STATUS_OK);
    runner_stop(r);
    r = start_script(w, twice);
    assert_false(measure(r, w->a, &q, key, so, 2, out, NULL, &err));
    assert_string_equal(err, "the runner cannot measure M=5 N=7 K=9: exited with code 1 while preparing");
    runner_stop(r);
}

/* The kernel that is kept in the running has another place in the next request where one before it is out. */
static void the_kept_kernel_is_known_by_its_place(void **state)
{
    static const char *const says[] = {
        "echo '{\"event\":\"begin\",\"id\":1,\"kernel\":0,\"phase\":\"verify\"}'; exit 1",
        "case $line in *'\"keep\":1,'*) " SAYS_RESULT(2, 0, 0)
            SAYS_RESULT(2, 1, 0) "echo '{\"event\":\"done\",\"id\":2}' ;; esac; read line",
        NULL
    };
    World *w = *state;
    const char *key[] = { "0", "1", "2" }, *so[] = { "/0", "/1", "/2" }, *err = NULL;
    MeasureRecord out[3];
    MeasureRequest q = request(small);
    q.repeats = 0;
    q.keep = 2;
    Runner *r = start_script(w, says);
    assert_true(measure(r, w->a, &q, key, so, 3, out, NULL, &err));
    assert_int_equal(out[0].status, STATUS_CRASHED);
    assert_int_equal(out[1].status, STATUS_OK);
    assert_int_equal(out[2].status, STATUS_OK);
    runner_stop(r);
}

/* Times of two devices are not compared: a runner that was started again must run on the one that it ran on, by its id; two of a kind have
 * one name. */
static void the_device_stays_the_same(void **state)
{
    World *w = *state;
    const char *seen = arena_printf(w->a, "%s.seen", w->reference), *key = "0", *so = "/0", *err = NULL;
    const char *hello =
        "id=0; test -e \"$0\" && id=1; : >\"$0\"; echo '{\"event\":\"hello\",\"protocol\":1,\"device\":{"
        "\"id\":\"'$id'\",\"name\":\"x\",\"arch\":\"x\",\"cores\":1,\"l1_bytes\":1,\"l2_bytes\":1,"
        "\"l3_bytes\":1,\"isa\":[\"portable\"]}}'; read line; echo '{\"event\":\"ready\"}'; read line";
    const char *const command[] = { "sh", "-c", hello, seen, NULL };
    MeasureRequest q = request(small);
    MeasureRecord m;
    unlink(seen);
    Runner *r = runner_start(w->a, command, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
    assert_non_null(r);
    assert_false(measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err));
    assert_string_equal(err, "cannot start the runner sh: it runs on another device than before: x (1), not x (0)");
    assert_string_equal(runner_device(r)->id, "0");
    runner_stop(r);
}

/* What a runner says of a kernel, asked for two samples: taken over, or nonsense. */
static void answers_are_checked(void **state)
{
#define BEGIN "{\"event\":\"begin\",\"id\":1,\"kernel\":0,\"phase\":\"verify\"}"
#define DONE "{\"event\":\"done\",\"id\":1}"
#define RESULT(rest) "{\"event\":\"result\",\"id\":1,\"kernel\":0," rest "}"
    static const struct {
        const char *says;
        Status status;
        double max_err, cold_ns, clock;
        int nsample, nfact;
    } answers[] = {
        { RESULT("\"status\":\"ok\",\"ns\":[9,5],\"max_err\":0.5,\"cold_ns\":7,\"clock\":0.75,\"facts\":{\"a\":3,\"b\":"
                 "1.5}") DONE,
          STATUS_OK, 0.5, 7, 0.75, 2, 1 },
        { RESULT("\"status\":\"ok\",\"ns\":[9,5],\"max_err\":1,\"cold_ns\":-7,\"clock\":-1") DONE, STATUS_OK, 1, 0, 0,
          2, 0 },
        { RESULT("\"status\":\"wrong\",\"ns\":[],\"max_err\":7,\"why\":\"row 3\"") DONE, STATUS_WRONG, 7, 0, 0, 0, 0 },
        { RESULT("\"status\":\"invalid\",\"ns\":[],\"max_err\":0,\"why\":\"x\"") DONE, STATUS_INVALID, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"ok\",\"ns\":[],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"ok\",\"ns\":[9,0],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"ok\",\"ns\":[9,-5],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"ok\",\"ns\":[9,null],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"crashed\",\"ns\":[],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { RESULT("\"status\":\"fine\",\"ns\":[9,5],\"max_err\":0") DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { "{\"event\":\"result\",\"id\":2,\"kernel\":0,\"status\":\"ok\",\"ns\":[9,5],\"max_err\":0}" DONE,
          STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { "{\"event\":\"result\",\"id\":1,\"kernel\":1,\"status\":\"ok\",\"ns\":[9,5],\"max_err\":0}" DONE,
          STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { "{\"event\":\"result\",\"id\":1,\"kernel\":-1,\"status\":\"ok\",\"ns\":[9,5],\"max_err\":0}" DONE,
          STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { DONE, STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { "{\"event\":\"dance\"}", STATUS_CRASHED, 0, 0, 0, 0, 0 },
        { "{\"x\":1}", STATUS_CRASHED, 0, 0, 0, 0, 0 },
    };
    World *w = *state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const char *lines = arena_printf(w->a, "%s%s", BEGIN, answers[i].says);
        const char *const says[] = { arena_printf(w->a, "printf '%%s\\n' '%s' | sed 's/}{/}\\n{/g'; read line", lines),
                                     NULL };
        const char *key = "0", *so = "/0", *err = NULL;
        MeasureRequest q = request(small);
        MeasureRecord m;
        q.repeats = 2;
        Runner *r = start_script(w, says);
        if (!measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err))
            fail_msg("%s: %s", answers[i].says, err);
        if (m.status != answers[i].status)
            fail_msg("%s: %s (%s)", answers[i].says, status_name(m.status), m.why);
        if (m.status == STATUS_CRASHED) {
            assert_string_equal(m.why, "the runner talked nonsense while verifying");
            assert_true(m.nsample == 0 || m.status != STATUS_OK);
        } else {
            assert_true(m.max_err == answers[i].max_err && m.cold_ns == answers[i].cold_ns &&
                        m.clock == answers[i].clock);
            assert_true(m.nsample == answers[i].nsample && m.nfact == answers[i].nfact);
        }
        if (i == 0)
            assert_true(m.ns[0] == 9 && m.ns[1] == 5 && m.time_ns == 5 && m.fact[0].value == 3);
        runner_stop(r);
    }
}

/* One rule for all kernels of a request: where the one that is kept has calls too long for a machine at rest, means count. */
static void the_kept_kernel_rules_the_times(void **state)
{
#define TIMES(kernel, ns)                                                               \
    "echo '{\"event\":\"begin\",\"id\":1,\"kernel\":" #kernel ",\"phase\":\"time\"}'; " \
    "echo '{\"event\":\"result\",\"id\":1,\"kernel\":" #kernel ",\"status\":\"ok\",\"ns\":" ns ",\"max_err\":0}'; "
    static const char *const says[] = { TIMES(0, "[100,200,300]")
                                            TIMES(1, "[5e6,7e6,6e6]") "echo '{\"event\":\"done\",\"id\":1}'; read line",
                                        NULL };
    static const double want[2][2] = { { 100, 5e6 }, { 150, 5.5e6 } };
    World *w = *state;
    for (int kept = 0; kept < 2; kept++) {
        const char *key[] = { "0", "1" }, *so[] = { "/0", "/1" }, *err = NULL;
        MeasureRequest q = request(small);
        MeasureRecord m[2];
        q.keep = kept ? 1 : -1;
        Runner *r = start_script(w, says);
        assert_true(measure(r, w->a, &q, key, so, 2, m, NULL, &err));
        assert_true(m[0].time_ns == want[kept][0] && m[1].time_ns == want[kept][1]);
        runner_stop(r);
    }
}

/* Every field of a request arrives; what is not asked for is not said. */
static void requests_say_all(void **state)
{
    static const char *const says[] = { "echo \"$line\" >\"$0.line\"; exit 1",
                                        "echo \"$line\" >\"$0.line\"; echo '{\"event\":\"error\",\"text\":\"no\"}'",
                                        NULL };
    static const struct {
        MeasureRequest q;
        const char *want;
    } asked[] = {
        { { .threads = 3, .repeats = 0, .keep = -1, .deadline_s = 5 },
          "\"threads\":3,\"repeats\":0,\"sample_ns\":0.0,\"max_ns\":0.0,\"hot\":true,\"kernels\":[{\"key\":\"k\","
          "\"so\":\"/k\"}]}\n" },
        { { .threads = 1,
            .repeats = 4,
            .sample_ns = 25,
            .max_ns = 75,
            .drop = 1.5,
            .keep = 0,
            .quiet_ns = 8,
            .wait_ns = 9,
            .deadline_s = 5,
            .count = true,
            .smem_limit = 4096 },
          "\"threads\":1,\"repeats\":4,\"sample_ns\":25.0,\"max_ns\":75.0,\"hot\":true,\"kernels\":[{\"key\":\"k\","
          "\"so\":\"/k\"}],\"drop\":1.5,\"keep\":0,\"quiet_ns\":8.0,\"wait_ns\":9.0,\"count\":true,"
          "\"smem_limit\":4096}\n" },
    };
    World *w = *state;
    for (int i = 0; i < 2; i++) {
        const char *key = "k", *so = "/k", *err = NULL;
        MeasureRequest q = asked[i].q;
        MeasureRecord m;
        size_t len;
        q.extent = small;
        Runner *r = start_script(w, says);
        assert_true(measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err));
        assert_int_equal(m.status, STATUS_INVALID);
        assert_string_equal(m.why, "no");
        const char *line = text_read_file(w->a, arena_printf(w->a, "%s.script.line", w->reference), &len);
        assert_string_equal(line, arena_printf(w->a,
                                               "{\"extent\":[5,7,9],\"elems\":[45,63,7,35],\"rows\":5,"
                                               "\"row_elems\":7,\"cmd\":\"measure\",\"id\":2,%s",
                                               asked[i].want)); /* the second time it was asked */
        runner_stop(r);
    }
}

#define HELLO(protocol)                                                                                             \
    "echo '{\"event\":\"hello\",\"protocol\":" #protocol ",\"device\":{\"id\":\"d\",\"name\":\"n\",\"arch\":\"a\"," \
    "\"cores\":3,\"l1_bytes\":4,\"l2_bytes\":5,\"l3_bytes\":6,\"isa\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\","  \
    "\"8\","                                                                                                        \
    "\"9\"]}}'; "

/* Three times, when that may help; what it said first on stderr is told; and nothing of it stays. */
static void runners_that_do_not_start(void **state)
{
    static const struct {
        const char *script, *why;
    } bad[] = {
        { HELLO(2) "read line", "it speaks protocol 2, not 1" },
        { "echo '{\"event\":\"hello\",\"protocol\":1}'; read line", "its hello is incomplete" },
        { "echo '{\"event\":\"hello\"}'; read line", "its hello is incomplete" },
        { "echo '{\"event\":\"error\",\"text\":\"no GPU here\"}'; read line", "no GPU here" },
        { HELLO(1) "read line; echo '{\"event\":\"error\",\"text\":\"setup: bad\"}'; read line", "setup: bad" },
        { HELLO(1) "read line; echo '{\"event\":\"done\"}'; read line", "does not speak the runner protocol" },
        { HELLO(1) "read line; echo one >&2; echo two >&2; kill -ABRT $$", "was killed by SIGABRT: one" },
    };
    World *w = *state;
    const char *count = arena_printf(w->a, "%s.count", w->reference);
    const int before = open_files();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const command[] = { "sh", "-c", arena_printf(w->a, "echo x >>%s; %s", count, bad[i].script), NULL };
        size_t len;
        check_start_fails(w, command, w->reference, arena_printf(w->a, "cannot start the runner sh: %s", bad[i].why));
        text_read_file(w->a, count, &len);
        assert_int_equal(len, 3 * strlen("x\n"));
        unlink(count);
    }
    assert_int_equal(open_files(), before);
}

/* One that ended between two requests is started again, and set up as the first was; one that does not end when it is told is ended. */
static void a_runner_is_started_again(void **state)
{
    World *w = *state;
    const char *log = arena_printf(w->a, "%s.setups", w->reference), *key = "k", *so = "/k", *err = NULL;
    const char *script =
        HELLO(1) "read line; echo \"$line\" >>\"$0\"; echo '{\"event\":\"ready\"}'; read line; "
                 "id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); "
                 "echo '{\"event\":\"result\",\"kernel\":0,\"status\":\"ok\",\"ns\":[],\"max_err\":0,\"id\":'$id'}'; "
                 "echo '{\"event\":\"done\",\"id\":'$id'}'; [ $id -lt 3 ] || exec sleep 100";
    const char *const command[] = { "sh", "-c", script, log, NULL };
    MeasureRequest q = request(small);
    MeasureRecord m;
    size_t len;
    q.repeats = 0;
    q.deadline_s = 5;
    unlink(log);
    const int before = open_files();
    Runner *r = runner_start(w->a, command, w->op, "f32", epilogues, 1, "/reference.so", 7, NULL, &err);
    assert_non_null(r);
    const Device *d = runner_device(r);
    assert_true(d->cores == 3 && d->l1_bytes == 4 && d->l2_bytes == 5 && d->l3_bytes == 6 && d->nisa == 8);
    assert_string_equal(d->isa[7], "8");
    for (int i = 0; i < 3; i++) {
        assert_true(measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err));
        assert_int_equal(m.status, STATUS_OK);
        nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL); /* it ends meanwhile */
    }
    const char *one =
        "{\"cmd\":\"setup\",\"dtype\":\"f32\",\"seed\":7,\"operands\":["
        "{\"name\":\"X\",\"role\":\"in\",\"dtype\":\"f32\"},{\"name\":\"W\",\"role\":\"const\",\"dtype\":\"f32\"},"
        "{\"name\":\"bias\",\"role\":\"in\",\"dtype\":\"f32\"},{\"name\":\"Y\",\"role\":\"out\",\"dtype\":\"f32\"}],"
        "\"reference\":\"/reference.so\"}\n";
    assert_string_equal(text_read_file(w->a, log, &len), arena_printf(w->a, "%s%s%s", one, one, one));
    const double start = process_clock_s();
    runner_stop(r);
    runner_stop(r);
    const double took = process_clock_s() - start;
    assert_true(took > 0.4 && took < 3);
    assert_int_equal(open_files(), before);
}

/* The runner of a dcgen that was killed does not stay behind, not even in an endless loop. */
static void runner_dies_with_its_starter(void **state)
{
    World *w = *state;
    char *path = arena_printf(w->a, "%s.pid", w->reference);
    const char *text_of_hanging = "RUN { FILE *f = fopen(\"%s\", \"w\"); fprintf(f, \"%%d\\n\", getpid()); fclose(f);"
                                  "      for (;;) pause(); DENSE; return 0; }";
    const char *key = "00", *err, *so = build(w, arena_printf(w->a, text_of_hanging, path), true);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        MeasureRecord m;
        MeasureRequest q = request(small);
        q.deadline_s = 30;
        Runner *r = runner_start(w->a, runner_command, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
        if (r)
            measure(r, w->a, &q, &key, &so, 1, &m, NULL, &err);
        _exit(1);
    }
    size_t len = 0;
    char *text = NULL;
    for (int i = 0; i < 1000 && len == 0; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        text = text_read_file(w->a, path, &len);
        len = text ? len : 0;
    }
    assert_true(len > 1);
    pid_t runner = (pid_t)atoi(text);
    assert_int_equal(kill(runner, 0), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char *stat_path = arena_printf(w->a, "/proc/%d/stat", (int)runner);
    bool gone = false;
    for (int i = 0; i < 500 && !gone; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        text = text_read_file(w->a, stat_path, &len);
        gone = !text || strstr(text, ") Z ");
    }
    assert_true(gone);
}

/* ---- the machine's limits */

/* More arithmetic than one FMA of four lanes in a microsecond, less than any core. How the levels compare is for no test: a neighbour may take the
 * core for as long as one of them is measured. */
/* On a busy machine the time may be up before a level's turn: it is asked again. */
static void limits_are_measured(void **state)
{
    static const int threads[] = { 1, 2 };
    World *w = *state;
    LimitRecord l[2] = { 0 };
    const char *err;
    int n = 0;
    const LimitRequest q = { "portable", "f32", 2, threads, 2e9, NULL };
    for (int i = 0; i < 5 && l[0].bytes_per_s[LEVEL_MEMORY] == 0; i++) {
        assert_true(limit_measure(w->runner, w->a, &q, l, &n, NULL, &err));
        assert_int_equal(n, 2);
    }
    for (int i = 0; i < n; i++) {
        assert_int_equal(l[i].threads, threads[i]);
        assert_string_equal(l[i].target, "portable");
        assert_true(l[i].flops_per_s > 8e6 && l[i].flops_per_s < 2e12);
        for (int level = 0; level < LEVEL_COUNT; level++)
            assert_true(l[i].bytes_per_s[level] >= 0 && l[i].bytes_per_s[level] < 1e13);
    }
    assert_true(l[0].bytes_per_s[LEVEL_L1] > 0 && l[0].bytes_per_s[LEVEL_MEMORY] > 1e8);
    const LimitRequest none = { "sm_80", "f32", 1, threads, 1e9, NULL };
    assert_true(limit_measure(w->runner, w->a, &none, l, &n, NULL, &err));
    assert_int_equal(n, 0);
    MeasureRequest after = request(small);
    check_one(w, build(w, good, true), &after, STATUS_OK, "");
}

/* Late: nothing is begun but the arithmetic. */
static void limits_keep_to_their_time(void **state)
{
    static const int one = 1;
    World *w = *state;
    LimitRecord l;
    const char *err;
    int n = 0;
    const LimitRequest q = { "portable", "f32", 1, &one, 0, NULL };
    assert_true(limit_measure(w->runner, w->a, &q, &l, &n, NULL, &err));
    assert_int_equal(n, 1);
    assert_true(l.flops_per_s > 0 && l.bytes_per_s[LEVEL_L1] == 0 && l.bytes_per_s[LEVEL_MEMORY] == 0);
}

/* Runners that are older than the request, that die of it, or that answer something else. */
static void limits_need_not_be_known(void **state)
{
    static const char *const answer[] = {
        "{\\\"event\\\":\\\"error\\\",\\\"text\\\":\\\"unknown cmd\\\"}", "oops",
        "{\\\"event\\\":\\\"limits\\\",\\\"id\\\":1,\\\"limits\\\":[]}",
        "{\\\"event\\\":\\\"limits\\\",\\\"id\\\":1,\\\"limits\\\":[{\\\"threads\\\":1,\\\"flops_per_s\\\":-5,"
        "\\\"bytes_per_s\\\":{}}]}"
    };
    static const int one = 1;
    World *w = *state;
    for (size_t i = 0; i <= sizeof answer / sizeof *answer; i++) {
        const char *says = i < sizeof answer / sizeof *answer
                               ? arena_printf(w->a, "read x; echo \"%s\"; read x", answer[i])
                               : "exit 1";
        const char *script = arena_printf(
            w->a,
            "echo "
            "'{\"event\":\"hello\",\"protocol\":1,\"device\":{\"id\":\"d\",\"name\":\"n\",\"arch\":\"a\",\"cores\":1,"
            "\"l1_bytes\":1,\"l2_bytes\":1,\"l3_bytes\":1,\"isa\":[]}}'; read x; echo '{\"event\":\"ready\"}'; %s",
            says);
        const char *const command[] = { "sh", "-c", script, NULL }, *err = "";
        const LimitRequest q = { "portable", "f32", 1, &one, 1e9, NULL };
        LimitRecord l;
        int n = 7;
        Runner *r = runner_start(w->a, command, w->op, "f32", epilogues, 1, w->reference, 1, NULL, &err);
        if (!r)
            fail_msg("%s", err);
        assert_true(limit_measure(r, w->a, &q, &l, &n, NULL, &err));
        assert_int_equal(n, 0);
        runner_stop(r);
    }
}

/* What a runner says is taken over where it is a rate, for those that it was asked for; after an error it is asked again, after nonsense a new one
 * is. */
static void limits_are_taken_over(void **state)
{
#define SAYS_LIMITS(id, list) "echo '{\"event\":\"limits\",\"id\":" #id ",\"limits\":[" list "]}'; "
#define ONE(threads, flops, rates) "{\"threads\":" #threads ",\"flops_per_s\":" #flops ",\"bytes_per_s\":{" rates "}}"
#define GPU(threads, flops, more) \
    "{\"threads\":" #threads ",\"flops_per_s\":" #flops ",\"bytes_per_s\":{\"l3\":8}," more "}"
    static const char *const says[] = {
        "echo '{\"event\":\"error\",\"text\":\"not now\"}'; read line; echo \"$line\" >\"$0.line\"; " SAYS_LIMITS(
            2, ONE(1, 5e9, "\"l1\":7,\"l2\":-3,\"memory\":2.5") "," GPU(
                   4, 6e9,
                   "\"clock_mhz\":1755,\"launch_ns\":1180.5,\"handover_ns\":-"
                   "1")) "read line; " SAYS_LIMITS(9, ONE(1, 1, "") "," ONE(4, 1, "")) "read line",
        "" SAYS_LIMITS(4, ONE(1, 1, "") "," ONE(3, 1, "")) "read line",
        "" SAYS_LIMITS(5, ONE(1, 1, "")) "read line",
        "" SAYS_LIMITS(6, ONE(1, 1, "") "," ONE(4, 0, "")) "read line",
        "exit 1",
        NULL
    };
    static const int threads[] = { 1, 4 };
    World *w = *state;
    const char *err;
    const LimitRequest q = { "avx2", "f32", 2, threads, 3e9, "/tmp/limits.so" };
    LimitRecord l[2];
    size_t len;
    int n;
    Runner *r = start_script(w, says);
    for (int i = 0; i < 7; i++) {
        assert_true(limit_measure(r, w->a, &q, l, &n, NULL, &err));
        assert_int_equal(n, i == 1 ? 2 : 0);
        if (i == 1) {
            assert_true(l[0].threads == 1 && l[0].flops_per_s == 5e9 && l[1].threads == 4 && l[1].flops_per_s == 6e9);
            assert_true(l[0].bytes_per_s[LEVEL_L1] == 7 && l[0].bytes_per_s[LEVEL_L2] == 0 &&
                        l[0].bytes_per_s[LEVEL_L3] == 0 && l[0].bytes_per_s[LEVEL_MEMORY] == 2.5);
            assert_true(l[0].clock_mhz == 0 && l[0].launch_ns == 0 && l[0].handover_ns == 0);
            assert_true(l[1].clock_mhz == 1755 && l[1].launch_ns == 1180.5 && l[1].handover_ns == 0);
            assert_true(l[1].bytes_per_s[LEVEL_L3] == 8 && l[1].bytes_per_s[LEVEL_L1] == 0);
            assert_string_equal(l[1].device, "0123456789abcdef");
            assert_string_equal(l[1].target, "avx2");
        }
    }
    assert_string_equal(text_read_file(w->a, arena_printf(w->a, "%s.script.line", w->reference), &len),
                        "{\"cmd\":\"limits\",\"id\":2,\"target\":\"avx2\",\"dtype\":\"f32\",\"threads\":[1,4],"
                        "\"max_ns\":3000000000.0,\"so\":\"/tmp/limits.so\"}\n");
    const char *runs = text_read_file(w->a, arena_printf(w->a, "%s.script.runs", w->reference), &len);
    assert_int_equal(len, 5 * strlen("run\n")); /* of seven requests the first three met the same one */
    (void)runs;
    runner_stop(r);
}

/* Lines as no dcgen sends them; the runner answers each by an error and lives until its input ends. */
static void malformed_requests(void **state)
{
    static const char *const lines[] = {
        "",
        "{",
        "[]",
        "{\"cmd\":7}",
        "{\"cmd\":\"dance\"}",
        "{\"cmd\":\"measure\",\"id\":1}",
        "{\"cmd\":\"setup\"}",
        "{\"cmd\":\"limits\"}",
        "{\"cmd\":\"limits\",\"id\":1,\"target\":\"portable\",\"dtype\":\"f32\",\"threads\":[],\"max_ns\":1e6}",
        "{\"cmd\":\"limits\",\"id\":1,\"target\":\"portable\",\"dtype\":\"f32\",\"threads\":[0],\"max_ns\":1e6}",
        "{\"cmd\":\"limits\",\"id\":1,\"target\":\"portable\",\"dtype\":\"f16\",\"threads\":[1],\"max_ns\":1e6}",
        "{\"cmd\":\"limits\",\"id\":1,\"target\":\"sm_80\",\"dtype\":\"f32\",\"threads\":[1],\"max_ns\":1e6}",
        "\xff\xfe",
        "{\"cmd\":\"setup\",\"reference\":\"x\",\"seed\":1,\"operands\":[{}]}",
        "{\"cmd\":\"setup\",\"reference\":\"x\",\"seed\":1,\"operands\":["
        "{\"name\":\"X\",\"role\":\"in\",\"dtype\":\"f99\"}]}",
        "{\"cmd\":\"setup\",\"reference\":\"x\",\"seed\":1,\"operands\":[1,2,3,4,5,6,7,8,9]}",
        "unfinished"
    };
    enum { N = sizeof lines / sizeof *lines };
    World *w = *state;
    char *in = arena_printf(w->a, "%s.in", w->reference), *out = arena_printf(w->a, "%s.out", w->reference);
    FILE *f = fopen(in, "w");
    assert_non_null(f);
    for (int i = 0; i < N - 1; i++)
        fprintf(f, "%s\n", lines[i]);
    for (int i = 0; i < 3000000; i++)
        putc('x', f);
    fprintf(f, "\n%s", lines[N - 1]);
    fclose(f);
    assert_int_equal(
        system(arena_printf(w->a, "'%s' --targets '%s' < '%s' > '%s'", runner_path, targets_path, in, out)), 0);
    size_t len;
    int answers = 0;
    char *text = text_read_file(w->a, out, &len);
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "{\"event\":\"hello\""), text);
    for (char *p = text; (p = strstr(p, "\n{\"event\":\"error\"")); p++)
        answers++;
    assert_int_equal(answers, N); /* the finished ones and the long one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_is_known),
        cmocka_unit_test(a_slow_kernel_has_two_samples),
        cmocka_unit_test(rounds_do_not_go_on_for_ever),
        cmocka_unit_test(every_case_gets_its_record),
        cmocka_unit_test(want_is_no_fault),
        cmocka_unit_test(killed_once),
        cmocka_unit_test(memory_is_short),
        cmocka_unit_test(verify_only),
        cmocka_unit_test(threads_are_verified_too),
        cmocka_unit_test(large_outputs_are_sampled),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(stop_is_honoured),
        cmocka_unit_test(bad_runners),
        cmocka_unit_test(the_tolerance_is_kept),
        cmocka_unit_test(in_succession_means_in_succession),
        cmocka_unit_test(the_kept_kernel_is_known_by_its_place),
        cmocka_unit_test(the_device_stays_the_same),
        cmocka_unit_test(answers_are_checked),
        cmocka_unit_test(the_kept_kernel_rules_the_times),
        cmocka_unit_test(requests_say_all),
        cmocka_unit_test(runners_that_do_not_start),
        cmocka_unit_test(a_runner_is_started_again),
        cmocka_unit_test(limits_are_taken_over),
        cmocka_unit_test(runner_dies_with_its_starter),
        cmocka_unit_test(limits_are_measured),
        cmocka_unit_test(limits_keep_to_their_time),
        cmocka_unit_test(limits_need_not_be_known),
        cmocka_unit_test(malformed_requests),
    };
    if (access(runner_path, X_OK) != 0) {
        print_message("skipped: no %s\n", runner_path);
        return 77;
    }
    /* A runner built with sanitizers shall crash like any other. */
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0", 0);
    setenv("TSAN_OPTIONS", "handle_segv=0:handle_abort=0:atexit_sleep_ms=0", 0);
    return cmocka_run_group_tests_name("search/measure", tests, set_up, tear_down);
}
