/* SPDX-License-Identifier: Apache-2.0
 *
 * templates/device/limits.cu, executed by the emulator: each probe does the work that it says, no more and no less,
 * without a finding.
 *
 *   ctest: emulator label=slow timeout=120
 */
#include "tests/test.h"
#include <stdlib.h>
#include "search/runner/emu/emu.h"
#include "tests/search/runner/emu_matrix.h"

enum { BYTES = 1 << 20, SMS = 3, MOST_VARIANTS = 8 };

typedef struct {
    RowWorld *rows; /* its compiler */
    Arena *a;
    Build build;
    void *so;
    dcgen_limit_fn *limit;
    unsigned char *buffer;
} World;
static World *w;

void dcgen_emu_written(const void *address, size_t bytes);

static char *text_for(const char *target, Diag *d)
{
    const UnitContext u = { NULL, NULL, &w->rows->targets, rows_package, target_find(&w->rows->targets, target) };
    return unit_limits(w->a, &u, d);
}

/* One launch; what it said of its work. */
static double probe(Emu *emu, const char *name, int variant, int64_t rounds)
{
    double work = -1;
    *emu = (Emu){ .count = true, .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    emu_add_region(emu, EMU_MEMORY, "the buffer", w->buffer, BYTES, sizeof(float));
    emu_begin(emu);
    dcgen_emu_written(w->buffer, BYTES);
    const int code = w->limit(name, variant, SMS, rounds, w->buffer, BYTES, NULL, &work);
    emu_end(emu);
    if (code != 0 || emu->nfinding > 0)
        fail_msg("%s %d: %d, %s", name, variant, code, emu->nfinding ? emu->finding[0].text : emu->refusal);
    return work;
}

static int variants(const char *name)
{
    double work;
    int n = 0;
    Emu emu = { .workers = 1, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    emu_begin(&emu);
    while (n < MOST_VARIANTS && w->limit(name, n, 1, 1, w->buffer, BYTES, NULL, &work) != DCGEN_NO_PROBE)
        n++;
    emu_end(&emu);
    return n;
}

TEST(the_buffer_is_random)
{
    Emu emu;
    const float *x = (const float *)w->buffer;
    double sum = 0, squares = 0;
    memset(w->buffer, 0xff, BYTES);
    assert_true(probe(&emu, "fill", 0, 1) == BYTES);
    assert_int_equal(emu.counts.sectors_written * 32, BYTES);
    for (int i = 0; i < BYTES / 4; i++) {
        assert_true(x[i] >= -1 && x[i] <= 1);
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    assert_true(sum * sum < BYTES && squares > BYTES / 4 * 0.32 && squares < BYTES / 4 * 0.35);
}

TEST(reading_reads_all_of_it)
{
    Emu emu;
    assert_in_range(variants("memory"), 1, MOST_VARIANTS - 1);
    for (int i = variants("memory"); i-- > 0;) {
        assert_true(probe(&emu, "memory", i, 2) == 2 * BYTES);
        assert_int_equal(emu.counts.sectors_read * 32, 2 * BYTES);
    }
    assert_in_range(variants("l2"), 1, MOST_VARIANTS - 1);
    for (int i = variants("l2"); i-- > 0;) {
        const double work = probe(&emu, "l2", i, 2);
        assert_true(work == 2.0 * BYTES * (double)emu.counts.blocks && emu.counts.blocks % SMS == 0);
        assert_true((double)emu.counts.sectors_read * 32 == work);
    }
}

/* A pass over the banks moves 128 bytes; a block writes what it reads once. */
TEST(shared_memory_has_no_conflicts)
{
    Emu emu;
    assert_in_range(variants("shared"), 1, MOST_VARIANTS - 1);
    for (int i = variants("shared"); i-- > 0;) {
        const double work = probe(&emu, "shared", i, 5);
        assert_int_equal(emu.counts.conflicts, 0);
        assert_true(work == (double)(emu.counts.wavefronts * 128 - emu.counts.blocks * emu.counts.smem_bytes));
        assert_true(work == 5.0 * 8 * 16 * (double)emu.counts.threads);
    }
}

TEST(products_are_counted)
{
    Emu emu;
    static const struct {
        const char *name;
        int k;
    } rows[] = { { "tf32", 8 }, { "f16", 16 }, { "bf16", 16 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_in_range(variants(rows[i].name), 1, MOST_VARIANTS - 1);
        for (int v = variants(rows[i].name); v-- > 0;) {
            const double work = probe(&emu, rows[i].name, v, 3);
            assert_int_equal(emu.counts.collectives, 3 * 64 * emu.counts.threads / 32);
            assert_true(work == 2.0 * 16 * 8 * rows[i].k * (double)emu.counts.collectives);
        }
    }
    static const char *const fma[] = { "fma", "fma_reuse" };
    for (size_t i = 0; i < sizeof fma / sizeof *fma; i++) {
        assert_in_range(variants(fma[i]), 1, MOST_VARIANTS - 1);
        for (int v = variants(fma[i]); v-- > 0;)
            assert_true(probe(&emu, fma[i], v, 3) == 3 * 256 * 2.0 * (double)emu.counts.threads);
    }
}

/* An odd number of rounds is made even, so that counters end as they began. */
TEST(hand_overs_leave_the_counter)
{
    Emu emu;
    memset(w->buffer, 0, BYTES);
    assert_true(probe(&emu, "handover", 0, 5) == 6);
    assert_int_equal(emu.counts.blocks, SMS);
    assert_int_equal(emu.counts.barriers, 6 * 2 * SMS);
    for (int block = 0; block < SMS; block++) {
        const float *tile = (const float *)(w->buffer + BYTES - (SMS - block) * 8192);
        assert_int_equal(((const unsigned *)tile)[1024], 0);
        assert_true(tile[512 + 4 * 7] ==
                    7 + 5 + 2); /* as thread 7 stored it in the sixth round: of the counts 0 1 0 1 0 */
        assert_true(tile[512 + 4 * 7 + 1] == 1);
    }
}

TEST(others_are_refused)
{
    double work;
    Diag *d = diag_new(w->a);
    assert_int_equal(w->limit("dance", 0, SMS, 1, w->buffer, BYTES, NULL, &work), DCGEN_NO_PROBE);
    assert_int_equal(w->limit("fma", 99, SMS, 1, w->buffer, BYTES, NULL, &work), DCGEN_NO_PROBE);
    /* sm_75 has no such tensor cores: limits.cu leaves them out. A CPU measures without code of its own. */
    const char *old = text_for("sm_75", d);
    assert_non_null(old);
    assert_null(strstr(old, "SM_ARCH"));
    assert_null(strstr(old, "#include \"mma"));
    assert_null(text_for("avx2", d));
    assert_int_equal(diag_nerror(d), 0);
}

static int set_up(void **state)
{
    w = calloc(1, sizeof *w);
    w->rows = rows_world(true);
    w->a = w->rows->a;
    w->buffer = aligned_alloc(256, BYTES);
    Diag *d = diag_new(w->a);
    w->build = (Build){ .name = "limits" };
    w->build.text = text_for("sm_90a", d);
    diag_print(d, stderr);
    if (!w->buffer || !w->rows->emulator || !w->build.text)
        return -1;
    build_all(w->rows->emulator, w->a, &w->build, 1, NULL);
    if (w->build.status != STATUS_OK) {
        fprintf(stderr, "%s\n", w->build.why);
        return -1;
    }
    w->so = dlopen(w->build.so, RTLD_NOW | RTLD_LOCAL);
    *(void **)&w->limit = w->so ? dlsym(w->so, "dcgen_limit") : NULL;
    return w->limit ? 0 : -1;
}

static int tear_down(void **state)
{
    if (w->so)
        dlclose(w->so);
    emu_free();
    const int code = rows_free((void **)&w->rows);
    free(w->buffer);
    free(w);
    return code;
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(rows_have_compiler)
