/* SPDX-License-Identifier: Apache-2.0
 *
 * flush: puts bytes out of all caches of this machine, so that whoever reads them next has them from memory.
 */
#ifndef DCGEN_FLUSH_H
#define DCGEN_FLUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* True if programs may flush on CPUs of that name (Device.arch), wherever they are. */
static inline bool flush_is_for(const char *arch)
{
    return arch && (strcmp(arch, "x86_64") == 0 || strcmp(arch, "aarch64") == 0);
}

/* flush_line: bytes of a cache line; 0: on such CPUs no program may flush. */
#if defined(__x86_64__)

#include <cpuid.h>

static inline size_t flush_line(void) { return 64; }

/* clflushopt, where the CPU has it, does not wait for the line before. */
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

static inline void flush(const void *at, size_t bytes)
{
    const size_t line = flush_line(), before = line ? (uintptr_t)at % line : 0;
    if (bytes)
        flush_lines((const char *)at - before, (const char *)at + bytes, line);
}

#endif
