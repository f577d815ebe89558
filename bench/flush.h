/* SPDX-License-Identifier: Apache-2.0
 *
 * flush: puts bytes out of all caches, so that whoever reads them next has them from memory.
 */
#ifndef BENCH_FLUSH_H
#define BENCH_FLUSH_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/memory.h"

/* flush_line: bytes of a cache line; 0: on such CPUs no program may flush. */
#if defined(__x86_64__)

#include <cpuid.h>

static inline size_t flush_line(void) { return 64; }

/* The instruction whose flushes go on side by side, where the CPU has it. */
static inline void flush_lines(const char *at, const char *end, size_t line)
{
    unsigned a, b = 0, c, d;
    const bool has_opt = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
    for (; at < end; at += line)
        if (has_opt)
            __asm__ volatile("clflushopt %0" : : "m"(*at) : "memory");
        else
            __asm__ volatile("clflush %0" : : "m"(*at) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

#elif defined(__aarch64__)

static inline size_t flush_line(void)
{
    uint64_t ctr; /* bits 16 to 19: log2 of the words in the shortest line */
    __asm__("mrs %0, ctr_el0" : "=r"(ctr));
    return (size_t)4 << (ctr >> 16 & 15);
}

static inline void flush_lines(const char *at, const char *end, size_t line)
{
    for (; at < end; at += line)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
}

#else

static inline size_t flush_line(void) { return 0; }
static inline void flush_lines(const char *at, const char *end, size_t line) { (void)at, (void)end, (void)line; }

#endif

static inline void flush(Span s)
{
    const size_t line = flush_line(), before = line ? (uintptr_t)s.at % line : 0;
    if (s.bytes)
        flush_lines((const char *)s.at - before, (const char *)s.at + s.bytes, line);
}

#endif
