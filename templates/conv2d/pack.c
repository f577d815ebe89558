/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#define NAME_PANEL
#define NAME_WINOGRAD_PANEL
#include <string.h>
#include "standalone.h"
#undef NAME_PANEL
#undef NAME_WINOGRAD_PANEL
#define LAYOUT_F_KRSC 1
#define LAYOUT_F_KCRS 0
#define WINOGRAD_2 1
#define WINOGRAD_4 1
#define WINOGRAD_2_WHERE 1
#define WINOGRAD_4_WHERE 1
size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S);
int NAME_pack(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S, const float *F, void *packed);
#endif
/* F packed: panels of 16 filters of a group, [G][ceil(K/16)][R*S*C + 3][16], zero beyond filter K. Where groups have one channel and one filter
 * each (a depthwise convolution), filters of 16 groups make a panel, as if they were one group's: [ceil(G/16)][R*S + 3][16]. The last 3 rows
 * of a panel are zero and never used: they keep panels a multiple of 64 but not of 4096 bytes apart, so that parallel streams do not share the
 * sets of a cache. */
#define NAME_PANEL(depth) (16 * (depth) + 48)
/* The name of this packing, whatever layout F came in. Files of packed filters carry it, and who maps one goes by it: if the bytes change, so must the
 * name. */
#define NAME_PACKED_AS "[G][ceil(K/16)][R*S*C + 3][16] or of groups; of F(2 x 2) and F(4 x 4) what the size has room for"
#define NAME_PANELS(G, C, K) ((C) == 1 && (K) == 1 ? ((G) + 15) / 16 : (G) * (((K) + 15) / 16))

#if WINOGRAD_2 || WINOGRAD_4
/* Behind them, where filters are 3 x 3 and there is more than a depthwise convolution's one channel, the same ones transformed for Winograd's F(2 x 2, 3 x 3), then for F(4 x 4, 3 x 3), where a kernel
 * of this unit reads them: [G][ceil(K/16)][side*side*C + 3][16], side = 2 + 2 or 4 + 2, with the frequencies outermost. */
#define NAME_WINOGRAD_PANEL(side, C) (16 * (((side) + 2) * ((side) + 2) * (C)) + 48)

/* Are there those of tiles of side x side? */
static inline int NAME_has_winograd(int64_t side, int64_t G, int64_t C, int64_t K, int64_t R, int64_t S)
{
    (void)G;
    return R == 3 && S == 3 && (C > 1 || K > 1) && ((side == 2 && (WINOGRAD_2_WHERE)) || (side == 4 && (WINOGRAD_4_WHERE)));
}

/* Where these begin, in floats. */
static inline int64_t NAME_winograd_at(int64_t side, int64_t G, int64_t C, int64_t K)
{
    return NAME_PANELS(G, C, K) * (NAME_PANEL(9 * C) + (side == 4 && NAME_has_winograd(2, G, C, K, 3, 3) ? NAME_WINOGRAD_PANEL(2, C) : 0));
}

/* Row i of the matrix that transforms a column of a filter, times the column. Of the points 0, p, -p, ... and infinity, each 1, p, p^2 over the
 * product of its distances to the others. */
static double NAME_transformed(int64_t side, int64_t i, double w0, double w1, double w2)
{
    static const struct {
        double at, over;
    } two[] = { { 0, -1 }, { 1, 2 }, { -1, 2 } },
      four[] = { { 0, 1 }, { 0.70710678118654752, -1.5 }, { -0.70710678118654752, -1.5 }, { 1.4142135623730951, 6 }, { -1.4142135623730951, 6 } };
    const double at = side == 2 ? two[i % 3].at : four[i % 5].at, over = side == 2 ? two[i % 3].over : four[i % 5].over;
    return i == side + 1 ? w2 : (w0 + at * w1 + at * at * w2) / over;
}
#endif

size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S)
{
    const int64_t extent[] = { G, C, K, R, S };
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
        if (extent[i] <= 0 || extent[i] > INT32_MAX)
            return 0;
    int64_t depth = R * S, panel, bytes;
    if (__builtin_mul_overflow(depth, C, &depth) || __builtin_mul_overflow(depth, 64, &panel) || __builtin_add_overflow(panel, 192, &panel))
        return 0;
#if WINOGRAD_2 || WINOGRAD_4
    for (int64_t tile = 2; tile <= 4; tile += 2)
        panel += NAME_has_winograd(tile, G, C, K, R, S) ? 4 * NAME_WINOGRAD_PANEL(tile, C) : 0;
#endif
    return __builtin_mul_overflow(panel, NAME_PANELS(G, C, K), &bytes) ? 0 : (size_t)bytes;
}

/* Filter oc, row r, column s, channel c of the filters. */
static float NAME_filter(int64_t OC, int64_t C, int64_t R, int64_t S, const float *F, int64_t oc, int64_t r, int64_t s, int64_t c)
{
#if LAYOUT_F_KRSC
    (void)OC;
    return F[((oc * R + r) * S + s) * C + c];
#elif LAYOUT_F_KCRS
    (void)OC;
    return F[((oc * C + c) * R + r) * S + s];
#else
    (void)R;
    return F[((r * S + s) * C + c) * OC + oc];
#endif
}

#if WINOGRAD_2 || WINOGRAD_4
/* One filter, one channel, transformed, to 16 * C floats behind each other. */
static void NAME_pack_transformed(int64_t side, int64_t OC, int64_t C, const float *F, int64_t oc, int64_t c, float *to)
{
    double half[6][3]; /* each column transformed */
    for (int s = 0; s < 3; s++)
        for (int64_t i = 0; i < side + 2; i++)
            half[i][s] = NAME_transformed(side, i, NAME_filter(OC, C, 3, 3, F, oc, 0, s, c), NAME_filter(OC, C, 3, 3, F, oc, 1, s, c), NAME_filter(OC, C, 3, 3, F, oc, 2, s, c));
    for (int64_t i = 0; i < side + 2; i++)
        for (int64_t j = 0; j < side + 2; j++, to += 16 * C)
            *to = (float)NAME_transformed(side, j, half[i][0], half[i][1], half[i][2]);
}

/* All filters, in panels from `to` on. */
static void NAME_pack_winograd(int64_t side, int64_t G, int64_t C, int64_t K, const float *F, float *to)
{
    const int64_t of_group = (K + 15) / 16;
    for (int64_t i = 0; i < G * of_group; i++, to += NAME_WINOGRAD_PANEL(side, C)) {
        memset(to, 0, (size_t)NAME_WINOGRAD_PANEL(side, C) * sizeof(float));
        for (int64_t k = i % of_group * 16; k < K && k < i % of_group * 16 + 16; k++)
            for (int64_t c = 0; c < C; c++)
                NAME_pack_transformed(side, G * K, C, F, i / of_group * K + k, c, to + c * 16 + k % 16);
    }
}
#endif

int NAME_pack(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S, const float *F, void *packed)
{
    if (G < 0 || C < 0 || K < 0 || R < 1 || S < 1 || G > INT32_MAX || C > INT32_MAX || K > INT32_MAX || R > INT32_MAX || S > INT32_MAX)
        return PACKAGE_BAD_EXTENT;
    if (G == 0 || C == 0 || K == 0)
        return PACKAGE_OK;
    if (NAME_packed_bytes(G, C, K, R, S) == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || !F)
        return PACKAGE_BAD_POINTER;
    const int64_t depth = R * S * C, side = C == 1 && K == 1 ? G : K, of_side = (side + 15) / 16; /* panels of a group */
    for (int64_t i = 0; i < NAME_PANELS(G, C, K); i++) {
        float *panel = (float *)packed + i * NAME_PANEL(depth);
        const int64_t first = i % of_side * 16, width = side - first < 16 ? side - first : 16, oc = i / of_side * side + first;
        memset(panel, 0, (size_t)NAME_PANEL(depth) * sizeof(float));
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++)
                for (int64_t c = 0; c < C; c++, panel += 16)
                    for (int64_t j = 0; j < width; j++)
                        panel[j] = NAME_filter(G * K, C, R, S, F, oc + j, r, s, c);
    }
#if WINOGRAD_2 || WINOGRAD_4
    for (int64_t tile = 2; tile <= 4; tile += 2)
        if (NAME_has_winograd(tile, G, C, K, R, S))
            NAME_pack_winograd(tile, G, C, K, F, (float *)packed + NAME_winograd_at(tile, G, C, K));
#endif
    return PACKAGE_OK;
}
