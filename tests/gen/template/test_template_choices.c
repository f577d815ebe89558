/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU templates of dense on every instruction set that this CPU has, compiled and compared with the definition
 * (kernel_check.h): on the best as few kernels as have every choice of every parameter, on the others the general ones
 * and some that cut K and share out rows; half with a bias.
 * ctest: label=slow,thorough timeout=300 cost=10
 */
#include "tests/test.h"
#include "tests/gen/template/kernel_extents.h"
#include "tests/gen/template/template_place.h"

enum { MOST_KERNELS = 64, FEW = 4 };

static bool runs_here(const Target *t)
{
#if defined(__x86_64__)
    if (strcmp(t->name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(t->name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return strcmp(t->name, "portable") == 0;
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

/* The general kernel and candidates of which each choice that occurs is in one: always one more that brings the most,
 * `most` in all. */
static int covering(const Space *s, const Template *t, const Target *target, int most, Candidate *out)
{
    Covered covered = { { false } };
    Candidate next;
    assert_true(candidate_general(t, target, 0, &next));
    for (int n = 0;; n++) {
        const Candidate *best = NULL;
        out[n] = next;
        for (int p = 0; p < t->nparam; p++)
            covered[p][next.choice[p]] = true;
        for (int64_t i = 0; i < s->n; i++) /* from elsewhere each time, so that not all share their other choices */
            if (s->candidate[(i + n * 7919) % s->n].t == t &&
                news(&s->candidate[(i + n * 7919) % s->n], covered) > (best ? news(best, covered) : 0))
                best = &s->candidate[(i + n * 7919) % s->n];
        if (!best || n + 1 == most)
            return n + 1;
        assert_true(n + 1 < MOST_KERNELS);
        next = *best;
    }
}

/* Elements of Y that a part of PARTS writes at most: those of the busiest by the head, with padding, for a K that fills
 * vectors, and half a tile more in each row, as shares of columns are cut between tiles. */
static int64_t busiest(const Spec *spec, const UnitKernel *k, const int64_t *extent)
{
    const int64_t full[] = { extent[0], extent[1], 16 };
    Binding b = bind(k->t, spec, k->value, full);
    int64_t slots[TEMPLATE_MAX_SLOT], width;
    double flops;
    b.target = k->target;
    b.threads = PARTS;
    assert_true(template_slots(&b, slots));
    assert_int_equal(expr_real_at(k->t->serial_flops, slots, &flops), EXPR_OK);
    assert_int_equal(expr_int(k->t->tile[1], template_lookup, &b, &width), EXPR_OK);
    return (int64_t)flops / (2 * 16) + extent[0] * (width / 2);
}

static const char *kernels_text(const Spec *spec, const UnitKernel *k, int n)
{
    static const char pattern[] = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\nenum { pkg_OK, "
                                  "pkg_BAD_EXTENT, pkg_BAD_POINTER };\n"
                                  "//@ preamble\n//@ device\n//@ arguments\n//@ formula\n#if PACKED\n//@ "
                                  "pack_declarations\n//@ pack\n#endif\n//@ kernels\n"
                                  "static int (*const kernel[])(const pkg_args *, int64_t, int64_t) = {\n"
                                  "//@ repeat kernels\n//@ guard\n    [NUMBER] = KERNEL,\n//@ unguard\n//@ end\n};\n";
    const UnitContext u = { spec, &device, &targets, DCGEN_SOURCE_DIR "/templates/package", k[0].target };
    Diag *d = diag_new(arena);
    FillScope *s = unit_scope(arena, &u);
    Binding b = { .spec = spec };
    const Fill fill = { .lookup = template_context, .ctx = &b, .scope = s };
    const Source src = { .path = "k.c", .text = pattern, .len = strlen(pattern) };
    const bool added = unit_add_kernels(s, &u, k, n, d) && unit_add_shared(s, &u, unit_kernel_texts(s), d);
    const char *text = added ? fill_text(arena, &src, 0, &fill, d) : NULL;
    Text t = { .arena = arena };
    diag_print(d, stderr);
    assert_non_null(text);
    text_printf(
        &t,
        "%s#define HAS_BIAS %d\n#define LAYOUT_W_KN %d\n#define PACKED %d\nstatic const int64_t busiest[][%d] = {\n",
        text, spec->formula != NULL, spec->layout[1] == 1, spec->packed, NEXTENT);
    for (int i = 0; i < n; i++)
        for (int e = 0; e < NEXTENT; e++)
            text_printf(&t, "%s%d%s", e ? ", " : "{ ", (int)busiest(spec, &k[i], kernel_extent[e]),
                        e + 1 < NEXTENT ? "" : " },\n");
    text_printf(&t, "};\n#include \"%s\"\n", DCGEN_SOURCE_DIR "/tests/gen/template/kernel_check.h");
    return arena_strdup(arena, text_str(&t));
}

static void check_kernels(const Spec *spec, const Candidate *c, int n)
{
    UnitKernel *k = ARENA_ARRAY(arena, (size_t)n, UnitKernel);
    for (int i = 0; i < n; i++) {
        int64_t *value = ARENA_ARRAY(arena, TEMPLATE_MAX_PARAM, int64_t);
        candidate_values(&c[i], value);
        k[i] = (UnitKernel){ .t = c[i].t, .target = c[i].target, .value = value };
    }
    put("k.c", kernels_text(spec, k, n));
    const char *command =
        arena_printf(arena, "cc -std=gnu11 -ffp-contract=fast '%s/k.c' -o '%s/k.o' -lm && '%s/k.o'", root, root, root);
    if (system(command) == 0)
        return;
    for (int i = 0; i < n; i++)
        print_error("kernel %d: %s\n", i, unit_kernel_text(arena, &k[i]));
    fail_msg("%s", command);
}

static void check_target(const TemplateList *list, const Target *target, int most, bool bias)
{
    Diag *d = diag_new(arena);
    Candidate *c = ARENA_ARRAY(arena, MOST_KERNELS, Candidate);
    for (int i = 0; i < list->n; i++) {
        const Template *t = list->t[i];
        for (int l = 0; served_layout(t, l) && t->family == &family_cpu; l++, bias = !bias) {
            Spec *spec = make_spec(served_layout(t, l), t->packed, bias);
            spec->threads[0] = 3; /* for what is of use to several threads alone */
            const Space *space = space_make(arena, spec, list, target, &device, d);
            assert_non_null(space);
            check_kernels(spec, c, covering(space, t, target, most, c));
        }
    }
}

/* Those of the lesser instruction sets have a bias where the best one's have none. */
TEST(test_every_choice)
{
    TemplateList list;
    assert_true(template_read_all(arena, base, NULL, 0, &list, diag_new(arena)));
    for (int i = 0, n = 0; i < targets.n; i++)
        if (targets.t[i].family != &family_cuda && runs_here(&targets.t[i]))
            check_target(&list, &targets.t[i], n ? FEW : MOST_KERNELS, n > 0), n++;
}

TEST_FILE(setup, place_teardown)
