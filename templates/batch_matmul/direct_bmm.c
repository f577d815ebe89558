/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "direct_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "Y[b] = A[b] * B[b] with B as it is, one row a k: register tiles of MR rows x NV vectors of LANES floats";
packed  = false;
layouts = { B = ["KN"]; };
dtypes  = ["f32"];
params  = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]; doc = "rows of the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 8];         doc = "vectors of the widest tile, side by side"; },
  { name = "PF";    choices = [0, 1, 2];
    doc = "1: fetch the next tile's A and the next problem's B ahead; 2: and this tile's Y"; },
  { name = "HOLD";  choices = [1, 2];
    doc = "how a value of A comes to all lanes: 1 once for all vectors, 2 within each FMA (AVX-512)"; },
  { name = "HALF";  choices = [0, 1];
    doc = "1: functions of their own for a last vector that is half full, for CPUs that work on a vector in two halves (AVX-512)"; } );
values  = (
  { name = "LANES";      expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "L1_QUARTER"; expr = "L1_BYTES / 16"; doc = "floats in a quarter of L1"; } );
constraints = (
  { need = "HOLD == 1 || VECTOR_BYTES == 64"; why = "only AVX-512 broadcasts within an FMA"; },
  { need = "HALF == 0 || VECTOR_BYTES == 64"; why = "narrower vectors are never worked on in halves"; },
  { need = "MR*NV + NV + (HOLD == 1) <= VECTOR_REGISTERS";
    why = "accumulators, B's vectors and a value of A must fit the vector registers"; } );
general = (
  { target = "avx512"; MR = 8; NV = 3; PF = 0; HOLD = 1; HALF = 0; },
  { target = "avx2"; MR = 4; NV = 2; PF = 0; HOLD = 1; HALF = 0; },
  { target = "portable"; MR = 3; NV = 2; PF = 0; HOLD = 1; HALF = 0; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "NV*LANES"; K = "2 + 14*(PF > 0)"; };
derived = (
  { name = "COL";   expr = "LANES"; doc = "columns of a unit"; },
  { name = "EVEN";  expr = "1"; doc = "rows and columns are cut into tiles of nearly equal size"; },
  { name = "NU";    expr = "ceil_div(UNITS, ceil_div(UNITS, NV))"; doc = "units of a tile"; } );
features = (
  { name = "half";       expr = "HALF * (OUT_COLS % COL != 0 && OUT_COLS % COL <= COL / 2)";
    doc = "the last vector is worked on by half"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define L1_QUARTER 3072
#define PF 1
#define HOLD 1
#define HALF 1
#define R 8
#define V 3
#define E 0
#endif
/* KERNEL: pass by pass over a problem, or over several small ones, tiles of Y from above to below, then to the right: B's
 * columns stay in L1. */
#include "../gemm/rows.h"
#include "../gemm/lanes.h"
#include "../gemm/join.h"
#include "batch_share.h"
#include "batch_step.h"
#include "store_tile.h"
#include "direct_tile.h"
#if EPILOGUE_CALLS
#include "finish.h"
#endif

/* A function for each height, width and end; with all of them in one the compiler takes long. */
#define KERNEL_OF(rows, vectors, end) KERNEL_##rows##_##vectors##_##end
//@ repeat E = 0..HALF + 1
//@ repeat V = 1..NV
//@ repeat R = 1..MR
static TARGET_ATTRIBUTE void KERNEL_OF(R, V, E)(const NAME_args *a, const KERNEL_pass *pass) { KERNEL_all(R, V, E, a, pass); }
//@ end
//@ end
//@ end

static KERNEL_work *KERNEL_work_of(int64_t rows, int64_t vectors, KERNEL_end end)
{
    switch ((end * 16 + vectors) * 32 + rows) {
//@ repeat E = 0..HALF + 1
//@ repeat V = 1..NV
    case (E * 16 + V) * 32 + R: return KERNEL_OF(R, V, E); //@ repeat R = 1..MR
//@ end
//@ end
    }
    return 0; /* there are no such tiles */
}

enum {
    KERNEL_COPIED = 8192,  /* floats of B that are copied at most, onto the stack */
    KERNEL_TOGETHER = 4096 /* floats of B that stay in L1 beside A and Y */
};

/* Is it better to copy B? Rows a multiple of 1 KiB apart, such as those of one head among many, share a quarter of L1's
 * sets at most, so that B would leave L1 between two tiles. Only where several tiles use it, and it exceeds these sets. */
static inline int KERNEL_copies(const NAME_args *a, int64_t tiles, int64_t pitch)
{
    return a->B_stride[2] % 256 == 0 && a->B_stride[2] >= 2 * a->N && tiles > 2 && a->K * a->N > L1_QUARTER &&
           a->K * pitch <= KERNEL_COPIED;
}

static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_copy(const NAME_args *a, const float *b, int64_t pitch, float *to)
{
    for (int64_t k = 0; k < a->K; k++, b += a->B_stride[2], to += pitch)
        for (int64_t n = 0; n < a->N; n++)
            to[n] = b[n];
}

/* Passes over a panel, with the lower and with the higher tiles: over a panel of across->size vectors, of one more, and
 * over the last one. */
typedef enum { KERNEL_NARROW, KERNEL_WIDE, KERNEL_LAST, KERNEL_PANELS } KERNEL_panel;

/* What is the same for all problems. `single`: each is one tile. `among`: B lies among B1 others in the same rows, and
 * tiles fetch those of the next b0, line by line as they lie, so that the CPU's own prefetchers join in: a tile fetches
 * K/2 lines, as if a row were half a line. */
static TARGET_ATTRIBUTE void
KERNEL_plan(const NAME_args *a, const KERNEL_cut *across, const KERNEL_cut *down, int single, int among,
            KERNEL_pass passes[KERNEL_PANELS][2])
{
    const int inner = a->B1 > 1;
    const int64_t rest = (a->N - 1) % LANES + 1, lines = (a->N + 15) / 16;
    const KERNEL_end right = rest == LANES ? KERNEL_WHOLE : HALF && rest <= LANES / 2 ? KERNEL_HALF : KERNEL_PART;
    for (int panel = 0; panel < KERNEL_PANELS; panel++)
        for (int high = 0; high < 2; high++) {
            const int64_t rows = down->size + high, vectors = across->size + (panel == KERNEL_WIDE);
            passes[panel][high] = (KERNEL_pass){
                .work = KERNEL_work_of(rows, vectors, panel == KERNEL_LAST ? right : KERNEL_WHOLE),
                .count = high ? down->larger : down->count - down->larger,
                .a_down = single ? a->A_stride[inner] : rows * (LAYOUT_A_KM ? 1 : a->A_stride[2]),
                .b_down = single ? a->B_stride[inner] : 0,
                .y_down = single ? a->Y_stride[inner] : rows * a->Y_stride[2],
                .problems = 1,
                .a_next = a->A_stride[inner],
                .b_next = a->B_stride[inner],
                .y_next = a->Y_stride[inner],
                .single = single,
                .b_row = among ? 8 : a->B_stride[2],
                .b_line = among ? 8 * a->K : 16,
                .sparse = !among && across->count * down->count >= 2 * lines,
                .lines = among ? a->B_stride[2] / 8 : lines,
                .last = KERNEL_first(rest),
            };
        }
}

/* What a task does: its share, how rows and columns of a problem are cut into tiles, and the passes over them. */
typedef struct {
    KERNEL_share share;
    KERNEL_cut across, down;
    NAME_args local;           /* what tiles read: B may be copied */
    int64_t pitch;             /* floats in a row of a copy of B */
    int copies, single, among; /* B is copied; the others: see KERNEL_plan */
    int64_t together;          /* problems that a pass does at most */
    int64_t fetched;           /* see KERNEL_pass */
    KERNEL_pass passes[KERNEL_PANELS][2];
} KERNEL_job;

static TARGET_ATTRIBUTE void KERNEL_prepare(const NAME_args *a, KERNEL_job *job)
{
    const int64_t vectors = (a->N + LANES - 1) / LANES;
    job->across = KERNEL_cut_of(vectors, NV);
    job->down = KERNEL_cut_of(a->M, MR);
    job->pitch = vectors * LANES;
    job->copies = KERNEL_copies(a, job->down.count, job->pitch);
    job->single = job->across.count == 1 && job->down.count == 1;
    job->among = job->copies && a->B1 > 1 && a->B_stride[1] > 0 && a->B_stride[1] * a->B1 <= a->B_stride[2];
    job->local = *a;
    if (job->copies)
        job->local.B_stride[2] = job->pitch;
    /* Where there is one pass, it does all problems side by side; where there are more, only one, or as many small ones as leave B in L1 for the
     * next pass. */
    const int64_t fit = KERNEL_TOGETHER / (a->K * job->pitch + 1);
    job->together = job->copies || job->share.parts > 1 ? 1 : job->across.count == 1 && !job->down.larger ? INT64_MAX : fit > 2 ? fit : 1;
    job->fetched = 0;
    KERNEL_plan(a, &job->across, &job->down, job->single, job->among, job->passes);
}

/* A panel of `count` problems, whose first element of Y is at `at`: the higher tiles, then the others. */
static TARGET_ATTRIBUTE void
KERNEL_do_panel(KERNEL_job *job, KERNEL_panel panel, int64_t count, KERNEL_place at, const float *x, const float *w, float *y, const float *a_after,
                const float *b_after)
{
    const float *first = x;
    for (int high = 1; high >= 0; high--) {
        KERNEL_pass *pass = &job->passes[panel][high];
        if (!pass->count)
            continue;
        pass->a = x, pass->b = w, pass->y = y;
        pass->at = at;
        at.m += pass->count * (job->down.size + high);
        x += pass->count * pass->a_down;
        y += pass->count * pass->y_down;
        pass->a_after = high ? x : panel == KERNEL_LAST ? a_after : first;
        pass->b_after = b_after, pass->fetched = job->fetched;
        if (job->single)
            pass->count = count;
        else
            pass->problems = count;
        pass->work(&job->local, pass);
        job->fetched += count > 1 ? 2 * pass->lines : pass->count; /* the first of several passes fetches all there is */
    }
}

/* `count` problems from `item` on, panel by panel. next: what comes behind them; NULL: nothing. */
static TARGET_ATTRIBUTE void
KERNEL_do(const NAME_args *a, KERNEL_job *job, KERNEL_item item, int64_t count, const KERNEL_item *next, float *copy)
{
    const int64_t row = LAYOUT_A_KM ? 1 : a->A_stride[2], parts = job->share.parts, m0 = KERNEL_part_row(a->M, item.part, parts);
    const float *x = a->A + KERNEL_matrix(a->A_stride, item.b0, item.b1) + m0 * row, *a_after = x;
    const float *w = a->B + KERNEL_matrix(a->B_stride, item.b0, item.b1), *b_after = 0;
    float *y = a->Y + KERNEL_matrix(a->Y_stride, item.b0, item.b1) + m0 * a->Y_stride[2];
    if (PF && next) {
        a_after = a->A + KERNEL_matrix(a->A_stride, next->b0, next->b1) + KERNEL_part_row(a->M, next->part, parts) * row;
        b_after = next->part ? 0 : a->B + KERNEL_matrix(a->B_stride, next->b0, next->b1);
    }
    if (job->among)
        b_after = item.b0 + 1 < a->B0 ? a->B + KERNEL_matrix(a->B_stride, item.b0 + 1, 0) : 0;
    if (job->copies) {
        KERNEL_copy(a, w, job->pitch, copy);
        w = copy;
    }
    KERNEL_place at = { item.b0, item.b1, m0, 0 };
    for (int64_t t = 0; t < job->across.count; t++) {
        const KERNEL_panel panel = t + 1 == job->across.count ? KERNEL_LAST : t < job->across.larger ? KERNEL_WIDE : KERNEL_NARROW;
        const int64_t width = (job->across.size + (panel == KERNEL_WIDE)) * LANES;
        KERNEL_do_panel(job, panel, count, at, x, w, y, a_after, b_after);
        w += width, y += width, at.n += width;
    }
#if !OUTPUT_READ
#if EPILOGUE_CALLS
    KERNEL_finish(a, item.b0, item.b1, count, m0, KERNEL_part_row(a->M, item.part + 1, parts) - m0);
#endif
#endif
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    if (share.begin >= share.end || a->M <= 0 || a->N <= 0)
        return 0;
    KERNEL_job job;
    float copy[KERNEL_COPIED] __attribute__((aligned(64)));
    job.share = share;
    KERNEL_prepare(a, &job);
    KERNEL_item at = KERNEL_item_of(a, &share);
    for (int64_t left = share.end - share.begin, count; left > 0; left -= count) {
        count = KERNEL_beside(a, at, left < job.together ? left : job.together);
        if (share.parts > 1) {
            job.down = KERNEL_cut_of(KERNEL_part_row(a->M, at.part + 1, share.parts) - KERNEL_part_row(a->M, at.part, share.parts), MR);
            KERNEL_plan(a, &job.across, &job.down, job.single, job.among, job.passes);
        }
        const KERNEL_item done = at;
        at = KERNEL_behind(a, at, count, share.parts);
        KERNEL_do(a, &job, done, count, count < left ? &at : 0, copy);
        job.fetched = job.among && at.b0 == done.b0 ? job.fetched : 0;
    }
    return 0;
}
