/* SPDX-License-Identifier: Apache-2.0
 *
 * reference_as: the definition of dense with names that end with AS, which is gone behind it: a file may have it for
 * several types.
 */
#define PASTE_NAMES(a, b) a##_##b
#define PASTE(a, b) PASTE_NAMES(a, b)
#define DCGEN_DTYPE PASTE(dcgen_as, AS)
#define w_at PASTE(w_at, AS)
#define dcgen_reference_terms PASTE(terms, AS)
#define dcgen_reference_rows PASTE(rows, AS)
#define dcgen_reference_check PASTE(check, AS)
#include "templates/dense/reference.c"
#undef PASTE_NAMES
#undef PASTE
#undef DCGEN_DTYPE
#undef w_at
#undef dcgen_reference_terms
#undef dcgen_reference_rows
#undef dcgen_reference_check
#undef AS
