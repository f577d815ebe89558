/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of templates/vector for one instruction set, on arrays. Compiled with -DVECTOR_BYTES=..., and with
 * -DFUNCTIONS=... and -DPAIRS=..., the names of the tables of those of one and of two numbers. */
#include "functions.h"
#include "ceil.h"
#include "cos.h"
#include "erf.h"
#include "exp.h"
#include "floor.h"
#include "gelu.h"
#include "gelu_tanh.h"
#include "log.h"
#include "pow.h"
#include "round.h"
#include "rsqrt.h"
#include "sigmoid.h"
#include "silu.h"
#include "sin.h"
#include "sqrt.h"
#include "tanh.h"
#include "trunc.h"

#define ON_ARRAY(f)                                                             \
    static TARGET_ATTRIBUTE void f##_array(float *y, const float *x, long n)    \
    {                                                                           \
        const PACKAGE_floats_MACHINE *from = (const PACKAGE_floats_MACHINE *)x; \
        PACKAGE_floats_MACHINE *to = (PACKAGE_floats_MACHINE *)y;               \
        for (long i = 0; i < n * 4 / VECTOR_BYTES; i++)                         \
            to[i] = PACKAGE_##f##_MACHINE(from[i]);                             \
    }
#define ROW(f) { #f, f##_array },
#define WHOLE(DO) DO(ceil) DO(floor) DO(round) DO(trunc)
#define GATES(DO) DO(gelu) DO(gelu_tanh) DO(sigmoid) DO(silu) DO(tanh)
#define EACH(DO) WHOLE(DO) GATES(DO) DO(cos) DO(erf) DO(exp) DO(log) DO(rsqrt) DO(sin) DO(sqrt)

EACH(ON_ARRAY)

static TARGET_ATTRIBUTE void pow_array(float *v, const float *x, const float *y, long n)
{
    const PACKAGE_floats_MACHINE *base = (const PACKAGE_floats_MACHINE *)x, *to = (const PACKAGE_floats_MACHINE *)y;
    for (long i = 0; i < n * 4 / VECTOR_BYTES; i++)
        ((PACKAGE_floats_MACHINE *)v)[i] = PACKAGE_pow_MACHINE(base[i], to[i]);
}

const VectorFunction FUNCTIONS[] = { EACH(ROW){ 0 } };
const VectorPair PAIRS[] = { { "pow", pow_array }, { 0 } };
