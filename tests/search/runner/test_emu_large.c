/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands of more than 2^31 and 2^32 elements: the emulator executes three tiles of a launch on them, the first and
 * the last among them, and each element of these tiles is compared with the definition.
 *
 * No memory holds such operands. Inputs repeat 251 pages of random elements over and over; 251 is prime, so an address
 * that lost its upper bits reads other values. Of the output and its shadow only those pages exist that were written.
 * Sums over k are executed whole, so K stays small.
 *
 * To see that this would find a mistake, kernels are broken too: a product of extents is computed in 32 bits.
 *
 *   ctest: emulator label=slow,thorough timeout=900
 */
#define _GNU_SOURCE
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/search/runner/emu_matrix.h"
#include "tests/search/runner/large_cases.h"

enum { X, W, BIAS, Y, NOPERAND };
enum { NDTYPE = 4, CUDA_INVALID_CONFIGURATION = 9 };
static const char *const dtype_names[NDTYPE] = { "f32", "tf32", "f16", "bf16" };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- memory */

/* APART_BYTES: from where one operand begins in a piece to where the next does, a multiple of all sizes of pages. */
enum { PERIOD_BYTES = 251 * 4096, NPERIOD = 64, PIECE_BYTES = PERIOD_BYTES * NPERIOD, APART_BYTES = 1 << 16 };

typedef struct {
    char *base; /* NULL: none */
    size_t bytes;
} Span;

/* Zeros; small pages, each there once it is written. */
static bool span_new(Span *s, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    s->bytes = (bytes / page + 1) * page;
    s->base = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->base == MAP_FAILED)
        s->base = NULL;
    else
        madvise(s->base, s->bytes, MADV_NOHUGEPAGE);
    return s->base;
}

/* The file's PIECE_BYTES again and again, from this byte on. */
static bool span_repeat(Span *s, size_t bytes, int file, size_t first)
{
    bool good = span_new(s, bytes);
    for (size_t at = 0, piece; good && at < s->bytes; at += piece, first = 0) {
        piece = (size_t)smaller((int64_t)(PIECE_BYTES - first), (int64_t)(s->bytes - at));
        good = mmap(s->base + at, piece, PROT_READ, MAP_SHARED | MAP_FIXED, file, (off_t)first) != MAP_FAILED;
    }
    return good;
}

static void span_free(Span *s)
{
    if (s->base)
        munmap(s->base, s->bytes);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 40;
}

/* A file of PIECE_BYTES that repeats PERIOD_BYTES of random elements. */
static int random_file(const Storage *stored)
{
    char *period = malloc(PERIOD_BYTES);
    uint64_t state = 1;
    int file = memfd_create("elements", MFD_CLOEXEC);
    assert_true(period && file >= 0);
    for (size_t i = 0; i < PERIOD_BYTES / stored->bytes; i++)
        storage_store(stored, period, (int64_t)i, (double)next_random(&state) / (1 << 23) - 1);
    for (int i = 0; i < NPERIOD; i++)
        assert_int_equal(pwrite(file, period, PERIOD_BYTES, (off_t)i * PERIOD_BYTES), PERIOD_BYTES);
    free(period);
    return file;
}

/* ---- kernels */

/* Too many tiles for a grid. */
static const struct {
    const char *of;
    int64_t extent[NAXIS];
} refused[] = {
    { "simt_gemm sm_90a f32 NK", { 64 * 46341, 64 * 46341, 8 } },
    { "simt_gemm sm_90a f32 NK BM=128", { MOST, MOST, MOST } },
    { "mma_gemm sm_90a f16 NK BM=32 BN=96", { MOST, MOST, 8 } },
    { "mma_gemm sm_90a bf16 KN BM=64", { MOST, MOST, 100000 } },
    { "gemv sm_90a f32 NK", { 2, MOST, 20 } },
    { "gemv sm_90a bf16 NK", { MOST, MOST, 20 } },
};

enum { NREFUSED = sizeof refused / sizeof *refused, MAX_BUILD = NCASE * MAX_SHAPE + NREFUSED };

typedef struct {
    RowWorld *rows; /* its compiler */
    Arena *a;
    int file[NDTYPE]; /* of random elements; 0: not there yet */
    int nbuild;
    RowKernel kernel[NCASE][MAX_SHAPE], too_large[NREFUSED], mutant[NMUTANT];
    Build build[MAX_BUILD], mutant_build[NMUTANT];
} World;

/* The case whose kernel is these words, or begins with them as no other does. */
static int case_of(const char *words)
{
    for (int whole = 1; whole >= 0; whole--)
        for (int i = 0; i < NCASE; i++)
            if (strncmp(cases[i].kernel, words, strlen(words) + (size_t)whole) == 0)
                return i;
    fail_msg("there is no case '%s'", words);
    return 0;
}

/* Kernels are fixed for extents of the spec only, so it has the shapes. */
static const char *spec_rest(World *w, const Case *c)
{
    Text t = { .arena = w->a };
    for (int i = 0; i < MAX_SHAPE && c->extent[i][M]; i++)
        text_printf(&t, "%s{ M = %" PRId64 "; N = %" PRId64 "; K = %" PRId64 "; }", i ? ", " : "", c->extent[i][M],
                    c->extent[i][N], c->extent[i][K]);
    return arena_printf(w->a, "epilogue = [\"bias\"]; shapes = ( %s );", text_str(&t));
}

/* The text with this product in 32 bits, wherever it is. */
static const char *cut_product(Arena *a, const char *text, const char *product)
{
    Text t = { .arena = a };
    const char *wide = strstr(product, "(uint64_t)"), *at;
    wide = wide ? wide : strstr(product, "(int64_t)");
    if (!wide || !strstr(text, product))
        fail_msg("there is no '%s' to cut in\n%s", product, text);
    for (; (at = strstr(text, product)); text = at + strlen(product)) {
        text_addn(&t, text, (size_t)(at - text));
        text_addn(&t, product, (size_t)(wide - product));
        text_printf(&t, "(uint32_t)%s", strchr(wide, ')') + 1);
    }
    text_add(&t, text);
    return text_str(&t);
}

/* Takes the first choice of an ordered parameter with which the kernel serves the call. */
static void take_choice(RowKernel *k, const int64_t *extent)
{
    const Template *t = k->c.t;
    int ordered = 0, i = 0;
    while (ordered < t->nparam && !t->param[ordered].ordered)
        ordered++;
    const int nchoice = ordered < t->nparam ? t->param[ordered].nchoice : 0;
    for (; i < nchoice; i++) {
        k->value[ordered] = t->param[ordered].choice[i];
        if (rows_fit(k) && candidate_serves(&k->c, k->spec, extent))
            break;
    }
    if (!candidate_serves(&k->c, k->spec, extent))
        fail_msg("%s does not serve M=%" PRId64 " N=%" PRId64 " K=%" PRId64, k->row->kernel, extent[M], extent[N],
                 extent[K]);
}

/* The kernel of a case that serves a call. */
static RowKernel kernel_of(World *w, const Case *c, const int64_t *extent)
{
    char template[16], target[16], dtype[8], layout[8];
    int values;
    assert_int_equal(sscanf(c->kernel, "%15s %15s %7s %7s%n", template, target, dtype, layout, &values), 4);
    KernelRow *row = ARENA_NEW(w->a, KernelRow);
    *row = (KernelRow){ arena_printf(w->a, "dense %s W=%s", dtype, layout),
                        arena_printf(w->a, "%s %s%s", template, target, c->kernel + values), NULL, spec_rest(w, c) };
    RowKernel k = rows_kernel(w->rows, row);
    take_choice(&k, extent);
    return k;
}

/* Has a kernel built; those whose texts are alike once. */
static void plan_build(World *w, RowKernel *k)
{
    const char *text = rows_text(w->rows, k);
    int i = 0;
    while (i < w->nbuild && strcmp(w->build[i].text, text) != 0)
        i++;
    if (i == w->nbuild)
        w->build[w->nbuild++] = (Build){ .name = arena_printf(w->a, "kernel%d", i), .text = text };
    k->build = &w->build[i];
}

/* Has the mutant built. */
static void plan_mutant(World *w, int i)
{
    const Case *c = &cases[case_of(mutants[i].of)];
    RowKernel *k = &w->mutant[i];
    *k = kernel_of(w, c, c->extent[mutants[i].shape]);
    k->build = &w->mutant_build[i];
    *k->build = (Build){ .name = arena_printf(w->a, "mutant%d", i),
                         .text = cut_product(w->a, rows_text(w->rows, k), mutants[i].product) };
}

/* Tiles of a launch that are executed: the first, one in the middle, the last. */
enum { NSAMPLE = 3 };

/* ---- a call */

typedef struct {
    World *w;
    const RowKernel *k;
    const int64_t *extent;
    Emu emu;
    Span operand[NOPERAND], scratch, counters;
    int64_t nwritten; /* elements that the tiles have */
} Call;

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

static int64_t elems_of(const int64_t *e, int operand)
{
    return operand == X ? e[M] * e[K] : operand == W ? e[N] * e[K] : operand == BIAS ? e[N] : e[M] * e[N];
}

static bool place_new(Call *c, size_t scratch_bytes, size_t counter_bytes)
{
    static const char *const names[NOPERAND] = { "X", "W", "bias", "Y" };
    const size_t elem_bytes = c->k->stored->bytes;
    bool good = true;
    int d = 0;
    while (strcmp(dtype_names[d], c->k->spec->dtype) != 0)
        d++;
    if (!c->w->file[d])
        c->w->file[d] = random_file(c->k->stored);
    for (int i = 0; good && i < NOPERAND; i++) {
        const size_t bytes = (size_t)elems_of(c->extent, i) * elem_bytes;
        good = i == Y ? span_new(&c->operand[i], bytes)
                      : span_repeat(&c->operand[i], bytes, c->w->file[d], (size_t)i * APART_BYTES);
        emu_add_region(&c->emu, i == Y ? EMU_OUTPUT : EMU_INPUT, names[i], c->operand[i].base, bytes,
                       (unsigned)elem_bytes);
    }
    emu_add_region(&c->emu, EMU_SCRATCH, "scratch", c->scratch.base, scratch_bytes, sizeof(float));
    emu_add_region(&c->emu, EMU_COUNTERS, "counters", c->counters.base, counter_bytes, sizeof(unsigned));
    return good;
}

/* Row `row` of X, or column `column` of W, as numbers. */
static void load_row(const Call *c, int64_t row, double *v)
{
    for (int64_t k = 0; k < c->extent[K]; k++)
        v[k] = storage_load(c->k->stored, c->operand[X].base, row * c->extent[K] + k);
}

static void load_column(const Call *c, int64_t column, double *v)
{
    const bool kn = strstr(c->k->row->call, "KN");
    for (int64_t k = 0; k < c->extent[K]; k++)
        v[k] =
            storage_load(c->k->stored, c->operand[W].base, kn ? k * c->extent[N] + column : column * c->extent[K] + k);
}

/* NULL: the element was written and is right. */
static const char *check_element(Call *c, int64_t m, int64_t n, const double *x, const double *w)
{
    const Storage *stored = c->k->stored;
    const Rounding rounding = dtype_rounding(dtype_find(c->k->spec->dtype), stored);
    const int64_t i = m * c->extent[N] + n, terms = c->extent[K] + 1;
    const double b = storage_load(stored, c->operand[BIAS].base, n), y = storage_load(stored, c->operand[Y].base, i);
    double sum = b, bound = fabs(b);
    if (emu_unwritten(&c->emu.region[Y], c->operand[Y].base + (size_t)i * stored->bytes, stored->bytes))
        return arena_printf(c->w->a, "Y[%" PRId64 "][%" PRId64 "] is not written", m, n);
    for (int64_t k = 0; k < c->extent[K]; k++) {
        sum += x[k] * w[k];
        bound += fabs(x[k] * w[k]);
    }
    c->nwritten++;
    return fabs(y - sum) <= rounding_tolerance(&rounding, (double)terms, bound, sum)
               ? NULL
               : arena_printf(c->w->a, "Y[%" PRId64 "][%" PRId64 "] is %g instead of %g", m, n, y, sum);
}

static const char *check_tile(Call *c, int64_t m0, int64_t n0)
{
    const int64_t depth = c->extent[K];
    const int64_t nrow = smaller(c->extent[M] - m0, c->k->tile[M]), ncol = smaller(c->extent[N] - n0, c->k->tile[N]);
    double *x = malloc((size_t)depth * sizeof *x), *w = malloc((size_t)(ncol * depth) * sizeof *w);
    const char *fault = NULL;
    assert_true(x && w && nrow > 0 && ncol > 0);
    for (int64_t n = 0; n < ncol; n++)
        load_column(c, n0 + n, w + n * depth);
    for (int64_t m = 0; !fault && m < nrow; m++) {
        load_row(c, m0 + m, x);
        for (int64_t n = 0; !fault && n < ncol; n++)
            fault = check_element(c, m0 + m, n0 + n, x, w + n * depth);
    }
    free(x);
    free(w);
    return fault;
}

/* Tiles are numbered column by column, `group` rows of tiles at a time. */
static const char *check_tiles(Call *c)
{
    const int64_t *tile = c->k->tile, down = parts(c->extent[M], tile[M]), across = parts(c->extent[N], tile[N]);
    const int64_t grouped = rows_value(c->k, "GROUP"), group = grouped ? grouped : down, last = down * across - 1;
    const char *fault = NULL;
    assert_true(last >= NSAMPLE);
    for (int i = 0; !fault && i < NSAMPLE; i++) {
        const int64_t t = i * last / (NSAMPLE - 1), first = t / (group * across) * group, in = t % (group * across);
        const int64_t height = smaller(down - first, group);
        fault = check_tile(c, (first + in % height) * tile[M], in / height * tile[N]);
    }
    return fault;
}

/* Elements of Y that were written: those whose shadow is not 0, on the pages that exist. */
static int64_t count_written(const EmuRegion *r)
{
    enum { STEP_PAGES = 1 << 18 };
    static unsigned char there[STEP_PAGES];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), npage = (r->shadow_bytes + page - 1) / page;
    int64_t nwritten = 0;
    for (size_t p = 0; p < npage; p++) {
        const size_t n = (size_t)smaller((int64_t)(npage - p), STEP_PAGES);
        if (p % STEP_PAGES == 0)
            assert_int_equal(mincore((char *)r->shadow + p * page, n * page, there), 0);
        for (size_t g = 0; (there[p % STEP_PAGES] & 1) && g < page / sizeof *r->shadow; g++)
            nwritten += r->shadow[p * page / sizeof *r->shadow + g] != 0;
    }
    return nwritten;
}

static const char *judge(Call *c, int code)
{
    char text[EMU_TEXT_BYTES];
    const char *fault = NULL;
    if (c->emu.nfinding > 0)
        emu_describe(&c->emu.finding[0], text);
    if (c->emu.nfinding > 0 || code != 0)
        return arena_strdup(c->w->a, c->emu.nfinding > 0 ? text : c->emu.refusal);
    assert_int_equal(c->emu.counts.blocks, NSAMPLE * rows_value(c->k, "SPLITK"));
    if ((fault = check_tiles(c)))
        return fault;
    const int64_t more = count_written(&c->emu.region[Y]) - c->nwritten;
    return more <= 0 ? NULL : arena_printf(c->w->a, "writes %" PRId64 " elements of other tiles", more);
}

static void call_end(Call *c)
{
    emu_end(&c->emu);
    for (int i = 0; i < NOPERAND; i++)
        span_free(&c->operand[i]);
    span_free(&c->scratch);
    span_free(&c->counters);
}

/* Calls the kernel; NULL: what it did is right. */
static const char *call(World *w, const RowKernel *k, const int64_t *extent)
{
    const EmuEntry e = emu_load(k->build, k->row->kernel);
    void *operand[NOPERAND];
    Call c = { .w = w, .k = k, .extent = extent };
    c.emu = (Emu){ .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    c.emu.sample = (uint64_t)NSAMPLE;
    const size_t scratch_bytes = emu_scratch(&e, extent), counter_bytes = emu_counters(&e, extent);
    assert_true(scratch_bytes == 0 || span_new(&c.scratch, scratch_bytes));
    assert_true(counter_bytes == 0 || span_new(&c.counters, counter_bytes));
    assert_true(place_new(&c, scratch_bytes, counter_bytes));
    emu_begin(&c.emu);
    for (int i = 0; i < NOPERAND; i++)
        operand[i] = c.operand[i].base;
    const char *fault = judge(&c, e.launch(extent, operand, c.scratch.base, c.counters.base, NULL));
    call_end(&c);
    if (!fault && c.emu.nfinding > 0)
        fault = arena_strdup(w->a, c.emu.finding[0].text);
    dlclose(e.so);
    return fault;
}

/* ---- tests */

static bool is_large(const int64_t *e)
{
    return elems_of(e, X) > MOST || elems_of(e, W) > MOST || elems_of(e, Y) > MOST;
}

TEST(kernels_are_right)
{
    World *w = *state;
    int nfault = 0;
    for (int i = 0; i < NCASE; i++)
        for (int j = 0; j < MAX_SHAPE && cases[i].extent[j][M]; j++) {
            const int64_t *e = cases[i].extent[j];
            assert_true(is_large(e));
            const char *fault = call(w, &w->kernel[i][j], e);
            nfault += fault != NULL;
            if (fault)
                print_error("%s, M=%" PRId64 " N=%" PRId64 " K=%" PRId64 ": %s\n", cases[i].kernel, e[M], e[N], e[K],
                            fault);
        }
    assert_int_equal(nfault, 0);
}

TEST(cut_products_are_found)
{
    World *w = *state;
    int nmissed = 0;
    build_wait(w->rows->emulator, NULL, INFINITY, false, NULL);
    for (int i = 0; i < NMUTANT; i++) {
        const Mutant *m = &mutants[i];
        const char *fault = call(w, &w->mutant[i], cases[case_of(m->of)].extent[m->shape]);
        nmissed += !fault;
        if (!fault)
            print_error("%s: '%s' in 32 bits is not found\n", m->of, m->product);
    }
    assert_int_equal(nmissed, 0);
}

/* The launch fails, and executes nothing. */
TEST(larger_grids_are_refused)
{
    World *w = *state;
    for (int i = 0; i < NREFUSED; i++) {
        Emu emu = { .workers = 1, .smem_limit = SMEM_LIMIT, .block_budget = 1, .sample = 2 };
        float nothing[4] = { 0 };
        void *operand[NOPERAND] = { nothing, nothing, nothing, nothing };
        EmuEntry e = emu_load(w->too_large[i].build, refused[i].of);
        assert_int_equal(emu_scratch(&e, refused[i].extent) + emu_counters(&e, refused[i].extent), 0);
        emu_add_region(&emu, EMU_OUTPUT, "Y", nothing, sizeof nothing, sizeof *nothing);
        emu_begin(&emu);
        assert_int_equal(e.launch(refused[i].extent, operand, NULL, NULL, NULL), CUDA_INVALID_CONFIGURATION);
        emu_end(&emu);
        assert_string_equal(emu.refusal, "launches an empty grid or block");
        assert_int_equal(emu.nfinding + emu.counts.blocks, 0);
        dlclose(e.so);
    }
}

static int set_up(void **state)
{
    World *w = calloc(1, sizeof *w);
    *state = w;
    w->rows = rows_world(true);
    w->a = w->rows->a;
    if (!w->rows->emulator)
        return -1;
    for (int i = 0; i < NCASE; i++)
        for (int j = 0; j < MAX_SHAPE && cases[i].extent[j][M]; j++) {
            w->kernel[i][j] = kernel_of(w, &cases[i], cases[i].extent[j]);
            plan_build(w, &w->kernel[i][j]);
        }
    for (int i = 0; i < NREFUSED; i++) {
        w->too_large[i] = kernel_of(w, &cases[case_of(refused[i].of)], refused[i].extent);
        plan_build(w, &w->too_large[i]);
    }
    for (int i = 0; i < NMUTANT; i++)
        plan_mutant(w, i);
    build_all(w->rows->emulator, w->a, w->build, w->nbuild, NULL);
    build_start(w->rows->emulator, w->a, w->mutant_build, NMUTANT);
    return 0;
}

static int tear_down(void **state)
{
    World *w = *state;
    for (int i = 0; i < NDTYPE; i++)
        if (w->file[i])
            close(w->file[i]);
    emu_free();
    const int code = rows_free((void **)&w->rows);
    free(w);
    return code;
}

static bool can_reserve(size_t bytes)
{
    Span s;
    const bool good = span_new(&s, bytes);
    span_free(&s);
    return good;
}

TEST_FILE(set_up, tear_down)

static bool addresses_are_many(void)
{
    const bool are_many = can_reserve((size_t)1 << 40);
    if (!are_many)
        puts("skipped: no process may have so many addresses here");
    return are_many;
}

TEST_NEEDS(addresses_are_many)
