/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "tiny_mma_bmm";
op      = "batch_matmul";
like    = "../gemm/mma_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias on tensor cores for many small matrices: PROBLEMS tiles of BM x BN in a block";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
params  = (
  { name = "TOGETHER"; choices = [2, 4, 8];     doc = "tiles of a block, of as many matrices if these are small"; },
  { name = "BM";       choices = [16, 32];      doc = "rows of a tile of Y"; },
  { name = "BN";       choices = [16, 32, 64];  doc = "columns of a tile of Y"; },
  { name = "WM";       choices = [16, 32];      doc = "rows of a warp's part of the tile"; },
  { name = "WN";       choices = [16, 32];      doc = "columns of a warp's part of the tile"; },
  { name = "SPLITK";   choices = [1];           doc = "there are blocks enough"; },
  { name = "GROUP";    choices = [0];           doc = "tiles are done column by column"; },
  { name = "FIXED_K";  choices = [0];           doc = "K is the caller's"; } );
values  = (
  { name = "PROBLEMS";    expr = "TOGETHER";    doc = "tiles of a block, each with its own threads"; },
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; },
  { name = "X_IS_KM"; expr = "LAYOUT_A_KM"; doc = "A, which stands in X's place, lies as [k][m]"; } );
constraints = (
  { need = "SM_ARCH >= 80";                     why = "no asynchronous copies, tf32 or bf16 before sm_80"; },
  { need = "BM % WM == 0 && BN % WN == 0";      why = "a tile is a whole number of warps' parts"; },
  { need = "BM * BN <= 32 * 32";                why = "mma_bmm has the larger tiles"; },
  { need = "WM <= WN || BN == 16";              why = "far from square a warp loads more for the same work"; },
  { need = "NT >= 64 && NT <= 256"; why = "fewer threads hide no latency, more wait for each other at barriers"; },
  { need = "NT / PROBLEMS == 32 || WM * WN >= 512"; why = "a matrix needs no more warps with little work each"; },
  { need = "STAGES == 3 || ROW == 64";          why = "three long stages hold all of a short sum"; },
  { need = "SMEM <= 65536";                     why = "more shared memory leaves too few blocks on an SM"; } );
general = (
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; TOGETHER = 4; BM = 16; BN = 32; WM = 16; WN = 32;
    ROW = 64; STAGES = 3; SPLITK = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; } );
tile = { B0 = "1"; B1 = "TOGETHER"; M = "BM"; N = "BN"; K = "BK"; };
launch = { x = "TILES * (EACH < 2147483648)"; }; # tiles are counted in 31 bits
derived = (
  { name = "EACH";  expr = "BATCH * ceil_div(M, BM) * ceil_div(N, BN)"; doc = "tiles of all matrices"; },
  { name = "TILES"; expr = "ceil_div(EACH, TOGETHER)"; doc = "blocks that have TOGETHER of them each"; } );
*/
