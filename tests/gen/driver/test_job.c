/* SPDX-License-Identifier: Apache-2.0
 *
 * job: what a job's kernels are made for on a device, and which kernels the jobs before it brought.
 */
#include "tests/test.h"
#include "gen/driver/workload.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"

static const char text[] = "name = \"tiny\"; op = \"dense\"; threads = [1, 4];\n"
                           "shapes = ( { M = 7; N = 48; K = 64; } );\n";

static TargetList targets;
static Workload workload;

static int setup(void **state)
{
    if (place_setup(state))
        return -1;
    workload = (Workload){ .targets = &targets, .package_dir = "there/package" };
    return target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)) ? 0 : -1;
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
        const Job job = { .workload = &workload, .target = cases[i].asked };
        const Device d = { .name = "a box", .nisa = 2, .isa = { cases[i].isa[0], cases[i].isa[1] } };
        const char *err = NULL;
        const Target *t = job_target(arena, &job, &d, &err);
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
    const Job job = { .workload = &workload, .spec = spec_good(arena, text, spec_templates, 1) };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const Target *t = target_find(&targets, of[i].target);
        const Device d = device_typical(arena, t);
        const UnitContext u = job_unit(arena, &job, &d, t);
        const Study *s = study_new(arena, u.spec, &d, t, "");
        assert_int_equal(u.spec->nthread, of[i].nthread);
        assert_int_equal(s->nshape, of[i].nthread);
        assert_int_equal(s->shape[0]->threads, 1);
        assert_int_equal(spec_shape_count(u.spec), 1);
        assert_ptr_equal(u.targets, &targets);
        assert_string_equal(u.package_dir, "there/package");
    }
}

/* "a b c": the kernels of the jobs before this one. */
static const char *before(const Job *job)
{
    const KernelKeys *present = job_present(arena, job);
    TextList keys = { 0 };
    for (int i = 0; i < present->n; i++)
        text_list_add(arena, &keys, present->key[i]);
    return text_list_join(arena, &keys, " ");
}

/* In the jobs' order and, within one, in that of its choice; one that has chosen nothing yet brings none. */
TEST(kernels_of_jobs_before_are_present)
{
    Trial trial[] = { { .key = "a" }, { .key = "b" }, { .key = "c" } };
    const Study study = { .ntrial = 3, .trial = trial };
    const Assignment two = { .nkernel = 2, .kernel = (int64_t[]){ 2, 0 } },
                     one = { .nkernel = 1, .kernel = (int64_t[]){ 1 } };
    Result result[] = { { .study = &study, .assignment = &two },
                        { .study = &study },
                        { .study = &study, .assignment = &one },
                        { .study = &study } };
    Job job[4];
    for (int i = 0; i < 4; i++)
        job[i] = (Job){ .workload = &workload, .result = &result[i] };
    workload.job = job;
    assert_string_equal(before(&job[0]), "");
    assert_string_equal(before(&job[1]), "c a");
    assert_string_equal(before(&job[2]), "c a");
    assert_string_equal(before(&job[3]), "c a b");
}

TEST_FILE(setup, place_teardown)
