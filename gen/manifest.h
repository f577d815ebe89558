/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest: the file MANIFEST of a package: which bytes dcgen wrote, and of what. Lines of text, sorted:
 *
 *   package bert_dense
 *   dcgen 0.1.0
 *   spec <hash>  spec.cfg                   a file of the package, as all but templates are
 *   records <hash>  records.jsonl
 *   template <hash>  dense/packed_gemm.c    a file of dcgen's that the package was made of, within a folder of templates
 *   file <hash>  kernels.c
 *
 * A hash is the file's XXH128, as xxh128sum prints it: it finds edits and damage, but is no proof against forgery.
 */
#ifndef DCGEN_MANIFEST_H
#define DCGEN_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/arena.h"

#define MANIFEST_PATH "MANIFEST"

typedef enum { MANIFEST_SPEC, MANIFEST_RECORDS, MANIFEST_TEMPLATE, MANIFEST_FILE, MANIFEST_NKIND } ManifestKind;

typedef struct {
    ManifestKind kind;
    const char *hash, *path; /* path: relative, '/' between */
} ManifestEntry;

typedef struct {
    const char *package, *version; /* version: of dcgen */
    ManifestEntry *entry;
    int n;
} Manifest;

const char *manifest_hash(Arena *a, const char *text, size_t len);
void manifest_add(Arena *a, Manifest *m, ManifestKind kind, const char *path, const char *text, size_t len);
/* Sorts m, drops what it has twice, and gives it as text. */
char *manifest_text(Arena *a, Manifest *m);
/* NULL with *err set, which names the line. */
const Manifest *manifest_read(Arena *a, const char *text, const char **err);
bool manifest_has(const Manifest *m, const ManifestEntry *e); /* of that kind and path, with that hash */

#endif
