/* SPDX-License-Identifier: Apache-2.0
 *
 * facts: this machine, as the `device` of the runner's hello.
 */
#ifndef DCGEN_FACTS_H
#define DCGEN_FACTS_H

#include <jansson.h>
#include "gen/arena.h"

/* targets: the folder of targets, NULL: looked for near this program. NULL with *err set. */
json_t *facts_json(Arena *a, const char *targets, const char **err);

#endif
