/* SPDX-License-Identifier: Apache-2.0
 *
 * stop_soon: a flag that a signal raises in a moment, as a user's Ctrl-C would. Included behind cmocka.h.
 */
#ifndef DCGEN_TEST_STOP_SOON_H
#define DCGEN_TEST_STOP_SOON_H

#include <signal.h>
#include <sys/time.h>

static volatile int stop_flag;

static inline void raise_flag(int signal_number)
{
    (void)signal_number;
    stop_flag = 1;
}

static inline void stop_soon(void)
{
    stop_flag = 0;
    signal(SIGALRM, raise_flag);
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 200000 }, NULL), 0);
}

#endif
