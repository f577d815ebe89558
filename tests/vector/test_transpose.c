/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose: squares of 4, 8 and 16 rows. The compiler splits vectors that this CPU does not have.
 */
#include "tests/test.h"

#define DCGEN /* what standalone.h would supply: */
#define TARGET_ATTRIBUTE
#define PACKAGE_UNROLL(most)

#define VECTOR_BYTES 16
#define PACKAGE_floats_MACHINE Floats4
#define PACKAGE_transpose_MACHINE transpose_4
#include "templates/vector/floats.h"
#include "templates/vector/transpose.h"
#undef VECTOR_BYTES
#undef PACKAGE_floats_MACHINE
#undef PACKAGE_transpose_MACHINE

#define VECTOR_BYTES 32
#define PACKAGE_floats_MACHINE Floats8
#define PACKAGE_transpose_MACHINE transpose_8
#include "templates/vector/floats.h"
#include "templates/vector/transpose.h"
#undef VECTOR_BYTES
#undef PACKAGE_floats_MACHINE
#undef PACKAGE_transpose_MACHINE

#define VECTOR_BYTES 64
#define PACKAGE_floats_MACHINE Floats16
#define PACKAGE_transpose_MACHINE transpose_16
#include "templates/vector/floats.h"
#include "templates/vector/transpose.h"

#define CHECK(n)                                                                  \
    do {                                                                          \
        Floats##n v[n];                                                           \
        for (int i = 0; i < (n) * (n); i++)                                       \
            v[i / (n)][i % (n)] = (float)i;                                       \
        transpose_##n(v);                                                         \
        for (int i = 0; i < (n) * (n); i++)                                       \
            assert_true(v[i / (n)][i % (n)] == (float)(i % (n) * (n) + i / (n))); \
    } while (0)

TEST(rows_become_columns)
{
    CHECK(4);
    CHECK(8);
    CHECK(16);
}
