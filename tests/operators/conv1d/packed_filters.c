/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "packed_filters";
op      = "conv1d";
family  = "cpu";
packed  = true;
doc     = "four channels of Y in a vector, PT places at a time; filters as pack.c packs them";
params  = ( { name = "PT"; choices = [1, 2, 4, 8]; doc = "places of a tile"; } );
general = ( { target = "avx512"; PT = 4; }, { target = "avx2"; PT = 4; }, { target = "portable"; PT = 2; } );
tile    = { B = "1"; O = "4"; C = "1"; W = "PT"; R = "1"; };
*/
typedef float KERNEL_four __attribute__((vector_size(16), aligned(4)));

/* The sums of a tile, over channels and taps. Places from n on repeat the last one, and are not stored. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, const float *x, const KERNEL_four *f, int64_t p0, int64_t n, KERNEL_four sum[PT])
{
    for (int64_t i = 0; i < a->C * a->R; i++)
        for (int p = 0; p < PT; p++) {
            const int64_t w = (p0 + (p < n ? p : n - 1)) * NAME_STRIDE(a) + i % a->R * NAME_DILATION(a) - NAME_PAD(a);
            if (w >= 0 && w < a->W)
                sum[p] += x[i / a->R * a->W + w] * f[i];
        }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t across = (a->P + PT - 1) / PT, down = (a->O + 3) / 4, n = a->B * down * across;
    for (int64_t i = n * task / ntask; i < n * (task + 1) / ntask; i++) {
        const int64_t p0 = i % across * PT, o = i / across % down, b = i / across / down, left = a->P - p0;
        const KERNEL_four *f = (const KERNEL_four *)a->F + o * a->C * a->R;
        KERNEL_four sum[PT] = { 0 };
        KERNEL_tile(a, a->X + b * a->C * a->W, f, p0, left, sum);
        for (int k = 0; k < 4 && 4 * o + k < a->O; k++)
            for (int p = 0; p < PT && p < left; p++) {
                float y = sum[p][k];
#if HAS_EPILOGUE /* of one element: the first lane */
                y = NAME_epilogue_MACHINE(a, PACKAGE_all_MACHINE(y), b, 4 * o + k, p0 + p, 1)[0];
#endif
                a->Y[(b * a->O + 4 * o + k) * a->P + p0 + p] = y;
            }
    }
    return 0;
}
