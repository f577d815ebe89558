/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_results: what packages of one target and of several are made of, with times that are made up.
 */
#ifndef DCGEN_TEST_EMIT_RESULTS_H
#define DCGEN_TEST_EMIT_RESULTS_H

#include "tests/test.h"
#include "gen/base/text.h"
#include "gen/package/emit.h"
#include "tests/gen/synthetic_place.h"

static const char two_spec[] = "name = \"two\"; op = \"dense\"; dtype = \"f32\"; target = [\"avx512\", \"avx2\"];\n"
                               "dims = { T = { min = 1; max = 64; }; };\n"
                               "shapes = ( { M = \"T\"; N = 64; K = 96; }, { M = \"T\"; N = 48; K = 768; } );\n"
                               "layout = { W = \"NK\"; packed = true; };\n"
                               "budget = { kernels = 6; code_kib = 512; trials = 8; seconds = 10; };\n";

static inline int make_y(void **state) { return synthetic_make(&y, two_spec, 24) ? 0 : -1; }

/* A package of one function with these results. */
static inline EmitInput input_of(const Result *result, int nresult)
{
    ResultList *function = ARENA_NEW(y.arena, ResultList);
    *function = (ResultList){ result, nresult };
    return (EmitInput){ .nfunction = 1, .function = function, .spec_text = "", .records = "", .version = "1.2.3" };
}

/* The study of another spec, and what was chosen. */
static inline Result result_of(Synthetic *other, const char *spec)
{
    assert_true(synthetic_make(other, spec, 4));
    Result r = synthetic_result(other);
    r.contract = contract_make(other->arena, other->study, other->assignment);
    return r;
}

static inline Result result_with(const Study *s, const Assignment *as)
{
    Result r = synthetic_result(&y);
    r.unit.device = s->device;
    r.unit.target = s->target;
    r.study = s;
    r.assignment = as;
    r.contract = contract_make(y.arena, s, as);
    return r;
}

/* The target tuned as if n times the same kernel had been kept. */
static inline Result plain_result(const char *target, int n)
{
    Device *device = ARENA_NEW(y.arena, Device);
    const Target *t = target_find(&y.targets, target);
    Candidate c;
    int k = 0;
    *device = t->family == &family_cuda ? device_typical(y.arena, t) : y.device;
    while (!template_suits(y.templates.t[k], y.spec, t) || !candidate_general(y.templates.t[k], t, 0, &c))
        k++;
    Study *s = study_new(y.arena, y.spec, device, t, "0123456789abcdef");
    const int64_t trial = study_add(s, &c);
    s->trial[trial].built = true;
    TreeNode *leaf = ARENA_NEW(y.arena, TreeNode);
    *leaf = (TreeNode){ .feature = -1, .class = n - 1 };
    Assignment *as = ARENA_NEW(y.arena, Assignment);
    *as = (Assignment){ .nkernel = n,
                        .kernel = ARENA_ARRAY(y.arena, (size_t)n, int64_t),
                        .general = n - 1,
                        .nfeature = 3,
                        .tree = leaf,
                        .cost = ARENA_ARRAY(y.arena, (size_t)(y.spec->ninstance * n), double),
                        .chosen = ARENA_ARRAY(y.arena, (size_t)y.spec->ninstance, int) };
    return result_with(s, as);
}

static inline const Package *package_of(const EmitInput *in)
{
    Diag *d = diag_new(y.arena);
    const Package *p = package_make(y.arena, in, d);
    diag_print(d, stderr);
    assert_non_null(p);
    return p;
}

/* A package that is tuned for two targets, which is made once. */
static inline const Package *make_two(EmitInput *in)
{
    static Result result[2];
    static Synthetic other; /* what the package is made of refers to it */
    static const Package *made;
    *in = input_of(result, 2);
    if (made)
        return made;
    other = y;
    Diag *d = diag_new(y.arena);
    assert_true(synthetic_tune(&other, target_find(&y.targets, "avx2"), 24, d));
    result[0] = result_with(y.study, y.assignment);
    result[1] = result_with(other.study, other.assignment);
    result[1].first = result[0].assignment->nkernel;
    return made = package_of(in);
}

#endif
