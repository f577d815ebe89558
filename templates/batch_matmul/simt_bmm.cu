/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "simt_bmm";
op      = "batch_matmul";
like    = "../gemm/simt_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias in fp32 on the FMA units: BM x BN tiles in shared memory, TM x TN in registers";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; },
  { name = "X_IS_KM"; expr = "LAYOUT_A_KM"; doc = "A, which stands in X's place, lies as [k][m]"; } );
tile = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
*/
