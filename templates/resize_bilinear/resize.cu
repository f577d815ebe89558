/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name   = "resize";
op     = "resize_bilinear";
like   = "../resize/resize.cu";
values = ( { name = "IS_LINEAR"; expr = "1"; doc = "1: bilinear, 0: the nearest pixel"; } );
*/
