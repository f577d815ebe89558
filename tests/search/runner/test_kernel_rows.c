/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels for GPUs, executed by the emulator: every template with the element types and layouts that it serves, with
 * and without a formula. Each is held against its definition on awkward shapes: tails on every axis, nothing to sum up,
 * rows that are aligned to 16 bytes, to 4 and to an element, operands with gaps, rows of infinities. Kernels of
 * matrices are also called in ways that runners do not know: one operand alone is not aligned, matrices are heads
 * inside longer rows, or the same for all batches. Those for CPUs are in test_cpu_kernels.c.
 *
 * With THOROUGH=1 it takes other rows.
 *
 *   ctest: emulator thorough label=slow timeout=600 cost=60
 */
#include "tests/test.h"
#include "tests/search/runner/emu_matrix.h"

enum { M, N, K }; /* of dense */

#define BIAS "acc + bias[n]"
#define ALL_FUNCTIONS                                                                                         \
    "f16(exp(-abs(acc))) + bf16(tanh(acc)) + erf(acc) * sigmoid(acc) + sqrt(abs(acc)) + rsqrt(1 + acc * acc)" \
    " + log(2 + acc * acc) + gelu_tanh(acc) + min(acc, 1) + max(scale[m], bias[n])"                           \
    " + (m < n && n != 3 || !(m >= 2) ? silu(acc) : gelu(acc) / 2)"
#define GATED "(acc + up[n]) * silu(gate + low[n]) + residual[m,n]"
#define PLACES "acc * (n + 1) + p - q * 2 + oc" /* tells all places of a convolution apart */
#define BOTH "gelu(acc + bias[oc]) + residual[n,p,q,oc]"
#define NORM "max(acc * scale[oc] + shift[oc], 0)"
#define SCALED "acc * scale[c] + p - 2 * q"
#define SOFTMAX "softmax[n](n < len[b0] ? x[b0,b1,m,n] * 0.125 : -inf)"
#define LAYERNORM "layernorm[n](x[m,n] + r[m,n], 1e-5) * gamma[n] + beta[n]"

#define STRIDES "strides = \"all\";"
#define LEN "types = { len = \"s32\"; };"
#define TABLE "types = { row = \"s32\"; }; extents = { table = [\"N\", \"N\"]; };"
#define GATHERED                                                                                             \
    "types = { id = \"s32\"; order = \"s32\"; }; extents = { table = [\"V\", \"N\"]; x = [\"M\", \"V\"]; };" \
    "shapes = ( { M = \"T\"; N = 44; V = 50; } );"
#define BATCHES_UNALIGNED "shapes = ( { B0 = 2; B1 = 3; M = \"T\"; N = 43; K = 37; } );"
#define UNALIGNED "shapes = ( { M = \"T\"; N = 43; K = 37; } );" /* rows begin at multiples of an element */
#define BOXES                                                                                                          \
    "shapes = ( { N = \"T\"; G = 1; H = 15; W = 14; C = 72; K = 70; R = 3; S = 3; PAD = 1; STRIDE = 2; },"             \
    "{ N = 2; G = 2; H = 9; W = \"T + 4\"; C = 64; K = 24; R = 2; S = 3; PAD_L = 2; PAD_B = 1; DIL = 2; STRIDE_H = "   \
    "3; },"                                                                                                            \
    "{ N = 3; G = 1; H = 1; W = 2; C = 8; K = \"8*T\"; R = 3; S = 3; PAD = 1; }, { N = 1; G = 3; H = 5; W = \"T\"; C " \
    "= 24; K = 16; R = 1; S = 1; STRIDE = 9; } );"
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
#define WHOLE "shapes = ( { M = \"T\"; N = 72; K = 64; } );" /* K is whole blocks of a kernel that is fixed for it */

/* clang-format off */
static const KernelRow usual[] = {
    /* ---- dense on the FMA units. Splits, tiles in which threads are no power of two, copies without asynchronous ones
     * (sm_75), groups of tiles, kernels for one K. A formula is computed as sums lie in registers or, where it has
     * functions of many instructions or reads an operand element by element, in a loop over sums in shared memory: here
     * of three blocks, in four rounds. */
    { "dense f32 W=NK", "simt_gemm sm_80 BM=32 BN=32 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", BIAS, NULL },
    { "dense f32 W=NK packed", "simt_gemm sm_90a BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 FIXED_K=40", BIAS, NULL },
    { "dense f32 W=NK", "simt_gemm sm_75 SPLITK=2", NULL, NULL },
    { "dense f32 W=NK", "simt_gemm sm_80 BM=128 BN=128 TM=8 TN=16 BK=8 SPLITK=3", "gelu(acc + bias[n]) + residual[m,n]", NULL },
    /* groups of threads that share out each block of k: rows of sums that are a half or a quarter of a thread's, with and
     * without blocks that share it out too */
    { "dense f32 W=NK", "simt_gemm sm_90a BM=96 BN=96 TM=6 TN=12 BK=32 KGROUPS=2", BIAS, NULL },
    { "dense f32 W=KN", "simt_gemm sm_80 BM=16 BN=64 TM=4 TN=4 BK=32 SPLITK=3 KGROUPS=4", "gelu(acc + bias[n]) + residual[m,n]", NULL },
    { "batch_matmul f32 A=KM B=NK", "simt_bmm sm_75 BM=64 BN=64 TM=8 TN=8 BK=32 KGROUPS=2", BIAS, BATCHES_UNALIGNED },
    /* ---- dense on tensor cores. Sums go by way of shared memory, which is larger than the stages of the third;
     * formulas in one round. */
    { "dense tf32 W=NK", "mma_gemm sm_80 BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3", BIAS, NULL },
    { "dense tf32 W=NK", "mma_gemm sm_90a BM=128 BN=256 WM=64 WN=64", BIAS, NULL },
    { "dense tf32x3 W=NK", "mma_gemm sm_80 BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3", BIAS, NULL },
    { "dense f16 W=NK packed", "mma_gemm sm_80 BM=32 BN=96 WM=16 WN=32 ROW=128", "acc + bias[n] + residual[m,n]", NULL },
    { "dense f16 W=KN", "mma_gemm sm_90a BM=32 BN=96 WM=16 WN=32 SPLITK=2", "acc + table[row[m],n]", TABLE },
    { "dense bf16 W=NK", "mma_gemm sm_90a BM=128 BN=128 WM=64 WN=32 GROUP=8 FIXED_K=64", BIAS, WHOLE },
    /* ---- two products of the same rows: half of a tile is of each weight */
    { "gated_dense f32 W=NK", "simt_gated sm_80 BM=32 BN=64 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", GATED, NULL },
    { "gated_dense f32 W=NK packed", "simt_gated sm_90a BM=128 BN=128 TM=8 TN=8 BK=8 STAGES=4 GROUP=8 FIXED_K=40", "acc * gate", NULL },
    { "gated_dense f32 W=KN packed", "simt_gated sm_80 BM=16 BN=64 TM=4 TN=4 BK=32 SPLITK=3 KGROUPS=4", GATED, NULL },
    { "gated_dense f32 W=NK", "simt_gated sm_75 SPLITK=2", "acc * silu(gate) + Y[m,n]", STRIDES UNALIGNED },
    { "gated_dense f32 W=KN", "simt_gated sm_75", GATED, UNALIGNED },
    { "gated_dense f32 W=NK", "gemv_gated sm_75 ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4", GATED, NULL },
    { "gated_dense f16 W=NK packed", "gemv_gated sm_80", GATED, UNALIGNED },
    { "gated_dense bf16 W=NK", "gemv_gated sm_90a ROWS=1 COLS=4 WARPS=4 KWARPS=1", "acc * gate + Y[m,n]", STRIDES },
    { "gated_dense f16 W=KN", "gemv_gated sm_75", GATED, UNALIGNED },
    { "gated_dense f32 W=KN packed", "gemv_gated sm_80 ROWS=4 COLS=2 LANES=8 UNROLL=2 SPLITK=4", GATED, NULL },
    { "gated_dense bf16 W=KN", "gemv_gated sm_80", "acc * gate + Y[m,n]", STRIDES },
    { "gated_dense tf32 W=KN", "mma_gated sm_80 BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3", GATED, NULL },
    { "gated_dense tf32x3 W=NK", "mma_gated sm_80 BM=32 BN=64 WM=32 WN=32 STAGES=4", "acc * gate", UNALIGNED },
    { "gated_dense f16 W=NK packed", "mma_gated sm_80 BM=32 BN=96 WM=16 WN=32 ROW=128", GATED, NULL },
    { "gated_dense f16 W=KN", "mma_gated sm_90a BM=32 BN=96 WM=16 WN=32 SPLITK=2", "acc * silu(gate) + Y[m,n]", STRIDES UNALIGNED },
    { "gated_dense bf16 W=KN packed", "mma_gated sm_90a BM=128 BN=128 WM=64 WN=32 GROUP=8", GATED, NULL },
    { "gated_dense bf16 W=NK", "mma_gated sm_90a BM=128 BN=128 WM=64 WN=32 GROUP=8 FIXED_K=64", GATED, WHOLE },
    /* ---- dense by wgmma: several items of a block, slices, clusters, consumers in turns, swapped, of W that lies along n, rows that TMA cannot copy */
    { "dense bf16 W=NK packed", "wgmma_gemm sm_90a HIGH=128 WIDE=128 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=8", BIAS, NULL },
    { "dense f16 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=16 SWAP=1 CONSUMERS=1 STAGES=8 SPLITK=3 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", "gelu(acc + bias[n]) + residual[m,n]", NULL },
    { "dense bf16 W=KN", "wgmma_gemm sm_90a HIGH=192 WIDE=96 SWAP=0 CONSUMERS=3 STAGES=6 SPLITK=2 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", BIAS, NULL },
    { "dense tf32 W=NK", "wgmma_gemm sm_90a HIGH=128 WIDE=112 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", NULL, UNALIGNED },
    { "dense tf32 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=3 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", "silu(acc) * gate[m,n]", NULL },
    { "dense bf16 W=NK packed", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=1 GROUP=0", "gelu(acc + bias[n]) + residual[m,n]", NULL },
    { "dense tf32x3 W=NK", "wgmma_gemm sm_90a HIGH=128 WIDE=96 SWAP=0 CONSUMERS=2 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", BIAS, UNALIGNED },
    { "dense tf32x3 W=NK packed", "wgmma_gemm sm_90a HIGH=64 WIDE=32 SWAP=1 CONSUMERS=1 STAGES=8 SPLITK=3 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", NULL, NULL },
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=128 WIDE=128 SWAP=0 CONSUMERS=2 STAGES=5 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=8", BIAS, UNALIGNED },
    /* ---- batch_matmul by wgmma: slices by scratch memory and in clusters, of many matrices; rows that TMA cannot copy; matrices in groups of tiles */
    { "batch_matmul bf16 A=MK B=NK", "wgmma_bmm sm_90a HIGH=64 WIDE=80 SWAP=1 CONSUMERS=1 STAGES=7 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", "n < len[b0] ? acc * 0.125 + shift[m] : -inf", LEN },
    { "batch_matmul f16 A=MK B=KN", "wgmma_bmm sm_90a HIGH=128 WIDE=96 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=8", BIAS, BATCHES_UNALIGNED },
    { "batch_matmul tf32 A=MK B=NK", "wgmma_bmm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=3 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", "acc + residual[b0,b1,m,n]", NULL },
    { "batch_matmul bf16 A=MK B=KN", "wgmma_bmm sm_90a HIGH=128 WIDE=128 SWAP=0 CONSUMERS=2 STAGES=5 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=0", NULL, NULL },
    /* ---- matrices whose rows lie anywhere */
    { "dense f32 W=NK", "simt_gemm sm_80 SPLITK=3", BIAS, UNALIGNED },
    { "dense f16 W=KN", "mma_gemm sm_80 SPLITK=3", BIAS, UNALIGNED },
    { "dense f32 W=KN", "gemv sm_80", BIAS, UNALIGNED },
    { "dense bf16 W=NK", "mma_gemv sm_80 SPLITK=4", BIAS, UNALIGNED },
    { "batch_matmul f16 A=KM B=NK", "mma_bmm sm_80", NULL, BATCHES_UNALIGNED },
    { "batch_matmul f32 A=MK B=KN", "tiny_bmm sm_80", BIAS, BATCHES_UNALIGNED },
    /* ---- dense of few rows: warps or blocks share out k */
    { "dense f32 W=NK", "gemv sm_75 ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4", ALL_FUNCTIONS, NULL },
    { "dense f16 W=NK", "mma_gemv sm_80 ROWS=8 COLS=16 UNROLL=2 SPLITK=4", BIAS, NULL },
    /* ---- batch_matmul: the same, of A that runs along m, with strides of batches and rows */
    { "batch_matmul f32 A=KM B=NK", "simt_bmm sm_75 BM=96 BN=64 TM=6 TN=8 BK=16", BIAS, NULL },
    { "batch_matmul f16 A=KM B=KN", "mma_bmm sm_80 BM=64 BN=64 WM=32 WN=32", "n < len[b0] ? acc * 0.125 + shift[m] : -inf", LEN },
    /* tiles of several matrices in a block */
    { "batch_matmul f32 A=KM B=KN", "tiny_bmm sm_80 TOGETHER=2 BN=32 TN=4", NULL, NULL },
    { "batch_matmul f16 A=KM B=KN", "tiny_mma_bmm sm_80 TOGETHER=2 BM=32 WM=32 ROW=128", NULL, NULL },
    { "batch_matmul f16 A=KM B=NK", "gemv_bmm sm_75", BIAS, NULL },
    { "batch_matmul f16 A=MK B=NK", "mma_gemv_bmm sm_80 ROWS=8 COLS=16 UNROLL=2 SPLITK=4", NULL, NULL },
    /* ---- convolutions: F packed and not, in each layout that kernels have */
    { "conv2d f32 F=KRSC packed", "simt_conv sm_80 BM=32 BN=64 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", NORM, NULL },
    { "conv2d bf16 F=KRSC packed", "mma_conv sm_80", "acc + residual[n,p,q,oc]", NULL },
    { "conv2d f16 F=RSCK", "mma_conv sm_90a BM=32 BN=64 WM=32 WN=32 ROW=128 SPLITK=3", PLACES, NULL },
    { "conv2d f32 F=RSCK", "depthwise sm_80 LANES=8 NT=64 PX=2 FIXED_S=3", PLACES, NULL },
    { "conv2d f32 X=NCHW F=KCRS", "scalar_conv sm_80", PLACES, NULL },
    { "conv2d f32 X=NCHW F=KRSC packed", "simt_conv sm_80 BM=32 BN=64 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4 ALIGNED=0", PLACES, STRIDES },
    { "conv2d bf16 X=NCHW F=RSCK", "mma_conv sm_80 ALIGNED=0", PLACES, NULL },
    { "conv2d tf32 X=NCHW F=KRSC", "mma_conv sm_90a ALIGNED=0", PLACES, NULL },
    /* ---- other operators on images */
    { "max_pool2d f32", "pool sm_80 NT=64 EACH=2", SCALED, NULL },
    { "max_pool2d f16 X=NCHW Y=NCHW", "pool sm_90a", NULL, NULL },
    { "avg_pool2d bf16 X=NCHW", "pool sm_75 EACH=4", SCALED, NULL },
    { "resize_nearest f32 Y=NCHW", "resize sm_80 NT=64 EACH=4", SCALED, NULL },
    { "resize_bilinear f16", "resize sm_80", SCALED, NULL },
    { "resize_bilinear f32 X=NCHW Y=NCHW", "resize sm_90a EACH=2", NULL, NULL },
    { "conv_transpose2d f32", "scalar_conv sm_80 NT=64", NORM, NULL },
    { "conv_transpose2d bf16 X=NCHW F=CRSK", "scalar_conv sm_90a", NULL, NULL },
    { "conv_transpose2d f16 Y=NCHW F=RSKC", "scalar_conv sm_75", "acc + bias[oc] + p", NULL },
    /* ---- convolutions by wgmma: boxes of several images and of one, slices by scratch memory and in clusters, strides as steps of a box, groups and
     * channels that TMA cannot copy */
    { "conv2d bf16 F=KRSC packed", "wgmma_conv sm_90a HIGH=64 WIDE=64 QT=7 PT=2 SWAP=0 CONSUMERS=1 STAGES=8 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", PLACES, BOXES },
    { "conv2d f16 F=KRSC", "wgmma_conv sm_90a HIGH=128 WIDE=64 QT=14 PT=8 SWAP=0 CONSUMERS=2 STAGES=8 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", BOTH, BOXES },
    { "conv2d bf16 F=RSCK", "wgmma_conv sm_90a HIGH=64 WIDE=64 QT=16 PT=4 SWAP=0 CONSUMERS=1 STAGES=8 SPLITK=3 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", NORM, BOXES },
    /* ---- operands by strides, outputs that formulas read */
    { "dense f32 W=NK", "simt_gemm sm_80 BM=32 BN=32 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", "acc + bias[n] + Y[m,n]", STRIDES },
    { "dense f32 W=KN", "simt_gemm sm_90a BM=96 BN=96 TM=6 TN=12", BIAS, STRIDES },
    { "dense f16 W=KN", "mma_gemm sm_90a BM=32 BN=96 WM=16 WN=32 SPLITK=2", "acc + Y[m,n]", STRIDES UNALIGNED },
    { "dense bf16 W=NK", "mma_gemm sm_80", NULL, STRIDES },
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=1 GROUP=0", "acc + residual[m,n] + Y[m,n]", STRIDES },
    { "dense f32 W=NK", "gemv sm_75 ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4", "acc + Y[m,n]", STRIDES },
    { "dense f16 W=NK", "mma_gemv sm_80 ROWS=8 COLS=16 UNROLL=2 SPLITK=4", BIAS, STRIDES },
    { "batch_matmul tf32 A=MK B=NK", "wgmma_bmm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=3 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", "acc + mask[m,n] + Y[b0,b1,m,n]", STRIDES },
    { "conv2d f32 F=KRSC", "simt_conv sm_80 BM=32 BN=64 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4", NORM, STRIDES },
    { "conv2d bf16 F=KRSC packed", "mma_conv sm_80", "acc + Y[n,p,q,oc]", STRIDES },
    { "conv2d f16 F=RSCK", "mma_conv sm_90a BM=32 BN=64 WM=32 WN=32 ROW=128 SPLITK=3", NULL, STRIDES },
    { "conv2d f32 F=RSCK", "depthwise sm_80 LANES=8 NT=64 PX=2 FIXED_S=3", "acc + Y[n,p,q,oc]", STRIDES },
    { "conv2d f32", "scalar_conv sm_80", PLACES, STRIDES },
    { "conv2d f16 F=KRSC", "wgmma_conv sm_90a HIGH=128 WIDE=64 QT=14 PT=8 SWAP=0 CONSUMERS=2 STAGES=8 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", "acc + Y[n,p,q,oc]", STRIDES BOXES },
    { "rows f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=2", "softmax[n](x[m,n] + mask[n,m]) + Y[m,n]", STRIDES },
    { "row_values f32", "lane_rows sm_80 LANES=4 NT=128 ROWS=4 VEC=2 NV=2", "sum[n](x[m,n]) + Y[m]", "strides = [\"x\"];" },
    /* ---- rows. A group of threads is a part of a warp, a warp, or a block. */
    { "batch_rows f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=2", SOFTMAX, LEN },
    { "batch_rows bf16", "lane_rows sm_80 LANES=32 NT=128 ROWS=4 VEC=4 NV=1", "log_softmax[n](x[b0,b1,m,n] + mask[b0,n] - s[b1] * (m - n))", NULL },
    { "rows bf16", "lane_rows sm_90a LANES=128 NT=128 ROWS=1 VEC=8 NV=1", LAYERNORM, "types = { gamma = \"f32\"; };" },
    /* one value of a row. Many elements are equal: the first of the largest counts */
    { "row_values f32", "lane_rows sm_80 LANES=4 NT=128 ROWS=4 VEC=2 NV=2", "argmax[n](min(x[m,n], 0))", "types = { Y = \"s32\"; };" },
    { "row_values f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=2", "trunc(sum[n](x[m,n]) * 3.0)", "types = { Y = \"s32\"; };" },
    { "rows bf16", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=1", "floor(x[m,n] * 5.0 + z[m])", "types = { Y = \"s32\"; };" },
    /* one value that fills its row; one that is not along it */
    { "rows f16", "lane_rows sm_80 LANES=32 NT=128 ROWS=2 VEC=4 NV=1", "exp(max[n](x[m,n])) * z[m] + sum[n](x[m,n])", NULL },
    /* results beyond f16: infinite; functions of elements alone, of operands that are the same for rows or columns, lie
     * the other way, or are gathered by row and by element */
    { "rows f16", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=8 NV=1", "x[m,n] * 3.5 + r[m,n] * x[m,n]", NULL },
    { "rows f32", "lane_rows sm_90a LANES=32 NT=256 ROWS=1 VEC=4 NV=1", "x[m,n] * scale[n] + z[m] - max(w[n,m], 0.5)", "types = { scale = \"f16\"; };" },
    { "rows f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=1", "softmax[n](table[id[m],n] + x[m,order[n]])", GATHERED },
    /* computed indices */
    { "batch_rows f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=1 VEC=4 NV=1", ROTARY, ANGLES },
    { "rows f32", "lane_rows sm_90a LANES=32 NT=128 ROWS=1 VEC=4 NV=2", GROUP_NORM, GROUPS },
    { "rows bf16", "lane_rows sm_80 LANES=32 NT=128 ROWS=2 VEC=4 NV=1", SHIFT, "extents = { x = [\"M\", \"N\"]; };" },
    { "rows bf16", "lane_rows sm_80 LANES=32 NT=128 ROWS=2 VEC=4 NV=1", PARTS, "extents = { x = [\"M\", \"N\"]; };" },
    { "batch_rows f16", "lane_rows sm_80 LANES=8 NT=128 ROWS=2 VEC=8 NV=1", SHUFFLE, PIXELS },
    { "dense f32 W=NK", "simt_gemm sm_80", MIXED, MIXED_EXTENTS },
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", MIXED, MIXED_EXTENTS },
};
/* clang-format on */

#define TALL "BM=64 BN=96 WM=64 WN=32"

/* clang-format off */
static const KernelRow thorough[] = {
    /* ---- kinds of formulas that the usual rows do not have with the template: a mask, functions in a loop, an operand
     * that is read in a loop */
    { "dense f32 W=NK", "simt_gemm sm_90a BM=96 BN=96 TM=6 TN=12", "n <= m ? acc : -inf", NULL },
    { "dense f32 W=KN", "simt_gemm sm_90a BM=96 BN=96 TM=6 TN=12", "silu(acc) * gate[m,n]", NULL },
    { "dense tf32 W=NK", "mma_gemm sm_80 BM=128 BN=64 WM=64 WN=32 ROW=128 STAGES=3", "n <= m ? acc : -inf", NULL },
    { "dense bf16 W=NK", "mma_gemm sm_90a BM=128 BN=128 WM=64 WN=64", "silu(acc) * gate[m,n]", NULL },
    { "dense f16 W=KN", "mma_gemv sm_80 ROWS=8", "gelu(acc + bias[n])", NULL },
    { "dense bf16 W=NK", "gemv sm_80 ROWS=4 COLS=1 WARPS=8 KWARPS=8 LANES=32 UNROLL=2 SPLITK=2", "silu(acc) * gate[m,n]", NULL },
    { "batch_matmul f32 A=MK B=KN", "simt_bmm sm_80 BM=128 BN=128 TM=8 TN=16 BK=8 STAGES=4", "acc + residual[b0,b1,m,n]", NULL },
    { "batch_matmul f32 A=KM B=NK", "simt_bmm sm_80 BM=128 BN=128 TM=8 TN=16 BK=8 STAGES=4", "gelu(acc + bias[n])", NULL },
    { "batch_matmul f32 A=KM B=NK", "tiny_bmm sm_80", "n < len[b0] ? acc * 0.125 : -inf", LEN },
    { "batch_matmul f32 A=KM B=NK", "tiny_bmm sm_80", "gelu(acc + bias[n])", NULL },
    { "batch_matmul f32 A=KM B=NK", "gemv_bmm sm_80 ROWS=2 COLS=2 KWARPS=1 UNROLL=2", "n < len[b0] ? acc * 0.125 : -inf", LEN },
    { "batch_matmul tf32 A=MK B=KN", "mma_bmm sm_90a", "acc * 0.125 + mask[b0,n]", NULL },
    { "batch_matmul bf16 A=KM B=NK", "mma_bmm sm_90a " TALL, "gelu(acc + bias[n])", NULL },
    { "batch_matmul tf32 A=MK B=KN", "tiny_mma_bmm sm_80", "acc * 0.125 + mask[b0,n]", NULL },
    /* ---- groups of threads that share out each block of k: the most threads, copies of elements, formulas in rounds,
     * two chunks each of a block and eight; long blocks of one group; the order of large parts of a thread */
    { "dense f32 W=NK packed", "simt_gemm sm_90a BM=64 BN=64 TM=4 TN=8 BK=64 SPLITK=2 KGROUPS=4", NULL, NULL },
    { "dense f32 W=NK", "simt_gemm sm_80 BM=32 BN=96 TM=4 TN=6 BK=16 STAGES=4 SPLITK=4 KGROUPS=2", BIAS, UNALIGNED },
    { "dense f32 W=KN", "simt_gemm sm_75 BM=128 BN=96 TM=8 TN=12 BK=16 KGROUPS=2", BIAS, UNALIGNED },
    { "dense f32 W=NK", "simt_gemm sm_90a BM=128 BN=128 TM=8 TN=16 BK=16 KGROUPS=2", "silu(acc) * gate[m,n]", NULL },
    { "dense f32 W=NK", "simt_gemm sm_90a BM=128 BN=96 TM=8 TN=12 BK=32 GROUP=8", BIAS, NULL },
    { "dense f32 W=NK", "simt_gemm sm_90a BM=128 BN=96 TM=8 TN=12 BK=64 SPLITK=2 KGROUPS=2", BIAS, UNALIGNED },
    { "dense f32 W=KN", "simt_gemm sm_90a BM=64 BN=64 TM=8 TN=8 BK=64 KGROUPS=2", BIAS, NULL },
    { "dense f32 W=NK", "simt_gemm sm_90a BM=64 BN=96 TM=4 TN=12 BK=32 KGROUPS=4 FIXED_K=64", BIAS, WHOLE },
    { "batch_matmul f32 A=KM B=KN", "simt_bmm sm_80 BM=128 BN=128 TM=8 TN=16 BK=16 KGROUPS=2", "acc + residual[b0,b1,m,n]", NULL },
    { "batch_matmul f32 A=KM B=KN", "simt_bmm sm_90a BM=128 BN=96 TM=8 TN=12 BK=32 SPLITK=2 KGROUPS=2", BIAS, BATCHES_UNALIGNED },
    { "conv2d f32 F=KRSC packed", "simt_conv sm_90a BM=64 BN=64 TM=8 TN=8 BK=32 SPLITK=2 KGROUPS=4", BOTH, NULL },
    { "conv2d f32 F=RSCK", "simt_conv sm_80 BM=32 BN=64 TM=4 TN=4 BK=32 KGROUPS=2", PLACES, NULL },
    /* ---- layouts and tiles that the usual suite leaves out */
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=16 SWAP=1 CONSUMERS=1 STAGES=8 SPLITK=5 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", NULL, UNALIGNED },
    { "dense f16 W=KN", "wgmma_gemm sm_90a HIGH=128 WIDE=192 SWAP=0 CONSUMERS=2 STAGES=5 SPLITK=2 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", BIAS, NULL },
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=128 WIDE=144 SWAP=0 CONSUMERS=2 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=1 GROUP=0", BIAS, UNALIGNED },
    { "dense f16 W=KN packed", "wgmma_gemm sm_90a HIGH=128 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=5 SPLITK=3 CLUSTERED=0 TURNS=0 BY_MAP=1 GROUP=0", NULL, NULL },
    { "dense bf16 W=KN packed", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=2 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=0", "gelu(acc + bias[n]) + residual[m,n]", NULL },
    { "dense f16 W=KN packed", "wgmma_gemm sm_90a HIGH=128 WIDE=192 SWAP=0 CONSUMERS=2 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=8", NULL, NULL },
    { "dense bf16 W=KN", "wgmma_gemm sm_90a HIGH=128 WIDE=112 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=6 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", "silu(acc) * gate[m,n]", NULL },
    { "dense tf32 W=NK packed", "wgmma_gemm sm_90a HIGH=64 WIDE=80 SWAP=1 CONSUMERS=1 STAGES=7 SPLITK=2 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", BIAS, NULL },
    { "dense bf16 W=NK", "wgmma_gemm sm_90a HIGH=192 WIDE=192 SWAP=0 CONSUMERS=3 STAGES=4 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", BIAS, UNALIGNED },
    { "dense f16 W=NK", "wgmma_gemm sm_90a HIGH=64 WIDE=96 SWAP=0 CONSUMERS=1 STAGES=8 SPLITK=5 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", "n <= m ? acc : -inf", NULL },
    { "batch_matmul f16 A=MK B=NK", "wgmma_bmm sm_90a HIGH=64 WIDE=16 SWAP=1 CONSUMERS=1 STAGES=8 SPLITK=5 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", "gelu(acc + bias[n])", BATCHES_UNALIGNED },
    { "batch_matmul tf32 A=MK B=NK", "wgmma_bmm sm_90a HIGH=128 WIDE=112 SWAP=0 CONSUMERS=1 STAGES=6 SPLITK=1 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=8", NULL, BATCHES_UNALIGNED },
    { "batch_matmul f16 A=MK B=KN", "wgmma_bmm sm_90a HIGH=192 WIDE=96 SWAP=0 CONSUMERS=3 STAGES=6 SPLITK=2 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", "silu(acc) * gate[b0,b1,m,n]", NULL },
    { "dense f32 W=KN packed", "simt_gemm sm_80 BM=96 BN=96 TM=6 TN=12", NULL, NULL },
    { "dense tf32 W=KN packed", "mma_gemm sm_90a", NULL, NULL },
    { "dense tf32x3 W=KN packed", "mma_gemm sm_90a BM=128 BN=128 WM=64 WN=32 FIXED_K=64 FIXED_N=72", "gelu(acc + bias[n])", WHOLE },
    { "batch_matmul tf32x3 A=KM B=KN", "mma_bmm sm_80 BM=16 BN=32 WM=16 WN=16 ROW=128", NULL, NULL },
    { "batch_matmul tf32x3 A=MK B=NK", "tiny_mma_bmm sm_90a", NULL, NULL },
    { "conv2d tf32x3 F=KRSC", "mma_conv sm_80", NORM, NULL },
    { "conv2d tf32x3 F=RSCK", "depthwise sm_80", NORM, NULL },
    { "batch_matmul f32 A=KM B=KN", "simt_bmm sm_90a BM=96 BN=96 TM=6 TN=12", NULL, NULL },
    { "dense f16 W=NK packed", "gemv sm_90a ROWS=8 COLS=4 UNROLL=1", NULL, NULL },
    { "conv2d bf16 F=KRSC packed", "wgmma_conv sm_90a HIGH=128 WIDE=128 QT=7 PT=1 SWAP=0 CONSUMERS=2 STAGES=7 SPLITK=1 CLUSTERED=0 TURNS=1 BY_MAP=0 GROUP=0", "acc + residual[n,p,q,oc]", STRIDES BOXES },
    { "conv2d f16 F=RSCK packed", "wgmma_conv sm_90a HIGH=192 WIDE=128 QT=28 PT=2 SWAP=0 CONSUMERS=3 STAGES=5 SPLITK=2 CLUSTERED=1 TURNS=0 BY_MAP=0 GROUP=0", PLACES, BOXES },
    { "conv2d bf16 F=KRSC", "wgmma_conv sm_90a HIGH=128 WIDE=192 QT=16 PT=4 SWAP=0 CONSUMERS=2 STAGES=5 SPLITK=6 CLUSTERED=0 TURNS=0 BY_MAP=0 GROUP=0", NULL, NULL },
    { "conv2d f32 F=RSCK", "simt_conv sm_75", PLACES, NULL },
    { "row_values f32", "lane_rows sm_80 LANES=32 NT=128 ROWS=2 VEC=4 NV=1", "z[m] * m", NULL },
    { "dense bf16 W=KN", "mma_gemm sm_90a BM=128 BN=128 WM=64 WN=64", "gelu_tanh(n == 3 ? -inf : acc * 2)", NULL },
    { "dense bf16 W=KN", "gemv sm_80 ROWS=4 LANES=8 UNROLL=1 SPLITK=2", "n <= m ? acc : -inf", NULL },
    { "dense f16 W=KN", "mma_gemv sm_86 ROWS=16 WARPS=8 KWARPS=8 SPLITK=2", "n <= m ? acc : -inf", NULL },
    { "batch_matmul tf32 A=KM B=NK", "mma_bmm sm_80 BM=16 BN=32 WM=16 WN=16 ROW=128", NULL, NULL },
    { "batch_matmul f32 A=MK B=NK", "tiny_bmm sm_75", BIAS, NULL },
    { "batch_matmul tf32 A=MK B=NK", "tiny_mma_bmm sm_90a TOGETHER=8 BN=16 WN=16", "silu(n < len[b0] ? acc : -inf) * gate[b0,b1,m,n]", LEN },
    { "batch_matmul bf16 A=MK B=KN", "gemv_bmm sm_80 ROWS=4 LANES=8 UNROLL=1 SPLITK=2", "acc + residual[b0,b1,m,n]", NULL },
    { "conv2d bf16 F=KCRS packed", "depthwise sm_90a LANES=32 NT=256 PX=6 FIXED_S=3", "acc + residual[n,p,q,oc]", NULL },
    { "dense f32 W=KN", "simt_gemm sm_90a BM=64 BN=256 TM=8 TN=16 BK=8 FIXED_K=40 FIXED_N=44", BIAS, NULL },
    { "dense f32 W=KN", "simt_gemm sm_75 BM=32 BN=96 TM=4 TN=6", "max(acc * 0.5 + bias[n], 0)", NULL },
    { "dense bf16 W=KN", "mma_gemm sm_80 FIXED_K=64 FIXED_N=72", BIAS, WHOLE },
    { "dense bf16 W=NK packed", "mma_gemv sm_90a ROWS=16 COLS=32 WARPS=8 KWARPS=1 UNROLL=2", NULL, NULL },
    { "batch_matmul f32 A=KM B=KN", "simt_bmm sm_80 BM=32 BN=32 TM=4 TN=4 BK=32 SPLITK=4", NULL, NULL },
    { "batch_matmul bf16 A=MK B=NK", "mma_bmm sm_80 BM=32 BN=96 WM=16 WN=32", NULL, NULL },
    { "batch_matmul bf16 A=KM B=NK", "tiny_mma_bmm sm_80 BM=32 WM=16", NULL, NULL },
    { "batch_matmul bf16 A=MK B=KN", "mma_gemv_bmm sm_90a ROWS=8 COLS=64 WARPS=8 KWARPS=8 UNROLL=1 SPLITK=2", "gelu(acc) * gate[b0,b1,m,n]", NULL },
    { "rows f32", "lane_rows sm_80 LANES=256 NT=256 ROWS=1 VEC=2 NV=2", "log_softmax[n](x[m,n])", NULL },
    { "rows f32", "lane_rows sm_75 LANES=32 NT=256 ROWS=2 VEC=4 NV=4 EAGER=1", "rmsnorm[n](x[m,n], 1e-5) * gamma[n]", NULL },
    { "row_values f16", "lane_rows sm_90a LANES=512 NT=512 ROWS=1 VEC=4 NV=1", "sum[n](x[m,n])", "types = { Y = \"f32\"; };" },
    { "batch_matmul tf32 A=MK B=NK", "mma_bmm sm_80 BM=32 BN=64 WM=32 WN=32 STAGES=4 SPLITK=3", BIAS, NULL },
    { "batch_matmul bf16 A=KM B=NK", "mma_bmm sm_90a BM=128 BN=128 WM=64 WN=32 GROUP=8", NULL, NULL },
    { "batch_matmul f32 A=MK B=KN", "tiny_bmm sm_90a TOGETHER=8 BM=8 TM=2 BK=16", NULL, NULL },
    { "batch_matmul f16 A=MK B=KN", "tiny_mma_bmm sm_90a TOGETHER=2 BN=64 STAGES=4", "acc + residual[b0,b1,m,n]", NULL },
    { "batch_matmul tf32 A=KM B=KN", "tiny_mma_bmm sm_80 TOGETHER=2 BM=32 BN=16 WM=32 WN=16 ROW=128", NULL, NULL },
    { "batch_matmul f32 A=MK B=NK", "gemv_bmm sm_75 ROWS=4 COLS=2 WARPS=8 KWARPS=8 SPLITK=4", BIAS, NULL },
    { "batch_matmul bf16 A=KM B=KN", "gemv_bmm sm_75 ROWS=2 LANES=8 UNROLL=1 SPLITK=2", NULL, NULL },
    /* ---- the general kernels of convolutions for each layout and type */
    { "conv2d f32 F=KRSC", "simt_conv sm_80", NORM, NULL },
    { "conv2d f32 F=RSCK packed", "simt_conv sm_80", NORM, NULL },
    { "conv2d f16 F=KRSC", "mma_conv sm_80", PLACES, NULL },
    { "conv2d tf32 F=KRSC packed", "mma_conv sm_80", PLACES, NULL },
    { "conv2d tf32 F=RSCK packed", "depthwise sm_80", NORM, NULL },
    /* ---- other groups of threads, and the largest */
    { "batch_rows f16", "lane_rows sm_90a LANES=8 NT=128 ROWS=2 VEC=8 NV=1", "softmax[n](n <= m ? x[b0,b1,m,n] : -inf)", NULL },
    { "rows f32", "lane_rows sm_80 LANES=4 NT=128 ROWS=1 VEC=2 NV=1", "softmax[n](x[m,n])", NULL },
    { "row_values f16", "lane_rows sm_80 LANES=128 NT=128 ROWS=1 VEC=4 NV=1", "argmax[n](min(x[m,n], 0))", "types = { Y = \"s32\"; };" },
    { "row_values bf16", "lane_rows sm_80 LANES=32 NT=256 ROWS=2 VEC=8 NV=1", "sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n])) - max[n](x[m,n] / 2)", NULL },
    { "rows f32", "lane_rows sm_80 LANES=1024 NT=1024 ROWS=1 VEC=4 NV=2 EAGER=1", LAYERNORM, NULL },
    { "row_values f16", "lane_rows sm_90a LANES=1024 NT=1024 ROWS=1 VEC=8 NV=1 EAGER=1", "argmax[n](min(x[m,n], 0))", "types = { Y = \"s32\"; };" },
    { "batch_rows bf16", "lane_rows sm_90a LANES=512 NT=512 ROWS=1 VEC=8 NV=2", SOFTMAX, LEN },
};
/* clang-format on */

/* Compiled by nvcc alone: kernels whose values must fit registers. Each formula of rows has another kernel and type:
 * short rows, many elements in a thread, and the most threads. */
static const KernelRow usual_code[] = {
    { "conv2d bf16 F=KRSC packed", "mma_conv sm_80", BOTH, NULL },
    { "batch_rows bf16", "lane_rows sm_90a LANES=512 NT=512 ROWS=1 VEC=8 NV=2", SOFTMAX, LEN },
};
static const KernelRow thorough_code[] = {
    { "batch_matmul f16 A=KM B=KN", "tiny_mma_bmm sm_80", BIAS, NULL },
    { "conv2d f32 F=RSCK", "simt_conv sm_90a BM=96 BN=128 TM=6 TN=16 SPLITK=3", BOTH, NULL },
    { "conv2d bf16 F=KRSC", "mma_conv sm_90a BM=128 BN=128 WM=64 WN=64 ROW=128 STAGES=3", BOTH, NULL },
    { "conv2d tf32 F=RSCK", "mma_conv sm_90a BM=128 BN=256 WM=64 WN=64", BOTH, NULL },
    { "conv2d f16 F=RSCK", "depthwise sm_80 LANES=8 NT=256 PX=6 FIXED_S=3", BOTH, NULL },
};
static const struct {
    const char *op, *formula, *more;
} row_formulas[] = {
    { "batch_rows", SOFTMAX, LEN },
    { "rows", LAYERNORM, "types = { gamma = \"f32\"; };" },
    { "rows", "rmsnorm[n](gelu(x[m,n]) + r[m,n], 1e-5) * gamma[n]", NULL },
    { "rows", "gelu(x[m,n] + b[n]) * silu(g[m,n]) + tanh(z[m]) * erf(x[m,n])", NULL },
    { "row_values", "sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n]))", NULL },
};
static const char *const row_kernels[] = {
    "LANES=4 NT=128 ROWS=4 VEC=4 NV=2",
    "LANES=32 NT=128 ROWS=1 VEC=4 NV=2",
    "LANES=32 NT=256 ROWS=4 VEC=4 NV=4 EAGER=1",
    /* a search refuses NV=4 where it spills, as of a masked softmax times an operand */
    "LANES=512 NT=512 ROWS=1 VEC=4 NV=2",
    "LANES=1024 NT=1024 ROWS=1 VEC=4 NV=1 EAGER=1",
};

/* With KERNEL=mma_gemm or KERNEL=conv2d in the environment, those rows alone that have the word. */
static bool is_wanted(const KernelRow *r)
{
    const char *word = getenv("KERNEL");
    return !word || strstr(r->kernel, word) || strstr(r->call, word);
}

static RowWorld *w;

/* Those of the suite at hand. */
static int chosen_rows(const KernelRow **out)
{
    static KernelRow row[LENGTH(usual) + LENGTH(thorough)];
    const bool more = getenv("THOROUGH");
    const int all = more ? LENGTH(thorough) : LENGTH(usual);
    int n = 0;
    for (int i = 0; i < all; i++) {
        const KernelRow *r = more ? &thorough[i] : &usual[i];
        if (is_wanted(r))
            row[n++] = *r;
    }
    *out = row;
    return n;
}

/* Where operators have many axes, a large kernel takes some of the shapes, other ones than the one before. So do all in
 * the thorough suite. */
TEST(kernels_are_right)
{
    for (int i = 0; i < w->n; i++) {
        const RowKernel *k = &w->kernel[i];
        const bool takes_all = k->spec->op->naxis <= 4 || strcmp(k->c.t->name, "depthwise") == 0;
        const int step = !takes_all ? 3 : getenv("THOROUGH") ? 2 : 1;
        rows_verify(w, k, i % step, step);
    }
}

/* ---- matrices in unusual places */

static bool is_of(const RowKernel *k, const char *op) { return strcmp(k->spec->op->name, op) == 0; }
static bool has_integers(const RowKernel *k) { return k->row->more && strstr(k->row->more, "s32"); }

/* All rows are aligned to 16 bytes whatever the type, but for what is said here. */
TEST(operands_lie_anywhere)
{
    static const int64_t dense[] = { 16, 40, 24 }, batched[] = { 2, 3, 16, 40, 24 }, odd[] = { 1, 2, 9, 35, 17 };
    for (int i = 0; i < w->n; i++) {
        const RowKernel *k = &w->kernel[i];
        const bool is_batched = is_of(k, "batch_matmul");
        if (!(is_batched || is_of(k, "dense")) || has_integers(k))
            continue;
        const EmuEntry entry = emu_entry(w, k);
        for (int operand = 0; operand < k->spec->op->noperand; operand++)
            emu_call_laid(&entry, k->spec, is_batched ? batched : dense, DENSELY, 1u << operand);
        for (int lay = LONG_ROWS; is_batched && lay < NLAY; lay++)
            emu_call_laid(&entry, k->spec, lay == LONG_ROWS ? odd : batched, (Lay)lay, 0);
        emu_leave(&entry);
    }
}

/* All images of X are one, or all rows of an image; with strides, padding and dilation of the convolution. */
TEST(images_are_repeated)
{
    static const int64_t call[] = { 2, 2, 5, 9, 64, 24, 3, 2, 2, 1, 1, 1, 1, 0, 1, 2 };
    for (int i = 0; i < w->n; i++) {
        const RowKernel *k = &w->kernel[i];
        if (!is_of(k, "conv2d") || !k->spec->op->operand[0].strided)
            continue;
        const EmuEntry entry = emu_entry(w, k);
        for (int extent = 0; extent < 2; extent++)
            emu_call_laid(&entry, k->spec, call, (Lay)(REPEATED + extent), 0);
        emu_leave(&entry);
    }
}

/* ---- plans and heads of dense */

/* More rows of tiles than are in a group. As many tiles as there are counters are split, more are not. */
TEST(plans_are_as_told)
{
    enum { COUNTERS = 4096 };
    for (int i = 0; i < w->n; i++) {
        const RowKernel *k = &w->kernel[i];
        const bool clustered = rows_value(k, "CLUSTERED") == 1; /* sums do not meet in scratch memory */
        const int64_t split = clustered ? 1 : rows_value(k, "SPLITK"), group = rows_value(k, "GROUP");
        if (!is_of(k, "dense") || (split <= 1 && !group && !clustered))
            continue;
        const int64_t *tile = k->tile;
        const int64_t most[] = { 64 * tile[M], 64 * tile[N], 60 * tile[K] }, more[] = { most[M], most[N] + 1, most[K] };
        const EmuEntry entry = emu_entry(w, k);
        assert_int_equal(emu_scratch(&entry, most), split > 1 ? 4 * COUNTERS * split * tile[M] * tile[N] : 0);
        assert_int_equal(emu_counters(&entry, most), split > 1 ? 4 * COUNTERS : 0);
        assert_int_equal(emu_scratch(&entry, more) + emu_counters(&entry, more), 0);
        if (group)
            emu_call_laid(&entry, k->spec, (int64_t[]){ (group + 1) * tile[M] + 1, tile[N] + 8, 8 }, DENSELY, 0);
        emu_leave(&entry);
    }
}

/* A name of the kernel's head, for a call; -1: it has none such. */
static int64_t head(const RowKernel *k, const int64_t *extent, const char *name)
{
    int64_t value;
    Binding b = { .t = k->c.t,
                  .spec = k->spec,
                  .target = k->target,
                  .device = &k->device,
                  .value = k->value,
                  .extent = extent,
                  .threads = 1 };
    return template_lookup(&b, name, &value) ? value : -1;
}

/* What a block of k costs in shared memory, and what slices hand on: counted as the difference of two calls. Swizzles
 * and pitches keep banks apart; where rows of Y are no power of two a few stores meet. */
static void check_head(const RowKernel *k)
{
    const EmuEntry entry = emu_entry(w, k);
    const int64_t split = rows_value(k, "SPLITK"), *tile = k->tile, deep = 4 * split * tile[K];
    const int64_t once[] = { tile[M], tile[N], deep }, twice[] = { tile[M], tile[N], 2 * deep },
                  ragged[] = { tile[M] + 1, tile[N] + 16, deep }, whole[] = { ragged[M], ragged[N], 8 };
    const int64_t lds = head(k, once, "LDS"), passed = head(k, ragged, "PASSED");
    const EmuCounts c1 = emu_call_laid(&entry, k->spec, once, DENSELY, 0),
                    c2 = emu_call_laid(&entry, k->spec, twice, DENSELY, 0);
    if (!strstr(k->c.t->name, "gemv") && c2.conflicts * 100 > c2.wavefronts)
        fail_msg("%s: %d conflicts in %d wavefronts", k->row->kernel, (int)c2.conflicts, (int)c2.wavefronts);
    if (lds >= 0 && c2.wavefronts - c1.wavefronts != lds * 4 * split)
        fail_msg("%s: %d wavefronts for %d blocks of k, not %d each", k->row->kernel,
                 (int)(c2.wavefronts - c1.wavefronts), (int)(4 * split), (int)lds);
    const EmuCounts r = emu_call_laid(&entry, k->spec, ragged, DENSELY, 0),
                    s = emu_call_laid(&entry, k->spec, whole, DENSELY, 0);
    /* a sector for each change of a counter, besides */
    const int64_t change = passed ? head(k, ragged, "BLOCKS") + head(k, ragged, "TILES") : 0;
    const bool fills_sectors = tile[M] * tile[N] % 8 == 0;
    if (fills_sectors && r.sectors_written - s.sectors_written != passed / 8 + change)
        fail_msg("%s: %d sectors handed on, not %d", k->row->kernel,
                 (int)(r.sectors_written - s.sectors_written - change), (int)(passed / 8));
    emu_leave(&entry);
}

TEST(heads_say_what_kernels_do)
{
    for (int i = 0; i < w->n; i++)
        if (is_of(&w->kernel[i], "dense") && !has_integers(&w->kernel[i]) && !candidate_is_fixed(&w->kernel[i].c))
            check_head(&w->kernel[i]);
}

/* ---- for the GPU itself */

static void compile_rows(const KernelRow *row, int n, const char *target)
{
    const Options options = { 0 };
    const char *nvcc = site_compiler(w->a, &options, &family_cuda), *err;
    const Toolchain tools =
        nvcc ? toolchain_make(w->a, nvcc, &family_cuda, target_find(&w->targets, target)->gencode, true)
             : (Toolchain){ 0 };
    Builder *b = nvcc ? builder_new(w->a, &tools, 2, 300, NULL, &err) : NULL;
    if (!b) {
        print_message("skipped: no nvcc\n");
        skip();
    }
    Build *build = ARENA_ARRAY(w->a, (size_t)n, Build);
    const KernelRow **of = ARENA_ARRAY(w->a, (size_t)n, const KernelRow *);
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (!strstr(row[i].kernel, target) || !is_wanted(&row[i]))
            continue;
        const RowKernel k = rows_kernel(w, &row[i]);
        of[count] = &row[i];
        build[count++] = (Build){ .name = arena_printf(w->a, "code%d", i), .text = rows_text(w, &k) };
    }
    if (count)
        build_all(b, w->a, build, count, NULL);
    for (int i = 0; i < count; i++) {
        PtxasReport code;
        if (build[i].status != STATUS_OK || !spills_read_ptxas(build[i].log, &code) || code.spill_bytes > 0)
            fail_msg("%s %s %s: does not compile, or spills: %s%s", of[i]->call, of[i]->kernel, of[i]->formula,
                     build[i].why, build[i].log);
    }
    builder_free(b);
}

TEST(values_fit_registers)
{
    static const char *const types[] = { "f32", "f16", "bf16" };
    enum { MOST = LENGTH(row_formulas) + LENGTH(thorough_code) };
    KernelRow row[MOST];
    const bool more = getenv("THOROUGH");
    int n = more ? LENGTH(thorough_code) : LENGTH(usual_code);
    memcpy(row, more ? thorough_code : usual_code, (size_t)n * sizeof *row);
    for (size_t i = 0; more && i < LENGTH(row_formulas); i++)
        row[n++] = (KernelRow){ arena_printf(w->a, "%s %s", row_formulas[i].op, types[i % LENGTH(types)]),
                                arena_printf(w->a, "lane_rows %s %s", i % 2 ? "sm_90a" : "sm_80",
                                             row_kernels[i / 2 % LENGTH(row_kernels)]),
                                row_formulas[i].formula, row_formulas[i].more };
    compile_rows(row, n, "sm_80");
    compile_rows(row, n, "sm_90a");
}

static int set_up(void **state)
{
    const KernelRow *row;
    const int n = chosen_rows(&row);
    rows_build(*state = w = rows_world(true), row, n);
    return 0;
}

static int tear_down(void **state)
{
    emu_free();
    return rows_free(state);
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(rows_have_compiler)
