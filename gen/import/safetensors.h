/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors: files of named tensors. A file is 8 bytes, the length of the header; the header, JSON, an entry a tensor
 * with its type, extents and where its elements begin and end; and the elements of all, one tensor behind the other
 * without gaps.
 */
#ifndef DCGEN_SAFETENSORS_H
#define DCGEN_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"
#include "gen/import/element.h"

enum { SAFETENSORS_ALIGN = 64, SAFETENSORS_MAX_RANK = 12, SAFETENSORS_MAX_HEADER = 100000000 /* as others have it */ };

typedef struct {
    const char *name;
    ElementType type;
    int rank;
    const int64_t *dim;
    const void *data;
    size_t bytes;
} SafeTensor;

typedef struct {
    const SafeTensor *tensor; /* in the order of their elements; names are in the arena, data in the file's bytes */
    int n;
} SafeTensors;

/* Writes the tensors to the file, or replaces it: it is there whole, or as before. Elements begin at a multiple of
 * SAFETENSORS_ALIGN, and each tensor at a multiple of its elements' size: those of large elements come first, those of
 * one size by name. The bytes depend on the tensors alone. False, with *err: nothing was written. */
bool safetensors_write(Arena *a, const char *path, const SafeTensor *tensor, int n, const char **err);

/* Does the file begin as those do that safetensors_write wrote? */
bool safetensors_is_written(const char *path);

/* What a file of these bytes holds. NULL, with *err: it is none. */
const SafeTensors *safetensors_read(Arena *a, const char *bytes, size_t n, const char **err);

#endif
