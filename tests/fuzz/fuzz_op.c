/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_op: any bytes as an op.cfg. An op is either read or has errors, and what is read is what the generators rely on
 * (gen/spec/op.c).
 */
#include "gen/base/name.h"
#include "gen/spec/op.h"
#include "tests/fuzz/fuzz.h"

static void check_op(const Op *op)
{
    int nout = 0;
    REQUIRE(op->naxis > 0 && op->naxis <= op->ngiven && op->ngiven <= op->nextent && op->nextent <= OP_MAX_EXTENT &&
            op->noperand > 0 && op->noperand <= OP_MAX_OPERAND);
    REQUIRE(!name_fault(op->name) && op->ndtype > 0 && !op->flops == !op->reference && op->rows && op->row_elems);
    for (int i = 0; i < op->nextent; i++)
        REQUIRE(!name_fault(op->extent[i].name) && op_axis(op, op->extent[i].name) == i);
    for (int i = 0; i < op->noperand; i++) {
        const Operand *o = &op->operand[i];
        REQUIRE(!name_fault(o->name) && op_axis(op, o->name) < 0 && o->elems);
        REQUIRE(o->nlayout > 0 && o->layout->rank > 0 && o->layout->rank <= OP_MAX_RANK);
        REQUIRE(o->of < op->nextent && (o->of >= 0) == (o->data >= DATA_LENGTHS));
        REQUIRE((o->role == ROLE_INDEX) <= (o->stored && storage_is_whole(o->stored)));
        nout += o->role == ROLE_OUT;
    }
    REQUIRE(nout == 1);
}

/* Every expression has a value or a reason for having none, at any extents. */
static void check_values(const Op *op)
{
    static const int64_t extents[] = { 1, 7, 1000, INT32_MAX };
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        int64_t extent[OP_MAX_EXTENT], value;
        for (int i = 0; i < op->nextent; i++)
            extent[i] = extents[(k + (size_t)i) % (sizeof extents / sizeof *extents)];
        REQUIRE(expr_int_at(op->rows, extent, &value) != EXPR_UNKNOWN_NAME);
        REQUIRE(expr_int_at(op->row_elems, extent, &value) != EXPR_UNKNOWN_NAME);
        REQUIRE(!op->flops || expr_int_at(op->flops, extent, &value) != EXPR_UNKNOWN_NAME);
        for (int i = 0; i < op->noperand; i++)
            REQUIRE(expr_int_at(op->operand[i].elems, extent, &value) != EXPR_UNKNOWN_NAME);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Source *src = fuzz_source(a, "op.cfg", data, size);
    const Op *op = op_parse(a, "folder", src, d);
    REQUIRE((op == NULL) == (diag_nerror(d) > 0));
    if (op) {
        check_op(op);
        check_values(op);
    }
    fuzz_check_diag(d, src);
    arena_free(a);
    return 0;
}
