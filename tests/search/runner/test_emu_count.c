/* SPDX-License-Identifier: Apache-2.0
 *
 * What the emulator counts, in kernels in C: sectors of global memory, wavefronts and conflicts of shared memory, and several launches.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include "tests/search/runner/emu_words.h"

enum { WINDOW = 2048 }; /* words of one of two operands */

KERNEL void count_far_reads(unsigned *p) { __tsan_read4(p + 9 * thread_of()); }
KERNEL void count_pairs(unsigned *p) { __tsan_read8(p + 2 * thread_of()); }
KERNEL void count_over_sectors(unsigned *p) { __tsan_unaligned_read4((char *)p + 30 + 64 * thread_of()); }
KERNEL void count_two_places(unsigned *p)
{
    __tsan_read4(p + thread_of());
    __tsan_write4(p + 2048 + thread_of());
}
KERNEL void count_pairs_shared(unsigned *p)
{
    (void)p;
    if (thread_of() < 16)
        __tsan_write8(dcgen_emu_shared_memory() + 16 * thread_of());
}
KERNEL void count_bytes_shared(unsigned *p)
{
    (void)p;
    __tsan_write2(dcgen_emu_shared_memory() + 2 * thread_of());
}
KERNEL void count_turns(unsigned *p)
{
    (void)p;
    for (int i = 0; i < 600; i++)
        __tsan_write4(dcgen_emu_shared_memory() + 4 * thread_of());
}
KERNEL void count_epochs(unsigned *p)
{
    for (int i = 0; i < 5; i++) {
        __tsan_read4(p + thread_of());
        dcgen_emu_barrier(1);
    }
}
KERNEL void count_uneven(unsigned *p)
{
    for (unsigned i = 0; i <= thread_of() % 4; i++)
        __tsan_read4(p + thread_of() + 32 * i);
}
KERNEL void count_atomics(unsigned *p)
{
    p[8 * thread_of()] -= 1 + 0 * dcgen_emu_atomic_add(p + 8 * thread_of(), 1, 1, 1);
}
KERNEL void count_copies(unsigned *p)
{
    dcgen_emu_cp_async(dcgen_emu_shared_memory() + 8 * thread_of(), p + 2 * thread_of(), 8, 8, 1);
}
KERNEL void count_rows_of_one_bank(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    (void)p;
    for (int i = 0; i < 8; i++)
        __tsan_write16(shared + (size_t)16 * (thread_of() + 32 * (unsigned)i));
    dcgen_emu_barrier(1);
    dcgen_emu_ldmatrix(2, 0, shared + (size_t)128 * thread_of(), 1);
}

typedef struct {
    KernelOf *kernel;
    unsigned nthread;
    int64_t sectors_read, sectors_written, wavefronts, conflicts;
} Cost;
static const Cost costs[] = {
    { count_far_reads, 32, 32, 0, 0, 0 },    { count_far_reads, 48, 48, 0, 0, 0 },
    { count_pairs, 32, 8, 0, 0, 0 },         { count_pairs, 1, 1, 0, 0, 0 },
    { count_over_sectors, 32, 64, 0, 0, 0 }, { count_two_places, 32, 4, 4, 0, 0 },
    { count_two_places, 40, 5, 5, 0, 0 },    { count_pairs_shared, 32, 0, 0, 2, 1 },
    { count_bytes_shared, 32, 0, 0, 1, 0 },  { count_turns, 33, 0, 0, 1200, 0 },
    { count_epochs, 1, 5, 0, 0, 0 },         { count_epochs, 33, 25, 0, 0, 0 },
    { count_uneven, 32, 4 * 4, 0, 0, 0 },    { count_atomics, 32, 0, 32, 0, 0 },
    { count_copies, 32, 8, 0, 2, 0 },        { count_rows_of_one_bank, 32, 0, 0, 32 + 16, 14 },
};

TEST(costs_are_exact)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        Emu e = emu_of_words(costs[i].sectors_written ? EMU_WORKSPACE : EMU_INPUT);
        e.count = true;
        if (costs[i].kernel == count_two_places) {
            emu_add_region(&e, EMU_WORKSPACE, "ws", words + WINDOW, WINDOW * sizeof *words, sizeof *words);
            e.region[0].role = EMU_INPUT;
            e.region[0].bytes = WINDOW * sizeof *words;
        }
        execute(&e, costs[i].kernel, 1, costs[i].nthread, 4096);
        const Cost *c = &costs[i];
        if (e.nfinding)
            fail_msg("%d: %s", (int)i, e.finding[0].text);
        const int64_t got[] = { e.counts.sectors_read, e.counts.sectors_written, e.counts.wavefronts,
                                e.counts.conflicts },
                      want[] = { c->sectors_read, c->sectors_written, c->wavefronts, c->conflicts };
        for (int k = 0; k < 4; k++)
            if (got[k] != want[k])
                fail_msg("%d: figure %d is %d instead of %d", (int)i, k, (int)got[k], (int)want[k]);
        assert_true(e.counts.blocks == 1 && e.counts.threads == c->nthread && e.counts.smem_bytes == 4096);
    }
}

/* Several launches add up, but for shared memory, of which the most counts; the next call begins at nothing. */
TEST(launches_add_up)
{
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    e.workers = 2;
    for (int call = 0; call < 2; call++) {
        if (call)
            emu_add_region(&e, EMU_INPUT, "ws", words, NWORD * sizeof *words, sizeof *words);
        emu_begin(&e);
        for (unsigned i = 1; i <= 3; i++)
            launch(count_epochs, words, (unsigned[]){ i, 1, 1 }, (unsigned[]){ 32, 1, 1 }, i == 2 ? 1000 : 500);
        emu_end(&e);
        assert_true(e.counts.blocks == 6 && e.counts.threads == 192 && e.counts.barriers == 30 &&
                    e.counts.smem_bytes == 1000);
        assert_true(e.counts.sectors_read == 120 && e.counts.sectors_written == 0 && e.counts.wavefronts == 0);
    }
}

KERNEL void many_places(unsigned *p) { TEN(TEN(TEN(__tsan_read4(p);) __tsan_read4(p);)) }

KERNEL void hundred_places(unsigned *p) { TEN(TEN(__tsan_read4(p);)) }

TEST(hundred_places_are_told_apart)
{
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    execute(&e, hundred_places, 1, 1, 0);
    assert_true(e.nfinding == 0 && e.counts.sectors_read == 100);
}

TEST(more_places_than_can_be_counted)
{
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    execute(&e, many_places, 1, 1, 0);
    assert_true(e.nfinding > 0);
    assert_string_equal(e.finding[0].text, "it cannot be counted: too many places access memory");
    assert_int_equal(e.finding[0].thread, -1);
}

TEST_FILE(set_up, tear_down)
