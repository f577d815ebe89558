/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_limits: the kernels that measure what a device does at most (templates/device/limits.cu), as one text to be compiled: it needs no
 * file beside it. Each `#include "NAME.cuh"` becomes the primitive of that name.
 */
#include "gen/base/conf.h"
#include "gen/unit/unit.h"

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    const char *limits = u->target->family->limits;
    FillScope *words = fill_scope(a, NULL);
    Fill fill = { .scope = words };
    char **path;
    if (!limits || !unit_primitives(a, u, &path, &fill.npiece))
        return NULL;
    const Source *src = conf_source(a, arena_printf(a, "%s/../device/%s", u->package_dir, limits), d);
    const Source **piece = ARENA_ARRAY(a, (size_t)fill.npiece + 1, const Source *);
    for (int i = 0; i < fill.npiece; i++)
        if (!(piece[i] = conf_source(a, path[i], d)))
            return NULL;
    fill.piece = piece;
    fill_number(words, "SM_ARCH", target_number(u->target, "SM_ARCH"));
    return src ? fill_text(a, src, 0, &fill, d) : NULL;
}
