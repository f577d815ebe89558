/* SPDX-License-Identifier: Apache-2.0
 *
 * runner_cuda: what the files of dcgen-runner-cuda share that use the GPU. One request is: put the shape's operands
 * there and verify each kernel (check.c), then time the good ones interleaved (sample.c, timer.c, tracer.c).
 */
#ifndef DCGEN_RUNNER_CUDA_H
#define DCGEN_RUNNER_CUDA_H

#include <cuda_runtime_api.h>
#include <cupti.h>
#include "search/runner/cuda/host.h"
#include "search/runner/serve.h"
#include "templates/package/flush_l2.h"

/* ---- gpu.c: what the GPU is, and its memory with guard bands */

enum { GPU_EXIT_CODE = 4 };

typedef struct {
    struct cudaDeviceProp prop;
    char bus[32];
    int sm_arch; /* 90: compute capability 9.0 */
    int driver_version, runtime_version;
} Gpu;

/* Finds device 0. False: *err says in one line what is missing: driver, device, a newer driver. */
bool gpu_open(Arena *a, Gpu *g, const char **err);
/* Makes the device's context, so that work can begin. A tracer must be open before. */
bool gpu_begin(Arena *a, const Gpu *g, const char **err);
const char *gpu_version(Arena *a, int version); /* "CUDA 13.0" */
/* Fills in the `device` of the hello: isa lists the targets whose code the GPU runs, best first. by_events: how the GPU
 * is timed, which is part of id and name. False with *err set: no target's code runs there. */
bool gpu_device(Arena *a, const Gpu *g, const TargetList *list, bool by_events, Device *out, const char **err);

/* True if the error ruins the context: nothing runs on the GPU from then on. */
bool gpu_is_fatal(cudaError_t e);
/* Waits for the GPU. An error then is a kernel's fault and cannot be mended: this says so and ends the process. */
void gpu_wait(cudaStream_t stream, const char *what);
/* Ends the process with GPU_EXIT_CODE when e ruins the context. */
void gpu_check(cudaError_t e, const char *what);
/* Takes the code that a function that launches kernels returned, and returns it; for 0 the error that it did not
 * return, if there is one. Ends the process when that ruins the context. */
int gpu_launched(int code, const char *what);
/* Ends the process on any error: copies and fills of our memory fail only in a ruined context. */
void gpu_must(cudaError_t e, const char *what);

/* Loads an object whose kernels shall run here, and keeps it until the process ends, whoever closes it. Once the
 * address of an object that was closed is that of another one, the runtime may take code of the first for code of the
 * second (seen with CUDA 13.0 on an H200: wrong results, crashes, cudaErrorNoKernelImageForDevice). So a path stands
 * for one object as long as the process lives. One that cannot be loaded is left to the next. */
void gpu_keep_code(const char *so);

/* Device memory between two bands of at least 4 KiB; all of it is filled with NaN bytes. */
typedef struct {
    char *base, *data; /* data: NULL when bytes is 0 */
    size_t total_bytes, bytes;
} GpuBuffer;

/* data lies `offset` bytes behind a multiple of 256. False: no memory. */
bool gpu_buffer_new(GpuBuffer *b, size_t bytes, size_t offset);
void gpu_buffer_reset(GpuBuffer *b); /* as it was when it was new */
void gpu_buffer_free(GpuBuffer *b);
void gpu_buffer_fill(GpuBuffer *b, int byte);        /* the data, not the bands */
void gpu_buffer_put(GpuBuffer *b, const void *host); /* all of it */
void gpu_buffer_get(const GpuBuffer *b, void *host);
bool gpu_buffer_intact(const GpuBuffer *b); /* the bands are as they were */

/* ---- builtin.c: kernels of this program's own: one that does nothing, one that makes digests of memory */

/* Loads the kernels; called once a process, when the GPU has a context. False: there is no null kernel, but digests
 * work all the same. What is missing is said on stderr. */
bool builtin_open(int sms);
/* Starts the null kernel; stream: a cudaStream_t. 0, or the driver's error. */
int builtin_null(void *stream);

/* Bytes on the GPU. */
typedef struct {
    const void *data;
    size_t bytes;
} Span;
enum { MAX_SPAN = 16 };
/* The digests of n <= MAX_SPAN spans, once all work has ended. Equal bytes have equal digests wherever they lie. */
void builtin_digest(const Span *span, int n, uint64_t *digest);
/* True if operands of so many bytes cannot be compared: the CPU would have to make their digests, and that would take
 * longer than a request may (some GB/s, four times for each kernel). */
bool builtin_too_much(size_t bytes);

extern const char builtin_ptx[]; /* the code of both kernels */
/* The digest that the kernel gives for the same bytes on the GPU. */
uint64_t builtin_sum(const void *host, size_t bytes);

/* ---- tracer.c: when kernels began and ended on the GPU, as CUPTI tells it, if it is there and free */

/* Starts tracing; called once a process, before the GPU is used. False: `why` says what is missing. */
bool tracer_open(char why[LIBRARY_WHY_BYTES]);
void tracer_close(void);
/* Where CUPTI's library came from; "" when it was not found. */
const char *tracer_where(void);

/* Kernels started between these two belong to this call. One thread makes both. */
void tracer_call_begin(uint64_t call);
void tracer_call_end(void);

/* Forgets all records. Those of older calls that come later are skipped by their numbers. */
void tracer_clear(void);
/* Times of the calls first .. first+n-1, once the GPU has finished them. Waits a moment for records that are late. */
TraceStatus tracer_times(uint64_t first, size_t n, double *ns);

/* For tests: takes the records of one of CUPTI's buffers into t. next is cuptiActivityGetNextRecord's stand-in. */
typedef CUptiResult TracerNext(uint8_t *buffer, size_t bytes, CUpti_Activity **record);
void tracer_take(Trace *t, uint8_t *buffer, size_t bytes, TracerNext *next);

/* ---- timer.c: how long a call takes on the GPU, traced or by events */

enum { TIMER_MAX_CALLS = 2000, TIMER_GRAPH_CALLS = 64, TIMER_MAX_COLD = 8 };

typedef struct {
    int (*launch)(void *ctx); /* starts one call in the timer's stream; 0, or an error */
    void *ctx;
} TimerCall;

typedef struct {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    bool traced;
    char why[LIBRARY_WHY_BYTES]; /* why it is not traced, or no longer */
    Clocks *clocks;              /* looked at while the GPU works, or has just done so; NULL: nobody looks */
    PACKAGE_flush flush;         /* of the L2 cache; where it has no kernel, no call is cold */
    uint64_t next_call;
    bool has_null;
    double null_ns;  /* of an empty kernel; 0: not known */
    double worked_s; /* when samples were last taken, on the clock of process_clock_s; 0: none were */
    double warm_mhz; /* the GPU's clock behind the last whole warm-up; 0: not known */
    double ns[TIMER_MAX_CALLS + TIMER_MAX_COLD];
} Timer;

/* timer_trace is called before the context is made, timer_open after. */
void timer_trace(Timer *t, bool wanted);
bool timer_open(Arena *a, Timer *t, const Gpu *g, const char **err);
void timer_close(Timer *t);

/* TIMER_LOST: tracing fails, `why` says how. Times by events would not compare with those traced before: there are no
 * more times. Only timer_open turns to events, before there is any time. TIMER_UNEVEN: some calls seem to have fewer
 * kernels than others, so that their times would be too short; `why` says so. Other calls may still be timed.
 * TIMER_REFUSED: a call could not be started, or has no time. */
typedef enum { TIMER_OK, TIMER_LOST, TIMER_UNEVEN, TIMER_REFUSED } TimerStatus;

/* Mean of n <= TIMER_MAX_CALLS calls back to back. By events n is cut to TIMER_GRAPH_CALLS. */
TimerStatus timer_hot(Timer *t, TimerCall call, int64_t n, double *mean_ns);
/* A sample: one call whose time does not matter, n calls back to back, and ncold <= TIMER_MAX_COLD calls, each on a
 * cold L2 cache (none without a flush). Traced, all of it is started at once and waited for once. */
TimerStatus timer_sample(Timer *t, TimerCall call, int64_t n, double *mean_ns, int ncold, double *cold_ns);
/* Time of an empty kernel, the median of some; 0: not known. */
TimerStatus timer_null(Timer *t, double *ns);

/* ---- check.c: no kernel is timed before it has passed here */

typedef enum { ALIGNED, SHIFTED, PLACEMENTS } Placement;
enum { COLD_CALLS = 2, MAX_COLD = RECORD_MAX_SAMPLE * COLD_CALLS };

/* What a kernel keeps for its timing. */
typedef struct {
    GpuBuffer packed, scratch, counters;
    uint64_t packed_digest, zero_digest; /* of packed, of counters as they must be; with the bands */
    uint64_t output_digest;              /* of the result, once it was found right */
    int ncold;
    double cold_ns[MAX_COLD]; /* times behind a flush of the L2 cache, COLD_CALLS a sample */
} Extra;

/* A request's operands on the GPU. */
typedef struct {
    Work *work;
    const Setup *setup; /* the work's; likewise below */
    Shape *shape;
    cudaStream_t stream;
    GpuBuffer operand[PLACEMENTS][OP_MAX_OPERAND];
    uint64_t digest[PLACEMENTS][OP_MAX_OPERAND]; /* of inputs, with their bands */
    char *output;                                /* host: a result */
    Extra *extra;                                /* one a kernel */
} Check;

bool check_open(Check *c, Work *w, cudaStream_t stream);
void check_close(Check *c);

/* Loads and verifies a kernel. False: its status and why say what is wrong. */
bool check_kernel(Check *c, Kernel *k, Extra *e);
/* Checks a timed kernel: it must be as right as it was, with its memory as its calls left it. */
bool check_once_more(Check *c, Kernel *k, Extra *e);

/* Starts one call. Returns 0, a negative number (refused) or a cudaError_t. Fatal ones end the process. */
int check_launch(const Check *c, const Kernel *k, const Extra *e, Placement p);
/* Notes why a call was not started, and returns false. */
bool check_refused(Kernel *k, int code);

/* ---- sample.c: times of all kernels of a request in turn */

/* Fills samples and further result fields of kernels with status ok, and checks those again. False with why set. */
bool sample_all(Check *c, Timer *t, char why[WHY_BYTES]);

/* Is a GPU warm that took no samples for pause_s? mhz: its clock now; warm_mhz: behind the last warm-up; 0: unknown. */
bool sample_is_warm(double pause_s, double mhz, double warm_mhz);
/* How many calls fill a sample. */
int64_t sample_calls(double sample_ns, double call_ns);
/* The kernel that comes i-th of n in this round. */
int sample_order(int round, int i, int n);

/* ---- limits_cuda.c: what this GPU does at most */

bool limits_cuda(Arena *a, const LimitsRequest *q, const Gpu *g, Timer *t, LimitRecord *out, int *rounds,
                 const char **err);

#endif
