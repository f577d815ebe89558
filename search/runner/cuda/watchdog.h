/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog: ends this program when a kernel does not. A kernel that hangs cannot be stopped from within its process;
 * the end of the process ends its GPU context. dcgen blames the kernel of the last `begin` and starts another runner.
 */
#ifndef DCGEN_CUDA_WATCHDOG_H
#define DCGEN_CUDA_WATCHDOG_H

#include <stdbool.h>

enum { WATCHDOG_EXIT_CODE = 5 };

/* Starts the thread that watches; false: it cannot be started. Once a process. */
bool watchdog_start(void);
/* How long a kernel may take, 10 s unless set. */
void watchdog_set(double seconds);
/* From here the GPU has so long. `what` is named when the time is over; it is copied. */
void watchdog_arm(const char *what);
/* The same for what the host does: loading code, which a disk may be slow to give (the vendor's library has hundreds of megabytes), has two
 * minutes, and whoever waits for this program hears of it by a beat once a second. */
void watchdog_arm_long(const char *what);
void watchdog_disarm(void);
/* What makes a beat, in the watching thread, and never when watchdog_disarm has returned; NULL: nothing does. */
void watchdog_beat(void (*beat)(void *ctx), void *ctx);

#endif
