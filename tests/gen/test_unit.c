/* SPDX-License-Identifier: Apache-2.0
 *
 * The hash of what a candidate's text depends on besides its template: what changes the text, changes it; the name of the package, which
 * says nothing of a time, does not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "gen/unit.h"

static Arena *arena;
static TargetList targets;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    return target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const char *hash_of(const char *target, const char *name, const char *rest)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/templates" };
    Source *src = ARENA_NEW(arena, Source);
    *src = (Source){ .path = "spec.cfg",
                     .text = arena_printf(arena,
                                          "name = \"%s\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); %s",
                                          name, rest) };
    src->len = strlen(src->text);
    const UnitContext u = { spec_parse(arena, src, folders, 1, diag_new(arena)), NULL, &targets,
                            DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, target) };
    assert_non_null(u.spec);
    assert_non_null(u.target);
    const char *hash = unit_context_hash(arena, &u);
    assert_int_equal(strlen(hash), 16);
    return hash;
}

static const char *const plain = "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; };";

static void the_name_does_not_count(void **state)
{
    (void)state;
    assert_string_equal(hash_of("portable", "one", plain), hash_of("portable", "another", plain));
    assert_string_equal(hash_of("sm_90a", "one", plain), hash_of("sm_90a", "another", plain));
}

static void what_changes_the_text_does(void **state)
{
    (void)state;
    static const char *const other[] = {
        "dtype = \"f32\"; layout = { W = \"KN\"; packed = false; };",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = false; }; epilogue = [\"bias\"];",
        "dtype = \"f32\"; layout = { W = \"NK\"; packed = true; };",
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_string_not_equal(hash_of("portable", "one", plain), hash_of("portable", "one", other[i]));
    assert_string_not_equal(hash_of("portable", "one", plain), hash_of("sm_90a", "one", plain));
}

/* A target's attribute reaches the hash by the text around kernels alone. */
static void what_is_around_a_kernel_does(void **state)
{
    (void)state;
    const char *before = hash_of("portable", "one", plain), *before_cuda = hash_of("sm_90a", "one", plain);
    Target *avx2 = (Target *)target_find(&targets, "avx2");
    const char *attribute = avx2->attribute;
    avx2->attribute = "avx2";
    assert_string_not_equal(hash_of("portable", "one", plain), before);
    assert_string_equal(hash_of("sm_90a", "one", plain), before_cuda);
    avx2->attribute = attribute;
    assert_string_equal(hash_of("portable", "one", plain), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_does_not_count),
        cmocka_unit_test(what_changes_the_text_does),
        cmocka_unit_test(what_is_around_a_kernel_does),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
