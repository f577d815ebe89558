/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of dcgen-runner-cuda that need no GPU: times from traces, CUPTI's buffers (where its header is there), the
 * watchdog, clocks, libraries that are missing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "search/runner/cuda/library.h"
#include "search/runner/cuda/nvml.h"
#include "search/runner/cuda/trace.h"
#include "search/runner/cuda/watchdog.h"
#ifdef DCGEN_HAVE_CUDA
#include <cupti.h>
#include "search/runner/cuda/sample.h"
#include "search/runner/cuda/tracer.h"
#endif

/* ---- times from traces */

static void test_union(void **state)
{
    (void)state;
    const TraceKernel apart[] = { { .start_ns = 10, .end_ns = 20 }, { .start_ns = 30, .end_ns = 35 } };
    const TraceKernel overlapping[] = { { .start_ns = 10, .end_ns = 20 }, { .start_ns = 15, .end_ns = 40 } };
    const TraceKernel inside[] = { { .start_ns = 10, .end_ns = 50 },
                                   { .start_ns = 15, .end_ns = 20 },
                                   { .start_ns = 45, .end_ns = 60 } };
    assert_true(trace_union_ns(NULL, 0) == 0);
    assert_true(trace_union_ns(apart, 2) == 15);
    assert_true(trace_union_ns(overlapping, 2) == 30);
    assert_true(trace_union_ns(inside, 3) == 50);
}

/* Call c has the correlation c + 1000; its kernels last c ns, the second one begins where the first ends. */
static void add_call(Trace *t, uint64_t call, uint64_t at_ns, int nkernel)
{
    const uint32_t correlation = (uint32_t)call + 1000;
    trace_add_link(t, correlation, call);
    for (int i = 0; i < nkernel; i++, at_ns += call)
        trace_add_kernel(t, at_ns, at_ns + call, correlation);
}

static void test_times(void **state)
{
    (void)state;
    Trace t = { 0 };
    double ns[3] = { 0 };
    add_call(&t, 12, 5000, 2); /* in no order */
    add_call(&t, 1, 100, 1);   /* not asked for: a flush */
    add_call(&t, 10, 200, 1);
    trace_add_kernel(&t, 300, 900, 77); /* of no call */
    assert_int_equal(trace_times(&t, 10, 3, ns), TRACE_MISSING);
    add_call(&t, 11, 400, 3);
    assert_int_equal(trace_times(&t, 10, 3, ns), TRACE_OK);
    assert_true(ns[0] == 10);
    assert_true(ns[1] == 33);
    assert_true(ns[2] == 24);
    assert_int_equal(trace_times(&t, 11, 3, ns), TRACE_MISSING);
    trace_free(&t);
}

static void test_times_of_many(void **state)
{
    (void)state;
    enum { N = 5000 };
    Trace t = { 0 };
    double *ns = calloc(N, sizeof *ns);
    for (uint64_t i = 0; i < N; i++)
        add_call(&t, 2 + i * 7919 % N, 1 + i * 100000, 1 + (int)(i % 2));
    assert_int_equal(trace_times(&t, 2, N, ns), TRACE_OK);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t call = 2 + i * 7919 % N;
        assert_true(ns[call - 2] == (double)(call * (1 + i % 2)));
    }
    trace_free(&t);
    free(ns);
}

static void test_broken_traces(void **state)
{
    (void)state;
    Trace t = { 0 };
    double ns[1];
    add_call(&t, 5, 100, 1);
    trace_add_dropped(&t, 1);
    assert_int_equal(trace_times(&t, 5, 1, ns), TRACE_DROPPED);
    trace_clear(&t);
    assert_int_equal(trace_times(&t, 5, 1, ns), TRACE_MISSING);
    add_call(&t, 5, 0, 1);
    assert_int_equal(trace_times(&t, 5, 1, ns), TRACE_BROKEN);
    trace_clear(&t);
    trace_add_link(&t, 9, 5);
    trace_add_kernel(&t, 200, 100, 9);
    assert_int_equal(trace_times(&t, 5, 1, ns), TRACE_BROKEN);
    trace_free(&t);
}

/* ---- watchdog */

static int exit_code_of(void (*child)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr) || !watchdog_start())
            _exit(99);
        child();
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void hang(void)
{
    watchdog_set(0.05);
    watchdog_arm("a kernel");
    for (;;)
        pause();
}

static void finish_in_time(void)
{
    watchdog_set(3600);
    watchdog_arm("a kernel");
    watchdog_disarm();
    watchdog_set(0.001);
    usleep(100000);
}

static void test_watchdog(void **state)
{
    (void)state;
    assert_false(watchdog_overdue(100, 95, 10));
    assert_false(watchdog_overdue(105, 95, 10));
    assert_true(watchdog_overdue(105.1, 95, 10));
    assert_int_equal(exit_code_of(hang), WATCHDOG_EXIT_CODE);
    assert_int_equal(exit_code_of(finish_in_time), 0);
}

/* ---- clocks, libraries */

static void test_reasons(void **state)
{
    (void)state;
    char text[200], little[8];
    nvml_reasons_text(0, text, sizeof text);
    assert_string_equal(text, "none");
    nvml_reasons_text(0x1, text, sizeof text); /* idle */
    assert_string_equal(text, "none");
    nvml_reasons_text(0x1 | 0x4 | 0x40, text, sizeof text);
    assert_string_equal(text, "power,hw_thermal");
    nvml_reasons_text(0x1ff, little, sizeof little);
    assert_true(strlen(little) < sizeof little);
}

static void test_worse(void **state)
{
    (void)state;
    NvmlSample w = nvml_worse((NvmlSample){ 1980, 0x4 }, (NvmlSample){ 1700, 0x20 });
    assert_int_equal(w.clock_mhz, 1700);
    assert_int_equal(w.reasons, 0x24);
    w = nvml_worse((NvmlSample){ 0, 0 }, (NvmlSample){ 1700, 0 });
    assert_int_equal(w.clock_mhz, 1700);
    w = nvml_worse((NvmlSample){ 1500, 0 }, (NvmlSample){ 0, 0 });
    assert_int_equal(w.clock_mhz, 1500);
    assert_int_equal(nvml_sample(NULL).clock_mhz, 0);
}

static void test_missing_library(void **state)
{
    (void)state;
    static const char *const names[] = { "libdcgen-no-such.so.1", "libdcgen-no-such.so", NULL };
    static const char *const libc[] = { "libc.so.6", NULL };
    int (*puts_of_libc)(const char *) = NULL, (*none)(void) = NULL;
    const LibraryFunction good = { "puts", &puts_of_libc }, bad = { "dcgen_no_such", &none };
    char why[200];
    assert_null(library_open(names, why, sizeof why));
    assert_non_null(strstr(why, "libdcgen-no-such.so.1"));
    void *library = library_open(libc, why, sizeof why);
    assert_non_null(library);
    assert_true(library_bind(library, &good, 1, why, sizeof why));
    assert_non_null(puts_of_libc);
    assert_false(library_bind(library, &bad, 1, why, sizeof why));
    assert_string_equal(why, "the library lacks dcgen_no_such");
}

/* ---- CUPTI's buffers */

#ifdef DCGEN_HAVE_CUDA
/* Two records of each kind that matters, and one that does not. */
static const CUpti_ActivityKernel4 kernels[] = {
    { .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = 100, .end = 160, .correlationId = 7 },
    { .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = 170, .end = 200, .correlationId = 8 }
};
static const CUpti_ActivityExternalCorrelation links[] = { { .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                             .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                             .externalId = 42,
                                                             .correlationId = 7 },
                                                           { .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                             .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1,
                                                             .externalId = 42,
                                                             .correlationId = 8 } };
static const CUpti_ActivityAPI api = { .kind = CUPTI_ACTIVITY_KIND_RUNTIME, .correlationId = 7 };

static int next(uint8_t *buffer, size_t bytes, void **record)
{
    const void *const all[] = { &links[0], &api, &kernels[0], &links[1], &kernels[1] };
    static size_t at;
    (void)buffer;
    (void)bytes;
    if (at == sizeof all / sizeof *all)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (void *)all[at++];
    return CUPTI_SUCCESS;
}

static void test_take(void **state)
{
    (void)state;
    Trace t = { 0 };
    double ns[1];
    tracer_take(&t, NULL, 0, next);
    assert_int_equal(t.nkernel, 2);
    assert_int_equal(t.nlink, 1); /* the other is of somebody else's kind */
    assert_int_equal(trace_times(&t, 42, 1, ns), TRACE_OK);
    assert_true(ns[0] == 60);
    trace_free(&t);
}

static void test_samples(void **state)
{
    (void)state;
    assert_int_equal(sample_calls(200000, 5000), 40);
    assert_int_equal(sample_calls(200000, 3e9), 1);
    assert_int_equal(sample_calls(200000, 0), TIMER_MAX_CALLS);
    assert_int_equal(sample_calls(0, 5000), 1);
    assert_int_equal(sample_order(0, 0, 3), 0);
    assert_int_equal(sample_order(1, 0, 3), 2);
    assert_int_equal(sample_order(-1, 2, 3), 0);
}

static void test_errors(void **state)
{
    (void)state;
    assert_true(gpu_is_fatal(cudaErrorIllegalAddress));
    assert_true(gpu_is_fatal(cudaErrorMisalignedAddress));
    assert_false(gpu_is_fatal(cudaSuccess));
    assert_false(gpu_is_fatal(cudaErrorInvalidValue));
    assert_false(gpu_is_fatal(cudaErrorMemoryAllocation));
}
#else
static void test_take(void **state)
{
    (void)state;
    print_message("skipped: built without a CUDA toolkit\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_union),         cmocka_unit_test(test_times),
                                        cmocka_unit_test(test_times_of_many), cmocka_unit_test(test_broken_traces),
                                        cmocka_unit_test(test_watchdog),      cmocka_unit_test(test_reasons),
                                        cmocka_unit_test(test_worse),         cmocka_unit_test(test_missing_library),
#ifdef DCGEN_HAVE_CUDA
                                        cmocka_unit_test(test_samples),       cmocka_unit_test(test_errors),
#endif
                                        cmocka_unit_test(test_take) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
