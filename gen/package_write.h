/* SPDX-License-Identifier: Apache-2.0
 *
 * package_write: a package from memory to disk, whole or not at all. At every moment, also when the program is killed,
 * the output folder is the whole old package or the whole new one (or absent, when there was none).
 */
#ifndef DCGEN_PACKAGE_WRITE_H
#define DCGEN_PACKAGE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/arena.h"

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
 * symbolic link is followed. Refuses to replace a file, a folder that holds anything but a dcgen package (spec.cfg and
 * dispatch.h), and the current folder. What killed runs left behind is removed.
 * False with *err set (one line, for people): then outdir is as before and nothing else is left. SIGXFSZ should be ignored. */
bool package_write(const Package *p, const char *outdir, const char **err, Arena *a);

/* Would package_write do, as things stand? To be asked before long work. Makes nothing. */
bool package_check(const char *outdir, const char **err, Arena *a);

#endif
