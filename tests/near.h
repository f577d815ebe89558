/* SPDX-License-Identifier: Apache-2.0
 *
 * near: real numbers that may differ by rounding. Included behind cmocka.h.
 */
#ifndef DCGEN_TEST_NEAR_H
#define DCGEN_TEST_NEAR_H

#include <math.h>

static inline void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fmin(1 + fabs(want), 1e3 * fabs(want) + 1e-3)))
        fail_msg("%.17g is not %.17g", got, want);
}

#endif
