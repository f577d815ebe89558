/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_limits: the kernels that measure what a device does at most (templates/device/limits.cu), as one text to be compiled: it needs no
 * file beside it. Each `#include "NAME.cuh"` becomes the primitive of that name.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/unit/unit.h"

static const char *read_device_file(Arena *a, const UnitContext *u, const char *name, Diag *d)
{
    size_t len;
    const char *path = arena_printf(a, "%s/../device/%s", u->package_dir, name);
    const char *text = text_read_file(a, path, &len);
    if (!text)
        diag_error(d, (Loc){ 0 }, "cannot read %s", path);
    return text;
}

/* The primitive that a line includes; NULL: it includes none. */
static const char *included(Arena *a, const char *line, size_t len)
{
    static const char before[] = "#include \"", after[] = ".cuh\"";
    const size_t nbefore = sizeof before - 1, nafter = sizeof after - 1;
    const bool is =
        len > nbefore + nafter && memcmp(line, before, nbefore) == 0 && memcmp(line + len - nafter, after, nafter) == 0;
    return is ? arena_strndup(a, line + nbefore, len - nbefore - 1) : NULL;
}

char *unit_limits(Arena *a, const UnitContext *u, Diag *d)
{
    const char *limits = u->target->family->limits, *text = limits ? read_device_file(a, u, limits, d) : NULL;
    Text t = { .arena = a };
    text_printf(&t, "#define SM_ARCH %" PRId64 "\n", target_number(u->target, "SM_ARCH"));
    for (const char *line = text; line && *line;) {
        const size_t len = strcspn(line, "\n");
        const char *name = included(a, line, len);
        const char *body = name ? read_device_file(a, u, name, d) : arena_strndup(a, line, len);
        if (!body)
            return NULL;
        text_printf(&t, "%s\n", body);
        line += len + (line[len] == '\n');
    }
    return text ? arena_strdup(a, text_str(&t)) : NULL;
}
