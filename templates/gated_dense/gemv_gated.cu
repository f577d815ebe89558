/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "gemv_gated";
op      = "gated_dense";
like    = "../gemm/gemv.cu";
doc     = "both products for few rows of X: W and G stream through registers, ROWS rows of Y at a time, no tiles";
layouts = { W = ["NK", "KN"]; };
params  = ( { name = "COLS"; choices = [2, 4]; doc = "NK: columns of a warp; KN: 16-byte groups of columns of a lane; half of a block's columns are of W, half of G"; } );
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n], and so does G"; } );
general = (
  { target = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"]; ROWS = 2; COLS = 2; WARPS = 8; KWARPS = 1;
    LANES = 32; UNROLL = 1; SPLITK = 1; } );
tile    = { M = "BM"; N = "BN / 2"; K = "BK"; };
derived = (
  { name = "PASSED"; expr = "(SLICES > 1) * BLOCKS * BM * BN"; doc = "sums that blocks hand on: whole tiles of both products"; },
  { name = "L2_ELEMS"; expr = "ceil_div(M, BM) * 2 * N * K"; doc = "elements from L2: W and G, as X stays in L1"; } );
*/
