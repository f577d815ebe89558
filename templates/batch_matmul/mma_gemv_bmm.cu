/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_gemv_bmm";
op      = "batch_matmul";
like    = "../gemm/mma_gemv.cu";
doc     = "Y[b] = A[b] * B[b] + bias for few rows of A on tensor cores: B streams through registers, no tiles";
layouts = { A = ["MK"]; B = ["NK", "KN"]; };
values  = ( { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; } );
tile    = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
derived = (
  { name = "L2_ELEMS"; expr = "BATCH * (ceil_div(M, BM) * N * K + ceil_div(N, BN) * M * K)";
    doc = "elements from L2: B and A"; } );
*/
