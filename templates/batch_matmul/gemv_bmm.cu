/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "gemv_bmm";
op      = "batch_matmul";
like    = "../gemm/gemv.cu";
doc     = "Y[b] = A[b] * B[b] + bias for few rows of A: B streams through registers, ROWS rows of Y at a time";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; },
  { name = "X_IS_KM"; expr = "LAYOUT_A_KM"; doc = "A, which stands in X's place, lies as [k][m]"; } );
tile    = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
derived = ( { name = "L2_ELEMS"; expr = "BATCH * ceil_div(M, BM) * N * K"; doc = "elements from L2: B, as A stays in L1"; } );
*/
