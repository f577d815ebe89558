/* SPDX-License-Identifier: Apache-2.0
 *
 * name: which names may stand in generated code.
 */
#ifndef DCGEN_NAME_H
#define DCGEN_NAME_H

#include <stdbool.h>

enum { NAME_MAX_LENGTH = 64 };

/* NULL when `name` may be an identifier in C and in C++, else what is wrong with it: "is a keyword of C++". */
const char *name_fault(const char *name);

/* The same for a package's name, which is a function of the package and the name of its folder too. */
const char *name_package_fault(const char *name);

#endif
