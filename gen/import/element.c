/* SPDX-License-Identifier: Apache-2.0
 *
 * element: the table of types, and the bytes of tensors.
 */
#include "gen/import/element.h"

#include <stddef.h>
#include <string.h>

const Element elements[ELEMENT_COUNT] = {
    [ELEMENT_NONE] = { "unknown", 0, NULL, 0, LIST_STRINGS },
    [ELEMENT_F32] = { "f32", 1, "F32", 32, LIST_FLOATS },
    [ELEMENT_F64] = { "f64", 11, "F64", 64, LIST_DOUBLES },
    [ELEMENT_F16] = { "f16", 10, "F16", 16, LIST_INT32 },
    [ELEMENT_BF16] = { "bf16", 16, "BF16", 16, LIST_INT32 },
    [ELEMENT_E4M3] = { "e4m3", 17, "F8_E4M3", 8, LIST_INT32 },
    [ELEMENT_E4M3FNUZ] = { "e4m3fnuz", 18, NULL, 8, LIST_INT32 },
    [ELEMENT_E5M2] = { "e5m2", 19, "F8_E5M2", 8, LIST_INT32 },
    [ELEMENT_E5M2FNUZ] = { "e5m2fnuz", 20, NULL, 8, LIST_INT32 },
    [ELEMENT_E8M0] = { "e8m0", 24, "F8_E8M0", 8, LIST_INT32 },
    [ELEMENT_E2M1] = { "e2m1", 23, NULL, 4, LIST_INT32 },
    [ELEMENT_S64] = { "s64", 7, "I64", 64, LIST_INT64 },
    [ELEMENT_S32] = { "s32", 6, "I32", 32, LIST_INT32 },
    [ELEMENT_S16] = { "s16", 5, "I16", 16, LIST_INT32 },
    [ELEMENT_S8] = { "s8", 3, "I8", 8, LIST_INT32 },
    [ELEMENT_S4] = { "s4", 22, NULL, 4, LIST_INT32 },
    [ELEMENT_S2] = { "s2", 26, NULL, 2, LIST_INT32 },
    [ELEMENT_U64] = { "u64", 13, "U64", 64, LIST_UINT64 },
    [ELEMENT_U32] = { "u32", 12, "U32", 32, LIST_UINT64 },
    [ELEMENT_U16] = { "u16", 4, "U16", 16, LIST_INT32 },
    [ELEMENT_U8] = { "u8", 2, "U8", 8, LIST_INT32 },
    [ELEMENT_U4] = { "u4", 21, NULL, 4, LIST_INT32 },
    [ELEMENT_U2] = { "u2", 25, NULL, 2, LIST_INT32 },
    [ELEMENT_BOOL] = { "bool", 9, "BOOL", 8, LIST_INT32 },
    [ELEMENT_C64] = { "c64", 14, NULL, 64, LIST_FLOATS },
    [ELEMENT_C128] = { "c128", 15, NULL, 128, LIST_DOUBLES },
    [ELEMENT_STRING] = { "string", 8, NULL, 0, LIST_STRINGS },
};

ElementType element_of_onnx(int number)
{
    ElementType type = ELEMENT_COUNT - 1;
    while (type > ELEMENT_NONE && elements[type].onnx != number)
        type--;
    return type;
}

ElementType element_of_safetensors(const char *name)
{
    ElementType type = ELEMENT_COUNT - 1;
    while (type > ELEMENT_NONE && (!elements[type].safetensors || strcmp(elements[type].safetensors, name) != 0))
        type--;
    return type;
}

bool element_count(const int64_t *dim, int rank, int64_t *count)
{
    bool is_empty = false;
    *count = 1;
    for (int i = 0; i < rank; i++) {
        if (dim[i] < 0)
            return false;
        is_empty |= dim[i] == 0;
    }
    for (int i = 0; i < rank && !is_empty; i++)
        if (__builtin_mul_overflow(*count, dim[i], count))
            return false;
    *count = is_empty ? 0 : *count;
    return true;
}

bool element_bytes(ElementType type, int64_t count, int64_t *bytes)
{
    int64_t bits;
    if (__builtin_mul_overflow(count, (int64_t)elements[type].bits, &bits) || bits > INT64_MAX - 7)
        return false;
    *bytes = (bits + 7) / 8;
    return true;
}
