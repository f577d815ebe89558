/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of a package for GPUs, without a GPU and without nvcc: its kernels.cu is compiled by the host's C++
 * compiler, and what a call starts is caught (cuda/calls.cc). And its own test and benchmark (cuda/own.sh).
 */
#include "tests/test.h"
#include "tests/package/made_up.h"

static const char call_spec[] =
    "name = \"pkg\"; op = \"dense\"; dtype = \"f32\"; target = [\"sm_80\"];\n"
    "dims = { T = { min = 1; max = 40; }; }; shapes = ( { M = \"T\"; N = 24; K = 16; } ); tune = { T = [1, 2, 40]; };\n"
    "epilogue = [\"bias\"]; layout = { W = \"NK\"; packed = true; };\n"
    "budget = { kernels = 3; code_kib = 64; trials = 4; seconds = 10; };\n";

static const char own_spec[] =
    "name = \"pkg\"; op = \"dense\"; dtype = \"f32\"; target = [\"sm_80\"];\n"
    "dims = { T = { min = 1; max = 64; }; };\n"
    "shapes = ( { M = 1; N = 24; K = 16; }, { M = \"T\"; N = 40; K = 24; } ); tune = { T = [5, 64]; };\n"
    "epilogue = [\"bias\"]; layout = { W = \"NK\"; packed = false; };\n"
    "budget = { kernels = 3; code_kib = 64; trials = 4; seconds = 10; };\n";

/* root/pkg */
static void make_package(const char *spec)
{
    put_file(in(root, "spec.cfg"), spec);
    make_records(in(root, "r.jsonl"), in(root, "spec.cfg"), "sm_80", "plain");
    must(shell("rm -rf pkg && %s replay spec.cfg -t sm_80 --records r.jsonl -o pkg --no-report", dcgen));
}

static bool can(const char *command)
{
    if (system(command) == 0)
        return true;
    printf("skipped: cannot: %s\n", command);
    return false;
}

TEST(its_test_and_benchmark_find_what_is_wrong)
{
    if (!can("echo '#include <cuda_runtime_api.h>' | cc -I${CUDA_HOME:-/usr/local/cuda}/include -fsyntax-only -x c - "
             "2>/dev/null"))
        skip();
    make_package(own_spec);
    must(shell("SRC=" DCGEN_SOURCE_DIR " BIN=" DCGEN_BINARY_DIR
               " CUDA_INCLUDE=${CUDA_HOME:-/usr/local/cuda}/include sh " DCGEN_SOURCE_DIR
               "/tests/package/cuda/own.sh $PWD"));
}

TEST(calls_are_as_their_header_says)
{
    if (!can("c++ --version >/dev/null 2>&1")) /* which compiles kernels for the emulator */
        skip();
    /* scratch memory for one K, which the template has not */
    assert_int_equal(
        shell("sed -i 's/^scratch = .*/scratch = \"(K == 7) * M\";/' %s/dense/plain.cu && grep -q 'K == 7' "
              "%s/dense/plain.cu",
              share, share),
        0);
    make_package(call_spec);
    must(shell("c++ -x c++ -std=gnu++17 -O1 -w -fsanitize=bounds,undefined -fno-sanitize-recover=all "
               "-DDCGEN_EMULATOR -I %s/device/emulator -I %s/device -I pkg -o calls " DCGEN_SOURCE_DIR
               "/tests/package/cuda/calls.cc && ./calls",
               share, share));
}

/* For setup_cuda.sh, which says for what spec, in what file and for what targets. */
TEST(records_of_a_spec)
{
    if (test_argc < 3)
        skip();
    share = DCGEN_SOURCE_DIR "/templates";
    for (int i = 2; i < test_argc; i++)
        add_records(test_argv[1], test_argv[0], test_argv[i], "nobody's");
}

TEST_FILE(made_up_setup, made_up_teardown)
