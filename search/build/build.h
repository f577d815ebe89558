/* SPDX-License-Identifier: Apache-2.0
 *
 * build: C or CUDA text to shared objects, several compilers at a time. No shell is involved; each compiler runs in its
 * own process group with a deadline, and failure is data.
 */
#ifndef DCGEN_BUILD_H
#define DCGEN_BUILD_H

#include "search/build/spills.h"
#include "search/record/record.h"

typedef struct {
    const char *name; /* file name without suffix; each build of a batch has another */
    const char *text; /* the source */
    /* results */
    Status status;      /* OK, BUILD_FAILED, TIMED_OUT (the compiler hung), INVALID (`blame` says) */
    const char *so;     /* path of the shared object when ok */
    int64_t code_bytes; /* size of its executable code (.text), without the C runtime's few bytes */
    SpillReport spills; /* C: what its assembly tells */
    Blame blame;        /* BLAME_CANDIDATE, or what the machine lacked, even when it was tried again alone */
    const char *log;    /* what the compiler wrote, if it failed or the toolchain keeps it; else "" */
    const char *why;    /* first error line of the compiler, "killed after 60 s", ...; "" when ok */
} Build;

/* A compiler, and how it is called: PROGRAM FLAG... -o PRODUCT SOURCE; with `assembly` twice: -S, then -shared. */
typedef struct {
    const char *program;      /* looked up in PATH */
    const char *const *flags; /* NULL-terminated */
    const char *shipped;      /* the flags that what ships is compiled with too, as one text */
    const char *source;       /* suffix of source files: ".c" */
    const char *assembly;     /* suffix of the assembly that is read for spills on the way; NULL: none is made */
    const Assembly *syntax;   /* how to read that; NULL: nobody can, so that spills stay unknown */
    const char *product;      /* suffix of what is made of sources: ".so" */
    const char *empty;        /* a source that any such compiler builds; its code is not counted as a candidate's */
    const char *version_mark; /* the line of `PROGRAM --version` that has this in it tells the version; "": the first */
    bool keep_log;
    bool portable; /* what it makes depends on text and flags alone, not on this machine: a cache may keep it */
    struct BuildCache *cache; /* keeps what a portable one makes (build_cache.h); NULL: there is none */
} Toolchain;
/* The compiler of a family's kernels for a target with that `gencode`. code: none runs here (FamilyCompiler.code). */
Toolchain toolchain_make(Arena *a, const char *program, const Family *f, const char *gencode, bool code);
/* That of candidates for the emulator. package_dir: the folder of the package's patterns. */
Toolchain toolchain_emulator(Arena *a, const char *program, const char *package_dir);

typedef struct Builder Builder;

/* Makes a private temporary folder (tempdir.h). NULL with *err set (no compiler or folder, *stop; it may be NULL). */
Builder *builder_new(Arena *a, const Toolchain *tools, int jobs, double deadline_s, const volatile int *stop,
                     const char **err);
const char *builder_version(const Builder *b); /* the line of `PROGRAM --version` that tells it */
/* Builds all; returns when all are done or *stop became true (then the rest are STATUS_INVALID, why "interrupted"). */
void build_all(Builder *b, Arena *a, Build *builds, int n, const volatile int *stop);
/* Starts to build all in the background, below all else's priority; batches are built in the order of their starts. */
void build_start(Builder *b, Arena *a, Build *builds, int n);
/* Waits for the batch of these builds (NULL: for all batches). Where *stop becomes true, or process_clock_s() reaches
 * until_s, all batches in the background end at once, and what is not built is STATUS_INVALID, "interrupted". False:
 * that happened to what was waited for. needed: beyond until_s it waits until one is built, or all have failed. */
bool build_wait(Builder *b, const Build *builds, double until_s, bool needed, const volatile int *stop);
/* Was it ended before it was built? */
bool build_was_ended(const Build *build);
void build_cancel(Builder *b);                       /* ends all batches in the background */
void build_remove(const Builder *b, const char *so); /* deletes one shared object that is no longer needed */
void builder_free(Builder *b);                       /* kills what runs, removes the folder */

#endif
