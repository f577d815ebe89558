/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_bmm";
op      = "batch_matmul";
like    = "../dense/mma_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias on tensor cores by mma.sync: BM x BN tiles in shared memory, WM x WN in registers";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
params  = ( { name = "FIXED_N"; choices = [0]; doc = "B's stride is the caller's"; } );
values  = (
  { name = "LAYOUT_W_NK"; expr = "LAYOUT_B_NK"; doc = "B stands in W's place, A in X's"; },
  { name = "LAYOUT_W_KN"; expr = "LAYOUT_B_KN"; doc = "B stands in W's place"; },
  { name = "X_IS_KM";     expr = "LAYOUT_A_KM"; doc = "A stands in X's place"; } );
tile = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
*/
