/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers that threads arrive at and wait for apart, in kernels in C for the emulator: what an mbarrier, a named
 * barrier and that of a cluster make known to whom, in any order of threads, and how they are used wrongly.
 *
 *   ctest: emulator
 */
#include "tests/search/runner/emu_words.h"
#include "tests/search/runner/emu_hopper.h"

enum { AT = 64, SMEM = 4096, THREADS = 96 }; /* AT: where threads leave something to others */

PLAIN uint64_t *barrier_at(int i) { return (uint64_t *)(void *)dcgen_emu_shared_memory() + i; }
PLAIN unsigned char *place(unsigned i) { return dcgen_emu_shared_memory() + AT + 4 * i; }

PLAIN void init(unsigned arrivals)
{
    if (thread_of() == 0)
        dcgen_emu_mbarrier_init(barrier_at(0), arrivals, 1);
    dcgen_emu_barrier(2);
}

/* ---- mbarriers ---- */

KERNEL(told)
{
    init(1);
    if (thread_of() == 0) {
        __tsan_write4(place(0));
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
    } else {
        dcgen_emu_mbarrier_wait(barrier_at(0), 0, 4);
        __tsan_read4(place(0));
    }
}

KERNEL(not_asked)
{
    init(1);
    if (thread_of() == 0) {
        __tsan_write4(place(0));
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
    } else if (thread_of() == 1) {
        __tsan_read4(place(0));
    }
}

KERNEL(told_too_early)
{
    init(1);
    if (thread_of() == 0) {
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
        __tsan_write4(place(0));
    } else if (thread_of() == 1) {
        dcgen_emu_mbarrier_wait(barrier_at(0), 0, 4);
        __tsan_read4(place(0));
    }
}

/* All threads read, granules apart, then one writes: again and again, by the phases of two mbarriers. */
KERNEL(there_and_back)
{
    const unsigned t = thread_of();
    if (t == 0) {
        dcgen_emu_mbarrier_init(barrier_at(0), 1, 1);
        dcgen_emu_mbarrier_init(barrier_at(1), THREADS - 1, 1);
    }
    dcgen_emu_barrier(2);
    for (unsigned i = 0; i < 9; i++)
        if (t == 0) {
            __tsan_write4(place(0));
            __tsan_write16(place(4));
            dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
            dcgen_emu_mbarrier_wait(barrier_at(1), i % 2, 4);
        } else {
            dcgen_emu_mbarrier_wait(barrier_at(0), i % 2, 5);
            if (t % 3)
                __tsan_read2(place(0));
            else
                __tsan_read4(place(0));
            __tsan_read16(place(4));
            dcgen_emu_mbarrier_arrive(barrier_at(1), 0, 6);
        }
}

/* One of the readers forgets to say so. */
KERNEL(one_is_silent)
{
    const unsigned t = thread_of();
    init(THREADS - 2);
    if (t > 0)
        __tsan_read4(place(0));
    if (t > 0 && t != 50)
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
    if (t == 0) {
        dcgen_emu_mbarrier_wait(barrier_at(0), 0, 4);
        __tsan_write4(place(0));
    }
}

KERNEL(written_before)
{
    if (thread_of() == 0)
        __tsan_write4(place(0));
    one_is_silent(p);
}

KERNEL(too_many)
{
    init(1);
    if (thread_of() == 0) {
        dcgen_emu_mbarrier_arrive(barrier_at(0), 16, 3);
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 4);
    }
}

KERNEL(never_made) { dcgen_emu_mbarrier_arrive(barrier_at(1), 0, 3); }

KERNEL(made_beside)
{
    if (thread_of() == 0)
        dcgen_emu_mbarrier_init(barrier_at(0), 1, 1);
    else if (thread_of() == 1)
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
}

KERNEL(made_twice)
{
    if (thread_of() == 0)
        for (int i = 0; i < 2; i++)
            dcgen_emu_mbarrier_init(barrier_at(0), 1, 1);
}

KERNEL(looked_into)
{
    init(1);
    if (thread_of() == 5)
        __tsan_read8(barrier_at(0));
}

KERNEL(of_nobody) { dcgen_emu_mbarrier_init(barrier_at(0), 0, 1); }
KERNEL(askew) { dcgen_emu_mbarrier_init((char *)barrier_at(0) + 4, 1, 1); }
KERNEL(outside) { dcgen_emu_mbarrier_init(barrier_at(SMEM / 8), 1, 1); }

KERNEL(global_memory)
{
    init(1);
    if (thread_of() == 0) {
        __tsan_write4(p);
        dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 3);
    } else if (thread_of() < 3) {
        if (thread_of() == 1)
            dcgen_emu_mbarrier_wait(barrier_at(0), 0, 4);
        __tsan_read4(p);
    }
}

/* All lanes of a warp read, one says so for all of them. */
PLAIN void say_for_all(unsigned *p, bool meet)
{
    const unsigned t = thread_of();
    init(1);
    if (t >= 32 && t < 64) {
        __tsan_read4(place(t % 3));
        if (meet)
            dcgen_emu_warp_sync(3);
        if (t == 40)
            dcgen_emu_mbarrier_arrive(barrier_at(0), 0, 4);
    } else if (t == 0) {
        dcgen_emu_mbarrier_wait(barrier_at(0), 0, 5);
        __tsan_write4(place(0));
    }
}

KERNEL(warp_meets)
{
    if (thread_of() == 0)
        __tsan_write16(place(0));
    say_for_all(p, true);
}

KERNEL(warp_does_not_meet)
{
    if (thread_of() == 0)
        __tsan_write16(place(0));
    say_for_all(p, false);
}

/* ---- named barriers ---- */

KERNEL(two_warps)
{
    const unsigned t = thread_of();
    if (t == 40)
        __tsan_write4(place(0));
    if (t < 64)
        dcgen_emu_barrier_sync(3, 64, 1);
    if (t < 64)
        __tsan_read4(place(0));
}

/* A word that one thread writes and all read, again and again: lanes of a warp come at different times. */
KERNEL(one_tells_all)
{
    const unsigned t = thread_of();
    for (int i = 0; i < 3 && t < 64; i++) {
        dcgen_emu_barrier_sync(3, 64, 1);
        if (t == 40)
            __tsan_write4(place(0));
        dcgen_emu_barrier_sync(3, 64, 2);
        __tsan_read4(place(0));
    }
}

KERNEL(tells_too_early)
{
    const unsigned t = thread_of();
    for (int i = 0; i < 3 && t < 64; i++) {
        if (t == 40)
            __tsan_write4(place(0));
        dcgen_emu_barrier_sync(3, 64, 2);
        __tsan_read4(place(0));
    }
}

KERNEL(third_warp)
{
    two_warps(p);
    if (thread_of() == 70)
        __tsan_read4(place(0));
}

/* Warp 0 only says that it is there. */
KERNEL(one_way)
{
    const unsigned t = thread_of();
    __tsan_write4(place(t));
    if (t < 32)
        dcgen_emu_barrier_arrive(1, THREADS, 1);
    else
        dcgen_emu_barrier_sync(1, THREADS, 2);
    if (t >= 32)
        __tsan_read4(place((t * 7) % THREADS));
}

KERNEL(other_way)
{
    one_way(p);
    if (thread_of() == 3)
        __tsan_read4(place(2));
}

KERNEL(half_a_warp) { dcgen_emu_barrier_sync(1, 48, 1); }
KERNEL(the_first) { dcgen_emu_barrier_sync(0, 64, 1); }
KERNEL(other_counts) { dcgen_emu_barrier_sync(1, thread_of() < 32 ? 64 : 96, 1); }
KERNEL(two_of_three)
{
    if (thread_of() < 64)
        dcgen_emu_barrier_sync(1, 96, 1);
}

/* ---- several tiles of a block, each shared with another block ---- */

KERNEL(tiles)
{
    const unsigned t = thread_of(), block = dcgen_emu_block_index().x;
    for (unsigned tile = 0; tile < 3; tile++) {
        unsigned *sums = p + 64 + 2 * tile;
        if (t == 5) {
            __tsan_write4(sums + block);
            sums[block] = 1;
        }
        if (t < 64)
            dcgen_emu_barrier_sync(2, 64, 1);
        if (t != 0)
            continue;
        const bool last = dcgen_emu_atomic_add(p + tile, 1, 1, 2) == 1;
        if (!last)
            continue;
        __tsan_read4(sums);
        __tsan_read4(sums + 1);
        __tsan_write4(p + tile);
        p[tile] = 0;
    }
}

/* The second tile's sum has no barrier before the count. */
KERNEL(tiles_without_barrier)
{
    const unsigned t = thread_of(), block = dcgen_emu_block_index().x;
    for (unsigned tile = 0; tile < 2; tile++) {
        unsigned *sums = p + 64 + 2 * tile;
        if (t < 64 && tile == 1)
            dcgen_emu_barrier_sync(2, 64, 1);
        if (t == 5)
            __tsan_write4(sums + block);
        if (t < 64 && tile == 0)
            dcgen_emu_barrier_sync(2, 64, 1);
        if (t != 0)
            continue;
        if (dcgen_emu_atomic_add(p + tile, 1, 1, 2) != 1)
            continue;
        __tsan_read4(sums + 1 - block);
        __tsan_write4(p + tile);
        p[tile] = 0;
    }
}

/* ---- clusters ---- */

/* Each block leaves something, and looks at what the next one left. */
PLAIN void neighbours(unsigned *p, bool waits, bool stays)
{
    const unsigned t = thread_of(), rank = dcgen_emu_cluster_rank(), next = (rank + 1) % 4;
    float *own = (float *)(void *)place(4 * t);
    __tsan_write16(own);
    own[0] = (float)(100 * rank + t);
    if (waits) {
        dcgen_emu_cluster_arrive(1);
        dcgen_emu_cluster_wait(2);
    }
    const Float4 v = dcgen_emu_cluster_load16(own, next, 3);
    if (v[0] != (float)(100 * next + t))
        p[0] = 1;
    if (stays) {
        dcgen_emu_cluster_arrive(4);
        dcgen_emu_cluster_wait(5);
    }
    __tsan_write16(own);
}

KERNEL(cluster_waits) { neighbours(p, true, true); }
KERNEL(cluster_too_early) { neighbours(p, false, true); }
KERNEL(cluster_changes) { neighbours(p, true, false); }

/* Block 0 waits for one thread of each other block. */
KERNEL(cluster_counts)
{
    const unsigned t = thread_of(), rank = dcgen_emu_cluster_rank();
    if (t == 0 && rank == 0)
        dcgen_emu_mbarrier_init(barrier_at(0), 3, 1);
    dcgen_emu_cluster_arrive(1);
    dcgen_emu_cluster_wait(2);
    if (t == 0 && rank > 0) {
        __tsan_write16(place(0));
        dcgen_emu_mbarrier_arrive_at(barrier_at(0), 0, 3);
    }
    if (rank == 0) {
        dcgen_emu_mbarrier_wait(barrier_at(0), 0, 4);
        dcgen_emu_cluster_load16(place(0), 1 + t % 3, 5);
    }
    dcgen_emu_cluster_arrive(6);
    dcgen_emu_cluster_wait(7);
}

/* Block 1 comes to it when block 0 has exited. */
KERNEL(cluster_exits)
{
    if (dcgen_emu_cluster_rank() == 0 && thread_of() == 0)
        dcgen_emu_mbarrier_init(barrier_at(0), 1, 1);
    dcgen_emu_cluster_arrive(1);
    dcgen_emu_cluster_wait(2);
    if (dcgen_emu_cluster_rank() == 1) {
        if (thread_of() == 0)
            dcgen_emu_mbarrier_init(barrier_at(1), 1, 1);
        dcgen_emu_barrier(3);
        dcgen_emu_mbarrier_arrive_at(barrier_at(0), 0, 4);
    }
}

KERNEL(cluster_of_none) { dcgen_emu_cluster_load16(place(0), 4, 1); }
KERNEL(cluster_unarrived) { dcgen_emu_cluster_wait(1); }

typedef struct {
    KernelOf *kernel;
    unsigned nblock, cluster;
    const char *said; /* NULL: nothing, in any order; else what is found first, in the order of time */
} Case;

#define BESIDE(does, who) does " shared byte 64, which thread " who " writes without a barrier between"

static const Case cases[] = {
    { told, 1, 0, NULL },
    { not_asked, 1, 0, BESIDE("reads", "0") },
    { told_too_early, 1, 0, BESIDE("reads", "0") },
    { there_and_back, 1, 0, NULL },
    { written_before, 1, 0, "writes shared byte 64, which thread 50 reads without a barrier between" },
    { too_many, 1, 0, "arrives at the mbarrier at shared byte 0, where all 1 of its phase have arrived" },
    { never_made, 1, 0, "uses an mbarrier at shared byte 8, which nobody has initialised" },
    { made_beside, 1, 0, "uses the mbarrier at shared byte 0, which thread 0 initialises without a barrier between" },
    { made_twice, 1, 0, "initialises the mbarrier at shared byte 0 once more" },
    { looked_into, 1, 0, "reads shared byte 0, where an mbarrier lies" },
    { of_nobody, 1, 0, "initialises an mbarrier for 0 arrivals; it takes 1 to 1048575" },
    { askew, 1, 0, "has an mbarrier at shared byte 4, which is not a multiple of 8" },
    { outside, 1, 0, "has an mbarrier at shared byte 4096, outside of the block's shared memory" },
    { global_memory, 1, 0, "reads ws element 0, which thread 0 writes without a barrier between" },
    { warp_meets, 1, 0, NULL },
    { warp_does_not_meet, 1, 0, "writes shared byte 64, which thread @ reads without a barrier between" },
    { two_warps, 1, 0, NULL },
    { one_tells_all, 1, 0, NULL },
    { tells_too_early, 1, 0, "writes shared byte 64, which thread @ reads without a barrier between" },
    { third_warp, 1, 0, BESIDE("reads", "40") },
    { one_way, 1, 0, NULL },
    { other_way, 1, 0, "reads shared byte 72, which thread 2 writes without a barrier between" },
    { half_a_warp, 1, 0, "uses barrier 1 for 48 threads of 96; it takes whole warps" },
    { the_first, 1, 0, "uses barrier 0; there are 1 to 15, and that of __syncthreads" },
    { other_counts, 1, 0, "uses barrier 1 for 96 threads, others for 64" },
    { two_of_three, 1, 0, "waits at barrier 1 of line 1, but thread 64 has exited" },
    { tiles, 2, 0, NULL },
    { tiles_without_barrier, 2, 0,
      "reads ws element @ of block (@,0,0) thread 5, which did not release it: no barrier or no order between store "
      "and counter" },
    { cluster_waits, 8, 4, NULL },
    { cluster_too_early, 4, 4, "reads of another block shared byte 64, which nobody has written" },
    { cluster_changes, 4, 4, "writes shared byte @, which thread @ reads without a barrier between" },
    { cluster_counts, 4, 4, NULL },
    { cluster_exits, 2, 2, "speaks to block 0 of the cluster, which has exited" },
    { cluster_of_none, 4, 4, "speaks to block 4 of a cluster of 4" },
    { cluster_unarrived, 2, 2, "waits at the cluster's barrier without having arrived" },
};

static void run_case(const Case *c, uint64_t seed, Emu *e)
{
    *e = emu_of_words(EMU_MEMORY);
    e->seed = seed;
    memset(words, 0, NWORD * sizeof *words);
    emu_begin(e);
    assert_int_equal(launch_clusters(c->kernel, words, c->nblock, c->cluster, THREADS, SMEM), 0);
    emu_end(e);
}

TEST(what_barriers_make_known)
{
    enum { ORDERS = 60 };
    for (const Case *c = cases; c < cases + sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 0; seed < (c->said ? 1 : ORDERS); seed++) {
            Emu e;
            run_case(c, seed, &e);
            if (c->said ? !is_said(first_finding(&e), c->said) : e.nfinding || words[0])
                fail_msg("case %d, seed %d: %s", (int)(c - cases), (int)seed, first_finding(&e));
        }
}

TEST(clusters_that_no_gpu_starts)
{
    Emu e = emu_of_words(EMU_MEMORY);
    emu_begin(&e);
    assert_int_not_equal(launch_clusters(told, words, 6, 4, THREADS, SMEM), 0);
    assert_string_equal(e.refusal, "launches a grid of 6 blocks side by side in clusters of 4; the limit is 8");
    assert_int_not_equal(launch_clusters(told, words, 9, 9, THREADS, SMEM), 0);
    emu_end(&e);
}

TEST_FILE(set_up, tear_down)
