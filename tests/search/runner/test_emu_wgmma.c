/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma and tensor maps in the emulator, in a kernel in C: each type, size, swizzle and order of operands against plain
 * arithmetic, boxes that reach beyond their tensor; and what tensor maps are refused for.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <stdlib.h>
#include "search/runner/emu/matrix.h"
#include "tests/search/runner/emu_call.h"
#include "tests/search/runner/emu_hopper.h"

enum { M = 64, MAX_N = 256, MAX_K = 64, THREADS = 128, A_BYTES = M * 128, SMEM = 1024 + A_BYTES + MAX_N * 128 + 8 };

typedef enum { F16, BF16, TF32 } Kind;

/* A product: K is as many as there are in the swizzle's bytes, 32 bytes without one. */
static struct {
    Kind kind;
    int n, k;
    unsigned swizzle;
    bool a_in_registers, b_across, add;
    int rows, columns, depth; /* of the tensors: boxes reach beyond them */
    CUtensorMap a, b;
} run;

static uint32_t a[M * MAX_K], b[MAX_N * MAX_K];
static float y[M][MAX_N];

static unsigned elem_bytes(void) { return run.kind == TF32 ? 4 : 2; }
static int number_at(int row, int k) { return (row * 7 + k * 13) % 9 - 4; }

/* A small whole number as an element, in its last bytes. */
static uint32_t element(int x)
{
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return run.kind == TF32 ? bits | 0x1fff * (x != 0) : run.kind == BF16 ? bits >> 16 : half_of(x);
}

/* Copies an operand to shared memory, along k or, `across`, along its rows. Gives the bytes of its boxes. */
PLAIN int copy_operand(unsigned char *to, const CUtensorMap *map, uint64_t *bar, int rows, bool across, bool starts)
{
    const int es = (int)elem_bytes(), span = run.swizzle ? (int)run.swizzle : 16, in_span = span / es;
    const int along = across ? rows : run.k, other = across ? run.k : rows;
    for (int i = 0; starts && i < along; i += in_span)
        dcgen_emu_tensor_load(to + i / in_span * other * span, map, bar, 2, (int[]){ i, 0 }, 2);
    return along * other * es;
}

PLAIN uint64_t descriptor(const unsigned char *p, int rows, bool across, int k)
{
    const unsigned es = elem_bytes(), swizzle = run.swizzle, span = swizzle ? swizzle : 16,
                   other = across ? run.k : rows;
    const uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    unsigned leading = other * span, stride = 8 * span, start = dcgen_emu_shared_address(p);
    if (across) {
        start += (unsigned)k * span;
        if (!swizzle) {
            leading = 8 * span;
            stride = other * span;
        }
    } else {
        start += swizzle ? (unsigned)k * es : (unsigned)k * es / 16 * leading;
    }
    return start >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | mode << 62;
}

PLAIN uint32_t fragment_word(unsigned t, unsigned r, int k)
{
    const unsigned row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2), es = elem_bytes(), in_word = 4 / es;
    uint32_t word = 0;
    for (unsigned i = 0; i < in_word; i++) {
        const int at = k + (int)(in_word * (t % 4) + i + 4 * in_word * (r / 2));
        const bool exists = (int)row < run.rows && at < run.depth;
        word |= (exists ? element(number_at((int)row, at)) : 0) << 16 * i;
    }
    return word;
}

KERNEL(multiply)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    unsigned char *at_a = shared + 1024 - dcgen_emu_shared_address(shared) % 1024, *at_b = at_a + A_BYTES;
    uint64_t *bar = (uint64_t *)(void *)(at_b + MAX_N * 128);
    const unsigned t = thread_of(), step = 32 / elem_bytes();
    float sum[MAX_N / 2];
    uint32_t fragment[MAX_K / 8][4];
    (void)p;
    for (int i = 0; i < run.n / 2; i++)
        sum[i] = 1;
    if (t == 0) {
        dcgen_emu_mbarrier_init(bar, 1, 1);
        dcgen_emu_mbarrier_init_fence();
        dcgen_emu_mbarrier_arrive(bar,
                                  copy_operand(at_a, &run.a, bar, M, false, false) +
                                      copy_operand(at_b, &run.b, bar, run.n, run.b_across, false),
                                  1);
        copy_operand(at_a, &run.a, bar, M, false, true);
        copy_operand(at_b, &run.b, bar, run.n, run.b_across, true);
    }
    dcgen_emu_barrier(3);
    dcgen_emu_mbarrier_wait(bar, 0, 4);
    for (unsigned k = 0; k < (unsigned)run.k; k += step)
        for (unsigned r = 0; r < 4; r++)
            fragment[k / step][r] = fragment_word(t, r, (int)k);
    dcgen_emu_wgmma_fence(5);
    for (int k = 0; k < run.k; k += (int)step)
        dcgen_emu_wgmma((int)run.kind, run.n, sum, run.a_in_registers ? 0 : descriptor(at_a, M, false, k),
                        run.a_in_registers ? fragment[(unsigned)k / step] : NULL,
                        descriptor(at_b, run.n, run.b_across, k), run.b_across, run.add || k > 0, 6);
    dcgen_emu_wgmma_commit();
    dcgen_emu_wgmma_wait(0, 7);
    for (unsigned i = 0; i < (unsigned)run.n / 2; i++) {
        float *to = &y[16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2)][8 * (i / 4) + 2 * (t % 4) + i % 2];
        __tsan_write4(to);
        *to = sum[i];
    }
}

static void put(uint32_t *tensor, size_t i, uint32_t value)
{
    if (elem_bytes() == 4)
        tensor[i] = value;
    else
        ((uint16_t *)(void *)tensor)[i] = (uint16_t)value;
}

/* Rows of a tensor as long as their stride, which tensor maps take in multiples of 16 bytes; what is behind is NaN. */
static void make_operand(uint32_t *tensor, CUtensorMap *map, int from, int rows, int depth, bool across, int box_rows)
{
    const unsigned es = elem_bytes(), span = run.swizzle ? run.swizzle : 16;
    const int along = across ? rows : depth, other = across ? depth : rows, ld = (along + 7) / 8 * 8;
    for (int i = 0; i < other; i++)
        for (int j = 0; j < ld; j++) {
            const int row = across ? j : i, k = across ? i : j;
            put(tensor, (size_t)(i * ld + j), j < along ? element(number_at(from + row, k)) : 0x7fffffff);
        }
    encode_map(map,
               run.kind == TF32   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
               : run.kind == BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                  : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
               tensor, (Extents){ (cuuint64_t)along, (cuuint64_t)other }, (Extents){ (cuuint64_t)ld * es },
               (Box){ span / es, (cuuint32_t)(across ? run.k : box_rows) },
               run.swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
               : run.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
               : run.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                   : CU_TENSOR_MAP_SWIZZLE_NONE);
}

static void check(void)
{
    Emu e = { .workers = 1, .block_budget = 1 << 22, .smem_limit = 227 << 10 };
    run.k = (int)((run.swizzle ? run.swizzle : 32) / elem_bytes());
    make_operand(a, &run.a, 0, run.rows, run.depth, false, M);
    make_operand(b, &run.b, 3, run.columns, run.depth, run.b_across, run.n);
    emu_add_region(&e, EMU_INPUT, "a", a, sizeof a, 2);
    emu_add_region(&e, EMU_INPUT, "b", b, sizeof b, 2);
    emu_add_region(&e, EMU_OUTPUT, "y", y, sizeof y, 4);
    emu_begin(&e);
    memset(y, 0xff, sizeof y);
    assert_int_equal(launch_row(multiply, NULL, 1, THREADS, SMEM), 0);
    if (e.nfinding)
        fail_msg("kind %d, n %d, swizzle %d, across %d: %s", run.kind, run.n, run.swizzle, run.b_across,
                 first_finding(&e));
    for (int m = 0; m < M; m++)
        for (int n = 0; n < run.n; n++) {
            int sum = run.add;
            for (int k = 0; k < run.k && k < run.depth && m < run.rows && n < run.columns; k++)
                sum += number_at(m, k) * number_at(n + 3, k);
            if (!(y[m][n] == (float)sum))
                fail_msg("kind %d, n %d, swizzle %d, across %d: %g instead of %d at %d, %d", run.kind, run.n,
                         run.swizzle, run.b_across, (double)y[m][n], sum, m, n);
        }
    emu_end(&e);
}

TEST(products_of_each_kind_and_order)
{
    static const unsigned swizzle[] = { 0, 32, 64, 128 };
    static const int sizes[] = { 64, 128, 192, 256 };
    for (int kind = F16; kind <= TF32; kind++)
        for (int s = 0; s < 4; s++)
            for (int way = 0; way < 8; way++) {
                run.kind = (Kind)kind;
                run.swizzle = swizzle[s];
                run.a_in_registers = way & 1;
                run.b_across = way & 2;
                run.add = way & 4;
                run.n = run.b_across ? sizes[(s + way) % 4] : 8 * (1 + (s * 8 + way * 5) % 32);
                run.rows = M - way * 3;
                run.columns = run.n - way % 3 * 5;
                run.depth = (int)((run.swizzle ? run.swizzle : 32) / elem_bytes()) - way % 4;
                if (kind != TF32 || !run.b_across)
                    check();
            }
}

/* ---- tensor maps ---- */

/* Every step-th row of a box, which may begin above the tensor and end below it. The step along a row is ignored. */
enum { COLUMNS = 8, BOX_ROWS = 3, TENSOR_ROWS = 10 };

static struct {
    CUtensorMap map;
    int first;
} copy;

KERNEL(copy_rows)
{
    float *shared = (float *)(void *)dcgen_emu_shared_memory();
    uint64_t *bar = (uint64_t *)(void *)(shared + COLUMNS * BOX_ROWS);
    const unsigned t = thread_of();
    (void)p;
    if (t == 0) {
        dcgen_emu_mbarrier_init(bar, 1, 1);
        dcgen_emu_mbarrier_init_fence();
        dcgen_emu_mbarrier_arrive(bar, COLUMNS * BOX_ROWS * 4, 1);
        dcgen_emu_tensor_load(shared, &copy.map, bar, 2, (int[]){ 0, copy.first }, 2);
    }
    dcgen_emu_barrier(3);
    dcgen_emu_mbarrier_wait(bar, 0, 4);
    for (unsigned i = t; i < COLUMNS * BOX_ROWS; i += THREADS) {
        float *to = &y[i / COLUMNS][i % COLUMNS];
        __tsan_read4(&shared[i]);
        __tsan_write4(to);
        *to = shared[i];
    }
}

TEST(boxes_take_every_so_manyth_row)
{
    static float tensor[TENSOR_ROWS][COLUMNS];
    for (int i = 0; i < TENSOR_ROWS * COLUMNS; i++)
        tensor[i / COLUMNS][i % COLUMNS] = (float)(i + 1);
    for (cuuint32_t step = 1; step <= 8; step++)
        for (copy.first = -9; copy.first <= TENSOR_ROWS; copy.first++) {
            Emu e = { .workers = 1, .block_budget = 1 << 22, .smem_limit = 227 << 10 };
            /* one more than a multiple of the step makes another row */
            assert_int_equal(cuTensorMapEncodeTiled(&copy.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor,
                                                    (Extents){ COLUMNS, TENSOR_ROWS }, (Extents){ COLUMNS * 4 },
                                                    (Box){ COLUMNS, (BOX_ROWS - 1) * step + 1 }, (Box){ 5, step },
                                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                             CUDA_SUCCESS);
            emu_add_region(&e, EMU_INPUT, "tensor", tensor, sizeof tensor, 4);
            emu_add_region(&e, EMU_OUTPUT, "y", y, sizeof y, 4);
            emu_begin(&e);
            assert_int_equal(launch_row(copy_rows, NULL, 1, THREADS, 1024), 0);
            if (e.nfinding)
                fail_msg("step %d: %s", (int)step, first_finding(&e));
            for (int i = 0; i < BOX_ROWS * COLUMNS; i++) {
                const int row = copy.first + i / COLUMNS * (int)step;
                const float want = row >= 0 && row < TENSOR_ROWS ? tensor[row][i % COLUMNS] : 0;
                assert_true(memcmp(&y[i / COLUMNS][i % COLUMNS], &want, sizeof want) == 0);
            }
            emu_end(&e);
        }
}

static CUresult encode_by(void *address, cuuint64_t extent, cuuint64_t stride, cuuint32_t box,
                          CUtensorMapSwizzle swizzle, cuuint32_t step)
{
    static CUtensorMap map;
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, (Extents){ extent, 10 },
                                  (Extents){ stride }, (Box){ box, 8 }, (Box){ 1, step }, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static CUresult encode(void *address, cuuint64_t extent, cuuint64_t stride, cuuint32_t box, CUtensorMapSwizzle swizzle)
{
    return encode_by(address, extent, stride, box, swizzle, 1);
}

TEST(what_tensor_maps_are_refused_for)
{
    assert_int_equal(encode(a, 33, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    assert_int_not_equal(encode((char *)a + 8, 33, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    assert_int_not_equal(encode(a, 0, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    assert_int_not_equal(encode(a, 33, 66, 64, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    assert_int_not_equal(encode(a, 33, 80, 72, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    assert_int_not_equal(encode(a, 33, 80, 4, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_SUCCESS);
    assert_int_not_equal(encode(a, 33, 80, 264, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_SUCCESS);
    assert_int_equal(encode_by(a, 33, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B, 8), CUDA_SUCCESS);
    assert_int_not_equal(encode_by(a, 33, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B, 0), CUDA_SUCCESS);
    assert_int_not_equal(encode_by(a, 33, 80, 64, CU_TENSOR_MAP_SWIZZLE_128B, 9), CUDA_SUCCESS);
    assert_non_null(dcgen_emu_driver_function("cuTensorMapEncodeTiled"));
    assert_null(dcgen_emu_driver_function("cuTensorMapEncodeIm2col"));
}

static int tear_down(void **state)
{
    emu_free();
    return 0;
}

TEST_FILE(NULL, tear_down)
