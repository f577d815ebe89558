/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator's view of shared memory, in kernels in C. Threads make accesses at random, of all sizes and on all
 * places of a line, with asynchronous copies among them; beside them goes a model that knows of each granule who wrote
 * it, who read it and when. The emulator finds what the model forbids, at that very access and in the same words, and
 * before it nothing.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include "tests/search/runner/emu_call.h"

enum {
    NTHREAD = 3,
    MAX_SMEM = 64,
    NGRANULE = MAX_SMEM / 2,
    MAX_COPY = 600,
    NOBODY = -1,
    SEVERAL = -2,
    PENDING = -1,
    NINPUT = 64
};

/* ---- the model ---- */

typedef struct {
    int epoch, writer; /* of the last write; epoch 0: none, PENDING: a copy of `writer` is on its way */
    int read_epoch, read_by;
} Granule;

typedef struct {
    int group, offset, width;
    unsigned char data[16];
} Copy;

typedef struct {
    int smem, epoch;
    Granule granule[NGRANULE];
    unsigned char data[MAX_SMEM];
    Copy copy[NTHREAD][MAX_COPY];
    int first[NTHREAD], ncopy[NTHREAD], group[NTHREAD];
} Model;

typedef enum { NOTHING, COPIED, UNWRITTEN, WRITTEN, READ_BY_SEVERAL, READ_BY_ONE } Fault;

static struct {
    Model model;
    uint64_t random;
    Emu *emu;
    int rounds, steps, idle_barriers;
    /* what came of it */
    bool stopped, wrong_data;
    int naccess, unexpected; /* accesses; of them that with which the emulator found what the model allows, 0: none */
    Fault fault;
    bool write;
    int thread, byte, other;
} run;

static unsigned dice(unsigned n)
{
    run.random = run.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(run.random >> 33) % n;
}

static Fault fault_of(const Granule *g, int thread, bool write)
{
    const int now = run.model.epoch;
    if (g->epoch == PENDING)
        return COPIED;
    if (!write && g->epoch == 0)
        return UNWRITTEN;
    if (g->epoch == now && g->writer != thread)
        return WRITTEN;
    if (write && g->read_epoch == now && g->read_by != thread)
        return g->read_by == SEVERAL ? READ_BY_SEVERAL : READ_BY_ONE;
    return NOTHING;
}

static bool is_forbidden(int thread, int offset, int bytes, bool write)
{
    for (int i = offset / 2; i <= (offset + bytes - 1) / 2; i++)
        if (fault_of(&run.model.granule[i], thread, write))
            return true;
    return false;
}

static void foresee(int thread, int offset, bool write)
{
    int i = offset / 2;
    while (!fault_of(&run.model.granule[i], thread, write))
        i++;
    const Granule *g = &run.model.granule[i];
    run.fault = fault_of(g, thread, write);
    run.write = write;
    run.thread = thread;
    run.byte = 2 * i;
    run.other = run.fault == READ_BY_ONE ? g->read_by : g->writer;
}

static void note(int thread, int offset, int bytes, bool write)
{
    for (int i = offset / 2; i <= (offset + bytes - 1) / 2; i++) {
        Granule *g = &run.model.granule[i];
        if (write) {
            g->epoch = run.model.epoch;
            g->writer = thread;
        } else {
            g->read_by = g->read_epoch != run.model.epoch || g->read_by == thread ? thread : SEVERAL;
            g->read_epoch = run.model.epoch;
        }
    }
}

/* ---- accesses ---- */

typedef struct {
    bool write, copy, aligned;
    int offset, bytes;
} Access;

static Access random_access(void)
{
    Access a = { .write = dice(2), .aligned = dice(4) > 0 };
    a.bytes = 1 << dice(5);
    a.copy = a.write && a.aligned && a.bytes >= 4 && dice(3) == 0;
    if (!a.aligned && dice(3) == 0)
        a.bytes = 1 + (int)dice(20);
    const int step = a.aligned ? a.bytes : 1;
    a.offset = (int)dice((unsigned)((run.model.smem - a.bytes) / step + 1)) * step;
    return a;
}

PLAIN void announce(const Access *a, void *p)
{
    typedef void Hook(void *p);
    static Hook *const hooks[2][2][5] = { { { __tsan_unaligned_read1, __tsan_unaligned_read2, __tsan_unaligned_read4,
                                              __tsan_unaligned_read8, __tsan_unaligned_read16 },
                                            { __tsan_read1, __tsan_read2, __tsan_read4, __tsan_read8, __tsan_read16 } },
                                          { { __tsan_unaligned_write1, __tsan_unaligned_write2, __tsan_unaligned_write4,
                                              __tsan_unaligned_write8, __tsan_unaligned_write16 },
                                            { __tsan_write1, __tsan_write2, __tsan_write4, __tsan_write8,
                                              __tsan_write16 } } };
    const bool power = (a->bytes & (a->bytes - 1)) == 0 && a->bytes <= 16;
    if (power)
        hooks[a->write][a->aligned][__builtin_ctz((unsigned)a->bytes)](p);
    else if (a->write)
        __tsan_write_range(p, a->bytes);
    else
        __tsan_read_range(p, a->bytes);
}

PLAIN void copy(int thread, const Access *a, unsigned char *p, const unsigned char *input)
{
    Model *m = &run.model;
    Copy *c = &m->copy[thread][m->ncopy[thread]++];
    const int from = (int)dice((unsigned)(NINPUT / a->bytes)) * a->bytes;
    const int have = dice(2) ? a->bytes : (int)dice((unsigned)a->bytes + 1);
    *c = (Copy){ .group = m->group[thread], .offset = a->offset, .width = a->bytes };
    memcpy(c->data, input + from, (size_t)have);
    dcgen_emu_cp_async(p, input + from, a->bytes, have, 5);
    for (int i = a->offset / 2; i < (a->offset + a->bytes) / 2; i++)
        m->granule[i].epoch = PENDING, m->granule[i].writer = thread;
}

static void complete(int thread, int keep)
{
    Model *m = &run.model;
    for (; m->first[thread] < m->ncopy[thread]; m->first[thread]++) {
        const Copy *c = &m->copy[thread][m->first[thread]];
        if (c->group >= m->group[thread] - keep)
            return;
        memcpy(m->data + c->offset, c->data, (size_t)c->width);
        note(thread, c->offset, c->width, true);
    }
}

/* Mostly what is allowed: so a program gets far before it does what is not. */
PLAIN void step(int thread, unsigned char *shared, const unsigned char *input)
{
    Access a = random_access();
    for (int i = 0; i < 12 && is_forbidden(thread, a.offset, a.bytes, a.write); i++)
        a = random_access();
    const bool bad = is_forbidden(thread, a.offset, a.bytes, a.write);
    if (bad && dice(3))
        return;
    run.naccess++;
    if (bad)
        foresee(thread, a.offset, a.write);
    if (a.copy) {
        copy(thread, &a, shared + a.offset, input);
    } else {
        announce(&a, shared + a.offset);
        for (int i = 0; !bad && i < a.bytes; i++)
            if (a.write)
                shared[a.offset + i] = run.model.data[a.offset + i] = (unsigned char)dice(256);
            else if ((a.offset + i) / 2 > a.offset / 2 && i + 1 < a.bytes &&
                     shared[a.offset + i] != run.model.data[a.offset + i])
                run.wrong_data = true;
    }
    if (!bad && !a.copy)
        note(thread, a.offset, a.bytes, a.write);
    if (!bad && run.emu->nfinding)
        run.unexpected = run.naccess;
    run.stopped = run.emu->nfinding > 0;
}

PLAIN void walk(unsigned *out)
{
    const int thread = (int)dcgen_emu_thread_index().x;
    unsigned char *shared = dcgen_emu_shared_memory();
    for (int r = 0; r < run.rounds; r++) {
        for (int s = 0; s < run.steps && !run.stopped; s++) {
            const unsigned turn = dice(8);
            if (turn == 0) {
                dcgen_emu_cp_commit();
                run.model.group[thread]++;
            } else if (turn == 1) {
                const int keep = (int)dice(3);
                complete(thread, keep);
                dcgen_emu_cp_wait(keep);
            } else {
                step(thread, shared, (const unsigned char *)out);
            }
        }
        if (run.stopped)
            return;
        for (int i = 0; i < (r == 2 ? run.idle_barriers : 0); i++)
            dcgen_emu_barrier(1);
        dcgen_emu_barrier(1);
        run.model.epoch = r + 2;
    }
}

/* What the emulator has to say of it. */
static const char *foreseen(char *text, size_t bytes)
{
    static const char *const pattern[] = {
        [NOTHING] = "",
        [COPIED] = "%s shared byte %d before the asynchronous copy to it by thread %d is known to be complete",
        [UNWRITTEN] = "%s shared byte %d, which nobody has written",
        [WRITTEN] = "%s shared byte %d, which thread %d writes between the same barriers",
        [READ_BY_SEVERAL] = "%s shared byte %d, which other threads read between the same barriers",
        [READ_BY_ONE] = "%s shared byte %d, which thread %d reads between the same barriers",
    };
    snprintf(text, bytes, pattern[run.fault], run.write ? "writes" : "reads", run.byte, run.other);
    return text;
}

static Fault walk_once(uint64_t seed, int smem, bool count, int idle_barriers)
{
    static union {
        unsigned word[NINPUT / 4];
        unsigned char byte[NINPUT];
    } input __attribute__((aligned(16)));
    char text[EMU_TEXT_BYTES];
    Emu e = { .workers = 1, .smem_limit = 1 << 15, .block_budget = 1 << 30, .count = count };
    memset(&run, 0, sizeof run);
    run.model.smem = smem;
    run.model.epoch = 1;
    memset(run.model.data, 0xff, sizeof run.model.data);
    run.random = seed;
    run.emu = &e;
    run.rounds = 5;
    run.steps = 3 + (int)(seed % 6);
    run.idle_barriers = idle_barriers;
    for (int i = 0; i < NINPUT; i++)
        input.byte[i] = (unsigned char)(i + 1);
    emu_add_region(&e, EMU_INPUT, "in", input.word, sizeof input.word, 4);
    emu_begin(&e);
    assert_int_equal(launch_row(walk, input.word, 1, NTHREAD, (size_t)smem), 0);
    emu_end(&e);
    const char *want = foreseen(text, sizeof text), *got = first_finding(&e);
    if (strcmp(got, want) != 0 || run.unexpected || run.wrong_data)
        fail_msg("seed %d, access %d of thread %d: '%s' instead of '%s'%s", (int)seed, run.naccess, e.finding[0].thread,
                 got, want, run.wrong_data ? "; the data are wrong" : "");
    if (*want)
        assert_int_equal(e.finding[0].thread, run.thread);
    return run.fault;
}

TEST(random_programs)
{
    int n[READ_BY_ONE + 1] = { 0 };
    for (int i = 0; i < 30000; i++)
        n[walk_once((uint64_t)i * 977 + 5, i % 2 ? 52 : MAX_SMEM, i % 8 == 3, 0)]++;
    for (int i = 0; i <= READ_BY_ONE; i++) /* each kind is met */
        assert_in_range(n[i], 100, 25000);
}

/* More barriers than stamps have epochs: they begin anew, and nothing is lost. */
TEST(epochs_begin_anew)
{
    for (int i = 0; i < 24; i++)
        walk_once((uint64_t)i * 31 + 1, 52, false, (1 << 19) - 4 - i % 3);
}
