/* SPDX-License-Identifier: Apache-2.0
 *
 * spills: what compilers tell of registers that did not suffice: in the assembly of C (gcc -S, clang -S), and in the
 * log of the assembler of GPU code (nvcc -Xptxas -v).
 *
 * A CPU kernel's time is spent in its innermost loops, straight runs of code that end in a jump to their beginning. A
 * loop that multiplies vectors and at the same time stores vectors to fixed places on the stack, or loads them from
 * there, has more of them alive than there are registers. Functions whose names end in SPILLS_FINISH are left out: they
 * compute the formula when no sums are in registers, and a constant of it on the stack costs what one in memory costs.
 *
 * Where other programs share a core they take a part of its front end, and a loop takes as long as its instructions do.
 * So these are counted too.
 */
#ifndef DCGEN_SPILLS_H
#define DCGEN_SPILLS_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/target/arch.h"

#define SPILLS_FINISH "_finish"

typedef struct {
    int loops;           /* loops that multiply vectors; 0: nothing is known */
    int stored, loaded;  /* vectors moved to and from the stack in one round of the loop that moves most */
    int multiplications; /* of vectors in that round */
    int stores, loads;   /* vectors moved to and from memory, the stack included, in that round */
    int instructions;    /* for 100 multiplications, in the loop that has most of them; of equal ones in the shortest */
} SpillReport;

void spills_read(const Assembly *syntax, const char *text, SpillReport *out);

/* Calls `each` for every innermost loop that multiplies vectors, in their order; `function`, of `len` bytes, has it. */
void spills_loops(const Assembly *syntax, const char *text,
                  void (*each)(void *ctx, const char *function, int len, const SpillReport *loop), void *ctx);

/* What the assembler of GPU code says: of each the most that any kernel of one source has. */
typedef struct {
    int64_t regs;        /* registers of a thread */
    int64_t spill_bytes; /* that a thread stores to local memory for lack of registers; loads are not counted */
    int64_t stack_bytes; /* of a thread: spills, and arrays that are indexed at run time */
    /* The first of its warnings of lost speed, as wgmma that are done one after the other: "(C7514) Potential ...", of
     * so many bytes in the log; NULL: there is none. */
    const char *loss;
    int nloss;
} PtxasReport;

/* False: the log says nothing of any kernel. */
bool spills_read_ptxas(const char *log, PtxasReport *out);

#endif
