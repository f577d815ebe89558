/* SPDX-License-Identifier: Apache-2.0
 *
 * facts: what a runner's hello is made of: the targets there are, and this machine as a `device`.
 */
#ifndef DCGEN_FACTS_H
#define DCGEN_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/target/device.h"

/* All targets of the folder `dir`, NULL: looked for near this program. False with *err set. */
bool facts_targets(Arena *a, const char *dir, TargetList *out, const char **err);

/* This machine; targets: the folder of targets, NULL: looked for near this program. False with *err set. */
bool facts_device(Arena *a, const char *targets, Device *out, const char **err);
/* The same as an object of the protocol. NULL with *err set. */
json_t *facts_json(Arena *a, const char *targets, const char **err);

#endif
