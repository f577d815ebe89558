/* SPDX-License-Identifier: Apache-2.0
 *
 * synthetic_place: a small synthetic study, which is made before a test, or all of a file, and dropped behind it.
 */
#ifndef DCGEN_TESTS_SYNTHETIC_PLACE_H
#define DCGEN_TESTS_SYNTHETIC_PLACE_H

#include "tests/gen/synthetic.h"

static Synthetic y;

static inline int make(void **state) { return synthetic_make(&y, synthetic_spec, 4) ? 0 : -1; }

static inline int drop(void **state)
{
    arena_free(y.arena);
    return 0;
}

#endif
