/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: which shapes `bench --regret` has raced, and what it makes of that. The race, the compilers and the runner
 * are made up. The contract speaks of M = 1 (tuned: at most 4.4 % as a mean, 5.5 % on any) and of M = 5 (held out: 7.7
 * %, 8.8 %), not of M = 3 and 6.
 * ctest: replaces
 */
#include "tests/test.h"
#include <math.h>
#include "gen/command/regret.h"
#include "search/measure/runner_private.h"
#include "tests/gen/by_hand.h"
#include "tests/kept_list.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static Job job;
static Result result;
static Runner runner;
static Agent agent = { &runner };
static Agents agents = { &agent, 1 };
static char root[TMP_FOLDER_BYTES];
static int nround;
static int64_t raced[HAND_SHAPE];
static int nraced;
static double regret_on[HAND_SHAPE + 1]; /* of the race on M */
static bool scatters_on[HAND_SHAPE + 1]; /* times differ by a half */
static bool silent_on[HAND_SHAPE + 1];   /* the time was up before it came to M */
static int64_t wrong_on;                 /* the chosen kernel fails there; 0: nowhere */

static void take(Study *s, int64_t trial, const Instance *inst, double ns)
{
    MeasureRecord m = { .key = s->trial[trial].key,
                        .device = s->device->id,
                        .naxis = 3,
                        .extent = inst->extent,
                        .threads = inst->threads,
                        .nsample = 1,
                        .ns = KEPT(double, ns),
                        .time_ns = ns,
                        .anchor_ns = 1e5,
                        .why = "" };
    study_measure(s, &m);
}

/* The chosen kernel and another are timed twice; a second round finds nothing that is worth it. */
bool race_round(Lab *l, Arena *scratch, const Selection *c, const Instance *const *inst, int64_t n, bool tunes,
                double until_s, int64_t *held, const char **err)
{
    (void)scratch, (void)err;
    assert_true(l->study != hand.y.study && l->study->ntrial == hand.y.study->ntrial && isfinite(until_s));
    assert_ptr_equal(c->as, &hand.as);
    assert_false(tunes);
    *held = nround == 0 ? n : 0;
    for (int64_t i = 0; i < n && nround == 0; i++) {
        const int64_t M = inst[i]->extent[0], chosen = hand.as.kernel[hand.as.chosen[inst[i] - hand.y.spec->instance]];
        const double away = scatters_on[M] ? 0.25 : 1e-4;
        raced[nraced++] = M;
        for (int sign = -1; sign <= 1 && !silent_on[M]; sign += 2) {
            take(l->study, chosen, inst[i], 1e5 * (1 + regret_on[M]) * (1 + sign * away));
            take(l->study, chosen ? 0 : 1, inst[i], 1e5 * (1 + sign * away));
        }
        if (M == wrong_on) {
            l->study->trial[chosen].status = STATUS_WRONG;
            l->study->trial[chosen].why = "no good";
        }
    }
    nround++;
    return true;
}

Workshop tools_workshop(Run *r, const Tools *t, const Job *one, const UnitContext *u)
{
    (void)r;
    assert_ptr_equal(one, &job);
    assert_ptr_equal(t->agents, &agents);
    return (Workshop){ .unit = u };
}

bool tools_open(Run *r, const Job *one, const Site *site, Tools *t)
{
    (void)r;
    assert_ptr_equal(one, &job);
    assert_ptr_equal(site->family, &family_cpu);
    t->agents = &agents;
    t->compiler = "gcc";
    return true;
}

void tools_close(const Run *r, Tools *t) { (void)r, t->agents = NULL; }

/* Nobody asks for these: they keep the library's own out. */
int tools_jobs(const Options *o) { return (void)o, 1; }
Toolchain tools_cc(Arena *a, const Options *o) { return (void)a, (void)o, (Toolchain){ 0 }; }

static int setup(void **state)
{
    if (!by_hand_make(&hand) || !tmp_folder(root))
        return -1;
    result = by_hand_result(&hand, 0);
    for (int64_t i = 4; i < 6; i++) /* the held-out shapes of the contract have times */
        hand.y.study->shape[hand.y.study->nplace++] = &hand.y.spec->instance[i];
    const EmitInput in = { .nfunction = 1, .function = &(ResultList){ &result, 1 } };
    put_file(arena_printf(hand.y.arena, "%s/regret.json", root),
             regret_file_text(hand.y.arena, &in, "regret.json", diag_new(hand.y.arena)));
    job = (Job){ .spec = hand.y.spec, .templates = &hand.y.templates, .result = &result };
    runner = (Runner){ .device = *hand.y.study->device };
    nround = nraced = 0;
    wrong_on = 0;
    for (int M = 1; M <= HAND_SHAPE; M++) {
        regret_on[M] = 0.001;
        scatters_on[M] = silent_on[M] = false;
    }
    return 0;
}

static int teardown(void **state)
{
    arena_free(hand.y.arena);
    return tmp_folder_remove(root);
}

static int judged(int shapes)
{
    const int stop = 0;
    const Options o = { .operand = root, .regret = shapes, .json = true };
    Run r = { .a = hand.y.arena, .o = &o, .stop = &stop, .code = EXIT_ENVIRONMENT };
    return regret(&r, (const Job *[]){ &job }, 1) ? EXIT_DONE : r.code;
}

static int judged_anew(int shapes)
{
    nround = nraced = 0;
    return judged(shapes);
}

/* Each shape that the contract says something of, in its order. */
TEST(what_was_measured_is_raced)
{
    static const int64_t all[] = { 1, 3, 5, 6 };
    assert_int_equal(judged(0), EXIT_DONE);
    assert_int_equal(nround, 2);
    assert_int_equal(nraced, 4);
    assert_memory_equal(raced, all, sizeof all);
    assert_int_equal(judged_anew(3), EXIT_DONE);
    assert_int_equal(nraced, 3);
    assert_int_equal(judged_anew(5), EXIT_DONE); /* all, and one more */
    assert_int_equal(nraced, 5);
}

TEST(what_is_slow_breaks_the_bound)
{
    regret_on[5] = 0.089;
    assert_int_equal(judged(0), EXIT_FAILED);
    regret_on[5] = 0.087;
    assert_int_equal(judged_anew(0), EXIT_DONE);
}

/* Where only a part of the shapes is measured no mean is judged. */
TEST(a_mean_is_judged_of_all_shapes_only)
{
    regret_on[1] = regret_on[3] = 0.05;
    assert_int_equal(judged(0), EXIT_FAILED);
    assert_int_equal(judged_anew(3), EXIT_DONE);
    assert_int_equal(judged_anew(5), EXIT_FAILED);
}

/* What scatters, or was not come to, judges nothing; where that is most of it, nothing is judged. */
TEST(what_is_not_resolved_judges_nothing)
{
    regret_on[1] = 0.2;
    scatters_on[1] = silent_on[5] = true;
    assert_int_equal(judged(0), EXIT_DONE); /* half of four are resolved */
    scatters_on[3] = true;
    assert_int_equal(judged_anew(0), EXIT_ENVIRONMENT);
}

TEST(a_wrong_kernel_ends_it)
{
    wrong_on = 3;
    assert_int_equal(judged(0), EXIT_FAILED);
}

TEST_EACH(setup, teardown)
