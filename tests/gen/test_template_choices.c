/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU templates of dense with every choice of every parameter, on the best instruction set that this CPU has: few kernels, of which each
 * choice is in one, compiled and compared with the definition (kernel_check.h).
 *
 * ctest: label=slow timeout=300
 */
#include "tests/gen/template_place.h"

enum { MOST_KERNELS = 64 };

static const Target *best_target(void)
{
    const char *name = "portable";
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        name = "avx2";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        name = "avx512";
#endif
    return target_find(&targets, name);
}

typedef bool Covered[TEMPLATE_MAX_PARAM][TEMPLATE_MAX_CHOICE];

/* How many of its choices no kernel has yet. */
static int news(const Candidate *c, Covered covered)
{
    int n = 0;
    for (int p = 0; p < c->t->nparam; p++)
        n += !covered[p][c->choice[p]];
    return n;
}

/* Candidates of which each choice that occurs is in one: always one more that brings the most. */
static int covering(const Space *s, const Template *t, Candidate *out)
{
    Covered covered = { { false } };
    for (int n = 0;; n++) {
        const Candidate *best = NULL;
        for (int64_t i = 0; i < s->n; i++) /* from elsewhere each time, so that not all share their other choices */
            if (s->candidate[(i + n * 7919) % s->n].t == t &&
                news(&s->candidate[(i + n * 7919) % s->n], covered) > (best ? news(best, covered) : 0))
                best = &s->candidate[(i + n * 7919) % s->n];
        if (!best)
            return n;
        assert_true(n < MOST_KERNELS);
        out[n] = *best;
        for (int p = 0; p < t->nparam; p++)
            covered[p][best->choice[p]] = true;
    }
}

static const char *kernels_text(const Spec *spec, const UnitKernel *k, int n)
{
    const UnitContext u = { spec, &device, &targets, DCGEN_SOURCE_DIR "/templates/package", k[0].target };
    Diag *d = diag_new(arena);
    Text t = { .arena = arena };
    text_add(&t, "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n"
                 "enum { pkg_OK, pkg_BAD_EXTENT, pkg_BAD_POINTER };\n");
    text_add(&t, unit_preamble(arena, &u));
    if (spec->packed)
        text_printf(&t, "%s%s", unit_pack_declarations(arena, &u), unit_pack(arena, &u, d));
    const char *text = unit_kernels(arena, &u, k, n, d);
    diag_print(d, stderr);
    assert_non_null(text);
    text_printf(&t, "%s\n#define HAS_BIAS %d\n#define LAYOUT_KN %d\n#define PACKED %d\n", text, spec->nepilogue,
                strcmp(spec->layout, "KN") == 0, spec->packed);
    text_printf(&t, "static int (*const kernel[])(const pkg_args *, int64_t, int64_t) = {\n%s};\n#include \"%s\"\n",
                unit_table(arena, &u, k, n), DCGEN_SOURCE_DIR "/tests/gen/kernel_check.h");
    return arena_strdup(arena, text_str(&t));
}

static void check_kernels(const Spec *spec, const Candidate *c, int n)
{
    UnitKernel *k = ARENA_ARRAY(arena, (size_t)n, UnitKernel);
    for (int i = 0; i < n; i++) {
        int64_t *value = ARENA_ARRAY(arena, TEMPLATE_MAX_PARAM, int64_t);
        candidate_values(&c[i], value);
        k[i] = (UnitKernel){ c[i].t, c[i].target, value, { 0 } };
    }
    write_file("k.c", kernels_text(spec, k, n));
    const char *command = arena_printf(arena, "cc -std=gnu11 -ffp-contract=fast '%s/k.c' -o '%s/k.o' -lm && '%s/k.o'", folder,
                                       folder, folder);
    if (system(command) == 0)
        return;
    for (int i = 0; i < n; i++)
        print_error("kernel %d: %s\n", i, unit_kernel_text(arena, &k[i]));
    fail_msg("%s", command);
}

static void test_every_choice(void **state)
{
    (void)state;
    TemplateList list;
    Diag *d = diag_new(arena);
    assert_true(template_read_all(arena, base, NULL, 0, &list, d));
    const Target *target = best_target();
    Candidate *c = ARENA_ARRAY(arena, MOST_KERNELS, Candidate);
    for (int i = 0, n = 0; i < list.n; i++) {
        const Template *t = list.t[i];
        for (int l = 0; l < t->nlayout && strcmp(t->family, "cpu") == 0; l++, n++) {
            Spec *spec = make_spec(t->layout[l], t->packed, n % 2);
            spec->threads[0] = 3; /* for what is of use to several threads alone */
            const Space *space = space_make(arena, spec, &list, target, &device, d);
            assert_non_null(space);
            check_kernels(spec, c, covering(space, t, c));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_choice) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
