/* SPDX-License-Identifier: Apache-2.0
 *
 * The constraints of dense's templates, each at its limit: values that just fit, and values beyond it, which it alone
 * rules out. CPUs have 32 or 16 vector registers, L2 has 1 MiB.
 * ctest: label=slow
 */
#include "tests/test.h"
#include "tests/gen/pairs.h"
#include "tests/gen/template/template_place.h"

typedef struct {
    const char *kernel; /* "TEMPLATE TARGET LAYOUT" */
    int threads;
    int64_t l2_bytes; /* 0: as usual */
    const char *
        /* "VALUES; VALUES -> REASON; ...": of the constraint that alone does not hold, the reason begins so; none: all
         * hold */
        values;
} Row;

static const Row rows[] = {
    { "packed_gemm avx512 NK", 1, 0,
      "MR=5 NP=5; MR=7 NP=4 -> accumulators,; MR=2 NP=1 KA=2; MR=3 NP=1 -> fewer than 4 accumulators; "
      "MR=6 NP=2 KA=2; MR=14 NP=1 KA=2 -> partial sums along K; MR=8 NP=3 PF=32; "
      "MR=9 NP=2 PF=32 -> with more than 8 rows; MR=2 NP=2 KA=4 UK=4; MR=2 NP=2 KA=4 UK=8 -> a longer loop body; "
      "MR=8 NP=2 UK=8; MR=6 NP=3 UK=8 -> a longer loop body; MR=8 NP=3 UK=2 -> of a round of the loop; "
      "MR=7 NP=1 UK=1; MR=1 NP=4 EVEN=0 BLOCK=0; "
      "MR=1 NP=4 BLOCK=0 -> with single rows; MR=1 NP=4 EVEN=0 -> with single rows; "
      "MR=2 NP=2 PF=0 -> beside the FMAs of several rows; SPLIT=1 -> one thread shares out nothing" },
    { "packed_gemm avx2 NK", 1, 0,
      "MR=6 NP=1; MR=7 NP=1 -> accumulators,; MR=3 NP=2 HOLD=3; MR=3 NP=1 HOLD=3 -> where W's vectors fit; "
      "MR=2 NP=1 HOLD=0; MR=3 NP=1 HOLD=0 -> what the compiler chooses" },
    { "packed_gemm avx512 NK", 1, 512 * 8 * 64, "MR=2 NP=8 KC=512 UK=8" },
    { "packed_gemm avx512 NK", 1, 512 * 8 * 64 - 1, "MR=2 NP=8 KC=512 UK=8 -> a block of W's panels" },
    { "packed_gemm avx512 NK", 2, 0, "SPLIT=1" },
    { "direct_gemm avx512 KN", 1, 0,
      "MR=5 NV=5; MR=7 NV=4 -> accumulators,; MR=1 NV=24 HOLD=0 EVEN=0; MR=1 NV=24 HOLD=1 EVEN=0 -> accumulators,; "
      "MR=4 NV=1; MR=3 NV=1 -> fewer than 4 accumulators; MR=8 NV=3 PF=4; MR=9 NV=2 PF=4 -> with more than 8 rows; "
      "MR=8 NV=2 UK=8; MR=6 NV=3 UK=8 -> a longer loop body; MR=8 NV=3 UK=2 -> of a round of the loop; "
      "MR=7 NV=1 UK=1; MR=1 NV=4 EVEN=1 -> with single rows; SPLIT=1 -> one thread shares out nothing" },
    { "direct_gemm avx2 KN", 1, 0, "MR=1 NV=12 HOLD=0 EVEN=0; MR=1 NV=24 HOLD=0 EVEN=0 UK=4 -> accumulators," },
    { "direct_gemm avx512 KN", 2, 0, "SPLIT=1" },
    { "dot_gemm avx512 NK", 1, 0,
      "MR=5 NR=5; MR=8 NR=3 -> accumulators,; MR=4 NR=1; MR=3 NR=1 -> fewer than 4 accumulators; MR=6 NR=4 UK=2; "
      "MR=5 NR=5 UK=2 -> a longer loop body; MR=1 NR=4 EVEN=0; MR=1 NR=4 EVEN=0 ORDER=1 -> with single rows; "
      "SPLIT=1 -> one thread shares out nothing" },
    { "repack_gemm avx512 NK", 1, 0,
      "MR=4 NP=6 KC=128; MR=7 NP=4 -> accumulators,; MR=8 NP=1 UK=8; MR=7 NP=1 UK=8 -> packing pays for many rows "
      "only; "
      "MR=6 NP=4 KC=256; MR=8 NP=3 KC=384 -> the packed block lies on the stack; MR=8 NP=2 UK=8; "
      "MR=6 NP=3 UK=8 -> a longer loop body; MR=8 NP=3 UK=2 -> of a round of the loop; SPLIT=1 -> one thread shares "
      "out nothing" },
    { "simt_gemm sm_80 NK", 1, 0,
      "BM=96 BN=64 TM=4 TN=8 -> fewer threads hide no latency; "
      "BM=64 BN=32 TM=4 TN=8 STAGES=4 -> a warp is 4 rows by 8 columns; STAGES=2 -> one stage on its way; "
      "BK=8 STAGES=4; BK=8 STAGES=3 -> too little on its way; BK=32 STAGES=3; BK=32 STAGES=4 -> three long stages; "
      "SPLITK=8; BM=64 BN=128 TM=8 TN=8 SPLITK=4 -> in more parts; GROUP=8 -> where small tiles win; "
      "BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8; "
      "BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 SPLITK=2 -> what is split has few tiles; FIXED_K=64" },
    { "simt_gemm sm_75 NK", 1, 0, "STAGES=3 -> without asynchronous copies; " },
    { "simt_gemm sm_80 KN", 1, 0, "FIXED_K=64 FIXED_N=48; FIXED_K=64 -> W's stride and the sum's length" },
    { "mma_gemm sm_80 NK", 1, 0,
      "STAGES=3 -> short stages must be many; STAGES=3 ROW=128; BM=32 BN=32 WM=16 WN=32; "
      "BM=64 BN=32 WM=16 WN=32 -> a warp with few rows; GROUP=8 -> where small tiles win; SPLITK=8; "
      "BM=64 BN=128 WM=32 WN=64 SPLITK=3; BM=64 BN=128 WM=32 WN=64 SPLITK=4 -> in more parts" },
    { "gemv sm_80 NK", 1, 0,
      "WARPS=8 KWARPS=2; WARPS=8 KWARPS=4 -> what is between is like; LANES=8 -> NK: all lanes; "
      "UNROLL=1 -> fewer loads do not cover; COLS=4 UNROLL=4; SPLITK=2 -> warps of a block share out; "
      "KWARPS=8 SPLITK=4; KWARPS=8 SPLITK=8 -> NK: a column has a warp" },
    { "gemv sm_80 KN", 1, 0,
      "SPLITK=32; ROWS=8; ROWS=8 COLS=2 UNROLL=1 -> more shared memory; KWARPS=2 -> KN: all warps; "
      "WARPS=4 -> KN: fewer warps" },
    { "mma_gemv sm_80 NK", 1, 0,
      "WARPS=8 KWARPS=2; KWARPS=2 -> what is between is like; WARPS=16 KWARPS=16 COLS=16 UNROLL=2; "
      "WARPS=16 KWARPS=1 COLS=16 UNROLL=2 -> so many warps are there; WARPS=16 KWARPS=16 COLS=32 UNROLL=2; "
      "WARPS=16 KWARPS=16 ROWS=16 COLS=16 UNROLL=4 -> so many threads; COLS=8 UNROLL=4; "
      "COLS=8 UNROLL=3 -> fewer loads do not cover; COLS=64 UNROLL=2; "
      "COLS=64 UNROLL=3 -> fewer loads do not cover; SPLITK=8; KWARPS=1 SPLITK=2 -> warps of a block share out" },
    { "mma_gemv sm_80 KN", 1, 0, "; COLS=32 -> KN: a lane loads 8 columns; KWARPS=1 -> KN: all warps" },
};

static void check_values(const Row *r, const Template *t, const Target *target, const Spec *spec, const Pairs *p)
{
    Device machine = target->family == &family_cuda ? device_typical(arena, target) : device;
    int64_t value[TEMPLATE_MAX_PARAM], holds;
    const char *broken = NULL, *values = p->text, *why = *p->value ? p->value : NULL;
    int nbroken = 0;
    machine.l2_bytes = r->l2_bytes ? r->l2_bytes : machine.l2_bytes;
    template_place_values(t, target->name, values, value);
    Binding b = { .t = t, .spec = spec, .target = target, .device = &machine, .value = value };
    for (int i = 0; i < t->nconstraint; i++) {
        assert_int_equal(expr_int(t->constraint[i].need, template_lookup, &b, &holds), EXPR_OK);
        nbroken += !holds;
        broken = holds ? broken : t->constraint[i].why;
    }
    if (nbroken != (why != NULL) || (why && strncmp(broken, why, strlen(why)) != 0))
        fail_msg("%s %s: %d constraints do not hold, the last is that %s", r->kernel, values, nbroken,
                 broken ? broken : "-");
    Candidate c;
    assert_true(candidate_from_values(t, target, value, &c));
    assert_int_equal(candidate_fits(&c, spec, &machine), !why);
}

static void check_row(const Row *r)
{
    TemplateList list;
    char name[32], target[32], layout[32];
    int i = 0;
    assert_int_equal(sscanf(r->kernel, "%31s %31s %31s", name, target, layout), 3);
    Spec *spec = make_spec(layout, strcmp(name, "packed_gemm") == 0, true);
    spec->threads[0] = r->threads;
    assert_true(template_read_all(arena, spec, NULL, 0, &list, diag_new(arena)));
    while (strcmp(list.t[i]->name, name) != 0)
        i++;
    for (Pairs p = { .rest = r->values }; pairs_next(arena, &p);)
        check_values(r, list.t[i], target_find(&targets, target), spec, &p);
}

TEST(each_constraint_at_its_limit)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(&rows[i]);
}

TEST_FILE(setup, place_teardown)
