/* SPDX-License-Identifier: MIT-0
 *
 * example: what the programs of imported models share: memory, a file in memory, the time, the command line. What fails ends the program.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { DONE, FAILED, BAD_USAGE }; /* exit codes */

/* Ends the program unless it is so. */
static inline void must(int is_so, const char *why)
{
    if (is_so)
        return;
    fprintf(stderr, "%s\n", why);
    exit(FAILED);
}

static inline void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    must(p != NULL, "no memory");
    return p;
}

/* The file that the first argument names. */
static inline const void *mapped(int argc, char **argv, const char *usage, size_t *bytes)
{
    struct stat s;
    if (argc < 2) {
        fprintf(stderr, "usage: %s\n", usage);
        exit(BAD_USAGE);
    }
    const int file = open(argv[1], O_RDONLY);
    must(file >= 0 && fstat(file, &s) == 0 && s.st_size > 0, "the file with weights cannot be opened");
    const void *weights = mmap(NULL, *bytes = (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    must(weights != MAP_FAILED, "the file with weights cannot be read");
    return weights;
}

/* Argument i, or what is usual. */
static inline int number(int argc, char **argv, int i, int usual) { return i < argc ? atoi(argv[i]) : usual; }

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of n numbers the place of the largest. */
static inline int largest(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

#endif
