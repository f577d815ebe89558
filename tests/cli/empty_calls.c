/* SPDX-License-Identifier: Apache-2.0
 *
 * empty_calls: one kernel (search/runner/abi.h), called with every combination of some extents, many of them 0.
 * Operands, the packed one and the scratch memory have not a byte to spare; those without elements are an address that
 * nothing may be read from, as in a package's call. Meant to be built with -fsanitize=address,undefined, for an
 * operator of empty_ops.h. With ROWS defined it calls nothing: it prints these calls, as the table of a package's
 * test.c has them. TOO_LARGE, if defined: all numbers of a call whose scratch memory would be more than memory can
 * hold. SERVES, if defined: which calls the kernel is for, over e[C] and the like; others it must refuse.
 *
 * Exit code 0: each call wrote every element of its output, or was refused as it should be.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/runner/abi.h"
#include "empty_ops.h"

static int is_legal(const int64_t *e)
{
    for (int i = 0; i < NEXTENT; i++)
        if (e[i] < 0)
            return 0;
    return 1;
}

#ifdef ROWS
static int try_call(const int64_t *e, const int64_t *elems)
{
    (void)elems;
    for (int i = 0; i < NEXTENT - NSTRIDE; i++)
        printf("%s%lld", i ? ", " : "    { ", (long long)e[i]);
    printf(" },\n");
    return 0;
}
#else

dcgen_run_fn dcgen_run;
__attribute__((weak)) dcgen_scratch_fn dcgen_scratch;
__attribute__((weak)) dcgen_packed_bytes_fn dcgen_packed_bytes;
__attribute__((weak)) dcgen_pack_fn dcgen_pack;

#ifndef SERVES
#define SERVES 1
#endif
enum { UNWRITTEN = 0xff, REFUSED = 1 };
static int served_some;

static int is_served(const int64_t *e)
{
    (void)e;
    return SERVES;
}

/* Memory with every byte `value`. */
static void *take(int64_t bytes, int value)
{
    void *p = malloc((size_t)bytes);
    if (!p)
        abort();
    memset(p, value, (size_t)bytes);
    return p;
}

/* The call in `ntask` parts; 1 if an element of the output is as before, or the call is not for the kernel and it did
 * anything but refuse it. */
static int call(const int64_t *e, const int64_t *elems, int64_t ntask)
{
    void *operand[NOPERAND];
    const int served = is_served(e);
    int wrong = 0;
    for (int i = 0; i < NOPERAND; i++)
        operand[i] = take(elems[i] * 4, i == NOPERAND - 1 ? UNWRITTEN : 0);
    if (dcgen_pack) {
        void *packed = take(dcgen_packed_bytes(e), UNWRITTEN);
#ifdef CONSTANTS
        wrong += dcgen_pack(e, operand, packed) != 0;
#else
        wrong += dcgen_pack(e, operand[CONSTANT], packed) != 0;
#endif
        free(operand[CONSTANT]);
        operand[CONSTANT] = packed;
    }
    void *scratch = take(served && dcgen_scratch ? dcgen_scratch(e, ntask) : 0, UNWRITTEN);
    for (int64_t task = 0; task < ntask; task++)
        wrong += dcgen_run(e, operand, scratch, task, ntask) != (served ? 0 : REFUSED);
    for (int64_t i = 0; i < elems[NOPERAND - 1]; i++)
        wrong += (((const uint32_t *)operand[NOPERAND - 1])[i] == UINT32_MAX) == served;
    for (int i = 0; i < NOPERAND; i++)
        free(operand[i]);
    free(scratch);
    served_some |= served;
    return wrong != 0;
}

static int try_call(const int64_t *e, const int64_t *elems)
{
    if (elems[NOPERAND - 1] == 0) /* a package returns at once */
        return 0;
    const int wrong = call(e, elems, 1) + call(e, elems, 3);
    for (int i = 0; wrong && i < NEXTENT; i++)
        printf("%lld%s", (long long)e[i], i + 1 < NEXTENT ? " " : ": wrong\n");
    return wrong;
}
#endif

#ifdef TOO_LARGE
/* Does the kernel ask for more than the size_t that it can say? 1 if not. */
static int try_too_large(void)
{
    static const int64_t e[NEXTENT] = { TOO_LARGE };
    const int64_t bytes = dcgen_scratch(e, 1);
    if (bytes != -1)
        printf("a call that is too large wants %lld bytes, expected -1\n", (long long)bytes);
    return bytes != -1;
}
#else
static int try_too_large(void) { return 0; }
#endif

/* Tries all values of the extents from the axis-th on; returns how many calls were wrong. */
static int try_all(int axis, int64_t *e)
{
    int64_t elems[NOPERAND];
    int wrong = 0;
    if (axis == NAXIS) {
        describe(e, elems);
        return is_legal(e) ? try_call(e, elems) : 0;
    }
    for (int i = 0; tried[axis][i] >= 0; i++) {
        e[axis] = tried[axis][i];
        wrong += try_all(axis + 1, e);
    }
    return wrong;
}

int main(void)
{
    int64_t e[NEXTENT];
    const int wrong = try_all(0, e) + try_too_large();
#ifndef ROWS
    if (!served_some) {
        printf("no call is for the kernel\n");
        return 1;
    }
#endif
    return wrong != 0;
}
