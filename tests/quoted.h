/* SPDX-License-Identifier: Apache-2.0
 *
 * quoted: JSON that stands in C with single quotes, as these need no escapes. Texts last as long as the program.
 */
#ifndef DCGEN_TEST_QUOTED_H
#define DCGEN_TEST_QUOTED_H

#include "tests/kept_list.h"

/* The text with double quotes for single ones. */
static inline char *quoted(const char *text)
{
    char *t = kept(text, strlen(text) + 1);
    for (char *c = t; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return t;
}

#endif
