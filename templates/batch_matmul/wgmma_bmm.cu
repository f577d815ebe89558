/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "wgmma_bmm";
op      = "batch_matmul";
like    = "../gemm/wgmma_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias on Hopper's tensor cores by wgmma: HIGH x WIDE tiles of all matrices, TMA fills a ring of stages, a grid as large as the GPU goes round";
layouts = { A = ["MK"]; B = ["NK", "KN"]; };
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; } );
maps = (
  { name = "a_map"; operand = "A"; box = ["1", "1", "BM", "BK"]; swizzle = "128"; },
  { name = "b_map"; operand = "B"; box = ["1", "1", "W_ROWS", "W_BOX"]; swizzle = "W_SPAN"; } );
tile = { B0 = "1"; B1 = "1"; M = "BM"; N = "BN"; K = "BK"; };
*/
