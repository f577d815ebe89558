/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "wgmma_conv";
op      = "conv2d";
like    = "../gemm/wgmma_gemm.cu";
doc     = "implicit GEMM on Hopper's tensor cores by wgmma, boxes of pixels by filters of a group: for each tap TMA copies the box from X, a grid as large as the GPU goes round";
dtypes  = ["f16", "bf16"];
layouts = { X = ["NHWC"]; Y = ["NHWC"]; F = ["KRSC", "RSCK"]; };
params  = (
  { name = "HIGH";   choices = [64, 128, 192];            doc = "rows of a block's tile as wgmma sees it: pixels, and what is left over"; },
  { name = "WIDE";   choices = [64, 128, 192];            doc = "its columns: filters"; },
  { name = "QT";     choices = [7, 14, 16, 28, 56];       doc = "columns of a tile's box of pixels"; },
  { name = "PT";     choices = [1, 2, 4, 7, 8];           doc = "rows of it"; },
  { name = "SWAP";   choices = [0];                       doc = "pixels are rows"; },
  { name = "CONSUMERS"; choices = [1, 2, 3];              doc = "warpgroups that multiply, 64 rows each, or a tile"; },
  { name = "STAGES"; choices = [4, 5, 6, 7, 8];           doc = "blocks of channels, in use or on their way"; },
  { name = "SPLITK"; choices = [1, 2, 3, 4, 6];           doc = "blocks that share out the sum of one tile"; },
  { name = "BY_MAP"; choices = [0];                       doc = "the threads store the tile"; },
  { name = "GROUP";  choices = [0];                       doc = "tiles are done column by column"; } );
values  = (
  { name = "MATRICES"; expr = "0";                        doc = "X is no matrix"; },
  { name = "W_IS_KN"; expr = "LAYOUT_F_RSCK";             doc = "F stands in W's place: filters along n, channels along k"; },
  { name = "IT";      expr = "HIGH / (QT * PT)";          doc = "images of a tile's box"; },
  { name = "X_ROWS";  expr = "QT * PT * IT";              doc = "its pixels"; },
  { name = "R_LESS";  expr = "72 + 8 * (CONSUMERS == 3)"; doc = "registers of a thread that copies: it knows taps and pixels"; },
  { name = "R_MORE";  expr = "216 - 72 * (CONSUMERS == 3)"; doc = "registers of a thread that multiplies"; } );
constraints = (
  { need = "SM_ARCH == 90";                    why = "wgmma is Hopper's alone"; },
  { need = "HIGH != 192 || WIDE == 128";       why = "few columns load more for the same work, for more sums three consumers have too few registers"; },
  { need = "HIGH != 64 || WIDE <= 128";        why = "a tile far from square loads more for the same work"; },
  { need = "QT * PT <= HIGH";                  why = "a tile has the whole box"; },
  { need = "X_ROWS * 4 >= HIGH * 3";           why = "the box shall fill the tile"; },
  { need = "CONSUMERS * 64 == HIGH || TURNS";  why = "a warpgroup has 64 rows"; },
  { need = "TURNS == 0 || HIGH <= 128 && CONSUMERS == 2 && SPLITK == 1 && MBLOCKS * WIDE <= 256";
    why = "two hide each other's stores, of 128 sums of a thread at most; what is split has few tiles"; },
  { need = "CONSUMERS < 3 || SPLITK == 1 || CLUSTERED"; why = "three consumers have too few registers for the way to scratch memory and back"; },
  { need = "CLUSTERED == 0 || SPLITK > 1";     why = "a cluster is of the blocks that share a tile"; },
  { need = "CLUSTERED == 0 || BM * (BN + 8) * 4 <= STAGES * STAGE_BYTES"; why = "a tile's sums must fit where the stages were"; },
  { need = "SMEM <= SMEM_BLOCK";               why = "the stages must fit a block's shared memory"; },
  { need = "STAGES == 8 || SMEM + STAGE_BYTES > SMEM_BLOCK - 16"; why = "as many stages as fit cover the memory's latency best"; } );
maps = (
  { name = "x_map"; operand = "X"; box = ["IT", "PT", "QT", "BK"]; steps = ["1", "STRIDE_H", "STRIDE_W", "1"]; swizzle = "128"; },
  { name = "f_map"; operand = "F"; box = ["W_IS_KN + !W_IS_KN * BN", "1", "!W_IS_KN + W_IS_KN * BK", "W_BOX"]; swizzle = "W_SPAN"; } );
serves = "G == 1 || C >= 16"; # of few channels a group has far less work than a tile
# Items, boxes and steps are counted in 31 bits.
launch = { x = "GRID * !(TILES * SLICES >= 2147483648 || BOXES * BM >= 2147483648 || SUM_STEPS >= 2147483648)"; z = "1";
           cluster = "CLUSTERED * SPLITK"; threads = "NT"; smem = "SMEM"; };
derived = (
  { name = "BOXES"; expr = "ceil_div(N, IT) * ceil_div(P, PT) * ceil_div(Q, QT)"; doc = "of pixels"; },
  { name = "TILE_ROWS"; expr = "BM"; doc = "rows of a tile"; },
  { name = "TILE_COLS"; expr = "BN"; doc = "filters of a tile"; },
  { name = "TILE_SUM"; expr = "BK"; doc = "channels of a step"; },
  { name = "TILES"; expr = "G * BOXES * ceil_div(K, BN)"; doc = "of all groups"; },
  { name = "SUM_STEPS"; expr = "R * S * ceil_div(C, BK)"; doc = "steps of a tile"; },
  { name = "STEP_FLOPS"; expr = "2 * BM * BN * BK"; doc = "operations of a step"; },
  { name = "STEP_READS"; expr = "(X_ROWS + BN) * BK"; doc = "elements that a step reads"; },
  { name = "TILE_READS"; expr = "(X_ROWS + BN) * (R * S * C)"; doc = "elements that a tile reads"; },
  { name = "SLOWER";
    expr = "256 * (C % 8 > 0 || G > 1 && C % BK > 0 || (LAYOUT_F_RSCK && G * K % 8 > 0) || STRIDE_H > 8 || STRIDE_W > 8 || PT * STRIDE_H > 256 || QT * STRIDE_W > 256)";
    doc = "where TMA cannot copy, elements are copied one by one"; } );
tile = { N = "IT"; G = "1"; H = "PT"; W = "QT"; C = "BK"; K = "BN"; R = "1"; S = "1"; };
*/
