/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#include <string.h>
#include "standalone.h"
#undef NAME_PANEL
#define LAYOUT_F_KRSC 1
#define LAYOUT_F_KCRS 0
size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S);
int NAME_pack(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S, const float *F, void *packed);
#endif
/* F packed: [G][ceil(K/16)][R*S*C + 3][16], panels of 16 filters of a group, zero beyond filter K. Where groups have one channel and one filter
 * each (a depthwise convolution), filters of 16 groups make a panel, as if they were one group's: [ceil(G/16)][R*S + 3][16]. The last 3 rows
 * of a panel are zero and never used: they keep panels a multiple of 64 but not of 4096 bytes apart, so that parallel streams do not share the
 * sets of a cache. */
#define NAME_PANEL(depth) (16 * (depth) + 48)
#define NAME_PANELS(G, C, K) ((C) == 1 && (K) == 1 ? ((G) + 15) / 16 : (G) * (((K) + 15) / 16))

size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S)
{
    const int64_t extent[] = { G, C, K, R, S };
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
        if (extent[i] <= 0 || extent[i] > INT32_MAX)
            return 0;
    int64_t depth = R * S, panel, bytes;
    return __builtin_mul_overflow(depth, C, &depth) || __builtin_mul_overflow(depth, 64, &panel) ||
                   __builtin_add_overflow(panel, 192, &panel) || __builtin_mul_overflow(panel, NAME_PANELS(G, C, K), &bytes)
               ? 0
               : (size_t)bytes;
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
    return PACKAGE_OK;
}
