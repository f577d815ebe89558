/* SPDX-License-Identifier: Apache-2.0
 *
 * spills: what a compiler's assembly (gcc -S, clang -S) tells of vector registers that did not suffice.
 *
 * A kernel's time is spent in its innermost loops, straight runs of code that end in a jump to their beginning. A loop that multiplies
 * vectors and at the same time stores vectors to fixed places on the stack, or loads them from there, has more of them alive than there
 * are registers.
 */
#ifndef DCGEN_SPILLS_H
#define DCGEN_SPILLS_H

#include "gen/target/arch.h"

typedef struct {
    int loops;           /* that multiply vectors; 0: nothing is known */
    int stored, loaded;  /* vectors to and from the stack in one round of the loop with most of both */
    int multiplications; /* vectors, in that round */
} SpillReport;

void spills_read(const Assembly *syntax, const char *text, SpillReport *out);

#endif
