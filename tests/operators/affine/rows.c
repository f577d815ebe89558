/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "rows";
op      = "affine";
family  = "cpu";
doc     = "row by row, NV vectors at a time; rows of all batches are shared out";
dtypes  = ["f32"];
params  = ( { name = "NV"; choices = [1, 2, 4]; doc = "vectors of columns at once"; } );
values  = ( { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats of a vector"; } );
general = ( { target = "avx512"; NV = 1; }, { target = "avx2"; NV = 2; }, { target = "portable"; NV = 2; } );
tile    = { B = "1"; H = "1"; C = "NV * LANES"; };
*/
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t n = a->B * a->H;
    for (int64_t row = n * task / ntask; row < n * (task + 1) / ntask; row++) {
        const float *x = a->X + row / a->H * a->X_stride[0] + row % a->H * a->X_stride[1], shift = a->shift[row];
        float *y = a->Y + row / a->H * a->Y_stride[0] + row % a->H * a->Y_stride[1];
        int64_t c = 0;
        for (; c + NV * LANES <= a->C; c += NV * LANES)
            for (int v = 0; v < NV; v++) {
                KERNEL_vec s = *(const KERNEL_vec *)(x + c + v * LANES) * *(const KERNEL_vec *)(a->scale + c + v * LANES) + shift;
#if HAS_EPILOGUE
                s = NAME_epilogue_MACHINE(a, s, row / a->H, row % a->H, c + v * LANES, LANES);
#endif
                *(KERNEL_vec *)(y + c + v * LANES) = s;
            }
        for (; c < a->C; c++) {
            const float s = x[c] * a->scale[c] + shift;
#if HAS_EPILOGUE /* of one element: the first lane */
            y[c] = NAME_epilogue_MACHINE(a, PACKAGE_all_MACHINE(s), row / a->H, row % a->H, c, 1)[0];
#else
            y[c] = s;
#endif
        }
    }
    return 0;
}
