/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before kernels for CPUs, in a package and in a candidate alike. */
#endif
/* Each kernel is compiled for its own instruction set and runs only where the CPU has it. */
//@ repeat instruction_sets
#if HAS_ATTRIBUTE
#define NAME_TARGET_MACHINE __attribute__((target(ATTRIBUTE)))
#else
#define NAME_TARGET_MACHINE
#endif
//@ end

/* NAME_IN_REGISTER keeps a vector in a register: without it the compiler may load it again for every use.
 * NAME_FMA is sum += x * w on vectors of floats, in place: gcc would rotate sums through other registers, at a
 * move a time. Kernels with vectors of more than 16 bytes are for CPUs that have this instruction. */
#if defined(__x86_64__)
#define NAME_IN_REGISTER(v) __asm__("" : "+v"(v))
#define NAME_FMA(sum, x, w) \
    do { \
        if (sizeof(sum) > 16) \
            __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "v"(w)); \
        else \
            (sum) += (x) * (w); \
    } while (0)
#else
#define NAME_IN_REGISTER(v) ((void)0)
#define NAME_FMA(sum, x, w) ((sum) += (x) * (w))
#endif

/* One call, as the kernels see it. */
typedef struct {
    int64_t ALL_AXES;
//@ repeat operands
#if KEEPS_STRIDES
    C_TYPE *OPERAND;
    int64_t OPERAND_stride[NSTRIDE]; /* elements from one to the next along each extent but the last */
#else
    C_TYPE *OPERAND;
#endif
//@ end
    void *workspace;
} NAME_args;
#if HAS_ATTRIBUTES

/* Attributes of a call, of which some are the same for all. */
//@ repeat attributes
#if IS_FIXED
#define NAME_AXIS(args) ((int64_t)VALUE)
#else
#define NAME_AXIS(args) ((args)->AXIS)
#endif
//@ end
#endif

#if CALLS_ARITHMETIC
//@ arithmetic

#endif
//@ arguments

