/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "sliding_pool";
op     = "avg_pool2d";
like   = "../pool/sliding_pool.c";
values = ( { name = "IS_MAX"; expr = "0"; doc = "1: the largest of a window, 0: the mean"; } );
*/
