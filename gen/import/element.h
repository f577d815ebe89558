/* SPDX-License-Identifier: Apache-2.0
 *
 * element: the types of elements that tensors in files of models have, one row for each, and what ONNX and safetensors
 * call them.
 */
#ifndef DCGEN_ELEMENT_H
#define DCGEN_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    ELEMENT_NONE, /* not known, or the value is no tensor */
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_E4M3,
    ELEMENT_E4M3FNUZ,
    ELEMENT_E5M2,
    ELEMENT_E5M2FNUZ,
    ELEMENT_E8M0,
    ELEMENT_E2M1,
    ELEMENT_S64,
    ELEMENT_S32,
    ELEMENT_S16,
    ELEMENT_S8,
    ELEMENT_S4,
    ELEMENT_S2,
    ELEMENT_U64,
    ELEMENT_U32,
    ELEMENT_U16,
    ELEMENT_U8,
    ELEMENT_U4,
    ELEMENT_U2,
    ELEMENT_BOOL,
    ELEMENT_C64,
    ELEMENT_C128,
    ELEMENT_STRING,
    ELEMENT_COUNT
} ElementType;

/* The list of a TensorProto that holds elements of a type, where its raw_data does not. */
typedef enum { LIST_FLOATS, LIST_INT32, LIST_INT64, LIST_DOUBLES, LIST_UINT64, LIST_STRINGS } ElementList;

typedef struct {
    const char *name;        /* "f32" */
    int onnx;                /* its number in ONNX */
    const char *safetensors; /* its name there; NULL: it has none */
    int bits;                /* below 8, elements are packed, the first in the lowest bits; 0: strings */
    ElementList list;
} Element;

extern const Element elements[ELEMENT_COUNT];

/* ELEMENT_NONE: unknown. */
ElementType element_of_onnx(int number);
ElementType element_of_safetensors(const char *name);

/* The elements of a tensor of these extents, and their bytes. False: an extent is negative, or the product is too
 * large. */
bool element_count(const int64_t *dim, int rank, int64_t *count);
bool element_bytes(ElementType type, int64_t count, int64_t *bytes);

#endif
