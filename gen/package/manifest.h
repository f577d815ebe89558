/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest: the file MANIFEST of a package: which bytes dcgen wrote, and of what. Sorted lines of text, which `sha256sum -c MANIFEST`
 * reads too: its own lines are those of the package's files, all others are comments to it.
 *
 *   ## Prose, which nobody reads but people.
 *   # dcgen-manifest 2                           the format
 *   # package bert_dense
 *   # dcgen 0.1.0
 *   # template <hash>  dense/packed_gemm.c       a file of dcgen's that the package was made of, within a folder of templates
 *   <hash>  kernels.c                            a file of the package: all but this one
 *
 * A hash is the file's SHA-256.
 */
#ifndef DCGEN_MANIFEST_H
#define DCGEN_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"

#define MANIFEST_PATH "MANIFEST"

/* Of a package's files two are told from the others by their paths. */
typedef enum { MANIFEST_TEMPLATE, MANIFEST_SPEC, MANIFEST_RECORDS, MANIFEST_FILE } ManifestKind;

typedef struct {
    ManifestKind kind;
    const char *hash, *path; /* path: relative, '/' between */
} ManifestEntry;

typedef struct {
    const char *package, *version; /* version: of dcgen */
    ManifestEntry *entry;
    int n;
} Manifest;

/* Is it the path of a file within a package: relative, with no ".", ".." or empty part? */
bool manifest_is_path(const char *path);
const char *manifest_hash(Arena *a, const char *text, size_t len);
/* A file of that text: of dcgen's templates, or of the package. */
void manifest_add(Arena *a, Manifest *m, bool is_template, const char *path, const char *text, size_t len);
/* Sorts m, drops what it has twice, and gives it as text. */
char *manifest_text(Arena *a, Manifest *m);
/* NULL with *err set, which names the line, or says that an earlier dcgen wrote it. */
const Manifest *manifest_read(Arena *a, const char *text, const char **err);
bool manifest_lists(const Manifest *m, const char *path);     /* as a file of the package */
bool manifest_has(const Manifest *m, const ManifestEntry *e); /* of that kind and path, with that hash */

#endif
