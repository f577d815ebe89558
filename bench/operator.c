/* SPDX-License-Identifier: Apache-2.0
 *
 * operator: the operators that have peers.
 */
#include "bench/operator.h"

#include <string.h>

static const Operator *const operators[] = { &dense_operator,          &gated_dense_operator, &batch_matmul_operator,
                                             &conv2d_operator,         &rows_operator,        &batch_rows_operator,
                                             &max_pool2d_operator,     &avg_pool2d_operator,  &resize_nearest_operator,
                                             &resize_bilinear_operator };

const Operator *operator_of(const Op *op)
{
    static const Operator other = { 0 };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i]->name, op->name) == 0)
            return operators[i];
    return &other;
}
