/* SPDX-License-Identifier: Apache-2.0
 *
 * record_rules: see record_rules.h.
 */
#include "search/record/record_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/record/samples.h"

enum { NAME_BYTES = 128, WHY_BYTES = 1000, FREE_BYTES = 4000, CORES_MAX = 1 << 20 };

#define BYTES_MAX (INT64_C(1) << 50)
#define EXTENT_MAX (INT64_C(1) << 48)
#define RATE_MAX 1e20 /* operations or bytes a second */
#define NS_MIN 1e-3   /* nothing takes less */
#define NS_MAX 1e15   /* eleven days */

static const char *const STATUS_NAMES[STATUS_COUNT] = {
    [STATUS_OK] = "ok",       [STATUS_INVALID] = "invalid", [STATUS_BUILD_FAILED] = "build_failed",
    [STATUS_WRONG] = "wrong", [STATUS_CRASHED] = "crashed", [STATUS_TIMED_OUT] = "timed_out",
};

const char *status_name(Status s) { return (unsigned)s < STATUS_COUNT ? STATUS_NAMES[s] : "unknown"; }

static const char *const LEVEL_NAMES[LEVEL_COUNT] = {
    [LEVEL_L1] = "l1", [LEVEL_L2] = "l2", [LEVEL_L3] = "l3", [LEVEL_MEMORY] = "memory"
};

const char *level_name(Level level) { return (unsigned)level < LEVEL_COUNT ? LEVEL_NAMES[level] : "unknown"; }

Status status_find(const char *name)
{
    int s = 0;
    while (s < STATUS_COUNT && strcmp(STATUS_NAMES[s], name) != 0)
        s++;
    return (Status)s;
}

/* ---- what is wrong with a record ---- */

/* Safe as a file name and as a word of a command line too. */
static bool is_name(const char *s)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    return s && *s && *s != '.' && *s != '-' && s[strspn(s, allowed)] == '\0' && strlen(s) <= NAME_BYTES;
}

static bool within(int64_t v, int64_t low, int64_t high) { return low <= v && v <= high; }

static bool isa_wrong(const Device *d)
{
    if (!within(d->nisa, 0, DEVICE_MAX_ISA))
        return true;
    for (int i = 0; i < d->nisa; i++)
        if (!is_name(d->isa[i]))
            return true;
    return false;
}

const char *device_wrong(const Device *d)
{
    if (!is_name(d->id))
        return "id is not a name";
    if (!d->name || !d->compiler || !d->flags)
        return "name, compiler or flags is missing";
    if (!is_name(d->arch))
        return "arch is not a name";
    if (!within(d->cores, 0, CORES_MAX))
        return "cores is out of range";
    if (!within(d->l1_bytes, 0, BYTES_MAX) || !within(d->l2_bytes, 0, BYTES_MAX) || !within(d->l3_bytes, 0, BYTES_MAX))
        return "the size of a cache is out of range";
    return isa_wrong(d) ? "isa is not a list of at most 8 names" : NULL;
}

static bool params_wrong(const Param *param, int n, int max)
{
    if (!within(n, 0, max))
        return true;
    for (int i = 0; i < n; i++) {
        if (!is_name(param[i].name))
            return true;
        for (int j = 0; j < i; j++)
            if (strcmp(param[i].name, param[j].name) == 0)
                return true;
    }
    return false;
}

const char *kernel_wrong(const KernelRecord *k)
{
    const struct {
        const char *value, *why;
    } names[] = {
        { k->key, "key is not a name" },
        { k->device, "device is not a name" },
        { k->op, "op is not a name" },
        { k->dtype, "dtype is not a name" },
        { k->template_name, "template is not a name" },
        { k->template_hash, "template_hash is not a name" },
        { k->target, "target is not a name" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!is_name(names[i].value))
            return names[i].why;
    if (params_wrong(k->param, k->nparam, RECORD_MAX_PARAM))
        return "params is not a group of at most 24 integers, each with its own name";
    if (params_wrong(k->fact, k->nfact, RECORD_MAX_FACT))
        return "facts is not a group of at most 16 integers, each with its own name";
    if ((unsigned)k->status >= STATUS_COUNT)
        return "status is unknown";
    if (!within(k->code_bytes, 0, BYTES_MAX))
        return "code_bytes is out of range";
    if (k->n < 0)
        return "n is negative";
    return k->why ? NULL : "why is missing";
}

static bool extents_wrong(const MeasureRecord *m)
{
    if (!within(m->naxis, 1, RECORD_MAX_AXIS))
        return true;
    for (int i = 0; i < m->naxis; i++)
        if (!within(m->extent[i], 0, EXTENT_MAX))
            return true;
    return false;
}

static bool samples_wrong(const MeasureRecord *m)
{
    if (!within(m->nsample, 0, RECORD_MAX_SAMPLE))
        return true;
    for (int i = 0; i < m->nsample; i++)
        if (!(m->ns[i] >= NS_MIN && m->ns[i] <= NS_MAX))
            return true;
    return false;
}

const char *measure_wrong(const MeasureRecord *m)
{
    if (!is_name(m->key))
        return "key is not a name";
    if (!is_name(m->device))
        return "device is not a name";
    if (extents_wrong(m))
        return "extent is not a list of 1 to 6 sizes";
    if (!within(m->threads, 1, CORES_MAX))
        return "threads is out of range";
    if ((unsigned)m->status >= STATUS_COUNT)
        return "status is unknown";
    if (samples_wrong(m))
        return "ns is not a list of at most 64 positive times";
    if (!isfinite(m->anchor_ns) || m->anchor_ns < 0)
        return "anchor_ns is not a time";
    if (!isfinite(m->cold_ns) || m->cold_ns < 0)
        return "cold_ns is not a time";
    if (!isfinite(m->library_ns) || m->library_ns < 0)
        return "library_ns is not a time";
    if (m->max_err < 0)
        return "max_err is negative";
    if (m->status == STATUS_OK && !(m->max_err <= 1))
        return "max_err is over the limit, yet status is ok";
    return m->why ? NULL : "why is missing";
}

const char *limit_wrong(const LimitRecord *l)
{
    if (!is_name(l->device))
        return "device is not a name";
    if (!is_name(l->target))
        return "target is not a name";
    if (!is_name(l->dtype))
        return "dtype is not a name";
    if (!within(l->threads, 1, CORES_MAX))
        return "threads is out of range";
    if (!(l->flops_per_s > 0 && l->flops_per_s <= RATE_MAX))
        return "flops_per_s is not a rate";
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (!(l->bytes_per_s[i] >= 0 && l->bytes_per_s[i] <= RATE_MAX))
            return "bytes_per_s is not a group of rates";
    const double more[] = { l->clock_mhz, l->launch_ns, l->handover_ns };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (!(more[i] >= 0 && more[i] <= RATE_MAX))
            return "clock_mhz, launch_ns or handover_ns is not a number from 0 on";
    return NULL;
}

/* ---- copies ---- */

/* Typographic quotes, as compilers print them. */
static char quote_of(const char *s)
{
    static const struct {
        const char *utf8;
        char ascii;
    } quotes[] = {
        { "\xe2\x80\x98", '\'' },
        { "\xe2\x80\x99", '\'' },
        { "\xe2\x80\x9c", '"' },
        { "\xe2\x80\x9d", '"' },
    };
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (strncmp(s, quotes[i].utf8, 3) == 0)
            return quotes[i].ascii;
    return '?';
}

void plain_copy(char *out, const char *s, size_t max)
{
    size_t n = 0;
    for (; *s && n < max; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\t' || c == '\n' || c == '\r')
            out[n++] = ' ';
        else if (c >= 0x20 && c < 0x7f)
            out[n++] = *s;
        else if (c < 0x80 || c >= 0xc0) /* one mark a character: its further bytes are dropped */
            out[n++] = quote_of(s);
    }
    out[n] = '\0';
}

static char *text_plain(Arena *a, const char *s, size_t max)
{
    char *out = arena_alloc(a, strnlen(s, max) + 1); /* no character becomes longer */
    plain_copy(out, s, strnlen(s, max));
    return out;
}

/* To the digits that are written; both conversions use one locale, whichever it is. */
static double rounded(double v)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.*g", RECORD_DIGITS, v);
    return strtod(digits, NULL);
}

Device device_copy(Arena *a, const Device *d)
{
    Device c = *d;
    c.id = arena_strdup(a, d->id);
    c.name = text_plain(a, d->name, FREE_BYTES);
    c.arch = arena_strdup(a, d->arch);
    c.compiler = text_plain(a, d->compiler, FREE_BYTES);
    c.flags = text_plain(a, d->flags, FREE_BYTES);
    for (int i = 0; i < DEVICE_MAX_ISA; i++)
        c.isa[i] = i < d->nisa ? arena_strdup(a, d->isa[i]) : NULL;
    return c;
}

KernelRecord kernel_copy(Arena *a, const KernelRecord *k)
{
    KernelRecord c = *k;
    c.key = arena_strdup(a, k->key);
    c.device = arena_strdup(a, k->device);
    c.op = arena_strdup(a, k->op);
    c.dtype = arena_strdup(a, k->dtype);
    c.template_name = arena_strdup(a, k->template_name);
    c.template_hash = arena_strdup(a, k->template_hash);
    c.target = arena_strdup(a, k->target);
    c.why = text_plain(a, k->why, WHY_BYTES);
    for (int i = 0; i < k->nparam; i++)
        c.param[i].name = arena_strdup(a, k->param[i].name);
    for (int i = 0; i < k->nfact; i++)
        c.fact[i].name = arena_strdup(a, k->fact[i].name);
    return c;
}

MeasureRecord measure_copy(Arena *a, const MeasureRecord *m)
{
    MeasureRecord c = *m;
    c.key = arena_strdup(a, m->key);
    c.device = arena_strdup(a, m->device);
    c.why = text_plain(a, m->why, WHY_BYTES);
    c.nfact = 0;
    for (int i = 0; i < RECORD_MAX_AXIS; i++)
        c.extent[i] = i < m->naxis ? m->extent[i] : 0;
    for (int i = 0; i < RECORD_MAX_SAMPLE; i++)
        c.ns[i] = i < m->nsample ? rounded(m->ns[i]) : 0;
    c.median_ns = rounded(samples_median(c.ns, c.nsample));
    c.spread = rounded(samples_spread(c.ns, c.nsample));
    c.anchor_ns = rounded(m->anchor_ns);
    const double reference_ns = c.anchor_ns > 0 ? c.anchor_ns : samples_least(c.ns, c.nsample);
    c.time_ns = samples_time(c.ns, c.nsample, reference_ns <= SAMPLES_REST_NS);
    c.cold_ns = rounded(m->cold_ns);
    c.library_ns = rounded(m->library_ns);
    c.max_err = isfinite(m->max_err) ? rounded(m->max_err) : INFINITY;
    return c;
}

LimitRecord limit_copy(Arena *a, const LimitRecord *l)
{
    LimitRecord c = *l;
    c.device = arena_strdup(a, l->device);
    c.target = arena_strdup(a, l->target);
    c.dtype = arena_strdup(a, l->dtype);
    c.flops_per_s = rounded(l->flops_per_s);
    for (int i = 0; i < LEVEL_COUNT; i++)
        c.bytes_per_s[i] = rounded(l->bytes_per_s[i]);
    c.clock_mhz = rounded(l->clock_mhz);
    c.launch_ns = rounded(l->launch_ns);
    c.handover_ns = rounded(l->handover_ns);
    return c;
}
