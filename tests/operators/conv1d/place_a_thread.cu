/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "place_a_thread";
op      = "conv1d";
family  = "cuda";
doc     = "a thread computes OT channels of Y at one place";
params  = (
  { name = "OT"; choices = [1, 2, 4];     doc = "channels of a thread"; },
  { name = "NT"; choices = [32, 64, 128]; doc = "threads of a block, each a place"; } );
general = ( { target = "sm_75"; OT = 2; NT = 64; }, { target = "sm_80"; OT = 2; NT = 64; }, { target = "sm_86"; OT = 2; NT = 64; },
            { target = "sm_89"; OT = 2; NT = 64; }, { target = "sm_90a"; OT = 2; NT = 64; } );
tile    = { B = "1"; O = "OT"; C = "1"; W = "NT"; R = "1"; };
launch  = { x = "ceil_div(P, NT)"; y = "min(B * ceil_div(O, OT), 65535)"; };
*/
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const int64_t p = (int64_t)blockIdx.x * NT + threadIdx.x;
    const int down = (a.O + OT - 1) / OT;
    for (int64_t i = blockIdx.y; i < (int64_t)a.B * down; i += gridDim.y) {
        const int64_t b = i / down, o0 = i % down * OT;
        const float *x = a.X + b * a.C * a.W, *f = a.F + o0 * a.F_stride[0];
        float sum[OT] = {};
        for (int c = 0; c < a.C; c++)
            for (int r = 0; r < a.R; r++) {
                const int64_t w = p * NAME_STRIDE(a) + (int64_t)r * NAME_DILATION(a) - NAME_PAD(a);
                const float value = w >= 0 && w < a.W && p < a.P ? x[(int64_t)c * a.W + w] : 0;
                for (int o = 0; o < OT; o++)
                    sum[o] += o0 + o < a.O ? value * f[o * a.F_stride[0] + c * a.F_stride[1] + r] : 0;
            }
        for (int o = 0; o < OT; o++)
            if (p < a.P && o0 + o < a.O) {
#if HAS_EPILOGUE
                sum[o] = NAME_epilogue(a, sum[o], b, o0 + o, p);
#endif
                a.Y[(b * a.O + o0 + o) * a.P + p] = sum[o];
            }
    }
#endif
}
