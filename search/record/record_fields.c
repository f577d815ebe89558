/* SPDX-License-Identifier: Apache-2.0
 *
 * record_fields: the rows of all types of records.
 */
#include "search/record/record_type.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "search/record/samples.h"

enum {
    WHY_BYTES = 1000, /* of a `why` */
    CORES_MAX = 1 << 20
};

#define BYTES_MAX 0x1p50
#define EXTENT_MAX 0x1p48
#define LIMIT_MAX 1e20 /* of a LimitRecord's numbers: operations or bytes a second, MHz, ns */
#define NS_MIN 1e-3    /* nothing takes less */
#define NS_MAX 1e15    /* eleven days */

static const char *const LEVEL_NAMES[LEVEL_COUNT] = {
    [LEVEL_L1] = "l1", [LEVEL_L2] = "l2", [LEVEL_L3] = "l3", [LEVEL_MEMORY] = "memory"
};

const char *level_name(Level level) { return (unsigned)level < LEVEL_COUNT ? LEVEL_NAMES[level] : "unknown"; }

static const char NO_TEXT[] = "name, compiler or flags is missing";
static const char NO_CACHE[] = "the size of a cache is out of range";
static const char NO_RATE[] = "clock_mhz, launch_ns, handover_ns or reuse_flops_per_s is not a number from 0 on";

static const Field device_fields[] = {
    { "id", FIELD_NAME, .at = offsetof(Device, id) },
    { "name", FIELD_TEXT, .at = offsetof(Device, name), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "arch", FIELD_NAME, .at = offsetof(Device, arch) },
    { "cores", FIELD_INT, .at = offsetof(Device, cores), .high = CORES_MAX },
    { "l1_bytes", FIELD_LONG, .at = offsetof(Device, l1_bytes), .high = BYTES_MAX, .wrong = NO_CACHE },
    { "l2_bytes", FIELD_LONG, .at = offsetof(Device, l2_bytes), .high = BYTES_MAX, .wrong = NO_CACHE },
    { "l3_bytes", FIELD_LONG, .at = offsetof(Device, l3_bytes), .high = BYTES_MAX, .wrong = NO_CACHE },
    { "isa", FIELD_NAME, .at = offsetof(Device, isa), .form = FORM_LIST, .count_at = offsetof(Device, nisa),
      .most = DEVICE_MAX_ISA, .of = "names" },
    { "compiler", FIELD_TEXT, .at = offsetof(Device, compiler), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "flags", FIELD_TEXT, .at = offsetof(Device, flags), .high = FREE_BYTES, .wrong = NO_TEXT },
    { "modelled", FIELD_FLAG, .at = offsetof(Device, modelled), .presence = FIELD_SPARSE },
    { 0 },
};

static const Field spec_fields[] = {
    { "context", FIELD_NAME, .at = offsetof(SpecRecord, context) },
    { "spec", FIELD_NAME, .at = offsetof(SpecRecord, spec) },
    { "function", FIELD_TEXT, .at = offsetof(SpecRecord, function), .high = NAME_BYTES },
    { "target", FIELD_NAME, .at = offsetof(SpecRecord, target) },
    { "op", FIELD_NAME, .at = offsetof(SpecRecord, op) },
    { "dtype", FIELD_NAME, .at = offsetof(SpecRecord, dtype) },
    { "layout", FIELD_TEXT, .at = offsetof(SpecRecord, layout), .high = FREE_BYTES },
    { "packed", FIELD_FLAG, .at = offsetof(SpecRecord, packed) },
    { "formula", FIELD_TEXT, .at = offsetof(SpecRecord, formula), .high = FREE_BYTES },
    { "types", FIELD_TEXT, .at = offsetof(SpecRecord, types), .high = FREE_BYTES },
    { "extents", FIELD_TEXT, .at = offsetof(SpecRecord, extents), .high = FREE_BYTES },
    { "accuracy", FIELD_REAL, .at = offsetof(SpecRecord, accuracy), .low = 1, .high = OP_MAX_ACCURACY,
      .wrong = "accuracy is out of range" },
    { "strides", FIELD_TEXT, .at = offsetof(SpecRecord, strides), .high = FREE_BYTES, .presence = FIELD_SPARSE },
    { "in_place", FIELD_TEXT, .at = offsetof(SpecRecord, in_place), .high = FREE_BYTES, .presence = FIELD_SPARSE },
    { "constants", FIELD_PARAM, .at = offsetof(SpecRecord, constant), .form = FORM_PARAMS,
      .count_at = offsetof(SpecRecord, nconstant), .most = OP_MAX_EXTENT, .of = "integers, each with its own name" },
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
    { "params", FIELD_PARAM, .at = offsetof(KernelRecord, param), .form = FORM_PARAMS, .apart = true,
      .count_at = offsetof(KernelRecord, nparam), .most = TEMPLATE_MAX_PARAM,
      .of = "integers, each with its own name" },
    { "status", FIELD_STATUS, .at = offsetof(KernelRecord, status), .high = STATUS_COUNT - 1 },
    { "code_bytes", FIELD_LONG, .at = offsetof(KernelRecord, code_bytes), .high = BYTES_MAX },
    { "facts", FIELD_PARAM, .at = offsetof(KernelRecord, fact), .presence = FIELD_SPARSE, .form = FORM_PARAMS,
      .apart = true, .count_at = offsetof(KernelRecord, nfact), .most = RECORD_MAX_FACT,
      .of = "integers, each with its own name" },
    { "n", FIELD_LONG, .at = offsetof(KernelRecord, n), .high = INFINITY, .presence = FIELD_SPARSE,
      .wrong = "n is negative" },
    { "again", FIELD_FLAG, .at = offsetof(KernelRecord, retry), .presence = FIELD_SPARSE },
    { "why", FIELD_TEXT, .at = offsetof(KernelRecord, why), .high = WHY_BYTES },
    { 0 },
};

static const Field measure_fields[] = {
    { "key", FIELD_NAME, .at = offsetof(MeasureRecord, key) },
    { "device", FIELD_NAME, .at = offsetof(MeasureRecord, device) },
    { "extent", FIELD_LONG, .at = offsetof(MeasureRecord, extent), .low = -EXTENT_MAX, .high = EXTENT_MAX,
      .form = FORM_LIST, .apart = true, .count_at = offsetof(MeasureRecord, naxis), .least = 1, .most = OP_MAX_EXTENT,
      .of = "sizes" },
    { "threads", FIELD_INT, .at = offsetof(MeasureRecord, threads), .low = 1, .high = CORES_MAX },
    { "status", FIELD_STATUS, .at = offsetof(MeasureRecord, status), .high = STATUS_COUNT - 1 },
    { "ns", FIELD_REAL, .at = offsetof(MeasureRecord, ns), .low = NS_MIN, .high = NS_MAX, .form = FORM_LIST,
      .apart = true, .count_at = offsetof(MeasureRecord, nsample), .most = RECORD_MAX_SAMPLE, .of = "positive times" },
    { "median_ns", FIELD_REAL, .at = offsetof(MeasureRecord, median_ns), .presence = FIELD_FOLLOWS },
    { "spread", FIELD_REAL, .at = offsetof(MeasureRecord, spread), .presence = FIELD_FOLLOWS },
    { "anchor_ns", FIELD_REAL, .at = offsetof(MeasureRecord, anchor_ns), .high = DBL_MAX, .presence = FIELD_NEWER },
    { "max_err", FIELD_ERROR, .at = offsetof(MeasureRecord, max_err) },
    { "final", FIELD_FLAG, .at = offsetof(MeasureRecord, final) },
    { "why", FIELD_TEXT, .at = offsetof(MeasureRecord, why), .high = WHY_BYTES },
    { "again", FIELD_FLAG, .at = offsetof(MeasureRecord, retry), .presence = FIELD_SPARSE },
    { "cold", FIELD_FLAG, .at = offsetof(MeasureRecord, cold), .presence = FIELD_SPARSE },
    { "tunes", FIELD_FLAG, .at = offsetof(MeasureRecord, tunes), .presence = FIELD_SPARSE },
    { "cold_ns", FIELD_REAL, .at = offsetof(MeasureRecord, cold_ns), .high = DBL_MAX, .presence = FIELD_SPARSE },
    { "library_ns", FIELD_REAL, .at = offsetof(MeasureRecord, library_ns), .high = DBL_MAX, .presence = FIELD_SPARSE },
    { 0 },
};

static const Field limit_fields[] = {
    { "device", FIELD_NAME, .at = offsetof(LimitRecord, device) },
    { "target", FIELD_NAME, .at = offsetof(LimitRecord, target) },
    { "dtype", FIELD_NAME, .at = offsetof(LimitRecord, dtype) },
    { "threads", FIELD_INT, .at = offsetof(LimitRecord, threads), .low = 1, .high = CORES_MAX },
    { "flops_per_s", FIELD_REAL, .at = offsetof(LimitRecord, flops_per_s), .low = DBL_TRUE_MIN, .high = LIMIT_MAX,
      .wrong = "flops_per_s is not a rate" },
    { "bytes_per_s", FIELD_REAL, .at = offsetof(LimitRecord, bytes_per_s), .high = LIMIT_MAX, .form = FORM_LEVELS,
      .most = LEVEL_COUNT, .wrong = "bytes_per_s is not a group of rates" },
    { "clock_mhz", FIELD_REAL, .at = offsetof(LimitRecord, clock_mhz), .high = LIMIT_MAX, .presence = FIELD_SPARSE,
      .wrong = NO_RATE },
    { "launch_ns", FIELD_REAL, .at = offsetof(LimitRecord, launch_ns), .high = LIMIT_MAX, .presence = FIELD_SPARSE,
      .wrong = NO_RATE },
    { "handover_ns", FIELD_REAL, .at = offsetof(LimitRecord, handover_ns), .high = LIMIT_MAX, .presence = FIELD_SPARSE,
      .wrong = NO_RATE },
    { "reuse_flops_per_s", FIELD_REAL, .at = offsetof(LimitRecord, reuse_flops_per_s), .high = LIMIT_MAX,
      .presence = FIELD_SPARSE, .wrong = NO_RATE },
    { 0 },
};

static const char *measure_also_wrong(const void *record)
{
    const MeasureRecord *m = record;
    return m->status == STATUS_OK && !(m->max_err <= 1) ? "max_err is over the limit, yet status is ok" : NULL;
}

int measure_compare_shapes(const MeasureRecord *x, const MeasureRecord *y)
{
    return x->naxis != y->naxis ? x->naxis - y->naxis
                                : memcmp(x->extent, y->extent, (size_t)x->naxis * sizeof *x->extent);
}

static void measure_derive(void *record)
{
    MeasureRecord *m = record;
    const double reference_ns = m->anchor_ns > 0 ? m->anchor_ns : samples_least(m->ns, m->nsample);
    m->median_ns = record_rounded(samples_median(m->ns, m->nsample));
    m->spread = record_rounded(samples_spread(m->ns, m->nsample));
    m->time_ns = samples_time(m->ns, m->nsample, reference_ns <= SAMPLES_UNDISTURBED_NS);
    m->nfact = 0;
    m->fact = NULL;
}

const RecordType record_types[RECORD_TYPES] = {
    { "device", sizeof(Device), offsetof(Records, ndevice), offsetof(Records, device), device_fields, .order = { "id" },
      .once = true },
    { "spec", sizeof(SpecRecord), offsetof(Records, nspec), offsetof(Records, spec), spec_fields,
      .order = { "context", "spec", "function", "target" }, .once = true },
    { "kernel", sizeof(KernelRecord), offsetof(Records, nkernel), offsetof(Records, kernel), kernel_fields,
      .order = { "key" } },
    { "measure", sizeof(MeasureRecord), offsetof(Records, nmeasure), offsetof(Records, measure), measure_fields,
      .order = { "key", "device", "threads", "extent", "final" }, measure_also_wrong, measure_derive },
    { "limit", sizeof(LimitRecord), offsetof(Records, nlimit), offsetof(Records, limit), limit_fields,
      .order = { "device", "target", "dtype", "threads" } },
};
