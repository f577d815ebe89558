/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: dcgen's side of a runner, the program that verifies and times kernels (search/runner/protocol.md): starts it,
 * speaks with it, ends it.
 */
#ifndef DCGEN_RUNNER_CLIENT_H
#define DCGEN_RUNNER_CLIENT_H

#include <jansson.h>
#include "search/record/record.h"

typedef struct Runner Runner;

/* A runner that is not started yet. command: argv[0..] NULL-terminated ("ssh","gpu1","dcgen-runner-c"), kept as long as
 * the runner. reference_so: compiled reference of the op. NULL with *err set. */
Runner *runner_new(Arena *a, const char *const *command, const Spec *spec, const char *reference_so, uint64_t seed,
                   const char **err);
/* The request that sets a runner up; reference_so may be NULL. Gives NULL where its path is not UTF-8. */
json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed, const char *reference_so);
const Device *runner_device(const Runner *r); /* as the runner describes it; compiler and flags empty */
/* Reads the device from a `device` object of the protocol. False: the object is incomplete. */
bool device_of_json(Arena *a, const json_t *device, Device *out);
void runner_stop(Runner *r); /* tells it to end, and waits a moment for that */

#endif
