/* SPDX-License-Identifier: Apache-2.0
 *
 * How the emulator executes a block, in kernels in C: threads that wait for others in vain, how much a block may do,
 * what it begins with, its copies and stacks, and what becomes of findings.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <errno.h>
#include <sys/wait.h>
#include "tests/open_files.h"
#include "tests/search/runner/emu_words.h"

/* ---- threads that wait in vain ---- */

KERNEL(exit_early)
{
    if (thread_of() != 3)
        dcgen_emu_barrier(11);
}

KERNEL(exit_later)
{
    if (thread_of() == 0)
        dcgen_emu_barrier(11);
}

KERNEL(other_barrier)
{
    if (thread_of() == 1)
        dcgen_emu_barrier(12);
    dcgen_emu_barrier(11);
}

KERNEL(barrier_in_warp)
{
    if (thread_of() == 40)
        dcgen_emu_barrier(13);
    if (thread_of() >= 32)
        dcgen_emu_shfl_xor(1, 1, 14);
}

KERNEL(exit_in_warp)
{
    if (thread_of() == 33)
        return;
    if (thread_of() >= 32)
        dcgen_emu_shfl_down(1, 1, 14);
    dcgen_emu_barrier(15);
}

KERNEL(other_shuffle)
{
    if (thread_of() % 32 == 5)
        dcgen_emu_shfl_down(1, 1, 14);
    else
        dcgen_emu_shfl_xor(1, 1, 14);
}

KERNEL(other_line) { dcgen_emu_shfl_xor(1, 1, thread_of() == 37 ? 16 : 14); }

KERNEL(any_shuffle) { dcgen_emu_shfl_xor(1, 1, 14); }

/* Each thread writes its own 16 bytes. */
PLAIN unsigned char *write_row(void)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write16(shared + 16 * thread_of());
    return shared;
}

KERNEL(row_askew)
{
    unsigned char *shared = write_row();
    dcgen_emu_barrier(16);
    if (thread_of() >= 32)
        dcgen_emu_ldmatrix(4, 0, shared + 16 * (thread_of() % 32) + (thread_of() == 40 ? 8 : 0), 17);
}

KERNEL(row_outside)
{
    unsigned char *shared = write_row();
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(2, 1, shared + 16 * (thread_of() + 1), 17); /* lanes from 16 on do not count */
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(4, 1, shared + 16 * (thread_of() + 1), 18);
}

KERNEL(row_racing)
{
    unsigned char *shared = write_row();
    dcgen_emu_ldmatrix(4, 0, shared + 16 * thread_of(), 17);
}

KERNEL(write_row_read)
{
    unsigned char *shared = write_row();
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(4, 0, shared + 16 * thread_of(), 17);
    if (thread_of() == 9)
        __tsan_write4(shared + 16 * 9 + 4); /* the whole warp read it */
}

static const struct {
    KernelOf *kernel;
    unsigned nthread;
    int thread, nblock; /* executed: none follows where one cannot go on */
    const char *said;
} vain[] = {
    { exit_early, 6, 0, 1, "waits at __syncthreads of line 11, but thread 3 has exited" },
    { exit_early, 3, 0, 3, "" },
    { other_barrier, 1, 0, 3, "" },
    { other_barrier, 4, 1, 1, "is at __syncthreads of line 12, but thread 0 waits at that of line 11" },
    { barrier_in_warp, 96, 32, 1, "waits in shfl_xor of line 14, but thread 40 waits at __syncthreads of line 13" },
    { exit_in_warp, 64, 32, 1, "waits in shfl_down of line 14, but thread 33 has exited" },
    { other_shuffle, 64, 5, 1, "is at shfl_down of line 14, but thread 0 of its warp at shfl_xor of line 14" },
    { exit_later, 2, 0, 1, "waits at __syncthreads of line 11, but thread 1 has exited" },
    { other_line, 64, 37, 1, "is at shfl_xor of line 16, but thread 32 of its warp at shfl_xor of line 14" },
    { other_line, 32, 0, 3, "" },
    { any_shuffle, 40, 32, 1, "calls shfl_xor of line 14 in a warp of 8 threads; it takes 32" },
    { any_shuffle, 1024, 0, 3, "" },
    { row_askew, 64, 40, 1, "reads 16 bytes at shared byte 136, which is not aligned to them" },
    { row_outside, 32, 31, 1, "reads 16 bytes at shared byte 512, but the block has 512 bytes" },
    { row_racing, 32, 0, 1, "reads shared byte 0, which thread 0 writes between the same barriers" },
    { write_row_read, 32, 9, 3, "writes shared byte 148, which other threads read between the same barriers" },
};

/* Each after the other: what a block left behind when it was given up does not matter to the next. */
TEST(threads_that_wait_in_vain)
{
    for (size_t i = 0; i < sizeof vain / sizeof *vain; i++) {
        Emu e = emu_of_words(EMU_SCRATCH);
        execute(&e, vain[i].kernel, 3, vain[i].nthread, 16 * vain[i].nthread);
        assert_string_equal(first_finding(&e), vain[i].said);
        assert_int_equal(e.counts.blocks, vain[i].nblock);
        if (e.nfinding)
            assert_int_equal(e.finding[0].thread, vain[i].thread);
    }
}

/* ---- how many accesses a block may make ---- */

static struct {
    int kind, n;
} spent;

KERNEL(spend)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    for (int i = 0; i < spent.n; i++)
        switch (spent.kind) {
        case 0:
            __tsan_write4(p + dcgen_emu_block_index().x);
            break;
        case 1:
            __tsan_write16(shared);
            break;
        case 2:
            __tsan_write2(shared);
            break;
        case 3:
            dcgen_emu_cp_async(shared + 16 * (i + 1), p, 16, 0, 1);
            break;
        }
    if (spent.kind == 4)
        for (int i = 0; i < spent.n / 32; i++)
            dcgen_emu_shfl_xor(1, 1, 1);
}

TEST(endless_blocks_end)
{
    for (spent.kind = 0; spent.kind < 5; spent.kind++)
        for (spent.n = 320; spent.n <= 352; spent.n += 32) {
            Emu e = emu_of_words(EMU_SCRATCH);
            e.block_budget = spent.n == 320 ? 320 : 351;
            execute(&e, spend, 2, spent.kind == 4 ? 32 : 1, 16 << 10);
            if ((e.nfinding > 0) != (spent.n > 320))
                fail_msg("%d, %d: %s", spent.kind, spent.n, e.finding[0].text);
            if (e.nfinding)
                assert_string_equal(e.finding[0].text, "does not end");
        }
}

/* ---- a block begins anew ---- */

static volatile int turn;

KERNEL(leave_behind)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    if (turn++ == 0) {
        __tsan_write4(shared + 8);
        __tsan_write4(shared + 16);
        __tsan_write4(shared + 20);
        memset(shared + 16, 0, 4);
        dcgen_emu_cp_async(shared, p, 4, 0, 1);
        dcgen_emu_barrier(1);
        return;
    }
    p[0] = shared[0] == 0xff && shared[16] == 0xff && shared[23] == 0xff;
    dcgen_emu_cp_wait(0);
    p[1] = shared[0] == 0xff;
    __tsan_read4(shared);
    __tsan_read4(shared + 8);
    __tsan_read4(shared + 16);
    __tsan_read4(shared + 20);
}

TEST(a_block_begins_anew)
{
    static const int place[] = { 0, 8, 16, 20 };
    Emu e = emu_of_words(EMU_SCRATCH);
    turn = 0;
    execute(&e, leave_behind, 2, 1, 24);
    assert_int_equal(e.nfinding, 4);
    for (int i = 0; i < 4; i++) {
        char said[EMU_TEXT_BYTES];
        snprintf(said, sizeof said, "reads shared byte %d, which nobody has written", place[i]);
        assert_string_equal(e.finding[i].text, said);
    }
    assert_true(words[0] == 1 && words[1] == 1);
}

/* A copy of what a kernel may write has what was there when it was started. */
KERNEL(copy_then_change)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    for (int i = 0; i < 4; i++) {
        __tsan_write4(p + i);
        p[i] = 5;
    }
    dcgen_emu_cp_async(shared, p, 16, 16, 1);
    p[0] = 6;
    dcgen_emu_cp_wait(0); /* not committed: not waited for */
    p[8] = *(volatile unsigned *)(void *)shared;
    dcgen_emu_cp_commit();
    dcgen_emu_cp_wait(0);
    p[9] = *(volatile unsigned *)(void *)shared;
}

TEST(copies_are_of_their_moment)
{
    Emu e = emu_of_words(EMU_SCRATCH);
    execute(&e, copy_then_change, 1, 1, 64);
    assert_int_equal(e.nfinding, 0);
    assert_true(words[8] == UINT32_MAX && words[9] == 5);
}

/* Two stages, so that one copy is always on its way, 300 in all. */
KERNEL(copy_in_turn)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    dcgen_emu_cp_async(shared, p, 8, 8, 1);
    dcgen_emu_cp_commit();
    for (int i = 0; i < 300; i++) {
        dcgen_emu_cp_async(shared + 8 * ((i + 1) % 2), p + 2 * (i + 1), 8, 8, 1);
        dcgen_emu_cp_commit();
        dcgen_emu_cp_wait(1);
        __tsan_read8(shared + 8 * (i % 2));
        turn += memcmp(shared + 8 * (i % 2), p + 2 * i, 8) == 0;
    }
}

TEST(copies_are_a_queue)
{
    Emu e = emu_of_words(EMU_INPUT);
    turn = 0;
    for (unsigned i = 0; i < NWORD; i++)
        words[i] = i;
    emu_begin(&e);
    assert_int_equal(launch_row(copy_in_turn, words, 1, 1, 16), 0);
    emu_end(&e);
    assert_true(e.nfinding == 0 && turn == 300);
}

KERNEL(use_stacks)
{
    static unsigned *volatile other;
    volatile unsigned own = 0;
    unsigned *at = (unsigned *)&own;
    __tsan_write4(at);
    __tsan_unaligned_read4(at);
    if (thread_of() == 0)
        other = at;
    dcgen_emu_barrier(1);
    __tsan_write4(at);
    if (thread_of() == 1)
        __tsan_write4(other);
}

/* A thread's own is its own business, another's is out of reach. */
TEST(stacks_are_watched)
{
    for (unsigned n = 1; n <= 2; n++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        execute(&e, use_stacks, 1, n, 0);
        assert_int_equal(e.nfinding, n - 1);
        if (n > 1)
            assert_non_null(strstr(e.finding[0].text, ", far from all operands"));
    }
}

/* ---- findings ---- */

KERNEL(ten_places) { TEN(__tsan_read4(p); turn++;) }

KERNEL(one_place)
{
    for (int i = 0; i < 2000; i++, turn++)
        __tsan_read4(p);
}

TEST(findings_are_few)
{
    Emu e = emu_of_words(EMU_SCRATCH);
    turn = 0;
    execute(&e, ten_places, 4, 1, 0);
    assert_true(e.nfinding == EMU_MAX_FINDING && turn == EMU_MAX_FINDING - 1 && e.counts.blocks == 1);
    e = emu_of_words(EMU_SCRATCH);
    turn = 0;
    execute(&e, one_place, 4, 1, 0);
    assert_true(e.nfinding == 1 && e.nreport == 1000 && turn == 999 && e.counts.blocks == 1);
}

TEST(findings_in_one_line)
{
    static const struct {
        EmuFinding finding;
        const char *said;
    } cases[] = {
        { { { 1, 2, 3 }, 4, 0, 0, "reads" }, "block (1,2,3) thread 4: reads" },
        { { { 1, 2, 3 }, 4, 0, 17, "reads" }, "block (1,2,3) thread 4 line 17: reads" },
        { { { 1, 2, 3 }, 0, 1, 17, "reads" }, "block (1,2,3) thread 0 after line 17: reads" },
        { { { 1, 2, 3 }, 4, 0, 17, "waits in line 3" }, "block (1,2,3) thread 4: waits in line 3" },
        { { { 1, 2, 3 }, -1, 0, 17, "the counter" }, "the counter" },
    };
    char text[EMU_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        emu_describe(&cases[i].finding, text);
        assert_string_equal(text, cases[i].said);
    }
    const int open = open_files();
    const EmuFinding here = { .site = (uintptr_t)__builtin_return_address(0) };
    for (int i = 0; i < 3; i++)
        emu_describe(&here, text);
    assert_int_equal(open_files(), open);
    assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no process is left */
}

KERNEL(write_behind)
{
    if (dcgen_emu_block_index().y == 1 && thread_of() == 6)
        __tsan_write4(p + NWORD);
}

TEST(findings_say_where)
{
    char text[EMU_TEXT_BYTES];
    Emu e = emu_of_words(EMU_OUTPUT);
    emu_begin(&e);
    launch(write_behind, words, (unsigned[]){ 1, 2, 1 }, (unsigned[]){ 8, 1, 1 }, 0);
    emu_end(&e);
    assert_int_equal(e.nfinding, 1);
    emu_describe(&e.finding[0], text);
    assert_non_null(strstr(text, "block (0,1,0) thread 6"));
    assert_non_null(strstr(text, "writes 4 bytes at ws element 4096 of 4096"));
}

TEST_FILE(set_up, tear_down)
