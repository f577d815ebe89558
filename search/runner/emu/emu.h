/* SPDX-License-Identifier: Apache-2.0
 *
 * emu: executes CUDA kernels on the CPU and watches every access they make. A kernel is compiled by the host's C++
 * compiler against templates/device/emulator/ with -fsanitize=thread; the calls that this puts in front of each access
 * come here (access.c), as do the device primitives. It finds what a GPU would do wrong without a word: races between
 * barriers, memory that nobody wrote, addresses out of bounds or misaligned, barriers that some threads do not reach.
 *
 *   launch.c   a launch: its limits, blocks in pseudo-random order over worker threads
 *   block.c    a cluster of blocks: a fiber for each thread, barriers, collectives of warps
 *   access.c   what compilers say of accesses, asynchronous copies of threads
 *   shadow.c   who accessed shared memory
 *   order.c    what lies behind what, where more than __syncthreads says so
 *   mbarrier.c mbarriers, named barriers, the barrier of a cluster
 *   tensor.c   tensor maps, and copies of boxes by them
 *   wgmma.c    products of warpgroups; matrix.c: where their operands lie
 *   global.c   operands, scratch memory and counters, what is visible to whom
 *   warp.c     what collectives compute: mma, ldmatrix, shuffles
 *   count.c    sectors, wavefronts, bank conflicts
 *   finding.c  what is said about it
 *   runtime.c  CUDA's run time on top of it, for programs that are linked with the emulator; capture.c: its graphs
 */
#ifndef DCGEN_EMU_H
#define DCGEN_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMU_MAX_REGION = 32, EMU_MAX_FINDING = 8, EMU_TEXT_BYTES = 200 };

typedef enum {
    EMU_INPUT,
    EMU_OUTPUT,
    EMU_IN_OUT, /* an output that calls read before they write it */
    EMU_SCRATCH,
    EMU_COUNTERS, /* of blocks; zero again behind the call */
    EMU_MEMORY    /* what a program allocated, for whatever it likes: counters in it must be 0 after each launch */
} EmuRole;

/* Memory that a kernel may use. */
typedef struct {
    char name[32]; /* "operand 0 (X)" */
    EmuRole role;
    uintptr_t base;
    size_t bytes;
    unsigned elem_bytes;
    uint64_t *shadow; /* who wrote each element (global.c); NULL for inputs */
    size_t shadow_bytes;
} EmuRegion;

typedef struct {
    int64_t sectors_read, sectors_written; /* 32 bytes of global memory that a warp instruction touches */
    int64_t wavefronts, conflicts; /* of shared memory; conflicts: wavefronts beyond those that the width needs */
    int64_t barriers, collectives, blocks, threads;
    int64_t smem_bytes; /* of a block, the most of all launches */
} EmuCounts;

/* What a kernel did wrong. `site` is the address in the code just behind the access, 0: not known; `line` is that of
 * the last barrier or primitive of its thread, 0: none. */
typedef struct {
    unsigned block[3];
    int thread; /* -1: none in particular */
    uintptr_t site;
    int line;
    char text[EMU_TEXT_BYTES];
} EmuFinding;

typedef struct {
    /* what to do */
    int workers;
    bool count;
    size_t smem_limit;    /* bytes of shared memory that a block may have */
    int64_t block_budget; /* accesses after which a block counts as endless */
    uint64_t seed;        /* of a random order of threads and copies; 0: threads go on until they have to wait */
    /* so many values of blockIdx.x are executed, spread from first to last (1: the first), with all y and z; 0: all */
    uint64_t sample;
    int nregion;
    EmuRegion region[EMU_MAX_REGION];
    /* what came of it */
    int nfinding, nreport; /* nreport: also counts findings at places that have one already */
    EmuFinding finding[EMU_MAX_FINDING];
    char refusal[EMU_TEXT_BYTES]; /* why a launch was refused */
    EmuCounts counts;
} Emu;

/* Adds memory that kernels may use, in all launches until it is removed, or until emu_end. Nobody has written it. With
 * no bytes nothing is added. False: there is no memory for it, or there are too many regions. */
bool emu_add_region(Emu *e, EmuRole role, const char *name, const void *base, size_t bytes, unsigned elem_bytes);
void emu_remove_region(Emu *e, int i); /* the last one takes its place */
/* Clears findings and counts; launches go to this emulator from here on. Only one thread may launch. */
void emu_begin(Emu *e);
/* Checks that counters are as they shall be, and removes all memory. No launches go to the emulator any more. */
void emu_end(Emu *e);
/* The EMU_MEMORY that all these bytes are in; NULL: there is none. */
const EmuRegion *emu_memory_of(const void *address, size_t bytes);
/* Where the first of these bytes lies that nobody has written; NULL: all were written. */
const void *emu_unwritten(const EmuRegion *r, const void *address, size_t bytes);
/* Says a finding in one line, with the line of the source that it is about, if that can be told. */
void emu_describe(const EmuFinding *f, char text[EMU_TEXT_BYTES]);
/* Frees what launches kept: stacks and shadows of workers. */
void emu_free(void);

#endif
