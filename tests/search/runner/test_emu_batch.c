/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA templates of batch_matmul, executed by the emulator: each with the element types and layouts that it serves, on small problems
 * with tails on every axis. Their matrices lie densely, with gaps between rows or batches, in rows that are aligned to 16 bytes whatever the
 * type, as heads inside longer rows, or are the same for all batches; half of the kernels add a bias. What lies between the elements is NaN, and stays as it is.
 *
 *   ctest: emulator label=slow timeout=600 cost=150
 */
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include "tests/search/runner/emu_kernel.h"

enum { B0, B1, M, N, K, NEXTENT };
enum { A, B, Y, NMATRIX };
enum { NSTRIDE = 3 };

static const char *const kernels[] = {
    "simt_bmm sm_80 f32 NK+bias BM=32 BN=32 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4",
    "simt_bmm sm_90a f32 KN+bias BM=96 BN=96 TM=6 TN=12",
    "simt_bmm sm_90a f32 NK BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 FIXED_K=24",
    "simt_bmm sm_75 f32 KN+bias BM=32 BN=96 TM=4 TN=6",
    "simt_bmm sm_75 f32 NK SPLITK=2",
    "mma_bmm sm_80 tf32 NK+bias BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3",
    "mma_bmm sm_90a tf32 KN",
    "mma_bmm sm_90a f16 KN+bias BM=32 BN=96 WM=16 WN=32 SPLITK=2",
    "mma_bmm sm_80 f16 NK BM=32 BN=96 WM=16 WN=32 ROW=128",
    "mma_bmm sm_90a bf16 NK+bias BM=128 BN=128 WM=64 WN=32 GROUP=8 FIXED_K=24",
    "mma_bmm sm_80 bf16 KN",
    "simt_bmm sm_75 f32 KM:NK BM=96 BN=64 TM=6 TN=8 BK=16",
    "simt_bmm sm_80 f32 KM:KN BM=32 BN=32 TM=4 TN=4 BK=32 SPLITK=4",
    "simt_bmm sm_90a f32 KM:KN BM=96 BN=96 TM=6 TN=12",
    "simt_bmm sm_90a f32 KM:NK+bias BM=128 BN=128 TM=8 TN=16 BK=8 STAGES=4 GROUP=8 FIXED_K=24",
    "mma_bmm sm_80 tf32 KM:NK BM=16 BN=32 WM=16 WN=16 ROW=128",
    "mma_bmm sm_90a tf32 KM:KN BM=32 BN=96 WM=32 WN=32 SPLITK=3",
    "mma_bmm sm_90a f16 KM:KN+bias BM=16 BN=32 WM=16 WN=16 ROW=128",
    "mma_bmm sm_80 f16 KM:NK BM=64 BN=96 WM=64 WN=32 ROW=64 SPLITK=2",
    "mma_bmm sm_90a bf16 KM:NK BM=128 BN=128 WM=64 WN=32 GROUP=8 FIXED_K=24",
    "mma_bmm sm_80 bf16 KM:KN+bias BM=32 WM=16",
    "tiny_bmm sm_75 f32 NK+bias",
    "tiny_bmm sm_90a f32 KN TOGETHER=8 BM=8 TM=2 BK=16",
    "tiny_bmm sm_80 f32 KM:NK+bias TOGETHER=2 BN=32 TN=4",
    "tiny_mma_bmm sm_80 f16 NK",
    "tiny_mma_bmm sm_90a f16 KN+bias TOGETHER=8 BN=16 WN=16",
    "tiny_mma_bmm sm_80 f16 KM:KN TOGETHER=2 BM=32 WM=32 ROW=128",
    "tiny_mma_bmm sm_90a bf16 KN+bias TOGETHER=2 BN=64 STAGES=4",
    "tiny_mma_bmm sm_80 bf16 KM:NK TOGETHER=4 BM=32 WM=16",
    "tiny_mma_bmm sm_90a tf32 NK+bias TOGETHER=8 BN=16 WN=16",
    "tiny_mma_bmm sm_80 tf32 KM:KN TOGETHER=2 BM=32 BN=16 WM=32 WN=16 ROW=128",
    "gemv_bmm sm_75 f32 NK+bias ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4",
    "gemv_bmm sm_90a f16 NK ROWS=8 COLS=4 UNROLL=1",
    "gemv_bmm sm_80 bf16 KN+bias ROWS=4 LANES=8 UNROLL=1 SPLITK=2",
    "gemv_bmm sm_90a f32 KN ROWS=2 COLS=2 UNROLL=2",
    "gemv_bmm sm_75 f16 KM:NK+bias",
    "gemv_bmm sm_75 bf16 KM:KN ROWS=2 LANES=8 UNROLL=1 SPLITK=2",
    "gemv_bmm sm_75 tf32 KM:NK ROWS=2 WARPS=4 KWARPS=4 SPLITK=4",
    "gemv_bmm sm_90a f32 KM:KN+bias ROWS=4 COLS=2 UNROLL=1",
    "mma_gemv_bmm sm_80 f16 NK+bias ROWS=8 COLS=16 UNROLL=2 SPLITK=4",
    "mma_gemv_bmm sm_90a bf16 KN ROWS=8",
};
enum { NKERNEL = sizeof kernels / sizeof *kernels };

/* Rows of 24, 64, 72 or 136 elements are aligned to 16 bytes whatever the type, of 34 or 70 to 4, of 35 to an element. Where A is KM rows along
 * m count, too, and where B then is KN no row runs along k. In the last there is nothing to sum up. */
static const int64_t shapes[][NEXTENT] = { { 1, 1, 1, 1, 1 },     { 3, 2, 33, 70, 72 },  { 2, 3, 5, 35, 35 },
                                           { 1, 4, 19, 136, 70 }, { 2, 1, 65, 64, 24 },  { 5, 7, 1, 8, 264 },
                                           { 1, 2, 72, 70, 24 },  { 2, 1, 64, 136, 35 }, { 1, 2, 70, 34, 33 },
                                           { 1, 7, 16, 32, 64 },  { 11, 1, 15, 33, 40 }, { 3, 5, 17, 31, 17 },
                                           { 2, 2, 3, 7, 0 } };
enum { NSHAPE = sizeof shapes / sizeof *shapes };

typedef enum { GAPS_A, GAPS_B, GAPS_Y, DENSELY, GAPS_BATCH, LONG_ROWS, AS_HEADS, SAME_FOR_ALL, NLAY } Lay;
static const char *const lay_names[NLAY] = { "with gaps in A", "with gaps in B",     "with gaps in Y",
                                             "densely",        "with batches apart", "in long rows",
                                             "as heads",       "the same for all" };

/* An operand but the bias: `rows` rows of `columns` elements a batch. */
typedef struct {
    int64_t rows, columns, stride[NSTRIDE], span; /* span: elements from the first to behind the last */
    EmuPlace place;
} Matrix;

static bool is_kn(const EmuKernel *k) { return strcmp(k->layout, "KN") == 0; }

static Matrix matrix_of(const EmuKernel *k, const int64_t *e, int operand, Lay lay)
{
    Matrix m = { .rows = e[operand == B ? N : M], .columns = e[operand == Y ? N : K] };
    if (operand == A ? k->a_is_km : operand == B && is_kn(k))
        m = (Matrix){ .rows = m.columns, .columns = m.rows };
    const int64_t gap = lay == (Lay)operand ? 3 : lay == LONG_ROWS ? 32 - m.columns % 16 : 0, apart = lay == GAPS_BATCH;
    int64_t *s = m.stride;
    s[2] = m.columns + gap;
    s[1] = m.rows * s[2] + apart;
    s[0] = e[B1] * s[1] + apart;
    if (lay == AS_HEADS) { /* [B0][rows][B1][columns] */
        s[1] = m.columns;
        s[2] = e[B1] * m.columns;
        s[0] = m.rows * s[2];
    }
    if (lay == SAME_FOR_ALL && operand == B)
        s[0] = s[1] = 0;
    if (m.rows > 0 && m.columns > 0)
        m.span = (e[B0] - 1) * s[0] + (e[B1] - 1) * s[1] + (m.rows - 1) * s[2] + m.columns;
    return m;
}

static int64_t at(const Matrix *m, int64_t b0, int64_t b1, int64_t row, int64_t column)
{
    return b0 * m->stride[0] + b1 * m->stride[1] + row * m->stride[2] + column;
}

/* Of each element of the span: is it one of the matrix? */
static unsigned char *elements_of(const Matrix *m, const int64_t *e)
{
    unsigned char *is = calloc((size_t)m->span + 1, 1);
    assert_non_null(is);
    for (int64_t i = 0; m->columns > 0 && i < e[B0] * e[B1] * m->rows * m->columns; i++) {
        const int64_t row = i / m->columns, batch = row / m->rows;
        is[at(m, batch / e[B1], batch % e[B1], row % m->rows, i % m->columns)] = 1;
    }
    return is;
}

/* Elements are random numbers, all else is NaN: every bit is set. */
static void make(Matrix *m, const Dtype *dtype, const int64_t *e, int operand)
{
    unsigned char *is = elements_of(m, e);
    m->place = emu_place((size_t)m->span * dtype->bytes, 0);
    emu_fill(dtype, m->place.at, m->span, (uint64_t)operand);
    for (int64_t i = 0; i < m->span; i++)
        if (!is[i] || operand == Y)
            memset((char *)m->place.at + (size_t)i * dtype->bytes, 0xff, dtype->bytes);
    free(is);
}

/* The element at row m or column n of the product, and k. */
static double element(const EmuKernel *k, const Matrix *m, bool across_k, const int64_t *batch, int64_t mn, int64_t c)
{
    return dtype_load(k->dtype, m->place.at, at(m, batch[0], batch[1], across_k ? c : mn, across_k ? mn : c));
}

static void check_element(const EmuKernel *k, const Matrix *m, const void *bias, const int64_t *e, Lay lay,
                          const int64_t *i)
{
    double sum = bias ? dtype_load(k->dtype, bias, i[3]) : 0, bound = fabs(sum);
    for (int64_t c = 0; c < e[K]; c++) {
        const double term = element(k, &m[A], k->a_is_km, i, i[2], c) * element(k, &m[B], is_kn(k), i, i[3], c);
        sum += term;
        bound += fabs(term);
    }
    const double y = dtype_load(k->dtype, m[Y].place.at, at(&m[Y], i[0], i[1], i[2], i[3]));
    if (!(fabs(y - sum) <= dtype_tolerance(k->dtype, (double)e[K] + 1, bound, sum)))
        fail_msg("%s, %d x %d x M=%d N=%d K=%d %s: Y[%d][%d][%d][%d] is %g instead of %g", k->text, (int)e[B0],
                 (int)e[B1], (int)e[M], (int)e[N], (int)e[K], lay_names[lay], (int)i[0], (int)i[1], (int)i[2],
                 (int)i[3], y, sum);
}

static void check_result(const EmuKernel *k, const Matrix *m, const void *bias, const int64_t *e, Lay lay)
{
    for (int64_t i = 0; i < e[B0] * e[B1] * e[M] * e[N]; i++) {
        const int64_t row = i / e[N], batch = row / e[M];
        check_element(k, m, bias, e, lay, (int64_t[]){ batch / e[B1], batch % e[B1], row % e[M], i % e[N] });
    }
    unsigned char *is = elements_of(&m[Y], e);
    for (int64_t i = 0; i < m[Y].span * (int64_t)k->dtype->bytes; i++)
        if (!is[i / (int64_t)k->dtype->bytes] && ((unsigned char *)m[Y].place.at)[i] != 0xff)
            fail_msg("%s %s: byte %d between elements of Y is written", k->text, lay_names[lay], (int)i);
    free(is);
}

static void call(const EmuKernel *k, const EmuEntry *entry, const int64_t *e, Lay lay)
{
    static const char *const names[NMATRIX] = { "A", "B", "Y" };
    Emu emu = { .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    const size_t elem = k->dtype->bytes, bias_bytes = (size_t)e[N] * elem;
    int64_t extent[NEXTENT + NMATRIX * NSTRIDE];
    Matrix m[NMATRIX];
    EmuPlace bias = emu_place(bias_bytes, elem);
    memcpy(extent, e, NEXTENT * sizeof *e);
    for (int i = 0; i < NMATRIX; i++) {
        m[i] = matrix_of(k, e, i, lay);
        make(&m[i], k->dtype, e, i);
        memcpy(extent + NEXTENT + i * NSTRIDE, m[i].stride, sizeof m[i].stride);
        emu_add_region(&emu, i == Y ? EMU_OUTPUT : EMU_INPUT, names[i], m[i].place.at, (size_t)m[i].span * elem,
                       (unsigned)elem);
    }
    emu_fill(k->dtype, bias.at, e[N], 3);
    if (k->has_bias)
        emu_add_region(&emu, EMU_INPUT, "bias", bias.at, bias_bytes, (unsigned)elem);
    void *operand[] = { m[A].place.at, m[B].place.at, k->has_bias ? bias.at : m[Y].place.at, m[Y].place.at };
    const size_t workspace_bytes = (size_t)entry->workspace(extent, 1);
    EmuPlace workspace = emu_place(workspace_bytes, 0);
    memset(workspace.at, 0, workspace_bytes);
    emu_add_region(&emu, EMU_WORKSPACE, "workspace", workspace.at, workspace_bytes, sizeof(float));
    emu_begin(&emu);
    const int code = entry->launch(extent, operand, workspace_bytes ? workspace.at : NULL, NULL);
    emu_end(&emu);
    if (code != 0 || emu.nfinding > 0)
        fail_msg("%s, M=%d N=%d K=%d %s: %s", k->text, (int)e[M], (int)e[N], (int)e[K], lay_names[lay],
                 emu.nfinding ? emu.finding[0].text : emu.refusal);
    check_result(k, m, k->has_bias ? bias.at : NULL, e, lay);
    for (int i = 0; i < NMATRIX; i++)
        free(m[i].place.memory);
    free(bias.memory);
    free(workspace.memory);
}

/* A third of the ways to lie for each kernel and shape, other ones for the next. */
TEST(kernels_are_right)
{
    EmuWorld *w = *state;
    for (int i = 0; i < NKERNEL; i++) {
        const EmuEntry entry = emu_entry(&w->kernel[i]);
        for (int j = 0; j < NSHAPE; j++)
            for (int lay = (i + j) % 3; lay < NLAY; lay += 3)
                call(&w->kernel[i], &entry, shapes[j], (Lay)lay);
        dlclose(entry.so);
    }
}

static int set_up(void **state)
{
    EmuWorld *w = *state = emu_world(NKERNEL);
    for (int i = 0; w && i < NKERNEL; i++)
        emu_world_take(w, i, kernels[i], "shapes = ( { B0 = 2; B1 = 1; M = 65; N = 64; K = 24; } );", false);
    if (w)
        emu_world_build(w);
    return w ? 0 : -1;
}

TEST_FILE(set_up, emu_world_free)
TEST_NEEDS(emu_compiler_is_here)
