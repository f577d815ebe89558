/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "rows_resize";
op     = "resize_bilinear";
like   = "../resize/rows_resize.c";
values = ( { name = "IS_LINEAR"; expr = "1"; doc = "1: bilinear, 0: the nearest pixel"; } );
*/
