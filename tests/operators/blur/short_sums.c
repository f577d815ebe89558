/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "short_sums";
op      = "blur";
family  = "cpu";
packed  = true;
doc     = "sums of columns in three bytes each of scratch memory, then of S columns each";
params  = ( { name = "UQ"; choices = [1, 4]; doc = "windows at a time"; } );
constraints = (
  { need = "!HAS_EPILOGUE"; why = "it computes no formula"; },
  { need = "ACCURACY >= 64"; why = "sums of columns lose their last 8 bits: the spec's accuracy does not allow it"; } );
tile    = { B = "1"; H = "1"; W = "UQ"; R = "1"; S = "1"; };
scratch = "3 * W";
*/
static void KERNEL_keep(unsigned char *at, float sum)
{
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    for (int i = 0; i < 3; i++)
        at[i] = (unsigned char)(bits >> (8 + 8 * i));
}

static float KERNEL_kept(const unsigned char *at)
{
    const uint32_t bits = (uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24;
    float sum;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t rows = a->B * a->P;
    unsigned char *kept = (unsigned char *)a->scratch + (size_t)task * KERNEL_scratch(a);
    for (int64_t row = rows * task / ntask; row < rows * (task + 1) / ntask; row++) {
        const float *x = a->X + (row / a->P * a->H + row % a->P) * a->W;
        for (int64_t w = 0; w < a->W; w++) {
            float sum = 0;
            for (int64_t r = 0; r < a->R; r++)
                sum += a->F[r] * x[r * a->W + w];
            KERNEL_keep(kept + 3 * w, sum);
        }
        for (int64_t q0 = 0; q0 < a->Q; q0 += UQ)
            for (int64_t q = q0; q < q0 + UQ && q < a->Q; q++) {
                float sum = 0;
                for (int64_t s = 0; s < a->S; s++)
                    sum += KERNEL_kept(kept + 3 * (q + s));
                a->Y[row * a->Q + q] = sum;
            }
    }
    return 0;
}
