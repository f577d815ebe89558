/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of models at the limits of what a spec can say: sizes that are equal for some dims alone, formulas that
 * are too long, numbers that are too large or too small; and what is told of those beyond them.
 */
#include "tests/test.h"
#include "tests/gen/import/lower_model.h"

/* Frames of sound, two and two, without a batch: x[T,8] is read as [T/2,16], and a product's result as well. */
TEST(rows_that_are_stacked)
{
    given("x", "T 8");
    constant("w", "16 4", 0.5f);
    constant("square", "8 8", 0.25f);
    whole("shape", "-1 16");
    node("Reshape", "x shape", "pairs");
    node("MatMul", "pairs w", "y");
    node("MatMul", "x square", "h");
    node("Reshape", "h shape", "inner");
    node("MatMul", "inner w", "z");
    wanted("y");
    wanted("z");
    becomes("stacked");
}

TEST_EACH(setup_model, teardown_folder)
