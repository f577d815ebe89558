/* SPDX-License-Identifier: Apache-2.0
 *
 * op_query: what follows from an operator that was read: its operands' parts and elements, derived extents, distances.
 */
#include "gen/spec/op.h"

#include <math.h>
#include <string.h>
#include "gen/base/text.h"

bool op_is_first_brief(const Op *op, int extent)
{
    int i = 0;
    if (!op->extent[extent].brief)
        return false;
    while (!op->extent[i].brief || strcmp(op->extent[i].brief, op->extent[extent].brief) != 0)
        i++;
    return i == extent;
}

bool op_has_parts(const Op *op)
{
    int i = 0;
    while (i < op->noperand && !data_has_parts(op->operand[i].data))
        i++;
    return i < op->noperand;
}

int op_axis(const Op *op, const char *name) { return names_find(NAMES(op->extent, op->nextent), name); }

DtypePart op_part(const Op *op, const Operand *o)
{
    if (o->role == ROLE_OUT || o->of_formula)
        return o->role == ROLE_OUT ? PART_RESULT : PART_MORE;
    return o == op->operand ? PART_LEFT : PART_RIGHT;
}

const Storage *op_element(const Op *op, const Operand *o, const char *dtype)
{
    const Dtype *d = dtype_find(dtype);
    return o->stored ? o->stored : d ? d->part[op_part(op, o)] : NULL;
}

const Operand *op_output(const Op *op)
{
    const Operand *o = op->operand;
    while (o->role != ROLE_OUT)
        o++;
    return o;
}

bool op_derive(const Op *op, int64_t *extent)
{
    for (int i = op->ngiven; i < op->nextent; i++)
        if (expr_int_at(op->extent[i].expr, extent, &extent[i]) != EXPR_OK || extent[i] < op->extent[i].least ||
            extent[i] > op->extent[i].most)
            return false;
    return true;
}

double op_distance(const Op *op, const int64_t *a, const int64_t *b)
{
    double sum = 0;
    for (int i = 0; i < op->ngiven; i++) {
        const double d =
            i < op->naxis ? log2((double)(a[i] > 1 ? a[i] : 1) / (double)(b[i] > 1 ? b[i] : 1)) : (double)(a[i] - b[i]);
        sum += d * d;
    }
    return sum;
}

int op_stride_at(const Op *op, int operand)
{
    int at = op->nextent;
    for (int i = 0; i < operand; i++)
        at += op->operand[i].strided ? op->operand[i].layout->rank - 1 : 0;
    return at;
}
