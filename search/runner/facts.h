/* SPDX-License-Identifier: Apache-2.0
 *
 * facts: what a runner's hello is made of: the targets there are, and this machine as a `device`.
 */
#ifndef DCGEN_FACTS_H
#define DCGEN_FACTS_H

#include <jansson.h>
#include "gen/target/device.h"

enum { FACTS_MAX_FOLDER = 64 };

/* Names a further folder of targets, to be searched behind those that were named before (target_read_folders). Unless
 * any is named, dcgen's own is looked for near this program. False: there are too many. */
bool facts_use_targets(const char *folder);
/* Reads all targets of the folders. False with *err set. */
bool facts_targets(Arena *a, TargetList *out, const char **err);
/* A device as an object of the protocol. */
json_t *facts_json(const Device *d);

#endif
