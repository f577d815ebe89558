/* SPDX-License-Identifier: Apache-2.0
 *
 * fake: a GPU for tests on machines without one. Its memory is the host's, its kernels are host functions, its clock
 * only moves when they say how long they take; so dcgen-runner-cuda runs whole, and its times can be foretold. The
 * program dcgen-runner-cuda-fake exports these to the candidates that it loads (candidate.c) and to the fake CUPTI.
 *
 *   FAKE_GPU=nodriver|olddriver|noruntime|nodevice|newer     what cudaGetDeviceCount finds (newer: no target runs on
 *                                                            it;
 *                                                  noruntime: cudaRuntimeGetVersion fails)
 *            noptx|nodigest|wrongdigest|noflush      what becomes of the runner's own kernels
 *   FAKE_FEW=BYTES:N                               there is memory for N pieces of that size, and none is ever given
 *                                                  back
 *   FAKE_COUNT=N                                   says at the end how many copies of N bytes came from the GPU
 *   FAKE_CUPTI=busy|drop|droponce|droplate|nolinks|zero     what goes wrong in the fake CUPTI
 *              late|uneven   of every tenth kernel behind the first 1000 the record comes 0.12 s late, or never
 *              withhold      records come when they are forced to
 */
#ifndef DCGEN_TEST_FAKE_H
#define DCGEN_TEST_FAKE_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel: run(arg) is called when it runs; arg is copied. On a cold cache it takes twice as long, on one full of what
 * must be written back three times. */
enum { FAKE_ARG_BYTES = 256, FAKE_NULL_NS = 1500, FAKE_GAP_NS = 500, FAKE_DIGEST_NS = 1000, FAKE_READ_NS = 700 };
void fake_launch(void (*run)(void *), const void *arg, int arg_bytes, int64_t takes_ns);
void fake_fault(int error); /* from within a kernel: the context is ruined, everything fails from now on */
void fake_hang(void);       /* from within a kernel: it never ends */

/* Called for each kernel that ran, between the begin and end of an API call. */
typedef struct {
    void (*api_call)(void);
    void (*kernel)(uint64_t start_ns, uint64_t end_ns);
} FakeTracer;
void fake_set_tracer(const FakeTracer *t); /* NULL: none */

#endif
