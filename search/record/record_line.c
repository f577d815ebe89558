/* SPDX-License-Identifier: Apache-2.0
 *
 * record_line: takes one line of a record file, gives a checked record or what is wrong with it; and back.
 * The same checks hold for what is read and for what is written, so that whatever is written can be read again.
 * Jansson bounds the nesting, refuses duplicate keys, NaN, infinities, bad UTF-8 and NUL, whatever the locale.
 */
#include "search/record/record_line.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/record/record_rules.h"

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
            json_object_set_new(rates, level_name(i), json_real(l->bytes_per_s[i]));
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
    d.nisa = list_read(isa, DEVICE_MAX_ISA, take_string, d.isa);
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
        const json_t *rate = json_object_get(rates, level_name(i));
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
