/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "byte_rows";
op      = "words";
family  = "cpu";
doc     = "LANES columns at a time, MR rows that share their words; scales lie behind the packed words";
packed  = true;
params  = ( { name = "MR"; choices = [1, 2, 4]; doc = "rows that share a vector of words"; } );
values  = ( { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "words of a vector"; } );
general = ( { target = "avx512"; MR = 4; }, { target = "avx2"; MR = 4; }, { target = "portable"; MR = 2; } );
tile    = { M = "MR"; N = "LANES"; K = "4"; };
*/
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4)));
typedef int32_t KERNEL_words __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

/* Rows m.. up to `rows` of MR, and `lanes` columns from n on. */
static inline TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, int64_t m, int64_t rows, int64_t n, int64_t lanes)
{
    const float *scale = (const float *)(a->W + a->KW * a->N) + n;
    KERNEL_vec sum[MR] = { { 0 } };
    for (int64_t k = 0; k < a->K; k++) {
        const KERNEL_words w = (KERNEL_words)PACKAGE_load_MACHINE((const float *)(a->W + k / 4 * a->N + n), lanes);
        const KERNEL_vec byte = __builtin_convertvector((w >> (int)(8 * (k % 4)) & 255) - 128, KERNEL_vec);
        for (int r = 0; r < MR; r++)
            sum[r] += byte * a->X[(r < rows ? m + r : m) * a->K + k];
    }
    for (int r = 0; r < MR; r++)
        if (r < rows) {
            sum[r] *= (KERNEL_vec)PACKAGE_load_MACHINE(scale, lanes);
#if HAS_EPILOGUE
            sum[r] = NAME_epilogue_MACHINE(a, sum[r], m + r, n, lanes);
#endif
            PACKAGE_store_MACHINE(a->Y + (m + r) * a->N + n, sum[r], lanes);
        }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t nvec = (a->N + LANES - 1) / LANES;
    for (int64_t v = nvec * task / ntask; v < nvec * (task + 1) / ntask; v++)
        for (int64_t m = 0; m < a->M; m += MR)
            KERNEL_tile(a, m, a->M - m, v * LANES, a->N - v * LANES < LANES ? a->N - v * LANES : LANES);
    return 0;
}
