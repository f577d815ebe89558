/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_gemv";
op      = "dense";
like    = "../gemm/mma_gemv.cu";
layouts = { W = ["NK", "KN"]; };
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n]"; } );
tile = { M = "BM"; N = "BN"; K = "BK"; };
*/
