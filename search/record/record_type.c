/* SPDX-License-Identifier: Apache-2.0
 *
 * record_type: see record_type.h. The same checks hold for what is read and for what is written, so that whatever is written can be
 * read again.
 */
#include "search/record/record_type.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/record/samples.h"

enum { NAME_BYTES = 128, WHY_BYTES = 1000, FREE_BYTES = 4000, CORES_MAX = 1 << 20 };

#define BYTES_MAX 0x1p50
#define EXTENT_MAX 0x1p48
#define RATE_MAX 1e20 /* operations or bytes a second */
#define NS_MIN 1e-3   /* nothing takes less */
#define NS_MAX 1e15   /* eleven days */

static const char *const STATUS_NAMES[STATUS_COUNT] = {
    [STATUS_OK] = "ok",       [STATUS_INVALID] = "invalid", [STATUS_BUILD_FAILED] = "build_failed",
    [STATUS_WRONG] = "wrong", [STATUS_CRASHED] = "crashed", [STATUS_TIMED_OUT] = "timed_out",
};

const char *status_name(Status s) { return (unsigned)s < STATUS_COUNT ? STATUS_NAMES[s] : "unknown"; }

Status status_find(const char *name)
{
    int s = 0;
    while (s < STATUS_COUNT && strcmp(STATUS_NAMES[s], name) != 0)
        s++;
    return (Status)s;
}

static const char *const LEVEL_NAMES[LEVEL_COUNT] = {
    [LEVEL_L1] = "l1", [LEVEL_L2] = "l2", [LEVEL_L3] = "l3", [LEVEL_MEMORY] = "memory"
};

const char *level_name(Level level) { return (unsigned)level < LEVEL_COUNT ? LEVEL_NAMES[level] : "unknown"; }

/* ---- the types ---- */

static const char NO_TEXT[] = "name, compiler or flags is missing";
static const char NO_CACHE[] = "the size of a cache is out of range";
static const char NO_RATE[] = "clock_mhz, launch_ns or handover_ns is not a number from 0 on";

static const Field device_fields[] = {
    { "id", FIELD_NAME, .at = offsetof(Device, id) },
    { "name", FIELD_TEXT, .at = offsetof(Device, name), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "arch", FIELD_NAME, .at = offsetof(Device, arch) },
    { "cores", FIELD_INT, .at = offsetof(Device, cores), 0, CORES_MAX },
    { "l1_bytes", FIELD_LONG, .at = offsetof(Device, l1_bytes), 0, BYTES_MAX, .wrong = NO_CACHE },
    { "l2_bytes", FIELD_LONG, .at = offsetof(Device, l2_bytes), 0, BYTES_MAX, .wrong = NO_CACHE },
    { "l3_bytes", FIELD_LONG, .at = offsetof(Device, l3_bytes), 0, BYTES_MAX, .wrong = NO_CACHE },
    { "isa", FIELD_NAME, .at = offsetof(Device, isa), .form = FORM_LIST, .count_at = offsetof(Device, nisa),
      .most = DEVICE_MAX_ISA, .wrong = "isa is not a list of at most 8 names" },
    { "compiler", FIELD_TEXT, .at = offsetof(Device, compiler), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "flags", FIELD_TEXT, .at = offsetof(Device, flags), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "modelled", FIELD_FLAG, .at = offsetof(Device, modelled), 0, 1, FIELD_SPARSE },
    { 0 },
};

static const Field kernel_fields[] = {
    { "key", FIELD_NAME, .at = offsetof(KernelRecord, key) },
    { "device", FIELD_NAME, .at = offsetof(KernelRecord, device) },
    { "op", FIELD_NAME, .at = offsetof(KernelRecord, op) },
    { "dtype", FIELD_NAME, .at = offsetof(KernelRecord, dtype) },
    { "template", FIELD_NAME, .at = offsetof(KernelRecord, template_name) },
    { "template_hash", FIELD_NAME, .at = offsetof(KernelRecord, template_hash) },
    { "target", FIELD_NAME, .at = offsetof(KernelRecord, target) },
    { "params", FIELD_PARAM, .at = offsetof(KernelRecord, param), .form = FORM_PARAMS,
      .count_at = offsetof(KernelRecord, nparam), .most = RECORD_MAX_PARAM,
      .wrong = "params is not a group of at most 24 integers, each with its own name" },
    { "status", FIELD_STATUS, .at = offsetof(KernelRecord, status), 0, STATUS_COUNT - 1 },
    { "code_bytes", FIELD_LONG, .at = offsetof(KernelRecord, code_bytes), 0, BYTES_MAX },
    { "facts", FIELD_PARAM, .at = offsetof(KernelRecord, fact), .presence = FIELD_SPARSE, .form = FORM_PARAMS,
      .count_at = offsetof(KernelRecord, nfact), .most = RECORD_MAX_FACT,
      .wrong = "facts is not a group of at most 16 integers, each with its own name" },
    { "n", FIELD_LONG, .at = offsetof(KernelRecord, n), 0, INFINITY, FIELD_SPARSE, .wrong = "n is negative" },
    { "again", FIELD_FLAG, .at = offsetof(KernelRecord, again), 0, 1, FIELD_SPARSE },
    { "why", FIELD_TEXT, .at = offsetof(KernelRecord, why), .high = WHY_BYTES },
    { 0 },
};

static const Field measure_fields[] = {
    { "key", FIELD_NAME, .at = offsetof(MeasureRecord, key) },
    { "device", FIELD_NAME, .at = offsetof(MeasureRecord, device) },
    { "extent", FIELD_LONG, .at = offsetof(MeasureRecord, extent), 0, EXTENT_MAX, .form = FORM_LIST,
      .count_at = offsetof(MeasureRecord, naxis), .least = 1, .most = RECORD_MAX_AXIS,
      .wrong = "extent is not a list of 1 to 6 sizes" },
    { "threads", FIELD_INT, .at = offsetof(MeasureRecord, threads), 1, CORES_MAX },
    { "status", FIELD_STATUS, .at = offsetof(MeasureRecord, status), 0, STATUS_COUNT - 1 },
    { "ns", FIELD_REAL, .at = offsetof(MeasureRecord, ns), NS_MIN, NS_MAX, .form = FORM_LIST,
      .count_at = offsetof(MeasureRecord, nsample), .most = RECORD_MAX_SAMPLE,
      .wrong = "ns is not a list of at most 64 positive times" },
    { "median_ns", FIELD_REAL, .at = offsetof(MeasureRecord, median_ns), .presence = FIELD_FOLLOWS },
    { "spread", FIELD_REAL, .at = offsetof(MeasureRecord, spread), .presence = FIELD_FOLLOWS },
    { "anchor_ns", FIELD_REAL, .at = offsetof(MeasureRecord, anchor_ns), 0, DBL_MAX, FIELD_NEWER },
    { "max_err", FIELD_ERROR, .at = offsetof(MeasureRecord, max_err) },
    { "final", FIELD_FLAG, .at = offsetof(MeasureRecord, final), 0, 1 },
    { "why", FIELD_TEXT, .at = offsetof(MeasureRecord, why), .high = WHY_BYTES },
    { "again", FIELD_FLAG, .at = offsetof(MeasureRecord, again), 0, 1, FIELD_SPARSE },
    { "cold_ns", FIELD_REAL, .at = offsetof(MeasureRecord, cold_ns), 0, DBL_MAX, FIELD_SPARSE },
    { "library_ns", FIELD_REAL, .at = offsetof(MeasureRecord, library_ns), 0, DBL_MAX, FIELD_SPARSE },
    { 0 },
};

static const Field limit_fields[] = {
    { "device", FIELD_NAME, .at = offsetof(LimitRecord, device) },
    { "target", FIELD_NAME, .at = offsetof(LimitRecord, target) },
    { "dtype", FIELD_NAME, .at = offsetof(LimitRecord, dtype) },
    { "threads", FIELD_INT, .at = offsetof(LimitRecord, threads), 1, CORES_MAX },
    { "flops_per_s", FIELD_REAL, .at = offsetof(LimitRecord, flops_per_s), DBL_TRUE_MIN, RATE_MAX,
      .wrong = "flops_per_s is not a rate" },
    { "bytes_per_s", FIELD_REAL, .at = offsetof(LimitRecord, bytes_per_s), 0, RATE_MAX, .form = FORM_LEVELS,
      .most = LEVEL_COUNT, .wrong = "bytes_per_s is not a group of rates" },
    { "clock_mhz", FIELD_REAL, .at = offsetof(LimitRecord, clock_mhz), 0, RATE_MAX, FIELD_SPARSE, .wrong = NO_RATE },
    { "launch_ns", FIELD_REAL, .at = offsetof(LimitRecord, launch_ns), 0, RATE_MAX, FIELD_SPARSE, .wrong = NO_RATE },
    { "handover_ns", FIELD_REAL, .at = offsetof(LimitRecord, handover_ns), 0, RATE_MAX, FIELD_SPARSE,
      .wrong = NO_RATE },
    { 0 },
};

static const char *measure_also_wrong(const void *record)
{
    const MeasureRecord *m = record;
    return m->status == STATUS_OK && !(m->max_err <= 1) ? "max_err is over the limit, yet status is ok" : NULL;
}

/* Rounds to the digits that a file has. snprintf and strtod use the same locale, so any will do. */
static double rounded(double v)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.*g", RECORD_DIGITS, v);
    return strtod(digits, NULL);
}

static void measure_derive(void *record)
{
    MeasureRecord *m = record;
    const double reference_ns = m->anchor_ns > 0 ? m->anchor_ns : samples_least(m->ns, m->nsample);
    m->median_ns = rounded(samples_median(m->ns, m->nsample));
    m->spread = rounded(samples_spread(m->ns, m->nsample));
    m->time_ns = samples_time(m->ns, m->nsample, reference_ns <= SAMPLES_REST_NS);
    m->nfact = 0;
}

const RecordType record_types[RECORD_TYPES] = {
    { "device", sizeof(Device), offsetof(Records, ndevice), offsetof(Records, device), device_fields,
      .order = { "id" } },
    { "kernel", sizeof(KernelRecord), offsetof(Records, nkernel), offsetof(Records, kernel), kernel_fields,
      .order = { "key" } },
    { "measure", sizeof(MeasureRecord), offsetof(Records, nmeasure), offsetof(Records, measure), measure_fields,
      .order = { "key", "device", "threads", "extent", "final" }, measure_also_wrong, measure_derive },
    { "limit", sizeof(LimitRecord), offsetof(Records, nlimit), offsetof(Records, limit), limit_fields,
      .order = { "device", "target", "dtype", "threads" } },
};

/* ---- fields ---- */

/* Of each kind of field: its size in a record, and what an error message says behind the key. */
static const struct {
    size_t bytes;
    const char *wrong;
} kinds[] = {
    [FIELD_NAME] = { sizeof(const char *), "is not a name" },
    [FIELD_TEXT] = { sizeof(const char *), "is missing" },
    [FIELD_INT] = { sizeof(int), "is out of range" },
    [FIELD_LONG] = { sizeof(int64_t), "is out of range" },
    [FIELD_FLAG] = { sizeof(bool), "is unknown" },
    [FIELD_STATUS] = { sizeof(Status), "is unknown" },
    [FIELD_REAL] = { sizeof(double), "is not a time" },
    [FIELD_ERROR] = { sizeof(double), "is negative" },
    [FIELD_PARAM] = { sizeof(Param), "is not a name" },
};

int field_count(const Field *f, const void *record)
{
    if (f->form == FORM_ONE)
        return 1;
    return f->form == FORM_LEVELS ? f->most : *(const int *)((const char *)record + f->count_at);
}

void *field_place(const Field *f, const void *record, int i)
{
    return (char *)record + f->at + (size_t)i * kinds[f->kind].bytes;
}

int64_t field_whole(FieldKind kind, const void *at)
{
    switch (kind) {
    case FIELD_INT:
        return *(const int *)at;
    case FIELD_FLAG:
        return *(const bool *)at;
    case FIELD_STATUS:
        return *(const Status *)at;
    case FIELD_PARAM:
        return ((const Param *)at)->value;
    default:
        return *(const int64_t *)at;
    }
}

void field_set_whole(FieldKind kind, void *at, int64_t v)
{
    if (kind == FIELD_INT)
        *(int *)at = v < -1 ? -1 : v > INT32_MAX ? INT32_MAX : (int)v;
    else if (kind == FIELD_FLAG)
        *(bool *)at = v;
    else if (kind == FIELD_STATUS)
        *(Status *)at = (Status)v;
    else if (kind == FIELD_PARAM)
        ((Param *)at)->value = v;
    else
        *(int64_t *)at = v;
}

/* ---- what is wrong with a record ---- */

static bool is_name(const char *s)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    return s && *s && *s != '.' && *s != '-' && s[strspn(s, allowed)] == '\0' && strlen(s) <= NAME_BYTES;
}

static bool within(double v, double low, double high) { return low <= v && v <= high; }

static bool is_good(const Field *f, const void *at)
{
    const double *real = at;
    if (f->kind == FIELD_NAME || f->kind == FIELD_PARAM)
        return is_name(f->kind == FIELD_PARAM ? ((const Param *)at)->name : *(const char *const *)at);
    if (f->kind == FIELD_TEXT)
        return *(const char *const *)at != NULL;
    if (f->kind == FIELD_ERROR)
        return !(*real < 0);
    return within(f->kind == FIELD_REAL ? *real : (double)field_whole(f->kind, at), f->low, f->high);
}

/* True if an earlier parameter has the same name. */
static bool is_twice(const Param *param, int i)
{
    int k = 0;
    while (k < i && strcmp(param[k].name, param[i].name) != 0)
        k++;
    return k < i;
}

static bool field_good(const Field *f, const void *record)
{
    const int n = field_count(f, record);
    bool good = f->form == FORM_ONE || within(n, f->least, f->most);
    for (int i = 0; good && i < n; i++)
        good = is_good(f, field_place(f, record, i)) &&
               !(f->kind == FIELD_PARAM && is_twice(field_place(f, record, 0), i));
    return good;
}

const char *record_wrong(const RecordType *t, const void *record, char text[RECORD_WRONG_BYTES])
{
    for (const Field *f = t->field; f->key; f++) {
        if (f->presence == FIELD_FOLLOWS || field_good(f, record))
            continue;
        snprintf(text, RECORD_WRONG_BYTES, "%s %s", f->key, kinds[f->kind].wrong);
        return f->wrong ? f->wrong : text;
    }
    return t->also_wrong ? t->also_wrong(record) : NULL;
}

/* ---- copies ---- */

/* The ASCII quote for a typographic one, as compilers print them; "?" for any other character beyond ASCII and for control characters. */
static char ascii_of(const char *s)
{
    static const char third[] = "\x98\x99\x9c\x9d", ascii[] = "''\"\"";
    const char *at = strncmp(s, "\xe2\x80", 2) == 0 && s[2] ? strchr(third, s[2]) : NULL;
    return at ? ascii[at - third] : '?';
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
        else if (c < 0x80 || c >= 0xc0) /* of a character of several bytes only the first makes a mark */
            out[n++] = ascii_of(s);
    }
    out[n] = '\0';
}

static char *text_plain(Arena *a, const char *s, size_t max)
{
    char *out = arena_alloc(a, strnlen(s, max) + 1); /* no character becomes longer */
    plain_copy(out, s, strnlen(s, max));
    return out;
}

static void copy_one(Arena *a, const Field *f, void *at)
{
    double *real = at;
    const char **text = f->kind == FIELD_PARAM ? &((Param *)at)->name : at;
    if (f->kind == FIELD_TEXT)
        *text = text_plain(a, *text, (size_t)f->high);
    else if (f->kind == FIELD_NAME || f->kind == FIELD_PARAM)
        *text = arena_strdup(a, *text);
    else if (f->kind == FIELD_REAL || f->kind == FIELD_ERROR)
        *real = isfinite(*real) ? rounded(*real) : INFINITY;
}

void record_copy(Arena *a, const RecordType *t, const void *record, void *out)
{
    memcpy(out, record, t->bytes);
    for (const Field *f = t->field; f->key; f++) {
        const int n = field_count(f, out);
        for (int i = 0; i < n; i++)
            copy_one(a, f, field_place(f, out, i));
        if (n < f->most) /* what lies behind the last */
            memset(field_place(f, out, n), 0, (size_t)(f->most - n) * kinds[f->kind].bytes);
    }
    if (t->derive)
        t->derive(out);
}

/* ---- order ---- */

static int compare_one(const Field *f, const void *x, const void *y)
{
    if (f->kind == FIELD_NAME)
        return strcmp(*(const char *const *)x, *(const char *const *)y);
    const int64_t a = field_whole(f->kind, x), b = field_whole(f->kind, y);
    return (a > b) - (a < b);
}

int record_compare(const RecordType *t, const void *x, const void *y)
{
    int sign = 0;
    for (const char *const *key = t->order; *key && !sign; key++) {
        const Field *f = t->field;
        while (strcmp(f->key, *key) != 0)
            f++;
        const int n = field_count(f, x), other = field_count(f, y);
        sign = (n > other) - (n < other);
        for (int i = 0; !sign && i < n; i++)
            sign = compare_one(f, field_place(f, x, i), field_place(f, y, i));
    }
    return sign;
}
