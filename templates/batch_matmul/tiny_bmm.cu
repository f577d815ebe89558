/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "tiny_bmm";
op      = "batch_matmul";
like    = "../gemm/simt_gemm.cu";
doc     = "Y[b] = A[b] * B[b] + bias in fp32 for many small matrices: PROBLEMS tiles of BM x BN in a block";
layouts = { A = ["MK", "KM"]; B = ["NK", "KN"]; };
params  = (
  { name = "TOGETHER"; choices = [2, 4, 8];       doc = "tiles of a block, of as many matrices if these are small"; },
  { name = "BM";       choices = [8, 16, 32];     doc = "rows of a tile of Y"; },
  { name = "BN";       choices = [16, 32, 64];    doc = "columns of a tile of Y"; },
  { name = "TM";       choices = [2, 4];          doc = "rows of a thread's part of the tile"; },
  { name = "TN";       choices = [2, 4];          doc = "columns of a thread's part of the tile"; },
  { name = "BK";       choices = [16, 32];        doc = "values of k that are in shared memory at once"; },
  { name = "STAGES";   choices = [2, 3];          doc = "such blocks of k, in use or on their way"; },
  { name = "SPLITK";   choices = [1];             doc = "there are blocks enough"; },
  { name = "KGROUPS";  choices = [1];             doc = "and sums are short"; },
  { name = "GROUP";    choices = [0];             doc = "tiles are done column by column"; },
  { name = "FIXED_K";  choices = [0];             doc = "K is the caller's"; } );
values  = (
  { name = "PROBLEMS";    expr = "TOGETHER";    doc = "tiles of a block, each with its own threads"; },
  { name = "W_IS_KN"; expr = "LAYOUT_B_KN"; doc = "B, which stands in W's place, lies as [k][n]"; },
  { name = "X_IS_KM"; expr = "LAYOUT_A_KM"; doc = "A, which stands in X's place, lies as [k][m]"; } );
constraints = (
  { need = "BM % (4 * TM) == 0 && BN % (8 * TN) == 0"; why = "a warp is 4 rows by 8 columns of threads"; },
  { need = "BM * BN < 1024"; why = "simt_bmm has the larger tiles"; },
  { need = "NT >= 64 && NT <= 256"; why = "fewer threads hide no latency, more wait for each other at barriers"; },
  { need = "NT / PROBLEMS == 32 || TM * TN >= 8"; why = "a matrix needs no more warps with little work each"; },
  { need = "SM_ARCH >= 80 || STAGES == 2"; why = "without asynchronous copies one stage is in use, one in registers"; },
  { need = "SM_ARCH < 80 || STAGES > 2"; why = "one stage on its way does not cover the memory's latency"; } );
general = (
  { target = "sm_75"; TOGETHER = 4; BM = 16; BN = 16; TM = 4; TN = 2; BK = 32; STAGES = 2; SPLITK = 1;
    KGROUPS = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; },
  { target = ["sm_80", "sm_86", "sm_89", "sm_90a"]; TOGETHER = 4; BM = 16; BN = 16; TM = 4; TN = 2; BK = 32;
    STAGES = 3; SPLITK = 1; KGROUPS = 1; GROUP = 0; FIXED_K = 0; FIXED_N = 0; } );
tile = { B0 = "1"; B1 = "TOGETHER"; M = "BM"; N = "BN"; K = "BK"; };
launch = { x = "TILES * (EACH < 2147483648)"; }; # tiles are counted in 31 bits
derived = (
  { name = "EACH";  expr = "BATCH * ceil_div(M, BM) * ceil_div(N, BN)"; doc = "tiles of all matrices"; },
  { name = "TILES"; expr = "ceil_div(EACH, TOGETHER)"; doc = "blocks that have TOGETHER of them each"; } );
*/
