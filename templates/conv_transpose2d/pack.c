/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#define NAME_PANEL
#include <string.h>
#include "standalone.h"
#undef NAME_PANEL
#define LAYOUT_F_CKRS 1
#define LAYOUT_F_CRSK 0
size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S);
int NAME_pack(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S, const float *F, void *packed);
#endif
/* F packed: panels of 16 channels of Y of a group, [G][ceil(K/16)][R*S*C + 3][16], zero beyond channel K. The last 3 rows of a panel are zero and
 * never used: they keep panels a multiple of 64 but not of 4096 bytes apart, so that parallel streams do not share the sets of a cache. */
#define NAME_PANEL(depth) (16 * (depth) + 48)
/* The name of this packing, whatever layout F came in. Files of packed filters carry it, and who maps one goes by it: if the bytes change, so must the
 * name. */
#define NAME_PACKED_AS "[G][ceil(K/16)][R*S*C + 3][16]"

size_t NAME_packed_bytes(int64_t G, int64_t C, int64_t K, int64_t R, int64_t S)
{
    const int64_t extent[] = { G, C, K, R, S };
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
        if (extent[i] <= 0 || extent[i] > INT32_MAX)
            return 0;
    int64_t depth = R * S, panel, panels, bytes;
    if (__builtin_mul_overflow(depth, C, &depth) || __builtin_mul_overflow(depth, 64, &panel) || __builtin_add_overflow(panel, 192, &panel) ||
        __builtin_mul_overflow(G, (K + 15) / 16, &panels))
        return 0;
    return __builtin_mul_overflow(panel, panels, &bytes) ? 0 : (size_t)bytes;
}

/* Tap (r, s) from channel ic of X to channel k of its group in Y. */
static float NAME_filter(int64_t IC, int64_t K, int64_t R, int64_t S, const float *F, int64_t ic, int64_t k, int64_t r, int64_t s)
{
#if LAYOUT_F_CKRS
    (void)IC;
    return F[((ic * K + k) * R + r) * S + s];
#elif LAYOUT_F_CRSK
    (void)IC;
    return F[((ic * R + r) * S + s) * K + k];
#else
    (void)R;
    return F[((r * S + s) * K + k) * IC + ic];
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
    const int64_t depth = R * S * C, of_group = (K + 15) / 16;
    for (int64_t i = 0; i < G * of_group; i++) {
        float *panel = (float *)packed + i * NAME_PANEL(depth);
        const int64_t g = i / of_group, first = i % of_group * 16, width = K - first < 16 ? K - first : 16;
        memset(panel, 0, (size_t)NAME_PANEL(depth) * sizeof(float));
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++)
                for (int64_t c = 0; c < C; c++, panel += 16)
                    for (int64_t j = 0; j < width; j++)
                        panel[j] = NAME_filter(G * C, K, R, S, F, g * C + c, first + j, r, s);
    }
    return PACKAGE_OK;
}
