/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml: the clock of the streaming multiprocessors and what holds it down, asked of the driver's management library.
 * Clocks of a shared machine are not ours to set, so they are recorded beside the times. All of it may be absent.
 */
#ifndef DCGEN_CUDA_NVML_H
#define DCGEN_CUDA_NVML_H

#include <stdbool.h>
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

/* Of two samples: the lower clock that is known, the reasons of both. */
NvmlSample nvml_worse(NvmlSample a, NvmlSample b);
/* "power,thermal" into text; "none". An idle GPU's low clock is no throttling. */
void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes);

#endif
