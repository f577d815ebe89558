/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_place: what tests of units have in common: the targets, specs of dense, and the contexts of their units.
 */
#ifndef DCGEN_TEST_UNIT_PLACE_H
#define DCGEN_TEST_UNIT_PLACE_H

#include "tests/test.h"
#include "gen/base/text.h"
#include "gen/unit/unit.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"

static TargetList targets;

static int make(void **state)
{
    if (place_setup(state))
        return -1;
    return target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)) ? 0 : -1;
}

/* Of a function that says no more than its op and shapes, and `rest`. */
static inline const Spec *read_spec(const char *rest)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/tests/operators", DCGEN_SOURCE_DIR "/templates" };
    return spec_good(arena, rest, folders, 2);
}

static inline const Spec *spec_of(const char *rest)
{
    return read_spec(
        arena_printf(arena, "name = \"one\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); %s", rest));
}

static inline UnitContext context_for(const char *target, const Spec *s)
{
    return (UnitContext){ s, NULL, &targets, DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, target) };
}

static inline UnitContext context_of(const char *target, const char *rest)
{
    return context_for(target, spec_of(rest));
}

/* The spec with other folders of templates, the last being dcgen's own. */
static inline const Spec *spec_in(const Spec *s, const char *const *folder, int n)
{
    Spec *copy = ARENA_NEW(arena, Spec);
    const char **list = ARENA_ARRAY(arena, (size_t)n, const char *);
    memcpy(list, folder, (size_t)n * sizeof *list);
    *copy = *s;
    copy->templates = list;
    copy->ntemplates = n;
    return copy;
}

#define LICENCE "/* SPDX-License-Identifier: MIT-0 */\n"

#endif
