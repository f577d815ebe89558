/* SPDX-License-Identifier: Apache-2.0
 *
 * replay, of records that are made up: whose times count; which records a study takes over, and a package keeps; the
 * order of the search.
 */
#include "tests/test.h"
#include "gen/driver/replay.h"
#include "gen/package/dispatch.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/kernel_record.h"

static Workload workload;
static Function function;

static int setup(void **state)
{
    if (by_hand_setup(state))
        return -1;
    function = (Function){ .spec = hand.y.spec, .templates = hand.y.templates };
    workload = (Workload){ .nfunction = 1,
                           .function = &function,
                           .targets = &hand.y.targets,
                           .package_dir = DCGEN_SOURCE_DIR "/templates/package",
                           .spec_text = "",
                           .report = true };
    text_list_add(hand.y.arena, &workload.target, "avx512");
    workload_make_jobs(hand.y.arena, &workload);
    return 0;
}

/* ---- whose times count ---- */

/* Two machines that run the target, and one that does not; "2" has a kernel of each of two targets. */
static Device device[] = { { .id = "2", .name = "two", .nisa = 2, .isa = { "avx512", "avx2" } },
                           { .id = "1", .name = "one", .nisa = 1, .isa = { "avx512" } },
                           { .id = "0", .name = "none", .nisa = 1, .isa = { "avx2" } } };
static KernelRecord kernel[] = { { .key = "one512", .device = "1", .target = "avx512" },
                                 { .key = "two2", .device = "2", .target = "avx2" },
                                 { .key = "two512", .device = "2", .target = "avx512" },
                                 { .key = "none2", .device = "0", .target = "avx2" } };

/* "1 one512 3" for each measurement: its device, its key, its samples. */
static Records records_of(const char *const *line)
{
    static MeasureRecord measure[16];
    Records r = { .ndevice = 3, .device = device, .nkernel = 4, .kernel = kernel, .measure = measure };
    for (; *line; line++) {
        const char *key = *line + 2, *end = strchr(key, ' ');
        measure[r.nmeasure++] = (MeasureRecord){ .device = arena_strndup(hand.y.arena, *line, 1),
                                                 .key = arena_strndup(hand.y.arena, key, (size_t)(end - key)),
                                                 .nsample = atoi(end) };
    }
    return r;
}

TEST(the_device_with_most_times_of_the_target_counts)
{
    static const struct {
        const char *measure[8], *id;
        bool timed;
    } row[] = {
        { { NULL }, "1", false },                                                  /* none: the smaller id */
        { { "1 one512 1", "2 two512 1", NULL }, "1", true },                       /* as many */
        { { "1 one512 9", "2 two512 1", "2 two512 1", NULL }, "2", true },         /* measurements, not samples */
        { { "1 one512 1", "2 two2 1", "2 two2 1", "2 two2 1", NULL }, "1", true }, /* of another target */
        { { "1 one512 1", "2 two512 0", "2 two512 0", NULL }, "1", true },         /* verified, but not timed */
        { { "1 one512 0", "2 two512 0", "2 two512 0", NULL }, "1", false },
        { { "2 two2 1", "2 two2 1", NULL }, "1", false },
        { { "1 one512 1", "2 one512 1", "2 one512 1", NULL }, "1", true }, /* no kernel of that device */
        { { "2 two512 1", "2 two512 1", "1 one512 1", "2 one512 1", "2 one512 1", NULL }, "2", true },
        { { "0 none2 1", "0 none2 1", "2 two512 1", NULL }, "2", true }, /* does not run it */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Records r = records_of(row[i].measure);
        const char *err = NULL;
        int64_t ntime;
        const Device *d = replay_device(hand.y.arena, workload.job, &r, &ntime, &err);
        assert_non_null(d);
        if (strcmp(d->id, row[i].id) != 0 || (ntime > 0) != row[i].timed)
            fail_msg("row %d: device %s", (int)i, d->id);
    }
}

TEST(without_such_a_device_it_says_why)
{
    const Records nothing = { 0 }, other = { .ndevice = 1, .device = &device[2] };
    const char *err = NULL;
    int64_t ntime;
    assert_null(replay_device(hand.y.arena, workload.job, &nothing, &ntime, &err));
    assert_string_equal(err, "the records name no device");
    assert_false(replay_job(hand.y.arena, workload.job, &other, &err));
    assert_string_equal(err, "none cannot run target 'avx512', so it cannot be tuned for there");
}

/* ---- a study of its own records ---- */

enum { MAX_RECORD = 64 };
static KernelRecord kernels[MAX_RECORD];
static MeasureRecord measures[MAX_RECORD];
static LimitRecord rates[MAX_RECORD];
static Device machines[2];
static Records made;

static const char *key_of(const Job *job, const Device *d, const Candidate *c)
{
    const char *err = NULL;
    UnitContext u = job_unit(hand.y.arena, job, d, job_target(hand.y.arena, job, d, &err));
    return candidate_key(hand.y.arena, c, unit_context_hash(hand.y.arena, &u), d);
}

static const char *add_kernel(const Device *d, const Candidate *c, const char *key, int64_t n)
{
    KernelRecord *k = &kernels[made.nkernel++];
    *k = kernel_record(c, key, d);
    k->n = n;
    return key;
}

static void add_time(const Device *d, const char *key, int64_t shape, double ns, Status status)
{
    MeasureRecord *m = &measures[made.nmeasure++];
    *m = (MeasureRecord){ .key = key,
                          .device = d->id,
                          .naxis = 3,
                          .extent = hand.y.study->shape[shape]->extent,
                          .threads = 1,
                          .status = status,
                          .nsample = status == STATUS_OK ? 2 : 0,
                          .ns = KEPT(double, ns, ns),
                          .time_ns = ns,
                          .anchor_ns = status == STATUS_OK ? 1000 : 0,
                          .final = true,
                          .why = "" };
}

static void add_limit(const Device *d, const char *target, const char *dtype)
{
    rates[made.nlimit++] = (LimitRecord){ .device = d->id,
                                          .target = target,
                                          .dtype = dtype,
                                          .threads = 1,
                                          .flops_per_s = 1e11,
                                          .bytes_per_s = { 1e11, 1e11, 1e10, 1e10 } };
}

/* Three kernels of the tuned target, the first one the slowest; a general one of a lesser target, right on one shape
 * and wrong on another; and what is not this study's: another machine's, another target's, what nothing knows. */
static void make_records(void)
{
    static const int64_t n[] = { 3, 1, 2 };
    const Device *d = &machines[0], *other = &machines[1];
    const Target *avx2 = target_find(&hand.y.targets, "avx2");
    Candidate general, tuned = hand.y.study->trial[0].c;
    int k = 0;
    made = (Records){ .ndevice = 2, .device = machines, .kernel = kernels, .measure = measures, .limit = rates };
    machines[0] = machines[1] = *hand.y.study->device;
    machines[1].id = "fedcba9876543210";
    machines[1].name = "Another CPU";
    for (int i = 0; i < 3; i++) {
        const char *key =
            add_kernel(d, &hand.y.study->trial[i].c, key_of(workload.job, d, &hand.y.study->trial[i].c), n[i]);
        for (int j = 0; j < HAND_TUNED; j++)
            add_time(d, key, j, 1000 + 100 * (double)(n[i] + j), STATUS_OK);
    }
    while (!candidate_general(hand.y.templates.t[k], avx2, 0, &general) ||
           !template_suits(hand.y.templates.t[k], hand.y.spec, avx2))
        k++;
    const char *lesser = add_kernel(d, &general, key_of(workload.job, d, &general), 0);
    add_time(d, lesser, 0, 500, STATUS_OK);
    add_time(d, lesser, 1, 500, STATUS_WRONG);
    const char *unknown = add_kernel(d, &tuned, "00000000000000000000000000000000", 9);
    add_time(d, unknown, 0, 1, STATUS_OK);
    const char *elsewhere = add_kernel(other, &tuned, key_of(workload.job, other, &tuned), 9);
    add_time(other, elsewhere, 0, 1, STATUS_OK);
    add_limit(d, "avx512", "f32");
    add_limit(d, "avx2", "f32");
    add_limit(d, "avx512", "f16");
    add_limit(other, "avx512", "f32");
}

static Result result_of(Job *job, const Device *d)
{
    const char *err = NULL;
    job->device = d;
    if (!replay_job(hand.y.arena, job, &made, &err))
        fail_msg("%s", err);
    return *job->result;
}

TEST(a_result_keeps_the_records_of_its_study)
{
    make_records();
    Device told = machines[0];
    told.name = "what a runner said, which may be longer than a record";
    const Result out = result_of(workload.job, NULL), same = result_of(workload.job, &told);
    assert_ptr_equal(out.study->device, &machines[0]);
    assert_ptr_equal(same.study->device, &machines[0]);
    assert_int_equal(out.study->ntrial, 4);
    const Records *r = out.records;
    assert_true(r->ndevice == 1 && r->nspec == 1 && r->nlimit == 1); /* a spec, though the records do not say it */
    assert_true(r->nkernel == 4 && r->nmeasure == 3 * HAND_TUNED + 1);
    assert_int_equal(r->measure[r->nmeasure - 1].status, STATUS_WRONG);
    assert_string_equal(r->spec[0].context, out.study->context_hash);
    assert_string_equal(r->limit[0].device, machines[0].id);
    assert_string_equal(arena_printf(hand.y.arena, "%s; %s; %s %s", r->device[0].name, r->spec[0].spec,
                                     r->limit[0].target, r->limit[0].dtype),
                        "Synthetic CPU 9000; hand; avx512 f32");
    assert_int_equal(out.contract->tuned.nmeasured, HAND_TUNED);
    for (int64_t i = 0; i < made.nkernel; i++)
        kernels[i].status = STATUS_BUILD_FAILED;
    const char *err = NULL;
    workload.job->device = NULL;
    assert_false(replay_job(hand.y.arena, workload.job, &made, &err));
    assert_string_equal(err,
                        "the records hold no verified measurement for this spec, these templates and this compiler "
                        "(target 'avx512'), but 3 kernels of this spec that failed (build_failed)");
}

/* That of the records, for the figure of its progress; 0: of one it is not known. What a lesser target has does not
 * count. */
TEST(the_search_is_in_the_order_of_its_records)
{
    make_records();
    kernels[2].n = 0;
    const Result out = result_of(workload.job, NULL);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t k = 0; k < out.study->ntrial; k++)
            if (strcmp(out.study->trial[k].key, kernels[i].key) == 0)
                assert_int_equal(out.study->trial[k].n, kernels[i].n);
    assert_true(kernels[0].n == 3 && kernels[1].n == 1);
}

/* ---- two targets ---- */

TEST(a_package_numbers_and_keeps_what_each_target_has)
{
    make_records();
    text_list_add(hand.y.arena, &workload.target, "avx2");
    workload_make_jobs(hand.y.arena, &workload);
    Job *of = workload.job;
    const Target *avx2 = target_find(&hand.y.targets, "avx2");
    Candidate second; /* of another template than the lesser target's kernel that is wrong, which is of the first */
    int k = hand.y.templates.n - 1;
    while (!template_suits(hand.y.templates.t[k], hand.y.spec, avx2) ||
           !candidate_general(hand.y.templates.t[k], avx2, 0, &second))
        k--;
    const char *key = add_kernel(&machines[0], &second, key_of(&of[1], &machines[0], &second), 5);
    for (int j = 0; j < HAND_TUNED; j++)
        add_time(&machines[0], key, j, 1000, STATUS_OK);
    for (int i = 0; i < 2; i++) {
        result_of(&of[i], NULL);
        of[i].result->first = -1;
    }
    const Result *out = function.results.item;
    assert_string_equal(out[0].study->target->name, "avx512");
    assert_string_equal(out[1].study->target->name, "avx2");
    replay_number(hand.y.arena, &function);
    assert_int_equal(out[0].first, 0);
    assert_int_equal(out[1].first, out[0].assignment->nkernel);
    assert_int_equal(package_dispatcher(hand.y.arena, &function.results)->nentry, 3);
    const Package *p = replay_package(hand.y.arena, &workload, NULL, diag_new(hand.y.arena));
    assert_non_null(p);
    const char *records = package_text(p, "records.jsonl");
    for (int64_t i = 0; i < 3; i++)
        assert_has(records, arena_printf(hand.y.arena, "\"key\":\"%s\"", kernels[i].key));
    assert_has(records, arena_printf(hand.y.arena, "\"key\":\"%s\"", key));
    assert_lacks(records, machines[1].id);
    assert_null(package_text(p, "report.html"));
    assert_lacks(package_text(p, "README.md"), "report.html");
}

TEST_FILE(setup, by_hand_teardown)
