/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "planes_pool";
op     = "max_pool2d";
like   = "../pool/planes_pool.c";
values = ( { name = "IS_MAX"; expr = "1"; doc = "1: the largest of a window, 0: the mean"; } );
*/
