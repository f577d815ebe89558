/* SPDX-License-Identifier: Apache-2.0
 *
 * timetable: shares the seconds of a command among its jobs. The seconds are those of the whole command, so what its
 * end takes (choosing once more from all records, the report, the proofs of the dispatchers, writing) is set aside. A
 * job gets its share, by weight, of what is left when it begins: so what one leaves goes to those behind it, and what
 * one takes too much is taken from them.
 */
#ifndef DCGEN_TIMETABLE_H
#define DCGEN_TIMETABLE_H

#include <stdint.h>

typedef struct {
    double seconds;    /* of the command */
    int n, done;       /* jobs, and those that are over */
    int64_t ninstance; /* of all jobs together */
    const double *weight;
    double ending_s; /* what the end takes for the jobs that are over, as far as it is known */
} Timetable;

/* The seconds of the next job, where the command has taken elapsed_s. 0: the time is up, and it does only what every
 * job must have. */
double timetable_share(const Timetable *t, double elapsed_s);
/* How long the whole command takes, as far as can be foreseen: the seconds that were asked for, or, once these are up,
 * what the jobs that are left take if they take as long as the others did. */
double timetable_expected(const Timetable *t, double elapsed_s);

#endif
