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

/* The text of a file; NULL: it has none of that path. */
const char *package_text(const Package *p, const char *path);

/* Writes all files into a temporary folder beside outdir, syncs it, and puts it in outdir's place; parents are created, a
 * symbolic link is followed. Of what is there only the files that its MANIFEST lists are replaced or removed. Anything else (a file or
 * a folder of somebody's, a folder without a MANIFEST that is not empty) is a reason to refuse; with force it stays where it is, and
 * only what is in the way of a file of p is one. So are a file in outdir's place and the current folder. What comes between the check
 * and the writing is kept. What a killed run has begun is completed.
 * False with *err set (one line, for people): then outdir is as before and nothing else is left; or err says where something is left.
 * SIGXFSZ should be ignored. */
bool package_write(const Package *p, const char *outdir, bool force, const char **err, Arena *a);

/* Would package_write do, as things stand? To be asked before long work, and before files of outdir are opened: what a killed run
 * has begun there is completed first. Makes nothing else. */
bool package_check(const char *outdir, bool force, const char **err, Arena *a);

/* Where in the folder outdir the file `path` is, or would be; NULL: elsewhere. Neither need be there. */
const char *package_place(Arena *a, const char *outdir, const char *path);

#endif
