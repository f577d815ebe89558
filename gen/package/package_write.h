/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: a package from memory to disk, whole or not at all. At every moment, also when the program is killed,
 * the output folder is the whole old package or the whole new one (or absent, when there was none).
 */
#ifndef DCGEN_PACKAGE_WRITE_H
#define DCGEN_PACKAGE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"

typedef struct {
    const char *path; /* within the package: relative, '/' between, no "." or ".." */
    const char *text;
    size_t len;
} PackageFile;

typedef struct {
    PackageFile *file;
    int n;
} Package;

/* The text of a file; NULL: the package has no file of that path. */
const char *package_text(const Package *p, const char *path);

/* Writes all files into a temporary folder beside outdir, syncs it, and puts it in outdir's place. Parents are created,
 * a symbolic link is followed, and what a killed run has begun is completed. In outdir only the files that its MANIFEST
 * lists are replaced or removed. Refuses if outdir holds anything else (a user's file or folder; without a MANIFEST all
 * is the user's). With force that stays where it is, and is refused only if it is in the way of a file of p or cannot
 * be kept. Always refuses a file in outdir's place, and an outdir that is or holds the current folder. What somebody
 * puts there between the check and the writing is kept. False with *err set (one line, for people): then outdir is as
 * before and nothing else is left, or err says where something is left. Callers should ignore SIGXFSZ. */
bool package_write(const Package *p, const char *outdir, bool force, const char **err, Arena *a);

/* Would package_write accept outdir, as things stand? Callers ask before long work, and before they open files of
 * outdir: what a killed run has begun there is completed first. Nothing else is written. */
bool package_check(const char *outdir, bool force, const char **err, Arena *a);

/* The path within the folder outdir of the file `path`; NULL: it is elsewhere. Neither need exist. */
const char *package_place(Arena *a, const char *outdir, const char *path);

#endif
