/* SPDX-License-Identifier: Apache-2.0
 *
 * toolchain: a C compiler that makes shared objects with the flags that a test asks for, not with those of packages.
 */
#ifndef DCGEN_TEST_TOOLCHAIN_H
#define DCGEN_TEST_TOOLCHAIN_H

#include "search/build/build.h"

static inline Toolchain toolchain_c(Arena *a, const char *cc, const char *const *flags)
{
    Family f = family_cpu;
    f.compiler.shipped = flags;
    return toolchain_make(a, cc, &f, "", false);
}

#endif
