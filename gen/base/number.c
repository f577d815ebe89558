/* SPDX-License-Identifier: Apache-2.0
 *
 * number: rounds to a count of digits, and chooses the unit that leaves at least one before the point.
 */
#include "gen/base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double size;
    const char *name;
} Unit;

static int exponent_of(double v, int digits)
{
    char s[64];
    snprintf(s, sizeof s, "%.*e", digits - 1, v);
    return atoi(strchr(s, 'e') + 1);
}

char *number_sig(Arena *a, double v, int digits)
{
    if (!isfinite(v) || v == 0)
        return arena_strdup(a, v == 0 ? "0" : "-");
    int e = exponent_of(v, digits);
    if (e < -4 || e > 14)
        return arena_printf(a, "%.*e", digits - 1, v);
    return arena_printf(a, "%.*f", e < digits - 1 ? digits - 1 - e : 0, v);
}

/* In the largest unit of which there is at least one after rounding. */
static char *text_in_unit(Arena *a, double v, const Unit *unit, size_t nunit)
{
    while (nunit > 1 && v < unit->size * 0.9995) { /* three digits: 0.9995 is shown as 1.00 */
        unit++;
        nunit--;
    }
    return isfinite(v) ? arena_printf(a, "%s %s", number_sig(a, v / unit->size, 3), unit->name) : arena_strdup(a, "-");
}

char *number_time(Arena *a, double ns)
{
    static const Unit unit[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
    return text_in_unit(a, ns, unit, LENGTH(unit));
}

char *number_bytes(Arena *a, int64_t bytes)
{
    static const Unit unit[] = { { 1 << 30, "GiB" }, { 1 << 20, "MiB" }, { 1 << 10, "KiB" } };
    if (bytes < 1024)
        return arena_printf(a, "%" PRId64 " bytes", bytes);
    return text_in_unit(a, (double)bytes, unit, LENGTH(unit));
}

char *number_percent(Arena *a, double part)
{
    double percent = rint(part * 1000) / 10;
    return isfinite(part) ? arena_printf(a, "%.1f %%", percent == 0 ? 0.0 : percent) : arena_strdup(a, "-");
}

char *number_ratio(Arena *a, double v)
{
    static const double NEAR = 0.1;
    return isfinite(v) && fabs(v - 1) < NEAR ? arena_printf(a, "%.3f", v) : number_sig(a, v, 3);
}

char *number_count(Arena *a, int64_t n)
{
    char *digits = arena_printf(a, "%" PRId64, n);
    size_t len = strlen(digits), sign = n < 0, at = 0;
    char *out = arena_alloc(a, 2 * len + 1);
    for (size_t i = 0; i < len; i++) {
        if (i > sign && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return out;
}

const char *number_plural(int64_t n) { return n == 1 ? "" : "s"; }
