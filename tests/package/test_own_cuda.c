/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA package's own test and benchmark, without a GPU and without nvcc: cuda/own.sh says what is looked for.
 */
#include "tests/test.h"
#include "tests/package/made_up.h"

static const char spec[] =
    "name = \"pkg\"; op = \"dense\"; dtype = \"f32\"; target = [\"sm_80\"];\n"
    "dims = { T = { min = 1; max = 64; }; };\n"
    "shapes = ( { M = 1; N = 24; K = 16; }, { M = \"T\"; N = 40; K = 24; } ); tune = { T = [5, 64]; };\n"
    "epilogue = [\"bias\"]; layout = { W = \"NK\"; packed = false; };\n"
    "budget = { kernels = 3; code_kib = 64; trials = 4; seconds = 10; };\n";

TEST(they_find_what_is_wrong)
{
    put_file(in(root, "spec.cfg"), spec);
    make_records(in(root, "r.jsonl"), in(root, "spec.cfg"), "sm_80", "plain");
    assert_int_equal(shell("%s replay spec.cfg -t sm_80 --records r.jsonl -o pkg --no-report", dcgen), 0);
    must(shell("SRC=" DCGEN_SOURCE_DIR " CUDA_INCLUDE=${CUDA_HOME:-/usr/local/cuda}/include sh " DCGEN_SOURCE_DIR
               "/tests/package/cuda/own.sh pkg"));
}

TEST_FILE(made_up_setup, made_up_teardown)

static bool cublas_is_here(void)
{
    const bool is_here =
        system("echo '#include <cublasLt.h>' | cc -I${CUDA_HOME:-/usr/local/cuda}/include -fsyntax-only -x c - "
               "2>/dev/null") == 0;
    if (!is_here)
        puts("skipped: there is no cublasLt.h");
    return is_here;
}

TEST_NEEDS(cublas_is_here)
