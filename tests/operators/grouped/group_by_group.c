/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "group_by_group";
op      = "grouped";
family  = "cpu";
doc     = "each task takes columns; group by group, MR rows at a time, LANES columns in a vector";
params  = ( { name = "MR"; choices = [1, 2, 4]; doc = "rows that share a vector of W"; } );
values  = ( { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats of a vector"; } );
general = ( { target = "avx512"; MR = 4; }, { target = "avx2"; MR = 4; }, { target = "portable"; MR = 2; } );
tile    = { M = "MR"; G = "1"; N = "LANES"; K = "1"; };
*/
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

/* Rows m.. of one group, up to `rows` of MR, and `lanes` columns from n on. */
static inline TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, int64_t g, int64_t m, int64_t rows, int64_t n, int64_t lanes)
{
    const float *w = a->W + g * a->K * a->N + n;
    KERNEL_vec sum[MR] = { { 0 } };
    for (int64_t k = 0; k < a->K; k++) {
        const KERNEL_vec wide = PACKAGE_load_MACHINE(w + k * a->N, lanes);
        for (int r = 0; r < MR; r++)
            sum[r] += wide * a->X[(r < rows ? m + r : m) * a->X_stride[0] + k];
    }
    for (int r = 0; r < MR; r++)
        if (r < rows) {
#if HAS_EPILOGUE
            sum[r] = NAME_epilogue_MACHINE(a, sum[r], m + r, n, lanes);
#endif
            PACKAGE_store_MACHINE(a->Y + (m + r) * a->N + n, sum[r], lanes);
        }
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t nvec = (a->N + LANES - 1) / LANES;
    for (int64_t v = nvec * task / ntask; v < nvec * (task + 1) / ntask; v++) {
        const int64_t n = v * LANES, lanes = a->N - n < LANES ? a->N - n : LANES;
        for (int64_t g = 0; g < a->G; g++)
            for (int64_t m = a->begin[g], end = m + a->len[g]; m < end; m += MR)
                KERNEL_tile(a, g, m, end - m, n, lanes);
    }
    return 0;
}
