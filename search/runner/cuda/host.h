/* SPDX-License-Identifier: Apache-2.0
 *
 * host: what the files of dcgen-runner-cuda that touch no GPU offer: library.c, nvml.c, trace.c and watchdog.c. They
 * are built and tested where there is no CUDA toolkit, too.
 */
#ifndef DCGEN_CUDA_HOST_H
#define DCGEN_CUDA_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- library.c: shared libraries, opened when the program runs and used if they are there */

enum { LIBRARY_WHY_BYTES = 200 };
/* Opens the first of names, best first, NULL-terminated. NULL: none; `why`: the loader's. */
void *library_open(const char *const *names, char why[LIBRARY_WHY_BYTES]);
/* Finds the file of a library outside the loader's own path without opening it. False: there is none. */
bool library_find(const char *name, char path[PATH_MAX]);
/* The file that an open library came from; the text lasts as long as the library is open. */
const char *library_where(void *library);

/* A function of an open library by its name, and where its address goes. */
typedef struct {
    const char *name;
    void *function; /* a pointer to a function pointer */
} LibraryFunction;

/* Finds all n functions. False: `why` names the first that is missing. */
bool library_bind(void *library, const LibraryFunction *functions, int n, char why[LIBRARY_WHY_BYTES]);

/* ---- nvml.c: the clock of the streaming multiprocessors (SMs), and what holds it down */

/* Opens NVML, once a process. bus: "0000:19:00.0" (cudaDeviceGetPCIBusId). False: `why` says what is missing. */
bool nvml_open(const char *bus, char why[LIBRARY_WHY_BYTES]);
void nvml_close(void);
const char *nvml_where(void); /* the library's file; NULL: it is not in use */

/* Clocks under load. clocks_look may be called as often as one likes: it takes a sample every 5 ms at most. */
enum { MAX_CLOCK = 64 };
typedef struct {
    double last_s;         /* when the last sample was taken */
    int n;                 /* clocks that were told; the last MAX_CLOCK of them are kept */
    double mhz[MAX_CLOCK]; /* of the SMs */
    uint64_t reasons;      /* NVML's bits of what held the clock down in any of them */
} Clocks;
void clocks_look(Clocks *c);
double clocks_mhz(const Clocks *c); /* the median; 0: not known */
/* Writes the reasons into text: "power,thermal", or "none". An idle GPU's low clock is no throttling. */
void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes);

/* ---- trace.c: which kernels ran when, and for which call */

#define TRACE_NO_CALL UINT64_MAX

typedef struct {
    uint64_t start_ns, end_ns;
    uint32_t correlation;
    uint64_t call; /* set by trace_times */
} TraceKernel;

typedef struct {
    uint32_t correlation;
    uint64_t call;
} TraceLink;

typedef struct {
    TraceKernel *kernel;
    TraceLink *link;
    size_t nkernel, nlink, kernel_space, link_space;
    uint64_t ndropped; /* records the tracer lost */
    bool out_of_memory;
} Trace;

typedef enum {
    TRACE_OK,
    TRACE_MISSING, /* a call has no kernel (yet) */
    TRACE_UNEVEN,  /* a call has fewer kernels than another (yet) */
    TRACE_DROPPED, /* records were lost, so that a call may lack one of its kernels */
    TRACE_BROKEN   /* impossible times: zero, or an end that is not behind its start; or no memory */
} TraceStatus;
const char *trace_status_text(TraceStatus s);

void trace_add_kernel(Trace *t, uint64_t start_ns, uint64_t end_ns, uint32_t correlation);
void trace_add_link(Trace *t, uint32_t correlation, uint64_t call);
void trace_clear(Trace *t); /* forgets all records, keeps the memory */

/* Times of the calls first .. first+n-1, calls of the same code: each starts as many kernels. Sorts the trace. */
TraceStatus trace_times(Trace *t, uint64_t first, size_t n, double *ns);

/* Length of the union of n intervals, which are in order of their starts; negative: one of them is impossible. */
double trace_union_ns(const TraceKernel *kernel, size_t n);

/* ---- watchdog.c: ends this program when a kernel runs longer than it may */

enum { WATCHDOG_EXIT_CODE = 5 };

/* Starts the thread that watches; to be called once. False: it cannot be started. */
bool watchdog_start(void);
/* How long a kernel may take, 10 s unless set. */
void watchdog_set(double seconds);
/* Starts the countdown. The message at its end names `what`, which is copied. */
void watchdog_arm(const char *what);
/* The same for slow work of the host, such as loading the vendor's library of hundreds of megabytes: the limit is two
 * minutes, and meanwhile the function of watchdog_beat is called once a second. */
void watchdog_arm_long(const char *what);
void watchdog_disarm(void); /* stops the countdown */
/* Sets what is called once a second while watchdog_arm_long counts down, not after watchdog_disarm. NULL: nothing. */
void watchdog_beat(void (*beat)(void *ctx, int kernel), void *ctx, int kernel);

#endif
