/* SPDX-License-Identifier: MIT-0
 *
 * bench: how fast the package is on its tuned shapes, each with the kernel that the dispatcher chooses: operands in the caches as calls one
 * after the other leave them there. A result is verified before it is timed. What counts is the fastest of several bursts of calls.
 *
 *     NAME_bench [--json] [--seconds N]
 *
 * --json: besides the table, a line with one JSON object for each shape; --seconds: no shape is begun after so long.
 * Exit code 0: all measured; 1: a wrong result; 2: bad usage; 77: no device.
 */
#include "PACKAGE.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//@ problem

//@ run

/* ---- the benchmark ---- */

enum { NAME_rounds = 9, NAME_calls = 20, NAME_checked_terms = 1 << 24 };

/* The tuned shapes: EVERY_AXES. */
static const int64_t NAME_shapes[][NAME_nextent] = {
//@ shapes
};

static double NAME_work(EACH(every, double AXIS))
{
    (void)AXIS; //@ repeat every
    return FLOP_COUNT;
}

/* A call's time in a burst, in microseconds. */
static float NAME_burst_us(const NAME_site *s, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0;
    cudaEventRecord(begin, NULL);
    for (int i = 0; i < NAME_calls; i++)
        NAME_start(s, NULL, 0, NULL);
    cudaEventRecord(end, NULL);
    const cudaError_t code = cudaEventSynchronize(end);
    if (code != cudaSuccess || cudaEventElapsedTime(&ms, begin, end) != cudaSuccess)
        NAME_die("timing", code);
    return ms * 1000 / NAME_calls;
}

static void NAME_print_json(const int64_t *extent, int kernel, float us)
{
    printf("{");
    printf("\"AXIS\": %lld, ", (long long)extent[PLACE]); //@ repeat every
    printf("\"kernel\": %d, \"time_ns\": %.1f}\n", kernel, us * 1e3);
}

/* 1 if the package is wrong there. */
static int NAME_bench(const int64_t *extent, int is_json, cudaEvent_t begin, cudaEvent_t end)
{
    const int kernel = NAME_cuda_choose(EACH(axes, extent[PLACE]));
    NAME_site s = NAME_site_new(extent, NAME_checked_terms);
    NAME_send(&s, 0);
    const int wrong = NAME_start(&s, NULL, 0, NULL) != PACKAGE_OK || !(NAME_fetch_worst(&s, 0) <= 1);
    float us = INFINITY;
    for (int round = 0; round < NAME_rounds && !wrong; round++)
        us = fminf(us, NAME_burst_us(&s, begin, end));
    printf("%s", wrong ? "wrong: " : "");
    NAME_print_extents(&s.problem);
    if (!wrong)
        printf("  kernel %d %10.2f us %8.2f TFLOP/s", kernel, us, NAME_work(EACH(every, (double)extent[PLACE])) / us / 1e6);
    printf("\n");
    if (is_json && !wrong)
        NAME_print_json(extent, kernel, us);
    fflush(stdout);
    NAME_site_free(&s);
    return wrong;
}

int main(int argc, char **argv)
{
    cudaEvent_t begin, end;
    int ndevice = 0, wrong = 0, is_json = 0;
    double seconds = 1e9;
    const time_t began = time(NULL);
    for (int i = 1; i < argc; i++) {
        char *rest;
        if (strcmp(argv[i], "--json") == 0)
            is_json = 1;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc && (seconds = strtod(argv[++i], &rest)) > 0 && !*rest)
            continue;
        else {
            fprintf(stderr, "usage: %s [--json] [--seconds N]\n", argv[0]);
            return 2;
        }
    }
    if (cudaGetDeviceCount(&ndevice) != cudaSuccess || ndevice == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    if (cudaEventCreate(&begin) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess)
        NAME_die("cudaEventCreate", cudaGetLastError());
    for (size_t i = 0; i < sizeof NAME_shapes / sizeof *NAME_shapes; i++)
        if (difftime(time(NULL), began) < seconds)
            wrong += NAME_bench(NAME_shapes[i], is_json, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return wrong ? 1 : 0;
}
