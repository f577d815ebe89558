/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "simt_gated";
op      = "gated_dense";
like    = "../gemm/simt_gemm.cu";
doc     = "both products in fp32 on the FMA units: tiles of BN / 2 columns of W and the same of G in shared memory, TM x TN in a thread's registers";
layouts = { W = ["NK", "KN"]; };
params  = ( { name = "BN"; choices = [64, 128, 256]; doc = "columns of a block's tile: half of them of W, half of G, in whole blocks of its threads' columns"; } );
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n], and so does G"; },
  { name = "STAGED";     expr = "1";           doc = "the formula of both sums is computed in a loop, on sums in shared memory"; } );
tile    = { M = "BM"; N = "BN / 2"; K = "BK"; };
derived = ( { name = "PASSED"; expr = "(SLICES > 1) * BLOCKS * BM * BN"; doc = "sums that blocks hand on: whole tiles of both products"; } );
*/
