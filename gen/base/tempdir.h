/* SPDX-License-Identifier: Apache-2.0
 *
 * tempdir: a folder of dcgen's own among those of others, and what becomes of it when its run was killed. It is called
 * PREFIX<process>-<16 hex digits>, is locked while it is in use, and holds a file .dcgen-temporary whose first line
 * names the format. Only a folder that has all of this (the name in exactly that form, our user, a process that is
 * gone, a lock that is free, the file) is ever removed by a later run. Symbolic links are not followed.
 */
#ifndef DCGEN_TEMPDIR_H
#define DCGEN_TEMPDIR_H

#include <stdbool.h>
#include "gen/base/arena.h"

#define TEMPDIR_MARK ".dcgen-temporary"

typedef struct {
    const char *path;
    int fd; /* holds the lock */
} TempDir;

/* Saves what a left-over folder holds of others before it goes; false: it stays as it is. */
typedef bool TempDirRescue(void *ctx, const char *path);

/* Makes a folder in `parent`, for this user alone. False with errno set. */
bool tempdir_make(Arena *a, const char *parent, const char *prefix, TempDir *out);
/* Removes the folder with all that is in it, its mark last. Mounted file systems and what links point to stay. */
void tempdir_remove(const TempDir *t);

/* Removes the folders in `parent` that were left by runs which are gone. rescue NULL: there is nothing to save. */
void tempdir_sweep(Arena *a, const char *parent, const char *prefix, TempDirRescue *rescue, void *ctx);

/* A run's own folder, which does not outlive the program, however it ends. A guard, a small process of its own, waits
 * for that end: when the program was killed, it kills what the program had started (compilers, runners, and what those
 * started) and removes the folder. A folder whose guard was killed too is removed by the next scratch_new. */
typedef struct Scratch Scratch;

/* Makes dcgen-<process>-<random> under TMPDIR (default /tmp); NULL with *err set. Processes started from now on are
 * known to the guard by DCGEN_RUN in their environment. To be called before threads are started. */
Scratch *scratch_new(Arena *a, const char **err);
const char *scratch_path(const Scratch *s);
void scratch_free(Scratch *s); /* removes the folder; what still runs is left alone. NULL is allowed */

#endif
