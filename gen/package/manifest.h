/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest: the file MANIFEST of a package: which bytes dcgen wrote, and what they were made of. It has sorted lines of
 * text. For `sha256sum -c MANIFEST` the lines of the package's files count, and all others are comments:
 *
 *   ## Prose, for people only.
 *   # dcgen-manifest 2                           the format
 *   # package bert_dense
 *   # version 1.2.0                              the package's
 *   # dcgen 0.1.0
 *   # template <hash> dense/packed_gemm.c a file of dcgen's that the package was made of; its path within a folder of
 *   templates
 *   <hash>  kernels.c                            a file of the package; all but MANIFEST have such a line
 *
 * A hash is the file's SHA-256.
 */
#ifndef DCGEN_MANIFEST_H
#define DCGEN_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"

#define MANIFEST_PATH "MANIFEST"
#define SBOM_SUFFIX ".spdx.json" /* behind the package's name: its bill of materials */

/* MANIFEST_SPEC and MANIFEST_RECORDS are the package's files spec.cfg and records.jsonl. */
typedef enum { MANIFEST_TEMPLATE, MANIFEST_SPEC, MANIFEST_RECORDS, MANIFEST_FILE } ManifestKind;

typedef struct {
    ManifestKind kind;
    const char *hash, *path; /* path: relative, '/' between */
} ManifestEntry;

typedef struct {
    const char *package, *version; /* version: dcgen's */
    const char *release;           /* the package's version; NULL in earlier manifests */
    ManifestEntry *entry;
    int n;
} Manifest;

/* Is it the path of a file within a package: relative, with no ".", ".." or empty part? */
bool manifest_is_path(const char *path);
const char *manifest_hash(Arena *a, const char *text, size_t len);
/* Adds a file with that text, of dcgen's templates or of the package. */
void manifest_add(Arena *a, Manifest *m, bool is_template, const char *path, const char *text, size_t len);
/* Sorts m, drops entries that it has twice, and returns it as text. */
char *manifest_text(Arena *a, Manifest *m);
/* NULL with *err set: what is wrong, and in which line, if one line is wrong. */
const Manifest *manifest_read(Arena *a, const char *text, const char **err);
bool manifest_lists(const Manifest *m, const char *path); /* is it a file of the package? MANIFEST is one */
/* Does the package's file of that path name the hashes of others? */
bool manifest_tells_hashes(const char *path);
bool manifest_has(const Manifest *m, const ManifestEntry *e); /* an entry of that kind, path and hash */

#endif
