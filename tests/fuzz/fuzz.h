/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz: what the fuzzers share (README.md). Each is one file that says by LLVMFuzzerTestOneInput what must hold for any
 * bytes that its parser reads; what does not hold ends the program.
 */
#ifndef DCGEN_TESTS_FUZZ_H
#define DCGEN_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* The path of a file in memory with these bytes, the same at each call. */
const char *fuzz_file(const void *data, size_t size);
/* The bytes as a file that was read, and as a string. */
Source *fuzz_source(Arena *a, const char *path, const uint8_t *data, size_t size);
/* Everything can be printed; what is said of src has a line and a column there. */
void fuzz_check_diag(const Diag *d, const Source *src);

#endif
