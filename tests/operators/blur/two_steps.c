/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "two_steps";
op      = "blur";
family  = "cpu";
packed  = true;
doc     = "sums of columns in scratch memory, then of S columns each";
params  = ( { name = "TURN"; choices = [0, 1]; doc = "1: reads the weights from the part where the last one comes first"; } );
values  = ( { name = "TURNED"; expr = "TURN"; doc = "1: the packed weights have that part"; } );
constraints = ( { need = "!HAS_EPILOGUE"; why = "it computes no formula"; } );
general = ( { target = "avx512"; TURN = 0; }, { target = "avx2"; TURN = 0; }, { target = "portable"; TURN = 0; } );
tile    = { B = "1"; H = "1"; W = "8"; R = "1"; S = "1"; };
scratch = "4 * W"; # a sum for each column of X
*/
/* The weighted sums of R rows of X from x on, column by column, in this part's scratch memory. f: the weights, each `step` behind the one before. */
static TARGET_ATTRIBUTE const float *KERNEL_sums(const NAME_args *a, int64_t task, const float *x, const float *f, int64_t step)
{
    float *sum = (float *)((char *)a->scratch + (size_t)task * KERNEL_scratch(a));
    for (int64_t w = 0; w < a->W; w++)
        sum[w] = 0;
    for (int64_t r = 0; r < a->R; r++)
        for (int64_t w = 0; w < a->W; w++)
            sum[w] += f[r * step] * x[r * a->W + w];
    return sum;
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t rows = a->B * a->P;
#if TURNED
    const float *f = a->F + 2 * a->R - 1;
#else
    const float *f = a->F;
#endif
    for (int64_t row = rows * task / ntask; row < rows * (task + 1) / ntask; row++) {
        const float *sum = KERNEL_sums(a, task, a->X + (row / a->P * a->H + row % a->P) * a->W, f, 1 - 2 * TURNED);
        float *y = a->Y + row * a->Q;
        for (int64_t q = 0; q < a->Q; q++) {
            y[q] = 0;
            for (int64_t s = 0; s < a->S; s++)
                y[q] += sum[q + s];
        }
    }
    return 0;
}
