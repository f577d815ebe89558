/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "rows_cuda";
op      = "affine";
family  = "cuda";
doc     = "a block a row, each thread every NT-th element";
params  = ( { name = "NT"; choices = [32, 128, 256]; doc = "threads of a block"; } );
general = ( { target = "sm_75"; NT = 128; }, { target = "sm_80"; NT = 128; }, { target = "sm_86"; NT = 128; }, { target = "sm_89"; NT = 128; },
            { target = "sm_90a"; NT = 128; } );
tile    = { B = "1"; H = "1"; C = "NT"; };
launch  = { x = "min(B * H, 1048576)"; };
*/
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    for (int64_t row = blockIdx.x; row < (int64_t)a.B * a.H; row += gridDim.x) {
        const int64_t b = row / a.H, h = row % a.H;
        const LEFT_TYPE *x = a.X + b * a.X_stride[0] + h * a.X_stride[1];
        RESULT_TYPE *y = a.Y + b * a.Y_stride[0] + h * a.Y_stride[1];
        for (int c = threadIdx.x; c < a.C; c += NT) {
#if DTYPE_F16
            float v = PACKAGE_device::f16_to_float(x[c]) * a.scale[c] + a.shift[row];
#elif DTYPE_BF16
            float v = PACKAGE_device::bf16_to_float(x[c]) * a.scale[c] + a.shift[row];
#else
            float v = x[c] * a.scale[c] + a.shift[row];
#endif
#if HAS_EPILOGUE
            v = NAME_epilogue(a, v, b, h, c);
#endif
#if DTYPE_F16
            y[c] = PACKAGE_device::f16_of(v);
#elif DTYPE_BF16
            y[c] = PACKAGE_device::bf16_of(v);
#else
            y[c] = v;
#endif
        }
    }
#endif
}
