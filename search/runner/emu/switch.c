/* SPDX-License-Identifier: Apache-2.0
 *
 * switch: leaves one stack for another. On x86-64 what a called function must keep goes to the old stack and comes back from the new
 * one; elsewhere the C library does it, which costs two system calls.
 */
#define _GNU_SOURCE
#include "search/runner/emu/worker.h"

#if defined(__x86_64__)

void emu_context_switch(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl emu_context_switch\n"
        ".hidden emu_context_switch\n"
        ".type emu_context_switch, @function\n"
        "emu_context_switch:\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size emu_context_switch, .-emu_context_switch\n");

enum { SAVED_REGISTERS = 6 };

void context_new(Context *c, void *stack, size_t stack_bytes, void (*entry)(void))
{
    /* On entry of a function the stack pointer is 8 below a multiple of 16: there lies its return address. */
    uintptr_t *top = (uintptr_t *)(((uintptr_t)stack + stack_bytes) & ~(uintptr_t)15);
    *--top = 0;
    *--top = (uintptr_t)entry;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        *--top = 0;
    c->sp = top;
}

void context_switch(Context *from, Context *to) { emu_context_switch(&from->sp, to->sp); }

#else

void context_new(Context *c, void *stack, size_t stack_bytes, void (*entry)(void))
{
    getcontext(&c->u);
    c->u.uc_stack.ss_sp = stack;
    c->u.uc_stack.ss_size = stack_bytes;
    c->u.uc_link = NULL;
    makecontext(&c->u, entry, 0);
}

void context_switch(Context *from, Context *to) { swapcontext(&from->u, &to->u); }

#endif
