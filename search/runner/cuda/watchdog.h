/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog: ends this program when a kernel runs longer than it may. A kernel that hangs cannot be stopped from within its process;
 * the end of the process ends its GPU context. dcgen blames the kernel of the last `begin` and starts another runner.
 */
#ifndef DCGEN_CUDA_WATCHDOG_H
#define DCGEN_CUDA_WATCHDOG_H

#include <stdbool.h>

enum { WATCHDOG_EXIT_CODE = 5 };

/* Starts the thread that watches; to be called once. False: it cannot be started. */
bool watchdog_start(void);
/* How long a kernel may take, 10 s unless set. */
void watchdog_set(double seconds);
/* Starts the countdown. The message at its end names `what`, which is copied. */
void watchdog_arm(const char *what);
/* The same for slow work of the host, such as loading the vendor's library of hundreds of megabytes: the limit is two minutes, and meanwhile the
 * function of watchdog_beat is called once a second. */
void watchdog_arm_long(const char *what);
void watchdog_disarm(void); /* stops the countdown */
/* Sets what the watching thread calls once a second while watchdog_arm_long counts down; it is not called after watchdog_disarm has returned.
 * NULL: nothing. */
void watchdog_beat(void (*beat)(void *ctx, int kernel), void *ctx, int kernel);

#endif
