/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator whose expressions call functions and multiply more extents than 64 bits hold: packages of it compile
 * without a warning, count as dcgen counts, and check their arguments without overflow.
 *
 * A wrong argument is found before anything of CUDA is called, so that nothing of it is linked here.
 *
 * ctest: timeout=120
 */
#include "tests/test.h"
#include "tests/package/made_up.h"

#include <dlfcn.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const char spec[] =
    "name = \"pkg\"; op = \"dense\"; dtype = \"f32\"; target = [\"avx512\"];\n"
    "dims = { T = { min = 1; max = 40; }; }; shapes = ( { M = \"T\"; N = 24; K = 16; } ); tune = { T = [1, 2, 40]; };\n"
    "layout = { W = \"NK\"; packed = false; }; budget = { kernels = 3; code_kib = 64; trials = 4; seconds = 10; };\n";

/* The operator dense, with other expressions. */
static const char make_op[] =
    "sed -i -e '/^epilogues/d' -e 's/extents = .\"M\", \"K\"./extents = [\"M\", \"K\", \"max(N, 1)\"]/'"
    " -e 's/extents = .\"M\", \"N\"./extents = [\"M\", \"min(K + 1, 1)*N\"]/'"
    " -e 's/\"2[*]M[*]N[*]K\"/\"1\\/2*4*M*max(N, K - 1) + THIRDS\"/'"
    " -e 's/^dtypes/derived = ( { name = \"THIRDS\"; expr = \"ceil_div(K, 3)\"; } );\\n&/' %s/dense/op.cfg";

static const char cpu_calls[] =
    "#include \"kernels.c\"\n"
    "int main(void)\n{\n"
    "    const int64_t most = INT32_MAX;\n"
    "    float x[1] = { 0 };\n"
    "    return !(pkg_flops(3, 5, 8, 9) == 2 * 3 * 7 + 9 && pkg(most, most, most, NULL, x, x, "
    "NULL, NULL) == pkg_BAD_POINTER &&\n"
    "             pkg(most, most, most, x, NULL, x, NULL, NULL) == pkg_BAD_POINTER &&\n"
    "             pkg(0, most, most, NULL, NULL, NULL, NULL, NULL) == pkg_OK &&\n"
    "             pkg(most, 0, most, NULL, NULL, NULL, NULL, NULL) == pkg_OK);\n}\n";

static const char gpu_calls[] =
    "#include \"kernels.cu\"\n"
    "extern \"C\" int calls()\n{\n"
    "    const int64_t most = INT32_MAX;\n"
    "    float x[1] = { 0 };\n"
    "    return !(pkg_cuda(most, most, most, NULL, x, x, NULL, NULL, NULL) == pkg_BAD_POINTER &&\n"
    "             pkg_cuda(0, most, most, NULL, NULL, NULL, NULL, NULL, NULL) == pkg_OK &&\n"
    "             pkg_cuda(most, 0, most, NULL, NULL, NULL, NULL, NULL, NULL) == pkg_OK);\n}\n";

static void make_package(const char *target)
{
    put_file(in(root, "spec.cfg"), spec);
    make_records(in(root, "r.jsonl"), in(root, "spec.cfg"), target, "plain");
    must(shell("%s replay spec.cfg -t %s --records r.jsonl -o %s --no-report", dcgen, target, target));
}

static int setup(void **state)
{
    const int code = made_up_setup(state);
    must(shell(make_op, share));
    must(shell("for e in 'max(N, 1)' 'min(K + 1' 'K - 1) + THIRDS' 'ceil_div(K, 3)'; do grep -qF \"$e\" "
               "%s/dense/op.cfg || exit 1; done",
               share));
    return code;
}

TEST(a_package_computes_what_its_operator_says)
{
    static const char *const compiler[] = { "gcc", "clang" };
    make_package("avx512");
    put_file(in(root, "calls.c"), cpu_calls);
    for (size_t i = 0; i < LENGTH(compiler); i++)
        if (shell("%s --version", compiler[i]) == 0)
            must(shell("%s -std=gnu11 -O1 -Wall -Wextra -Werror -fsanitize=signed-integer-overflow "
                       "-fsanitize-undefined-trap-on-error -I avx512 -o calls calls.c -pthread && ./calls",
                       compiler[i]));
}

TEST(so_does_one_for_gpus)
{
    if (shell("c++ --version") != 0)
        skip();
    make_package("sm_80");
    put_file(in(root, "calls.cc"), gpu_calls);
    must(shell("c++ -x c++ -std=gnu++17 -O1 -w -fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error "
               "-DDCGEN_EMULATOR -I %s/device/emulator -I %s/device -I sm_80 -shared -fPIC -o calls.so calls.cc",
               share, share));
    void *so = dlopen(in(root, "calls.so"), RTLD_LAZY);
    if (!so)
        fail_msg("%s", dlerror());
    int (*calls)(void);
    *(void **)&calls = dlsym(so, "calls");
    assert_int_equal(calls(), 0);
    dlclose(so);
}

TEST_FILE(setup, made_up_teardown)
