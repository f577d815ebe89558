/* SPDX-License-Identifier: Apache-2.0
 *
 * The op by the vendor's library, as text that compiles. No GPU is needed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "gen/text.h"
#include "gen/unit.h"

static Arena *arena;
static TargetList targets;
static const char *folder;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    char path[] = "/tmp/dcgen-library-XXXXXX";
    folder = mkdtemp(path) ? arena_strdup(arena, path) : NULL;
    return folder && target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    unlink(arena_printf(arena, "%s/library.cu", folder));
    unlink(arena_printf(arena, "%s/library.so", folder));
    rmdir(folder);
    arena_free(arena);
    return 0;
}

static char *library_text(const char *target, const char *dtype, const char *layout, bool bias)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/templates" };
    Source *src = ARENA_NEW(arena, Source);
    Diag *d = diag_new(arena);
    *src = (Source){ .path = "spec.cfg",
                     .text = arena_printf(arena,
                                          "name = \"pkg\"; op = \"dense\"; dtype = \"%s\"; layout = { W = \"%s\"; }; %s"
                                          " shapes = ( { M = 7; N = 48; K = 64; } );",
                                          dtype, layout, bias ? "epilogue = [\"bias\"];" : "") };
    src->len = strlen(src->text);
    const UnitContext u = { spec_parse(arena, src, folders, 1, d), NULL, &targets,
                            DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, target) };
    assert_non_null(u.spec);
    assert_non_null(u.target);
    char *text = unit_library(arena, &u, d);
    diag_print(d, stderr);
    assert_int_equal(diag_nerror(d), 0);
    return text;
}

static void only_gpus_have_one(void **state)
{
    (void)state;
    assert_null(library_text("avx2", "f32", "NK", true));
    const char *text = library_text("sm_90a", "f16", "NK", false);
    assert_non_null(strstr(text, "elem_type = CUDA_R_16F"));
    assert_null(strstr(text, "DTYPE_"));
    assert_null(strstr(text, "EPILOGUE_BIAS;"));
    assert_non_null(strstr(library_text("sm_90a", "f32", "KN", true), "EPILOGUE_BIAS;"));
}

static bool can_compile(void) { return system("echo '#include <cublasLt.h>' | nvcc -E -x cu - >/dev/null 2>&1") == 0; }

static void it_compiles(void **state)
{
    (void)state;
    static const struct {
        const char *dtype, *layout;
        bool bias;
    } cases[] = { { "tf32", "KN", false }, { "bf16", "NK", true } };
    if (!can_compile()) {
        puts("skipped: nvcc or cublasLt.h is missing");
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = arena_printf(arena, "%s/library.cu", folder);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(library_text("sm_80", cases[i].dtype, cases[i].layout, cases[i].bias), f);
        assert_int_equal(fclose(f), 0);
        const char *command = arena_printf(
            arena,
            "nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -Werror all-warnings -Xcompiler -fPIC,-Wall,-Wextra "
            "-shared -cudart none -o '%s/library.so' '%s'",
            folder, path);
        if (system(command) != 0)
            fail_msg("%s", command);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_gpus_have_one),
        cmocka_unit_test(it_compiles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
