/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "any resizing, slowly, element by element: for calls that no other kernel serves";
dtypes  = ["f32"];
params  = ();
values  = (
  { name = "IS_LINEAR"; expr = "1";            doc = "1: bilinear, 0: the nearest pixel"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
general = ( { target = ["avx512", "avx2", "portable"]; } );
tile    = { N = "1"; C = "LANES"; H = "1"; W = "1"; P = "1"; Q = "LANES"; };
own_terms = true;
terms   = ( { name = "elements"; expr = "2000 * THREADS + 60 * N * P * Q * C / THREADS"; doc = "cycles: quotients for each element"; } );
*/
#ifndef DCGEN /* to compile this file as it stands */
#include "standalone.h"
#endif
/* KERNEL: elements of Y one by one; the formula on a vector of those along its last extent. */
#include "place.h"

#include "../image/element.h"

static TARGET_ATTRIBUTE float KERNEL_element(const NAME_args *a, int64_t n, int64_t p, int64_t q, int64_t c)
{
    const KERNEL_place row = KERNEL_place_of(a, p, a->P, a->H), column = KERNEL_place_of(a, q, a->Q, a->W);
#if IS_LINEAR
    const float above = KERNEL_near(&column) * KERNEL_x(a, n, row.first, column.first, c) + KERNEL_far(&column) * KERNEL_x(a, n, row.first, column.second, c);
    const float below = KERNEL_near(&column) * KERNEL_x(a, n, row.second, column.first, c) + KERNEL_far(&column) * KERNEL_x(a, n, row.second, column.second, c);
    return KERNEL_near(&row) * above + KERNEL_far(&row) * below;
#else
    return KERNEL_x(a, n, row.first, column.first, c);
#endif
}

#include "../image/elements.h"
