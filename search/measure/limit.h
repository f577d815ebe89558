/* SPDX-License-Identifier: Apache-2.0
 *
 * limit: asks a runner for the device's limits (search/runner/protocol.md). A runner need not know them.
 */
#ifndef DCGEN_LIMIT_H
#define DCGEN_LIMIT_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "search/measure/runner.h"
#include "search/record/record.h"

typedef struct {
    const char *target, *dtype;
    int nthread;
    const int *threads; /* the counts that limits are wanted for */
    double max_ns;      /* of all counts together; samples are taken as long as this allows */
    const char *so;     /* of GPUs: the kernels that measure; NULL: the runner knows how */
} LimitRequest;

/* out[] has room for one a thread count; *n of them are filled in, with the runner's device: all or none. A runner that does not know
 * the request, dies of it or talks nonsense has none. False with *err set only when *stop became true. */
bool limit_measure(Runner *r, Arena *a, const LimitRequest *q, LimitRecord *out, int *n, const volatile int *stop,
                   const char **err);

#endif
