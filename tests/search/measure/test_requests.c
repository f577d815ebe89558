/* SPDX-License-Identifier: Apache-2.0
 *
 * requests: the sequence of requests that a lab sends to its runner, and what is recorded of the answers, also where
 * the runner dies in between. The runner is a script that keeps all that it is asked for; compilers and clock are made
 * up.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "gen/base/text.h"
#include "search/space/verify_shapes.h"
#include "tests/put_file.h"
#include "tests/search/workshop.h"

enum { THREE = 3 };

/* ---- compilers ---- */

struct Builder {
    int unused;
};
static struct Builder cc, nvcc;

/* Each batch takes a second. */
void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop)
{
    for (int i = 0; i < n; i++)
        builds[i] = (Build){ .name = builds[i].name,
                             .text = builds[i].text,
                             .so = arena_printf(a, "/%s.so", builds[i].name),
                             .code_bytes = 1000,
                             .log = "",
                             .why = "" };
    lab.now_s += 1;
}

void build_start(Builder *b, Arena *a, Build *builds, int n) { build_all(b, a, builds, n, NULL); }
bool build_was_ended(const Build *build) { return false; }
bool build_wait(Builder *b, const Build *builds, double until_s, bool needed, const volatile int *stop) { return true; }
void build_cancel(Builder *b) {}
void build_remove(const Builder *b, const char *so) {}

/* ---- the runner ---- */

/* It appends each request to $0.log. A line "N K WORD" of $0.faults says what its kernel K does in the N-th request. */
static const char runner_script[] =
    "echo '{\"event\":\"hello\",\"protocol\":1,\"device\":{\"id\":\"0123456789abcdef\",\"name\":\"x\",\"arch\":\"x\","
    "\"cores\":3,\"l1_bytes\":4,\"l2_bytes\":5,\"l3_bytes\":6,\"isa\":[]}}'\n"
    "read -r line; echo '{\"event\":\"ready\"}'\n"
    "while read -r line; do\n"
    "    echo \"$line\" >>\"$0.log\"\n"
    "    n=$(wc -l <\"$0.log\"); id=${line#*'\"id\":'}; id=${id%%,*}\n"
    "    case $line in *'\"cmd\":\"limits\"'*) echo '{\"event\":\"limits\",\"id\":'$id',\"limits\":[{\"threads\":1,"
    "\"flops_per_s\":1e9,\"bytes_per_s\":{}}]}'; continue ;; esac\n"
    "    case $line in *'\"repeats\":0'*) ns=; phase=verify ;; *) ns=100000,200000; phase=time ;; esac\n"
    "    rest=$line; k=0\n"
    "    while [ \"${rest#*'\"so\":'}\" != \"$rest\" ]; do\n"
    "        rest=${rest#*'\"so\":'}\n"
    "        echo '{\"event\":\"begin\",\"id\":'$id',\"kernel\":'$k',\"phase\":\"'$phase'\"}'\n"
    "        status=ok; why=; of=$ns\n"
    "        while read -r a b fault; do [ \"$a $b\" = \"$n $k\" ] && case $fault in\n"
    "            crash) kill -SEGV $$ ;;\n"
    "            killed) kill -KILL $$ ;;\n"
    "            wrong) status=wrong; why=bad; of= ;;\n"
    "            poor) status=invalid; why='out of memory'; of= ;;\n"
    "        esac; done <\"$0.faults\"\n"
    "        echo '{\"event\":\"result\",\"id\":'$id',\"kernel\":'$k',\"status\":\"'$status'\",\"ns\":['$of'],"
    "\"max_err\":0,\"why\":\"'\"$why\"'\"}'\n"
    "        k=$((k + 1))\n"
    "    done\n"
    "    echo '{\"event\":\"done\",\"id\":'$id'}'\n"
    "done\n";

static const char *script;
static const char *err;

/* ---- the lab ---- */

static Proposal p[THREE]; /* the general kernel, and two others */
static const char *key[THREE];

/* The kernel K of the N-th request ends so, counted from 0; "": all go well. */
static void put_faults(const char *text)
{
    put_file(arena_printf(y.arena, "%s.faults", script), text);
    put_file(arena_printf(y.arena, "%s.log", script), "");
}

static int open_machine(void **state)
{
    if (open_lab(synthetic_spec, lab_machine) != 0)
        return -1;
    keep_records();
    script = arena_printf(y.arena, "%s/runner", folder);
    put_file(script, runner_script);
    put_faults("");
    const char *const command[] = { "sh", script, NULL };
    shop.builder = &cc;
    shop.agents = agents_start(y.arena, kept(command, sizeof command), y.spec, "/reference.so", 1, NULL, &err);
    assert_non_null(shop.agents);
    shop.diag = diag_new(y.arena);
    shop.jobs = 5;
    lab.anchor = &y.space->general[0];
    for (int i = 0; i < THREE; i++) {
        p[i] = (Proposal){ .c = i ? y.space->candidate[7 * i] : *lab.anchor, .nshape = 2 };
        p[i].shape[1] = 2 * i + 1; /* 0 1, 0 3, 0 5 */
        key[i] = candidate_key(y.arena, &p[i].c, "0123456789abcdef", &y.device);
    }
    return 0;
}

static int close_machine(void **state)
{
    agents_stop(shop.agents);
    return close_lab(state);
}

/* ---- what was asked ---- */

static json_t *line_of(char *text)
{
    json_t *line = json_loads(text, 0, NULL);
    assert_non_null(line);
    return line;
}

/* "011": the places of a request's kernels in p. */
static void add_kernels(Text *t, const json_t *line)
{
    size_t at;
    json_t *kernel;
    json_array_foreach(json_object_get(line, "kernels"), at, kernel)
    {
        int i = 0;
        while (i < THREE && strcmp(json_string_value(json_object_get(kernel, "key")), key[i]) != 0)
            i++;
        text_printf(t, "%c", i < THREE ? '0' + i : '?');
    }
}

/* A request in short: "verify 1x2x3 by 1: 012", "time 1x2x3 by 1: 01 keep 0", "limits". */
static void add_request(Text *t, const json_t *line)
{
    const json_t *extent = json_object_get(line, "extent"), *keep = json_object_get(line, "keep");
    if (!extent) {
        text_add(t, "limits\n");
        return;
    }
    const json_int_t repeats = json_integer_value(json_object_get(line, "repeats"));
    text_printf(t, "%s %dx%dx%d by %d: ", repeats ? "time" : "verify",
                (int)json_integer_value(json_array_get(extent, 0)), (int)json_integer_value(json_array_get(extent, 1)),
                (int)json_integer_value(json_array_get(extent, 2)),
                (int)json_integer_value(json_object_get(line, "threads")));
    add_kernels(t, line);
    if (repeats && keep)
        text_printf(t, " keep %d", (int)json_integer_value(keep));
    if (json_object_get(line, "data"))
        text_printf(t, " %s", json_string_value(json_object_get(line, "data")));
    text_add(t, json_object_get(line, "count") ? " count\n" : "\n");
}

static const char *asked(void)
{
    size_t len;
    Text t = { .arena = y.arena };
    char *log = text_read_file(y.arena, arena_printf(y.arena, "%s.log", script), &len), *rest = log;
    assert_non_null(log);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        json_t *json = line_of(line);
        add_request(&t, json);
        json_decref(json);
    }
    return text_str(&t);
}

static int nlines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void want_shape(Text *t, const char *what, const int64_t *extent, int threads, const char *rest)
{
    text_printf(t, "%s %dx%dx%d by %d: %s\n", what, (int)extent[0], (int)extent[1], (int)extent[2], threads, rest);
}

static const int parts[] = { 1, 3, 1, 2, 1, 16 }; /* that a call is split into, on one awkward shape after the other */

/* What verifies these of the three kernels on awkward shapes, from shape `first` on up to shape `end`. */
static void want_verified(Text *t, const char *kernels, int first, int end)
{
    const Candidate *c[THREE] = { &p[0].c, &p[1].c, &p[2].c };
    VerifyShapes w;
    verify_shapes(lab.study, c, THREE, &w);
    for (int i = first; i < w.n && i < end; i++)
        want_shape(t, "verify", w.extent[i], parts[i % 6], kernels);
}

/* What times these kernels on a tuned shape; keep: the place of the anchor among them, -1: it is not there. */
static void want_timed(Text *t, int shape, const char *kernels, int keep)
{
    const Instance *inst = lab.study->shape[shape];
    want_shape(t, "time", inst->extent, inst->threads, arena_printf(y.arena, "%s keep %d", kernels, keep));
}

static void want_alone(Text *t, int shape, const char *kernel)
{
    want_shape(t, "verify", lab.study->shape[shape]->extent, lab.study->shape[shape]->threads, kernel);
}

static void assert_asked(Text *want) { assert_string_equal(asked(), text_str(want)); }

static Trial *trial_of(int i) { return &lab.study->trial[study_find_key(lab.study, key[i])]; }
static bool try_three(void) { return kind.trials(&lab, y.arena, p, THREE, 0.9, &err); }

/* "0/1 ok": kernels and shapes in the order of the records of measurements. */
static const char *measured_text(void)
{
    Text t = { .arena = y.arena };
    for (int64_t i = 0; i < recorded()->nmeasure; i++) {
        const MeasureRecord *m = &recorded()->measure[i];
        int k = 0, j = 0;
        while (strcmp(key[k], m->key) != 0)
            k++;
        while (memcmp(lab.study->shape[j]->extent, m->extent, (size_t)m->naxis * sizeof *m->extent) != 0)
            j++;
        text_printf(&t, "%d/%d %s%s\n", k, j, status_name(m->status), m->final ? " final" : "");
    }
    return text_str(&t);
}

/* ---- tests ---- */

/* All is verified on shape after shape; then the kernels that are proposed for a shape are timed beside the anchor; a
 * race asks once a call. */
TEST(a_batch_and_a_race)
{
    Text want = { .arena = y.arena };
    const char *why;
    assert_true(calibrate_when_due(&lab, y.arena, false, &err));
    assert_true(calibrate_when_due(&lab, y.arena, false, &err)); /* not due */
    assert_true(try_three());
    lab.now_s += 10;
    assert_true(calibrate_when_due(&lab, y.arena, false, &err));
    const int64_t two[] = { study_find(lab.study, &p[2].c), study_find(lab.study, &p[1].c) };
    assert_true(kind.compare(&lab, y.arena, lab.study->shape[4], two, 2, false, &err));
    LimitRecord limit;
    int n;
    assert_true(calibrate(&shop, y.arena, 1, &limit, &n, &stop_now, &why, &err));
    assert_int_equal(n, 1);
    text_add(&want, "limits\n");
    want_verified(&want, "012", 0, 256);
    want_timed(&want, 0, "012", 0);
    want_timed(&want, 1, "0", 0);
    want_timed(&want, 3, "10", 1);
    want_timed(&want, 5, "20", 1);
    text_add(&want, "limits\n");
    want_timed(&want, 4, "210", 2);
    text_add(&want, "limits\n");
    assert_asked(&want);
    assert_string_equal(measured_text(), "0/0 ok\n1/0 ok\n2/0 ok\n0/1 ok\n1/3 ok\n0/3 ok\n2/5 ok\n0/5 ok\n"
                                         "2/4 ok final\n1/4 ok final\n0/4 ok final\n");
    assert_int_equal(recorded()->nlimit, 3);
}

/* Who is wrong or brings the runner down is not asked for again; those beside it that had no answer are asked for once
 * more, of a new runner. */
TEST(faults_while_verifying)
{
    Text want = { .arena = y.arena };
    put_faults("3 1 crash\n6 1 wrong\n");
    assert_true(try_three());
    want_verified(&want, "012", 0, 3);
    want_verified(&want, "2", 2, 3);
    want_verified(&want, "02", 3, 5);
    want_verified(&want, "0", 5, 256);
    want_timed(&want, 0, "0", 0);
    want_timed(&want, 1, "0", 0);
    assert_asked(&want);
    assert_int_equal(recorded()->nkernel, THREE);
    assert_int_equal(trial_of(1)->status, STATUS_CRASHED);
    assert_int_equal(trial_of(2)->status, STATUS_WRONG);
    assert_string_equal(measured_text(), "0/0 ok\n0/1 ok\n");
}

/* What was killed or has no memory while it was timed is verified again alone, by a new runner: it has no time then. */
TEST(faults_while_timing)
{
    Text want = { .arena = y.arena };
    want_verified(&want, "012", 0, 256);
    const int n = nlines(text_str(&want));
    put_faults(arena_printf(y.arena, "%d 1 killed\n%d 0 poor\n", n + 1, n + 2));
    assert_true(try_three());
    want_timed(&want, 0, "012", 0);
    want_timed(&want, 0, "2", -1);
    want_alone(&want, 0, "1");
    want_alone(&want, 0, "2");
    want_timed(&want, 1, "0", 0);
    want_timed(&want, 3, "10", 1);
    want_timed(&want, 5, "20", 1);
    assert_asked(&want);
    assert_string_equal(measured_text(), "0/0 ok\n1/0 ok\n2/0 ok\n0/1 ok\n1/3 ok\n0/3 ok\n2/5 ok\n0/5 ok\n");
}

/* Where the spec allows larger errors, each kernel's are told on three kinds of data. */
TEST(errors_are_told)
{
    static const char *const data[] = { "normal", "outliers", "spread" };
    Text want = { .arena = y.arena };
    want_verified(&want, "012", 0, 256);
    y.spec->accuracy = 8;
    assert_true(try_three());
    const char *got = asked(), *verified = text_str(&want);
    assert_memory_equal(got, verified, strlen(verified));
    got += strlen(verified);
    for (int i = 0; i < 3; i++, got = strchr(got, '\n') + 1)
        assert_has(arena_strndup(y.arena, got, strcspn(got, "\n")), arena_printf(y.arena, " by 1: 012 %s", data[i]));
    assert_memory_equal(got, "time", 4);
}

/* In the emulator one kernel comes after the other; then what each does in a tile is counted. */
TEST(kernels_one_by_one)
{
    Text want = { .arena = y.arena };
    VerifyShapes w;
    static const char *const number[THREE] = { "0", "1", "2" };
    int64_t tile[OP_MAX_EXTENT];
    shop.assembler = &nvcc;
    for (int i = 0; i < THREE; i++) {
        const Candidate *c = &p[i].c;
        verify_shapes(lab.study, &c, 1, &w);
        for (int j = 0; j < w.n; j++)
            want_shape(&want, "verify", w.extent[j], parts[j % 6], number[i]);
    }
    for (int i = 0; i < THREE; i++) {
        assert_true(verify_shapes_one_tile(lab.study, &p[i].c, 8, tile));
        want_shape(&want, "verify", tile, 1, arena_printf(y.arena, "%s count", number[i]));
    }
    assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
    assert_true(lab_emulator.check(&lab, y.arena, 1, lab.study->shape[2]->extent, &err));
    want_shape(&want, "verify", lab.study->shape[2]->extent, shop.jobs, "1");
    assert_asked(&want);
    assert_string_equal(measured_text(), "1/2 ok\n");
}

/* When the user interrupts, nothing more is asked for, and what was measured before is recorded. */
TEST(an_interrupted_batch)
{
    assert_true(kind.trials(&lab, y.arena, p, 1, 0.9, &err));
    const int before = nlines(asked());
    stop_now = 1;
    assert_false(kind.compare(&lab, y.arena, lab.study->shape[4], KEPT(int64_t, 0), 1, false, &err));
    assert_string_equal(err, "interrupted");
    assert_true(nlines(asked()) <= before + 1);
    assert_string_equal(measured_text(), "0/0 ok\n0/1 ok\n");
}

TEST_EACH(open_machine, close_machine)
