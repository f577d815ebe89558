/* SPDX-License-Identifier: Apache-2.0
 *
 * storage: how an element of an operand is stored, one row for each way. What is computed with elements is another
 * question (dtype.h).
 */
#ifndef DCGEN_STORAGE_H
#define DCGEN_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Real numbers are a sign bit, then the exponent, then the mantissa. */
typedef enum { NUMBER_REAL, NUMBER_SIGNED, NUMBER_UNSIGNED } NumberKind;

typedef struct Storage {
    const char *name;   /* "f16" */
    const char *c_type; /* of an element in generated code: "unsigned short" */
    const char *loader; /* what ends the name of the function that loads a vector of them: "_f16"; "": it is `load` */
    size_t bytes;
    NumberKind kind;
    int exponent, mantissa; /* bits of a real number */
    bool is_finite;         /* has no infinities: only the pattern of most digits is no number, as of e4m3 */
    bool is_raw; /* C has no such numbers: generated code holds their bits, and f16_of and f16_to_float convert them */
} Storage;

enum { STORED_F32, STORED_F16, STORED_BF16, STORED_S32, STORAGE_COUNT };
extern const Storage storages[STORAGE_COUNT];
const Storage *storage_find(const char *name); /* NULL: unknown */

/* Is it of whole numbers, which formulas compute with as integers? */
bool storage_is_whole(const Storage *s);

/* Element i of an operand that begins at p. */
double storage_load(const Storage *s, const void *p, int64_t i);
/* Rounds to nearest even. What is too large becomes infinite, or the largest number where there is no infinity. */
void storage_store(const Storage *s, void *p, int64_t i, double v);

/* The largest number that it has, and the least above 0. */
double storage_largest(const Storage *s);
double storage_least(const Storage *s);
/* The part of a number that rounding may change it by; 0: whole numbers are rounded by half of `least`. */
double storage_roundoff(const Storage *s);

#endif
