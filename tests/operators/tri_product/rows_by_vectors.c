/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "rows_by_vectors";
op      = "tri_product";
family  = "cpu";
doc     = "MR rows by NV vectors of columns of Y at a time, their sums in registers";
params  = (
  { name = "MR"; choices = [1, 2, 4, 6]; doc = "rows of a tile"; },
  { name = "NV"; choices = [1, 2, 4];    doc = "vectors of columns of a tile"; } );
values  = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats of a vector"; },
  { name = "COL"; expr = "NV * LANES"; doc = "columns of a tile"; } );
constraints = ( { need = "MR * NV + NV + 1 <= VECTOR_REGISTERS"; why = "the sums of a tile stay in registers"; } );
general = ( { target = "avx512"; MR = 4; NV = 2; }, { target = "avx2"; MR = 4; NV = 2; }, { target = "portable"; MR = 2; NV = 2; } );
tile    = { M = "MR"; N = "COL"; };
*/
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

/* A tile inside Y: rows m0..m0+MR-1, of which the last ones have up to MR - 1 terms more than the first. */
static TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, int64_t m0, int64_t n0)
{
    KERNEL_vec sum[MR][NV] = { 0 };
    for (int64_t k = 0; k <= m0; k++)
        for (int v = 0; v < NV; v++) {
            const KERNEL_vec x = *(const KERNEL_vec *)(a->X + k * a->X_stride[0] + n0 + v * LANES);
            for (int r = 0; r < MR; r++)
                sum[r][v] += a->L[(m0 + r) * a->M + k] * x;
        }
    for (int k = 1; k < MR; k++)
        for (int v = 0; v < NV; v++) {
            const KERNEL_vec x = *(const KERNEL_vec *)(a->X + (m0 + k) * a->X_stride[0] + n0 + v * LANES);
            for (int r = k; r < MR; r++)
                sum[r][v] += a->L[(m0 + r) * a->M + m0 + k] * x;
        }
    for (int r = 0; r < MR; r++)
        for (int v = 0; v < NV; v++)
            *(KERNEL_vec *)(a->Y + (m0 + r) * a->Y_stride[0] + n0 + v * LANES) = sum[r][v];
}

/* Rows and columns beside the tiles, an element at a time. */
static TARGET_ATTRIBUTE void KERNEL_rest(const NAME_args *a, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) {
            float sum = 0;
            for (int64_t k = 0; k <= m; k++)
                sum += a->L[m * a->M + k] * a->X[k * a->X_stride[0] + n];
            a->Y[m * a->Y_stride[0] + n] = sum;
        }
}

/* Threads share out the columns, as rows differ in what they cost. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t tiles = a->N / COL, m1 = a->M / MR * MR;
    for (int64_t i = tiles * task / ntask; i < tiles * (task + 1) / ntask; i++) {
        for (int64_t m = 0; m < m1; m += MR)
            KERNEL_tile(a, m, i * COL);
        KERNEL_rest(a, m1, a->M, i * COL, (i + 1) * COL);
    }
    if (task == ntask - 1)
        KERNEL_rest(a, 0, a->M, tiles * COL, a->N);
    return 0;
}
