/* SPDX-License-Identifier: Apache-2.0
 *
 * library: shared libraries that come with a CUDA toolkit or a driver, opened when the program runs and used if they
 * are there. The loader's own path is tried first, then the usual folders of toolkits, newest first, then those of Python
 * packages: $VIRTUAL_ENV, $CONDA_PREFIX, where the python3 in PATH lives, and usual places of environments.
 */
#ifndef DCGEN_CUDA_LIBRARY_H
#define DCGEN_CUDA_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

enum { LIBRARY_WHY_BYTES = 200 };

/* names: NULL-terminated, best first. NULL with `why` saying what the loader said of the first name. */
void *library_open(const char *const *names, char why[LIBRARY_WHY_BYTES]);
/* Where it would be found, but for the loader's own path: large ones are opened only when they are wanted. False: nowhere. */
bool library_find(const char *name, char path[PATH_MAX]);
/* The file that it came from, as long as it is open. */
const char *library_where(void *library);

/* A function of an open library by its name, and where its address goes. */
typedef struct {
    const char *name;
    void *function; /* a pointer to a function pointer */
} LibraryFunction;

/* All n functions; false with `why` naming the first that is missing. */
bool library_bind(void *library, const LibraryFunction *functions, int n, char why[LIBRARY_WHY_BYTES]);

#endif
