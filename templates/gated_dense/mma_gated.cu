/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_gated";
op      = "gated_dense";
like    = "../gemm/mma_gemm.cu";
doc     = "both products on tensor cores by mma.sync: tiles of BN / 2 columns of W and the same of G in shared memory, WM x WN in a warp's registers";
layouts = { W = ["NK", "KN"]; };
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n], and so does G"; },
  { name = "STAGED";     expr = "1";           doc = "the formula of both sums is computed in a loop, on sums in shared memory"; } );
tile    = { M = "BM"; N = "BN / 2"; K = "BK"; };
derived = ( { name = "PASSED"; expr = "(SLICES > 1) * BLOCKS * BM * BN"; doc = "sums that blocks hand on: whole tiles of both products"; } );
*/
