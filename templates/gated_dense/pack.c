/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#include <string.h>
#include "standalone.h"
#undef NAME_PANEL
#define LAYOUT_W_KN 0
size_t NAME_packed_bytes(int64_t N, int64_t K);
int NAME_pack(int64_t N, int64_t K, const float *W, const float *G, void *packed);
#endif
/* W and G packed: [ceil(N/8)][K + 3][16], panels of 8 columns of W and the same 8 of G, zero beyond column N. The last 3 rows of a panel are zero and
 * never used: they keep panels a multiple of 64 but not of 4096 bytes apart, so that parallel streams do not share the sets of a cache. */
#define NAME_PANEL(K) (16 * (K) + 48)
/* The name of this packing, whatever layout W and G came in. Files of packed weights carry it, and who maps one goes by it: if the bytes change, so must
 * the name. */
#define NAME_PACKED_AS "[ceil(N/8)][K + 3][8 of W, 8 of G], 0 beyond N"

size_t NAME_packed_bytes(int64_t N, int64_t K)
{
    if (N <= 0 || K <= 0 || N > INT32_MAX || K > INT32_MAX)
        return 0;
    const uint64_t panels = (uint64_t)(N + 7) / 8, panel_bytes = (uint64_t)NAME_PANEL(K) * sizeof(float);
    return panels <= PTRDIFF_MAX / panel_bytes ? (size_t)(panels * panel_bytes) : 0;
}


int NAME_pack(int64_t N, int64_t K, const float *W, const float *G, void *packed)
{
    if (N < 0 || K < 0 || N > INT32_MAX || K > INT32_MAX)
        return PACKAGE_BAD_EXTENT;
    if (N == 0 || K == 0)
        return PACKAGE_OK;
    if (NAME_packed_bytes(N, K) == 0)
        return PACKAGE_BAD_EXTENT;
    if (!packed || !W || !G)
        return PACKAGE_BAD_POINTER;
    for (int64_t p = 0; p < (N + 7) / 8; p++) {
        float *panel = (float *)packed + p * NAME_PANEL(K);
        const int64_t width = N - p * 8 < 8 ? N - p * 8 : 8;
        memset(panel, 0, (size_t)NAME_PANEL(K) * sizeof(float));
        for (int64_t k = 0; k < K; k++, panel += 16)
            for (int64_t n = 0; n < width; n++) {
#if LAYOUT_W_KN
                const int64_t from = k * N + p * 8 + n;
#else
                const int64_t from = (p * 8 + n) * K + k;
#endif
                panel[n] = W[from];
                panel[8 + n] = G[from];
            }
    }
    return PACKAGE_OK;
}
