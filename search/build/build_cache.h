/* SPDX-License-Identifier: Apache-2.0
 *
 * build_cache: a folder of what compilers made, so that the same text is not compiled twice, on any machine. One file a
 * build, under a hash of all that it depends on: the text, the compiler's version and flags, the kind of product. No
 * path is part of it.
 *
 *   dcgen-build 1 HASH                          the hash of all that follows; where it differs the file is not used
 *   KEY SO LOG CODE LOOPS STORED LOADED MULT    the key again; bytes of product and log; code_bytes and spills of Build
 *   what the compiler wrote, and the product
 *
 * Files are written in a temporary folder inside and renamed, so a reader sees all of one or nothing. Threads may share
 * a cache.
 */
#ifndef DCGEN_BUILD_CACHE_H
#define DCGEN_BUILD_CACHE_H

#include "search/build/build.h"

enum { BUILD_KEY_BYTES = 33, BUILD_CACHE_WHY_BYTES = 400 };

typedef struct BuildCache BuildCache;

/* How many builds were found, stored and so on, and what was the first to go wrong. */
typedef struct {
    int found, stored;
    int damaged; /* files that are torn, or no entries */
    int lost;    /* builds that could not be stored */
    char damaged_path[BUILD_CACHE_WHY_BYTES], lost_why[BUILD_CACHE_WHY_BYTES];
} BuildCacheCount;

/* The folder must be there; where it cannot be written, it is only read. NULL with *err set: it cannot be read. */
BuildCache *build_cache_open(Arena *a, const char *folder, const char **err);
void build_cache_close(BuildCache *c); /* NULL: nothing happens */
BuildCacheCount build_cache_count(BuildCache *c);

/* The key of what these tools make of the text; `version` is that of their program. */
void build_cache_key(const Toolchain *t, const char *version, const char *text, char *key);
/* Puts the product at `so` and sets the results of *b; the log is made in a. False: no such entry, or a damaged one. */
bool build_cache_get(BuildCache *c, Arena *a, const char *key, const char *so, Build *b);
/* Stores a build that is ok. One that cannot be stored is only counted. */
void build_cache_put(BuildCache *c, const char *key, const Build *b);

#endif
