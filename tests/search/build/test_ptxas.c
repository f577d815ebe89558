/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxas: registers, spills and shared memory read from what nvcc says, and from texts that only look like it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "search/build/ptxas.h"

static void test_two_kernels(void **state)
{
    (void)state;
    PtxasReport r;
    assert_true(ptxas_read("ptxas info    : 0 bytes gmem\n"
                           "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'\n"
                           "ptxas info    : Function properties for _Z1kPf\n"
                           "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                           "ptxas info    : Used 127 registers, used 1 barriers, 4096 bytes smem, 424 bytes cmem[0]\n"
                           "ptxas info    : Compiling entry function '_Z1jPf' for 'sm_90a'\n"
                           "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                           "ptxas info    : Used 40 registers, used 0 barriers\n"
                           "ptxas info    : Compile time = 18.563 ms\n",
                           &r));
    assert_int_equal(r.nkernel, 2);
    assert_int_equal(r.regs, 127);
    assert_int_equal(r.stack_bytes, 16);
    assert_int_equal(r.spill_bytes, 8);
    assert_int_equal(r.smem_bytes, 4096);
}

/* A function that is called, not inlined, has properties but is no kernel; a log without kernels says nothing. */
static void test_nothing_said(void **state)
{
    (void)state;
    PtxasReport r;
    static const char *const logs[] = {
        "",
        "\n\n",
        "ptxas info    : 0 bytes gmem\n",
        "ptxas info    : Function properties for f\n    8 bytes stack frame, 0 bytes spill stores\n",
        "Compiling entry function '_Z1kPf' for 'sm_90a'\n",
        "registers\n: Used registers\nbytes spill stores\n"
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        assert_false(ptxas_read(logs[i], &r));
}

/* The stack of a function that a kernel calls counts too. */
static void test_called_function(void **state)
{
    (void)state;
    PtxasReport r;
    assert_true(ptxas_read("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                           "ptxas info    : Function properties for f\n"
                           "    64 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                           "ptxas info    : Function properties for k\n"
                           "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                           "ptxas info    : Used 12 registers",
                           &r));
    assert_int_equal(r.nkernel, 1);
    assert_int_equal(r.regs, 12);
    assert_int_equal(r.stack_bytes, 64);
    assert_int_equal(r.spill_bytes, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_two_kernels), cmocka_unit_test(test_nothing_said),
                                        cmocka_unit_test(test_called_function) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
