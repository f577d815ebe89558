/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of dcgen-runner-cuda that need no GPU: times from traces, CUPTI's buffers (where its header is there), the
 * watchdog, clocks, libraries that are missing, code that stays loaded.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include "tests/test.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "search/runner/cuda/host.h"
#include "tests/put_file.h"
#ifdef DCGEN_HAVE_CUDA
#include "search/runner/cuda/runner_cuda.h"
#endif

/* ---- times from traces */

static void trace_free(Trace *t)
{
    free(t->kernel);
    free(t->link);
}

TEST(test_union)
{
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

TEST(test_times)
{
    Trace t = { 0 };
    double ns[3] = { 0 };
    add_call(&t, 12, 5000, 2); /* in no order */
    add_call(&t, 1, 100, 1);   /* not asked for: a flush */
    add_call(&t, 10, 200, 2);
    trace_add_kernel(&t, 300, 900, 77); /* of no call */
    assert_int_equal(trace_times(&t, 10, 3, ns), TRACE_MISSING);
    add_call(&t, 11, 400, 1);
    assert_int_equal(trace_times(&t, 10, 3, ns), TRACE_UNEVEN); /* the last kernel of a call comes late */
    assert_int_equal(trace_times(&t, 11, 1, ns), TRACE_OK);     /* nobody could know */
    trace_add_kernel(&t, 411, 422, 1011);
    assert_int_equal(trace_times(&t, 10, 3, ns), TRACE_OK);
    assert_true(ns[0] == 20);
    assert_true(ns[1] == 22);
    assert_true(ns[2] == 24);
    assert_int_equal(trace_times(&t, 11, 3, ns), TRACE_MISSING);
    trace_free(&t);
}

TEST(test_times_of_many)
{
    enum { N = 5000 };
    Trace t = { 0 };
    double *ns = calloc(N, sizeof *ns);
    for (uint64_t i = 0; i < N; i++)
        add_call(&t, 2 + i * 7919 % N, 1 + i * 100000, 2);
    assert_int_equal(trace_times(&t, 2, N, ns), TRACE_OK);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t call = 2 + i * 7919 % N;
        assert_true(ns[call - 2] == (double)(2 * call));
    }
    trace_free(&t);
    free(ns);
}

TEST(test_broken_traces)
{
    Trace t = { 0 };
    double ns[1];
    add_call(&t, 5, 100, 1);
    t.ndropped++;
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

TEST(test_watchdog)
{
    assert_int_equal(exit_code_of(hang), WATCHDOG_EXIT_CODE);
    assert_int_equal(exit_code_of(finish_in_time), 0);
}

/* ---- clocks, libraries */

TEST(test_reasons)
{
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

TEST(test_clocks)
{
    Clocks c = { 0 };
    clocks_look(&c); /* nobody to ask */
    assert_int_equal(c.n, 0);
    assert_true(clocks_mhz(&c) == 0);
    for (c.n = 0; c.n < MAX_CLOCK + 9; c.n++)
        c.mhz[c.n % MAX_CLOCK] = c.n % 3 ? 1700 : 1980;
    assert_true(clocks_mhz(&c) == 1700);
    c.n = 1;
    c.mhz[0] = 1410;
    assert_true(clocks_mhz(&c) == 1410);
}

TEST(test_missing_library)
{
    static const char *const names[] = { "libdcgen-no-such.so.1", "libdcgen-no-such.so", NULL };
    static const char *const libc[] = { "libc.so.6", NULL };
    int (*puts_of_libc)(const char *) = NULL, (*none)(void) = NULL;
    const LibraryFunction good = { "puts", &puts_of_libc }, bad = { "dcgen_no_such", &none };
    char why[200];
    assert_null(library_open(names, why));
    assert_non_null(strstr(why, "libdcgen-no-such.so.1"));
    void *library = library_open(libc, why);
    assert_non_null(library);
    assert_true(*library_where(library) == '/' && strstr(library_where(library), "libc.so.6"));
    assert_true(library_bind(library, &good, 1, why));
    assert_non_null(puts_of_libc);
    assert_false(library_bind(library, &bad, 1, why));
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

static CUptiResult next(uint8_t *buffer, size_t bytes, CUpti_Activity **record)
{
    const void *const all[] = { &links[0], &api, &kernels[0], &links[1], &kernels[1] };
    static size_t at;
    if (at == sizeof all / sizeof *all)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (void *)all[at++];
    return CUPTI_SUCCESS;
}

TEST(test_take)
{
    Trace t = { 0 };
    double ns[1];
    tracer_take(&t, NULL, 0, next);
    assert_int_equal(t.nkernel, 2);
    assert_int_equal(t.nlink, 1); /* the other is of somebody else's kind */
    assert_int_equal(trace_times(&t, 42, 1, ns), TRACE_OK);
    assert_true(ns[0] == 60);
    trace_free(&t);
}

TEST(test_samples)
{
    assert_int_equal(sample_calls(200000, 5000), 40);
    assert_int_equal(sample_calls(200000, 3e9), 1);
    assert_int_equal(sample_calls(200000, 0), TIMER_MAX_CALLS);
    assert_int_equal(sample_calls(0, 5000), 1);
    assert_int_equal(sample_order(0, 0, 3), 0);
    assert_int_equal(sample_order(1, 0, 3), 2);
    assert_int_equal(sample_order(-1, 2, 3), 0);
}

/* A moment after samples a GPU is warm; where its clock is known, for longer, but not once that has fallen. */
TEST(test_warm)
{
    assert_true(sample_is_warm(0.01, 0, 0) && !sample_is_warm(0.1, 0, 0));
    assert_true(sample_is_warm(0.01, 1980, 0) && !sample_is_warm(0.1, 1980, 0));
    assert_true(sample_is_warm(0.01, 0, 1980) && !sample_is_warm(0.1, 0, 1980));
    assert_true(sample_is_warm(0.1, 1980, 1980) && sample_is_warm(0.1, 1980, 1500) && sample_is_warm(0.1, 1965, 1980));
    assert_true(!sample_is_warm(0.001, 345, 1980) && !sample_is_warm(2, 1980, 1980));
}

/* ---- libraries of Python packages and of toolkits */

static void put_library(const char *root, const char *below)
{
    char command[900];
    snprintf(command, sizeof command, "mkdir -p %s/%s && cp %s/tests/cuda/libnvidia-ml.so.1 %s/%s/libdcgen-x.so.1",
             root, below, DCGEN_BINARY_DIR, root, below);
    assert_int_equal(system(command), 0);
}

static void expect_library(const char *root, const char *below)
{
    static const char *const names[] = { "libdcgen-x.so.2", "libdcgen-x.so.1", NULL };
    char why[200], where[PATH_MAX], want[PATH_MAX];
    snprintf(want, sizeof want, "%s/%s/libdcgen-x.so.1", root, below);
    void *library = library_open(names, why);
    assert_non_null(library);
    assert_string_equal(library_where(library), want);
    dlclose(library);
    assert_true(library_find(names[1], where));
    assert_string_equal(where, want);
    assert_false(library_find(names[0], where));
}

TEST(test_places)
{
    static const char *const below[] = { "venv/lib/python3.11/site-packages/nvidia/cu13/lib",
                                         "cuda/targets/x86_64-linux/lib", "cuda/extras/CUPTI/lib64", "cuda/lib64" };
    char root[] = "/tmp/dcgen-lib-XXXXXX", path[PATH_MAX], command[100];
    const char *path_was = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    assert_non_null(mkdtemp(root));
    put_library(root, below[0]);
    snprintf(path, sizeof path, "%s/venv/bin", root);
    assert_true(mkdir(path, 0777) == 0);
    snprintf(path, sizeof path, "%s/venv/bin/python3", root);
    assert_true(symlink("/bin/sh", path) == 0);
    snprintf(path, sizeof path, "/nowhere:%s/venv/bin:/usr/bin:/bin", root);
    setenv("PATH", path, 1); /* the environment of the python3 in PATH */
    expect_library(root, below[0]);
    setenv("PATH", path_was, 1);
    free((void *)path_was);
    snprintf(path, sizeof path, "%s/venv", root);
    setenv("VIRTUAL_ENV", path, 1);
    expect_library(root, below[0]);
    snprintf(path, sizeof path, "%s/cuda", root);
    setenv("CUDA_HOME", path, 1); /* a toolkit goes before a package; better folders of it go first */
    for (size_t i = 1; i < sizeof below / sizeof *below; i++) {
        put_library(root, below[i]);
        expect_library(root, below[i]);
    }
    unsetenv("CUDA_HOME");
    unsetenv("VIRTUAL_ENV");
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* ---- digests */

TEST(test_digest)
{
    const char x[] = "0123456789", y[] = "0123456798",
               z[] = "\0"
                     "0123456789";
    assert_true(builtin_sum(x, 0) == 0);
    assert_true(builtin_sum(x, 10) == builtin_sum(z + 1, 10));
    assert_true(builtin_sum(x, 10) != builtin_sum(y, 10));
    assert_true(builtin_sum(x, 10) != builtin_sum(x, 9));
    assert_true(builtin_sum("\0\0", 1) != builtin_sum("\0\0", 2));
}

/* The texts are good for all GPUs that there are targets of. */
TEST(test_ptx)
{
    const char *const texts[] = { builtin_ptx, PACKAGE_flush_ptx };
    static const char *const models[] = { "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a" };
    const char *home = getenv("CUDA_HOME");
    char folder[] = "/tmp/dcgen-ptx-XXXXXX", command[600];
    char find[200];
    snprintf(find, sizeof find, "PATH=$PATH:%s/bin; ptxas", home ? home : "/usr/local/cuda");
    snprintf(command, sizeof command, "%s --version > /dev/null 2>&1", find);
    if (system(command) != 0) {
        print_message("skipped: no ptxas\n");
        skip();
    }
    assert_non_null(mkdtemp(folder));
    int code = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        snprintf(command, sizeof command, "%s/kernels.ptx", folder);
        put_file(command, texts[k]);
        for (size_t i = 0; i < sizeof models / sizeof *models && code == 0; i++) {
            snprintf(command, sizeof command, "%s -arch=%s -o %s/out %s/kernels.ptx", find, models[i], folder, folder);
            code = system(command);
        }
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(code, 0);
}

TEST(test_errors)
{
    assert_true(gpu_is_fatal(cudaErrorIllegalAddress));
    assert_true(gpu_is_fatal(cudaErrorMisalignedAddress));
    assert_true(gpu_is_fatal(cudaErrorNvlinkUncorrectable));
    assert_true(gpu_is_fatal(cudaErrorMpsClientTerminated));
    assert_false(gpu_is_fatal(cudaErrorNoKernelImageForDevice));
    assert_false(gpu_is_fatal(cudaSuccess));
    assert_false(gpu_is_fatal(cudaErrorInvalidValue));
    assert_false(gpu_is_fatal(cudaErrorMemoryAllocation));
}

/* ---- code */

static bool is_loaded(const char *so) { return dlopen(so, RTLD_LAZY | RTLD_NOLOAD) != NULL; }

/* A library of glibc that nothing here needs. */
TEST(test_code_stays)
{
    const char *so = "libanl.so.1";
    void *code = dlopen(so, RTLD_LAZY);
    if (!code || dlclose(code) != 0 || is_loaded(so))
        skip();
    gpu_keep_code(so);
    code = dlopen(so, RTLD_LAZY);
    assert_true(dlclose(code) == 0 && dlclose(code) == 0);
    assert_true(is_loaded(so));
    gpu_keep_code("there is no such file");
}
#else
TEST(test_take)
{
    print_message("skipped: built without a CUDA toolkit\n");
    skip();
}
#endif
