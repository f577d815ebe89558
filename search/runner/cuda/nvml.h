/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml: the clock of the streaming multiprocessors and what holds it down, asked of the driver's management library.
 * Clocks of a shared machine are not ours to set, so they are recorded beside the times. All of it may be absent.
 */
#ifndef DCGEN_CUDA_NVML_H
#define DCGEN_CUDA_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Nvml Nvml;

/* bus: "0000:19:00.0", as cudaDeviceGetPCIBusId says it. NULL: `why` (of 200 bytes) says what is missing. */
Nvml *nvml_open(const char *bus, char *why);
void nvml_close(Nvml *n);

typedef struct {
    int clock_mhz;    /* of the SMs; 0: not known */
    uint64_t reasons; /* NVML's bits of what holds the clock down */
} NvmlSample;

NvmlSample nvml_sample(const Nvml *n); /* of a NULL n: nothing known */
const char *nvml_where(const Nvml *n); /* the library's file */

/* Samples under load: asked for as often as one likes, taken every 5 ms at most. */
enum { MAX_CLOCK = 64 };
typedef struct {
    const Nvml *nvml;
    double last_s;
    int n;                 /* that were taken; of more than MAX_CLOCK the last ones are kept */
    double mhz[MAX_CLOCK]; /* known ones */
    uint64_t reasons;      /* of all */
} Clocks;
void clocks_look(void *clocks);     /* a Clocks */
double clocks_mhz(const Clocks *c); /* the median; 0: not known */
/* "power,thermal" into text; "none". An idle GPU's low clock is no throttling. */
void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes);

#endif
