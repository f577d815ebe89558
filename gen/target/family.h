/* SPDX-License-Identifier: Apache-2.0
 *
 * family: what targets of one kind have in common: how kernels for them are written down, and what a package of them
 * consists of. A new kind of target is a row in family.c, its patterns in templates/package and its dialect of a unit.
 */
#ifndef DCGEN_FAMILY_H
#define DCGEN_FAMILY_H

#include <stdbool.h>
#include "gen/base/conf.h"

/* One file of a package. */
typedef struct {
    const char *pattern; /* its name in the folder of patterns, or in the op's */
    const char *path;    /* in the package; NAME stands for the package's name */
    bool of_op;
} PackageRow;

typedef struct {
    const char *name;    /* as targets and templates say it */
    const char *suffix;  /* of a source with kernels in it */
    const char *folder;  /* of the patterns, below templates/package; "": that itself */
    const char *pack;    /* in the op's folder: how the constant operand is packed */
    const char *library; /* there too, or not: the op by a library, as a candidate */
    const char *rival;   /* what that library is, for people */
    const char *limits;  /* in templates/device: kernels that measure what a device does; NULL: the runner knows how */
    const char *call;    /* behind the package's name in the names of its calls */
    const char *
        stream; /* C type of the last argument of calls that are put into a stream; NULL: calls are done when they return */
    const PackageRow *file; /* the last has a NULL pattern */
    const char
        *fixed_by; /* NAME_<this>, defined as a number when compiling, fixes the kind of machine; NULL: nothing does */
    bool told_parts; /* the dispatcher is asked with the number of parts of a call too, behind the extents */
    bool aside;      /* its kernels run beside this CPU, so that compilers do not disturb their times */
} Family;

enum { FAMILY_COUNT = 2 };
extern const Family families[FAMILY_COUNT];

/* NULL: there is none. */
const Family *family_find(const char *name);
/* What the key "family" of a target's or template's file says. */
bool family_read(const Conf *c, const char **name);

#endif
