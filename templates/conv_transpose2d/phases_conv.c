/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "phases_conv";
op      = "conv_transpose2d";
family  = "cpu";
doc     = "pixels of Y that meet the same taps, a phase, are a convolution of their own without zeros: tiles of MR of them x NV vectors of filters in registers";
packed  = true;
dtypes  = ["f32"];
params  = (
  { name = "MR"; choices = [1, 2, 4, 6, 8, 12]; doc = "pixels of a phase in the tallest tile"; },
  { name = "NV"; choices = [1, 2, 3, 4];        doc = "vectors of filters of a tile"; } );
values  = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; },
  { name = "WIDE"; expr = "NV * LANES";        doc = "filters of a tile"; } );
constraints = (
  { need = "MR*NV + NV + 1 <= VECTOR_REGISTERS"; why = "the sums, taps and a value of X must fit the vector registers"; },
  { need = "WIDE % 16 == 0 || 16 % WIDE == 0"; why = "a tile begins with a panel of 16 filters, or lies in one"; } );
general = ( { target = ["avx512", "avx2"]; MR = 6; NV = 2; }, { target = "portable"; MR = 4; NV = 2; } );
scratch = "4 * C * (LAYOUT_X_NHWC + LAYOUT_X_NCHW * MR)"; # NHWC: zeros in the place of a pixel that does not exist; NCHW: a tile's pixels, channel by channel
tile    = { N = "1"; G = "1"; H = "1"; W = "MR"; C = "1"; K = "WIDE"; R = "1"; S = "1"; };
own_terms = true;
derived = (
  { name = "PHASES"; expr = "min(STRIDE_H, R) * min(STRIDE_W, S)"; doc = "those that have taps"; },
  { name = "PIXELS"; expr = "ceil_div(N * P * Q, STRIDE_H * STRIDE_W)"; doc = "of a phase"; },
  { name = "HIGH"; expr = "ceil_div(PIXELS, ceil_div(PIXELS, MR))"; doc = "pixels of most tiles"; },
  { name = "TILES_OF"; expr = "STRIDE_H * STRIDE_W * ceil_div(PIXELS, MR)"; doc = "tiles of all phases, of as many filters as a tile has"; },
  { name = "WHOLE"; expr = "K / WIDE"; doc = "tiles of NV vectors across a group"; },
  { name = "SINGLES"; expr = "ceil_div(K % WIDE, LANES)"; doc = "vectors beside them"; },
  { name = "DEPTH"; expr = "R * S * C"; doc = "products of all phases for a pixel of each"; } );
# Cycles of the busiest task.
terms   = (
  { name = "call";   expr = "2000 * THREADS"; doc = "a call's fixed cost"; },
  { name = "fma";    expr = "G * PIXELS * DEPTH * (WHOLE * NV + SINGLES) / 2 / THREADS"; doc = "two FMAs a cycle"; },
  { name = "loads";  expr = "G * ceil_div(PIXELS, MR) * DEPTH * (WHOLE * max(0, NV + HIGH - HIGH*NV / 2) + SINGLES * max(0, 1 + HIGH - HIGH / 2)) / 2 / THREADS";
    doc = "two loads a cycle, beyond the FMAs"; },
  { name = "stalls"; expr = "G * ceil_div(PIXELS, MR) * DEPTH * (WHOLE * max(0, 4 - HIGH*NV / 2) + SINGLES * max(0, 4 - HIGH / 2)) / THREADS";
    doc = "an FMA takes four cycles: tiles with few sums wait"; },
  { name = "taps";   expr = "G * ceil_div(PIXELS, MR) * R * S * (WHOLE + SINGLES) * (20 + 3 * HIGH + LAYOUT_X_NCHW * 4 * C) / THREADS"; doc = "where a tap's pixels lie; copies of them"; },
  { name = "tiles";  expr = "G * TILES_OF * (WHOLE + SINGLES) * (60 + 10 * R + HIGH * NV * 6 * (1 + LANES * LAYOUT_Y_NCHW)) / THREADS"; doc = "a tile's start, and the stores"; } );
features = (
  { name = "rows";    expr = "log2(HIGH)"; doc = "height"; },
  { name = "vectors"; expr = "log2(NV)"; doc = "width"; },
  { name = "threads"; expr = "log2(THREADS)"; doc = "contention"; } );
*/
#ifndef DCGEN /* one set of values, to compile this file as it stands */
#include "standalone.h"
#define MR 6
#define NV 2
#define WIDE 32
#define T 6
#endif
/* KERNEL: a transposed convolution. Row p of Y is of phase (p + PAD_T) % STRIDE_H, and meets row r of the filters if DIL_H*r is of that phase, too;
 * columns alike. So a pixel at down = (p + PAD_T) / STRIDE_H and across = (q + PAD_L) / STRIDE_W has the sum over taps of its phase
 *   X[n][down + (phase - DIL_H*r) / STRIDE_H][across + (phase - DIL_W*s) / STRIDE_W][c] * F[c][k][r][s]
 *   F, packed     as pack.c has it
 *   part          sums of a tile, WIDE a pixel */
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

/* A pixel of Y, and where the taps of phase 0 without a quotient would read X. */
typedef struct {
    int64_t n, p, q, down, across;
} KERNEL_pixel;

/* Up to MR pixels of a phase, and the filters that they meet. */
typedef struct {
    int64_t down, across; /* the phase */
    int64_t g, k;         /* the group, and the first filter of it */
    const float *f;       /* that filter's panel, from its lane on */
    float *scratch;       /* of the task */
    KERNEL_pixel at[MR];
} KERNEL_block;

/* Does pixel w of row h of an image exist? */
static inline __attribute__((always_inline)) int KERNEL_exists(const NAME_args *a, int64_t h, int64_t w) { return h >= 0 && h < a->H && w >= 0 && w < a->W; }

#if LAYOUT_X_NCHW
/* Copies what a tap reads: from b->scratch on, for each channel the tile's pixels side by side, zeros for those that do not exist. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_copy(const NAME_args *a, const KERNEL_block *b, int64_t rows, int64_t down, int64_t across)
{
    for (int64_t m = 0, run; m < rows; m += run) {
        const KERNEL_pixel *at = &b->at[m];
        const int64_t h = at->down + down, w = at->across + across, exists = KERNEL_exists(a, h, w);
        for (run = 1; m + run < rows && at[run].n == at->n && at[run].down == at->down && KERNEL_exists(a, h, w + run) == exists;)
            run++;
        for (int64_t j = 0, lanes; j < run; j += lanes) {
            const float *x = exists ? a->X + ((at->n * a->IC + b->g * a->C) * a->H + h) * a->W + w + j : NULL;
            lanes = run - j < LANES ? run - j : LANES;
            for (int64_t c = 0; c < a->C; c++)
                PACKAGE_store_MACHINE(b->scratch + c * MR + m + j, x ? PACKAGE_load_MACHINE(x + c * a->H * a->W, lanes) : (PACKAGE_floats_MACHINE){ 0 }, lanes);
        }
    }
}
#endif

/* acc[m][v] += the products of all channels of a tap. `rows` and `vectors` are constants of each call. x: the pixels, or in NCHW the copy of them;
 * panel: floats from a panel of 16 filters to the next. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_channels(const int rows, const int vectors, const float *const *x, const float *f, int64_t panel, int64_t channels, KERNEL_vec acc[MR][NV])
{
#if LAYOUT_X_NCHW
    const float *of_channel = x[0];
#endif
    for (int64_t c = 0; c < channels; c++, f += 16) {
        KERNEL_vec w[NV];
        PACKAGE_UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            KERNEL_vec one = *(const KERNEL_vec *)(f + v * LANES / 16 * panel + v * LANES % 16);
            PACKAGE_IN_REGISTER(one);
            w[v] = one;
        }
        PACKAGE_UNROLL(12)
        for (int m = 0; m < rows; m++) {
#if LAYOUT_X_NCHW
            KERNEL_vec of_pixel = (KERNEL_vec)PACKAGE_all_MACHINE(of_channel[m]);
#else
            KERNEL_vec of_pixel = (KERNEL_vec)PACKAGE_all_MACHINE(x[m][c]);
#endif
            PACKAGE_IN_REGISTER(of_pixel);
            PACKAGE_UNROLL(4)
            for (int v = 0; v < vectors; v++)
                PACKAGE_FMA(acc[m][v], of_pixel, w[v]);
        }
#if LAYOUT_X_NCHW
        of_channel += MR;
#endif
    }
}

/* The sums of a tile, to `part`. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_sums(const int rows, const int vectors, const NAME_args *a, const KERNEL_block *b, float *part)
{
    const int64_t panel = NAME_PANEL(a->R * a->S * a->C);
    KERNEL_vec acc[MR][NV];
    PACKAGE_UNROLL(12)
    for (int m = 0; m < rows; m++)
        PACKAGE_UNROLL(4)
        for (int v = 0; v < vectors; v++)
            acc[m][v] = (KERNEL_vec){ 0 };
    for (int64_t r = 0; r < a->R; r++) {
        const int64_t down = b->down - r * NAME_DIL_H(a);
        if (down % NAME_STRIDE_H(a) != 0)
            continue;
        for (int64_t s = 0; s < a->S; s++) {
            const int64_t across = b->across - s * NAME_DIL_W(a);
            if (across % NAME_STRIDE_W(a) != 0)
                continue;
            const int64_t h = down / NAME_STRIDE_H(a), w = across / NAME_STRIDE_W(a);
            const float *x[MR];
#if LAYOUT_X_NCHW
            KERNEL_copy(a, b, rows, h, w);
            x[0] = b->scratch;
#else
            PACKAGE_UNROLL(12)
            for (int m = 0; m < rows; m++)
                x[m] = KERNEL_exists(a, b->at[m].down + h, b->at[m].across + w)
                           ? a->X + ((b->at[m].n * a->H + b->at[m].down + h) * a->W + b->at[m].across + w) * a->IC + b->g * a->C
                           : b->scratch;
#endif
            KERNEL_channels(rows, vectors, x, b->f + (r * a->S + s) * a->C * 16, panel, a->C, acc);
        }
    }
    PACKAGE_UNROLL(12)
    for (int m = 0; m < rows; m++)
        PACKAGE_UNROLL(4)
        for (int v = 0; v < vectors; v++)
            *(KERNEL_vec *)(part + m * WIDE + v * LANES) = acc[m][v];
}

/* Results of a tile of `filters` filters, from its sums. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_store(const NAME_args *a, const KERNEL_block *b, const float *part, int64_t rows, int64_t filters)
{
    const int64_t oc = b->g * a->K + b->k;
#if LAYOUT_Y_NCHW
    for (int64_t i = 0; i < filters; i++)
        for (int64_t m = 0; m < rows; m++) {
            const KERNEL_pixel *at = &b->at[m];
            float *y = a->Y + ((at->n * a->OC + oc + i) * a->P + at->p) * a->Q + at->q;
#if HAS_EPILOGUE
            PACKAGE_store_MACHINE(y, NAME_epilogue_MACHINE(a, PACKAGE_all_MACHINE(part[m * WIDE + i]), at->n, oc + i, at->p, at->q, 1), 1);
#else
            *y = part[m * WIDE + i];
#endif
        }
#else
    for (int64_t m = 0; m < rows; m++, part += WIDE) {
        const KERNEL_pixel *at = &b->at[m];
        float *y = a->Y + ((at->n * a->P + at->p) * a->Q + at->q) * a->OC + oc;
        for (int64_t i = 0; i < filters; i += LANES) {
            const int64_t lanes = filters - i < LANES ? filters - i : LANES;
            PACKAGE_floats_MACHINE sum = PACKAGE_load_MACHINE(part + i, LANES);
#if HAS_EPILOGUE
            sum = NAME_epilogue_MACHINE(a, sum, at->n, at->p, at->q, oc + i, lanes);
#endif
            PACKAGE_store_MACHINE(y + i, sum, lanes);
        }
    }
#endif
}

/* A tile of `rows` pixels and NV vectors of filters, or of one. */
static TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, const KERNEL_block *b, int64_t rows, int64_t vectors, int64_t filters)
{
    float part[MR * WIDE];
    if (vectors == NV)
        switch (rows) {
        case T: KERNEL_sums(T, NV, a, b, part); break; //@ repeat T = 1..MR
        }
#if NV > 1
    else
        switch (rows) {
        case T: KERNEL_sums(T, 1, a, b, part); break; //@ repeat T = 1..MR
        }
#endif
    KERNEL_store(a, b, part, rows, filters);
}

/* How many of `size` rows (or columns) of Y are of a phase, and the first of them. */
static inline int64_t KERNEL_of_phase(int64_t phase, int64_t pad, int64_t stride, int64_t size, int64_t *first)
{
    *first = ((phase - pad) % stride + stride) % stride;
    return *first < size ? (size - 1 - *first) / stride + 1 : 0;
}

/* Tile `i` of a phase, all filters from b->k on: of `tiles` tiles of nearly equal height. */
static TARGET_ATTRIBUTE void KERNEL_phase_tile(const NAME_args *a, KERNEL_block *b, int64_t i, int64_t vectors, int64_t filters)
{
    int64_t p0, q0;
    const int64_t down = KERNEL_of_phase(b->down, NAME_PAD_T(a), NAME_STRIDE_H(a), a->P, &p0), across = KERNEL_of_phase(b->across, NAME_PAD_L(a), NAME_STRIDE_W(a), a->Q, &q0);
    const int64_t pixels = a->N * down * across, tiles = (pixels + MR - 1) / MR;
    if (i >= tiles)
        return;
    const int64_t first = pixels * i / tiles, rows = pixels * (i + 1) / tiles - first;
    for (int64_t m = 0; m < rows; m++) {
        const int64_t pixel = first + m;
        KERNEL_pixel *at = &b->at[m];
        at->n = pixel / across / down;
        at->p = p0 + pixel / across % down * NAME_STRIDE_H(a);
        at->q = q0 + pixel % across * NAME_STRIDE_W(a);
        at->down = (at->p + NAME_PAD_T(a) - b->down) / NAME_STRIDE_H(a);
        at->across = (at->q + NAME_PAD_L(a) - b->across) / NAME_STRIDE_W(a);
    }
    KERNEL_tile(a, b, rows, vectors, filters);
}

/* Part `task` of `ntask` of the call: blocks of filters, for each the phases, for each its tiles, which read the same taps. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t whole = a->K / WIDE, blocks = whole + (a->K % WIDE + LANES - 1) / LANES, phases = NAME_STRIDE_H(a) * NAME_STRIDE_W(a);
    const int64_t high = (a->P + NAME_STRIDE_H(a) - 1) / NAME_STRIDE_H(a), wide = (a->Q + NAME_STRIDE_W(a) - 1) / NAME_STRIDE_W(a);
    const int64_t tiles = (a->N * high * wide + MR - 1) / MR, all = a->G * blocks * phases * tiles; /* no phase has more tiles */
    KERNEL_block b = { .scratch = (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a)) };
#if !LAYOUT_X_NCHW
    for (int64_t c = 0; c < a->C; c++)
        b.scratch[c] = 0;
#endif
    for (int64_t i = all * task / ntask; i < all * (task + 1) / ntask; i++) {
        const int64_t phase = i / tiles % phases, block = i / tiles / phases % blocks, is_whole = block < whole;
        b.g = i / tiles / phases / blocks;
        b.k = is_whole ? block * WIDE : whole * WIDE + (block - whole) * LANES;
        b.down = phase / NAME_STRIDE_W(a);
        b.across = phase % NAME_STRIDE_W(a);
        b.f = a->F + (b.g * ((a->K + 15) / 16) + b.k / 16) * NAME_PANEL(a->R * a->S * a->C) + b.k % 16;
        const int64_t filters = a->K - b.k, most = is_whole ? WIDE : LANES;
        KERNEL_phase_tile(a, &b, i % tiles, is_whole ? NV : 1, filters < most ? filters : most);
    }
    return 0;
}
