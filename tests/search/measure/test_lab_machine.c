/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_machine: what is built, verified and timed of a batch, and what is recorded of it.
 *
 *   ctest: replaces
 */
#include "tests/gen/kernel_record.h"
#include "tests/gen/serve.h"
#include "tests/search/measure/lab_place.h"
#include "search/space/verify_shapes.h"

/* ---- a batch ---- */

TEST(a_batch_is_built_verified_and_timed)
{
    static const int parts[] = { 1, 3, 1, 2, 1, 16 }, timed_n[] = { 3, 2, 2 }; /* with the anchor in each */
    const Candidate *c[THREE] = { &p[0].c, &p[1].c, &p[2].c };
    VerifyShapes w;
    Op *op = (Op *)lab.study->spec->op;
    op->operand[0].strided = true;
    op->operand[0].data = DATA_PARTS;
    verify_shapes(lab.study, c, THREE, &w);
    assert_true(w.gap[w.n - 1] > 0);
    assert_true(try_three());
    op->operand[0].strided = false;
    op->operand[0].data = DATA_NORMAL;
    assert_int_equal(nbuilt, THREE);
    assert_int_equal(nverify(), w.n);
    for (int i = 0; i < w.n; i++) {
        assert_int_equal(asked[i].n, THREE);
        assert_memory_equal(asked[i].extent, w.extent[i], sizeof asked[i].extent);
        assert_int_equal(asked[i].q.threads, parts[i % 6]);
        assert_int_equal(asked[i].q.gap, w.gap[i]);
        assert_int_equal(asked[i].q.way, w.way[i]);
        assert_true(asked[i].q.deadline_s == 20 && asked[i].q.smem_limit == 0 && !asked[i].q.count);
    }
    assert_int_equal(ncall, w.n + 3);
    for (int i = 0; i < 3; i++) {
        const Asked *a = &asked[w.n + i];
        assert_int_equal(a->n, timed_n[i]);
        assert_memory_equal(a->extent, lab.study->shape[2 * i]->extent, sizeof a->extent);
        assert_int_equal(a->q.repeats, 5);
    }
    assert_string_equal(asked[w.n + 1].key[1], key[1]);
    assert_string_equal(asked[w.n + 2].key[1], key[2]);
    assert_int_equal(recorded()->nkernel, THREE);
    assert_int_equal(recorded()->nmeasure, 7);
    for (int i = 0; i < THREE; i++) {
        const KernelRecord *k = kernel_of(i);
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&p[i].c, value);
        assert_int_equal(k->n, i + 1);
        assert_int_equal(k->status, STATUS_OK);
        assert_int_equal(k->code_bytes, 1000 + i);
        assert_string_equal(k->device, y.device.id);
        assert_string_equal(k->template_hash, p[i].c.t->hash);
        assert_string_equal(k->target, "avx512");
        assert_int_equal(k->nparam, p[i].c.t->nparam);
        for (int j = 0; j < k->nparam; j++)
            assert_int_equal(k->param[j].value, value[j]);
        assert_string_equal(trial_of(i)->so, arena_printf(y.arena, "/%s.so", key[i]));
        assert_int_equal(trial_of(i)->code_bytes, 1000 + i);
    }
    for (int64_t i = 0; i < recorded()->nmeasure; i++)
        assert_false(recorded()->measure[i].final);
}

/* The numbers go on where the file's largest is, whatever the order of its lines. */
TEST(numbers_go_on)
{
    KernelRecord k = kernel_record(&p[0].c, "a", &y.device);
    k.n = 41;
    assert_true(record_add_kernel(shop.records, &k, &err));
    k.n = 7;
    assert_true(record_add_kernel(shop.records, &k, &err));
    assert_true(try_three());
    for (int i = 0; i < THREE; i++)
        assert_int_equal(kernel_of(i)->n, 42 + i);
}

/* Who fails on one shape is not asked on the next, and has no times. What the moment is to blame for is kept
 * nowhere. */
TEST(who_fails_is_out)
{
    static const struct {
        Status status;
        Blame blame;
    } cases[] = { { STATUS_WRONG, BLAME_CANDIDATE },
                  { STATUS_TIMED_OUT, BLAME_CANDIDATE },
                  { STATUS_INVALID, BLAME_MOMENT } };
    for (int i = 0; i < 3; i++) {
        anew();
        make_bad(1, cases[i].status, cases[i].blame);
        assert_true(try_three());
        for (int j = 0; j < nverify(); j++)
            assert_int_equal(asked[j].n, j < 3 ? 3 : 2);
        const KernelRecord *k = kernel_of(1);
        assert_int_equal(k != NULL, cases[i].blame == BLAME_CANDIDATE);
        assert_int_equal(trial_of(1)->left_out, !k);
        if (k) {
            assert_int_equal(k->status, cases[i].status);
            assert_string_equal(k->why, "on M=17 N=2 K=2 threads=1: it is said");
        }
        assert_false(trial_usable(trial_of(1)));
        assert_int_equal(recorded()->nmeasure, 5);
    }
    anew(); /* and beside one that was not even built each has its own reason */
    made[0] = (Build){ .status = STATUS_BUILD_FAILED, .why = "error: x" };
    make_bad(1, STATUS_WRONG, BLAME_CANDIDATE);
    assert_true(try_three());
    assert_string_equal(kernel_of(0)->why, "error: x");
    assert_non_null(strstr(kernel_of(1)->why, ": it is said"));
    assert_string_equal(kernel_of(2)->why, "");
}

static bool was_asked(const Asked *a, const char *of)
{
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->key[i], of) == 0)
            return true;
    return false;
}

/* One that serves some calls alone is verified and timed on those: of two shapes that it was proposed for on one. In a
 * race it stays away from the others. */
TEST(a_kernel_is_asked_for_what_it_serves)
{
    VerifyShapes w;
    const Candidate *c[THREE] = { &p[0].c, &p[1].c, &p[2].c };
    int64_t trial[2];
    int nserved = 0, ntimed = 0, width[2] = { -1, -1 };
    p[1].c.t = serve_some(y.arena, &y.templates, p[1].c.t, y.spec, "N == 768");
    for (int j = 0; j < lab.study->nshape; j++)
        width[lab.study->shape[j]->extent[1] == 768] = j;
    for (int i = 0; i < 2; i++)
        p[1].shape[i] = width[i];
    verify_shapes(lab.study, c, THREE, &w);
    assert_true(try_three());
    assert_int_equal(nverify(), w.n);
    for (int i = 0; i < ncall; i++) {
        const bool serves = candidate_serves(&p[1].c, y.spec, asked[i].extent);
        assert_true(was_asked(&asked[i], key[0]));
        assert_true(i < w.n ? was_asked(&asked[i], key[1]) == serves : !was_asked(&asked[i], key[1]) || serves);
        nserved += i < w.n && serves;
        ntimed += i >= w.n && was_asked(&asked[i], key[1]);
    }
    assert_true(nserved >= 4 && ntimed == 1);
    assert_true(trial_of(1)->ns[width[1]] > 0 && !(trial_of(1)->ns[width[0]] > 0));
    for (int i = 0; i < 2; i++)
        trial[i] = study_find(lab.study, &p[i + 1].c);
    for (int serves = 0; serves < 2; serves++) {
        assert_true(lab_machine.compare(&lab, y.arena, lab.study->shape[width[serves]], trial, 2, false, &err));
        assert_int_equal(asked[ncall - 1].n, 2 + serves);
        assert_int_equal(was_asked(&asked[ncall - 1], key[1]), serves);
    }
}

/* ---- what compilers tell ---- */

static const char ptxas_log[] = "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                                "    %d bytes stack frame, %d bytes spill stores, 0 bytes spill loads\n"
                                "ptxas info    : Used 40 registers\n";

static void assert_facts(const KernelRecord *k, const char *want)
{
    const char *got = "";
    for (int i = 0; i < k->nfact; i++)
        got = arena_printf(y.arena, "%s%s=%d ", got, k->fact[i].name, (int)k->fact[i].value);
    assert_string_equal(got, want);
}

/* What three kernels are known for, what became of them and why: "": nothing is said. */
static void assert_kernels(const char *const facts[THREE], const char *const why[THREE])
{
    for (int i = 0; i < THREE; i++) {
        assert_facts(kernel_of(i), facts[i]);
        assert_string_equal(kernel_of(i)->why, why[i]);
        assert_int_equal(kernel_of(i)->status, *why[i] ? STATUS_BUILD_FAILED : STATUS_OK);
    }
}

TEST(spills_are_refused)
{
    made[1].spills = (SpillReport){ .loops = 2, .stored = 3, .loaded = 4, .multiplications = 20 };
    made[2].spills = (SpillReport){ .loops = 1, .stored = 1, .multiplications = 20 }; /* for nothing */
    assert_true(try_three());
    assert_kernels(
        (const char *[]){ "", "spilled=7 instructions=0 ", "spilled=1 instructions=0 " },
        (const char *[]){ "", "spills: 3 vectors to the stack and 4 from it in a round of 20 multiplications", "" });
    for (int i = 0; i < ncall; i++)
        for (int k = 0; k < asked[i].n; k++)
            assert_string_not_equal(asked[i].key[k], key[1]);
}

/* A constraint on what only a compiler knows is asked once it told. */
TEST(too_many_instructions_are_refused)
{
    for (int i = 0; i < THREE; i++)
        made[i].spills = (SpillReport){ .loops = 1, .multiplications = 20, .instructions = i == 1 ? 400 : 110 };
    assert_true(try_three());
    assert_kernels(
        (const char *[]){ "spilled=0 instructions=110 ", "spilled=0 instructions=400 ", "spilled=0 instructions=110 " },
        (const char *[]){
            "",
            "so does what a compiler adds: more than a quarter is too much (400 instructions for 100 multiplications)",
            "" });
}

TEST(local_memory_is_refused)
{
    for (int i = 0; i < THREE; i++)
        made[i].log = arena_printf(y.arena, ptxas_log, i ? 16 * i : 0, i == 2 ? 8 : 0);
    assert_true(try_three());
    assert_kernels(
        (const char *[]){ "regs=40 spill_bytes=0 stack_bytes=0 ", "regs=40 spill_bytes=0 stack_bytes=16 ",
                          "regs=40 spill_bytes=8 stack_bytes=32 " },
        (const char *[]){ "", "keeps 16 bytes a thread in local memory", "spills 8 bytes a thread in local memory" });
}

TEST(lost_speed_is_refused)
{
    for (int i = 0; i < THREE; i++)
        made[i].log =
            arena_printf(y.arena, "%s%s",
                         i == 1 ? "ptxas info    : (C7510) Potential Performance Loss: x in the function 'k'\n" : "",
                         arena_printf(y.arena, ptxas_log, 0, 0));
    assert_true(try_three());
    assert_kernels((const char *[]){ "regs=40 spill_bytes=0 stack_bytes=0 ", "regs=40 spill_bytes=0 stack_bytes=0 ",
                                     "regs=40 spill_bytes=0 stack_bytes=0 " },
                   (const char *[]){ "", "ptxas says: (C7510) Potential Performance Loss: x", "" });
}

TEST(builds_that_fail)
{
    made[1] = (Build){ .status = STATUS_BUILD_FAILED, .why = "error: x" };
    made[2] = (Build){ .status = STATUS_INVALID, .blame = BLAME_MOMENT, .why = "out of memory" };
    assert_true(try_three());
    assert_int_equal(kernel_of(1)->status, STATUS_BUILD_FAILED);
    assert_string_equal(kernel_of(1)->why, "error: x");
    assert_null(kernel_of(2));
    assert_string_equal(trial_of(2)->why, "out of memory");
    made[0] = (Build){ .status = STATUS_INVALID, .blame = BLAME_MACHINE, .why = "No space left on device" };
    assert_false(try_three());
    assert_string_equal(err, "kernels cannot be built here: No space left on device");
    stop_now = 1;
    assert_false(try_three());
    assert_string_equal(err, "interrupted");
}

/* ---- times ---- */

/* No shape is begun when the share of the time is over, but for the first of a run, with one kernel. */
TEST(time_is_kept)
{
    lab.seconds = 1;
    lab.now_s = 1000.6;
    assert_true(try_three());
    assert_int_equal(lab.ntimed, 1);
    assert_int_equal(recorded()->nkernel, 1);
    assert_int_equal(recorded()->nmeasure, 1);
    assert_true(try_three());
    assert_int_equal(lab.ntimed, 1);
    lab.now_s = 1000.5;
    assert_true(try_three());
    assert_int_equal(lab.ntimed, 4);
}

/* Verifying takes its time too. */
TEST(what_is_not_verified_in_time_is_left)
{
    assert_true(kind.trials(&lab, y.arena, p, 1, 0.5, &err));
    const int64_t known = recorded()->nkernel + recorded()->nmeasure;
    const int before = ncall;
    took_s = 30;
    assert_true(kind.trials(&lab, y.arena, p + 1, 2, 0.5, &err));
    assert_int_equal(ncall - before, 2);
    assert_int_equal(recorded()->nkernel + recorded()->nmeasure, known);
}

/* ---- other ways in ---- */

/* Those of a study that was read have no shared objects; one that does not work stays away, and has no time. */
TEST(a_race_builds_what_is_gone)
{
    int64_t trial[THREE];
    const int64_t extent[] = { 48, 96, 80 };
    const Instance inst = { .extent = { extent[0], extent[1], extent[2] }, .threads = 1 };
    for (int i = 0; i < THREE; i++) {
        trial[i] = study_add(lab.study, &p[i].c);
        trial_of(i)->built = true;
    }
    trial_of(2)->so = arena_printf(y.arena, "/%s.so", key[2]);
    trial_of(1)->status = STATUS_WRONG;
    trial_of(1)->so = "/x";
    assert_true(lab_machine.compare(&lab, y.arena, &inst, trial + 1, 2, false, &err));
    assert_int_equal(nbuilt, 1); /* the anchor */
    assert_int_equal(asked[0].n, 2);
    assert_memory_equal(asked[0].extent, extent, sizeof extent);
    assert_int_equal(recorded()->nmeasure, 2);
    assert_string_equal(recorded()->measure[0].key, key[2]);
    assert_true(recorded()->measure[0].final);
    trial_of(2)->so = NULL;
    made[0] = (Build){ .status = STATUS_INVALID, .blame = BLAME_MOMENT, .why = "out of memory" };
    assert_false(lab_machine.compare(&lab, y.arena, &inst, trial + 1, 2, false, &err));
    assert_string_equal(err, "a kernel cannot be built again here: out of memory");
    made[0] = (Build){ .status = STATUS_BUILD_FAILED, .why = "x" };
    trial_of(2)->so = NULL;
    assert_true(lab_machine.compare(&lab, y.arena, &inst, trial + 2, 1, false, &err));
    assert_int_equal(trial_of(2)->status, STATUS_BUILD_FAILED);
}

/* For GPUs that are not there: what ships is what the assembler makes, what runs here is another compiler's; each
 * kernel is counted in one tile, eight deep, before it is known. */
TEST(kernels_for_another_machine)
{
    shop.assembler = &nvcc;
    made[1].log = arena_printf(y.arena, ptxas_log, 0, 4);
    assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
    assert_int_equal(nbuilt, 5);
    assert_string_equal(built[1], arena_printf(y.arena, "%s.cubin", key[1]));
    assert_string_equal(built[4], arena_printf(y.arena, "%s.so", key[2]));
    assert_int_equal(nremoved, 2);
    assert_string_equal(removed[1], arena_printf(y.arena, "/%s.cubin", key[2]));
    assert_int_equal(kernel_of(0)->code_bytes, 7000);
    assert_int_equal(kernel_of(2)->code_bytes, 7002);
    const Asked *a = &asked[ncall - 1];
    assert_true(a->q.count && !asked[ncall - 3].q.count);
    assert_string_equal(a->key[0], key[2]);
    for (int axis = 0; axis < 3; axis++)
        assert_int_equal(a->extent[axis], verify_shapes_tile(lab.study, &p[2].c, axis) * (axis == 2 ? 8 : 1));
    assert_facts(kernel_of(0), "wavefronts=77 ");
    assert_facts(kernel_of(1), "regs=40 spill_bytes=4 stack_bytes=0 ");
    assert_int_equal(recorded()->nmeasure, 0);
}

/* There each is verified by itself, around its own tile. Who was verified in time stays, in whatever batch the others
 * were; and if nothing works yet, one is verified whatever the time. */
TEST(emulated_kernels_come_one_by_one)
{
    VerifyShapes w;
    shop.assembler = &nvcc;
    assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
    for (int i = 0, at = 0; i < THREE; i++) {
        const Candidate *c = &p[i].c;
        verify_shapes(lab.study, &c, 1, &w);
        for (int k = 0; k < w.n; k++, at++) {
            assert_int_equal(asked[at].n, 1);
            assert_string_equal(asked[at].key[0], key[i]);
            assert_memory_equal(asked[at].extent, w.extent[k], sizeof asked[at].extent);
        }
    }
    anew();
    shop.assembler = &nvcc;
    lab.seconds = 1;
    took_s = 30;
    make_bad(0, STATUS_WRONG, BLAME_CANDIDATE);
    assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
    assert_int_equal(recorded()->nkernel, 2);
    assert_int_equal(kernel_of(0)->status, STATUS_WRONG);
    assert_int_equal(kernel_of(1)->status, STATUS_OK);
    assert_null(kernel_of(2));
    assert_false(trial_of(2)->built);
}

/* Who fails there has failed, and keeps what was counted. */
TEST(counting_may_fail)
{
    shop.assembler = &nvcc;
    make_bad(1, STATUS_WRONG, BLAME_CANDIDATE);
    bad_count = true;
    assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
    assert_int_equal(kernel_of(1)->status, STATUS_WRONG);
    assert_non_null(strstr(kernel_of(1)->why, ": it is said"));
    assert_facts(kernel_of(1), "wavefronts=77 ");
    assert_int_equal(kernel_of(2)->status, STATUS_OK);
}

/* One launch on a GPU; in its emulator as many cores as there are, and the shared memory that the GPU has. */
TEST(kernels_of_gpus_are_launched)
{
    for (int emulated = 0; emulated < 2; emulated++) {
        anew();
        static Target gpu; /* of which this study is, though its candidates are another's */
        int fact = 0;
        while (strcmp(target_fact_name(fact), "SMEM_BLOCK") != 0)
            fact++;
        gpu = *y.study->target;
        gpu.family = &family_cuda;
        gpu.fact[fact] = 4242;
        lab.study = study_new(y.arena, y.spec, &y.device, &gpu, "0123456789abcdef");
        shop.assembler = emulated ? &nvcc : NULL;
        assert_true(lab_emulator.trials(&lab, y.arena, p, THREE, 1, &err));
        assert_true(ncall > 6);
        for (int i = 0; i < ncall; i++) {
            assert_int_equal(asked[i].q.threads, emulated && !asked[i].q.count ? 5 : 1);
            assert_int_equal(asked[i].q.smem_limit, emulated ? 4242 : 0);
        }
    }
}

TEST(a_template_that_cannot_be_filled)
{
    unit.package_dir = "/no/such/folder";
    assert_false(try_three());
    assert_string_equal(err, "a template cannot be filled");
    assert_int_equal(nbuilt + ncall, 0);
}

TEST(a_check_is_recorded)
{
    const int64_t extent[] = { 48, 96, 80 }, trial = study_add(lab.study, &p[1].c);
    trial_of(1)->built = true;
    assert_true(lab_emulator.check(&lab, y.arena, trial, extent, &err));
    assert_int_equal(nbuilt, 1);
    assert_true(asked[0].q.threads == 5 && asked[0].q.deadline_s == 120 && asked[0].q.repeats == 0);
    const MeasureRecord *m = &recorded()->measure[0];
    assert_memory_equal(m->extent, extent, sizeof extent);
    assert_int_equal(m->threads, 1);
    assert_int_equal(m->nsample, 0);
    trial_of(1)->status = STATUS_WRONG;
    assert_true(lab_emulator.check(&lab, y.arena, trial, extent, &err));
    assert_int_equal(ncall, 1);
}

/* Recorded kernels of a target. */
static int64_t nkernel_of(const char *target)
{
    int64_t n = 0;
    for (int64_t i = 0; i < recorded()->nkernel; i++)
        n += strcmp(recorded()->kernel[i].target, target) == 0;
    return n;
}

/* General kernels of the targets that stand in for the tuned one, but for those that have a search of their own: never
 * timed, and once. */
TEST(lesser_targets_have_general_kernels)
{
    const Target *tuned[] = { y.study->target, target_find(&y.targets, "avx2") };
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    const int64_t navx2 = nkernel_of("avx2"), nportable = nkernel_of("portable");
    assert_true(navx2 > 0 && nportable > 0);
    assert_int_equal(recorded()->nkernel, navx2 + nportable);
    assert_int_equal(recorded()->nmeasure, 0);
    assert_int_equal(nverify(), ncall);
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_int_equal(recorded()->nkernel, navx2 + nportable);
    anew();
    shop.tuned = tuned;
    shop.ntuned = 2;
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_int_equal(recorded()->nkernel, nportable);
}

/* Where the time is short, one of each target, of the anchor's template; all, if that does not work. */
TEST(a_brief_search_has_one_of_each)
{
    static const char text[] = "name = \"plain\"; op = \"dense\"; target = [\"host\"]; layout = { W = \"NK\"; };\n"
                               "dims = { T = { min = 1; max = 8; }; }; shapes = ( { M = \"T\"; N = 64; K = 64; } );\n";
    for (int fails = 0; fails < 2; fails++) {
        Synthetic z;
        anew();
        assert_true(synthetic_make(&z, text, 1));
        unit.spec = z.spec;
        lab.study = study_on(&z);
        lab.templates = &z.templates;
        lab.anchor = &z.space->general[z.space->ngeneral - 1];
        lab.brief = true;
        if (fails)
            made[0] = (Build){ .status = STATUS_BUILD_FAILED, .why = "error: x" };
        assert_true(z.space->ngeneral > 1 && lab_machine.lesser(&lab, y.arena, &err));
        assert_int_equal(nkernel_of("avx2"), fails ? z.space->ngeneral : 1);
        assert_int_equal(nkernel_of("portable"), fails ? z.space->ngeneral : 1);
        for (int64_t k = 0; k < recorded()->nkernel && !fails; k++)
            assert_string_equal(recorded()->kernel[k].template_name, lab.anchor->t->name);
        arena_free(z.arena);
    }
}

/* Where some kernels do not serve every call, each target, the tuned one too, has a general kernel that does; in a
 * brief search as well. */
TEST(calls_that_others_do_not_serve_have_general_kernels)
{
    for (int brief = 0; brief < 2; brief++) {
        Synthetic z;
        anew();
        assert_true(synthetic_make(&z, synthetic_strides, 3));
        unit.spec = z.spec;
        unit.targets = &z.targets;
        lab.study = study_on(&z);
        lab.templates = &z.templates;
        lab.anchor = z.space->general;
        while (candidate_serves_all(lab.anchor, z.spec))
            lab.anchor++;
        lab.brief = brief;
        for (int again = 0; again < 2; again++) {
            assert_true(lab_machine.lesser(&lab, y.arena, &err));
            assert_int_equal(nkernel_of("avx512"), 1);
            assert_int_equal(nkernel_of("avx2"), 2);
            assert_int_equal(nkernel_of("portable"), 2);
        }
        for (int64_t k = 0; k < recorded()->nkernel; k++)
            if (strcmp(recorded()->kernel[k].target, "avx512") == 0)
                assert_string_equal(recorded()->kernel[k].template_name, "any_conv");
        assert_int_equal(recorded()->nmeasure, 0);
        arena_free(z.arena);
    }
}

/* They may spill: slow there is better than nothing. */
TEST(lesser_targets_may_spill)
{
    for (int i = 0; i < THREE; i++)
        made[i].spills = (SpillReport){ .loops = 1, .stored = 1, .loaded = 2, .multiplications = 4 };
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_true(recorded()->nkernel > 0);
    for (int64_t i = 0; i < recorded()->nkernel; i++) {
        assert_int_equal(recorded()->kernel[i].status, STATUS_OK);
        assert_facts(&recorded()->kernel[i], "spilled=3 instructions=0 ");
    }
}

/* Without runner and records; what spills is known, and no object stays. */
TEST(building_alone)
{
    RecordFile *records = shop.records;
    shop.records = NULL;
    shop.agents = NULL;
    made[1].spills = (SpillReport){ 1, 2, 3, 4, 5, 6 };
    made[2].status = STATUS_BUILD_FAILED;
    assert_true(lab_machine_untimed(&lab, y.arena, p, THREE, 1, &err));
    assert_true(lab_machine_lesser(&lab, y.arena, &err));
    assert_int_equal(ncall, 0);
    assert_int_equal(nremoved, nbuilt);
    assert_int_equal(trial_of(0)->status, STATUS_OK);
    assert_int_equal(trial_of(1)->status, STATUS_BUILD_FAILED);
    assert_int_equal(trial_of(2)->status, STATUS_BUILD_FAILED);
    for (int i = 0; i < THREE; i++)
        assert_true(trial_of(i)->built && !trial_of(i)->so);
    shop.records = records;
    assert_int_equal(recorded()->nkernel, 0);
}

/* ---- begun ahead: what was begun before it was wanted is built once, and what comes too late is left ---- */

/* One of the first of a run is waited for however long it takes, as something must be known in the end. */
TEST(what_was_begun_is_not_built_again)
{
    for (int i = 0; i < 2; i++)
        assert_true(lab_machine_ahead(&lab, p + i, 1, &err));
    assert_int_equal(nbuilt, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(kind.trials(&lab, y.arena, p + i, 1, 0.5, &err));
        assert_true(waited_until_s == (i ? 1050 : 1030) && nwaited_for_one == 1);
    }
    assert_true(nbuilt == 2 && nwaited == 2);
    assert_int_equal(recorded()->nkernel, 2);
    assert_int_equal(recorded()->nmeasure, 3 + 2 * 2); /* the anchor beside the second */
    assert_true(kind.trials(&lab, y.arena, p + 2, 1, 0.5, &err));
    assert_true(nbuilt == 3 && nwaited == 3);
}

TEST(others_than_were_begun_are_built)
{
    assert_true(lab_machine_ahead(&lab, p, 2, &err));
    assert_true(try_three());
    assert_true(nbuilt == 5 && nwaited == 1 && recorded()->nkernel == 3);
    lab_machine_drop(&lab);
    assert_true(was_cancelled);
    assert_true(kind.trials(&lab, y.arena, p, 2, 0.5, &err));
    assert_true(nbuilt == 7 && nwaited == 2);
}

/* Nothing of it is recorded or run: the next search begins there. */
TEST(builds_that_come_too_late)
{
    is_late = true;
    assert_true(lab_machine_ahead(&lab, p, THREE, &err));
    assert_true(try_three()); /* nothing works yet, so one was waited for */
    assert_int_equal(recorded()->nkernel, 1);
    assert_non_null(kernel_of(0));
    assert_true(lab.brief && lab.ntimed > 0);
    const int64_t before = ncall;
    assert_true(lab_machine_ahead(&lab, p + 1, 2, &err));
    assert_true(kind.trials(&lab, y.arena, p + 1, 2, 1, &err));
    assert_int_equal(recorded()->nkernel, 1);
    assert_int_equal(ncall, before);
    assert_true(lab_machine_ahead(&lab, p, THREE, &err));
    stop_now = 1;
    assert_false(try_three());
    assert_string_equal(err, "interrupted");
}

TEST(lesser_targets_begin_ahead)
{
    assert_true(lab_machine_lesser_ahead(&lab, &err));
    const int n = nbuilt;
    assert_true(n > 0 && ncall == 0);
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_true(nbuilt == n && nwaited == 1 && isinf(waited_until_s));
    assert_int_equal(recorded()->nkernel, n);
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_int_equal(nbuilt, n);
}

/* The package has to have them: what was ended with a round whose time was up is built again. */
TEST(lesser_targets_are_built_in_any_case)
{
    is_late = true;
    assert_true(lab_machine_lesser_ahead(&lab, &err));
    const int n = nbuilt;
    assert_true(lab_machine.lesser(&lab, y.arena, &err));
    assert_in_range(nbuilt, n + 1, 2 * n);
    assert_int_equal(recorded()->nkernel, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(recorded()->kernel[i].status, STATUS_OK);
}

TEST_EACH(open_machine, close_lab)
