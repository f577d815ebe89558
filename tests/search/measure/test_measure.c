/* SPDX-License-Identifier: Apache-2.0
 *
 * measure, with the real runner: hand-written candidates of the op dense, good ones and ones that are wrong in every
 * way. Each must get its proper record, and the good ones beside it must be measured all the same. And what the machine
 * does at most.
 */
#include "tests/test.h"
#include "tests/search/measure/runner_place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "templates/package/pieces.h"
#include "tests/stop_soon.h"

static const char good[] = "RUN { DENSE; return 0; }";

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
    { "reads W as it lies, where one packed before", good, STATUS_OK, "" },
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
    { "uses scratch memory",
      "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return e[1] * 4; }\n"
      "RUN { memset(ws, 0, e[1] * 4); DENSE; return 0; }",
      STATUS_OK, "" },
    { "exceeds scratch memory",
      "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return e[1] * 4; }\n"
      "RUN { memset(ws, 0, e[1] * 4 + 1); DENSE; return 0; }",
      STATUS_WRONG, "the scratch memory" },
    { "relies on clear scratch memory",
      "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return e[1] * 4; }\n"
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
    { "absurd scratch memory",
      "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return -e[1]; } RUN { DENSE; return 0; }", STATUS_INVALID,
      "scratch memory" },
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

static void check_one(const char *so, const MeasureRequest *q, Status status, const char *why)
{
    MeasureRecord m;
    must_measure(w->runner, q, &so, 1, &m);
    if (status == STATUS_OK)
        check_ok(&m, q);
    assert_int_equal(m.status, status);
    assert_non_null(strstr(m.why, why));
}

/* All in one request: whatever one does, the others are measured. */
TEST(every_case_gets_its_record)
{
    const char *so[NCASE];
    MeasureRecord out[NCASE];
    MeasureRequest q = request(small);
    for (int i = 0; i < NCASE; i++)
        so[i] = build(cases[i].text, true);
    must_measure(w->runner, &q, so, NCASE, out);
    for (int i = 0; i < NCASE; i++) {
        const MeasureRecord *m = &out[i];
        if (m->status != cases[i].status || !strstr(m->why, cases[i].why) || m->blame != BLAME_CANDIDATE)
            fail_msg("%s: is %s (%s)", cases[i].name, status_name(m->status), m->why);
        assert_int_equal(atoi(m->key), i);
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

TEST(want_is_no_fault)
{
    enum { N = sizeof wanting / sizeof *wanting };
    const char *so[N + 1];
    MeasureRecord out[N + 1];
    MeasureRequest q = request(small);
    for (int i = 0; i <= N; i++)
        so[i] = build(i < N ? wanting[i].text : good, true);
    must_measure(w->runner, &q, so, N + 1, out);
    for (int i = 0; i < N; i++) {
        assert_int_equal(out[i].status, wanting[i].status);
        assert_int_equal(out[i].blame, BLAME_MOMENT);
        assert_non_null(strstr(out[i].why, wanting[i].why));
    }
    check_ok(&out[N], &q);
}

/* One that is killed while it is timed, and right when it is verified again alone: it has no time here, and no
 * blame. */
TEST(killed_once)
{
    const char *so[2];
    char *mark = arena_printf(w->a, "%s.killed", w->reference);
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    q.keep = 1;
    so[0] = build(arena_printf(w->a,
                               "#include <signal.h>\nRUN { static int n; if (++n > 2 && access(\"%s\", F_OK)) {\n"
                               "    fclose(fopen(\"%s\", \"w\")); raise(SIGKILL); }\nDENSE; return 0; }",
                               mark, mark),
                  true);
    so[1] = build(good, true);
    must_measure(w->runner, &q, so, 2, out);
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(out[0].status, STATUS_OK);
    assert_int_equal(out[0].blame, BLAME_CANDIDATE);
    assert_int_equal(out[0].nsample, 0);
    check_ok(&out[1], &q);
}

/* A runner that may have so much memory: a kernel that wants more is left out, operands that want more end it all. */
TEST(memory_is_short)
{
#if defined(DCGEN_SANITIZE_address) || defined(DCGEN_SANITIZE_thread)
    puts("skipped: a runner with sanitizers cannot have little memory");
    skip();
#else
    static const int64_t large[] = { 16384, 4, 16384 };
    static const char *const poor[] = { "sh",         "-c",        "ulimit -v 700000; exec \"$@\"",
                                        "sh",         runner_path, "--targets",
                                        targets_path, NULL };
    const char *err = NULL, *so[2] = {
        build("int64_t dcgen_scratch(const int64_t *e, int64_t n) { return e[0] << 30; } RUN { DENSE; return 0; }",
              true),
        build(good, true)
    };
    MeasureRecord out[2];
    MeasureRequest q = request(small);
    Runner *r = start_runner(poor);
    must_measure(r, &q, so, 2, out);
    assert_int_equal(out[0].status, STATUS_INVALID);
    assert_int_equal(out[0].blame, BLAME_MOMENT);
    assert_non_null(strstr(out[0].why, "no memory for"));
    check_ok(&out[1], &q);
    q.extent = large;
    assert_false(measure_all(r, &q, so, 2, out, &err));
    assert_string_equal(err, "the runner cannot measure M=16384 N=4 K=16384: no memory for the operands");
    runner_stop(r);
#endif
}

/* What was right on a shape is not verified there again by the same runner: this one would go wrong. Another object of
 * that name is. */
TEST(what_was_right_is_remembered)
{
    MeasureRequest q = request(small);
    const char *so = build("PACK { DO_PACK; return 0; } RUN { PACKED; return 0; }", true);
    q.repeats = 0;
    check_one(so, &q, STATUS_OK, "");
    q.repeats = 3; /* the packed operand is there, too */
    check_one(so, &q, STATUS_OK, "");
    q.repeats = 0;
    const char *mark = arena_printf(w->a, "%s.right", w->reference);
    const char *once = build(
        arena_printf(w->a, "RUN { DENSE; if (access(\"%s\", F_OK) == 0) ((float *)o[3])[0] += 1e9f; return 0; }", mark),
        true);
    check_one(once, &q, STATUS_OK, "");
    assert_int_equal(fclose(fopen(mark, "w")), 0);
    check_one(once, &q, STATUS_OK, "");
    assert_int_equal(rename(once, arena_printf(w->a, "%s.so", mark)),
                     0); /* the file is another one where it has another time */
    const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    once = arena_printf(w->a, "%s.so", mark);
    assert_int_equal(utimensat(AT_FDCWD, once, times, 0), 0);
    check_one(once, &q, STATUS_WRONG, "element 0");
    assert_int_equal(unlink(mark), 0);
}

/* Errors beyond every tolerance are told where the request has a kind of data; what is no number stays wrong. */
TEST(errors_are_told)
{
    static const char *const data[] = { "normal", "outliers", "spread" };
    const char *off = build("RUN { DENSE; ((float *)o[3])[11] += 1e9f; return 0; }", true),
               *no_number = build("RUN { DENSE; ((float *)o[3])[34] = NAN; return 0; }", true);
    MeasureRequest q = verification(small);
    MeasureRecord m;
    for (int kind = 0; kind < 3; kind++) {
        q.data = data[kind];
        check_one(build(good, true), &q, STATUS_OK, "");
        must_measure(w->runner, &q, &off, 1, &m);
        assert_true(m.status == STATUS_OK && m.max_err > 1e3);
        check_one(no_number, &q, STATUS_WRONG, "is nan instead of");
    }
    q.data = NULL;
    check_one(off, &q, STATUS_WRONG, "row 1 element 4");
}

TEST(threads_are_verified_too)
{
    MeasureRequest q = request(small);
    q.threads = 2;
    check_one(build(good, true), &q, STATUS_OK, "");
    check_one(build("RUN { DENSE; if (ntask == 2 && task == 1) ((float *)o[3])[34] = 0; return 0; }", true), &q,
              STATUS_WRONG, "row 4 element 6");
    check_one(build("RUN { DENSE; return ntask == 2 && task == 1 ? 9 : 0; }", true), &q, STATUS_INVALID, "(9)");
    q.threads = 7; /* more than rows */
    check_one(build(good, true), &q, STATUS_OK, "");
}

#define PARTS "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return n * 64; }\n"

/* Each part of a call has memory of its own, whose size the kernel is asked for with the number of parts: also where
 * threads take several. */
TEST(each_part_has_its_memory)
{
    static const int64_t flat[] = { 1000, 1000, 2 }; /* two threads do four pieces of it or more */
    static const char *const fill = "RUN { char *p = (char *)ws + task * 64; memset(p, task, 64);",
                             *const test =
                                 "for (int i = 0; i < 64; i++) if (p[i] != task) return 7; DENSE; return 0; }";
    static const struct {
        const char *size, *more;
        int threads;
        Status status;
        const char *why;
    } row[] = {
        { PARTS, "", 1, STATUS_OK, "" },
        { PARTS, "", 2, STATUS_OK, "" },
        { PARTS, "", 3, STATUS_OK, "" },
        { PARTS, "if (task == ntask - 1) p[64] = 0;", 1, STATUS_CRASHED, "killed by SIGSEGV while verifying" },
        { PARTS, "if (ntask > 1 && task == ntask - 1) p[64] = 0;", 2, STATUS_WRONG, "the scratch memory" },
        { PARTS, "if (ntask > 1 && task == 0) p[-1] = 0;", 2, STATUS_CRASHED, "killed by SIGSEGV while verifying" },
        { "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return 64; }\n", "", 1, STATUS_OK, "" },
        { "int64_t dcgen_scratch(const int64_t *e, int64_t n) { return 64; }\n", "", 2, STATUS_WRONG,
          "the scratch memory" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *so = build(arena_printf(w->a, "%s%s%s%s", row[i].size, fill, row[i].more, test), true);
        MeasureRequest q = request(small);
        q.threads = row[i].threads;
        check_one(so, &q, row[i].status, row[i].why);
        q.extent = flat;
        q.repeats = 0;
        q.deadline_s = 20;
        check_one(so, &q, row[i].status, row[i].why);
    }
}

/* Two parts at the same time, which wait for each other: what the first one writes behind its own memory is the second
 * one's. */
TEST(parts_meet_in_scratch_memory)
{
    static const char *const text =
        PARTS "#include <stdatomic.h>\nstatic atomic_int come;\n"
              "static void meet(int n) { come++; for (int i = 0; i < 500 && come < n; i++) usleep(1000); }\n"
              "RUN { char *p = (char *)ws + task * 64; memset(p, task, 64); if (ntask == 2) { meet(2); if (task == 0) "
              "p[%d] = 9; meet(4); }\n"
              "for (int i = 0; i < 64; i++) if (task == 1 && p[i] != task) return 7; DENSE; return 0; }";
    MeasureRequest q = verification(small);
    q.threads = 2;
    check_one(build(arena_printf(w->a, text, 63), true), &q, STATUS_OK, "");
    check_one(build(arena_printf(w->a, text, 64), true), &q, STATUS_INVALID, "refuses these extents (7)");
}

/* Larger than what is compared element by element: one wrong element in an unknown row shows in the row's sum. */
TEST(large_outputs_are_sampled)
{
    static const int64_t large[] = { 3000, 256, 100 };
    MeasureRequest q = verification(large);
    q.deadline_s = 20;
    check_one(build(good, true), &q, STATUS_OK, "");
    check_one(build("RUN { DENSE; ((float *)o[3])[1234 * e[1] + 17] += 0.05f; return 0; }", true), &q, STATUS_WRONG,
              "row 1234 ");
    check_one(build("RUN { DENSE; ((float *)o[3])[2999 * e[1] + 255] += 0.001f; return 0; }", true), &q, STATUS_WRONG,
              "row 2999 element 255");
}

/* A call is cut into as many pieces as the package cuts it into, by the op's own count of operations. */
TEST(pieces_are_those_of_the_package)
{
    static const int64_t flat[] = { 1000, 1000, 2 }; /* with its bias, a call of half as many operations again */
    MeasureRequest q = verification(flat);
    double flops = 0;
    q.threads = 2;
    assert_int_equal(expr_real_at(w->op->flops, flat, &flops), EXPR_OK);
    check_one(build("RUN { DENSE; return ntask == 1 ? 0 : (int)ntask; }", true), &q, STATUS_INVALID,
              arena_printf(w->a, "refuses these extents (%d)", PACKAGE_pieces(2, flops)));
}

TEST(sizes_are_checked)
{
    static const int64_t huge[] = { INT64_MAX / 2, 4, 4 }, many[] = { 1 << 20, 1 << 20, 1 }, none[] = { 0, 4, 4 };
    const char *so = build(good, true);
    MeasureRequest q = request(huge);
    check_one(so, &q, STATUS_INVALID, "overflows");
    q.extent = many;
    check_one(so, &q, STATUS_INVALID, "elems must be");
    q.extent = none; /* whose result is empty: there is nothing to call, and nothing that could be wrong */
    const char *wrong = build("RUN { abort(); }", true);
    MeasureRecord m;
    must_measure(w->runner, &q, &wrong, 1, &m);
    assert_true(m.status == STATUS_OK && m.nsample == 0);
    q = request(small);
    q.threads = 100000;
    check_one(so, &q, STATUS_INVALID, "threads must be from 1 to 1024");
    check_one("/no/such/file.so", &(MeasureRequest){ .extent = small, .threads = 1, .deadline_s = 1 }, STATUS_INVALID,
              "/no/such/file.so");
}

TEST(stop_is_honoured)
{
    const char *key = "00", *err = NULL, *so = build("RUN { for (;;) pause(); DENSE; return 0; }", true);
    MeasureRequest q = request(small);
    MeasureRecord m;
    q.deadline_s = 60;
    stop_soon();
    assert_false(measure(w->runner, w->a, &q, &key, &so, 1, &m, &stop_flag, &err));
    assert_string_equal(err, "interrupted"); /* not silent for a minute */
    assert_int_equal(m.status, STATUS_INVALID);
    check_one(build(good, true), &q, STATUS_OK, "");
}

/* More arithmetic than one FMA of four lanes in a microsecond, less than any core. How the levels compare is for no
 * test: a neighbour may take the core for as long as one of them is measured. */
/* On a busy machine the time may be up before a level's turn: it is asked again. */
TEST(limits_are_measured)
{
    static const int threads[] = { 1, 2 };
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
    check_one(build(good, true), &after, STATUS_OK, "");
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(runner_is_here)
