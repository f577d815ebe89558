/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: what a runner is asked for, and what becomes of its answers, beside the anchor and the library. The runner
 * is made up, and so is the clock.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "search/measure/stopwatch.h"
#include "tests/search/workshop.h"

enum { CALLS = 16, KERNELS = 6 };

/* ---- the runner ---- */

typedef struct {
    double ns; /* 0: it failed */
    Status status;
    Blame blame;
    int nsample; /* 0: five */
} Answer;

static double took_s;                 /* took_s: of each call */
static Answer answer[CALLS][KERNELS]; /* of the n-th call; no time and no failure: as the call before */
static MeasureRequest asked[CALLS];   /* and what was asked for */
static char asked_key[CALLS][KERNELS][40];
static int asked_n[CALLS], ncall;

static Answer answer_of(int call, int i)
{
    while (call > 0 && answer[call][i].ns == 0 && answer[call][i].status == STATUS_OK)
        call--;
    return answer[call][i];
}

Exchange *exchange_begin(Runner *r, Request *request)
{
    const MeasureRequest *q = &request->measure;
    const int n = request->kernel.n;
    const char *const *key = request->kernel.key;
    MeasureRecord *out = request->out = ARENA_ARRAY(y.arena, (size_t)n, MeasureRecord);
    assert_in_range(ncall, 0, CALLS - 1);
    asked[ncall] = *q;
    asked_n[ncall] = n;
    for (int i = 0; i < n; i++) {
        const Answer x = answer_of(ncall, i < KERNELS ? i : 0);
        assert_non_null(request->kernel.so[i]);
        out[i] = (MeasureRecord){ .key = key[i],
                                  .device = "of the runner",
                                  .naxis = 3,
                                  .extent = kept(q->extent, 3 * sizeof *q->extent),
                                  .threads = q->threads,
                                  .status = x.status,
                                  .blame = x.blame,
                                  .nsample = x.status == STATUS_OK ? (x.nsample ? x.nsample : 5) : 0,
                                  .ns = KEPT(double, x.ns, x.ns, x.ns, x.ns, x.ns),
                                  .time_ns = x.ns,
                                  .why = x.status == STATUS_OK ? "" : "it is said" };
        assert_true(out[i].nsample <= 5);
        if (i < KERNELS)
            snprintf(asked_key[ncall][i], sizeof asked_key[ncall][i], "%s", key[i]);
    }
    ncall++;
    lab.now_s += took_s;
    return NULL;
}

Step exchange_step(Exchange *x, const char **why) { return STEP_OVER; }

/* ---- the search ---- */

static const char *err;

static int64_t trial[3]; /* the anchor, and two others */
static Kernels two;

static int begin(void **state)
{
    if (open_lab(synthetic_spec, (LabKind){ .measures = true }) != 0)
        return -1;
    keep_records();
    took_s = 0.5;
    ncall = 0;
    memset(answer, 0, sizeof answer);
    lab.anchor = &y.space->general[0];
    have_agent();
    for (int i = 0; i < 3; i++) {
        trial[i] = study_add(lab.study, i ? &y.space->candidate[7 * i] : lab.anchor);
        lab.study->trial[trial[i]].built = true;
        lab.study->trial[trial[i]].so = arena_printf(y.arena, "/%d.so", i);
    }
    two.n = 2;
    for (int i = 0; i < 2; i++) {
        two.key[i] = lab.study->trial[trial[i + 1]].key;
        two.so[i] = lab.study->trial[trial[i + 1]].so;
        two.at[i] = i;
    }
    for (int i = 0; i < KERNELS; i++)
        answer[0][i] = (Answer){ .ns = 1e5 * (i + 1) };
    return 0;
}

static const Instance *shape(int64_t i) { return lab.study->shape[i]; }

static bool time_kernels(const Instance *inst, const Kernels *k, bool race, bool tunes)
{
    *stopwatch_ask(&lab, y.arena, inst, race, tunes, INFINITY) = *k;
    return lab_work(&lab, &err);
}

static bool time_two(bool race) { return time_kernels(shape(3), &two, race, false); }

/* ---- what is asked for ---- */

TEST(a_request)
{
    assert_true(time_two(false));
    const MeasureRequest *r = &asked[0];
    assert_int_equal(asked_n[0], 3);
    assert_string_equal(asked_key[0][0], two.key[0]);
    assert_string_equal(asked_key[0][2], lab.study->trial[trial[0]].key);
    assert_memory_equal(r->extent, shape(3)->extent, 3 * sizeof(int64_t));
    assert_int_equal(r->threads, shape(3)->threads);
    assert_int_equal(r->repeats, 5);
    assert_int_equal(r->keep, 2);
    assert_true(r->sample_ns == 300e3 && r->max_ns == 3 * 1.2e9 && r->drop == 3);
    assert_true(r->deadline_s == 20 && !r->count);
    shop.library.so = "/library.so";
    lab.seconds = 1000;
    assert_true(time_two(true)); /* nobody drops out of a race, and the library takes part */
    r = &asked[1];
    assert_int_equal(asked_n[1], 4);
    assert_string_equal(asked_key[1][3], "library");
    assert_int_equal(r->keep, 2);
    assert_true(r->max_ns == 3 * 1.2e9 && r->drop == 0);
}

/* A packed operand larger than L2 is cold, and the records say so; not where the spec has hot caches. */
TEST(large_packed_operands_are_cold)
{
    assert_true(4 * shape(3)->extent[1] * shape(3)->extent[2] > y.device.l2_bytes);
    assert_true(time_two(false));
    y.spec->hot = true;
    assert_true(time_two(false));
    assert_true(asked[0].cold && !asked[1].cold);
    assert_int_equal(recorded()->nmeasure, 6);
    for (int i = 0; i < 6; i++)
        assert_true(recorded()->measure[i].cold == (i < 3));
}

/* All records of a shape that joins the tuned ones say so, those of later requests too; of one that the spec tunes none
 * does. */
TEST(what_joins_is_said)
{
    const Instance *tuned = shape(3), *joins = first_held_out(y.spec);
    assert_true(time_kernels(joins, &two, true, true));
    assert_true(time_kernels(tuned, &two, true, true));
    study_take_in(lab.study);
    assert_true(study_tunes(lab.study, joins));
    assert_true(time_kernels(joins, &two, false, false));
    assert_true(time_kernels(joins + 1, &two, true, false));
    assert_int_equal(recorded()->nmeasure, 12);
    for (int i = 0; i < 12; i++)
        assert_true(recorded()->measure[i].tunes == (i / 3 == 0 || i / 3 == 2));
}

TEST(silence_is_a_hang_sooner_with_little_time)
{
    static const double seconds[] = { 1, 12, 40, 80, 1000 }, deadline_s[] = { 3, 3, 10, 20, 20 };
    for (int i = 0; i < 5; i++) {
        lab.seconds = seconds[i];
        assert_true(stopwatch_deadline_s(&lab) == deadline_s[i]);
    }
}

/* Once, where it is one of those that are to be timed; not at all, where it does not work or there is no room. Others
 * that have failed meanwhile are left out. */
TEST(the_anchor_is_in_every_request)
{
    two.key[1] = lab.study->trial[trial[0]].key;
    two.so[1] = lab.study->trial[trial[0]].so;
    assert_true(time_two(false));
    assert_int_equal(asked_n[0], 2);
    assert_int_equal(asked[0].keep, 1);
    Kernels many = { 0 };
    while (kernels_add(&many, two.key[0], two.so[0], 0) >= 0)
        ;
    assert_int_equal(many.n, REQUEST_MOST);
    assert_true(time_kernels(shape(0), &many, false, false));
    assert_int_equal(asked_n[1], REQUEST_MOST);
    assert_int_equal(asked[1].keep, -1);
    two.key[1] = lab.study->trial[trial[2]].key;
    lab.study->trial[trial[0]].status = STATUS_CRASHED;
    const int64_t before = recorded()->nmeasure;
    assert_true(time_two(false));
    assert_int_equal(asked_n[2], 2);
    assert_int_equal(asked[2].keep, -1);
    assert_true(recorded()->measure[before].anchor_ns == 0);
    lab.study->trial[trial[2]].status = STATUS_WRONG;
    assert_true(time_two(false));
    assert_int_equal(asked_n[3], 1);
    assert_string_equal(asked_key[3][0], two.key[0]);
}

TEST(long_calls_have_fewer_samples)
{
    static const struct {
        double ns;
        int repeats;
    } cases[] = { { 3e6, 5 }, { 3.1e6, 3 } };
    for (int i = 0; i < 2; i++) {
        lab.study->trial[trial[1]].ns[3] = cases[i].ns;
        assert_true(time_two(false));
        assert_int_equal(asked[i].repeats, cases[i].repeats);
        lab.study->trial[trial[1]].count[3] = lab.study->trial[trial[2]].count[3] =
            lab.study->trial[trial[0]].count[3] = 0;
        lab.study->trial[trial[2]].ns[3] = lab.study->trial[trial[0]].ns[3] = 0;
    }
}

/* ---- what becomes of answers ---- */

TEST(answers_are_recorded)
{
    shop.library.so = "/library.so";
    lab.study->trial[trial[2]].retried = true;
    assert_true(time_two(true));
    assert_int_equal(lab.ntimed, 1);
    assert_int_equal(recorded()->nmeasure, 3); /* the library is no candidate */
    for (int i = 0; i < 3; i++) {
        const MeasureRecord *m = &recorded()->measure[i];
        assert_string_equal(m->key, lab.study->trial[trial[i < 2 ? i + 1 : 0]].key);
        assert_string_equal(m->device, y.device.id);
        assert_true(m->final && m->anchor_ns == 3e5 && m->library_ns == (i == 2 ? 4e5 : 0) &&
                    m->time_ns == 1e5 * (i + 1));
        assert_int_equal(m->retry, i == 1);
    }
    assert_true(lab.study->trial[trial[1]].ns[3] == 1e5);
    assert_true(study_library(lab.study, 3) == 4e5);
    assert_true(shop.library.timed && !shop.library.why);
    assert_true(time_two(false));
    assert_int_equal(recorded()->nmeasure, 6);
    assert_true(!recorded()->measure[5].final && recorded()->measure[5].library_ns == 0);
}

/* Twice on a shape is enough for the library. */
TEST(the_library_is_timed_twice)
{
    shop.library.so = "/library.so";
    for (int i = 0; i < 3; i++) {
        assert_true(time_two(true));
        assert_int_equal(asked_n[i], i < 2 ? 4 : 3);
    }
}

/* One that is wrong is so for good; one that lacked something is left out of this run, and nothing is kept of it. */
TEST(failures_are_told_apart)
{
    answer[0][0] = (Answer){ .status = STATUS_WRONG };
    answer[0][1] = (Answer){ .status = STATUS_INVALID, .blame = BLAME_MOMENT };
    assert_true(time_two(false));
    assert_int_equal(recorded()->nmeasure, 2);
    assert_int_equal(recorded()->measure[0].status, STATUS_WRONG);
    assert_int_equal(recorded()->measure[1].status, STATUS_OK);
    assert_int_equal(lab.study->trial[trial[1]].status, STATUS_WRONG);
    assert_false(lab.study->trial[trial[1]].left_out);
    assert_true(lab.study->trial[trial[2]].left_out);
    assert_string_equal(lab.study->trial[trial[2]].why, "it is said");
}

TEST(a_library_that_fails)
{
    static const struct {
        Status status;
        bool stays;
        const char *why;
    } cases[] = { { STATUS_WRONG, true, "wrong: it is said" },
                  { STATUS_INVALID, true, "invalid: it is said" },
                  { STATUS_CRASHED, false, "crashed: it is said" },
                  { STATUS_TIMED_OUT, false, "timed_out: it is said" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shop.library.so = "/library.so";
        ncall = 0;
        answer[0][3] = (Answer){ .status = cases[i].status };
        assert_true(time_two(true));
        assert_int_equal(shop.library.so != NULL, cases[i].stays);
        assert_string_equal(shop.library.why, cases[i].why);
        assert_false(shop.library.timed);
        assert_true(recorded()->measure[recorded()->nmeasure - 1].library_ns == 0);
    }
}

/* ---- how long requests take ---- */

/* What a request took besides samples: those of less than 0.3 ms count as that, a kernel that is out has fewer, and
 * each costs one more in any case. */
TEST(requests_set_the_pace)
{
    assert_true(fabs(stopwatch_expect_s(&lab, shape(3), 0) - 0.05) < 1e-12); /* before anything is known */
    answer[0][1] = (Answer){ .ns = 4e5, .nsample = 2 };
    assert_true(time_two(false));
    const double samples_s = 1e-9 * (3e5 * 6 + 4e5 * 3 + 3e5 * 6), extra_s = (4 * 0.05 + 0.5 - samples_s) / 5;
    assert_true(fabs(stopwatch_expect_s(&lab, shape(3), 2e6) - extra_s - 1e-9 * 2e6 * 6) < 1e-12);
    answer[1][0] = (Answer){ .status = STATUS_CRASHED }; /* such a request says nothing */
    assert_true(time_two(false));
    assert_true(fabs(stopwatch_expect_s(&lab, shape(3), 0) - extra_s) < 1e-12);
}

TEST_EACH(begin, close_lab)
