/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog: a thread that ends this program when what was armed has not been disarmed in time. A kernel that hangs
 * cannot be stopped from within its process; the end of the process ends its GPU context. dcgen blames the kernel of
 * the last `begin` and starts another runner.
 */
#define _GNU_SOURCE
#include "search/runner/cuda/host.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "gen/base/process.h"

enum { TICK_US = 20000, WHAT_BYTES = 160 };
static const double long_s = 120, beat_every_s = 1; /* long_s: the limit of watchdog_arm_long */

static struct {
    pthread_mutex_t mutex;
    bool armed;
    double armed_s, beaten_s; /* when it was armed, and when the last beat was */
    double seconds, limit_s;  /* the limit as set, and that of what is armed */
    bool beats;
    void (*beat)(void *ctx, int kernel);
    void *beat_ctx;
    int beat_kernel;
    char what[WHAT_BYTES];
} state = { .mutex = PTHREAD_MUTEX_INITIALIZER, .seconds = 10 };

/* Nothing is cleaned up: whatever waits for the GPU would wait for ever. */
static void end_program(void)
{
    dprintf(STDERR_FILENO, "dcgen-runner-cuda: no end within %g s: %s\n", state.limit_s, state.what);
    _exit(WATCHDOG_EXIT_CODE);
}

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        usleep(TICK_US);
        pthread_mutex_lock(&state.mutex);
        const double now_s = process_clock_s();
        if (state.armed && now_s - state.armed_s > state.limit_s)
            end_program();
        if (state.armed && state.beats && state.beat && now_s - state.beaten_s > beat_every_s) {
            state.beaten_s = now_s;
            state.beat(state.beat_ctx, state.beat_kernel);
        }
        pthread_mutex_unlock(&state.mutex);
    }
    return NULL;
}

bool watchdog_start(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

void watchdog_set(double seconds) { state.seconds = seconds; }

static void arm(const char *what, double limit_s, bool beats)
{
    pthread_mutex_lock(&state.mutex);
    state.armed = true;
    state.armed_s = state.beaten_s = process_clock_s();
    state.limit_s = limit_s;
    state.beats = beats;
    snprintf(state.what, sizeof state.what, "%s", what);
    pthread_mutex_unlock(&state.mutex);
}

void watchdog_arm(const char *what) { arm(what, state.seconds, false); }
void watchdog_arm_long(const char *what) { arm(what, long_s, true); }

void watchdog_disarm(void)
{
    pthread_mutex_lock(&state.mutex);
    state.armed = false;
    pthread_mutex_unlock(&state.mutex);
}

void watchdog_beat(void (*beat)(void *ctx, int kernel), void *ctx, int kernel)
{
    pthread_mutex_lock(&state.mutex);
    state.beat = beat;
    state.beat_ctx = ctx;
    state.beat_kernel = kernel;
    pthread_mutex_unlock(&state.mutex);
}
