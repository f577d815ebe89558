/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA's run time for programs whose kernels the emulator executes: devices, memory, copies, errors, and how a program
 * ends in which something was found.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "templates/device/emulator/cuda_runtime_api.h"
#include "tests/search/runner/emu_call.h"

static const char *capability;

/* What the program says on stderr; its exit code. */
static int run(int (*program)(void), char said[1000])
{
    int ends[2], status;
    size_t have = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        if (capability)
            setenv("DCGEN_EMULATOR_CAPABILITY", capability, 1);
        exit(program());
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], said + have, 999 - have)) > 0;)
        have += (size_t)n;
    said[have] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CHECK(condition) \
    if (!(condition))    \
    return __LINE__ % 100 + 100

static int attribute(enum cudaDeviceAttr a)
{
    int value = -1;
    return cudaDeviceGetAttribute(&value, a, 0) == cudaSuccess ? value : -1;
}

static int tell_device(void)
{
    int count = -1;
    const cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaSuccess) {
        int value, device = -1;
        CHECK(cudaGetDevice(&device) == cudaSuccess && device == 0 && attribute(cudaDevAttrMultiProcessorCount) == 1);
        CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1) == cudaErrorInvalidDevice);
        CHECK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)1, 0) == cudaErrorInvalidValue);
    } else {
        void *p = &count;
        CHECK(cudaGetDevice(&count) == cudaErrorNoDevice && cudaDeviceSynchronize() == cudaErrorNoDevice);
        CHECK(cudaMalloc(&p, 0) == cudaErrorNoDevice && !p && cudaMemset(&count, 0, 0) == cudaErrorNoDevice);
        CHECK(cudaMemcpy(&count, &p, 0, cudaMemcpyHostToHost) == cudaErrorNoDevice);
    }
    fprintf(stderr, "%d %d %d.%d %d", (int)e, count, attribute(cudaDevAttrComputeCapabilityMajor),
            attribute(cudaDevAttrComputeCapabilityMinor), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / 1024);
    return 0;
}

TEST(devices_of_all_kinds)
{
    static const char *const cases[][2] = { { "75", "0 1 7.5 64" }, { "80", "0 1 8.0 163" }, { "86", "0 1 8.6 99" },
                                            { "89", "0 1 8.9 99" }, { "90", "0 1 9.0 227" }, { "", "0 1 9.0 227" },
                                            { "0", NULL } };
    for (int i = 0; i < 7; i++) {
        char said[1000];
        capability = cases[i][0];
        assert_int_equal(run(tell_device, said), 0);
        if (cases[i][1])
            assert_string_equal(said, cases[i][1]);
        else
            assert_string_equal(said, "100 0 -1.-1 0");
    }
    capability = NULL;
}

static int use_memory(void)
{
    char host[300] = { 1, 2, 3 }, back[300] = { 0 };
    void *p, *q, *none;
    CHECK(cudaMalloc(&p, 300) == cudaSuccess && cudaMalloc(&q, 300) == cudaSuccess);
    CHECK(cudaMalloc(&none, 0) == cudaSuccess && !none && cudaFree(NULL) == cudaSuccess);
    CHECK((uintptr_t)p % 256 == 0 && (uintptr_t)q % 256 == 0 && ((unsigned char *)p)[0] == 0xff);
    CHECK(cudaMemcpy(p, host, 300, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(q, p, 300, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(back, q, 300, cudaMemcpyDeviceToHost) == cudaSuccess && memcmp(host, back, 300) == 0);
    CHECK(cudaMemcpy(p, host, 301, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy((char *)p + 1, host, 300, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, p, 301, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, back, 3, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemset(q, 7, 300) == cudaSuccess && ((char *)q)[299] == 7);
    CHECK(cudaMemset(q, 7, 301) == cudaErrorInvalidValue && cudaMemset(host, 7, 3) == cudaErrorInvalidValue);
    CHECK(cudaFree(host) == cudaErrorInvalidValue && cudaFree(p) == cudaSuccess &&
          cudaFree(p) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(back, q, 300, cudaMemcpyDeviceToHost) == cudaSuccess && back[0] == 7); /* the other stays */
    for (int i = 0; i < 100; i++) /* there is room for as many at a time as there are regions, however many come */
        CHECK(cudaMalloc(&p, 10) == cudaSuccess && cudaFree(p) == cudaSuccess);
    for (int i = 1; i < EMU_MAX_REGION; i++)
        CHECK(cudaMalloc(&p, 5000) == cudaSuccess && (uintptr_t)p % 256 == 0 && ((unsigned char *)p)[4999] == 0xff);
    CHECK(cudaMalloc(&p, 10) == cudaErrorMemoryAllocation && !p && cudaFree(q) == cudaSuccess);
    CHECK(cudaMalloc(&p, SIZE_MAX) == cudaErrorMemoryAllocation &&
          cudaMalloc(&p, SIZE_MAX / 2) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, 10) == cudaSuccess && cudaMemcpy(NULL, NULL, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemset(NULL, 1, 0) == cudaSuccess && cudaMemcpy(host, back, 3, cudaMemcpyHostToHost) == cudaSuccess);
    CHECK(host[0] == back[0] && cudaMemcpy(p, p, 10, cudaMemcpyHostToHost) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}

static int copy_rows(void)
{
    const char from[] = "abcdefghijkl";
    char back[12] = { 0 };
    void *p;
    CHECK(cudaMalloc(&p, 12) == cudaSuccess && cudaMemset(p, '.', 12) == cudaSuccess);
    CHECK(cudaMemcpy2DAsync(p, 4, from, 6, 3, 2, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
    CHECK(cudaMemcpy2DAsync(p, 4, from, 6, 5, 2, cudaMemcpyHostToDevice, NULL) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2DAsync(p, 6, from, 4, 5, 2, cudaMemcpyHostToDevice, NULL) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyAsync((char *)p + 8, from + 4, 2, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 12, cudaMemcpyDeviceToHost) == cudaSuccess && memcmp(back, "abc.ghi.ef..", 12) == 0);
    CHECK(cudaFree(p) == cudaSuccess && cudaMalloc(&p, 12) == cudaSuccess);
    CHECK(cudaMemcpy2DAsync(p, 4, from, 6, 4, 2, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 8, cudaMemcpyDeviceToHost) == cudaSuccess && cudaStreamSynchronize(NULL) == cudaSuccess);
    CHECK(cudaMemcpyAsync((char *)p + 8, from, 2, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 10, cudaMemcpyDeviceToHost) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 12, cudaMemcpyDeviceToHost) == cudaSuccess); /* the last two bytes are nobody's */
    return 0;
}

static int copy_unwritten(void)
{
    void *p, *q;
    printf("what was printed stays\n");
    CHECK(cudaMalloc(&p, 8) == cudaSuccess && cudaFree(p) == cudaSuccess);
    CHECK(cudaMalloc(&p, 8) == cudaSuccess && cudaMalloc(&q, 8) == cudaSuccess &&
          cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemcpy(q, p, 4, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure && cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}

/* What lies between the rows of a copy is nobody's. */
static int copy_padding(void)
{
    char back[8];
    void *p;
    CHECK(cudaMalloc(&p, 16) == cudaSuccess);
    CHECK(cudaMemcpy2DAsync(p, 8, "abcdefgh", 4, 4, 2, cudaMemcpyHostToDevice, NULL) == cudaSuccess);
    CHECK(cudaMemcpy(back, (char *)p + 8, 4, cudaMemcpyDeviceToHost) == cudaSuccess && memcmp(back, "efgh", 4) == 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
    return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1;
}

static void say_errors(cudaError_t first, cudaError_t second)
{
    printf("%s, %s; ", cudaGetErrorString(first), cudaGetErrorString(second));
}

static int name_errors(void)
{
    say_errors(cudaSuccess, cudaErrorInvalidValue);
    say_errors(cudaErrorMemoryAllocation, cudaErrorInvalidConfiguration);
    say_errors(cudaErrorNoDevice, cudaErrorInvalidDevice);
    say_errors(cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice);
    say_errors(cudaErrorLaunchFailure, (cudaError_t)5);
    say_errors(cudaErrorStreamCaptureUnsupported, cudaSuccess);
    return 0;
}

static int read_unwritten(void)
{
    char back[8];
    void *p;
    CHECK(cudaMalloc(&p, 8) == cudaSuccess && cudaMemset(p, 1, 4) == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemcpy(back, p, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
    return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1;
}

static void count_up(unsigned *out)
{
    dcgen_emu_atomic_add(out + 1, 1, 1, 77);
    __tsan_read4(out + 1);
}

static int leave_a_counter(void)
{
    void *p;
    CHECK(cudaMalloc(&p, 8) == cudaSuccess && cudaMemset(p, 0, 8) == cudaSuccess);
    CHECK(launch_row(count_up, p, 4, 1, 0) == 0);
    return 0; /* told at the end */
}

static int be_refused(void)
{
    void *p;
    CHECK(cudaMalloc(&p, 8) == cudaSuccess);
    CHECK(launch_row(count_up, p, 0, 1, 0) == cudaErrorInvalidConfiguration);
    return 0; /* the program knows, so it is no fault */
}

static int say_once(void)
{
    void *p;
    CHECK(cudaMalloc(&p, 8) == cudaSuccess && cudaMemset(p, 0, 8) == cudaSuccess);
    CHECK(launch_row(count_up, p, 0, 1, 0) == cudaErrorInvalidConfiguration);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && launch_row(count_up, p, 2, 1, 0) == 0);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure && cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}

static void add_one(unsigned *out)
{
    __tsan_read4(out);
    const unsigned more = *out + 1;
    __tsan_write4(out);
    *out = more;
}

static int start(cudaStream_t stream, unsigned *out)
{
    static const unsigned one[3] = { 1, 1, 1 };
    void (*f)(unsigned *) = add_one;
    void *kernel;
    memcpy(&kernel, &f, sizeof kernel);
    return dcgen_emu_capture(stream, emu_call, kernel, &out, sizeof out, one, 0, one, 0);
}

/* A stream's launches are kept while it is captured, with the arguments that they had then, and made again as often as
 * the graph is launched. Nothing may be waited for meanwhile. */
static int keep_launches(void)
{
    void *p, *q;
    unsigned n = 0;
    cudaStream_t stream, other;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaMalloc(&p, 4) == cudaSuccess && cudaMemset(p, 0, 4) == cudaSuccess);
    CHECK(cudaStreamCreate(&stream) == cudaSuccess && cudaStreamCreate(&other) == cudaSuccess && stream != other);
    CHECK(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnsupported && !graph && !start(stream, p));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    CHECK(start(stream, p) && !start(other, p) && !start(NULL, p) && start(stream, p));
    CHECK(cudaMalloc(&q, 4) == cudaErrorStreamCaptureUnsupported && !q);
    CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported &&
          cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureUnsupported &&
          cudaMemset(p, 0, 4) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess && *(unsigned *)p == 0);
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess && cudaGraphLaunch(exec, other) == cudaSuccess);
    CHECK(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess && n == 4);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess && !start(stream, p));
    CHECK(cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(other) == cudaSuccess);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

static int write_before(void)
{
    void *p;
    CHECK(cudaMalloc(&p, 4096) == cudaSuccess);
    *((volatile char *)p - 1) = 1;
    return 0;
}

static int write_beyond(void)
{
    void *p;
    CHECK(cudaMalloc(&p, 256) == cudaSuccess);
    *((volatile char *)p + 256) = 1;
    return 0;
}

TEST(programs_end_with_what_was_found)
{
    static const struct {
        int (*program)(void);
        int code;
        const char *said;
    } cases[] = {
        { use_memory, 0, "" },
        { keep_launches, 0, "" },
        { read_unwritten, 4, "emulator: the host reads allocation 1 byte 4, which nobody has written\n" },
        { copy_padding, 4, "emulator: the host reads allocation 1 byte 4, which nobody has written\n" },
        { leave_a_counter, 4, "emulator: the counter at allocation 1 byte 4 is 4 after the launch, not 0\n" },
        { be_refused, 0, "emulator: a kernel launches an empty grid or block\n" },
        { write_beyond, -SIGSEGV, "" },
        { write_before, -SIGSEGV, "" },
        { copy_rows, 4, "emulator: the host reads allocation 2 byte 10, which nobody has written\n" },
        { copy_unwritten, 4,
          "emulator: the host reads allocation 2 byte 0, which nobody has written\nwhat was printed stays\n" },
        { say_once, 4,
          "emulator: a kernel launches an empty grid or block\nemulator: the counter at allocation 1 byte 4 is 2 after "
          "the launch, not 0\n" },
        { name_errors, 0,
          "no error, invalid argument; out of memory, invalid configuration argument; no CUDA-capable device is "
          "detected, "
          "invalid device ordinal; invalid device function, no kernel image is available for execution on the device; "
          "the emulator found a fault, unrecognized error code; operation not permitted when stream is capturing, no "
          "error; " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[1000];
        const int code = run(cases[i].program, said);
        if (code != cases[i].code)
            fail_msg("case %d: exit code %d\n%s", (int)i, code, said);
        assert_string_equal(said, cases[i].said);
    }
}
