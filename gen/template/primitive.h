/* SPDX-License-Identifier: Apache-2.0
 *
 * primitive: small functions that kernels call. For GPUs those that have all inline PTX in them (templates/device), for CPUs functions on vectors
 * (templates/vector). A text calls them by their names, and they call each other.
 */
#ifndef DCGEN_PRIMITIVE_H
#define DCGEN_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/diag.h"
#include "gen/spec/spec.h"
#include "gen/target/family.h"

/* Primitives in the order that C++ wants: each behind those that it uses. */
typedef struct {
    Arena *arena;
    const FamilyPrimitives *kind;
    const char *folder;
    Diag *diag;
    size_t n;
    const char **name;
} Primitives;

const char *primitive_path(const Primitives *p, const char *name);
/* Adds the primitives that a text calls, and those that these call. In the text their names stand between `before` and `behind`. They are added in the
 * order of their names, so that equal sets give equal texts. */
void primitives_add(Primitives *p, const char *text, const char *before, const char *behind);
/* Does a key depend on all primitives of the family? Else it depends on those that the template calls. */
bool primitives_all_count(const Family *f, const Spec *spec);

#endif
