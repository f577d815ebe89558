/* SPDX-License-Identifier: Apache-2.0
 *
 * name: which names may stand in generated code.
 */
#ifndef DCGEN_NAME_H
#define DCGEN_NAME_H

#include <stdbool.h>
#include "gen/base/arena.h"

enum { NAME_MAX_LENGTH = 64 };

/* NULL when `name` may be an identifier in C and in C++, else what is wrong with it: "is a keyword of C++". */
const char *name_fault(const char *name);

/* As name_fault, for an argument of the package's functions: an axis or an operand of an op. What the package itself
 * has is not known here (gen/unit/unit_names.c). */
const char *name_argument_fault(const char *name);

/* As name_fault, for a tensor or a dim of a model: a member of structs in the package's header. */
const char *name_member_fault(const char *name);

/* Capital letters, digits and '_' alone, beginning with a letter, as names that heads of templates declare are. */
bool name_is_capitals(const char *name);

/* Is the word of n letters among these, which have blanks around them, also the first and the last? */
bool name_is_among(const char *words, const char *word, size_t n);

/* As name_fault, for a package's name, which is a function, a header, a library and a target of CMake too. */
const char *name_package_fault(const char *name);
/* A name that a package can have and that is much like `name`, which is an identifier. */
char *name_package_like(Arena *a, const char *name);

#endif
