/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "mma_conv";
op      = "conv2d";
like    = "../gemm/mma_gemm.cu";
doc     = "implicit GEMM on tensor cores by mma.sync, pixels by filters of a group: BM x BN tiles in shared memory, WM x WN in registers";
layouts = { X = ["NHWC", "NCHW"]; Y = ["NHWC"]; F = ["KRSC", "RSCK"]; };
params  = ( { name = "FIXED_K"; choices = [0]; doc = "the sum's length is the caller's"; } );
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_F_RSCK"; doc = "F stands in W's place: filters along n, taps and channels along k"; },
  { name = "NEED";    expr = "WM * WN / 32 + HELD + 40 + 12 * (ROW == 128) * (SPLITK > 1)";
    doc = "registers of a thread: sums, two steps' operands, addresses, pixels"; },
  { name = "SMEM";
    expr = "max(max(STAGES * TILE, !STAGED * BM * Y_PITCH) * ELEM_BYTES, STAGED * BM / ROUNDS * F_PITCH * 4) + 16 * BM";
    doc = "bytes of shared memory of a block: the stages, then where the tile's pixels lie"; } );
launch = { x = "TILES * (N * P * Q < 2147483648) * (R * S * C < 2147483648)"; }; # pixels and k are counted in 31 bits
derived = (
  { name = "FITS"; expr = "LAYOUT_X_NHWC && ALIGN % COPIED == 0 && C % WIDTH == 0 && (LAYOUT_F_KRSC || G == 1 || K % WIDTH == 0)";
    doc = "channels lie side by side, and all taps of X and F begin and end at multiples of so many bytes"; },
  # A tile has pixels of all images.
  { name = "TILE_ROWS"; expr = "BM"; doc = "pixels of a tile"; },
  { name = "TILE_COLS"; expr = "BN"; doc = "filters of a tile"; },
  { name = "TILE_SUM"; expr = "BK"; doc = "values of k of a step"; },
  { name = "TILES"; expr = "G * ceil_div(N * P * Q, BM) * ceil_div(K, BN)"; doc = "of all groups"; },
  { name = "SUM_STEPS"; expr = "ceil_div(R * S * C, BK)"; doc = "steps of a tile"; },
  { name = "STEP_FLOPS"; expr = "2 * BM * BN * BK"; doc = "operations of a step"; },
  { name = "STEP_READS"; expr = "(BM + BN) * BK"; doc = "elements that a step reads"; },
  { name = "TILE_READS"; expr = "(BM + BN) * (R * S * C)"; doc = "elements that a tile reads"; },
  # As in dense; counted in PTX, 25 more for the taps, 12 for a pixel that is copied: an LDS.128, its address, bounds. A single element is 18.
  { name = "ISSUE";
    expr = "KSTEPS * (PRODUCTS + MTILES + NTILES * (1 + 3 * W_IS_KN * WORDS) / 2) + 36 + 25"
           " + (1 + 18 * (ALIGNED < 16)) * TILE * ELEM_BYTES / 4 / NT + 12 * (1 + 3 * (ALIGNED < 16) + 8 * ODD) * BM * BK / (QUAD * NT)";
    doc = "instructions of a warp for a block of k"; } );
tile = { N = "1"; G = "1"; H = "1"; W = "BM"; C = "BK"; K = "BN"; R = "1"; S = "1"; };
*/
