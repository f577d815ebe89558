/* SPDX-License-Identifier: Apache-2.0
 *
 * hand_result: the result that is set by hand (by_hand.h), once for all tests of a program; and a report of it.
 */
#ifndef DCGEN_TEST_HAND_RESULT_H
#define DCGEN_TEST_HAND_RESULT_H

#include "tests/test.h"
#include "gen/report/report_private.h"
#include "tests/gen/by_hand.h"

enum { FIRST = 10 }; /* the package's number of the first kernel */
static const char VERSION[] = "1.2.3";

static Result input;
static Roofline roofline; /* the study's */

static inline int setup(void **state)
{
    if (!by_hand_make(&hand))
        return -1;
    input = by_hand_result(&hand, FIRST);
    roofline = *hand.y.study->roofline;
    hand.y.study->roofline = &roofline;
    return 0;
}

static inline Report *report_with(const Result *in) { return report_begin(hand.y.arena, in, VERSION, false); }

#endif
