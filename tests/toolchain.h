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

/* A builder with cc; NULL: with flags that let no warning pass. */
static inline Builder *builder_c(Arena *a, const char *const *flags)
{
    static const char *const strict[] = { "-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", NULL };
    const char *err = NULL;
    const Toolchain cc = toolchain_c(a, "cc", flags ? flags : strict);
    Builder *b = builder_new(a, &cc, 1, 60, NULL, &err);
    if (!b)
        fail_msg("%s", err);
    return b;
}

#endif
