/* SPDX-License-Identifier: Apache-2.0
 *
 * family: all that sets targets of one kind apart from those of another, as data and functions: what their files hold, how kernels for
 * them are written, packed and compiled, what runs them, and what people are told of them. The rest of dcgen asks the target's Family,
 * never which one it is. A new kind of target is one more file like family_cpu.c, its patterns in templates/package, and its runner.
 */
#ifndef DCGEN_FAMILY_H
#define DCGEN_FAMILY_H

#include <stdbool.h>
#include "gen/base/conf.h"

typedef struct Target Target;
struct Device;

/* A number that the files of targets give, in small letters there. */
typedef struct {
    const char *name;
    int64_t min, max;
    const char *hint;
} FactRow;

/* Which of those numbers says how many FMAs a cycle the unit does that kernels use for an element type. */
typedef struct {
    const char *dtype, *fact;
    bool is_tensor; /* that is a tensor core */
} RateRow;

/* One file of a package. */
typedef struct {
    const char *pattern; /* its name in the folder of patterns, or in the op's */
    const char *path;    /* in the package; NAME stands for the package's name */
    bool of_op;
} PackageRow;

/* How a compiler makes shared objects of kernels: PROGRAM SHIPPED... OBJECT... -o PRODUCT SOURCE. Lists of flags end in NULL. */
typedef struct {
    const char *option; /* of the command line; PROGRAM is what it says, else it is called like it */
    /* the folder whose bin/ PROGRAM may lie in, where PATH does not have it: a variable of the environment, or this; NULL: none */
    const char *home_variable, *home;
    /* what ships is compiled with them too; one that ends in "=" goes on with the target's `gencode` */
    const char *const *shipped;
    const char *const *object; /* further ones, for a shared object */
    const char *const *code;  /* instead of those: for code that no device here runs; NULL: the machine is the device */
    const char *code_suffix;  /* of a file with it */
    const char *assembly;     /* suffix of the assembly that is made on the way and read for spills; NULL: none is */
    const char *empty;        /* a source that any such compiler builds */
    const char *version_mark; /* the line of `PROGRAM --version` that has it tells the version; "": the first */
    bool keeps_log;           /* what it says tells of registers and spills */
    const char *unknown;      /* what it says of a target that it does not know; NULL: nothing certain */
} FamilyCompiler;

typedef struct Family {
    const char *name;   /* as targets and templates say it */
    const char *best;   /* as specs and --target say it: its best target that this machine runs */
    const char *device; /* as people call what runs its kernels: "GPU" */
    const char *system; /* and what is needed to drive it, if it is not of this machine itself: "CUDA" */

    /* targets */
    const ConfKey *key;  /* what their files hold beside what all do, and beside facts; the last has a NULL name */
    const FactRow *fact; /* likewise */
    const RateRow *rate; /* the first is for all other types; NULL: files say nothing of rates, devices are measured */
    bool is_inherited;   /* later devices run code for a target, unless that is `exact` */
    bool has_smem;       /* the nearest memory is not a cache, but shared memory (Device.smem_bytes) */
    bool has_driver;     /* a device's own id tells of its driver too */
    bool aside;          /* its kernels run beside this CPU, so that compilers do not disturb their times */

    /* kernels */
    const char *suffix; /* of a source with kernels in it */
    /* what the C preprocessor must find true where a kernel for the target has a body; NULL: each has one everywhere */
    const char *(*body_guard)(Arena *a, const Target *t);
    const char *primitives; /* suffix of files in templates/device with functions that kernels call; NULL: none do */
    bool reads_any_copy;    /* templates read the constant operand as it is and packed alike */
    bool ranks_templates;   /* the closed forms of different templates can be held against each other */
    FamilyCompiler compiler;
    const char *runner;   /* the program dcgen-runner-<this> times kernels */
    const char *verifier; /* and this one verifies them where there is no device; NULL: a device is always there */
    const char *limits;   /* in templates/device: kernels that measure what a device does; NULL: the runner knows how */

    /* packages */
    const PackageRow *file; /* the last has a NULL pattern */
    const char *pack;       /* in the op's folder: how the constant operand is packed */
    const char *call;       /* behind the package's name in the names of its calls */
    const char *fixed_by;   /* NAME_<this>, defined as a number, fixes the kind of machine; NULL: nothing does */
    bool told_parts; /* a call is split into parts, as many as threads; the dispatcher is asked with their number too */

    /* for people */
    const char *library; /* in the op's folder, or not: the op by a library, as a candidate */
    const char *rival;   /* what that library is */
    char *(*device_text)(Arena *a, const struct Device *d);                 /* "8 cores; L1 32 KiB, ..." */
    char *(*check_text)(Arena *a, const Target *t, const struct Device *d); /* what bounds kernels for t there */
} Family;

extern const Family family_cpu, family_cuda;
enum { FAMILY_COUNT = 2 };
extern const Family *const families[FAMILY_COUNT];

/* By the word for its best target; NULL: there is none. */
const Family *family_of_best(const char *word);
/* The key "family" of a target's or template's file; what it may say. */
#define FAMILY_HINT "\"cpu\" or \"cuda\""
bool family_read(const Conf *c, const Family **family);

#endif
