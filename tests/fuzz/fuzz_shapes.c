/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_shapes: any bytes as a log of shapes. It is either read or has errors; rows that were read are legal, ascend and
 * are found, each at the line that it says; written out again they are read as the same.
 */
#include <inttypes.h>
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/spec/shape_log.h"
#include "tests/fuzz/fuzz.h"

static void check_row(const ShapeLog *l, const Op *op, int64_t i)
{
    const int64_t *row = shape_log_row(l, i);
    for (int x = 0; x < op->ngiven; x++)
        REQUIRE(row[x] >= op->extent[x].least && row[x] <= op->extent[x].most);
    REQUIRE(shape_log_count(l, i) >= 0);
    REQUIRE(i == 0 || order_numbers(shape_log_row(l, i - 1), row, l->ngiven) < 0);
    REQUIRE(shape_log_find(l, row) == i);
    const Loc at = shape_log_loc(l, i);
    REQUIRE(at.line >= 2 && at.col >= 1);
}

/* The rows as a log of all columns. */
static const char *text_of(Arena *a, const ShapeLog *l, const Op *op)
{
    Text t = { .arena = a };
    for (int x = 0; x < op->ngiven; x++)
        text_printf(&t, "%s,", op->extent[x].name);
    text_add(&t, "count\n");
    for (int64_t i = 0; i < l->n; i++) {
        for (int x = 0; x < op->ngiven; x++)
            text_printf(&t, "%" PRId64 ",", shape_log_row(l, i)[x]);
        text_printf(&t, "%" PRId64 "\n", shape_log_count(l, i));
    }
    return text_str(&t);
}

static void check_log(Arena *a, const ShapeLog *l, const Op *op)
{
    const int64_t most = (int64_t)1 << 53; /* that a count can be written as */
    bool small = true;
    REQUIRE(l->n > 0 && l->n <= SHAPE_LOG_MAX_ROW);
    for (int64_t i = 0; i < l->n; i++) {
        check_row(l, op, i);
        small = small && shape_log_count(l, i) <= most;
    }
    const char *text = text_of(a, l, op);
    const Source src = { "again.csv", text, strlen(text) };
    const ShapeLog *again = small ? shape_log_parse(a, &src, op, diag_new(a)) : NULL;
    REQUIRE(!small || (again && again->n == l->n && again->calls == l->calls));
    for (int64_t i = 0; again && i < l->n; i++)
        REQUIRE(order_numbers(shape_log_row(again, i), shape_log_row(l, i), l->ngiven + 1) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    const Op *op = op_read(a, DCGEN_SOURCE_DIR "/tests/gen/spec/op/conv", d);
    const Source *src = fuzz_source(a, "fuzz.csv", data, size);
    const ShapeLog *l = shape_log_parse(a, src, op, d);
    REQUIRE((l == NULL) == (diag_nerror(d) > 0));
    if (l)
        check_log(a, l, op);
    fuzz_check_diag(d, src);
    arena_free(a);
    return 0;
}
