/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign: finds and moves what is in a package's folder and is not the package's. The package's files are MANIFEST and
 * those that it lists; its folders are those that lead to such a file. All else is foreign: notes, a build folder,
 * .git. Symbolic links are not followed.
 */
#ifndef DCGEN_FOREIGN_H
#define DCGEN_FOREIGN_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/package/manifest.h"

typedef struct {
    const char **path; /* within the folder; names in a folder are sorted by byte value; a folder's path ends in '/' */
    int n;
} ForeignList;

/* Reads the manifest of the package in a folder. NULL: there is none (*err is NULL), or it cannot be read (*err says
 * why). */
const Manifest *foreign_manifest(Arena *a, const char *folder, const char **err);

/* Lists what is not in the manifest; m NULL: all. A foreign folder is one entry. False with errno set. */
bool foreign_list(Arena *a, const char *folder, const Manifest *m, ForeignList *out);

/* Removes from the folder `from` the files that its own MANIFEST lists, moves the rest to the same paths in the folder
 * `to`, and removes `from`. Nothing in `to` is replaced. After a kill the next call completes this. False: `from` still
 * holds what has no place in `to`, or cannot be moved. */
bool foreign_move(Arena *a, const char *from, const char *to);

#endif
