/* SPDX-License-Identifier: Apache-2.0
 *
 * settle, heldout: what is measured behind the last comparison, who meets whom there and how often, and when it ends. Kernels, their times,
 * the machine and its clock are made up; records and the choice are real.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gen/unit/unit.h"
#include "search/choose/contract.h"
#include "search/choose/search.h"
#include "tests/gen/kernel_record.h"
#include "tests/gen/synthetic.h"
#include "tests/tmp_folder.h"

enum { NKERNEL = 4, MOST_RACES = 2000, MOST_MET = 8 };
static const char CONTEXT[] = "0123456789abcdef";
static const char two_shapes[] =
    "name = \"two\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 128; }; };\n"
    "shapes = ( { M = \"16*T\"; N = 768; K = 768; }, { M = \"T\"; N = 3072; K = 768; } );\n"
    "tune = { T = [1, 24, 62, 100, 128]; }; layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 8; code_kib = 512; trials = 256; seconds = 300; }; threads = [1];\n";

/* ---- what was asked for ---- */

typedef struct {
    const Instance *inst;
    int n, kernel[MOST_MET], repeats;
    bool final;
    double at_s;
} Met;

static Synthetic y;
static LabKind kind;
static Workshop shop;
static Lab lab;
static Search q;
static UnitContext unit;
static char folder[TMP_FOLDER_BYTES];
static const char *key[NKERNEL];
static Met race[MOST_RACES], bout[MOST_RACES]; /* bout: of chosen pairs; race: of all else */
static int nrace, nbout, nquiet;
static double race_s; /* race_s: of each */
static double (*time_of)(int kernel, const Instance *inst);
static int wrong_kernel; /* it turns out wrong in its first race; -1: none */

static int kernel_of(int64_t trial)
{
    int k = 0;
    while (strcmp(key[k], lab.study->trial[trial].key) != 0)
        k++;
    return k;
}

static void add_measure(int k, const Instance *inst, double ns, bool final, Status status)
{
    const char *err = NULL;
    MeasureRecord m = { .key = key[k],
                        .device = y.device.id,
                        .naxis = 3,
                        .threads = inst->threads,
                        .status = status,
                        .nsample = status == STATUS_OK,
                        .ns = { ns },
                        .anchor_ns = 1e5,
                        .final = final,
                        .why = "" };
    memcpy(m.extent, inst->extent, 3 * sizeof *m.extent);
    if (!record_add_measure(shop.records, &m, &err))
        fail_msg("%s", err);
    study_measure(lab.study, &record_all(shop.records)->measure[record_all(shop.records)->nmeasure - 1]);
}

static void note(Met *list, int *n, const Instance *inst, const int64_t *trial, int ntrial, int repeats, bool final)
{
    Met *m = &list[(*n)++];
    assert_true(*n < MOST_RACES && ntrial <= MOST_MET);
    *m = (Met){ .inst = inst, .n = ntrial, .repeats = repeats, .final = final, .at_s = lab.now_s };
    for (int i = 0; i < ntrial; i++)
        m->kernel[i] = kernel_of(trial[i]);
    lab.now_s += race_s;
}

static bool compare(Lab *s, Arena *scratch, const Instance *inst, const int64_t *trial, int n, int repeats, bool final,
                    double *ns, const char **err)
{
    (void)s, (void)scratch, (void)err;
    const bool pair = inst->tuned && n == 2;
    note(pair ? bout : race, pair ? &nbout : &nrace, inst, trial, n, repeats, final);
    for (int i = 0; i < n; i++) {
        const int k = kernel_of(trial[i]);
        const double time = k == wrong_kernel ? 0 : time_of(k, inst);
        if (ns)
            ns[i] = time;
        add_measure(k, inst, time, final, time > 0 ? STATUS_OK : STATUS_WRONG);
    }
    return true;
}

static bool rest(Lab *s, Arena *scratch, const Instance *const *inst, int64_t n, const char **err)
{
    (void)s, (void)scratch, (void)inst, (void)err;
    nquiet += (int)n;
    return true;
}

/* ---- the world ---- */

/* Kernel 0 is best on large shapes and kernel 1 on small ones; 2 is a little behind, 3 far. */
static double two_are_best(int k, const Instance *inst)
{
    const int best = inst->extent[0] < 300;
    return k == best ? 5e4 : k == 2 ? 5.3e4 : 1e5;
}

/* No other is near the best. */
static double one_is_best(int k, const Instance *inst)
{
    return k == (inst->extent[0] < 300) ? 5e4 : k == 2 ? 6e4 : 1e5;
}

static int make(void **state)
{
    (void)state;
    const char *err = NULL;
    static const volatile int never;
    if (!synthetic_make(&y, two_shapes, 4) || !tmp_folder(folder))
        return -1;
    race_s = 0.01;
    nrace = nbout = nquiet = 0;
    time_of = two_are_best;
    wrong_kernel = -1;
    kind = (LabKind){ .measures = true, .own_clock = true, .compare = compare, .rest = rest };
    unit = (UnitContext){ .spec = y.spec, .device = &y.device, .targets = &y.targets, .target = y.study->target };
    shop =
        (Workshop){ .unit = &unit, .records = record_open(y.arena, arena_printf(y.arena, "%s/r", folder), NULL, &err) };
    lab = (Lab){ .kind = &kind,
                 .shop = &shop,
                 .arena = y.arena,
                 .templates = &y.templates,
                 .study = study_new(y.arena, y.spec, &y.device, y.study->target, CONTEXT),
                 .pace = pace_new(),
                 .began_s = 1000,
                 .now_s = 1000,
                 .seconds = 1000,
                 .stop = &never };
    q = (Search){ .lab = &lab, .space = y.space, .seed = 1 };
    assert_non_null(shop.records);
    for (int i = 0; i < NKERNEL; i++) {
        const Candidate *c = &y.space->candidate[7 * i];
        key[i] = candidate_key(y.arena, c, CONTEXT, &y.device);
        const KernelRecord k = kernel_record(c, key[i], &y.device);
        assert_true(record_add_kernel(shop.records, &k, &err));
        study_add(lab.study, c);
        study_kernel(lab.study, &k);
    }
    return 0;
}

static int drop(void **state)
{
    (void)state;
    record_close(shop.records);
    assert_int_equal(tmp_folder_remove(folder), 0);
    arena_free(y.arena);
    return 0;
}

/* All of them were in the last comparison everywhere, but for one on one shape. */
static void compare_all(int but_kernel, int64_t but_shape)
{
    for (int64_t j = 0; j < lab.study->nshape; j++)
        for (int k = 0; k < NKERNEL; k++)
            add_measure(k, lab.study->shape[j], time_of(k, lab.study->shape[j]), k != but_kernel || j != but_shape,
                        STATUS_OK);
}

static void settle_it(bool measured)
{
    Arena *scratch = arena_new();
    const char *err = NULL;
    if (!settle(&q, scratch, measured, &err))
        fail_msg("%s", err);
    arena_free(scratch);
}

static bool is(const Met *m, int n, const int *kernel, int repeats, bool final)
{
    return m->n == n && memcmp(m->kernel, kernel, (size_t)n * sizeof *kernel) == 0 && m->repeats == repeats &&
           m->final == final;
}

/* ---- pairs ---- */

/* Kernel 1 is best on the first shape by far more than a comparison could change, and was not in it: twice beside the best of those that were,
 * though another one seemed faster before. */
static void what_is_missing_is_compared(void **state)
{
    (void)state;
    for (int compared = 0; compared <= 3; compared += 3) {
        if (compared)
            drop(NULL), make(NULL);
        lab.seconds = 1e6;
        assert_true(lab.study->shape[0]->extent[0] < 300);
        for (int64_t j = 0; j < lab.study->nshape; j++)
            for (int k = 0; k < NKERNEL; k++)
                if (k != 2)
                    add_measure(k, lab.study->shape[j],
                                j == 0 && k == 3 - compared ? 6e4 : time_of(k, lab.study->shape[j]),
                                j != 0 || k == compared, STATUS_OK);
        settle_it(true);
        assert_int_equal(nbout, 2);
        for (int i = 0; i < 2; i++) {
            assert_ptr_equal(bout[i].inst, y.study->shape[0]);
            assert_true(is(&bout[i], 2, (const int[]){ 1, compared }, 5, true));
        }
        assert_true(lab.study->trial[study_find_key(lab.study, key[1])].final[0]);
    }
}

/* Of several that were compared the best, in whatever order they come; one that is wrong is none. */
static void the_best_of_those_compared_is_the_rival(void **state)
{
    (void)state;
    for (int best = 0; best <= 3; best += 3) {
        if (best)
            drop(NULL), make(NULL);
        lab.seconds = 1e6;
        for (int64_t j = 0; j < lab.study->nshape; j++)
            for (int k = 0; k < NKERNEL; k++)
                add_measure(k, lab.study->shape[j],
                            j != 0 || k == 1 ? time_of(k, lab.study->shape[j])
                            : k == 2         ? 5.2e4
                            : k == best      ? 9e4
                                             : 1e5,
                            j != 0 || k != 1, STATUS_OK);
        add_measure(2, lab.study->shape[0], 5.2e4, true, STATUS_WRONG);
        settle_it(true);
        assert_int_equal(nbout, 2);
        assert_true(is(&bout[0], 2, (const int[]){ 1, best }, 5, true));
    }
}

/* Once in any case before the shapes that are held out, and a second time in the time of this phase; none where there is no time at all. */
static void missing_pairs_have_their_time(void **state)
{
    (void)state;
    static const double at[] = { 0.5, 0.9, 0.97 };
    static const int want[] = { 2, 1, 0 };
    for (int i = 0; i < 3; i++) {
        for (int64_t j = 0; j < lab.study->nshape; j++)
            for (int k = 0; k < 2; k++)
                add_measure(k, lab.study->shape[j], two_are_best(k, lab.study->shape[j]), k != 1 || j != 0, STATUS_OK);
        lab.now_s = 1000 + at[i] * lab.seconds;
        nbout = 0;
        settle_it(true);
        assert_int_equal(nbout, want[i]);
        drop(NULL);
        make(NULL);
    }
}

/* Shared objects of this run are known to the study that is made again. */
static void a_study_is_made_again_of_the_records(void **state)
{
    (void)state;
    compare_all(-1, 0);
    const Study *old = lab.study;
    old->trial[study_find_key(old, key[0])].so = "/0.so";
    old->trial[study_find_key(old, key[2])].so = "/2.so";
    Arena *scratch = arena_new();
    Selection c;
    const char *err = NULL;
    assert_true(reselect(&q, scratch, &c, &err));
    arena_free(scratch);
    assert_ptr_not_equal(lab.study, old);
    assert_int_equal(lab.study->ntrial, NKERNEL);
    for (int k = 0; k < NKERNEL; k++) {
        const Trial *t = &lab.study->trial[study_find_key(lab.study, key[k])];
        assert_true(t->ns[0] == old->trial[study_find_key(old, key[k])].ns[0] && t->final[0]);
        if (k % 2 == 0)
            assert_string_equal(t->so, k ? "/2.so" : "/0.so");
        else
            assert_null(t->so);
    }
    assert_string_equal(lab.study->context_hash, CONTEXT);
}

/* ---- held-out shapes ---- */

static double best_of(const Instance *inst)
{
    double best = INFINITY;
    for (int k = 0; k < NKERNEL; k++)
        best = fmin(best, time_of(k, inst));
    return best;
}

/* Of a held-out shape: two more where the chosen kernel is more than 3 % above the best. */
static int passes_of(const Met *first)
{
    return time_of(first->kernel[0], first->inst) > 1.03 * best_of(first->inst) ? 5 : 3;
}

/* Races of held-out shapes, as many as there should be, by those of the first pass. */
static int races_expected(void)
{
    int n = 0;
    for (int i = 0; i < HELD_OUT_MOST; i++)
        n += passes_of(&race[i]);
    return n;
}

/* In the first pass all that may be good meet, the chosen one first; in those that count it meets whoever was within a tenth of the best, or
 * the next best. */
static void race_held_out(double (*time)(int kernel, const Instance *inst))
{
    time_of = time;
    compare_all(-1, 0);
    settle_it(true);
    assert_int_equal(nbout, 0);
    assert_int_equal(nquiet, HELD_OUT_MOST);
    assert_int_equal(nrace, races_expected());
    int right = 0;
    for (int i = 0; i < HELD_OUT_MOST; i++) {
        const Instance *inst = race[i].inst;
        const int chosen = race[i].kernel[0], best = inst->extent[0] < 300;
        int passes = 0;
        right += chosen == best;
        assert_false(inst->tuned);
        for (int j = 0; j < nrace; j++) {
            if (race[j].inst != inst)
                continue;
            const Met *m = &race[j];
            if (passes++ == 0)
                assert_true(j == i && m->n >= 3 && m->repeats == 3 && !m->final);
            else if (chosen == best)
                assert_true(is(m, 2, (const int[]){ best, 2 }, 5, true));
            else
                assert_true(m->kernel[0] == chosen && m->repeats == 5 && m->final);
        }
        assert_int_equal(passes, passes_of(&race[i]));
    }
    assert_in_range(right, HELD_OUT_MOST / 2, HELD_OUT_MOST - 1); /* both kinds are there */
}

static void held_out_shapes_are_raced(void **state)
{
    (void)state;
    race_held_out(two_are_best);
    drop(NULL), make(NULL);
    race_held_out(one_is_best);
}

/* Kernel 2 is fastest wherever nothing was tuned: the chosen one is off by 4 %, which two more passes must confirm. */
static double the_other_is_better(int k, const Instance *inst)
{
    const int best = inst->extent[0] < 300;
    return !inst->tuned && k == 2 ? 4.8e4 : k == best ? 5e4 : k == 2 ? 9e4 : 1e5;
}

static double the_other_is_little_better(int k, const Instance *inst)
{
    return !inst->tuned && k == 2 ? 4.9e4 : the_other_is_better(k, inst);
}

/* Of the first shape where the best of the tuned shapes is chosen. */
static int races_of_one(void)
{
    int n = 0, one = 0;
    while (race[one].kernel[0] != (race[one].inst->extent[0] < 300))
        one++;
    for (int i = 0; i < nrace; i++)
        n += race[i].inst == race[one].inst;
    return n;
}

static void what_is_doubtful_is_raced_more_often(void **state)
{
    (void)state;
    time_of = the_other_is_better;
    compare_all(-1, 0);
    settle_it(true);
    assert_int_equal(races_of_one(), 5);
    drop(NULL);
    make(NULL);
    time_of = the_other_is_little_better;
    compare_all(-1, 0);
    settle_it(true);
    assert_int_equal(races_of_one(), 3);
}

/* Fewer where there is little time, but eight; and no race is begun that would not be done in its part of the time. */
static void shapes_are_as_many_as_there_is_time_for(void **state)
{
    (void)state;
    compare_all(-1, 0);
    const double one_s = pace_expect_s(&lab.pace, 3, 4 * 2.5 * 3e5 * 1e-9 * 6); /* four kernels, in about so much */
    lab.now_s = 1000 + 0.96 * lab.seconds - 14 * one_s;
    settle_it(true);
    assert_in_range(nquiet, HELD_OUT_LEAST, 16);
    assert_int_equal(nquiet % 4, 0);
    drop(NULL);
    make(NULL);
    compare_all(-1, 0);
    lab.now_s = 1000 + 0.96 * lab.seconds - 1;
    race_s = 0.4;
    settle_it(true);
    assert_int_equal(nquiet, HELD_OUT_LEAST);
    assert_int_equal(nrace, 3); /* at 0, 0.4 and 0.8: the third is expected to take 0.1 or so */
}

/* A run that neither searched nor compared takes what was held out before for it, if that was enough. */
static void what_was_judged_is_not_judged_again(void **state)
{
    (void)state;
    compare_all(-1, 0);
    settle_it(true);
    const int before = nrace;
    settle_it(false);
    assert_int_equal(nrace, before);
    settle_it(true);
    assert_int_equal(nrace, 2 * before);
    drop(NULL);
    make(NULL);
    compare_all(-1, 0);
    lab.now_s = 1000 + 0.96 * lab.seconds - 1;
    race_s = 10; /* one race, which counts for nothing */
    settle_it(true);
    assert_int_equal(nrace, 1);
    lab.now_s = 1000;
    race_s = 0.01;
    settle_it(false);
    memmove(race, race + 1, sizeof race - sizeof *race);
    assert_int_equal(nrace, 1 + races_expected());
}

/* It is wrong for good, and all begins anew without it. */
static void a_kernel_that_turns_out_wrong_is_dropped(void **state)
{
    (void)state;
    compare_all(-1, 0);
    wrong_kernel = 0;
    settle_it(true);
    assert_false(trial_usable(&lab.study->trial[study_find_key(lab.study, key[0])]));
    int with = 0, first = nrace;
    for (int i = 0; i < nrace; i++)
        for (int k = 0; k < race[i].n; k++)
            with = race[i].kernel[k] == 0 ? i + 1 : with;
    for (int i = 0; i < nrace; i++)
        first = !race[i].final ? i : first;
    assert_true(with < first && first + 1 < nrace); /* the last first pass is without it */
}

/* ---- shapes whose times differ too much ---- */

static int nth[NKERNEL];

static const Instance *doubtful(void)
{
    for (int64_t j = 0; j < lab.study->nshape; j++)
        if (lab.study->shape[j]->extent[0] == 62 && lab.study->shape[j]->extent[1] == 3072)
            return lab.study->shape[j];
    fail_msg("M = 62, N = 3072 is tuned no more");
    return NULL;
}

/* The chosen one and the fastest others, again and again until they agree, and no other shape. */
static void what_cannot_be_said_is_measured_again(void **state)
{
    (void)state;
    compare_all(-1, 0);
    const Instance *inst = doubtful();
    const int chosen = inst->extent[0] < 300;
    add_measure(chosen, inst, 6e4, true, STATUS_OK); /* its two least are a fifth apart */
    settle_it(true);
    assert_int_equal(nrace, races_expected() + 1);
    const Met *last = &race[nrace - 1];
    assert_ptr_equal(last->inst, inst);
    assert_int_equal(last->n, 3);
    assert_int_equal(1 << last->kernel[0] | 1 << last->kernel[1], 1 << chosen | 1 << 2);
    assert_true(last->repeats == 5 && last->final);
    drop(NULL);
    make(NULL);
    compare_all(-1, 0);
    add_measure(chosen, doubtful(), 6e4, true, STATUS_OK);
    lab.now_s = 1000 + 0.98 * lab.seconds; /* too late for that */
    settle_it(true);
    assert_int_equal(nrace, 0);
}

/* Whoever never agrees has six rounds. */
static double never_the_same(int k, const Instance *inst)
{
    const double ns = two_are_best(k, inst);
    return inst->tuned && inst->extent[0] == 62 && inst->extent[1] == 3072 ? ns / (1 + 0.2 * ++nth[k]) : ns;
}

static void some_can_never_be_said(void **state)
{
    (void)state;
    memset(nth, 0, sizeof nth);
    time_of = never_the_same;
    compare_all(-1, 0);
    for (int k = 0; k < NKERNEL; k++)
        add_measure(k, doubtful(), time_of(k, doubtful()), true, STATUS_OK);
    settle_it(true);
    assert_int_equal(nrace, races_expected() + 6);
}

static void without_a_kernel_it_ends(void **state)
{
    (void)state;
    Arena *scratch = arena_new();
    const char *err = NULL;
    for (int k = 0; k < NKERNEL; k++)
        add_measure(k, lab.study->shape[0], 1, false, STATUS_WRONG);
    assert_false(settle(&q, scratch, true, &err));
    assert_non_null(strstr(err, "none of 4 kernels that could be built works: 4 wrong"));
    assert_true(q.fruitless);
    arena_free(scratch);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, drop)
    const struct CMUnitTest tests[] = {
        FRESH(what_is_missing_is_compared),
        FRESH(the_best_of_those_compared_is_the_rival),
        FRESH(missing_pairs_have_their_time),
        FRESH(a_study_is_made_again_of_the_records),
        FRESH(held_out_shapes_are_raced),
        FRESH(what_is_doubtful_is_raced_more_often),
        FRESH(shapes_are_as_many_as_there_is_time_for),
        FRESH(what_was_judged_is_not_judged_again),
        FRESH(a_kernel_that_turns_out_wrong_is_dropped),
        FRESH(what_cannot_be_said_is_measured_again),
        FRESH(some_can_never_be_said),
        FRESH(without_a_kernel_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
