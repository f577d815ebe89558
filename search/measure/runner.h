/* SPDX-License-Identifier: Apache-2.0
 *
 * runner: dcgen's side of a runner, the program that verifies and times kernels (search/runner/protocol.md): starts it, ends it.
 */
#ifndef DCGEN_RUNNER_CLIENT_H
#define DCGEN_RUNNER_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/spec/op.h"
#include "search/record/record.h"

typedef struct Runner Runner;

/* command: argv[0..] NULL-terminated ("ssh","gpu1","dcgen-runner-c"). reference_so: compiled reference of the op.
 * epilogues: which optional operands there are. NULL with *err set; stop may be NULL. */
Runner *runner_start(Arena *a, const char *const *command, const Op *op, const char *dtype,
                     const char *const *epilogues, int nepilogue, const char *reference_so, uint64_t seed,
                     const volatile int *stop, const char **err);
/* The request that sets a runner up, but for the path of the reference. */
json_t *runner_setup(const Op *op, const char *dtype, uint64_t seed);
const Device *runner_device(const Runner *r); /* as the runner said it; compiler and flags empty */
/* The same from a `device` object of the protocol. False: it is incomplete. */
bool device_of_json(Arena *a, const json_t *device, Device *out);
void runner_stop(Runner *r);

#endif
