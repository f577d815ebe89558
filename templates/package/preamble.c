/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* What stands before kernels for CPUs, in a package and in a candidate alike. */
#endif
/* Each kernel is compiled for its own instruction set and runs only where the CPU has it. */
//@ repeat instruction_sets
#if HAS_ATTRIBUTE
#define PACKAGE_TARGET_MACHINE __attribute__((target(ATTRIBUTE)))
#else
#define PACKAGE_TARGET_MACHINE
#endif
//@ end

/* PACKAGE_ONE_COPY keeps a function out of its callers, and gcc from copies of it for each constant that it is called with. */
#if defined(__clang__)
#define PACKAGE_ONE_COPY __attribute__((noinline))
#else
#define PACKAGE_ONE_COPY __attribute__((noinline, noclone))
#endif

/* PACKAGE_UNROLL(most), before a loop, unrolls it whole: it takes `most` turns or fewer, a count that is known once functions are inlined. clang
 * obeys "GCC unroll" before it inlines, where it does not know the count: it then keeps arrays of sums on the stack. */
#if defined(__clang__)
#define PACKAGE_UNROLL(most) _Pragma("clang loop unroll(full)")
#else
#define PACKAGE_UNROLL(most) PACKAGE_PRAGMA(GCC unroll most)
#define PACKAGE_PRAGMA(text) _Pragma(#text)
#endif

/* PACKAGE_IN_REGISTER keeps a vector in a register: without it the compiler may load it again for every use.
 * PACKAGE_FMA is sum += x * w on vectors of floats, in place: gcc would rotate sums through other registers, at a
 * move a time. PACKAGE_FMA_FROM takes w from memory, where registers are scarce. Kernels with vectors of more than 16 bytes are for CPUs that have this instruction. */
#if defined(__x86_64__)
#define PACKAGE_IN_REGISTER(v) __asm__("" : "+v"(v))
#define PACKAGE_FMA(sum, x, w) \
    do { \
        if (sizeof(sum) > 16) \
            __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "v"(w)); \
        else \
            (sum) += (x) * (w); \
    } while (0)
#define PACKAGE_FMA_FROM(sum, x, w) \
    do { \
        if (sizeof(sum) > 16) \
            __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(x), "m"(w)); \
        else \
            (sum) += (x) * (w); \
    } while (0)
#else
#define PACKAGE_IN_REGISTER(v) ((void)0)
#define PACKAGE_FMA(sum, x, w) ((sum) += (x) * (w))
#define PACKAGE_FMA_FROM PACKAGE_FMA
#endif

#if CALLS_ARITHMETIC
//@ arithmetic

#endif
