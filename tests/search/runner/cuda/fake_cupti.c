/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_cupti: the part of CUPTI's activity interface that dcgen-runner-cuda uses, as a libcupti.so that reports what
 * the fake GPU ran (fake.h). Records have CUPTI's own layout.
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/search/runner/cuda/fake.h"

#define EXPORT __attribute__((visibility("default")))

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static uint8_t *buffer;
static size_t bytes, used;
static uint32_t correlation;
static uint64_t external[8];
static int depth, nenabled;
static size_t ndropped;
static CUpti_ActivityKernel4 late[1024]; /* records that are kept back */
static int nlate;
static double late_s; /* when they come */

static bool cupti_is(const char *kind) /* asked of every launch: the environment is read once */
{
    static const char *is;
    if (!is)
        is = getenv("FAKE_CUPTI") ? getenv("FAKE_CUPTI") : "";
    return strcmp(is, kind) == 0;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t record_bytes(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(CUpti_ActivityKernel4);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return sizeof(CUpti_ActivityExternalCorrelation);
    default:
        return sizeof(CUpti_ActivityAPI);
    }
}

static void give_back(void)
{
    if (buffer)
        complete(NULL, 0, buffer, bytes, used);
    buffer = NULL;
    used = 0;
}

static void write_record(const void *record)
{
    const size_t size = record_bytes(record);
    if (buffer && used + size > bytes)
        give_back();
    if (!buffer) {
        size_t max_records;
        request(&buffer, &bytes, &max_records);
    }
    if (!buffer || (uintptr_t)buffer % 8 != 0) {
        ndropped++;
        return;
    }
    memcpy(buffer + used, record, size);
    used += size;
}

static void api_call(void)
{
    correlation++;
    for (int i = 0; i < depth && !cupti_is("nolinks"); i++)
        write_record(&(CUpti_ActivityExternalCorrelation){ .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                           .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                           .externalId = external[i],
                                                           .correlationId = correlation });
    write_record(&(CUpti_ActivityAPI){ .kind = CUPTI_ACTIVITY_KIND_RUNTIME, .correlationId = correlation });
}

static void kernel(uint64_t start_ns, uint64_t end_ns)
{
    static uint64_t nkernel;
    if (++nkernel == 100 ? cupti_is("droponce") : nkernel > 1000 && cupti_is("droplate")) {
        ndropped++;
        return;
    }
    const CUpti_ActivityKernel4 record = { .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .start = cupti_is("zero") ? 0 : start_ns,
                                           .end = end_ns,
                                           .correlationId = correlation };
    const bool chosen = nkernel > 1000 && nkernel % 10 == 0;
    if (chosen && cupti_is("late") && nlate < (int)(sizeof late / sizeof *late)) {
        late[nlate++] = record;
        late_s = now_s() + 0.12;
    } else if (!chosen || !cupti_is("uneven")) {
        write_record(&record);
    }
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,
                                                  CUpti_BuffersCallbackCompleteFunc c)
{
    request = r;
    complete = c;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    static const FakeTracer tracer = { api_call, kernel };
    void (*set_tracer)(const FakeTracer *) = (void (*)(const FakeTracer *))dlsym(RTLD_DEFAULT, "fake_set_tracer");
    if (cupti_is("busy") && kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    nenabled++;
    set_tracer(&tracer);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    void (*set_tracer)(const FakeTracer *) = (void (*)(const FakeTracer *))dlsym(RTLD_DEFAULT, "fake_set_tracer");
    (void)kind;
    if (--nenabled == 0)
        set_tracer(NULL);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    if (cupti_is("withhold") && flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)
        return CUPTI_SUCCESS;
    if (now_s() > late_s)
        while (nlate > 0)
            write_record(&late[--nlate]);
    give_back();
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *from, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + record_bytes(*record) : from;
    if (next >= from + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context;
    (void)stream;
    *dropped = ndropped + (cupti_is("drop") ? 1 : 0);
    ndropped = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    (void)kind;
    external[depth++] = id;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *id)
{
    (void)kind;
    *id = external[--depth];
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult code, const char **text)
{
    *text = code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                                                   : "CUPTI_ERROR";
    return CUPTI_SUCCESS;
}
