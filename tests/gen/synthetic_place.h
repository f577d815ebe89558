/* SPDX-License-Identifier: Apache-2.0
 *
 * synthetic_place: the place of tests that need no more than a small synthetic study: it is made before a test, or a group of them, and dropped
 * behind it.
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
