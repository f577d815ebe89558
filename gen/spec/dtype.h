/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: the element types of operands, one row each. It says how an element is stored, and how far a correct kernel's
 * result may be off.
 */
#ifndef DCGEN_DTYPE_H
#define DCGEN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Dtype {
    const char *name;   /* "bf16" */
    const char *macro;  /* "BF16": templates see DTYPE_BF16, references DCGEN_DTYPE_BF16 */
    const char *stored; /* the row of how an element is stored: "f32" of tf32 */
    const char *c_type; /* of an element in generated code; 16-bit types are raw bits there */
    size_t bytes;
    double eps_in;          /* relative error of inputs as the arithmetic rounds them; 0: it takes them as they are */
    double eps_acc;         /* unit roundoff of products and sums */
    double eps_out;         /* unit roundoff of the stored result, when it is coarser than that of the sums */
    double tiny;            /* largest rounding error of a stored denormal, when it matters */
    int mantissa, exponent; /* bits of a 16-bit type; 0: it is none */
    bool is_integer;
} Dtype;

enum { DTYPE_SPEC_COUNT = 4, DTYPE_COUNT }; /* the first rows are what a spec may compute in */
extern const Dtype dtypes[DTYPE_COUNT];
const Dtype *dtype_find(const char *name); /* NULL: unknown */

/* Element i of an operand that begins at p. */
double dtype_load(const Dtype *t, const void *p, int64_t i);
void dtype_store(const Dtype *t, void *p, int64_t i, double v); /* rounds to nearest even */

/* The largest number that it has. */
double dtype_largest(const Dtype *t);
/* How far a result y may be from the exact one: `terms` rounded operations on terms whose magnitudes sum up to
 * `bound`. Errors of different terms are independent, hence the roots. */
double dtype_tolerance(const Dtype *t, double terms, double bound, double y);

#endif
