/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "search/runner/cuda/watchdog.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "search/process.h"

enum { TICK_US = 20000, WHAT_BYTES = 160 };

static struct {
    pthread_mutex_t mutex;
    bool armed;
    double armed_s, seconds;
    char what[WHAT_BYTES];
} state = { .mutex = PTHREAD_MUTEX_INITIALIZER, .seconds = 10 };

bool watchdog_overdue(double now_s, double armed_s, double seconds) { return now_s - armed_s > seconds; }

/* Nothing is cleaned up: whatever waits for the GPU would wait for ever. */
static void bite(void)
{
    char text[WHAT_BYTES + 100];
    int len = snprintf(text, sizeof text, "dcgen-runner-cuda: no end within %g s: %s\n", state.seconds, state.what);
    if (write(STDERR_FILENO, text, (size_t)len) < 0)
        _exit(WATCHDOG_EXIT_CODE + 1);
    _exit(WATCHDOG_EXIT_CODE);
}

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        usleep(TICK_US);
        pthread_mutex_lock(&state.mutex);
        if (state.armed && watchdog_overdue(process_clock_s(), state.armed_s, state.seconds))
            bite();
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

void watchdog_arm(const char *what)
{
    pthread_mutex_lock(&state.mutex);
    state.armed = true;
    state.armed_s = process_clock_s();
    snprintf(state.what, sizeof state.what, "%s", what);
    pthread_mutex_unlock(&state.mutex);
}

void watchdog_disarm(void)
{
    pthread_mutex_lock(&state.mutex);
    state.armed = false;
    pthread_mutex_unlock(&state.mutex);
}
