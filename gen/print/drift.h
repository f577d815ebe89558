/* SPDX-License-Identifier: Apache-2.0
 *
 * drift: how far a vendored package is from what dcgen writes. Two questions with two answers: were files edited since
 * they were written (the folder against its own MANIFEST), and would the dcgen that asks write the same (the folder
 * against a package that it made of the folder's spec and records)? The second says nothing about edits when version or
 * templates are others.
 */
#ifndef DCGEN_DRIFT_H
#define DCGEN_DRIFT_H

#include <stdbool.h>
#include <stdio.h>
#include "gen/base/arena.h"
#include "gen/base/text_list.h"
#include "gen/package/manifest.h"
#include "gen/package/package_write.h"

typedef struct {
    const char *folder;       /* as the user wrote it */
    const Manifest *manifest; /* NULL: it is missing, or is none */
    const char *fault;        /* what is wrong with MANIFEST; NULL: nothing, or it is missing */
    TextList edited, missing; /* files that are not as MANIFEST says */
    TextList line_ends;       /* files that are as it says, but for CR LF where dcgen wrote LF */
    TextList extra;           /* what else is in the folder: no fault */
    /* what made the package and is not the same here: "dcgen 0.0.9", "template dense/pack.c" */
    TextList maker;
    TextList changed; /* files that are as MANIFEST says, and that this dcgen would write otherwise */
    bool replayed;    /* `changed` is known */
} Drift;

/* Compares the folder with its MANIFEST. False with *err set: it is no package. */
bool drift_of_files(Arena *a, const char *folder, Drift *d, const char **err);
/* Are the spec and the records those that the package was made of? Only then can it be made again. */
bool drift_may_replay(const Drift *d);
/* Compares MANIFEST with the templates in these folders. */
void drift_of_templates(Arena *a, const TextList *folders, Drift *d);
/* Compares the folder with the package as this dcgen makes it. */
void drift_of_package(Arena *a, const Package *remade, Drift *d);

/* Does anything but `extra` say that the package differs? */
bool drift_found(const Drift *d);
void drift_print(const Drift *d, bool json, FILE *to);

#endif
