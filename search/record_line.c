/* SPDX-License-Identifier: Apache-2.0
 *
 * record_line: takes one line of a record file, gives a checked record or what is wrong with it; and back.
 * The same checks hold for what is read and for what is written, so that whatever is written can be read again.
 * Jansson bounds the nesting, refuses duplicate keys, NaN, infinities, bad UTF-8 and NUL, whatever the locale.
 */
#include "search/record_line.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/samples.h"

enum { NAME_BYTES = 128, WHY_BYTES = 1000, FREE_BYTES = 4000, CORES_MAX = 1 << 20, ISA_MAX = 8 };

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

/* STATUS_COUNT when there is no such status. */
static Status status_find(const char *name)
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
    if (!within(d->nisa, 0, ISA_MAX))
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

/* Free text may hold what a compiler or a stranger's file says: one plain line of at most `max` bytes comes out. */
static void plain_copy(char *out, const char *s, size_t max)
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
    for (int i = 0; i < ISA_MAX; i++)
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

/* ---- to JSON ---- */

static char *line_take(Arena *a, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS)) : NULL;
    char *line = text ? arena_strdup(a, text) : NULL;
    free(text);
    json_decref(object);
    return line;
}

char *device_line(Arena *a, const Device *d)
{
    json_t *isa = json_array();
    for (int i = 0; i < d->nisa; i++)
        json_array_append_new(isa, json_string(d->isa[i]));
    json_t *o = json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:o, s:s, s:s}", "v", RECORD_SCHEMA, "type",
                          "device", "id", d->id, "name", d->name, "arch", d->arch, "cores", d->cores, "l1_bytes",
                          (json_int_t)d->l1_bytes, "l2_bytes", (json_int_t)d->l2_bytes, "l3_bytes",
                          (json_int_t)d->l3_bytes, "isa", isa, "compiler", d->compiler, "flags", d->flags);
    if (o && d->modelled)
        json_object_set_new(o, "modelled", json_true());
    return line_take(a, o);
}

static json_t *params_json(const Param *param, int n)
{
    json_t *params = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(params, param[i].name, json_integer(param[i].value));
    return params;
}

char *kernel_line(Arena *a, const KernelRecord *k)
{
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:I}", "v", RECORD_SCHEMA, "type", "kernel",
                  "key", k->key, "device", k->device, "op", k->op, "dtype", k->dtype, "template", k->template_name,
                  "template_hash", k->template_hash, "target", k->target, "params", params_json(k->param, k->nparam),
                  "status", status_name(k->status), "code_bytes", (json_int_t)k->code_bytes);
    if (o && k->nfact)
        json_object_set_new(o, "facts", params_json(k->fact, k->nfact));
    if (o && k->n)
        json_object_set_new(o, "n", json_integer(k->n));
    if (o && k->again)
        json_object_set_new(o, "again", json_true());
    if (o)
        json_object_set_new(o, "why", json_string(k->why));
    return line_take(a, o);
}

/* median_ns and spread are written for people and other tools; reading takes them from the samples. */
char *measure_line(Arena *a, const MeasureRecord *m)
{
    json_t *extent = json_array(), *ns = json_array();
    for (int i = 0; i < m->naxis; i++)
        json_array_append_new(extent, json_integer(m->extent[i]));
    for (int i = 0; i < m->nsample; i++)
        json_array_append_new(ns, json_real(m->ns[i]));
    json_t *max_err = isfinite(m->max_err) ? json_real(m->max_err) : json_null();
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:o, s:i, s:s, s:o, s:f, s:f, s:f, s:o, s:b, s:s}", "v", RECORD_SCHEMA, "type",
                  "measure", "key", m->key, "device", m->device, "extent", extent, "threads", m->threads, "status",
                  status_name(m->status), "ns", ns, "median_ns", m->median_ns, "spread", m->spread, "anchor_ns",
                  m->anchor_ns, "max_err", max_err, "final", (int)m->final, "why", m->why);
    if (o && m->again)
        json_object_set_new(o, "again", json_true());
    if (o && m->cold_ns > 0)
        json_object_set_new(o, "cold_ns", json_real(m->cold_ns));
    if (o && m->library_ns > 0)
        json_object_set_new(o, "library_ns", json_real(m->library_ns));
    return line_take(a, o);
}

char *limit_line(Arena *a, const LimitRecord *l)
{
    json_t *rates = json_object();
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (l->bytes_per_s[i] > 0)
            json_object_set_new(rates, LEVEL_NAMES[i], json_real(l->bytes_per_s[i]));
    json_t *o = json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:f, s:o}", "v", RECORD_SCHEMA, "type", "limit", "device",
                          l->device, "target", l->target, "dtype", l->dtype, "threads", l->threads, "flops_per_s",
                          l->flops_per_s, "bytes_per_s", rates);
    const struct {
        const char *name;
        double value;
    } more[] = { { "clock_mhz", l->clock_mhz }, { "launch_ns", l->launch_ns }, { "handover_ns", l->handover_ns } };
    for (size_t i = 0; o && i < sizeof more / sizeof *more; i++)
        if (more[i].value > 0)
            json_object_set_new(o, more[i].name, json_real(more[i].value));
    return line_take(a, o);
}

/* ---- from JSON ---- */

/* Saturates what cannot fit an int: the checks refuse it then. */
static int to_int(json_int_t v) { return v < -1 ? -1 : v > INT32_MAX ? INT32_MAX : (int)v; }

/* The elements of a list, at most `max`; -1 when one is not of the wanted type or there are more. */
static int list_read(json_t *list, int max, bool (*take)(const json_t *element, void *out, int i), void *out)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > (size_t)max)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!take(json_array_get(list, i), out, (int)i))
            return -1;
    return (int)n;
}

static bool take_string(const json_t *e, void *out, int i)
{
    ((const char **)out)[i] = json_string_value(e);
    return json_is_string(e);
}

static bool take_integer(const json_t *e, void *out, int i)
{
    ((int64_t *)out)[i] = json_integer_value(e);
    return json_is_integer(e);
}

static bool take_number(const json_t *e, void *out, int i)
{
    ((double *)out)[i] = json_number_value(e);
    return json_is_number(e);
}

static int params_read(json_t *params, int max, Param *out)
{
    if (!json_is_object(params) || json_object_size(params) > (size_t)max)
        return -1;
    int n = 0;
    const char *name;
    json_t *value;
    json_object_foreach(params, name, value)
    {
        if (!json_is_integer(value))
            return -1;
        out[n++] = (Param){ name, json_integer_value(value) };
    }
    return n;
}

static const char *bad_because(Line *out, const json_error_t *error)
{
    plain_copy(out->text, error->text, sizeof out->text - 1);
    return out->why = out->text;
}

/* Each reads an object into a record whose strings are still the object's; NULL or what is wrong. */
static const char *device_read(Arena *a, json_t *o, Line *out)
{
    Device d = { 0 };
    json_t *isa = NULL;
    json_int_t cores = 0, l1 = 0, l2 = 0, l3 = 0;
    int modelled = 0;
    json_error_t error;
    if (json_unpack_ex(o, &error, 0, "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:s, s:s, s?b}", "id", &d.id, "name",
                       &d.name, "arch", &d.arch, "cores", &cores, "l1_bytes", &l1, "l2_bytes", &l2, "l3_bytes", &l3,
                       "isa", &isa, "compiler", &d.compiler, "flags", &d.flags, "modelled", &modelled) != 0)
        return bad_because(out, &error);
    d.cores = to_int(cores);
    d.l1_bytes = l1;
    d.l2_bytes = l2;
    d.l3_bytes = l3;
    d.modelled = modelled != 0;
    d.nisa = list_read(isa, ISA_MAX, take_string, d.isa);
    const char *why = device_wrong(&d);
    if (!why)
        out->device = device_copy(a, &d);
    return why;
}

static const char *kernel_read(Arena *a, json_t *o, Line *out)
{
    KernelRecord k = { 0 };
    json_t *params = NULL, *facts = NULL;
    const char *status = NULL;
    json_int_t code_bytes = 0, n = 0;
    int again = 0;
    json_error_t error;
    if (json_unpack_ex(o, &error, 0, "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:I, s?:o, s?:I, s?:b, s:s}", "key",
                       &k.key, "device", &k.device, "op", &k.op, "dtype", &k.dtype, "template", &k.template_name,
                       "template_hash", &k.template_hash, "target", &k.target, "params", &params, "status", &status,
                       "code_bytes", &code_bytes, "facts", &facts, "n", &n, "again", &again, "why", &k.why) != 0)
        return bad_because(out, &error);
    k.nparam = params_read(params, RECORD_MAX_PARAM, k.param);
    k.nfact = facts ? params_read(facts, RECORD_MAX_FACT, k.fact) : 0;
    k.status = status_find(status);
    k.code_bytes = code_bytes;
    k.n = n;
    k.again = again != 0;
    const char *why = kernel_wrong(&k);
    if (!why)
        out->kernel = kernel_copy(a, &k);
    return why;
}

static const char *measure_read(Arena *a, json_t *o, Line *out)
{
    MeasureRecord m = { 0 };
    json_t *extent = NULL, *ns = NULL, *max_err = NULL;
    const char *status = NULL;
    json_int_t threads = 0;
    int final = 0, again = 0;
    json_error_t error;
    if (json_unpack_ex(o, &error, 0, "{s:s, s:s, s:o, s:I, s:s, s:o, s?:F, s:o, s?:F, s?:F, s:b, s?:b, s:s}", "key",
                       &m.key, "device", &m.device, "extent", &extent, "threads", &threads, "status", &status, "ns",
                       &ns, "anchor_ns", &m.anchor_ns, "max_err", &max_err, "cold_ns", &m.cold_ns, "library_ns",
                       &m.library_ns, "final", &final, "again", &again, "why", &m.why) != 0)
        return bad_because(out, &error);
    if (!json_is_number(max_err) && !json_is_null(max_err))
        return "max_err is not a number";
    m.max_err = json_is_null(max_err) ? INFINITY : json_number_value(max_err);
    m.naxis = list_read(extent, RECORD_MAX_AXIS, take_integer, m.extent);
    m.nsample = list_read(ns, RECORD_MAX_SAMPLE, take_number, m.ns);
    m.threads = to_int(threads);
    m.status = status_find(status);
    m.final = final != 0;
    m.again = again != 0;
    const char *why = measure_wrong(&m);
    if (!why)
        out->measure = measure_copy(a, &m);
    return why;
}

/* A level that is not there is not measured; one of another name is none of ours. */
static bool rates_read(json_t *rates, double *out)
{
    bool good = json_is_object(rates);
    for (int i = 0; good && i < LEVEL_COUNT; i++) {
        const json_t *rate = json_object_get(rates, LEVEL_NAMES[i]);
        good = !rate || json_is_number(rate);
        out[i] = rate ? json_number_value(rate) : 0;
    }
    return good;
}

static const char *limit_read(Arena *a, json_t *o, Line *out)
{
    LimitRecord l = { 0 };
    json_t *rates = NULL;
    json_int_t threads = 0;
    json_error_t error;
    if (json_unpack_ex(o, &error, 0, "{s:s, s:s, s:s, s:I, s:F, s:o, s?F, s?F, s?F}", "device", &l.device, "target",
                       &l.target, "dtype", &l.dtype, "threads", &threads, "flops_per_s", &l.flops_per_s, "bytes_per_s",
                       &rates, "clock_mhz", &l.clock_mhz, "launch_ns", &l.launch_ns, "handover_ns",
                       &l.handover_ns) != 0)
        return bad_because(out, &error);
    if (!rates_read(rates, l.bytes_per_s))
        return "bytes_per_s is not a group of rates";
    l.threads = to_int(threads);
    const char *why = limit_wrong(&l);
    if (!why)
        out->limit = limit_copy(a, &l);
    return why;
}

static const struct {
    const char *name;
    LineType type;
    const char *(*read)(Arena *a, json_t *o, Line *out);
} TYPES[] = {
    { "device", LINE_DEVICE, device_read },
    { "kernel", LINE_KERNEL, kernel_read },
    { "measure", LINE_MEASURE, measure_read },
    { "limit", LINE_LIMIT, limit_read },
};

static void object_read(Arena *a, json_t *o, Line *out)
{
    json_t *schema = json_object_get(o, "v");
    const char *type = json_string_value(json_object_get(o, "type"));
    if (json_is_integer(schema) && json_integer_value(schema) != RECORD_SCHEMA) {
        out->type = LINE_OTHER_SCHEMA;
        return;
    }
    out->why = json_is_integer(schema) ? "unknown type of record" : "no schema version";
    for (size_t i = 0; json_is_integer(schema) && type && i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(TYPES[i].name, type) == 0) {
            out->why = TYPES[i].read(a, o, out);
            out->type = out->why ? LINE_BAD : TYPES[i].type;
        }
    }
}

void line_read(Arena *a, const char *text, size_t len, Line *out)
{
    *out = (Line){ .type = LINE_BAD };
    json_error_t error;
    json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    out->object = json_is_object(o);
    if (out->object)
        object_read(a, o, out);
    else if (o)
        out->why = "not a JSON object";
    else
        bad_because(out, &error);
    json_decref(o);
}
