/* SPDX-License-Identifier: Apache-2.0
 *
 * library: shared libraries that come with a CUDA toolkit or a driver, opened when the program runs and used if they
 * are there. The loader's own path is tried first, then the usual folders of toolkits.
 */
#ifndef DCGEN_CUDA_LIBRARY_H
#define DCGEN_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* names: NULL-terminated, best first. NULL with `why` saying what the loader said of the first name. */
void *library_open(const char *const *names, char *why, size_t why_bytes);

/* A function of an open library by its name, and where its address goes. */
typedef struct {
    const char *name;
    void *function; /* a pointer to a function pointer */
} LibraryFunction;

/* All n functions; false with `why` naming the first that is missing. */
bool library_bind(void *library, const LibraryFunction *functions, int n, char *why, size_t why_bytes);

#endif
