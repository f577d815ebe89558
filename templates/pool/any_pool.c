/* SPDX-License-Identifier: MIT-0 */
/* dcgen
family  = "cpu";
doc     = "any pooling, slowly, element by element: for calls that no other kernel serves";
dtypes  = ["f32"];
params  = ();
values  = (
  { name = "IS_MAX"; expr = "0";               doc = "1: the largest of a window, 0: the mean"; },
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats in a vector"; } );
general = ( { target = ["avx512", "avx2", "portable"]; } );
tile    = { N = "1"; C = "LANES"; H = "1"; W = "LANES"; R = "1"; S = "1"; };
own_terms = true;
terms   = ( { name = "taps"; expr = "2000 * THREADS + N * P * Q * C * (R * S * 6 + 30) / THREADS"; doc = "cycles: each tap waits for the one before"; } );
*/
#ifndef DCGEN /* to compile this file as it stands */
#include "standalone.h"
#endif
/* KERNEL: elements of Y one by one; the formula on a vector of those along its last extent. */
#include "window.h"

#include "../image/element.h"

static TARGET_ATTRIBUTE float KERNEL_element(const NAME_args *a, int64_t n, int64_t p, int64_t q, int64_t c)
{
    const KERNEL_span rows = KERNEL_rows_of(a, p), columns = KERNEL_columns_of(a, q);
    const int64_t top = p * NAME_STRIDE_H(a) - NAME_PAD_T(a), left = q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    float acc = KERNEL_NOTHING;
    for (int64_t r = rows.first; r < rows.end; r++)
        for (int64_t s = columns.first; s < columns.end; s++) {
            const float x = KERNEL_x(a, n, top + r * NAME_DIL_H(a), left + s * NAME_DIL_W(a), c);
#if IS_MAX
            acc = x > acc ? x : acc;
#else
            acc += x;
#endif
        }
#if IS_MAX
    return acc;
#else
    return acc * KERNEL_part(a, rows.end - rows.first, a->R) * KERNEL_part(a, columns.end - columns.first, a->S);
#endif
}

#include "../image/elements.h"
