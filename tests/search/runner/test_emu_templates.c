/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA templates of dense, executed by the emulator on small operands with tails on every axis: each template with each element type and
 * layout that it serves, sums split and not, rows of tiles in groups, extents fixed and others, asynchronous copies and none. Each element
 * is compared with the definition, and the emulator has nothing to say; tiles are read from shared memory without conflicts of banks.
 * Operands are as long as they are, and begin on an address that is aligned to 256 bytes; then one of them, or all, on one that is aligned
 * to its element alone.
 *
 *   ctest: emulator label=slow timeout=300 cost=10
 */
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/search/runner/emu_kernel.h"

enum { M, N, K };
enum { X, W, BIAS, Y, NOPERAND };
enum { COUNTERS = 4096, MOST_SHAPES = 8, ALL_SHIFTED = (1 << NOPERAND) - 1 };

typedef enum {
    NOTHING = false,
    ADDED = true,
    GELU
} Epilogue; /* GELU: of the sum and the bias, in a loop over sums in shared memory */

typedef struct {
    const char *kernel;
    Epilogue bias;
    bool packed;
    int64_t extent[MOST_SHAPES][3];
} Case;

/* Rows of 72 elements are aligned to 16 bytes whatever the type, of 70 to 4, of 35 to an element. */
#define ANY \
    { 1, 1, 1 }, { 33, 70, 72 }, { 5, 35, 35 }, { 19, 136, 70 }, { 3, 7, 0 }

static const Case cases[] = {
    { "simt_gemm sm_80 f32 NK BM=32 BN=32 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", true, false, { ANY, { 33, 40, 200 } } },
    { "simt_gemm sm_80 f32 KN BM=96 BN=96 TM=6 TN=12", false, true, { ANY, { 97, 100, 40 } } },
    { "simt_gemm sm_90a f32 NK BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 FIXED_K=24",
      true,
      true,
      { { 1100, 260, 24 }, { 9, 130, 24 }, { 9, 130, 20 }, { 1030, 128, 24 } } },
    { "simt_gemm sm_90a f32 KN BM=64 BN=256 TM=8 TN=16 BK=8 FIXED_K=40 FIXED_N=68",
      true,
      false,
      { { 65, 68, 40 }, { 7, 68, 40 }, { 65, 64, 40 }, { 5, 68, 36 }, { 65, 300, 40 } } },
    { "simt_gemm sm_75 f32 NK SPLITK=2", false, false, { ANY } },
    { "simt_gemm sm_75 f32 KN BM=32 BN=96 TM=4 TN=6", true, false, { ANY } },
    { "mma_gemm sm_80 tf32 NK BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3", true, false, { ANY, { 33, 65, 200 } } },
    { "mma_gemm sm_90a tf32 KN", false, true, { ANY } },
    { "mma_gemm sm_90a tf32 NK BM=128 BN=256 WM=64 WN=64",
      true,
      false,
      { { 129, 257, 24 }, { 3, 9, 20 } } }, /* Y is larger than the stages */
    { "mma_gemm sm_80 f16 NK BM=32 BN=96 WM=16 WN=32 ROW=128", true, true, { ANY, { 34, 104, 136 } } },
    { "mma_gemm sm_90a f16 KN BM=32 BN=96 WM=16 WN=32 SPLITK=2", false, false, { ANY, { 34, 104, 136 } } },
    { "mma_gemm sm_90a bf16 NK BM=128 BN=128 WM=64 WN=32 GROUP=8 FIXED_K=64",
      true,
      false,
      { { 1100, 260, 64 }, { 9, 136, 64 }, { 9, 136, 72 }, { 1030, 128, 64 } } },
    { "mma_gemm sm_80 bf16 KN FIXED_K=64 FIXED_N=72",
      true,
      false,
      { { 65, 72, 64 }, { 5, 72, 64 }, { 65, 80, 64 }, { 5, 72, 40 } } },
    { "simt_gemm sm_80 f32 NK BM=96 BN=96 TM=6 TN=12", GELU, false, { ANY, { 97, 100, 40 } } },
    { "simt_gemm sm_80 f32 KN BM=128 BN=128 TM=8 TN=16 BK=8 SPLITK=2", GELU, false, { ANY } }, /* in four rounds */
    { "mma_gemm sm_80 tf32 KN BM=32 BN=64 WM=32 WN=32", GELU, false, { ANY } },
    { "mma_gemm sm_90a bf16 NK BM=128 BN=128 WM=64 WN=64", GELU, true, { ANY, { 130, 136, 40 } } }, /* in two rounds */
    { "gemv sm_75 f32 NK ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4",
      true,
      false,
      { ANY, { 3, 5, 8300 }, { 3, 450, 2100 } } },
    { "gemv sm_90a f16 NK ROWS=8 COLS=4 UNROLL=1", false, true, { ANY, { 9, 33, 520 } } },
    { "gemv sm_80 bf16 KN ROWS=4 LANES=8 UNROLL=1 SPLITK=2", true, false, { ANY, { 5, 72, 520 } } },
    { "gemv sm_90a f32 KN ROWS=2 COLS=2 UNROLL=2", false, false, { ANY, { 5, 300, 136 } } },
    { "mma_gemv sm_80 f16 NK ROWS=8 COLS=16 UNROLL=2 SPLITK=4",
      true,
      false,
      { ANY, { 9, 17, 2104 }, { 8, 15, 1001 } } },
    { "mma_gemv sm_90a bf16 NK ROWS=16 COLS=32 WARPS=8 KWARPS=1 UNROLL=2", false, true, { ANY, { 17, 257, 328 } } },
    { "mma_gemv sm_90a bf16 KN ROWS=8", true, false, { ANY, { 7, 136, 1032 }, { 8, 65, 129 } } },
    { "mma_gemv sm_86 f16 KN ROWS=16 WARPS=8 KWARPS=8 SPLITK=2", true, false, { ANY, { 15, 128, 776 } } },
};
enum { NCASE = sizeof cases / sizeof *cases };

/* ---- a call */

static int64_t elems_of(const int64_t *e, int operand)
{
    return operand == X ? e[M] * e[K] : operand == W ? e[N] * e[K] : operand == BIAS ? e[N] : e[M] * e[N];
}

/* W as the kernel takes it: packed, each row begins on a multiple of 16 bytes. */
static EmuPlace pack(const EmuKernel *k, const EmuEntry *e, const int64_t *extent, const void *w, size_t *bytes)
{
    dcgen_packed_bytes_fn *packed_bytes;
    dcgen_pack_fn *pack_it;
    *(void **)&packed_bytes = dlsym(e->so, "dcgen_packed_bytes");
    *(void **)&pack_it = dlsym(e->so, "dcgen_pack");
    assert_true(packed_bytes && pack_it);
    const bool kn = strcmp(k->layout, "KN") == 0;
    const size_t row = (size_t)extent[kn ? N : K] * k->dtype->bytes, pitch = (row + 15) / 16 * 16;
    *bytes = (size_t)packed_bytes(extent);
    assert_int_equal(*bytes, pitch * (size_t)extent[kn ? K : N]);
    EmuPlace p = emu_place(*bytes, 0);
    memset(p.memory, 0xff, *bytes);
    assert_int_equal(pack_it(extent, w, p.at), 0);
    for (int64_t r = 0; r < extent[kn ? K : N]; r++)
        assert_memory_equal((char *)p.at + (size_t)r * pitch, (const char *)w + (size_t)r * row, row);
    return p;
}

static void check_result(const EmuKernel *k, const int64_t *e, const EmuPlace *p, const void *w, Epilogue bias)
{
    const bool kn = strcmp(k->layout, "KN") == 0;
    for (int64_t i = 0; i < e[M] * e[N]; i++) {
        const int64_t m = i / e[N], n = i % e[N];
        double sum = bias ? dtype_load(k->dtype, p[BIAS].at, n) : 0, bound = fabs(sum);
        for (int64_t c = 0; c < e[K]; c++) {
            const double term =
                dtype_load(k->dtype, p[X].at, m * e[K] + c) * dtype_load(k->dtype, w, kn ? c * e[N] + n : n * e[K] + c);
            sum += term;
            bound += fabs(term);
        }
        if (bias == GELU) /* as steep as 1.13 */
            sum *= erfc(-sum / sqrt(2)) / 2, bound = 1.13 * bound + 0.14;
        const double y = dtype_load(k->dtype, p[Y].at, i);
        if (!(fabs(y - sum) <= dtype_tolerance(k->dtype, (double)e[K] + 1, bound, sum)))
            fail_msg("%s, M=%d N=%d K=%d: Y[%d][%d] is %g instead of %g", k->text, (int)e[M], (int)e[N], (int)e[K],
                     (int)m, (int)n, y, sum);
    }
}

/* Blocks that share out the sum over k, of the tiles' own formula: a workspace has their counters and sums. */
static size_t workspace_of(const EmuKernel *k, const int64_t *e)
{
    const int64_t *tile = k->tile, ntile = (e[M] + tile[M] - 1) / tile[M] * ((e[N] + tile[N] - 1) / tile[N]);
    const int64_t blocks = e[K] ? (e[K] + tile[K] - 1) / tile[K] : 1, split = emu_kernel_value(k, "SPLITK");
    const int64_t nslice = (blocks + (blocks + split - 1) / split - 1) / ((blocks + split - 1) / split);
    return split > 1 && nslice > 1 && ntile <= COUNTERS ? 4 * (size_t)(COUNTERS + ntile * nslice * tile[M] * tile[N])
                                                        : 0;
}

/* Operands of the set `shifted` begin an element behind an aligned address. */
static EmuCounts call(const Case *c, const EmuKernel *k, const EmuEntry *entry, const int64_t *e, unsigned shifted)
{
    static const char *const names[NOPERAND] = { "X", "W", "bias", "Y" };
    Emu emu = { .count = true, .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    EmuPlace p[NOPERAND], packed = { 0 };
    void *operand[NOPERAND]; /* without a bias the output stands in its place */
    size_t bytes[NOPERAND];
    for (int i = 0; i < NOPERAND; i++) {
        bytes[i] = (size_t)elems_of(e, i) * k->dtype->bytes;
        p[i] = emu_place(bytes[i], (shifted >> i & 1) * k->dtype->bytes);
        operand[i] = p[i].at;
        emu_fill(k->dtype, p[i].at, elems_of(e, i), (uint64_t)i);
    }
    memset(p[Y].at, 0xff, bytes[Y]);
    if (c->packed && e[K]) {
        packed = pack(k, entry, e, p[W].at, &bytes[W]);
        operand[W] = packed.at;
    }
    const size_t workspace_bytes = (size_t)entry->workspace(e, 1);
    assert_int_equal(workspace_bytes, workspace_of(k, e));
    EmuPlace workspace = emu_place(workspace_bytes, 0);
    memset(workspace.at, 0, workspace_bytes);
    for (int i = 0; i < NOPERAND; i++)
        if (i != BIAS || c->bias)
            emu_add_region(&emu, i == Y ? EMU_OUTPUT : EMU_INPUT, names[i], operand[i], bytes[i],
                           (unsigned)k->dtype->bytes);
    emu_add_region(&emu, EMU_WORKSPACE, "workspace", workspace.at, workspace_bytes, sizeof(float));
    if (!c->bias)
        operand[BIAS] = operand[Y];
    emu_begin(&emu);
    const int code = entry->launch(e, operand, workspace_bytes ? workspace.at : NULL, NULL);
    emu_end(&emu);
    if (code != 0 || emu.nfinding > 0)
        fail_msg("%s, M=%d N=%d K=%d: %s", k->text, (int)e[M], (int)e[N], (int)e[K],
                 emu.nfinding ? emu.finding[0].text : emu.refusal);
    check_result(k, e, p, p[W].at, c->bias);
    for (int i = 0; i < NOPERAND; i++)
        free(p[i].memory);
    free(packed.memory);
    free(workspace.memory);
    return emu.counts;
}

/* ---- tests */

/* Swizzles and pitches keep banks apart; where rows of Y are no power of two a few stores meet. */
static void check_call(const Case *c, const EmuKernel *k, const EmuEntry *entry, const int64_t *e, unsigned shifted)
{
    const EmuCounts n = call(c, k, entry, e, shifted);
    if (!strstr(k->template, "gemv") && n.conflicts * 100 > n.wavefronts)
        fail_msg("%s: %d conflicts in %d wavefronts", k->text, (int)n.conflicts, (int)n.wavefronts);
}

TEST(kernels_are_right)
{
    EmuWorld *w = *state;
    for (int i = 0; i < NCASE; i++) {
        const EmuEntry entry = emu_entry(&w->kernel[i]);
        for (int j = 0; j < MOST_SHAPES && cases[i].extent[j][M]; j++) {
            check_call(&cases[i], &w->kernel[i], &entry, cases[i].extent[j], 0);
            for (int operand = 0; operand < NOPERAND && cases[i].extent[j][M] < 100; operand++)
                check_call(&cases[i], &w->kernel[i], &entry, cases[i].extent[j], 1u << operand);
        }
        check_call(&cases[i], &w->kernel[i], &entry, cases[i].extent[1], ALL_SHIFTED);
        dlclose(entry.so);
    }
}

/* As many tiles as there are counters are split, more are not. */
TEST(counters_bound_the_split)
{
    EmuWorld *w = *state;
    int nsplit = 0;
    for (int i = 0; i < NCASE; i++) {
        const EmuKernel *k = &w->kernel[i];
        const EmuEntry entry = emu_entry(k);
        const int64_t most[] = { 64 * k->tile[M], 64 * k->tile[N], 8 * k->tile[K] },
                      more[] = { most[M], most[N] + 1, most[K] };
        const int64_t split = emu_kernel_value(k, "SPLITK");
        assert_int_equal(entry.workspace(most, 1),
                         split > 1 ? 4 * (COUNTERS + COUNTERS * split * k->tile[M] * k->tile[N]) : 0);
        assert_int_equal(entry.workspace(more, 1), 0);
        nsplit += split > 1;
        dlclose(entry.so);
    }
    assert_in_range(nsplit, 5, NCASE);
}

/* A name of the kernel's head, for a call; -1: it has none such. */
static int64_t head(const EmuKernel *k, const int64_t *extent, const char *name)
{
    int64_t value;
    Binding b = { k->t, k->spec, k->target, &k->device, k->value, extent, 1, { 0 }, false };
    return template_lookup(&b, name, &value) ? value : -1;
}

/* What a block of k costs in shared memory, and what slices hand on: counted as the difference of two calls. */
TEST(heads_say_what_kernels_do)
{
    EmuWorld *w = *state;
    int nlds = 0, nsplit = 0;
    for (int i = 0; i < NCASE; i++) {
        const EmuKernel *k = &w->kernel[i];
        const EmuEntry entry = emu_entry(k);
        const int64_t split = emu_kernel_value(k, "SPLITK"), deep = 4 * split * k->tile[K];
        const int64_t once[] = { k->tile[M], k->tile[N], deep }, twice[] = { k->tile[M], k->tile[N], 2 * deep },
                      ragged[] = { k->tile[M] + 1, k->tile[N] + 16, deep }, whole[] = { ragged[M], ragged[N], 8 };
        const int64_t lds = head(k, once, "LDS"), passed = head(k, ragged, "PASSED");
        const EmuCounts c1 = call(&cases[i], k, &entry, once, 0), c2 = call(&cases[i], k, &entry, twice, 0);
        if (lds >= 0 && c2.wavefronts - c1.wavefronts != lds * 4 * split)
            fail_msg("%s: %d wavefronts for %d blocks of k, not %d each", k->text, (int)(c2.wavefronts - c1.wavefronts),
                     (int)(4 * split), (int)lds);
        const EmuCounts r = call(&cases[i], k, &entry, ragged, 0), s = call(&cases[i], k, &entry, whole, 0);
        /* a sector for each change of a counter, besides */
        const int64_t change = passed ? head(k, ragged, "BLOCKS") + head(k, ragged, "TILES") : 0;
        if (r.sectors_written - s.sectors_written != passed / 8 + change)
            fail_msg("%s: %d sectors handed on, not %d", k->text, (int)(r.sectors_written - s.sectors_written - change),
                     (int)(passed / 8));
        nlds += lds >= 0;
        nsplit += passed > 0;
        dlclose(entry.so);
    }
    assert_in_range(nlds, 10, NCASE);
    assert_in_range(nsplit, 5, NCASE);
}

static const char *const epilogues[] = { "", "epilogue = [\"bias\"];", "epilogue = \"gelu(acc + bias[n])\";" };

static const char *spec_rest(EmuWorld *w, const Case *c)
{
    return arena_printf(w->a, "%s shapes = ( { M = %" PRId64 "; N = %" PRId64 "; K = %" PRId64 "; } );",
                        epilogues[c->bias], c->extent[0][M], c->extent[0][N], c->extent[0][K]);
}

static int set_up(void **state)
{
    EmuWorld *w = *state = emu_world(NCASE);
    for (int i = 0; w && i < NCASE; i++)
        emu_world_take(w, i, cases[i].kernel, spec_rest(w, &cases[i]), cases[i].packed);
    if (w)
        emu_world_build(w);
    return w ? 0 : -1;
}

TEST_FILE(set_up, emu_world_free)
TEST_NEEDS(emu_compiler_is_here)
