/* SPDX-License-Identifier: Apache-2.0
 *
 * limits: code that measures limits (search/runner/abi.h) for the fake GPU: it does nothing, and says how long that
 * took. Rates are those below, of the second variant; the first is slower.
 *
 *   BROKEN  1 has no dcgen_limit   2 cannot be launched   3 knows no arithmetic   4 an illegal address
 */
#include <stdint.h>
#include <string.h>
#include "tests/search/runner/cuda/fake.h"

#ifndef BROKEN
#define BROKEN 0
#endif
enum { cudaErrorInvalidValue = 1, cudaErrorIllegalAddress = 700, NO_PROBE = -1, NVARIANT = 2 };

static const struct {
    const char *name;
    double per_ns; /* work */
} rows[] = { { "fma", 60e3 },           { "fma_reuse", 66e3 }, { "bf16", 600e3 }, { "f16", 600e3 },
             { "tf32", 300e3 },         { "shared", 30e3 },    { "l2", 5500 },    { "memory", 3000 },
             { "handover", 1 / 900.0 }, { "fill", 2000 } };

static void run(void *arg)
{
    (void)arg;
    if (BROKEN == 4)
        fake_fault(cudaErrorIllegalAddress);
}

static double work_of(const char *probe, int sms, int64_t rounds, int64_t bytes)
{
    if (strcmp(probe, "memory") == 0 || strcmp(probe, "l2") == 0 || strcmp(probe, "fill") == 0)
        return (double)rounds * (double)bytes * (*probe == 'l' ? sms : 1);
    return strcmp(probe, "handover") == 0 ? (double)rounds : 1e5 * (double)rounds * sms;
}

#if BROKEN == 1
#define dcgen_limit dcgen_limitless
#endif
int dcgen_limit(const char *probe, int variant, int sms, int64_t rounds, void *buffer, int64_t bytes, void *stream,
                double *work)
{
    if (BROKEN == 2 && strcmp(probe, "shared") == 0)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, probe) != 0 || variant >= NVARIANT || (BROKEN == 3 && i < 5))
            continue;
        if (!stream || !buffer)
            return cudaErrorInvalidValue;
        ((char *)buffer)[0] = ((char *)buffer)[bytes - 1] = 1;
        *work = work_of(probe, sms, rounds, bytes);
        fake_launch(run, "", 1, 1 + (int64_t)(*work / rows[i].per_ns) * (variant ? 1 : 2));
        return 0;
    }
    return NO_PROBE;
}
