/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype: the table of what specs compute in, and what follows from a row for results.
 */
#include "gen/spec/dtype.h"

#include <math.h>
#include "gen/base/text.h"

#define AS(format) (&storages[STORED_##format])

/* The parts are in the order of DtypePart. Tensor cores truncate the mantissa of a tf32 operand to 10 bits. */
const Dtype dtypes[DTYPE_COUNT] = {
    { "f32", { AS(F32), AS(F32), AS(F32), AS(F32), AS(F32) }, 0 },
    { "tf32", { AS(F32), AS(F32), AS(F32), AS(F32), AS(F32) }, 0x1p-10 },
    { "tf32x3", { AS(F32), AS(F32), AS(F32), AS(F32), AS(F32) }, 0x1p-21 },
    { "f16", { AS(F16), AS(F16), AS(F16), AS(F32), AS(F16) }, 0 },
    { "bf16", { AS(BF16), AS(BF16), AS(BF16), AS(F32), AS(BF16) }, 0 },
};

const Dtype *dtype_find(const char *name) { return names_row(NAMES(dtypes, DTYPE_COUNT), name); }

int operand_types(OperandType type[OPERAND_TYPE_MOST])
{
    int n = 0;
    for (const Dtype *d = dtypes; d < dtypes + DTYPE_COUNT; d++)
        type[n++] = (OperandType){ d->name, d->part[PART_RESULT] };
    for (const Storage *s = storages; s < storages + STORAGE_COUNT; s++)
        if (!dtype_find(s->name))
            type[n++] = (OperandType){ s->name, s };
    return n;
}

Rounding dtype_rounding(const Dtype *t, const Storage *out)
{
    const Storage *acc = t->part[PART_ACC];
    /* whole numbers that a formula gives: rounded where it says so, on the way, or not at all */
    const bool is_whole = storage_is_whole(out) && out != t->part[PART_RESULT], rounds = out != acc && !is_whole;
    return (Rounding){ .sums = storage_roundoff(acc),
                       .inputs = t->eps_in,
                       .output = rounds ? storage_roundoff(out) : 0,
                       .denormals = rounds ? storage_least(out) / 2 : 0 };
}

double rounding_tolerance(const Rounding *r, double terms, double bound, double y)
{
    const double root = sqrt(terms);
    return (r->sums * (4 * root + 8) + r->inputs * fmin(2, 12 / root)) * bound + r->output * fabs(y) + r->denormals;
}
