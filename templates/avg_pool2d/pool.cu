/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "pool";
op     = "avg_pool2d";
like   = "../pool/pool.cu";
values = ( { name = "IS_MAX"; expr = "0"; doc = "1: the largest of a window, 0: the mean"; } );
*/
