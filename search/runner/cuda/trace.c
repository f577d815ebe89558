/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: which kernels ran when, and for which call, as an activity tracer tells it: kernels carry a correlation number
 * of the API call that started them, links say within which of our numbered calls that API call was made. The time of
 * a call is the union of the intervals of its kernels: two that overlap count once, a gap between two does not count.
 */
#include "search/runner/cuda/host.h"

#include <stdlib.h>

const char *trace_status_text(TraceStatus s)
{
    static const char *const text[] = { [TRACE_OK] = "ok",
                                        [TRACE_MISSING] = "calls without a kernel record",
                                        [TRACE_UNEVEN] = "calls with fewer kernel records than others",
                                        [TRACE_DROPPED] = "records were dropped",
                                        [TRACE_BROKEN] = "kernel records with impossible times" };
    return text[s];
}

/* The array with room for one more record of `size` bytes; the old one, and out_of_memory, where there is none. */
static void *grow_array(Trace *t, void *array, size_t count, size_t *space, size_t size)
{
    if (count < *space)
        return array;
    size_t want = *space ? 2 * *space : 256;
    void *larger = realloc(array, want * size);
    if (!larger) {
        t->out_of_memory = true;
        return array;
    }
    *space = want;
    return larger;
}

void trace_add_kernel(Trace *t, uint64_t start_ns, uint64_t end_ns, uint32_t correlation)
{
    t->kernel = grow_array(t, t->kernel, t->nkernel, &t->kernel_space, sizeof *t->kernel);
    if (t->nkernel < t->kernel_space)
        t->kernel[t->nkernel++] = (TraceKernel){ start_ns, end_ns, correlation, TRACE_NO_CALL };
}

void trace_add_link(Trace *t, uint32_t correlation, uint64_t call)
{
    t->link = grow_array(t, t->link, t->nlink, &t->link_space, sizeof *t->link);
    if (t->nlink < t->link_space)
        t->link[t->nlink++] = (TraceLink){ correlation, call };
}

void trace_clear(Trace *t)
{
    t->nkernel = t->nlink = 0;
    t->ndropped = 0;
    t->out_of_memory = false;
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_call_and_start(const void *x, const void *y)
{
    const TraceKernel *a = x, *b = y;
    return a->call != b->call ? compare(a->call, b->call) : compare(a->start_ns, b->start_ns);
}

static int by_correlation(const void *x, const void *y)
{
    const TraceLink *a = x, *b = y;
    return compare(a->correlation, b->correlation);
}

double trace_union_ns(const TraceKernel *kernel, size_t n)
{
    uint64_t total = 0, covered_to = 0;
    for (size_t i = 0; i < n; i++) {
        if (kernel[i].start_ns == 0 || kernel[i].end_ns <= kernel[i].start_ns)
            return -1;
        uint64_t from = kernel[i].start_ns > covered_to ? kernel[i].start_ns : covered_to;
        if (kernel[i].end_ns > from) {
            total += kernel[i].end_ns - from;
            covered_to = kernel[i].end_ns;
        }
    }
    return (double)total;
}

/* Gives every kernel its call, and sorts kernels by call and start. */
static void assign_calls(Trace *t)
{
    qsort(t->link, t->nlink, sizeof *t->link, by_correlation);
    for (size_t k = 0; k < t->nkernel; k++) {
        TraceLink wanted = { t->kernel[k].correlation, 0 };
        const TraceLink *link = bsearch(&wanted, t->link, t->nlink, sizeof *t->link, by_correlation);
        t->kernel[k].call = link ? link->call : TRACE_NO_CALL;
    }
    qsort(t->kernel, t->nkernel, sizeof *t->kernel, by_call_and_start);
}

TraceStatus trace_times(Trace *t, uint64_t first, size_t n, double *ns)
{
    if (t->out_of_memory)
        return TRACE_BROKEN;
    if (t->ndropped)
        return TRACE_DROPPED;
    if (!t->nlink || !t->nkernel)
        return TRACE_MISSING;
    assign_calls(t);
    size_t begin = 0, most = 0, least = SIZE_MAX;
    while (begin < t->nkernel && t->kernel[begin].call < first)
        begin++;
    for (size_t i = 0; i < n; i++) {
        size_t end = begin;
        while (end < t->nkernel && t->kernel[end].call == first + i)
            end++;
        if (end == begin)
            return TRACE_MISSING;
        ns[i] = trace_union_ns(&t->kernel[begin], end - begin);
        if (ns[i] < 0)
            return TRACE_BROKEN;
        most = end - begin > most ? end - begin : most;
        least = end - begin < least ? end - begin : least;
        begin = end;
    }
    return least < most ? TRACE_UNEVEN : TRACE_OK;
}
