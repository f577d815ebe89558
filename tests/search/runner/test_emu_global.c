/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator's view of global memory, in kernels in C: what of a block others may read and after which fences,
 * barriers and counters, who may write what, what lies outside of all operands, and how places are named.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include "gen/base/arena.h"
#include "tests/search/runner/emu_call.h"

enum { NWORD = 16, NTHREAD = 2, MAX_BLOCK = 4 };

/* All findings of a call, one a line; with `thread`: "block.thread: text". */
static const char *findings(const Emu *e)
{
    static char text[EMU_MAX_FINDING * (EMU_TEXT_BYTES + 1)];
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < e->nfinding; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "\n" : "", e->finding[i].text);
    return text;
}

/* ---- scripts ----
 *
 * What the threads of blocks do: blocks in the order in which they come are separated by |, launches by ;, a block's
 * threads by /. r, w and o are followed by the word that is read, written, or written of the output; a and c count up
 * word 0 or 1, relaxed, A and C in the order acq_rel; d counts up word 2 by two; f is a fence, b a barrier, h 300,000
 * of them: of twice as many the epochs begin anew. */

static struct {
    const char *script; /* of the launch */
    int nturn;
    unsigned block[MAX_BLOCK]; /* their places, in the order in which they came */
    unsigned *out;
    unsigned counted; /* what the last atomic found there */
} run;

PLAIN const char *script_of(int block, unsigned thread)
{
    const char *s = run.script;
    for (; block > 0; s++)
        block -= *s == '|';
    for (; thread > 0 && *s && !strchr("|;", *s); s++)
        thread -= *s == '/';
    return s;
}

PLAIN void act(unsigned *words)
{
    const unsigned thread = dcgen_emu_thread_index().x;
    if (thread == 0)
        run.block[run.nturn++] = dcgen_emu_block_index().x;
    for (const char *s = script_of(run.nturn - 1, thread); *s && !strchr("/|;", *s); s++) {
        unsigned *word = words + (strchr("rwo", *s) ? s[1] - '0' : 0);
        switch (*s) {
        case 'r':
            __tsan_read4(word);
            break;
        case 'w':
            __tsan_write4(word);
            *word = 0;
            break;
        case 'o':
            __tsan_write4(run.out + (word - words));
            break;
        case 'a':
        case 'A':
            run.counted = dcgen_emu_atomic_add(words, 1, *s == 'A', 7);
            break;
        case 'c':
        case 'C':
            dcgen_emu_atomic_add(words + 1, 1, *s == 'C', 7);
            break;
        case 'd':
            run.counted = dcgen_emu_atomic_add(words + 2, 2, 1, 7);
            break;
        case 'f':
            dcgen_emu_fence();
            break;
        case 'b':
            dcgen_emu_barrier(1);
            break;
        case 'h':
            for (int i = 0; i < 300000; i++)
                dcgen_emu_barrier(1);
            break;
        }
    }
}

#define NONE ""
#define WRITER "w3fba/b|" /* what it stores may be read */
#define READER "|abfr3/b" /* what counts is there, and what it reads behind that */
#define NO_RELEASE                                                                                                  \
    "reads ws element 3 of block (@,0,0) thread 0, which did not release it: no barrier or no order between store " \
    "and counter"
#define NO_COUNTER "reads ws element 3 of block (@,0,0) thread 0, without a counter that says so"
#define NOT_BEHIND                                                                                               \
    "reads ws element 3 of block (@,0,0) thread 0, which it did not acquire: no barrier or no order behind the " \
    "counter"

/* The same by a counter in the order acq_rel. */
#define RELEASES "w3bA/b|"
#define ACQUIRES "|Abr3/b"

typedef struct {
    const char *script, *findings; /* @: the place of the first block */
    unsigned left[3];              /* that the counters hold in the end */
} Script;

static const Script scripts[] = {
    { "w3fba/b" READER, NONE, { 2 } },
    { "w3fa" READER, NONE, { 2 } },
    { "w3fb/ba" READER, NONE, { 2 } },
    { "w3b/bfa" READER, NONE, { 2 } },
    { "w3bfb/bba" READER, NONE, { 2 } },
    { "/w3fa|abfr3/b", NONE, { 2 } },
    { "w3fba/b|afr3", NONE, { 2 } },
    { WRITER "afb/br3", NONE, { 2 } },
    { WRITER "ab/bfr3", NONE, { 2 } },
    { WRITER "/afr3", NONE, { 2 } },
    { WRITER "a|abfr3/b", NONE, { 3 } },
    { "w3ba/b" READER, NO_RELEASE, { 2 } },
    { "fw3ba/b" READER, NO_RELEASE, { 2 } },
    { "w3f/a" READER, NO_RELEASE, { 2 } },
    { "w3/fa" READER, NO_RELEASE, { 2 } },
    { "w3b/fba" READER, NO_RELEASE, { 2 } },
    { "fw3b/ba" READER, NO_RELEASE, { 2 } },
    { "w3bf/ba" READER, NO_RELEASE, { 2 } },
    { "w3fw4a" READER, NO_RELEASE, { 2 } },
    { "fffb/b|w3b/ba" READER,
      "reads ws element 3 of block (#,0,0) thread 0, which did not release it: no barrier or no order between store "
      "and counter",
      { 2 } },
    { "w3b/b" READER, "reads ws element 3 of block (@,0,0) thread 0, which has not counted up yet", { 1 } },
    { "w3|w3", "writes ws element 3 of block (@,0,0) thread 0, which has not counted up yet", { 0 } },
    { "/w3|r3", "reads ws element 3 of block (@,0,0) thread 1, which has not counted up yet", { 0 } },
    { WRITER "bfr3/b", NO_COUNTER, { 1 } },
    { WRITER "cbfr3/b", NO_COUNTER, { 1, 1 } },
    { WRITER "a|bfr3/b", NO_COUNTER, { 2 } },
    { WRITER "abr3/b", NOT_BEHIND, { 2 } },
    { WRITER "fabr3/b", NOT_BEHIND, { 2 } },
    { WRITER "ar3", NOT_BEHIND, { 2 } },
    { WRITER "ab/fbr3", NOT_BEHIND, { 2 } },
    { WRITER "abf/br3", NOT_BEHIND, { 2 } },
    { WRITER "a/fr3", NOT_BEHIND, { 2 } },
    { WRITER "af/r3", NOT_BEHIND, { 2 } },
    { "hw3hb/hhfba" READER, NONE, { 2 } },
    { "hw3fhb/hhba" READER, NONE, { 2 } },
    { "w3hhba/hhb" READER, NO_RELEASE, { 2 } },
    { WRITER "hahfr3/hhfr3", NONE, { 2 } },
    { WRITER "hfhabr3/hhb", NOT_BEHIND, { 2 } },
    /* counters in the order acq_rel need no fence */
    { "w3bA/b" ACQUIRES, NONE, { 2 } },
    { "w3A" ACQUIRES, NONE, { 2 } },
    { "w3b/bA" ACQUIRES, NONE, { 2 } },
    { "w3bb/bbA" ACQUIRES, NONE, { 2 } },
    { RELEASES "Ar3", NONE, { 2 } },
    { RELEASES "Ab/br3", NONE, { 2 } },
    { RELEASES "A" ACQUIRES, NONE, { 3 } },
    { RELEASES "abfr3/b", NONE, { 2 } },
    { WRITER "Abr3/b", NONE, { 2 } },
    { "hw3hbA/hhb" ACQUIRES, NONE, { 2 } },
    { "w3/A" ACQUIRES, NO_RELEASE, { 2 } },
    { "w3b/Ab" ACQUIRES, NO_RELEASE, { 2 } },
    { "w3ba/b" ACQUIRES, NO_RELEASE, { 2 } },
    { "w3bCa/b" ACQUIRES, NO_RELEASE, { 2, 1 } },
    { "Aw3" ACQUIRES, NO_RELEASE, { 2 } },
    { "bAw3/b" ACQUIRES, NO_RELEASE, { 2 } },
    { "w3bAw3/b" ACQUIRES, NO_RELEASE, { 2 } },
    { "bw3/Ab" ACQUIRES, NO_RELEASE, { 2 } },
    { "Aw3bA/b" ACQUIRES, NONE, { 3 } },
    { "w3bAw0/b" ACQUIRES, NONE, { 1 } },
    { RELEASES "br3/b", NO_COUNTER, { 1 } },
    { RELEASES "Cbr3/b", NO_COUNTER, { 1, 1 } },
    { RELEASES "abr3/b", NOT_BEHIND, { 2 } },
    { RELEASES "Cabr3/b", NOT_BEHIND, { 2, 1 } },
    { RELEASES "A/r3", NOT_BEHIND, { 2 } },
    /* within a block */
    { "w3r3w3", NONE, { 0 } },
    { "w3b/br3w3", NONE, { 0 } },
    { "w3bw4r4/br3w3", NONE, { 0 } },
    { "r3", "reads ws element 3, which nobody has written", { 0 } },
    { "w3/r3", "reads ws element 3, which thread 0 writes between the same barriers", { 0 } },
    { "w3/w3", "writes ws element 3, which thread 0 writes between the same barriers", { 0 } },
    { "br3/bw3", "reads ws element 3, which thread 1 writes between the same barriers", { 0 } },
    /* counters */
    { "aw0", NONE, { 0 } },
    { "ar1", "reads ws element 1, which nobody has written", { 1 } },
    { "aw0r0", NONE, { 0 } },
    { "aw0/r0", NONE, { 0 } },
    { "d|d", NONE, { 0, 0, 4 } },
    { "a|w0", "writes ws element 0, a counter, without having counted", { 0 } },
    { "c|aw1", "writes ws element 1, a counter, without having counted", { 1, 0 } },
    { "a|aw0;w0", "writes ws element 0, a counter, without having counted", { 0 } },
    { "w0a", "adds to ws element 0, to which a plain store was made", { 1 } },
    { "w0;a", NONE, { 1 } },
    { "a|aw0;aw0", NONE, { 0 } },
    /* the output */
    { "o3o3", NONE, { 0 } },
    { "o3o4/o5", NONE, { 0 } },
    { "o3/o3", "writes out element 3, which block (@,0,0) thread 0 has written too", { 0 } },
    { "o3b/bo3", "writes out element 3, which block (@,0,0) thread 0 has written too", { 0 } },
    { "/o4|/o4", "writes out element 4, which block (@,0,0) thread 1 has written too", { 0 } },
    /* what an earlier launch did is done */
    { "w3;r3", NONE, { 0 } },
    { "w3;w3/", NONE, { 0 } },
    { "o3;/o3", NONE, { 0 } },
    { "w3b/b;/r3", NONE, { 0 } },
    { "w3|w4|w5;r3/r4|r5", NONE, { 0 } },
    { "w3;w3|r3", "reads ws element 3 of block (@,0,0) thread 0, which has not counted up yet", { 0 } },
};

/* What is found at the end of the call where counters stay, and where nothing else was found. */
static const Script leaving[] = {
    { "c|c", "the counter at ws byte 4 is 2 after the call, not 0", { 0, 2 } },
    { "cr5", "reads ws element 5, which nobody has written", { 0, 1 } },
    { "w0", NONE, { 0 } },
    { "d", "the counter at ws byte 8 is 2 after the call, not 0", { 0, 0, 2 } },
};

static void launch_script(const char *script, unsigned *words)
{
    unsigned n = 1;
    for (const char *s = script; *s && *s != ';'; s++)
        n += *s == '|';
    run.script = script;
    run.nturn = 0;
    assert_int_equal(launch_row(act, words, n, NTHREAD, 0), 0);
}

/* With the places of the first two blocks of the last launch in it. */
static const char *expected(const char *text)
{
    static char said[EMU_TEXT_BYTES];
    size_t n = 0;
    for (; *text; text++)
        n += (size_t)(*text == '@' || *text == '#' ? snprintf(said + n, sizeof said - n, "%u", run.block[*text == '#'])
                                                   : snprintf(said + n, sizeof said - n, "%c", *text));
    said[n] = '\0';
    return said;
}

static void check_script(const Script *s, unsigned *words, bool leaves)
{
    Emu e = { .workers = 1, .block_budget = 100 };
    memset(words, 0, 2 * NWORD * sizeof *words);
    emu_add_region(&e, EMU_COUNTERS, "ws", words, NWORD * sizeof *words, sizeof *words);
    emu_add_region(&e, EMU_OUTPUT, "out", run.out, NWORD * sizeof *words, sizeof *words);
    emu_begin(&e);
    launch_script(s->script, words);
    if (strchr(s->script, ';'))
        launch_script(strchr(s->script, ';') + 1, words);
    const char *now = leaves && strstr(s->findings, "the counter") ? "" : expected(s->findings);
    if (strcmp(findings(&e), now) != 0)
        fail_msg("%s: '%s' instead of '%s'", s->script, findings(&e), now);
    assert_memory_equal(words, s->left, sizeof s->left);
    if (!leaves)
        memset(words, 0, NWORD * sizeof *words);
    emu_end(&e);
    assert_string_equal(findings(&e), expected(s->findings));
}

TEST(what_is_visible_to_whom)
{
    unsigned *words = calloc(2 * NWORD, sizeof *words);
    assert_non_null(words);
    run.out = words + NWORD;
    for (size_t i = 0; i < LENGTH(scripts); i++)
        check_script(&scripts[i], words, false);
    for (size_t i = 0; i < LENGTH(leaving); i++)
        check_script(&leaving[i], words, true);
    free(words);
}

/* ---- two blocks at the same time ---- */

static int stage, first;

static void await(int wanted)
{
    while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < wanted)
        sched_yield();
}

/* The reader counts before the writer does, so its counter says nothing of the writer, whatever it reads later. */
KERNEL(count_before_the_writer)
{
    if (__atomic_fetch_add(&first, 1, __ATOMIC_ACQ_REL) == 0) {
        dcgen_emu_atomic_add(p, 1, 1, 1);
        __atomic_store_n(&stage, 1, __ATOMIC_RELEASE);
        await(2);
        dcgen_emu_fence();
        __tsan_read4(p + 3);
    } else {
        await(1);
        __tsan_write4(p + 3);
        dcgen_emu_fence();
        dcgen_emu_atomic_add(p, 1, 1, 2);
        __atomic_store_n(&stage, 2, __ATOMIC_RELEASE);
    }
}

TEST(counters_have_an_order)
{
    unsigned *words = calloc(NWORD, sizeof *words);
    Emu e = { .workers = 2, .block_budget = 100 };
    emu_add_region(&e, EMU_COUNTERS, "ws", words, NWORD * sizeof *words, sizeof *words);
    emu_begin(&e);
    assert_int_equal(launch_row(count_before_the_writer, words, 2, 1, 0), 0);
    emu_end(&e);
    assert_int_equal(e.nfinding, 1);
    assert_non_null(strstr(e.finding[0].text, "thread 0, without a counter that says so"));
    assert_int_equal(words[0], 2);
    free(words);
}

/* ---- places ---- */

static struct {
    void (*hook)(void *p);
    long offset; /* from the middle of the memory */
} touched;

KERNEL(touch) { touched.hook((char *)p + touched.offset); }

/* By such functions; what is shared is touched at the offset itself. */
#define TOUCH(name) static void name(void *p)
#define SHARED (dcgen_emu_shared_memory() + touched.offset)
TOUCH(range_read) { __tsan_read_range(p, 5); }
TOUCH(range_write) { __tsan_write_range(p, 6); }
TOUCH(copy_in) { dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 8, 8, 1); }
TOUCH(copy_part) { dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 8, 3, 1); }
TOUCH(copy_nothing) { dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 16, 0, 1); }
TOUCH(copy_more) { dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 4, 5, 1); }
TOUCH(copy_less) { dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 4, -1, 1); }
TOUCH(copy_askew) { dcgen_emu_cp_async(dcgen_emu_shared_memory() + 4, p, 8, 8, 1); }
TOUCH(copy_beyond) { dcgen_emu_cp_async(dcgen_emu_shared_memory() + 32, p, 8, 8, 1); }
TOUCH(copy_over_end) { dcgen_emu_cp_async(dcgen_emu_shared_memory() + 32, p, 16, 8, 1); }
TOUCH(count_up) { dcgen_emu_atomic_add(p, 1, 1, 1); }
TOUCH(write_shared) { __tsan_write4(SHARED); }
TOUCH(write_shared_16) { __tsan_write16(SHARED); }
TOUCH(read_shared_2) { __tsan_read2(SHARED); }
TOUCH(write_shared_range) { __tsan_write_range(SHARED, 24); }
TOUCH(twice) /* the second finds the operand among the recent ones */
{
    __tsan_read8(p);
    __tsan_read8((char *)p + 4);
}
TOUCH(twice_apart)
{
    __tsan_read4(p);
    __tsan_read4((char *)p + 256);
}
TOUCH(over_end_twice)
{
    __tsan_read4(p);
    __tsan_unaligned_read8(p);
}

/* 64 bytes each of an input, an output and counters, at 0, 256 and 512 of a memory; elements of 4 and 2 bytes. */
static const struct {
    void (*hook)(void *p);
    long offset;
    const char *findings;
} touches[] = {
    { __tsan_read4, 0, "" },
    { __tsan_read16, 48, "" },
    { __tsan_unaligned_read4, 60, "" },
    { __tsan_unaligned_read4, 59, "" },
    { __tsan_read8, 4, "reads 8 bytes at in element 1, which is not aligned to them" },
    { __tsan_read2, 3, "reads 2 bytes at in byte 3, which is not aligned to them" },
    { __tsan_read4, 64, "reads 4 bytes at in element 16 of 16" },
    { __tsan_read4, -4, "reads 4 bytes at in element -1 of 16" },
    { __tsan_read1, -1, "reads 1 bytes at in byte -1" },
    { __tsan_unaligned_read4, 62, "reads 4 bytes at in byte 62" },
    { __tsan_unaligned_read16, 52, "reads 16 bytes at in element 13" },
    { range_read, 59, "" },
    { range_read, 60, "reads 5 bytes at in element 15" },
    { twice, 0, "reads 8 bytes at in element 1, which is not aligned to them" },
    { over_end_twice, 60, "reads 8 bytes at in element 15" },
    { __tsan_write4, 8, "writes in element 2, an input" },
    { __tsan_write1, 9, "writes in byte 9, an input" },
    { __tsan_read4, 159, "reads 4 bytes at in byte 159" }, /* the nearest */
    { __tsan_read4, 162, "reads 4 bytes at out element -47 of 32" },
    { __tsan_read2, 256, "reads out element 0, which nobody has written" },
    { __tsan_read2, 318, "reads out element 31, which nobody has written" },
    { __tsan_unaligned_read2, 257, "reads out element 0, which nobody has written" },
    { __tsan_write2, 318, "" },
    { __tsan_write2, 320, "writes 2 bytes at out element 32 of 32" },
    { range_write, 256, "" },
    { range_write, 315, "writes 6 bytes at out byte 59" },
    { __tsan_read16, 560, "reads ws element 12, which nobody has written" },
    { __tsan_write4, 576, "writes 4 bytes at ws element 16 of 16" },
    { __tsan_write4, 576 + (1 << 20) - 4, "writes 4 bytes at ws element 262159 of 16" },
    { count_up, 514, "adds to ws byte 2, which is not aligned to 4 bytes" },
    { count_up, 0, "adds to in element 0, which is no counter" },
    { count_up, 256, "adds to out element 0, which is no counter" },
    { count_up, 576, "writes 4 bytes at ws element 16 of 16" },
    { copy_in, 56, "" },
    { copy_in, 64, "reads 8 bytes at in element 16 of 16" },
    { copy_in, 4, "reads 8 bytes at in element 1, which is not aligned to them" },
    { copy_part, 56, "" },
    { copy_in, 256, "reads out element 0, which nobody has written" },
    { copy_nothing, 1001, "" },
    { copy_more, 0, "copies 5 bytes by an asynchronous copy of 4" },
    { copy_less, 0, "copies -1 bytes by an asynchronous copy of 4" },
    { copy_askew, 0, "writes 8 bytes at shared byte 4, which is not aligned to them" },
    { copy_beyond, 0, "" },
    { copy_over_end, 0, "writes 16 bytes at shared byte 32, but the block has 40 bytes" },
    { write_shared, 36, "" },
    { write_shared, 40, "writes 4 bytes at shared byte 40, but the block has 40 bytes" },
    { write_shared, -4, "writes 4 bytes at shared byte -4, but the block has 40 bytes" },
    { write_shared, 200000, "writes 4 bytes at shared byte 200000, but the block has 40 bytes" },
    { write_shared, -200000, "writes 4 bytes at shared byte -200000, but the block has 40 bytes" },
    { write_shared, 500000, "writes 4 bytes at shared byte 500000, but the block has 40 bytes" },
    { write_shared, 6, "writes 4 bytes at shared byte 6, which is not aligned to them" },
    { write_shared_16, 16, "" },
    { write_shared_16, 32, "writes 16 bytes at shared byte 32, but the block has 40 bytes" },
    { write_shared_16, 8, "writes 16 bytes at shared byte 8, which is not aligned to them" },
    { write_shared_range, 16, "" },
    { write_shared_range, 17, "writes 24 bytes at shared byte 17, but the block has 40 bytes" },
    { read_shared_2, 38, "reads shared byte 38, which nobody has written" },
    { read_shared_2, 5, "reads 2 bytes at shared byte 5, which is not aligned to them" },
};

TEST(places_are_named)
{
    char *memory = aligned_alloc(64, 2 << 20);
    assert_non_null(memory);
    for (size_t i = 0; i < sizeof touches / sizeof *touches; i++)
        for (int count = 0; count < 2; count++) {
            Emu e = { .workers = 1, .block_budget = 100, .smem_limit = 64, .count = count };
            memset(memory, 0, 1024);
            emu_add_region(&e, EMU_INPUT, "in", memory, 64, 4);
            emu_add_region(&e, EMU_OUTPUT, "out", memory + 256, 64, 2);
            emu_add_region(&e, EMU_COUNTERS, "ws", memory + 512, 64, 4);
            emu_begin(&e);
            touched.hook = touches[i].hook;
            touched.offset = touches[i].offset;
            assert_int_equal(launch_row(touch, (unsigned *)(void *)memory, 1, 1, 40), 0);
            assert_string_equal(findings(&e), touches[i].findings);
            emu_end(&e);
        }
    free(memory);
}

/* Constants beside the code may be read, not written; all else far from operands may be neither, not even what was an
 * operand before. */
static void touch_once(void (*hook)(void *p), unsigned *words)
{
    touched.hook = hook;
    touched.offset = 0;
    assert_int_equal(launch_row(touch, words, 1, 1, 0), 0);
}

TEST(what_is_no_operand)
{
    static unsigned beside[4] = { 1 };
    static Emu e, other;
    unsigned *operand = calloc(128, sizeof *operand);
    e = other = (Emu){ .workers = 1, .block_budget = 100 };
    emu_add_region(&e, EMU_INPUT, "in", operand, 256, 4);
    emu_add_region(&e, EMU_INPUT, "in2", operand + 64, 256, 4);
    emu_begin(&e);
    touch_once(__tsan_read4, beside);
    assert_int_equal(e.nfinding, 0);
    touch_once(__tsan_write4, beside);
    assert_int_equal(e.nfinding, 1);
    assert_non_null(strstr(e.finding[0].text, "writes 4 bytes at address 0x"));
    for (unsigned *p = operand; p <= operand + 64; p += 64) {
        emu_begin(&e);
        touch_once(twice_apart, operand); /* both are among the recent ones */
        assert_int_equal(e.nfinding, 0);
        emu_begin(&other);
        touch_once(__tsan_read4, p);
        assert_int_equal(other.nfinding, 1);
        assert_non_null(strstr(other.finding[0].text, ", far from all operands"));
        emu_end(&other);
    }
    free(operand);
}

/* ---- memory that stays ---- */

TEST(memory_that_stays)
{
    char *all = aligned_alloc(64, 4096);
    Emu e = { .workers = 1, .block_budget = 100 };
    memset(all, 0, 4096);
    emu_begin(&e);
    assert_true(emu_add_region(&e, EMU_MEMORY, "one", all, 64, 2) &&
                emu_add_region(&e, EMU_MEMORY, "two", all + 64, 1025, 2) &&
                emu_add_region(&e, EMU_MEMORY, "three", all + 2048, 64, 2));
    assert_true(e.region[1].shadow_bytes >= 513 * sizeof *e.region[1].shadow);
    const EmuRegion *two = emu_memory_of(all + 64, 1025);
    assert_ptr_equal(two, &e.region[1]);
    assert_null(emu_memory_of(all + 64, 1026));
    assert_null(emu_memory_of(all + 63, 2));
    assert_null(emu_memory_of(all + 64 + 1025, 0));
    assert_ptr_equal(emu_unwritten(two, all + 64, 1025), all + 64);
    dcgen_emu_written(all + 64 + 5, 4); /* 5 to 8, of which granules are 4 to 9 */
    assert_ptr_equal(emu_unwritten(two, all + 64 + 3, 3), all + 64 + 2);
    assert_null(emu_unwritten(two, all + 64 + 4, 6));
    assert_ptr_equal(emu_unwritten(two, all + 64 + 4, 7), all + 64 + 10);
    dcgen_emu_written(all + 64, 1025);
    assert_null(emu_unwritten(two, all + 64, 1025));
    dcgen_emu_written(all + 64 + 1024, 64); /* not in it: of nobody */
    run.out = (unsigned *)(void *)all;
    dcgen_emu_written(all + 2048, 8);
    launch_script("ar1", (unsigned *)(void *)(all + 2048)); /* a word of two granules */
    assert_string_equal(findings(&e), "the counter at three byte 0 is 1 after the launch, not 0");
    e.nfinding = 0;
    launch_script("w3fba/b|aw0bfr3/b", (unsigned *)(void *)(all + 2048));
    assert_string_equal(findings(&e), "");
    launch_script("ar0w0", (unsigned *)(void *)all);
    assert_string_equal(findings(&e), "");
    launch_script("r3", (unsigned *)(void *)(all + 2048));
    launch_script("r4", (unsigned *)(void *)(all + 2048));
    assert_string_equal(findings(&e), "reads three element 8, which nobody has written");
    emu_remove_region(&e, 0);
    assert_true(e.nregion == 2 && emu_memory_of(all + 2048, 64) && emu_memory_of(all + 64, 64) &&
                !emu_memory_of(all, 1));
    while (e.nregion < EMU_MAX_REGION)
        assert_true(emu_add_region(&e, EMU_MEMORY, "more", all + 3000, 2, 2));
    assert_false(emu_add_region(&e, EMU_MEMORY, "too many", all, 2, 2));
    assert_int_equal(e.nregion, EMU_MAX_REGION);
    emu_end(&e);
    assert_int_equal(e.nregion, 0);
    emu_add_region(&e, EMU_OUTPUT, "none", all, 0, 4);
    assert_int_equal(e.nregion, 0);
    assert_true(emu_add_region(&e, EMU_MEMORY, "none", all, 0, 2)); /* nothing is there to be added */
    assert_int_equal(e.nregion, 0);
    free(all);
}

/* ---- what is given back ---- */

KERNEL(use_all)
{
    dcgen_emu_cp_async(dcgen_emu_shared_memory(), p, 4, 0, 1);
    for (int i = 0; i < 300; i++)
        __tsan_write4(p + 1);
    dcgen_emu_atomic_add(p, 1, 1, 1);
}

static void use_once(unsigned *words)
{
    Emu e = { .workers = 1, .block_budget = 1000, .smem_limit = 64, .count = true };
    emu_add_region(&e, EMU_COUNTERS, "ws", words, NWORD * sizeof *words, sizeof *words);
    emu_begin(&e);
    assert_true(emu_add_region(&e, EMU_MEMORY, "memory", words + NWORD, 64, 2));
    assert_int_equal(launch_row(use_all, words, 4, 1, 4), 0);
    emu_end(&e);
    emu_free();
}

static size_t pages(void)
{
    size_t n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu", &n), 1);
    fclose(f);
    return n;
}

TEST(all_memory_is_given_back)
{
    unsigned *words = calloc(2 * NWORD, sizeof *words);
    size_t before[2] = { 0 }, after[2];
    for (int round = 0; round < 16; round++) {
        use_once(words);
        after[0] = pages();
        after[1] = mallinfo2().uordblks;
        if (round == 11)
            memcpy(before, after, sizeof before);
    }
#ifndef DCGEN_SANITIZE_address /* which keeps what is freed */
    assert_int_equal(after[0], before[0]);
    assert_int_equal(after[1], before[1]);
#endif
    free(words);
}
