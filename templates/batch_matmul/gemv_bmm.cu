/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "gemv_bmm";
op      = "batch_matmul";
like    = "../dense/gemv.cu";
doc     = "Y[b] = A[b] * B[b] + bias for few rows of A: B streams through registers, ROWS rows of Y at a time";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
values  = (
  { name = "LAYOUT_W_NK"; expr = "LAYOUT_B_NK"; doc = "B stands in W's place, A in X's"; },
  { name = "LAYOUT_W_KN"; expr = "LAYOUT_B_KN"; doc = "B stands in W's place"; },
  { name = "X_IS_KM";     expr = "LAYOUT_A_KM"; doc = "A stands in X's place"; } );
tile    = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
derived = (
  { name = "L2_ELEMS"; expr = "BATCH * ceil_div(M, BM) * N * K"; doc = "elements from L2: B, as A stays in L1"; } );
*/
