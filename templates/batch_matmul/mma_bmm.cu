/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_bmm";
op      = "batch_matmul";
like    = "../gemm/mma_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias on tensor cores by mma.sync: BM x BN tiles in shared memory, WM x WN in registers";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; },
  { name = "X_IS_KM"; expr = "LAYOUT_A_KM"; doc = "A, which stands in X's place, lies as [k][m]"; } );
tile = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
*/
