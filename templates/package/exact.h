/* SPDX-License-Identifier: MIT-0 */
/* A product's flags may change what arithmetic means: -ffast-math and its parts, -Ofast, -ffp-model=fast. Functions such as exp rest on rounding
 * as C has it, and NaN must be seen, so all of that is taken back here. Where no such flag is given, no instruction changes. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-pragmas" /* some machines have the next line from clang 15 or later on; the last one is enough there */
#pragma float_control(precise, on)
#pragma clang diagnostic pop
#pragma clang fp reassociate(off) contract(fast)
#else
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-associative-math", "no-reciprocal-math", "no-finite-math-only", "signed-zeros", \
                     "no-rounding-math", "no-single-precision-constant")
#endif
