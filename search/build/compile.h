/* SPDX-License-Identifier: Apache-2.0
 *
 * compile: takes batches of sources, runs a compiler on each of them, several at a time, and gives shared objects or
 * what is wrong and whose fault that is. Private to build.c.
 */
#ifndef DCGEN_COMPILE_H
#define DCGEN_COMPILE_H

#include <stdatomic.h>
#include "gen/base/process.h"
#include "search/build/build.h"

enum { COMPILE_MAX_JOBS = PROCESS_MAX_CHILD };

/* A compiler as a builder calls it. */
typedef struct {
    Toolchain tools;
    const char *version, *folder;
    const char **argv; /* program and flags, and behind them for each run: [MODE] "-o" PRODUCT SOURCE NULL */
    int nfixed;        /* how many of argv are program and flags */
    const char *env[3];
    int jobs;
    double deadline_s;
    int64_t empty_bytes; /* .text of a shared object without any code of its own */
} Compiler;

/* Builds that were asked for together. */
typedef struct BuildBatch {
    struct BuildBatch *later; /* in a list */
    Arena *a, *result;        /* results are made in a, and copied to `result` in the end if that is not NULL */
    Build *builds;
    int n, next; /* the next to be started */
    bool done;
} BuildBatch;

/* Who may end a batch early: the user, or the builder. */
typedef struct {
    const volatile int *user;
    atomic_int *own;
} Stop;
bool is_stopped(const Stop *s);

/* Builds all; those for which the machine lacked something are tried again, alone. */
void compile(const Compiler *c, BuildBatch *x, const Stop *stop);

/* Compilers that work through a list of batches step by step: the last of one run beside the first of the next. */
typedef struct Jobs Jobs;
Jobs *jobs_new(Arena *a, const Compiler *c);
/* Starts what fits and closes what has ended or is late. Gives the number of compilers that run. */
int jobs_tend(Jobs *jobs, BuildBatch *first);
void jobs_poll(Jobs *jobs); /* reads what compilers say, for a moment */
/* A batch of which all was built once, so that compile_end is due; NULL: there is none. */
BuildBatch *jobs_built(const Jobs *jobs, BuildBatch *first);
void jobs_end(Jobs *jobs); /* ends the compilers that run */
/* The last step of a batch: what the machine lacked something for is tried again, and the compiler itself is tried. */
void compile_end(const Compiler *c, BuildBatch *x, const Stop *stop);
void compile_drop(BuildBatch *x); /* what is not started yet is "interrupted" */

/* How many bytes of code a 64-bit ELF file of this machine's byte order has. Of a shared object that is the size of its
 * section .text; where it holds code for GPUs, as nvcc embeds it uncompressed, and of a cubin, that of all kernels in
 * it. -1: it is no such file, or has no code. */
int64_t elf_code_bytes(const char *path);

#endif
