/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "packed_planes_conv";
op      = "conv2d";
like    = "planes_conv.c";
doc     = "planes_conv with packed filters";
packed  = true;
layouts = { X = ["NCHW"]; Y = ["NCHW"]; };
*/
