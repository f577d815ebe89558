/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "wgmma_gemm";
op      = "dense";
like    = "../gemm/wgmma_gemm.cu";
layouts = { W = ["NK", "KN"]; };
values  = (
  { name = "ONE_MATRIX"; expr = "1";           doc = "Y is one matrix"; },
  { name = "Y_IS_MAPPED"; expr = "1";          doc = "there may be a map of Y"; },
  { name = "W_IS_KN";    expr = "LAYOUT_W_KN"; doc = "W lies as [k][n]"; } );
maps = (
  { name = "x_map"; operand = "X"; box = ["BM", "BK"]; swizzle = "128"; },
  { name = "w_map"; operand = "W"; box = ["W_ROWS", "W_BOX"]; swizzle = "W_SPAN"; },
  { name = "y_map"; operand = "Y"; box = ["BY_MAP * 64 * MBLOCKS", "Y_BOX"]; swizzle = "2 * Y_BOX"; } );
tile = { M = "BM"; N = "BN"; K = "BK"; };
*/
