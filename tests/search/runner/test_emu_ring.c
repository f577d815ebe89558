/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix product as Hopper does it, in a kernel in C: a producer copies blocks of both operands by tensor maps to a
 * ring of stages in shared memory, a warpgroup of consumers multiplies them by wgmma, mbarriers tell both how far the
 * other one is, and the result goes out by a tensor map. It is right in any order; what is wrong with it is found.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <stdlib.h>
#include "templates/device/emulator/cuda.h"
#include "tests/search/runner/emu_call.h"
#include "tests/search/runner/emu_hopper.h"

enum {
    M = 64,
    N = 16,
    BK = 64, /* of 16 bits: 128 bytes, the widest swizzle */
    ROW = 2 * BK,
    MAX_STEPS = 16,
    MAX_STAGES = 7,
    STAGE = (M + N) * ROW,
    CONSUMERS = 128,
    THREADS = 2 * CONSUMERS,
    OUT_BYTES = M * N * 4,
    SMEM = 1024 + MAX_STAGES * STAGE + OUT_BYTES + 16 * MAX_STAGES
};

typedef enum {
    NO_FAULT,
    NO_INIT_FENCE,
    NO_WGMMA_FENCE,
    NO_PROXY_FENCE,
    REUSE_BEFORE_WAIT,
    FEWER_BYTES,
    MORE_BYTES,
    BYTES_OF_ONE,
    FULL_PARITY,
    EMPTY_PARITY,
    OTHER_SWIZZLE,
    OTHER_STRIDE,
    START_ASKEW,
    EARLY_SUMS,
    EARLY_WRITE,
    NO_WAIT_AT_END,
    EARLY_RELEASE,
    NO_RELEASE,
    EXIT_EARLY,
    STORE_UNREAD,
    PLAIN_WRITE,
    LONE_LANE,
    NO_MAP,
    NFAULT
} Fault;

/* What the kernel is told, but by its argument. */
static struct {
    CUtensorMap a, b, y;
    int stages, steps;
    Fault fault;
} run;

static uint16_t a[M][MAX_STEPS * BK], b[N][MAX_STEPS * BK];
static float y[M][N];

typedef struct {
    unsigned char *stage, *out;
    uint64_t *full, *empty;
} Place;

PLAIN Place places(void)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    const unsigned skew = dcgen_emu_shared_address(shared) % 1024;
    unsigned char *stage = shared + (1024 - skew) % 1024, *out = stage + MAX_STAGES * STAGE;
    uint64_t *full = (uint64_t *)(void *)(out + OUT_BYTES);
    return (Place){ stage, out, full, full + MAX_STAGES };
}

PLAIN void produce(Place p)
{
    for (int k = 0, s = 0, parity = 1; k < run.steps; k++) {
        const int wrong = 16 * (run.fault == MORE_BYTES) - 16 * (run.fault == FEWER_BYTES);
        const int bytes = run.fault == BYTES_OF_ONE ? M * ROW : STAGE + wrong;
        if (run.fault != REUSE_BEFORE_WAIT)
            dcgen_emu_mbarrier_wait(&p.empty[s], (unsigned)(parity ^ (run.fault == EMPTY_PARITY)), 10);
        dcgen_emu_mbarrier_arrive(&p.full[s], bytes, 11);
        dcgen_emu_tensor_load(p.stage + s * STAGE, run.fault == NO_MAP ? (void *)p.full : &run.a, &p.full[s], 2,
                              (int[]){ k * BK, 0 }, 12);
        dcgen_emu_tensor_load(p.stage + s * STAGE + M * ROW, &run.b, &p.full[s], 2, (int[]){ k * BK, 0 }, 13);
        if (++s == run.stages) {
            s = 0;
            parity ^= 1;
        }
    }
}

PLAIN uint64_t descriptor(const unsigned char *smem, unsigned stride)
{
    const uint64_t mode = run.fault == OTHER_SWIZZLE ? 2 : 1;
    return dcgen_emu_shared_address(smem) >> 4 | (uint64_t)1 << 16 | (uint64_t)(stride / 16) << 32 | mode << 62;
}

PLAIN void multiply(Place p, float *sum, int s, unsigned t)
{
    unsigned char *stage = p.stage + s * STAGE + (run.fault == START_ASKEW ? 16 : 0);
    if (run.fault == PLAIN_WRITE && s == 1)
        __tsan_write4(stage + 4 * t);
    if (run.fault != NO_WGMMA_FENCE)
        dcgen_emu_wgmma_fence(20);
    if (run.fault == LONE_LANE && t == 77)
        return;
    for (int i = 0; i < 4; i++)
        dcgen_emu_wgmma(0, N, sum, descriptor(stage, run.fault == OTHER_STRIDE ? 512 : 1024) + 2 * (unsigned)i, NULL,
                        descriptor(stage + M * ROW, 1024) + 2 * (unsigned)i, 0, 1, 21);
    dcgen_emu_wgmma_commit();
}

/* Keeps one product under way, so that a stage is free one step later. */
PLAIN void consume(Place p, unsigned t)
{
    float sum[N / 2] = { 0 };
    int s = 0, parity = 0, last = -1;
    for (int k = 0; k < run.steps; k++) {
        dcgen_emu_mbarrier_wait(&p.full[s], (unsigned)(parity ^ (run.fault == FULL_PARITY)), 22);
        multiply(p, sum, s, t);
        if (run.fault == EARLY_SUMS && t == 5)
            __tsan_read4(&sum[3]);
        if (run.fault == EARLY_WRITE && t == 5)
            __tsan_write4(&sum[3]);
        dcgen_emu_wgmma_wait(1, 23);
        const int freed = run.fault == EARLY_RELEASE ? s : last;
        if (t == 0 && freed >= 0 && run.fault != NO_RELEASE)
            dcgen_emu_mbarrier_arrive(&p.empty[freed], 0, 24);
        last = s;
        if (++s == run.stages) {
            s = 0;
            parity ^= 1;
        }
    }
    if (run.fault != NO_WAIT_AT_END)
        dcgen_emu_wgmma_wait(0, 25);
    __tsan_read4(p.stage + last * STAGE); /* nobody overwrites it */
    for (unsigned i = 0; i < N / 2; i++) {
        const unsigned row = 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2), col = 8 * (i / 4) + 2 * (t % 4) + i % 2;
        float *to = (float *)(void *)p.out + row * N + col;
        __tsan_read4(&sum[i]);
        __tsan_write4(to);
        *to = sum[i];
    }
    if (run.fault != NO_PROXY_FENCE)
        dcgen_emu_proxy_fence();
    dcgen_emu_barrier_sync(1, CONSUMERS, 26);
    if (t != 0)
        return;
    dcgen_emu_tensor_store(&run.y, p.out, 2, (int[]){ 0, 0 }, 27);
    dcgen_emu_bulk_commit();
    if (run.fault != STORE_UNREAD)
        dcgen_emu_bulk_wait_read(0);
}

KERNEL(product)
{
    const Place at = places();
    const unsigned t = thread_of();
    (void)p;
    if (t == 0) {
        for (int s = 0; s < run.stages; s++) {
            dcgen_emu_mbarrier_init(&at.full[s], 1, 1);
            dcgen_emu_mbarrier_init(&at.empty[s], 1, 2);
        }
        if (run.fault != NO_INIT_FENCE)
            dcgen_emu_mbarrier_init_fence();
    }
    dcgen_emu_barrier(3);
    if (t < CONSUMERS) {
        dcgen_emu_registers(40, 4);
        if (t == 0)
            produce(at);
    } else if (run.fault != EXIT_EARLY) {
        dcgen_emu_registers(232, 5);
        consume(at, t - CONSUMERS);
    }
}

/* Small whole numbers, so that sums are exact: as halves, and in words. */
static int number_at(int row, int k) { return (row * 7 + k * 13) % 9 - 4; }

static int set_up(void **state)
{
    for (int k = 0; k < MAX_STEPS * BK; k++) {
        for (int i = 0; i < M; i++)
            a[i][k] = half_of(number_at(i, k));
        for (int i = 0; i < N; i++)
            b[i][k] = half_of(number_at(i + 3, k));
    }
    return 0;
}

static int tear_down(void **state)
{
    emu_free();
    return 0;
}

/* Executes it once. Returns how many elements of the result are wrong. */
static int execute(Emu *e, int stages, int steps, Fault fault, uint64_t seed)
{
    const int k = steps * BK;
    int wrong = 0;
    run.stages = stages;
    run.steps = steps;
    run.fault = fault;
    *e = (Emu){ .workers = 1, .block_budget = 1 << 22, .smem_limit = 227 << 10, .seed = seed };
    emu_add_region(e, EMU_INPUT, "a", a, sizeof a, 2);
    emu_add_region(e, EMU_INPUT, "b", b, sizeof b, 2);
    emu_add_region(e, EMU_OUTPUT, "y", y, sizeof y, 4);
    emu_begin(e);
    memset(y, 0xff, sizeof y);
    encode_map(&run.a, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, a, (Extents){ k, M }, (Extents){ sizeof a[0] }, (Box){ BK, M },
               CU_TENSOR_MAP_SWIZZLE_128B);
    encode_map(&run.b, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, b, (Extents){ k, N }, (Extents){ sizeof b[0] }, (Box){ BK, N },
               CU_TENSOR_MAP_SWIZZLE_128B);
    encode_map(&run.y, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, y, (Extents){ N, M }, (Extents){ sizeof y[0] }, (Box){ N, M },
               CU_TENSOR_MAP_SWIZZLE_NONE);
    assert_int_equal(launch_row(product, NULL, 1, THREADS, SMEM), 0);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            int sum = 0;
            for (int i = 0; i < k; i++)
                sum += number_at(m, i) * number_at(n + 3, i);
            wrong += !(y[m][n] == (float)sum);
        }
    emu_end(e);
    return wrong;
}

TEST(a_right_ring_is_silent_in_any_order)
{
    enum { ORDERS = 170 };
    for (int stages = 2; stages <= MAX_STAGES; stages++)
        for (uint64_t seed = 0; seed < ORDERS; seed++) {
            Emu e;
            const int wrong = execute(&e, stages, 1 + (int)(seed % MAX_STEPS), NO_FAULT, seed);
            if (wrong || e.nfinding)
                fail_msg("%d stages, seed %d: %d wrong; %s", stages, (int)seed, wrong, first_finding(&e));
        }
}

#define NEVER_FREE                                                                                         \
    "waits in line 10 for the mbarrier at shared byte @: 1 of 1 to arrive, 0 bytes to come, but thread 1 " \
    "has exited"

/* What is said of each fault first; @ stands for a number. What says nothing has a wrong result. */
static const char *const said[NFAULT] = {
    [NO_INIT_FENCE] = "copies by the mbarrier at shared byte @, which no fence has shown to copies",
    [NO_WGMMA_FENCE] = "calls wgmma without wgmma_fence behind what it did to its registers",
    [NO_PROXY_FENCE] = "starts a copy that reads shared byte @, which thread 128 writes without a proxy_fence between",
    [REUSE_BEFORE_WAIT] = "arrives at the mbarrier at shared byte @, where all 1 of its phase have arrived",
    [FEWER_BYTES] =
        "waits in line 22 for the mbarrier at shared byte @: 0 of 1 to arrive, -16 bytes to come, but thread 1 "
        "has exited",
    [MORE_BYTES] =
        "waits in line 22 for the mbarrier at shared byte @: 0 of 1 to arrive, 16 bytes to come, but thread 1 "
        "has exited",
    [BYTES_OF_ONE] =
        "starts a wgmma that reads (B) shared byte @ before the asynchronous copy to it is known to be complete",
    [FULL_PARITY] = "starts a wgmma that reads (A) shared byte @, which nobody has written",
    [EMPTY_PARITY] = NEVER_FREE,
    [OTHER_SWIZZLE] = "has a matrix descriptor that starts at @ of the shared window: within rows swizzled by 64 bytes "
                      "it is to start at a multiple of 512, or less than 64 behind",
    [OTHER_STRIDE] = "",
    [START_ASKEW] =
        "has a matrix descriptor that starts at @ of the shared window: within rows swizzled by 128 bytes it "
        "is to start at a multiple of 1024, or less than 128 behind",
    [EARLY_SUMS] = "reads registers of the wgmma of line 21 before it has waited for it",
    [EARLY_WRITE] = "writes registers of the wgmma of line 21 before it has waited for it",
    [NO_WAIT_AT_END] = "reads registers of the wgmma of line 21 before it has waited for it",
    [EARLY_RELEASE] = "starts a copy that writes shared byte @ before its asynchronous read is known to be complete",
    [NO_RELEASE] = NEVER_FREE,
    [EXIT_EARLY] = NEVER_FREE,
    [STORE_UNREAD] = "exits before its copies to global memory have read shared memory",
    [PLAIN_WRITE] =
        "starts a wgmma that reads (A) shared byte @, which thread 128 writes without a proxy_fence between",
    [LONE_LANE] =
        "waits in line 23 for wgmma that not all of its warpgroup have started, but thread 0 waits in line 10 for "
        "the mbarrier at shared byte @: 1 of 1 to arrive, 0 bytes to come",
    [NO_MAP] = "uses a tensor map that nobody has made",
};

TEST(what_is_wrong_with_a_ring_is_found)
{
    for (Fault fault = NO_FAULT + 1; fault < NFAULT; fault++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            Emu e;
            const int wrong = execute(&e, 3, 8, fault, seed);
            if ((seed == 0 && !is_said(first_finding(&e), said[fault])) || (*said[fault] ? !e.nfinding : !wrong))
                fail_msg("fault %d, seed %d: %d wrong; %s", fault, (int)seed, wrong, first_finding(&e));
        }
}

TEST_FILE(set_up, tear_down)
