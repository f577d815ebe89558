/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign: what is in a package's folder and is not the package's. A package's files are those that its MANIFEST lists, and MANIFEST;
 * its folders are those that lead to such a file. All else is somebody's own: notes, a build folder, .git, a link in a file's place.
 * Symbolic links are not followed.
 */
#ifndef DCGEN_FOREIGN_H
#define DCGEN_FOREIGN_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/package/manifest.h"

typedef struct {
    const char **path; /* within the folder, sorted by byte value; of a folder, with a '/' behind */
    int n;
} ForeignList;

/* The manifest of the package in that folder. NULL: it has none (*err is NULL), or one that cannot be read (*err says why). */
const Manifest *foreign_manifest(Arena *a, const char *folder, const char **err);

/* All that `m` does not list; m may be NULL: all. A foreign folder is one entry, whatever is in it. False with errno set. */
bool foreign_list(Arena *a, const char *folder, const Manifest *m, ForeignList *out);

/* Removes the package in the folder `from`, by its own MANIFEST, and moves the rest to where it was, but in the folder `to`. Nothing
 * there is replaced. May be called again after a kill. False: `from` still holds what has no place in `to`, or cannot be moved. */
bool foreign_move(Arena *a, const char *from, const char *to);

#endif
