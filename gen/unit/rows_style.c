/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_style: how the functions that go along a row are written: for CPUs on vectors, for GPUs on the W neighbouring elements that a thread has at a
 * time. unit_rows fills in what stands in capitals:
 *
 *   FIELDS COUNT OF NEXT   of a row's place: its fields, how many rows there are, the place of one, that of the next; ALONG: elements of a row
 *   PASS PLACE BODY        number of the pass; name of the place along the row; statements. BEFORE, BEHIND: those outside the loop over elements
 *   V S AT C VALUE         of a reduction: its value, its parts, their places (argmax), a variable; what it is of
 *   OUT TYPE               where the output's element lies, its type
 */
#include "gen/unit/formula_print.h"

#define VECTOR_FUNCTION "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void"
#define EACH_SUM "    for (int u = 0; u < 8; u++)\n        "
#define OTHER_SUMS "    for (int u = 1; u < nu; u++)\n        row->S[0] = "
#define VECTOR_FIELDS "    float V;\n    PACKAGE_floats_MACHINE S[8];\n"

const RowStyle row_style_vectors = {
    .style = STYLE_VECTOR,
    .call = "a->",
    .integer = "int64_t",
    .count = "",
    .kept = "v->v%d",
    .kept_type = "    PACKAGE_%s_MACHINE v%d;\n",
    .keeps_in_output = true,
    .places = "/* A row of the output. */\ntypedef struct {\n    int64_t FIELDS;\n} NAME_place;\n\n"
              "static inline int64_t NAME_rows(const NAME_args *a) { return COUNT; }\n"
              "static inline int64_t NAME_columns(const NAME_args *a) { return ALONG; }\n\n"
              "static inline NAME_place NAME_place_of(const NAME_args *a, int64_t row)\n{\n    NAME_place at;\n"
              "    (void)a;\nOF    return at;\n}\n\n"
              "static inline void NAME_next(const NAME_args *a, NAME_place *at)\n{\n    (void)a;\nNEXT}\n\n",
    .types = ": values of a row, those of up to eight vectors side by side before they are one; and what later passes need of a vector. */\n"
             "typedef struct {\nFIELDS    float *kept;\n    int stream;\n} NAME_row_MACHINE;\n"
             "typedef struct {\nVECTOR    int unused;\n} NAME_vector_MACHINE;\n\n"
             "static inline float *NAME_output_MACHINE(const NAME_args *a, NAME_place at)\n{\nBODY    return (float *)(OUT);\n}\n\n",
    .begin = VECTOR_FUNCTION " NAME_begin_PASS_MACHINE(NAME_row_MACHINE *row)\n{\nBODY    (void)row;\n}\n\n",
    .pass = VECTOR_FUNCTION "\nNAME_pass_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int64_t PLACE, int64_t "
            "lanes, const int u,\n    NAME_vector_MACHINE *v, const int fresh)\n{\nBODY"
            "    (void)a, (void)row, (void)at, (void)PLACE, (void)lanes, (void)u, (void)v, (void)fresh;\n}\n\n",
    .end = VECTOR_FUNCTION "\nNAME_end_PASS_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, const int "
           "nu)\n{\nBODY    (void)a, (void)row, (void)at, (void)nu;\n}\n\n",
    .store = "    PACKAGE_stream_MACHINE(OUT, VALUE, lanes, row->stream);\n",
    .store_ints = "    PACKAGE_store_ints_MACHINE(OUT, VALUE, lanes);\n",
    .store_before = "",
    .store_behind = "",
    .store_value = "    *(OUT) = VALUE;\n",
    .reduction = {
        [FORMULA_SUM - FORMULA_SUM] = { VECTOR_FIELDS, EACH_SUM "row->S[u] = PACKAGE_all_MACHINE(0);\n",
                          "    row->S[u] += PACKAGE_first_MACHINE(VALUE, lanes, 0);\n",
                          OTHER_SUMS "row->S[0] + row->S[u];\n    row->V = PACKAGE_sum_of_MACHINE(row->S[0]);\n" },
        [FORMULA_GREATEST - FORMULA_SUM] = { VECTOR_FIELDS, EACH_SUM "row->S[u] = PACKAGE_all_MACHINE(-__builtin_inff());\n",
                          "    row->S[u] = PACKAGE_max_MACHINE(row->S[u], PACKAGE_first_MACHINE(VALUE, lanes, -__builtin_inff()));\n",
                          OTHER_SUMS "PACKAGE_max_MACHINE(row->S[0], row->S[u]);\n    row->V = PACKAGE_largest_of_MACHINE(row->S[0]);\n" },
        [FORMULA_LEAST - FORMULA_SUM] = { VECTOR_FIELDS, EACH_SUM "row->S[u] = PACKAGE_all_MACHINE(__builtin_inff());\n",
                          "    row->S[u] = PACKAGE_min_MACHINE(row->S[u], PACKAGE_first_MACHINE(VALUE, lanes, __builtin_inff()));\n",
                          OTHER_SUMS "PACKAGE_min_MACHINE(row->S[0], row->S[u]);\n    row->V = PACKAGE_smallest_of_MACHINE(row->S[0]);\n" },
        [FORMULA_ARGMAX - FORMULA_SUM] = { "    int64_t V;\n    PACKAGE_floats_MACHINE S[8];\n    PACKAGE_ints_MACHINE AT[8];\n",
                          EACH_SUM "row->S[u] = PACKAGE_all_MACHINE(-__builtin_inff());\n" EACH_SUM "row->AT[u] = PACKAGE_all_ints_MACHINE(0);\n",
                          "    PACKAGE_larger_MACHINE(&row->S[u], &row->AT[u], PACKAGE_first_MACHINE(VALUE, lanes, -__builtin_inff()), (int32_t)PLACE);\n",
                          "    row->V = PACKAGE_place_of_largest_MACHINE(row->S, row->AT, nu);\n" } },
};

#define THREAD_FUNCTION "static __device__ __forceinline__ "
#define THREAD_FIELDS "    float V, S;\n"

/* Beyond the row's end a thread computes its last elements once more: only sums ask whether they exist. A costly value costs less than to store it. */
const RowStyle row_style_threads = {
    .style = STYLE_SCALAR,
    .call = "a.",
    .integer = "int",
    .count = "(int64_t)",
    .kept = "v->v%d[i]",
    .kept_type = "    %s v%d[W];\n",
    .loops = true,
    .places = "/* A row of the output. */\ntypedef struct {\n    int FIELDS;\n} NAME_place;\n\n"
              "static inline __host__ __device__ int64_t NAME_rows(const NAME_args &a) { return COUNT; }\n"
              "static inline __host__ __device__ int NAME_columns(const NAME_args &a) { return ALONG; }\n\n"
              THREAD_FUNCTION "NAME_place NAME_place_of(const NAME_args &a, unsigned row)\n{\n    NAME_place at;\n"
              "OF    return at;\n}\n\n"
              THREAD_FUNCTION "void NAME_next(const NAME_args &a, NAME_place *at)\n{\nNEXT}\n\n"
              "/* The addresses, or'ed, of what is read and written in vectors. */\n"
              "static __device__ __forceinline__ unsigned NAME_addresses(const NAME_args &a)\n{\n    return ADDRESSES;\n}\n\n",
    .types = ": values of a row, each of a thread's elements before it is one; and what later passes need of W elements. */\n"
             "typedef struct {\nFIELDS    int unused;\n} NAME_row;\ntemplate <int W> struct NAME_vector {\nVECTOR    int unused;\n};\n\n",
    .begin = THREAD_FUNCTION "void NAME_begin_PASS(NAME_row *row)\n{\nBODY}\n\n",
    .pass = "template <int W, bool fresh> " THREAD_FUNCTION "void\nNAME_pass_PASS(const NAME_args &a, NAME_row *row, NAME_place at, unsigned "
            "first, bool exists, NAME_vector<W> *v)\n{\nBEFORE#pragma unroll\n    for (int i = 0; i < W; i++) {\nBODY    }\nBEHIND}\n\n",
    .end = "template <class Lanes> " THREAD_FUNCTION "void\nNAME_end_PASS(const NAME_args &a, NAME_row *row, NAME_place at, Lanes &lanes, bool "
           "exists)\n{\nBODY}\n\n",
    .store = "    results[i] = VALUE;\n",
    .store_ints = "    results[i] = VALUE;\n",
    .store_before = "    TYPE results[W];\n",
    .store_behind = "    if (exists)\n        PACKAGE_device::store_row(OUT, results);\n",
    .store_value = "    if (exists)\n        *(OUT) = VALUE;\n",
    .reduction = {
        [FORMULA_SUM - FORMULA_SUM] = { THREAD_FIELDS, "    row->S = 0;\n", "    row->S += exists ? VALUE : 0;\n", "    row->V = lanes.sum(row->S);\n" },
        [FORMULA_GREATEST - FORMULA_SUM] = { THREAD_FIELDS, "    row->S = -__builtin_inff();\n", "    row->S = PACKAGE_device::greater(row->S, VALUE);\n",
                                             "    row->V = lanes.largest(row->S);\n" },
        [FORMULA_LEAST - FORMULA_SUM] = { THREAD_FIELDS, "    row->S = __builtin_inff();\n", "    row->S = PACKAGE_device::lesser(row->S, VALUE);\n",
                                          "    row->V = lanes.smallest(row->S);\n" },
        [FORMULA_ARGMAX - FORMULA_SUM] = { "    int V, AT;\n    float S;\n", "    row->S = -__builtin_inff();\n    row->AT = 0;\n",
                                           "    const float C = VALUE;\n    row->AT = C > row->S ? PLACE : row->AT;\n    row->S = C > row->S ? C : row->S;\n",
                                           "    row->V = lanes.place_of_largest(row->S, row->AT);\n" } },
};
