/* SPDX-License-Identifier: Apache-2.0
 *
 * tracer: takes CUPTI's activity records, which give the start and the end of each kernel on the GPU to about 32 ns.
 * CUPTI has one user at a time, and may be absent: `why` says each failure, and the caller times otherwise.
 *
 * Of the record of a kernel only fields are read that have kept their places since CUDA 8; later versions add
 * at its end. What buffers hold is copied out in the callback, which CUPTI may call from a thread of its own.
 */
#define _GNU_SOURCE
#include "search/runner/cuda/runner_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "gen/base/process.h"

enum { BUFFER_BYTES = 256 << 10, BUFFERS_AT_FIRST = 2, MAX_FREE = 8, ALIGN_BYTES = 8, PAUSE_US = 100 };
static const double force_after_s = 0.02; /* a flush that is not forced keeps back what it takes for incomplete */
static const double patience_s = 0.25; /* CUPTI's thread may have to wait for a core: compilers run at the same time */

_Static_assert(offsetof(CUpti_ActivityKernel4, start) == 16 && offsetof(CUpti_ActivityKernel4, correlationId) == 92,
               "CUPTI's kernel record has another layout");

static const CUpti_ActivityKind kinds[] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                            CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                            /* Links are made for API calls that are themselves recorded. */
                                            CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER };
enum { NKIND = LENGTH(kinds) };

static struct {
    void *library;     /* NULL: not in use */
    const char *where; /* the library stays loaded */
    pthread_mutex_t mutex;
    Trace trace;
    uint8_t *free_buffer[MAX_FREE];
    int nfree, nenabled; /* nenabled: of `kinds` */
    /* How long records are waited for before a forced flush: 0 once that helped, patience_s once some were torn. */
    double force_s;

    CUptiResult (*register_callbacks)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
    CUptiResult (*enable)(CUpti_ActivityKind);
    CUptiResult (*disable)(CUpti_ActivityKind);
    CUptiResult (*flush)(uint32_t);
    TracerNext *next;
    CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
    CUptiResult (*push)(CUpti_ExternalCorrelationKind, uint64_t);
    CUptiResult (*pop)(CUpti_ExternalCorrelationKind, uint64_t *);
    CUptiResult (*text)(CUptiResult, const char **);
} cupti = { .where = "", .mutex = PTHREAD_MUTEX_INITIALIZER };

static uint8_t *new_buffer(void) { return aligned_alloc(ALIGN_BYTES, BUFFER_BYTES); }

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    pthread_mutex_lock(&cupti.mutex);
    *buffer = cupti.nfree > 0 ? cupti.free_buffer[--cupti.nfree] : new_buffer();
    pthread_mutex_unlock(&cupti.mutex);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void take_record(Trace *t, const CUpti_Activity *record)
{
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
        const CUpti_ActivityKernel4 *k = (const CUpti_ActivityKernel4 *)record;
        trace_add_kernel(t, k->start, k->end, k->correlationId);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const CUpti_ActivityExternalCorrelation *link = (const CUpti_ActivityExternalCorrelation *)record;
        if (link->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
            trace_add_link(t, link->correlationId, link->externalId);
    }
}

void tracer_take(Trace *t, uint8_t *buffer, size_t bytes, TracerNext *next)
{
    CUpti_Activity *record = NULL;
    while (next(buffer, bytes, &record) == CUPTI_SUCCESS)
        take_record(t, record);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes)
{
    size_t dropped = 0;
    (void)bytes;
    pthread_mutex_lock(&cupti.mutex);
    if (valid_bytes > 0)
        tracer_take(&cupti.trace, buffer, valid_bytes, cupti.next);
    if (cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS)
        cupti.trace.ndropped += dropped;
    if (buffer && cupti.nfree < MAX_FREE)
        cupti.free_buffer[cupti.nfree++] = buffer;
    else
        free(buffer);
    pthread_mutex_unlock(&cupti.mutex);
}

/* True if the call succeeded; else `why` says what failed. */
static bool succeeded(CUptiResult code, const char *what, char why[LIBRARY_WHY_BYTES])
{
    const char *text = NULL;
    if (code == CUPTI_SUCCESS)
        return true;
    if (cupti.text(code, &text) != CUPTI_SUCCESS || !text)
        text = "unknown error";
    snprintf(why, LIBRARY_WHY_BYTES, "%s: %s", what, text);
    return false;
}

static bool bind_all(char why[LIBRARY_WHY_BYTES])
{
    const LibraryFunction functions[] = { { "cuptiActivityRegisterCallbacks", &cupti.register_callbacks },
                                          { "cuptiActivityEnable", &cupti.enable },
                                          { "cuptiActivityDisable", &cupti.disable },
                                          { "cuptiActivityFlushAll", &cupti.flush },
                                          { "cuptiActivityGetNextRecord", &cupti.next },
                                          { "cuptiActivityGetNumDroppedRecords", &cupti.dropped },
                                          { "cuptiActivityPushExternalCorrelationId", &cupti.push },
                                          { "cuptiActivityPopExternalCorrelationId", &cupti.pop },
                                          { "cuptiGetResultString", &cupti.text } };
    return library_bind(cupti.library, functions, LENGTH(functions), why);
}

static void disable_all(void)
{
    while (cupti.nenabled > 0)
        cupti.disable(kinds[--cupti.nenabled]);
}

static bool enable_all(char why[LIBRARY_WHY_BYTES])
{
    for (; cupti.nenabled < NKIND; cupti.nenabled++)
        if (!succeeded(cupti.enable(kinds[cupti.nenabled]), "cuptiActivityEnable", why))
            return false;
    return true;
}

bool tracer_open(char why[LIBRARY_WHY_BYTES])
{
    static const char *const names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL };
    cupti.library = library_open(names, why);
    if (!cupti.library)
        return false;
    cupti.force_s = force_after_s;
    cupti.where = library_where(cupti.library);
    while (cupti.nfree < BUFFERS_AT_FIRST && (cupti.free_buffer[cupti.nfree] = new_buffer()))
        cupti.nfree++;
    if (bind_all(why) &&
        succeeded(cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks", why) &&
        enable_all(why))
        return true;
    disable_all();
    cupti.library = NULL; /* stays loaded: CUPTI may have threads by now */
    return false;
}

void tracer_close(void)
{
    if (!cupti.library)
        return;
    disable_all();
    cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    cupti.library = NULL;
    tracer_clear();
}

const char *tracer_where(void) { return cupti.where; }

void tracer_call_begin(uint64_t call) { cupti.push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, call); }

void tracer_call_end(void)
{
    uint64_t call;
    cupti.pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &call);
}

void tracer_clear(void)
{
    pthread_mutex_lock(&cupti.mutex);
    trace_clear(&cupti.trace);
    pthread_mutex_unlock(&cupti.mutex);
}

TraceStatus tracer_times(uint64_t first, size_t n, double *ns)
{
    const double start_s = process_clock_s();
    bool forced = false;
    for (int i = 0;; i++) {
        const double waited_s = process_clock_s() - start_s;
        const bool last = waited_s > patience_s, force = last || (!forced && i > 0 && waited_s > cupti.force_s);
        forced = forced || force;
        cupti.flush(force ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
        pthread_mutex_lock(&cupti.mutex);
        const TraceStatus status = trace_times(&cupti.trace, first, n, ns);
        pthread_mutex_unlock(&cupti.mutex);
        if (force)
            cupti.force_s = status == TRACE_OK ? 0 : status == TRACE_BROKEN ? patience_s : cupti.force_s;
        if (last || (status != TRACE_MISSING && status != TRACE_UNEVEN))
            return status;
        usleep(PAUSE_US);
    }
}
