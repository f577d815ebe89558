/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml: the clock of the streaming multiprocessors and what holds it down, asked of the driver's management library.
 * Clocks of a shared machine are not ours to set, so they are recorded beside the times. All of it may be absent.
 */
#ifndef DCGEN_CUDA_NVML_H
#define DCGEN_CUDA_NVML_H

#include <stdbool.h>
#include <stdint.h>
#include "search/runner/cuda/library.h"

/* Once a process. bus: "0000:19:00.0", as cudaDeviceGetPCIBusId says it. False: `why` says what is missing, and nothing is known of clocks. */
bool nvml_open(const char *bus, char why[LIBRARY_WHY_BYTES]);
void nvml_close(void);
const char *nvml_where(void); /* the library's file; NULL: it is not in use */

/* Samples under load: asked for as often as one likes, taken every 5 ms at most. */
enum { MAX_CLOCK = 64 };
typedef struct {
    double last_s;
    int n;                 /* that were taken; of more than MAX_CLOCK the last ones are kept */
    double mhz[MAX_CLOCK]; /* of the SMs, where it was told */
    uint64_t reasons;      /* NVML's bits of what held the clock down in any of them */
} Clocks;
void clocks_look(Clocks *c);
double clocks_mhz(const Clocks *c); /* the median; 0: not known */
/* "power,thermal" into text; "none". An idle GPU's low clock is no throttling. */
void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes);

#endif
