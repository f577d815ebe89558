/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of templates/vector for one instruction set, on arrays. Compiled with -DVECTOR_BYTES=... and
 * -DFUNCTIONS=..., the name of the table. */
#include "functions.h"
#include "erf.h"
#include "exp.h"
#include "gelu.h"
#include "gelu_tanh.h"
#include "log.h"
#include "rsqrt.h"
#include "sigmoid.h"
#include "silu.h"
#include "sqrt.h"
#include "tanh.h"

#define ON_ARRAY(f)                                                             \
    static TARGET_ATTRIBUTE void f##_array(float *y, const float *x, long n)    \
    {                                                                           \
        const PACKAGE_floats_MACHINE *from = (const PACKAGE_floats_MACHINE *)x; \
        PACKAGE_floats_MACHINE *to = (PACKAGE_floats_MACHINE *)y;               \
        for (long i = 0; i < n * 4 / VECTOR_BYTES; i++)                         \
            to[i] = PACKAGE_##f##_MACHINE(from[i]);                             \
    }
#define ROW(f) { #f, f##_array },
#define EACH(DO) DO(erf) DO(exp) DO(gelu) DO(gelu_tanh) DO(log) DO(rsqrt) DO(sigmoid) DO(silu) DO(sqrt) DO(tanh)

EACH(ON_ARRAY)
const VectorFunction FUNCTIONS[] = { EACH(ROW){ 0 } };
