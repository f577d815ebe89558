/* SPDX-License-Identifier: Apache-2.0
 *
 * warp: what the collectives of a warp compute, once all its lanes have come. The PTX ISA lays fragments out like this,
 * for lane l, g = l/4 and t = l%4:
 *
 *   mma m16n8k16, 16 bits  A register r: row g + 8(r%2), columns 2t + 8(r/2) + {0,1}
 *                          B register r: rows 2t + 8r + {0,1}, column g
 *   mma m16n8k8, tf32      A register r: row g + 8(r%2), column t + 4(r/2)
 *                          B register r: row t + 4r, column g
 *   C and D of both        register r: row g + 8(r/2), column 2t + r%2
 *   ldmatrix               lane 8i+j gives the address of row j of matrix i; lane l gets of matrix i the elements
 *                          2t and 2t+1 of row g, transposed: elements g of rows 2t and 2t+1
 */
#include "search/runner/emu/worker.h"

#include <string.h>

enum { MMA_M = 16, MMA_N = 8, MAX_MMA_K = 16 };

const char *const collective_name[] = {
    [MMA_F16] = "f16_mma",
    [MMA_BF16] = "bf16_mma",
    [MMA_TF32] = "tf32_mma",
    [LDMATRIX_2] = "ldmatrix_x2",
    [LDMATRIX_4] = "ldmatrix_x4",
    [LDMATRIX_2T] = "ldmatrix_x2_trans",
    [LDMATRIX_4T] = "ldmatrix_x4_trans",
    [SHUFFLE_XOR] = "shfl_xor",
    [SHUFFLE_DOWN] = "shfl_down",
    [WARP_SYNC] = "warp_sync",
};

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A half's value: its fields move to a float's places, and the product sets the exponent right, of denormals too. */
static float f16_value(uint32_t h)
{
    uint32_t bits;
    const float magnitude = float_of((h & 0x7fff) << 13) * 0x1p112f;
    memcpy(&bits, &magnitude, sizeof bits);
    return float_of(bits | ((h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0) | (h & 0x8000) << 16);
}

float mma_element(int kind, uint32_t word, int i)
{
    const uint32_t h = i ? word >> 16 : word & 0xffff;
    return kind == MMA_TF32 ? float_of(word & 0xffffe000) : kind == MMA_F16 ? f16_value(h) : float_of(h << 16);
}

typedef struct {
    float a[MMA_M][MAX_MMA_K], b[MAX_MMA_K][MMA_N], d[MMA_M][MMA_N];
} Tiles;

static inline __attribute__((always_inline)) void unpack(const Collective *c, Tiles *x, int elems)
{
    for (int l = 0; l < LANES; l++)
        for (int r = 0; r < 4; r++)
            for (int i = 0; i < elems; i++) {
                const int t = elems * (l % 4) + i;
                x->a[l / 4 + 8 * (r % 2)][t + 4 * elems * (r / 2)] = mma_element(c->kind, c->mma.a[l][r], i);
                if (r < 2)
                    x->b[t + 4 * elems * r][l / 4] = mma_element(c->kind, c->mma.b[l][r], i);
            }
}

typedef float Row __attribute__((vector_size(MMA_N * sizeof(float))));

/* d += a * b, ROWS rows at once: their sums do not wait for each other. */
FAST static void multiply(Tiles *x, int nk)
{
    enum { ROWS = 8 };
    for (int m = 0; m < MMA_M; m += ROWS) {
        Row sum[ROWS], b;
        memcpy(sum, x->d[m], sizeof sum);
        for (int k = 0; k < nk; k++) {
            memcpy(&b, x->b[k], sizeof b);
#pragma GCC unroll 8
            for (int i = 0; i < ROWS; i++)
                sum[i] += x->a[m + i][k] * b;
        }
        memcpy(x->d[m], sum, sizeof sum);
    }
}

static void run_mma(Collective *c)
{
    Tiles x;
    for (int l = 0; l < LANES; l++)
        for (int r = 0; r < 4; r++)
            x.d[l / 4 + 8 * (r / 2)][2 * (l % 4) + r % 2] = c->mma.d[l][r];
    if (c->kind == MMA_TF32)
        unpack(c, &x, 1);
    else
        unpack(c, &x, 2);
    multiply(&x, c->kind == MMA_TF32 ? 8 : 16);
    for (int l = 0; l < LANES; l++)
        for (int r = 0; r < 4; r++)
            c->mma.d[l][r] = x.d[l / 4 + 8 * (r / 2)][2 * (l % 4) + r % 2];
}

static void run_ldmatrix(Worker *w, Collective *c)
{
    const bool transposed = c->kind == LDMATRIX_2T || c->kind == LDMATRIX_4T;
    const int nmatrix = c->kind == LDMATRIX_2 || c->kind == LDMATRIX_2T ? 2 : 4;
    const int last = w->running;
    uint16_t row[LANES][8];
    for (int l = 0; l < 8 * nmatrix; l++) {
        w->running = last / LANES * LANES + l; /* the lane that gave the address */
        shared_read_row(w, c->matrix.row[l]);
        memcpy(row[l], (const void *)c->matrix.row[l], sizeof row[l]);
    }
    w->running = last;
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < nmatrix; i++) {
            const int g = l / 4, t = 2 * (l % 4);
            uint32_t low = transposed ? row[8 * i + t][g] : row[8 * i + g][t];
            uint32_t high = transposed ? row[8 * i + t + 1][g] : row[8 * i + g][t + 1];
            c->matrix.r[l][i] = low | high << 16;
        }
    if (w->counting)
        count_rows(w, c->matrix.row, 8 * nmatrix);
}

static void run_shuffle(Collective *c)
{
    for (int l = 0; l < LANES; l++) {
        int from = c->kind == SHUFFLE_XOR ? l ^ c->shuffle.operand[l] : l + c->shuffle.operand[l];
        c->shuffle.out[l] = c->shuffle.in[from >= 0 && from < LANES ? from : l];
    }
}

void collective_run(Worker *w, Collective *c)
{
    if (c->kind == WARP_SYNC)
        order_warp(w, w->running / LANES * LANES);
    else if (c->kind == SHUFFLE_XOR || c->kind == SHUFFLE_DOWN)
        run_shuffle(c);
    else if (c->kind <= MMA_TF32)
        run_mma(c);
    else
        run_ldmatrix(w, c);
}

EXPORT Float4 dcgen_emu_mma(int kind, Float4 d, Word4 a, Word2 b, int line)
{
    Worker *w = emu_worker;
    const int lane = w->running % LANES;
    Collective *c = collective_enter(w, kind, line);
    c->mma.a[lane] = a;
    c->mma.b[lane] = b;
    c->mma.d[lane] = d;
    collective_wait(w, c);
    return c->mma.d[lane];
}

EXPORT Word4 dcgen_emu_ldmatrix(int matrices, int transposed, const void *row, int line)
{
    Worker *w = emu_worker;
    const int lane = w->running % LANES;
    const int kind = matrices == 4 ? LDMATRIX_4 : LDMATRIX_2;
    Collective *c = collective_enter(w, transposed ? kind + (LDMATRIX_4T - LDMATRIX_4) : kind, line);
    c->matrix.row[lane] = (uintptr_t)row;
    collective_wait(w, c);
    return c->matrix.r[lane];
}

static float shuffle_as(int kind, float value, int operand, int line)
{
    Worker *w = emu_worker;
    const int lane = w->running % LANES;
    Collective *c = collective_enter(w, kind, line);
    c->shuffle.in[lane] = value;
    c->shuffle.operand[lane] = operand;
    collective_wait(w, c);
    return c->shuffle.out[lane];
}

EXPORT float dcgen_emu_shfl_xor(float value, int mask, int line) { return shuffle_as(SHUFFLE_XOR, value, mask, line); }
EXPORT float dcgen_emu_shfl_down(float value, int delta, int line)
{
    return shuffle_as(SHUFFLE_DOWN, value, delta, line);
}
EXPORT void dcgen_emu_warp_sync(int line)
{
    Worker *w = emu_worker;
    collective_wait(w, collective_enter(w, WARP_SYNC, line));
}
