/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: the arena that each test of a program has for itself, or all of them together.
 */
#ifndef DCGEN_TEST_ARENA_H
#define DCGEN_TEST_ARENA_H

#include "gen/base/arena.h"

static Arena *arena;

static int setup(void **state)
{
    arena = arena_new();
    return 0;
}

static int teardown(void **state)
{
    arena_free(arena);
    return 0;
}

#endif
