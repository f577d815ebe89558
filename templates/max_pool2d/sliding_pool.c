/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "sliding_pool";
op     = "max_pool2d";
like   = "../pool/sliding_pool.c";
values = ( { name = "IS_MAX"; expr = "1"; doc = "1: the largest of a window, 0: the mean"; } );
*/
