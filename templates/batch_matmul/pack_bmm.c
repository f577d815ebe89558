/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "pack_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "Y[b] = A[b] * B[b]: columns of B are packed on the stack while the tiles before them are computed";
packed  = false;
dtypes  = ["f32"];
params  = (
  { name = "MR";    choices = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]; doc = "rows of the tallest tile"; },
  { name = "NV";    choices = [1, 2, 3, 4, 5, 6, 8];         doc = "vectors of the widest tile, side by side"; },
  { name = "PF";    choices = [0, 1, 2];
    doc = "1: fetch the next tile's A and the columns that are packed later ahead; 2: and this tile's Y"; },
  { name = "HOLD";  choices = [1, 2];
    doc = "how a value of A comes to all lanes: 1 once for all vectors, 2 within each FMA (AVX-512)"; },
  { name = "HALF";  choices = [0, 1];
    doc = "1: functions of their own for a last vector that is half full, for CPUs that work on a vector in two halves (AVX-512)"; } );
values  = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "GROUP"; expr = "8 + 8 * (VECTOR_BYTES == 64)"; doc = "columns that are packed at once"; },
  { name = "BLOCK"; expr = "ceil_to(NV * LANES, GROUP)"; doc = "floats in a row of packed columns"; },
  { name = "KC";    expr = "128"; doc = "values of k that the packed columns have room for: two blocks fit a small stack, and L2"; } );
constraints = (
  { need = "!OUTPUT_READ"; why = "Y cannot hold a block's sums while the formula still has to read it"; },
  { need = "HOLD == 1 || VECTOR_BYTES == 64"; why = "only AVX-512 broadcasts within an FMA"; },
  { need = "HALF == 0 || VECTOR_BYTES == 64"; why = "narrower vectors are never worked on in halves"; },
  { need = "NV*LANES >= GROUP"; why = "the first columns of a panel are packed as a group"; },
  { need = "MR*NV + NV + (HOLD == 1) <= VECTOR_REGISTERS";
    why = "accumulators, B's vectors and a value of A must fit the vector registers"; } );
general = (
  { target = "avx512"; MR = 8; NV = 3; PF = 0; HOLD = 1; HALF = 0; },
  { target = ["avx2", "portable"]; MR = 4; NV = 2; PF = 0; HOLD = 1; HALF = 0; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "NV*LANES"; K = "KC"; };
derived = (
  { name = "COL";   expr = "LANES"; doc = "columns of a unit"; },
  { name = "EVEN";  expr = "1"; doc = "rows and columns are cut into tiles of nearly equal size"; },
  { name = "NU";    expr = "ceil_div(UNITS, ceil_div(UNITS, NV))"; doc = "units of a tile"; } );
terms = (
  { name = "pack"; expr = "BATCHES * ceil_div(OUT_COLS, GROUP) * ceil_div(SUM, 4) * (6 + 6 * LAYOUT_B_NK)";
    doc = "groups of columns, four values of k at once: copied, or turned"; } );
features = (
  { name = "pack_share"; expr = "log2(1 + 8 / MT)"; doc = "packing against its use"; },
  { name = "pack_apart"; expr = "LAYOUT_B_KN && OUT_COLS < GROUP"; doc = "packing goes on by itself, not beside a tile's FMAs"; },
  { name = "half";       expr = "HALF * (OUT_COLS % COL != 0 && OUT_COLS % COL <= COL / 2)";
    doc = "the last vector is worked on by half"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 8
#define NV 3
#define KC 128
#define GROUP 16
#define BLOCK 48
#define PF 1
#define HOLD 1
#define HALF 1
#define LAYOUT_B_NK 1
#define R 8
#define V 3
#define E 0
#endif
/* KERNEL: a panel is up to NV vectors of columns of B, side by side; tiles of Y go from above to below, panel by panel.
 * While the tiles of one panel are computed from one block, the columns of the next panel, or of the next problem's first,
 * are packed into another: GROUP columns x four values of k (KERNEL_round) after every four steps of k. Where K exceeds KC,
 * panels of KC values of k each are added up in Y. */
#include "../gemm/rows.h"
#include "../gemm/lanes.h"
#include "../gemm/join.h"
#include "batch_share.h"
#include "batch_step.h"
#include "store_tile.h"
#if EPILOGUE_CALLS
#include "finish.h"
#endif
#include "transpose.h"
#include "packing.h"
#include "pack_tile.h"

/* A function for each height and width; with many of them in one, the compiler takes long. */
#define KERNEL_OF(rows, vectors, half) KERNEL_##rows##_##vectors##_##half
//@ repeat E = 0..HALF
//@ repeat V = 1..NV
//@ repeat R = 1..MR
static TARGET_ATTRIBUTE void KERNEL_OF(R, V, E)(const NAME_args *a, const KERNEL_tiles *t, KERNEL_packing *p) { KERNEL_all(R, V, E, a, t, p); }
//@ end
//@ end
//@ end

static TARGET_ATTRIBUTE void
KERNEL_rows(int64_t rows, int64_t vectors, int half, const NAME_args *a, const KERNEL_tiles *t, KERNEL_packing *pack)
{
    switch ((half * 16 + vectors) * 32 + rows) {
//@ repeat E = 0..HALF
//@ repeat V = 1..NV
    case (E * 16 + V) * 32 + R: KERNEL_OF(R, V, E)(a, t, pack); break; //@ repeat R = 1..MR
//@ end
//@ end
    }
}

/* Problems of one tile each: as many as lie side by side are done at once. */
static TARGET_ATTRIBUTE void KERNEL_small(const NAME_args *a, const KERNEL_share *share, float *block0, float *block1)
{
    const int inner = a->B1 > 1; /* the axis that problems are done along */
    const int64_t groups = (a->N + GROUP - 1) / GROUP, rest = (a->N - 1) % LANES + 1, step = a->B_stride[inner];
    KERNEL_item at = KERNEL_item_of(a, share);
    for (int64_t left = share->end - share->begin, count; left > 0; left -= count, at = KERNEL_behind(a, at, count, 1)) {
        count = KERNEL_beside(a, at, left);
        const float *x = a->A + KERNEL_matrix(a->A_stride, at.b0, at.b1), *w = a->B + KERNEL_matrix(a->B_stride, at.b0, at.b1);
        KERNEL_packing pack = { w, w, block0, a->N, 0, groups, groups };
        KERNEL_pack(a, &pack, a->K);
        pack = (KERNEL_packing){ w + step, w + (count > 2 ? 2 : 1) * step, block1, a->N, count > 1 ? 0 : groups, groups,
                                 KERNEL_BESIDE(a->N) ? groups : 0 };
        const KERNEL_tiles t = { .a = x,
                                 .b = block0,
                                 .y = a->Y + KERNEL_matrix(a->Y_stride, at.b0, at.b1),
                                 .count = count,
                                 .a_step = a->A_stride[inner],
                                 .y_step = a->Y_stride[inner],
                                 .b_step = step,
                                 .k = a->K,
                                 .a_after = x,
                                 .last = KERNEL_first(rest),
                                 .whole = rest == LANES,
                                 .done = 1,
                                 .small = 1,
                                 .at = { at.b0, at.b1, 0, 0 } };
        KERNEL_rows(a->M, (a->N + LANES - 1) / LANES, HALF && rest <= LANES / 2, a, &t, &pack);
#if EPILOGUE_CALLS
        KERNEL_finish(a, at.b0, at.b1, count, 0, a->M);
#endif
    }
}

/* A panel, KC values of k of it, and the rows of Y that it is for. */
typedef struct {
    int64_t left; /* items of the task's share from this one on */
    KERNEL_item at;
    int64_t k0, number; /* the panel's number */
} KERNEL_panel;

static inline KERNEL_panel
KERNEL_next(const NAME_args *a, const KERNEL_share *share, const KERNEL_cut *across, KERNEL_panel p)
{
    if (++p.number < across->count)
        return p;
    p.number = 0;
    if ((p.k0 += KC) < a->K)
        return p;
    p.k0 = 0;
    p.left--;
    p.at = KERNEL_behind(a, p.at, 1, share->parts);
    return p;
}

/* Its first column. */
static inline int64_t KERNEL_before(const KERNEL_cut *across, const KERNEL_panel *p)
{
    return (p->number * across->size + (p->number < across->larger ? p->number : across->larger)) * LANES;
}

static inline const float *KERNEL_in_b(const NAME_args *a, const KERNEL_cut *across, const KERNEL_panel *p)
{
    const int64_t ws = a->B_stride[2];
    return a->B + KERNEL_matrix(a->B_stride, p->at.b0, p->at.b1) + p->k0 * KERNEL_B_STEP(ws) +
           KERNEL_before(across, p) * KERNEL_B_COLUMN(ws);
}

/* The rows of A of its tiles, from its first k on. */
static inline const float *KERNEL_in_a(const NAME_args *a, const KERNEL_share *share, const KERNEL_panel *p)
{
    const int64_t xs = a->A_stride[2], m = KERNEL_part_row(a->M, p->at.part, share->parts);
    return a->A + KERNEL_matrix(a->A_stride, p->at.b0, p->at.b1) + m * (LAYOUT_A_KM ? 1 : xs) + p->k0 * KERNEL_A_STEP(xs);
}

static inline int64_t KERNEL_kc(const NAME_args *a, const KERNEL_panel *p) { return a->K - p->k0 < KC ? a->K - p->k0 : KC; }

/* The packing of a panel, none of which is done yet; `after` comes behind it. */
static inline KERNEL_packing
KERNEL_packing_of(const NAME_args *a, const KERNEL_cut *across, const KERNEL_panel *p, const KERNEL_panel *after,
                  float *block)
{
    const int64_t before = KERNEL_before(across, p), width = (across->size + (p->number < across->larger)) * LANES;
    const int64_t columns = a->N - before < width ? a->N - before : width;
    const float *b = KERNEL_in_b(a, across, p);
    return (KERNEL_packing){ b, KERNEL_in_b(a, across, after), block, columns, 0, (columns + GROUP - 1) / GROUP, 0 };
}

/* Of a block: lanes of the last panel that no column is packed into. The stack may hold denormal numbers, which are slow. */
static TARGET_ATTRIBUTE void KERNEL_blank(const NAME_args *a, const KERNEL_cut *across, float *block)
{
    const int64_t before = (across->count - 1) * across->size + across->larger, v = (a->N - 1) / LANES - before;
    for (int64_t k = 0; a->N % LANES && k < KC && k < a->K; k++)
        *(KERNEL_vec *)(block + k * BLOCK + v * LANES) = (KERNEL_vec){0};
}

/* The tiles of a panel, for rows m0..m1-1 that are cut as `down` says: the higher ones first. x: A of the first one; after: of what comes behind
 * them. */
static TARGET_ATTRIBUTE void
KERNEL_do_panel(const NAME_args *a, const KERNEL_panel *p, const KERNEL_cut *across, const KERNEL_cut *down, int64_t m0, int64_t m1, const float *x,
                const float *after, float *block, KERNEL_packing *pack)
{
    const int64_t ys = a->Y_stride[2], row = LAYOUT_A_KM ? 1 : a->A_stride[2], rest = (a->N - 1) % LANES + 1, kc = KERNEL_kc(a, p);
    const int end = p->number + 1 == across->count, half = HALF && end && rest <= LANES / 2;
    const int64_t vectors = across->size + (p->number < across->larger), rows = down->size + 1;
    KERNEL_tiles tiles = { .a = x, .b = block, .y = a->Y + KERNEL_matrix(a->Y_stride, p->at.b0, p->at.b1) + m0 * ys + KERNEL_before(across, p),
                           .count = down->larger, .a_step = rows * row, .y_step = rows * ys, .k = kc,
                           .a_after = x + down->larger * rows * row, .last = KERNEL_first(end ? rest : LANES),
                           .whole = !end || rest == LANES, .more = p->k0 > 0, .done = p->k0 + kc == a->K,
                           .at = { p->at.b0, p->at.b1, m0, KERNEL_before(across, p) } };
    if (down->larger)
        KERNEL_rows(rows, vectors, half, a, &tiles, pack);
    tiles.a += down->larger * tiles.a_step;
    tiles.y += down->larger * tiles.y_step;
    tiles.count = down->count - down->larger;
    tiles.a_step -= row;
    tiles.y_step -= ys;
    tiles.at.m += down->larger * rows;
    tiles.a_after = after;
    KERNEL_rows(rows - 1, vectors, half, a, &tiles, pack);
    (void)m1;
#if EPILOGUE_CALLS
    if (end && tiles.done)
        KERNEL_finish(a, p->at.b0, p->at.b1, 1, m0, m1 - m0);
#endif
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const KERNEL_share share = KERNEL_share_of(a, task, ntask);
    if (share.begin >= share.end || a->M <= 0 || a->N <= 0)
        return 0;
    float memory[2 * KC * BLOCK + 32] __attribute__((aligned(64))); /* the last group of columns may begin before the block */
    float *block = memory + 16, *other = block + KC * BLOCK + 16;
    const KERNEL_cut across = KERNEL_cut_of((a->N + LANES - 1) / LANES, NV);
    KERNEL_blank(a, &across, block);
    KERNEL_blank(a, &across, other);
    if (across.count == 1 && a->M <= MR && a->K >= 4 && a->K <= KC) {
        KERNEL_small(a, &share, block, other);
        return 0;
    }
    KERNEL_panel p = { share.end - share.begin, KERNEL_item_of(a, &share), 0, 0 };
    KERNEL_panel next = KERNEL_next(a, &share, &across, p), then = KERNEL_next(a, &share, &across, next);
    KERNEL_cut down = KERNEL_cut_of(a->M, MR);
    KERNEL_packing pack = KERNEL_packing_of(a, &across, &p, &p, block);
    KERNEL_pack(a, &pack, KERNEL_kc(a, &p));
    while (p.left > 0) {
        const int64_t m0 = KERNEL_part_row(a->M, p.at.part, share.parts), m1 = KERNEL_part_row(a->M, p.at.part + 1, share.parts);
        const float *x = KERNEL_in_a(a, &share, &p), *after = x;
        const int64_t kc = KERNEL_kc(a, &p);
        int64_t kc_next = 0;
        if (share.parts > 1)
            down = KERNEL_cut_of(m1 - m0, MR);
        pack.begin = pack.end = pack.by_tiles = 0;
        if (next.left > 0) {
            kc_next = KERNEL_kc(a, &next);
            pack = KERNEL_packing_of(a, &across, &next, then.left > 0 ? &then : &next, other);
            pack.by_tiles = KERNEL_BESIDE(a->N) && kc >= 4 && kc_next == kc ? pack.end : 0;
            after = KERNEL_in_a(a, &share, &next);
        }
        KERNEL_do_panel(a, &p, &across, &down, m0, m1, x, after, block, &pack);
        KERNEL_pack(a, &pack, kc_next);
        float *used = block;
        block = other, other = used;
        p = next;
        next = then;
        then = KERNEL_next(a, &share, &across, next);
    }
    return 0;
}
