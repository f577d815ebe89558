/* SPDX-License-Identifier: Apache-2.0
 *
 * install_path: where dcgen's own files are: beside the program, in its installation, or in the source tree of its build, wherever the build
 * folder is.
 */
#ifndef DCGEN_PLACE_H
#define DCGEN_PLACE_H

#include "gen/base/arena.h"

/* The folder `templates` (with targets/, package/ and one folder an op); NULL: not found. */
const char *place_templates(Arena *a);
/* The folder of recorded measurements, one folder a device in it; NULL: there is none. */
const char *place_records(Arena *a);
/* The program dcgen-runner-<kind>; NULL: not found. */
const char *place_runner(Arena *a, const char *kind);

#endif
