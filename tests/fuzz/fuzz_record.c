/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_record: any bytes as a file of records. What is read is within the bounds that record.h names; its canonical
 * text is read again without a warning and stays the same.
 */
#include <math.h>
#include "search/record/record.h"
#include "tests/fuzz/fuzz.h"

static void read_bytes(Arena *a, const void *data, size_t size, Records *out)
{
    const char *err = NULL;
    REQUIRE(record_read(a, fuzz_file(data, size), out, NULL, &err));
}

static bool plain_name(const char *s)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-");
    return n > 0 && n <= 128 && s[n] == '\0' && *s != '.' && *s != '-';
}

static bool plain_text(const char *s)
{
    for (; *s; s++)
        if (*s < ' ' || *s > '~')
            return false;
    return true;
}

static void check_kernel(const KernelRecord *k)
{
    REQUIRE(plain_name(k->key) && plain_name(k->device) && plain_name(k->target) && plain_text(k->why));
    REQUIRE(k->nparam >= 0 && k->nparam <= TEMPLATE_MAX_PARAM && k->code_bytes >= 0 && k->n >= 0);
    for (int i = 0; i < k->nparam; i++)
        REQUIRE(plain_name(k->param[i].name));
}

static void check_spec(const SpecRecord *s)
{
    REQUIRE(plain_name(s->context) && plain_name(s->spec) && plain_name(s->target) && plain_name(s->op));
    REQUIRE(plain_name(s->dtype) && plain_text(s->function) && plain_text(s->layout) && plain_text(s->formula));
    REQUIRE(plain_text(s->types) && plain_text(s->extents) && s->accuracy >= 1 && s->accuracy <= OP_MAX_ACCURACY);
    REQUIRE(s->nconstant >= 0 && s->nconstant <= OP_MAX_EXTENT);
    for (int i = 0; i < s->nconstant; i++)
        REQUIRE(plain_name(s->constant[i].name));
}

static void check_measure(const MeasureRecord *m)
{
    REQUIRE(plain_name(m->key) && plain_name(m->device) && plain_text(m->why));
    REQUIRE(m->naxis > 0 && m->naxis <= OP_MAX_EXTENT && m->threads > 0);
    REQUIRE(m->nsample >= 0 && m->nsample <= RECORD_MAX_SAMPLE);
    REQUIRE((unsigned)m->status < STATUS_COUNT);
    for (int i = 0; i < m->nsample; i++)
        REQUIRE(isfinite(m->ns[i]) && m->ns[i] > 0);
    REQUIRE(isfinite(m->median_ns) && isfinite(m->spread) && m->spread >= 0);
    REQUIRE(m->max_err >= 0 && (m->max_err <= 1 || m->status != STATUS_OK));
}

static void check_limit(const LimitRecord *l)
{
    REQUIRE(plain_name(l->device) && plain_name(l->target) && plain_name(l->dtype));
    REQUIRE(l->threads > 0 && isfinite(l->flops_per_s) && l->flops_per_s > 0);
    for (int i = 0; i < LEVEL_COUNT; i++)
        REQUIRE(isfinite(l->bytes_per_s[i]) && l->bytes_per_s[i] >= 0);
    const double more[] = { l->clock_mhz, l->launch_ns, l->handover_ns, l->reuse_flops_per_s };
    for (size_t i = 0; i < LENGTH(more); i++)
        REQUIRE(isfinite(more[i]) && more[i] >= 0);
}

static void check_records(const Records *r)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        REQUIRE(plain_name(r->device[i].id) && plain_text(r->device[i].name) && plain_text(r->device[i].flags));
    for (int64_t i = 0; i < r->nspec; i++)
        check_spec(&r->spec[i]);
    for (int64_t i = 0; i < r->nkernel; i++)
        check_kernel(&r->kernel[i]);
    for (int64_t i = 0; i < r->nmeasure; i++)
        check_measure(&r->measure[i]);
    for (int64_t i = 0; i < r->nlimit; i++)
        check_limit(&r->limit[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Records r, again;
    read_bytes(a, data, size, &r);
    check_records(&r);
    char *text = record_text(a, &r);
    read_bytes(a, text, strlen(text), &again);
    REQUIRE(again.nignored == 0);
    REQUIRE(strcmp(record_text(a, &again), text) == 0);
    arena_free(a);
    return 0;
}
