/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_style: how the statements of passes along a row are written: for CPUs on vectors, for GPUs on the neighbouring
 * elements that a thread has at a time. The functions around them are templates/package/rows.c and rows.cu. unit_rows
 * fills in what stands in capitals:
 *
 *   V S AT C VALUE   of a reduction: its value, its parts, their places (argmax), a variable; what it is of
 *   ASIDE            parts of a sum that were put aside
 *   PLACE            the element's place along the row
 *   OUT TYPE         where the output's element lies, its type
 */
#include "gen/unit/formula_print.h"

#define VECTOR_FIELDS "    float V;\n    PACKAGE_floats_MACHINE S[8];\n"
#define EACH "    for (int u = 0; u < 8; u++)\n"
#define REST "    for (int u = 1; u < nu; u++)\n"
#define FIRST(none) "PACKAGE_first_MACHINE(VALUE, lanes, " none ")"
#define LOWEST "-__builtin_inff()"
#define HIGHEST "__builtin_inff()"

const RowStyle row_style_vectors = {
    .style = STYLE_VECTOR,
    .call = "a->",
    .integer = "int64_t",
    .count = "",
    .kept = "v->v%d",
    .kept_type = "    PACKAGE_%s_MACHINE v%d;\n",
    .keeps_in_output = true,
    .store = "    PACKAGE_stream_MACHINE(OUT, VALUE, lanes, row->stream);\n",
    .store_ints = "    PACKAGE_store_ints_MACHINE(OUT, VALUE, lanes);\n",
    .store_before = "",
    .store_behind = "",
    .store_value = "    *(OUT) = VALUE;\n",
    .reduction[FORMULA_SUM] = { VECTOR_FIELDS "    PACKAGE_floats_MACHINE ASIDE;\n",
                                EACH "        row->S[u] = PACKAGE_all_MACHINE(0);\n"
                                     "    row->ASIDE = PACKAGE_all_MACHINE(0);\n",
                                "    row->S[u] += " FIRST("0") ";\n",
                                REST "        row->S[0] = row->S[0] + row->S[u];\n"
                                     "    row->V = PACKAGE_sum_of_MACHINE(row->ASIDE + row->S[0]);\n",
                                REST "        row->S[0] = row->S[0] + row->S[u];\n"
                                     "    row->ASIDE += row->S[0];\n" EACH
                                     "        row->S[u] = PACKAGE_all_MACHINE(0);\n" },
    .reduction[FORMULA_GREATEST] = { VECTOR_FIELDS, EACH "        row->S[u] = PACKAGE_all_MACHINE(" LOWEST ");\n",
                                     "    row->S[u] = PACKAGE_max_MACHINE(" FIRST(LOWEST) ", row->S[u]);\n",
                                     REST "        row->S[0] = PACKAGE_max_MACHINE(row->S[0], row->S[u]);\n"
                                          "    row->V = PACKAGE_largest_of_MACHINE(row->S[0]);\n" },
    .reduction[FORMULA_LEAST] = { VECTOR_FIELDS, EACH "        row->S[u] = PACKAGE_all_MACHINE(" HIGHEST ");\n",
                                  "    row->S[u] = PACKAGE_min_MACHINE(" FIRST(HIGHEST) ", row->S[u]);\n",
                                  REST "        row->S[0] = PACKAGE_min_MACHINE(row->S[0], row->S[u]);\n"
                                       "    row->V = PACKAGE_smallest_of_MACHINE(row->S[0]);\n" },
    .reduction
        [FORMULA_ARGMAX] = { "    int64_t V;\n    PACKAGE_floats_MACHINE S[8];\n    PACKAGE_ints_MACHINE AT[8];\n",
                             EACH "        row->S[u] = PACKAGE_all_MACHINE(" LOWEST ");\n" EACH
                                  "        row->AT[u] = PACKAGE_all_ints_MACHINE(0);\n",
                             "    PACKAGE_larger_MACHINE(&row->S[u], &row->AT[u], " FIRST(
                                 LOWEST) ", (int32_t)PLACE);\n",
                             "    row->V = PACKAGE_place_of_largest_MACHINE(row->S, row->AT, nu);\n" },
};

#define THREAD_FIELDS "    float V, S;\n"

/* A costly value is computed again: that costs less than to store it and to load it. */
const RowStyle row_style_threads = {
    .style = STYLE_SCALAR,
    .call = "a.",
    .integer = "int",
    .count = "(int64_t)",
    .kept = "v->v%d[i]",
    .kept_type = "    %s v%d[W];\n",
    .loops = true,
    .store = "    results[i] = VALUE;\n",
    .store_ints = "    results[i] = VALUE;\n",
    .store_before = "    TYPE results[W];\n",
    .store_behind = "    if (exists)\n        PACKAGE_device::store_row(OUT, results);\n",
    .store_value = "    if (exists)\n        *(OUT) = VALUE;\n",
    .reduction[FORMULA_SUM] = { "    float V, S, ASIDE;\n", "    row->S = row->ASIDE = 0;\n",
                                "    row->S += exists ? VALUE : 0;\n", "    row->V = lanes.sum(row->ASIDE + row->S);\n",
                                "    row->ASIDE += row->S;\n    row->S = 0;\n" },
    .reduction[FORMULA_GREATEST] = { THREAD_FIELDS, "    row->S = " LOWEST ";\n",
                                     "    row->S = PACKAGE_device::greater(VALUE, row->S);\n",
                                     "    row->V = lanes.largest(row->S);\n" },
    .reduction[FORMULA_LEAST] = { THREAD_FIELDS, "    row->S = " HIGHEST ";\n",
                                  "    row->S = PACKAGE_device::lesser(VALUE, row->S);\n",
                                  "    row->V = lanes.smallest(row->S);\n" },
    .reduction[FORMULA_ARGMAX] = { "    int V, AT;\n    float S;\n", "    row->S = " LOWEST ";\n    row->AT = 0;\n",
                                   "    const float C = VALUE;\n"
                                   "    row->AT = C > row->S ? PLACE : row->AT;\n"
                                   "    row->S = C > row->S ? C : row->S;\n",
                                   "    row->V = lanes.place_of_largest(row->S, row->AT);\n" },
};
