/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "windows";
op      = "blur";
family  = "cpu";
packed  = true;
doc     = "UQ windows of a row at a time, each summed up by itself";
params  = ( { name = "UQ"; choices = [4, 8]; doc = "windows at a time"; } );
constraints = ( { need = "!HAS_EPILOGUE"; why = "it computes no formula"; } );
general = ( { target = "avx512"; UQ = 8; }, { target = "avx2"; UQ = 8; }, { target = "portable"; UQ = 4; } );
tile    = { B = "1"; H = "1"; W = "UQ"; R = "1"; S = "1"; };
*/
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t rows = a->B * a->P;
    for (int64_t row = rows * task / ntask; row < rows * (task + 1) / ntask; row++) {
        const float *x = a->X + (row / a->P * a->H + row % a->P) * a->W;
        for (int64_t q0 = 0; q0 < a->Q; q0 += UQ) {
            const int64_t n = a->Q - q0 < UQ ? a->Q - q0 : UQ;
            float sum[UQ] = { 0 };
            for (int64_t i = 0; i < a->R * a->S; i++)
                for (int64_t q = 0; q < n; q++)
                    sum[q] += a->F[i / a->S] * x[i / a->S * a->W + q0 + q + i % a->S];
            for (int64_t q = 0; q < n; q++)
                a->Y[row * a->Q + q0 + q] = sum[q];
        }
    }
    return 0;
}
