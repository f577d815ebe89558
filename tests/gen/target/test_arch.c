/* SPDX-License-Identifier: Apache-2.0
 *
 * arch: what there is for each architecture, and what a target has of its own.
 */
#include "tests/test.h"
#include "gen/target/target.h"
#include "tests/arena.h"

TEST(rows)
{
    for (int i = 0; i < ARCH_COUNT; i++) {
        assert_ptr_equal(arch_find(archs[i].name), &archs[i]);
        assert_has(archs[i].guard, archs[i].name);
        assert_true(*archs[i].features);
    }
    assert_non_null(arch_find("x86_64")->assembly);
    assert_non_null(arch_find("x86_64")->peak);
    assert_non_null(arch_find("aarch64")->assembly);
    assert_null(arch_find("aarch64")->peak); /* what is not known is said to be so */
    assert_null(arch_find("pdp11"));
    assert_null(arch_find(""));
    assert_true(*arch_here());
}

/* A target of an architecture that has loops of its own for the peak has one too: the runner knows no other for it. */
TEST(each_target_has_a_peak)
{
    TargetList list;
    assert_true(target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &list, diag_new(arena)));
    for (const Target *t = list.t; t < list.t + list.n; t++) {
        const Arch *arch = arch_find(t->arch);
        const char *const *name = arch ? arch->peak : NULL;
        while (name && *name && strcmp(*name, t->name) != 0)
            name++;
        assert_true(!name || *name);
    }
}

TEST(guards)
{
    assert_string_equal(target_arch_guard(&(Target){ .arch = "x86_64" }), "#if defined(__x86_64__)\n");
    assert_string_equal(target_arch_guard(&(Target){ .arch = "aarch64" }), "#if defined(__aarch64__)\n");
    assert_null(target_arch_guard(&(Target){ .arch = "" }));
}

TEST_FILE(setup, teardown)
