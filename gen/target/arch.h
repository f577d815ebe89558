/* SPDX-License-Identifier: Apache-2.0
 *
 * arch: what dcgen knows of a CPU's architecture. A new architecture is one more row.
 */
#ifndef DCGEN_ARCH_H
#define DCGEN_ARCH_H

/* How compilers write its assembly, as far as search/build/spills.h reads it. Lists end in NULL. */
typedef struct {
    const char *memory;            /* an operand that holds this is in memory */
    const char *stack;             /* one that holds this, and so no index, is a fixed place on the stack */
    const char *frame;             /* so is this one in a function that has a frame pointer */
    const char *frame_made[2];     /* the operands of the instruction that makes the frame pointer */
    const char *store;             /* what stores begin with; NULL: they are what has its last operand in memory */
    const char *const *jump;       /* what jumps begin with; their last operand is the target */
    const char *always;            /* the jump that is always taken, whole */
    const char *const *leave;      /* what calls and returns begin with */
    const char *const *vector;     /* what operands that are vector registers begin with */
    const char *const *multiply;   /* what multiplications of vectors of integers begin with */
    const char *const *multiply_f; /* what multiplications of floats begin with, those of scalars too */
    const char *const *packed;     /* what multiplications of vectors of floats end in */
} Assembly;

typedef struct {
    const char *name;         /* as uname -m says it */
    const char *guard;        /* "#if ..." around code for it alone */
    const char *features;     /* the line of /proc/cpuinfo that lists what a CPU has of it */
    const Assembly *assembly; /* NULL: nobody has taught dcgen to read it, so that spills go unseen */
    /* Its targets that search/runner/peak.c has loops for, which measure how fast it can be at all; the widest first.
     * NULL: there are none, and the loops of the target `portable`, in C, measure it. */
    const char *const *peak;
} Arch;

enum { ARCH_COUNT = 2 };
extern const Arch archs[ARCH_COUNT];

/* NULL: there is no row for it. */
const Arch *arch_find(const char *name);
/* This machine's name for it: "x86_64". */
const char *arch_here(void);

#endif
