/* SPDX-License-Identifier: Apache-2.0
 *
 * The constraints of dense's templates, each at its limit: values that just fit, and values beyond it, which it alone rules out. On the CPU an
 * instruction set has 32 or 16 vector registers, L2 has 1 MiB.
 *
 * ctest: label=slow
 */
#include "tests/test.h"
#include "tests/gen/template/template_place.h"

typedef struct {
    const char *template, *target, *layout, *values;
    const char *why; /* the reason of the constraint that does not hold, its beginning; NULL: all do */
    int threads;
    int64_t l2_bytes; /* 0: as usual */
} Row;

static const char REGISTERS[] = "accumulators, ", LATENCY[] = "fewer than 4 accumulators",
                  BODY[] = "a longer loop body", TAIL[] = "with single rows", ALONE[] = "one thread shares out nothing",
                  PREFETCHER[] = "with more than 8 rows";

static const Row rows[] = {
    { "packed_gemm", "avx512", "NK", "MR=5 NP=5", NULL, 1, 0 },      /* 25 + 5 + 1 */
    { "packed_gemm", "avx512", "NK", "MR=7 NP=4", REGISTERS, 1, 0 }, /* 28 + 4 + 1 */
    { "packed_gemm", "avx2", "NK", "MR=6 NP=1", NULL, 1, 0 },        /* 12 + 2 + 1 of 16: a panel is two vectors */
    { "packed_gemm", "avx2", "NK", "MR=7 NP=1", REGISTERS, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=1 KA=2", NULL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=3 NP=1", LATENCY, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=6 NP=2 KA=2", NULL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=14 NP=1 KA=2", "partial sums along K", 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=8 NP=2", NULL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=9 NP=2 PF=32", PREFETCHER, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=1 KA=4 UK=2", NULL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=1 KA=4 UK=4", BODY, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=8 NP=2 UK=4", NULL, 1, 0 }, /* 64 */
    { "packed_gemm", "avx512", "NK", "MR=6 NP=3 UK=4", BODY, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=1 NP=4 EVEN=0 BLOCK=0", NULL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=1 NP=4 BLOCK=0", TAIL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=1 NP=4 EVEN=0", TAIL, 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=2 PF=0", "beside the FMAs of several rows", 1, 0 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=8 KC=512", NULL, 1, 512 * 8 * 64 },
    { "packed_gemm", "avx512", "NK", "MR=2 NP=8 KC=512", "a block of W's panels", 1, 512 * 8 * 64 - 1 },
    { "packed_gemm", "avx512", "NK", "SPLIT=1", NULL, 2, 0 },
    { "packed_gemm", "avx512", "NK", "SPLIT=1", ALONE, 1, 0 },

    { "direct_gemm", "avx512", "KN", "MR=5 NV=5", NULL, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=7 NV=4", REGISTERS, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=1 NV=24 HOLD=0 EVEN=0", NULL, 1, 0 }, /* loads may be folded into FMAs */
    { "direct_gemm", "avx512", "KN", "MR=1 NV=24 HOLD=1 EVEN=0", REGISTERS, 1, 0 },
    { "direct_gemm", "avx2", "KN", "MR=1 NV=12 HOLD=0 EVEN=0", NULL, 1, 0 },
    { "direct_gemm", "avx2", "KN", "MR=1 NV=24 HOLD=0 EVEN=0", REGISTERS, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=4 NV=1", NULL, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=3 NV=1", LATENCY, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=8 NV=3 PF=4", NULL, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=9 NV=2 PF=4", PREFETCHER, 1, 0 },
    { "direct_gemm", "avx512", "KN", "MR=1 NV=4 EVEN=1", TAIL, 1, 0 },
    { "direct_gemm", "avx512", "KN", "SPLIT=1", NULL, 2, 0 },
    { "direct_gemm", "avx512", "KN", "SPLIT=1", ALONE, 1, 0 },

    { "dot_gemm", "avx512", "NK", "MR=5 NR=5", NULL, 1, 0 },      /* 25 + 5 + 1 */
    { "dot_gemm", "avx512", "NK", "MR=8 NR=3", REGISTERS, 1, 0 }, /* 24 + 8 + 1 */
    { "dot_gemm", "avx512", "NK", "MR=4 NR=1", NULL, 1, 0 },
    { "dot_gemm", "avx512", "NK", "MR=3 NR=1", LATENCY, 1, 0 },
    { "dot_gemm", "avx512", "NK", "MR=6 NR=4 UK=2", NULL, 1, 0 }, /* 48 */
    { "dot_gemm", "avx512", "NK", "MR=5 NR=5 UK=2", BODY, 1, 0 },
    { "dot_gemm", "avx512", "NK", "MR=1 NR=4 EVEN=0", NULL, 1, 0 },
    { "dot_gemm", "avx512", "NK", "MR=1 NR=4 EVEN=0 ORDER=1", TAIL, 1, 0 },
    { "dot_gemm", "avx512", "NK", "SPLIT=1", ALONE, 1, 0 },

    { "repack_gemm", "avx512", "NK", "MR=4 NP=6 KC=128", NULL, 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=7 NP=4", REGISTERS, 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=8 NP=1", NULL, 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=7 NP=1", "packing pays for many rows only", 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=6 NP=4 KC=256", NULL, 1, 0 }, /* 64 KiB */
    { "repack_gemm", "avx512", "NK", "MR=6 NP=3 KC=384", "the packed block lies on the stack", 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=8 NP=2 UK=4", NULL, 1, 0 },
    { "repack_gemm", "avx512", "NK", "MR=6 NP=3 UK=4", BODY, 1, 0 },
    { "repack_gemm", "avx512", "NK", "SPLIT=1", ALONE, 1, 0 },

    { "simt_gemm", "sm_80", "NK", "BM=96 BN=64 TM=4 TN=8", "fewer threads hide no latency", 1, 0 }, /* 24 x 8 threads */
    { "simt_gemm", "sm_80", "NK", "BM=64 BN=32 TM=4 TN=8 STAGES=4", "a warp is 4 rows by 8 columns", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "STAGES=2", "one stage on its way", 1, 0 },
    { "simt_gemm", "sm_75", "NK", "STAGES=3", "without asynchronous copies", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BK=8 STAGES=4", NULL, 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BK=8 STAGES=3", "too little on its way", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BK=32 STAGES=3", NULL, 1, 0 }, /* 4096 floats */
    { "simt_gemm", "sm_80", "NK", "BK=32 STAGES=4", "three long stages", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "SPLITK=8", NULL, 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BM=64 BN=128 TM=8 TN=8 SPLITK=4", "in more parts", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "GROUP=8", "where small tiles win", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8", NULL, 1, 0 },
    { "simt_gemm", "sm_80", "NK", "BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 SPLITK=2",
      "what is split has few tiles", 1, 0 },
    { "simt_gemm", "sm_80", "KN", "FIXED_K=64 FIXED_N=48", NULL, 1, 0 },
    { "simt_gemm", "sm_80", "KN", "FIXED_K=64", "W's stride and the sum's length", 1, 0 },
    { "simt_gemm", "sm_80", "NK", "FIXED_K=64", NULL, 1, 0 },

    { "simt_gemm", "sm_75", "NK", "", NULL, 1, 0 }, /* two stages */

    { "mma_gemm", "sm_80", "NK", "STAGES=3", "short stages must be many", 1, 0 },
    { "mma_gemm", "sm_80", "NK", "STAGES=3 ROW=128", NULL, 1, 0 },
    { "mma_gemm", "sm_80", "NK", "BM=32 BN=32 WM=16 WN=32", NULL, 1, 0 }, /* 16 KiB on their way */
    { "mma_gemm", "sm_80", "NK", "BM=64 BN=32 WM=16 WN=32", "a warp with few rows", 1, 0 },
    { "mma_gemm", "sm_80", "NK", "GROUP=8", "where small tiles win", 1, 0 },
    { "mma_gemm", "sm_80", "NK", "SPLITK=8", NULL, 1, 0 },
    { "mma_gemm", "sm_80", "NK", "BM=64 BN=128 WM=32 WN=64 SPLITK=3", NULL, 1, 0 },
    { "mma_gemm", "sm_80", "NK", "BM=64 BN=128 WM=32 WN=64 SPLITK=4", "in more parts", 1, 0 },

    { "gemv", "sm_80", "NK", "WARPS=8 KWARPS=2", NULL, 1, 0 },
    { "gemv", "sm_80", "NK", "WARPS=8 KWARPS=4", "what is between is like", 1, 0 },
    { "gemv", "sm_80", "NK", "LANES=8", "NK: all lanes", 1, 0 },
    { "gemv", "sm_80", "NK", "UNROLL=1", "fewer loads do not cover", 1, 0 },
    { "gemv", "sm_80", "NK", "COLS=4 UNROLL=4", NULL, 1, 0 }, /* 16 loads */
    { "gemv", "sm_80", "NK", "SPLITK=2", "warps of a block share out", 1, 0 },
    { "gemv", "sm_80", "NK", "KWARPS=8 SPLITK=4", NULL, 1, 0 },
    { "gemv", "sm_80", "NK", "KWARPS=8 SPLITK=8", "NK: a column has a warp", 1, 0 },
    { "gemv", "sm_80", "KN", "SPLITK=32", NULL, 1, 0 },
    { "gemv", "sm_80", "KN", "ROWS=8", NULL, 1, 0 }, /* 32 KiB: 8 warps' sums of 8 x 128 elements */
    { "gemv", "sm_80", "KN", "ROWS=8 COLS=2 UNROLL=1", "more shared memory", 1, 0 },
    { "gemv", "sm_80", "KN", "KWARPS=2", "KN: all warps", 1, 0 },
    { "gemv", "sm_80", "KN", "WARPS=4", "KN: fewer warps", 1, 0 },

    { "mma_gemv", "sm_80", "NK", "WARPS=8 KWARPS=2", NULL, 1, 0 },
    { "mma_gemv", "sm_80", "NK", "KWARPS=2", "what is between is like", 1, 0 },
    { "mma_gemv", "sm_80", "NK", "WARPS=16 KWARPS=16 COLS=16 UNROLL=2", NULL, 1, 0 },
    { "mma_gemv", "sm_80", "NK", "WARPS=16 KWARPS=1 COLS=16 UNROLL=2", "so many warps are there", 1, 0 },
    { "mma_gemv", "sm_80", "NK", "WARPS=16 KWARPS=16 COLS=32 UNROLL=2", NULL, 1, 0 }, /* 112 registers */
    { "mma_gemv", "sm_80", "NK", "WARPS=16 KWARPS=16 ROWS=16 COLS=16 UNROLL=4", "so many threads", 1, 0 }, /* 118 */
    { "mma_gemv", "sm_80", "NK", "COLS=8 UNROLL=4", NULL, 1, 0 },
    { "mma_gemv", "sm_80", "NK", "COLS=8 UNROLL=3", "fewer loads do not cover", 1, 0 },
    { "mma_gemv", "sm_80", "NK", "COLS=64 UNROLL=2", NULL, 1, 0 }, /* 16 loads */
    { "mma_gemv", "sm_80", "NK", "COLS=64 UNROLL=3", "fewer loads do not cover", 1, 0 },
    { "mma_gemv", "sm_80", "NK", "SPLITK=8", NULL, 1, 0 },
    { "mma_gemv", "sm_80", "NK", "KWARPS=1 SPLITK=2", "warps of a block share out", 1, 0 },
    { "mma_gemv", "sm_80", "KN", "", NULL, 1, 0 },
    { "mma_gemv", "sm_80", "KN", "COLS=32", "KN: a lane loads 8 columns", 1, 0 },
    { "mma_gemv", "sm_80", "KN", "KWARPS=1", "KN: all warps", 1, 0 },
};

static void check_row(const Row *r)
{
    TemplateList list;
    Spec *spec = make_spec(r->layout, strcmp(r->template, "packed_gemm") == 0, true);
    const Target *target = target_find(&targets, r->target);
    Device machine = target->family == &family_cuda ? device_typical(arena, target) : device;
    int64_t value[TEMPLATE_MAX_PARAM], holds;
    const char *broken = NULL;
    int i = 0, nbroken = 0;
    machine.l2_bytes = r->l2_bytes ? r->l2_bytes : machine.l2_bytes;
    spec->threads[0] = r->threads;
    assert_true(template_read_all(arena, spec, NULL, 0, &list, diag_new(arena)));
    while (strcmp(list.t[i]->name, r->template) != 0)
        i++;
    const Template *t = list.t[i];
    template_place_values(t, r->target, r->values, value);
    Binding b = { .t = t, .spec = spec, .target = target, .device = &machine, .value = value };
    for (i = 0; i < t->nconstraint; i++) {
        assert_int_equal(expr_int(t->constraint[i].need, template_lookup, &b, &holds), EXPR_OK);
        nbroken += !holds;
        broken = holds ? broken : t->constraint[i].why;
    }
    if (nbroken != (r->why != NULL) || (r->why && strncmp(broken, r->why, strlen(r->why)) != 0))
        fail_msg("%s %s %s: %d constraints do not hold, the last is that %s", r->template, r->target, r->values,
                 nbroken, broken ? broken : "-");
    Candidate c;
    assert_true(candidate_from_values(t, target, value, &c));
    assert_int_equal(candidate_fits(&c, spec, &machine), !r->why);
}

TEST(each_constraint_at_its_limit)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        check_row(&rows[i]);
}

TEST_FILE(setup, teardown)
