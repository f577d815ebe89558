/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels for CPUs, executed: every template with each way that its code can go, in all layouts, with formulas in
 * registers, in loops and of the place. Each is held against its definition on awkward shapes: tails on every axis,
 * nothing to sum up, operands with gaps, repeated rows and extents in another order, outputs that are read, rows of
 * infinities, calls in several parts.
 *
 * A target * is the widest instruction set that this CPU runs; with THOROUGH=1 it is each of the other ones, in every
 * second row, and there are further rows.
 *
 *   ctest: thorough label=slow timeout=600 cost=30
 */
#include "tests/search/runner/kernel_rows.h"

#define BIAS "acc + bias[n]"
#define CALLS "tanh(acc + bias[n])"
#define GATED "(acc + up[n]) * silu(gate + low[n]) + residual[m,n]"
#define PLACE "m >= n ? acc * 0.125 + r[b0,b1,m,n] : -inf" /* each element has to be the right one's */
#define STRIDES "strides = \"all\";"
#define SHARED " threads = [1, 3];" /* kernels whose threads share out rows are for several */
#define CONV "acc + bias[oc]"
#define CHANNELS "clamp(acc + bias[oc], 0, 6)"
#define SCALED "acc * scale[c] + p - 2 * q"
#define WINDOW "shapes = ( { N = \"T\"; C = 37; H = 9; W = 21; R = 3; S = 3; STRIDE = 2; PAD = 1; } );"
#define WIDE "shapes = ( { N = 1; C = 343; H = \"T\"; W = 9; R = \"T\"; S = 7; PAD_L = 1; } );"
#define SLIDING                                                                                                       \
    "shapes = ( { N = 1; C = 37; H = \"T + 3\"; W = 9; R = 3; S = 3; PAD = 2; }, { N = 2; C = 64; H = 3; W = \"T\"; " \
    "R = 3; S = 3; PAD = 1; DIL_H = 2; COUNT_PAD = 1; } );"

#define ACCURATE "accuracy = 16.0;"
#define SAME "shapes = ( { N = \"T\"; G = 1; H = 5; W = 9; C = 5; K = 19; R = 3; S = 3; PAD = 1; } );"
/* Of one tap: pixels that lie so, or are picked out. */
#define POINTS                                                                                 \
    "shapes = ( { N = \"T\"; G = 1; H = 5; W = 9; C = 5; K = 19; R = 1; S = 1; STRIDE = 2; }," \
    "{ N = \"T\"; G = 2; H = 4; W = 7; C = 6; K = 18; R = 1; S = 1; } );"
#define ODD                                                                                                         \
    "shapes = ( { N = \"T\"; G = 2; H = 7; W = 11; C = 3; K = 17; R = 3; S = 2; STRIDE = 2; PAD_T = 1; PAD_R = 2; " \
    "DIL_W = 2; } );"
/* Depthwise ones, and beside them a call with several channels and filters a group. */
#define DEEP(attributes)                                                                                  \
    "shapes = ( { N = 2; G = 37; H = \"T\"; W = \"T + 2\"; C = 1; K = 1; R = 3; S = 3; " attributes " }," \
    "           { N = 1; G = 3; H = \"T + 1\"; W = \"T\"; C = 2; K = 5; R = 3; S = 3; " attributes " } );"
/* Of few channels. */
#define PICTURE                                                                                          \
    "shapes = ( { N = 2; G = 1; H = \"T\"; W = 37; C = 3; K = 19; R = 3; S = 3; STRIDE = 2; PAD = 1; }," \
    "           { N = 1; G = 1; H = 5; W = \"T\"; C = 4; K = 8; R = 3; S = 2; PAD_L = 3; PAD_B = 1; },"  \
    "           { N = \"T\"; G = 2; H = 6; W = 11; C = 1; K = 5; R = 2; S = 2; DIL = 2; },"              \
    "           { N = 2; G = 1; H = 3; W = \"T\"; C = 1; K = 33; R = 1; S = 1; STRIDE = 2; } );"
#define PLAIN DEEP("PAD = 1;")
#define HALVING DEEP("STRIDE = 2; PAD_B = 1; PAD_R = 2; PAD_L = 1; PAD_T = 1;")
#define APART DEEP("PAD = 4; STRIDE_W = 3; DIL_H = 2;")
#define MULTIPLIED \
    "shapes = ( { N = 2; G = 3; H = \"T\"; W = \"T + 2\"; C = 1; K = 19; R = 3; S = 2; STRIDE = 2; PAD = 1; } );"
#define ANY_FILTER "FR=0 FS=0 FH=0 FW=0"

#define GATHERED                                                    \
    "types = { id = \"s32\"; kind = \"s32\"; };"                    \
    "extents = { word = [\"V\", \"N\"]; kinds = [\"S\", \"N\"]; };" \
    "shapes = ( { M = \"T\"; N = 70; V = 30; S = 2; } );"
#define BATCHES_GATHERED                                                      \
    "types = { order = \"s32\"; column = \"s32\"; };"                         \
    "extents = { x = [\"B0\", \"B1\", \"M\", \"N\"]; t = [\"B1\", \"V\"]; };" \
    "shapes = ( { B0 = 2; B1 = 3; M = \"T\"; N = 33; V = \"T + 5\"; } );"
#define ACROSS_GATHERED                                                 \
    "types = { k = \"s32\"; Y = \"s32\"; t = \"s32\"; id = \"s32\"; };" \
    "extents = { t = [\"V\", \"N\"]; }; shapes = ( { M = \"T\"; N = 37; V = 5; } );"
/* Computed indices: halves of a row that are turned against each other, channels of a group, the row before, pixels
 * that were channels. */
#define ROTARY                                                                                                       \
    "x[b0,b1,m,n] * cosine[b1,n % (N / 2)] + (n < div(N, 2) ? -1.0 : 1.0) * x[b0,b1,m,(n + N / 2) % N] * sine[b1,n " \
    "% (N / 2)]"
#define ANGLES                                                             \
    "extents = { cosine = [\"B1\", \"N/2\"]; sine = [\"B1\", \"N/2\"]; };" \
    "shapes = ( { B0 = 2; B1 = \"T\"; M = 3; N = 76; } );"
#define GROUP_NORM "layernorm[n](x[m,n], 1e-5) * gamma[m % G * CG + n * CG / N] + beta[m % G * CG + n / (N / CG)]"
#define GROUPS                                              \
    "extents = { gamma = [\"G*CG\"]; beta = [\"G*CG\"]; };" \
    "shapes = ( { M = 6; N = \"20*T\"; G = 3; CG = 4; } );"
#define SHIFT "mix[n] * x[m,n] + (1 - mix[n]) * x[m - 1,n; 0] + x[m,n + 2; y[n]]"
#define PARTS "m < 2 ? layernorm[n](x[m + 2,n; 0], 1e-5) : softmax[n](x[m - 1,n; 0])"
#define SHUFFLE "x[b0,b1 * R * R + m % R * R + n % R,m / R,n / R]"
#define PIXELS                                                   \
    "extents = { x = [\"B0\", \"B1*R*R\", \"M/R\", \"N/R\"]; };" \
    "shapes = ( { B0 = 2; B1 = 3; M = \"2*T\"; N = 38; R = 2; } );"
#define MIXED "acc * sin(s[n / 16]) + r[m,(n + N / 2) % N] + pow(abs(q[m - 1,n + 1; acc]), 0.5) + round(8 * acc)"
#define MIXED_EXTENTS "extents = { s = [\"(N + 15) / 16\"]; r = [\"M\", \"N\"]; q = [\"M\", \"N\"]; };"
#define SHORT "rows * NV=2 SIDE=1 PF=1"
#define TALL "rows * NV=4 SIDE=4 PF=0"

/* clang-format off */
static const KernelRow usual[] = {
    /* ---- dense: formulas with functions and without; blocks of k and none; shared out by columns and by rows; tiles
     * of one height and of even ones */
    { "dense f32 W=KN", "direct_gemm portable", CALLS, NULL },
    { "dense f32 W=KN", "direct_gemm * KC=0 PF=4 HOLD=1 ORDER=1 EVEN=0 SPLIT=1", BIAS, SHARED },
    { "dense f32 W=NK", "dot_gemm portable", CALLS, NULL },
    { "dense f32 W=NK", "dot_gemm * UK=2 KC=512 HOLD=1 ORDER=1 EVEN=0 SPLIT=1", BIAS, SHARED },
    { "dense f32 W=NK", "repack_gemm portable", CALLS, NULL },
    { "dense f32 W=KN", "repack_gemm * KC=64 EVEN=0 SPLIT=1", BIAS, SHARED },
    { "dense f32 W=NK packed", "packed_gemm portable", CALLS, NULL },
    { "dense f32 W=KN packed", "packed_gemm * CALLS=1 BLOCK=0 EVEN=0 SPLIT=1", CALLS, SHARED },
    /* ---- two products of the same rows */
    { "gated_dense f32 packed", "packed_gated *", GATED, NULL },
    { "gated_dense f32 W=KN packed", "packed_gated portable", "acc * max(gate + up[n], 0)", NULL },
    { "gated_dense f32 W=KN packed", "packed_gated avx2 MR=1 NP=2 KA=2 UK=4 PF=8 HOLD=1 BLOCK=0 EVEN=0", GATED, NULL },
    { "gated_dense f32 packed", "packed_gated avx2 MR=3 NP=2 UK=8 PF=16 HOLD=3 BLOCK=0 EVEN=0 SPLIT=1", "acc * gate + Y[m,n]", STRIDES SHARED },
    { "gated_dense f32", "repack_gated *", GATED, STRIDES },
    { "gated_dense f32 W=KN", "repack_gated * EVEN=0 SPLIT=1", "acc * silu(gate) + Y[m,n]", STRIDES SHARED },
    { "gated_dense f32", "repack_gated portable", "acc * gate", NULL },
    { "gated_dense f32", "dot_gated *", GATED, STRIDES },
    { "gated_dense f32", "dot_gated portable ORDER=1 EVEN=0 SPLIT=1", "acc * gelu(gate) + Y[m,n]", SHARED },
    /* ---- batch_matmul */
    { "batch_matmul f32 A=MK B=KN", "direct_bmm portable", PLACE, NULL },
    { "batch_matmul f32 A=MK B=NK", "pack_bmm *", PLACE, NULL },
    { "batch_matmul f32 A=KM B=KN", "pack_bmm portable PF=2", "tanh(acc)", NULL },
    { "batch_matmul f32 A=MK B=NK", "dot_bmm *", PLACE, NULL },
    /* ---- convolutions */
    { "conv2d f32 packed", "direct_conv portable UK=2 PF=0", CONV, ODD },
    { "conv2d f32 X=NCHW Y=NCHW packed", "direct_conv * HOLD=1", CONV, SAME },
    { "conv2d f32 X=NCHW packed", "direct_conv *", CONV, PICTURE },
    { "conv2d f32 F=RSCK packed", "direct_conv avx2 MR=4 NP=1 UK=8 PF=0 HOLD=2 BLOCK=8 STRIP=1 CALLS=1", "tanh(acc + bias[oc])", ODD },
    { "conv2d f32 packed", "winograd_conv avx2 YT=4 MR=2 NP=1 UK=1 PF=1 HOLD=1 BLOCK=4", CONV, ACCURATE SAME },
    /* ---- depthwise ones: for known filters and any, in strips of channels and all at once */
    { "conv2d f32 packed", "depthwise_conv * PT=1 QT=4 " ANY_FILTER " CB=2", CHANNELS, PLAIN },
    { "conv2d f32 packed", "depthwise_conv * PT=2 QT=3 FR=3 FS=3 FH=1 FW=1 PF=1 CB=2", CHANNELS, PLAIN },
    { "conv2d f32 packed", "depthwise_conv * PT=2 QT=3 FR=3 FS=3 FH=2 FW=2 PF=1 CB=0", "silu(acc * scale[oc] + shift[oc])", HALVING },
    { "conv2d f32 packed", "depthwise_conv * PT=2 QT=3 FR=3 FS=3 FH=1 FW=3 PF=1 CB=0", "acc + residual[n,p,q,oc]", DEEP("PAD = 4; STRIDE_W = 3;") },
    /* ---- any convolution: groups, depthwise ones, strides and dilations, in all layouts */
    { "conv2d f32 packed", "any_conv *", CONV, ODD },
    { "conv2d f32 F=RSCK X=NCHW Y=NCHW packed", "any_conv *", "acc + residual[n,p,q,oc]", APART },
    { "conv2d f32 packed", "any_conv portable", "tanh(acc + bias[oc])", APART },
    /* ---- filters as they lie: blocks of taps and channels, tiles that filters meet together, groups, rows of Y one by
     * one, steps of one pixel, of two and more */
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv *", CONV, SAME },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv * KC=128 BLOCK=4", "acc + residual[n,oc,p,q]", ODD },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "filters_conv portable KC=128 BLOCK=16", "tanh(acc + bias[oc])", POINTS },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "filters_conv *", "acc * bias[oc] + p - 2 * q", APART },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv avx2 MR=4 NV=2 UK=8 KC=128", NULL, HALVING SHARED },
    /* ---- groups of one channel in planes: filters known and any, as they lie and packed, one of a group and several */
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv * PT=2 FR=3 FS=3 FH=1 FW=1", CHANNELS, PLAIN },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "planes_conv * PT=2 FR=3 FS=3 FH=2 FW=2", "silu(acc * scale[oc] + shift[oc])", HALVING },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv portable PT=2 FR=3 FS=3 FH=1 FW=3", "acc + residual[n,oc,p,q]", DEEP("PAD = 4; STRIDE_W = 3;") },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "planes_conv *", "acc + p - 2 * q", APART },
    { "conv2d f32 X=NCHW Y=NCHW packed", "packed_planes_conv * PT=2 FR=3 FS=3 FH=1 FW=1", CONV, PLAIN },
    { "conv2d f32 X=NCHW Y=NCHW packed", "packed_planes_conv portable", CONV, MULTIPLIED },
    /* ---- other operators on images: windows of known size and any, whole vectors of channels and less, steps of one
     * pixel, of two and more */
    { "max_pool2d f32", "channels_pool * V=2 QT=4 FR=3 FS=3", SCALED, WINDOW },
    { "max_pool2d f32", "channels_pool *", "tanh(acc)", NULL },
    { "max_pool2d f32 X=NCHW Y=NCHW", "rows_pool * FR=3 FS=3", SCALED, WINDOW },
    { "max_pool2d f32 X=NCHW Y=NCHW", "rows_pool *", NULL, NULL },
    { "max_pool2d f32 X=NCHW Y=NCHW", "planes_pool * FR=3 FS=3", SCALED, WINDOW },
    { "max_pool2d f32", "sliding_pool * V=1 FR=3 FS=3 FW=2", "tanh(acc)", WINDOW },
    { "max_pool2d f32 X=NCHW", "any_pool *", SCALED, NULL },
    { "avg_pool2d f32", "channels_pool * V=2 QT=1", SCALED, NULL },
    { "avg_pool2d f32", "channels_pool * V=12 QT=1 FR=0 FS=0", SCALED, WIDE },
    { "avg_pool2d f32 X=NCHW Y=NCHW", "rows_pool *", SCALED, NULL },
    { "avg_pool2d f32 X=NCHW Y=NCHW", "rows_pool * FR=3 FS=3", NULL, WINDOW },
    { "avg_pool2d f32 X=NCHW Y=NCHW", "planes_pool *", NULL, NULL },
    { "avg_pool2d f32", "sliding_pool * V=2 FR=3 FS=3 FW=1", SCALED, SLIDING },
    { "avg_pool2d f32 Y=NCHW", "any_pool *", SCALED, NULL },
    { "resize_nearest f32", "channels_resize * V=2", SCALED, NULL },
    { "resize_nearest f32 X=NCHW Y=NCHW", "rows_resize *", SCALED, NULL },
    { "resize_nearest f32 X=NCHW", "any_resize *", NULL, NULL },
    { "resize_bilinear f32", "channels_resize *", "tanh(acc)", NULL },
    { "resize_bilinear f32 X=NCHW Y=NCHW", "rows_resize *", SCALED, NULL },
    { "resize_bilinear f32 Y=NCHW", "any_resize *", SCALED, NULL },
    { "conv_transpose2d f32 packed", "phases_conv *", CONV, NULL },
    { "conv_transpose2d f32 X=NCHW F=CRSK packed", "phases_conv * MR=2 NV=4", NULL, NULL },
    { "conv_transpose2d f32 Y=NCHW F=RSKC packed", "phases_conv * MR=6 NV=1", "tanh(acc + bias[oc]) + p", NULL },
    /* ---- formulas of rows */
    { "rows f32", SHORT, "softmax[n](x[m,n])", NULL },
    { "batch_rows f32", TALL, "softmax[n](n < len[b0] ? x[b0,b1,m,n] * 0.125 : -inf)", "types = { len = \"s32\"; };" },
    { "rows f32", TALL, "layernorm[n](x[m,n], 1e-5) * gamma[n] + beta[n]", NULL },
    { "rows f32", SHORT, "rmsnorm[n](x[m,n], 1e-5) * gamma[n]", NULL },
    { "row_values f32", TALL, "sum[n](x[m,n])", NULL },
    { "row_values f32", SHORT, "argmax[n](x[m,n])", NULL },
    { "rows f32", SHORT, "x[m,n] * y[n] + z[m] - max(w[m,n], 0.5)", NULL },
    { "rows f32", TALL, "silu(x[n,m]) * N", NULL },
    { "rows f32", SHORT, "layernorm[n](word[id[m],n] + place[m,n] + kinds[kind[m],n], 1e-12) * gamma[n]", GATHERED },
    { "batch_rows f32", TALL, "x[b0,b1,order[b0,m],n] + t[b1,column[n]] * V", BATCHES_GATHERED },
    { "row_values f32", SHORT, "trunc(sum[n](x[m,n]) * 3.0)", "types = { Y = \"s32\"; };" },
    { "rows f32", TALL, "floor(x[m,n] * 5.0 + z[m])", "types = { Y = \"s32\"; };" },
    { "rows f32", TALL, "round(x[n,m] * 2.5)", "types = { Y = \"s32\"; };" },
    { "row_values f32", SHORT, "sum[n](x[m,order[n]])", "types = { order = \"s32\"; }; extents = { x = [\"M\", \"N\"]; };" },
    /* ---- computed indices, in registers and beyond them, and in an epilogue */
    { "batch_rows f32", SHORT, ROTARY, ANGLES },
    { "batch_rows f32", "rows * NV=8 SIDE=2 PF=1", ROTARY, ANGLES },
    { "batch_rows f32", "rows avx512 NV=8 SIDE=1 PF=1 FN=76", ROTARY, ANGLES },
    { "batch_rows f32", "rows * NV=1 SIDE=2 PF=0 FN=76", ROTARY, ANGLES },
    { "rows f32", TALL, GROUP_NORM, GROUPS },
    { "rows f32", SHORT, SHIFT, "extents = { x = [\"M\", \"N\"]; };" },
    { "rows f32", SHORT, PARTS, "extents = { x = [\"M\", \"N\"]; };" },
    { "batch_rows f32", TALL, SHUFFLE, PIXELS },
    { "rows f32", SHORT, "id[m,n + 1; -1] < n % 3 ? x[m,n] : cos(x[m,min(n + 1, N - 1)])", "types = { id = \"s32\"; }; extents = { id = [\"M\", \"N\"]; };" },
    { "row_values f32", TALL, "sum[n](x[m,N - 1 - n] * h[start[m] + n; 1])", "types = { h = \"f16\"; start = \"s32\"; }; extents = { x = [\"M\", \"N\"]; h = [\"3\"]; };" },
    { "dense f32 W=NK packed", "packed_gemm *", MIXED, MIXED_EXTENTS },
    { "dense f32 W=KN", "direct_gemm portable", MIXED, MIXED_EXTENTS },
    /* ---- blocks of rows */
    { "rows f32", "block_rows * ROWS=1 COLS=0", "x[n,m]", NULL },
    { "rows f32", "block_rows * ROWS=2 COLS=1", "x[n,m] - y[m,n / 2 * 2 + (n + 1) % 2]", "extents = { x = [\"N\", \"M\"]; y = [\"M\", \"N\"]; };" },
    { "batch_rows f32", "block_rows * ROWS=2 COLS=2", "gelu(x[b1,n,b0,m]) + y[n,m] * z[b0,b1,m,n] - b[n] * m", NULL },
    { "rows f32", "block_rows * ROWS=4 COLS=1", "k[n,m] - t[id[m],n]", ACROSS_GATHERED },
    { "rows f32", "block_rows * ROWS=1 COLS=8", "x[n,m] + h[n,m]", "types = { x = \"bf16\"; h = \"f16\"; };" },
    /* ---- operands by strides, outputs that formulas read: each way in which sums are stored */
    { "dense f32 W=KN", "direct_gemm * KC=256", "gelu(acc + bias[n]) + Y[m,n]", STRIDES },
    { "dense f32 W=NK", "dot_gemm *", "acc + bias[n] + Y[m,n]", STRIDES SHARED },
    { "dense f32 W=NK", "repack_gemm * KC=64", "acc + residual[m,n]", STRIDES SHARED },
    { "dense f32 W=KN", "repack_gemm portable KC=64", NULL, STRIDES },
    { "dense f32 W=KN packed", "packed_gemm *", "tanh(acc + bias[n]) + Y[m,n]", STRIDES SHARED },
    { "dense f32 W=NK packed", "packed_gemm portable CALLS=1 EVEN=0", "tanh(acc) * Y[m,n]", NULL },
    { "batch_matmul f32 A=MK B=KN", "direct_bmm *", "acc + mask[m,n] - Y[b0,b1,m,n]", "strides = [\"mask\"];" },
    { "batch_matmul f32 A=KM B=KN", "direct_bmm *", "tanh(acc) + Y[b0,b1,m,n]", SHARED },
    { "batch_matmul f32 A=MK B=NK", "dot_bmm *", "tanh(acc) + Y[b0,b1,m,n]", SHARED },
    { "conv2d f32 packed", "direct_conv * STRIP=0", "gelu(acc + bias[oc]) + Y[n,p,q,oc]", STRIDES ODD },
    { "conv2d f32 packed", "direct_conv * STRIP=1", CONV, STRIDES POINTS },
    { "conv2d f32 packed", "direct_conv avx2 MR=4 NP=1 UK=8 PF=1 HOLD=1 BLOCK=32 STRIP=1", "acc + Y[n,p,q,oc]", STRIDES POINTS },
    { "conv2d f32 X=NCHW Y=NCHW packed", "direct_conv *", "acc + Y[n,oc,p,q]", STRIDES SAME },
    { "conv2d f32 X=NCHW packed", "direct_conv portable", CONV, STRIDES POINTS },
    { "conv2d f32 packed", "winograd_conv avx2 YT=4 MR=2 NP=1 UK=1 PF=1 HOLD=1 BLOCK=4", "acc + Y[n,p,q,oc]", STRIDES ACCURATE SAME },
    { "conv2d f32 packed", "depthwise_conv * PT=2 QT=3 FR=3 FS=3 FH=1 FW=1 PF=0 CB=2", "silu(acc) + Y[n,p,q,oc]", STRIDES PLAIN },
    { "conv2d f32 packed", "depthwise_conv portable PT=1 QT=4 " ANY_FILTER " CB=0", "tanh(acc + bias[oc])", "strides = [\"X\"];" APART },
    { "conv2d f32 packed", "any_conv *", "acc + Y[n,p,q,oc]", STRIDES ODD },
    { "conv2d f32 X=NCHW Y=NCHW packed", "any_conv *", "acc + residual[n,p,q,oc]", STRIDES APART },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv *", "acc + bias[oc]", STRIDES SAME },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv *", "gelu(acc) + Y[n,oc,p,q]", STRIDES ODD },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv * PT=2 FR=3 FS=3 FH=1 FW=1", "gelu(acc) + Y[n,oc,p,q]", STRIDES PLAIN },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv portable", "acc + Y[n,oc,p,q]", STRIDES APART },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "filters_conv portable BLOCK=4", "acc - Y[n,oc,p,q] * bias[oc]", SAME },
    { "rows f32", SHORT, "softmax[n](x[m,n] + mask[n,m]) * exp(Y[m,n])", STRIDES },
    { "row_values f32", TALL, "sum[n](x[m,n]) + Y[m]", "strides = [\"x\"];" },
    { "batch_rows f32", "block_rows * ROWS=2 COLS=2", "x[b1,n,b0,m] + Y[b0,b1,m,n]", STRIDES },
    /* ---- with the fewest registers: each way of dense and conv2d, strides, paddings, dilations and groups in all
     * layouts */
    { "dense f32 packed", "packed_gemm portable MR=2 NP=1 KA=1 UK=1 KC=0 PF=16 HOLD=0 BLOCK=8 CALLS=0 EVEN=1 SPLIT=0", CALLS, NULL },
    { "conv2d f32 packed", "depthwise_conv portable PT=1 QT=4 FR=0 FS=0 FH=0 FW=0 PF=0 CB=0", CONV,
      ACCURATE "shapes = ( { N = \"T\"; G = 19; H = 7; W = 11; C = 1; K = 1; R = 3; S = 2; STRIDE = 2; PAD = 1; DIL_W = 2; } );" },
};

/* General kernels with further layouts and formulas, one with more constants than registers, though no sum is in one;
 * more with the fewest registers. */
static const KernelRow thorough[] = {
    { "dense f32 W=KN packed", "packed_gemm avx2 MR=1 NP=1 KA=4 UK=2 KC=512 PF=8 BLOCK=0 EVEN=0", BIAS, NULL },
    { "batch_matmul f32 A=KM B=KN", "direct_bmm * PF=1", NULL, NULL },
    { "conv2d f32 packed", "depthwise_conv portable PT=3 QT=2 FR=3 FS=3 FH=1 FW=1 PF=0 CB=0", "acc + residual[n,p,q,oc]", PLAIN },
    { "batch_rows f32", SHORT, "log_softmax[n](n <= m ? x[b0,b1,m,n] : -100)", NULL },
    { "row_values f32", TALL, "sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n]))", NULL },
    { "batch_matmul f32 A=MK B=KN", "direct_bmm *", "tanh(sigmoid(gelu(acc)))", NULL },
    { "conv2d f32 packed", "winograd_conv portable YT=2 MR=1 NP=1 UK=1 PF=1 HOLD=1 BLOCK=8", CONV, ACCURATE SAME },
    { "conv2d f32 packed", "direct_conv portable STRIP=1", CONV, SAME },
    { "conv2d f32 packed", "depthwise_conv portable PT=1 QT=4 " ANY_FILTER " CB=0", "acc + residual[n,p,q,oc]", APART },
    { "conv2d f32 packed", "direct_conv portable MR=2 NP=1 UK=2 PF=0 HOLD=2 BLOCK=8 STRIP=1 CALLS=0", CONV, ACCURATE ODD },
    { "conv2d f32 packed", "direct_conv portable MR=2 NP=1 UK=2 PF=0 HOLD=0 BLOCK=8 STRIP=0 CALLS=0", CONV, ACCURATE ODD },
    { "dense f32 W=KN", "direct_gemm *", CALLS, NULL },
    { "dense f32 W=NK", "dot_gemm *", CALLS, NULL },
    { "dense f32 W=NK", "repack_gemm *", CALLS, NULL },
    { "dense f32 W=KN packed", "packed_gemm *", CALLS, NULL },
    { "gated_dense f32 packed", "packed_gated *", GATED, NULL },
    { "gated_dense f32", "repack_gated *", GATED, NULL },
    { "gated_dense f32", "dot_gated *", GATED, NULL },
    { "gated_dense f32 packed", "packed_gated portable MR=2 NP=1 KA=1 UK=1 PF=16 HOLD=0 BLOCK=8 EVEN=1 SPLIT=0", GATED, NULL },
    { "gated_dense f32 W=KN", "repack_gated portable MR=2 NP=1 UK=4 HOLD=0 EVEN=1 SPLIT=0", GATED, NULL },
    { "batch_matmul f32 A=MK B=KN", "direct_bmm *", PLACE, NULL },
    { "batch_matmul f32 A=MK B=NK", "pack_bmm *", "tanh(acc)", NULL },
    { "batch_matmul f32 A=KM B=NK", "pack_bmm *", NULL, NULL },
    { "batch_matmul f32 A=MK B=KN", "pack_bmm *", NULL, NULL },
    { "batch_matmul f32 A=KM B=KN", "pack_bmm *", PLACE, NULL },
    { "batch_matmul f32 A=MK B=NK", "dot_bmm *", NULL, NULL },
    { "conv2d f32 F=KRSC packed", "direct_conv *", CONV, NULL },
    { "conv2d f32 X=NCHW F=RSCK packed", "direct_conv *", CONV, NULL },
    { "conv2d f32 Y=NCHW F=KRSC packed", "direct_conv *", CONV, NULL },
    { "conv2d f32 F=KRSC packed", "winograd_conv avx512 YT=4 MR=5 NP=3 UK=8 PF=1 HOLD=1 BLOCK=1", CONV, ACCURATE },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "filters_conv * KC=256 BLOCK=16", CONV, ODD },
    { "conv2d f32 X=NCHW F=KRSC Y=NCHW", "filters_conv *", CONV, POINTS },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv * PT=3 FR=3 FS=3 FH=2 FW=2", CONV, HALVING },
    { "conv2d f32 X=NCHW F=KCRS Y=NCHW", "planes_conv *", "tanh(acc)", MULTIPLIED },
    { "dense f32 W=KN", "direct_gemm portable MR=2 NV=4 UK=1 KC=256 PF=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0", CALLS, NULL },
    { "dense f32 W=NK", "dot_gemm portable MR=2 NR=4 UK=1 KC=0 HOLD=0 ORDER=0 EVEN=1 SPLIT=0", CALLS, NULL },
    { "dense f32 W=NK", "repack_gemm portable MR=2 NP=1 UK=4 KC=256 HOLD=0 EVEN=1 SPLIT=0", CALLS, NULL },
    { "dense f32 packed", "packed_gemm portable MR=2 NP=1 KA=1 UK=1 KC=0 PF=16 HOLD=0 BLOCK=8 CALLS=1 EVEN=1 SPLIT=0", CALLS, NULL },
    { "conv2d f32 X=NCHW Y=NCHW packed", "direct_conv portable MR=2 NP=1 UK=1 PF=1 HOLD=1 BLOCK=8 STRIP=0 CALLS=0", CONV, ACCURATE SAME },
    { "conv2d f32 packed", "direct_conv portable MR=2 NP=1 UK=1 PF=1 HOLD=0 BLOCK=8 STRIP=1 CALLS=0", CONV, ACCURATE SAME },
    { "conv2d f32 packed", "depthwise_conv portable PT=1 QT=2 FR=3 FS=3 FH=1 FW=1 PF=0 CB=2", CONV,
      ACCURATE "shapes = ( { N = \"T\"; G = 19; H = 5; W = 9; C = 1; K = 1; R = 3; S = 3; PAD = 1; } );" },
};
/* clang-format on */

static bool runs_here(const char *target)
{
#if defined __x86_64__
    if (strcmp(target, "avx512") == 0)
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (strcmp(target, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(target, "portable") == 0;
}

enum { MOST_ROWS = 256 };
static KernelRow chosen[MOST_ROWS];
static int nchosen;

/* Adds the row for its target, or of those that its * stands for the first that runs here, the others, or both; an
 * argument: only rows that have this word. */
static void choose(Arena *a, const KernelRow *r, bool first, bool others)
{
    static const char *const sets[] = { "avx512", "avx2", "portable" };
    const char *star = strchr(r->kernel, '*');
    bool any = false;
    if (test_argc > 0 && !strstr(r->kernel, test_argv[0]) && !strstr(r->call, test_argv[0]) &&
        !(r->formula && strstr(r->formula, test_argv[0])))
        return;
    for (size_t i = 0; i < LENGTH(sets); i++) {
        if (!runs_here(sets[i]) || (!star && !strstr(r->kernel, sets[i])))
            continue;
        if (any ? others : first) {
            assert_true(nchosen < MOST_ROWS);
            KernelRow *row = &chosen[nchosen++];
            *row = *r;
            if (star)
                row->kernel = arena_printf(a, "%.*s%s%s", (int)(star - r->kernel), r->kernel, sets[i], star + 1);
        }
        any = true;
    }
    if (!any)
        print_message("skipped: %s: this CPU does not run it\n", r->kernel);
}

static int set_up(void **state)
{
    RowWorld *w = *state = rows_world(false);
    const bool more = getenv("THOROUGH");
    for (size_t i = 0; i < LENGTH(usual); i++)
        choose(w->a, &usual[i], !more, more && i % 2); /* half of them: the templates' text is the same for all sets */
    for (size_t i = 0; i < LENGTH(thorough) && more; i++)
        choose(w->a, &thorough[i], true, true);
    rows_build(w, chosen, nchosen);
    return 0;
}

TEST(kernels_are_right)
{
    RowWorld *w = *state;
    for (int i = 0; i < w->n; i++)
        rows_verify(w, &w->kernel[i], 0, 1);
}

TEST_FILE(set_up, rows_free)
