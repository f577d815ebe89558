/* SPDX-License-Identifier: Apache-2.0
 *
 * family: all that sets targets of one kind apart from those of another, as data and functions: what their files hold,
 * how kernels for them are written, packed and compiled, what runs them, and what people are told of them. The rest of
 * dcgen asks the target's Family, never which one it is. A new kind of target is one more file like family_cpu.c, its
 * patterns in templates/package, and its runner.
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

/* The unit that kernels use for an element type: the number in the files of targets that says how many FMAs a cycle it
 * does, and the probe that measures it (the first word of limits.cu). */
typedef struct {
    const char *dtype, *fact, *probe;
    bool is_tensor; /* the unit is a tensor core */
    int times;      /* FMAs of the unit for one of the type's */
} RateRow;

/* Whose a file of a package is: the package has one, or each function has its own ("test_scores.c" for "test.c"), for
 * which a file in the folder of the function's op counts instead if it is OWNER_OP. A package with a graph has one of
 * OWNER_GRAPH, and for each function one of OWNER_NODE. */
typedef enum { OWNER_PACKAGE, OWNER_FUNCTION, OWNER_OP, OWNER_GRAPH, OWNER_NODE } PackageOwner;

/* One file of a package. */
typedef struct {
    const char *pattern; /* its name in templates/package */
    const char *path;    /* in the package; PACKAGE stands for the package's name */
    PackageOwner owner;
} PackageRow;

/* How a compiler makes shared objects of kernels: PROGRAM SHIPPED... OBJECT... -o PRODUCT SOURCE. Lists of flags end in
 * NULL. */
typedef struct {
    /* The command line's option that names PROGRAM, and PROGRAM itself where that is not given: "nvcc". */
    const char *option;
    /* Where PATH lacks PROGRAM: look in bin/ of the folder that this variable of the environment names, then in bin/ of
     * `home`. NULL: nowhere. */
    const char *home_variable, *home;
    /* Flags that the package uses too. One that ends in "=" is followed by the target's `gencode`. */
    const char *const *shipped;
    const char *const *object; /* further flags, which make a shared object */
    /* Flags in the place of `object` where this machine has no device to run the code; NULL: code always runs here. */
    const char *const *code;
    const char *code_suffix;  /* of what these flags make */
    const char *assembly;     /* suffix of the assembly that is made on the way and read for spills; NULL: none is */
    const char *empty;        /* a source that any such compiler builds */
    const char *version_mark; /* the line of `PROGRAM --version` that has it tells the version; "": the first */
    bool keeps_log;           /* its output tells registers and spills */
    const char *unknown;      /* words in its output when it does not know the target; NULL: no fixed ones */
} FamilyCompiler;

/* Small functions that kernels call, a file each: templates/<folder>/<primitive><suffix>. In kernels a primitive's name
 * stands between `before` and `behind`. */
typedef struct {
    const char *folder, *suffix;
    const char *before, *behind;
    /* They compute vectors, as long as a target has them: they are written for each target by itself, whose name is
     * MACHINE, and call each other by these names too. So formulas are printed on vectors, and may call any of them;
     * kernels of functions without a formula call few. False: formulas are printed for one element at a time. */
    bool on_vectors;
    /* The file of functions of the same names for the emulator, as texts include it, and the one that stands in its
     * place where kernels call primitives of other folders than dcgen's own: both in the folder `emulator` of `folder`.
     * NULL: no emulator runs such kernels. */
    const char *emulation, *own_emulation;
} FamilyPrimitives;

typedef struct Family {
    const char *name;   /* as targets and templates say it */
    const char *best;   /* the word in specs and --target for its best target that this machine runs: "host" */
    const char *device; /* as people call what runs its kernels: "GPU" */
    /* The software that drives such devices: "CUDA". Times change with its release, so that a device's id does too.
     * NULL: none is needed. */
    const char *system;

    /* targets */
    /* keys of its targets' files, besides those of every target and besides facts; the last has a NULL name */
    const ConfKey *key;
    const FactRow *fact; /* the last has a NULL name */
    const RateRow *rate; /* the first row serves all types that have none; NULL: rates are measured on the device */
    /* A device is of one target, and runs the code of earlier ones that are not `exact`; else it is of all targets
     * whose code it runs. */
    bool is_inherited;
    bool has_smem; /* the nearest memory is not a cache, but shared memory (Device.smem_bytes) */
    /* Kernels do not run on this CPU, but on a device that its runner tells of; compiling does not disturb their
     * times. */
    bool off_cpu;

    /* kernels */
    const char *suffix; /* of a source with kernels in it */
    /* The preprocessor's condition around the body of a kernel for the target; NULL: there is none. */
    const char *(*body_guard)(Arena *a, const Target *t);
    FamilyPrimitives primitives;
    bool packed_alike;    /* packed operands lie in rows as others do: templates read both */
    bool ranks_templates; /* the closed forms of different templates can be compared */
    FamilyCompiler compiler;
    const char *runner; /* the program dcgen-runner-<this> times kernels */
    /* the program dcgen-runner-<this> verifies them where there is no device; NULL: a device is always there */
    const char *verifier;
    /* file in templates/device with kernels that measure a device's limits; NULL: the runner needs none */
    const char *limits;

    /* packages */
    const PackageRow *file; /* the last has a NULL pattern */
    const char *pack;       /* a pattern: how the constant operand is packed; one in the op's folder counts instead */
    const char *call;       /* suffix of a function's calls: NAME<this>() */
    const char *call_with;  /* what they are given behind their workspace */
    const char *fixed_by;   /* NAME_<this>, defined as a number, fixes the kind of machine; NULL: nothing does */
    bool splits_calls;      /* a call is split among threads, and the dispatcher is told among how many */

    /* for people */
    /* file that calls a library for the op, timed like a candidate and by packages' benchmarks; an op's folder may lack
     * it */
    const char *library;
    /* what such files have in common: a pattern <this>.h, which stands where they say "//@ <this>" */
    const char *blas;
    /* what such files call to compute a formula, as patterns have it */
    const char *library_calls;
    const char *rival;                                                      /* what people call that library */
    char *(*device_text)(Arena *a, const struct Device *d);                 /* "8 cores; L1 32 KiB, ..." */
    char *(*check_text)(Arena *a, const Target *t, const struct Device *d); /* what bounds kernels for t there */
} Family;

extern const Family family_cpu, family_cuda;
enum { FAMILY_COUNT = 2 };
extern const Family *const families[FAMILY_COUNT];

/* The family whose `best` is this word; NULL: there is none. */
const Family *family_of_best(const char *word);
/* What the key "family" of a target's or template's file may say. */
#define FAMILY_HINT "\"cpu\" or \"cuda\""
/* Reads that key. False after an error. */
bool family_read(const Conf *c, const Family **family);

#endif
