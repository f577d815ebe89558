/* SPDX-License-Identifier: Apache-2.0
 *
 * switch: from one stack to another, within a thread.
 */
#ifndef DCGEN_EMU_SWITCH_H
#define DCGEN_EMU_SWITCH_H

#include <stddef.h>

#if defined(__x86_64__)
typedef struct {
    void *sp;
} Context;
#else
#include <ucontext.h>
typedef struct {
    ucontext_t u;
} Context;
#endif

/* A context that calls entry() when it is first switched to; entry must not return. */
void context_new(Context *c, void *stack, size_t stack_bytes, void (*entry)(void));
void context_switch(Context *from, Context *to);

#endif
