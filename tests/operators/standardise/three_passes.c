/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "three_passes";
op      = "standardise";
family  = "cpu";
doc     = "the mean, then the variance, then the elements; LANES partial sums";
params  = ( { name = "LANES"; choices = [4, 8, 16, 32]; doc = "partial sums of a row, which the compiler keeps in vectors"; } );
general = ( { target = "avx512"; LANES = 16; }, { target = "avx2"; LANES = 8; }, { target = "portable"; LANES = 4; } );
tile    = { R = "1"; C = "LANES"; };
*/
#include <math.h>

/* Adds (x - from)^power up, in LANES sums and a last one for the tail. */
static inline TARGET_ATTRIBUTE float KERNEL_sum(const float *x, int64_t n, float from, int squared)
{
    float sum[LANES] = { 0 }, total = 0;
    int64_t c = 0;
    for (; c + LANES <= n; c += LANES)
        for (int i = 0; i < LANES; i++) {
            const float d = x[c + i] - from;
            sum[i] += squared ? d * d : d;
        }
    for (; c < n; c++)
        total += squared ? (x[c] - from) * (x[c] - from) : x[c] - from;
    for (int i = 0; i < LANES; i++)
        total += sum[i];
    return total;
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const float n = (float)a->C;
    for (int64_t r = a->R * task / ntask; r < a->R * (task + 1) / ntask; r++) {
        const float *x = a->X + r * a->X_stride[0];
        float *y = a->Y + r * a->Y_stride[0];
        const float mean = KERNEL_sum(x, a->C, 0, 0) / n;
        const float factor = 1 / sqrtf(KERNEL_sum(x, a->C, mean, 1) / n + 1e-5f);
        for (int64_t c = 0; c < a->C; c++)
            y[c] = (x[c] - mean) * factor;
    }
    return 0;
}
