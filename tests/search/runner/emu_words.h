/* SPDX-License-Identifier: Apache-2.0
 *
 * emu_words: an array of words in global memory, and launches of kernels in C on it.
 */
#ifndef DCGEN_TESTS_EMU_WORDS_H
#define DCGEN_TESTS_EMU_WORDS_H

#include "tests/test.h"
#include <stdlib.h>
#include "gen/base/arena.h"
#include "tests/search/runner/emu_call.h"

#define TEN(x) x x x x x x x x x x /* each is a place of its own in the code */

enum { NWORD = 4096 };
static unsigned *words; /* aligned to 64 bytes */

static inline int set_up(void **state)
{
    words = aligned_alloc(64, NWORD * sizeof *words);
    return words ? 0 : -1;
}

static inline int tear_down(void **state)
{
    free(words);
    emu_free();
    return 0;
}

static inline Emu emu_of_words(EmuRole role)
{
    Emu e = { .workers = 1, .block_budget = 1 << 20, .smem_limit = 256 << 10 };
    emu_add_region(&e, role, "ws", words, NWORD * sizeof *words, sizeof *words);
    return e;
}

/* A launch of so many blocks of so many threads on the words; its findings. */
static inline void execute(Emu *e, KernelOf *kernel, unsigned nblock, unsigned nthread, size_t smem_bytes)
{
    memset(words, 0, NWORD * sizeof *words);
    emu_begin(e);
    assert_int_equal(launch_row(kernel, words, nblock, nthread, smem_bytes), 0);
    emu_end(e);
}

#endif
