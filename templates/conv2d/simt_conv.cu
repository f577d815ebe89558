/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "simt_conv";
op      = "conv2d";
like    = "../gemm/simt_gemm.cu";
doc     = "implicit GEMM in fp32 on the FMA units, pixels by filters of a group: BM x BN tiles in shared memory, TM x TN in registers";
layouts = { X = ["NHWC", "NCHW"]; Y = ["NHWC"]; F = ["KRSC", "RSCK"]; };
params  = ( { name = "FIXED_K"; choices = [0]; doc = "the sum's length is the caller's"; } );
values  = (
  { name = "W_IS_KN"; expr = "LAYOUT_F_RSCK"; doc = "F stands in W's place: filters along n, taps and channels along k"; },
  { name = "SMEM"; expr = "SHARED * 4 + 16 * BM";
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
  # As in dense; counted in PTX, 25 more for the taps, 12 for a pixel that is copied: an LDS.128, its address, bounds.
  { name = "ISSUE";
    expr = "(4 * TM * TN + TM + TN + W_IS_KN * (VN == 2) * TN) * OWN_CHUNKS + (1 + 17 * (ALIGNED == 0)) * TILE / NT + 34"
           " + 6 * OWN_CHUNKS / UNROLL + 25 + 12 * (1 + 3 * (ALIGNED == 0)) * BM * BK / (4 * NT)";
    doc = "instructions of a warp for a block of k"; },
  { name = "FIRST"; expr = "2100 + 3 * BM * BN / 10"; doc = "cycles until the first stage is there, with where the tile's pixels lie, and to store it"; } );
tile = { N = "1"; G = "1"; H = "1"; W = "BM"; C = "BK"; K = "BN"; R = "1"; S = "1"; };
*/
