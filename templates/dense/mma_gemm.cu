/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_gemm";
op      = "dense";
like    = "../gemm/mma_gemm.cu";
layouts = { W = ["NK", "KN"]; };
params  = ( { name = "FIXED_N"; choices = "N"; doc = "KN: the N that the kernel is fixed for, which is W's stride; 0: none"; } );
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n]"; } );
tile = { M = "BM"; N = "BN"; K = "BK"; };
*/
