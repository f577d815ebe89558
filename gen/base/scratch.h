/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch: a private temporary folder that does not outlive the program, however it ends. A guard, a small process of its own,
 * waits for that end: when the program was killed, it kills what the program had started (compilers, runners, and what those
 * started) and removes the folder. A folder whose guard was killed too is removed by the next scratch_new (gen/base/tempdir.h).
 */
#ifndef DCGEN_SCRATCH_H
#define DCGEN_SCRATCH_H

#include "gen/base/arena.h"

typedef struct Scratch Scratch;

/* Makes dcgen-<process>-<random> under TMPDIR (default /tmp); NULL with *err set. Processes started from now on are known to the guard
 * by DCGEN_RUN in their environment. To be called before threads are started. */
Scratch *scratch_new(Arena *a, const char **err);
const char *scratch_path(const Scratch *s);
void scratch_free(Scratch *s); /* removes the folder; what still runs is left alone. NULL is allowed */

#endif
