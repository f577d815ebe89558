/* SPDX-License-Identifier: MIT-0
 *
 * check: what test_model.c asks of each function: to draw what its operands hold, to compare a call's result with the definition, and to compute the
 * definition with operands in double precision.
 */
#include <stdint.h>

/* An operand of a node: memory, and how its elements lie there, which is as the call takes them or, where wide is not 0, as doubles. given: the same as the
 * call took or left it. */
typedef struct {
    void *at;
    const void *given;
    int64_t stride[12]; /* of each extent, in elements */
    int wide;
} PACKAGE_seen;

/* A function's part of the test. */
typedef struct {
    /* Fills an operand's elements, which lie densely, with what calls of these extents may hold. Their number is given. */
    int64_t (*draw)(const int64_t *extent, int operand, void *to);
    /* The largest error of the output, as a part of what rounding may cause; NaN where none should be, or what lies apart: infinite. */
    double (*compare)(const int64_t *extent, const PACKAGE_seen *operand);
    /* Computes the output, as doubles. What rounding may turn, as whole numbers, and what the definition leaves open stays what the call gave. shaken: each
     * element is off by what rounding may cause, to one side or the other. */
    void (*define)(const int64_t *extent, const PACKAGE_seen *operand, int shaken);
} PACKAGE_check;
