/* SPDX-License-Identifier: Apache-2.0
 *
 * Each GPU has a general kernel for each data type and order of the operands' elements that op.cfg of a built-in
 * operator offers, whatever the formula: one that is computed in registers, and one that takes shared memory; of an op
 * that is a formula alone, with and without reductions. So has each instruction set of CPUs for convolutions in f32
 * with packed filters.
 *
 *   ctest: label=slow,thorough
 */
#include "tests/test.h"
#include <string.h>
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "search/space/space.h"
#include "tests/gen/spec_text.h"

typedef struct {
    const char *op, *shape;
    const char *formula[3]; /* the key and its value */
} Case;

enum { NFORMULA = sizeof((Case *)NULL)->formula / sizeof *((Case *)NULL)->formula };
#define EPILOGUES                                                                            \
    {                                                                                        \
        "epilogue = []", "epilogue = [\"bias\"]", "epilogue = \"gelu(acc) + residual[m,n]\"" \
    }

static const Case cases[] = {
    { "dense", "{ M = 8; N = 8; K = 8; }", EPILOGUES },
    { "batch_matmul", "{ B0 = 2; B1 = 2; M = 8; N = 8; K = 8; }", EPILOGUES },
    { "rows",
      "{ M = 8; N = 8; }",
      { "formula = \"x[m,n] + y[n,m]\"", "formula = \"softmax[n](x[m,n])\"",
        "formula = \"layernorm[n](x[m,n], 1e-5) * g[n]\"" } },
    { "batch_rows",
      "{ B0 = 2; B1 = 2; M = 8; N = 8; }",
      { "formula = \"x[b0,b1,m,n] * s[b1]\"", "formula = \"softmax[n](n <= m ? x[b0,b1,m,n] : -inf)\"",
        "formula = \"log_softmax[n](x[b0,b1,m,n])\"" } },
    { "row_values",
      "{ M = 8; N = 8; }",
      { "formula = \"sum[n](x[m,n])\"", "formula = \"argmax[n](x[m,n])\"",
        "formula = \"min[n](x[m,n]) + max[n](x[m,n])\"" } },
};

/* The layout of each operand is the one of that number; together they are one number, as digits of different bases.
 * False: there are fewer. */
static bool layouts_text(Arena *a, const Op *op, int number, const char **text)
{
    *text = "";
    for (int i = 0; i < op->noperand; number /= op->operand[i++].nlayout) {
        const Operand *o = &op->operand[i];
        if (o->nlayout > 1)
            *text = arena_printf(a, "%s%s = \"%s\"; ", *text, o->name, o->layout[number % o->nlayout].name);
    }
    return number == 0;
}

static bool has_constant(const Op *op)
{
    for (int i = 0; i < op->noperand; i++)
        if (op->operand[i].role == ROLE_CONST)
            return true;
    return false;
}

/* What a spec asks for. */
static const char *asks_text(Arena *a, const char *layout, bool packed, const char *formula)
{
    const char *all = arena_printf(a, "%s%s", layout, packed ? "packed = true; " : "");
    return *all ? arena_printf(a, "layout = { %s}; %s;", all, formula) : arena_printf(a, "%s;", formula);
}

/* Is there a general kernel for this target? The space is enumerated only if that is wanted, or if a general kernel
 * breaks a constraint, as that may be where no kernel of its template keeps it. */
static bool has_general(Arena *a, const Spec *spec, const TemplateList *list, const Target *target, bool whole, Diag *d)
{
    const Device device = device_typical(a, target);
    int ngeneral = 0;
    for (int i = 0; i < list->n && !whole; i++) {
        Candidate c;
        if (template_suits(list->t[i], spec, target) && candidate_general(list->t[i], target, 0, &c)) {
            whole = !candidate_fits(&c, spec, &device);
            ngeneral++;
        }
    }
    const Space *s = whole ? space_make(a, spec, list, target, &device, d) : NULL;
    return whole ? s && s->ngeneral : ngeneral > 0;
}

/* A spec of all targets of the family, read once: how many they are. */
static int check(const TargetList *all, const char *family, const Case *c, const char *dtype, const char *asks,
                 bool whole)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TemplateList templates;
    const char *names = "";
    int n = 0;
    for (int t = 0; t < all->n; t++)
        if (strcmp(all->t[t].family->name, family) == 0)
            names = arena_printf(a, "%s%s\"%s\"", names, *names ? ", " : "", all->t[t].name);
    const char *text =
        arena_printf(a, "name = \"pkg\"; op = \"%s\"; dtype = \"%s\"; target = [%s]; %s shapes = ( %s );", c->op, dtype,
                     names, asks, c->shape);
    const Spec *spec = spec_text(a, text, spec_templates, 1, d);
    const bool is_read = spec && template_read_all(a, spec, spec_templates, 1, &templates, d);
    diag_print(d, stderr);
    assert_true(is_read);
    for (int t = 0; t < all->n; t++) {
        const Target *target = &all->t[t];
        if (strcmp(target->family->name, family) != 0)
            continue;
        const bool general = has_general(a, spec, &templates, target, whole, d);
        diag_print(d, stderr);
        if (!general)
            fail_msg("%s for %s has no general kernel for %s, %s", c->op, dtype, target->name, asks);
        n++;
    }
    arena_free(a);
    return n;
}

TEST(gpus_have_a_general_kernel)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TargetList targets;
    assert_true(target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &targets, d));
    int nchecked = 0;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const Op *op = op_read(a, arena_printf(a, "%s/%s", spec_templates[0], cases[i].op), d);
        const char *layout;
        assert_non_null(op);
        for (int j = 0; layouts_text(a, op, j, &layout); j++)
            for (int k = 0; k < op->ndtype; k++)
                for (int packed = 0; packed <= has_constant(op); packed++)
                    for (int e = 0; e < NFORMULA; e++)
                        nchecked += check(&targets, "cuda", &cases[i], op->dtype[k],
                                          asks_text(a, layout, packed, cases[i].formula[e]), e == 0);
    }
    assert_int_equal(nchecked,
                     5 * (5 * (2 * 2 + 4) + 3 * 3) * NFORMULA); /* GPUs, types, layouts; types, ops of formulas alone */
    arena_free(a);
}

/* Of any shape: a stem, groups, a depthwise one, strides; also where Winograd's algorithm would be allowed. */
TEST(cpus_have_a_general_kernel_for_convolutions)
{
    static const Case conv[] = {
        { "conv2d",
          "{ N = 1; G = 1; H = 9; W = 9; C = 3; K = 8; R = 7; S = 7; PAD = 3; STRIDE = 2; }",
          { "epilogue = []", "accuracy = \"winograd\"", "epilogue = \"gelu(acc) + residual[n,p,q,oc]\"" } },
        { "conv2d",
          "{ N = 1; G = 4; H = 9; W = 9; C = 3; K = 8; R = 3; S = 3; DIL = 2; }",
          { "epilogue = [\"bias\"]", "accuracy = 16", "epilogue = [\"batch_norm\", \"relu\"]" } },
        { "conv2d",
          "{ N = 1; G = 24; H = 9; W = 9; C = 1; K = 1; R = 3; S = 3; PAD = 1; }",
          { "epilogue = [\"bias\"]", "accuracy = 1000", "epilogue = [\"batch_norm\", \"relu\"]" } },
    };
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TargetList targets;
    assert_true(target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &targets, d));
    const Op *op = op_read(a, arena_printf(a, "%s/conv2d", spec_templates[0]), d);
    const char *layout;
    assert_non_null(op);
    int nchecked = 0;
    for (size_t i = 0; i < sizeof conv / sizeof *conv; i++)
        for (int j = 0; layouts_text(a, op, j, &layout); j++)
            for (int e = 0; e < NFORMULA; e++)
                nchecked +=
                    check(&targets, "cpu", &conv[i], "f32", asks_text(a, layout, true, conv[i].formula[e]), e == 0);
    assert_int_equal(nchecked, 3 * 12 * 3 * NFORMULA); /* shapes, layouts, instruction sets */
    static const char *const as_they_lie[] = { "X = \"NCHW\"; F = \"KCRS\"; Y = \"NCHW\"; ",
                                               "X = \"NCHW\"; F = \"KRSC\"; Y = \"NCHW\"; " };
    for (size_t i = 0; i < sizeof conv / sizeof *conv; i++)
        for (int j = 0; j < 2; j++)
            for (int e = 0; e < NFORMULA; e++)
                check(&targets, "cpu", &conv[i], "f32", asks_text(a, as_they_lie[j], false, conv[i].formula[e]),
                      e == 0);
    arena_free(a);
}
