/* SPDX-License-Identifier: Apache-2.0
 *
 * template_space: the key `space` bounds what is searched, but not the general kernels; what it names must exist.
 */
#include "tests/test.h"
#include "tests/gen/golden.h"
#include "tests/gen/synthetic.h"

#define HEAD                                                                                        \
    "name = \"x\"; op = \"dense\"; target = [\"host\"]; layout = { W = \"NK\"; packed = true; };\n" \
    "shapes = ( { M = 16; N = 768; K = 768; } );\n"

static int64_t space_of(Synthetic *y, const char *text)
{
    assert_true(synthetic_make(y, text, 2));
    return y->space->n;
}

static int64_t param(const Candidate *c, const char *name)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        if (strcmp(c->t->param[i].name, name) == 0)
            return value[i];
    return -1;
}

TEST(only_wanted_values_are_searched)
{
    Synthetic all, some;
    const int64_t nall = space_of(&all, HEAD), n = space_of(&some, HEAD "space = { PF = [0, 64]; MR = [3]; };");
    int64_t expected = 0;
    for (int64_t i = 0; i < nall; i++)
        expected += param(&all.space->candidate[i], "MR") == 3 &&
                    (param(&all.space->candidate[i], "PF") == 0 || param(&all.space->candidate[i], "PF") == 64);
    assert_true(expected > 0 && expected < nall);
    assert_int_equal(n, expected);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(param(&some.space->candidate[i], "MR"), 3);
    int64_t rejected = 0;
    for (int i = 0; i < some.space->nrejection; i++)
        rejected += some.space->rejection[i].count;
    assert_int_equal(n + rejected, some.space->nraw);
    arena_free(all.arena);
    arena_free(some.arena);
}

/* The general kernel has another MR, and is there all the same. */
TEST(general_kernels_stay)
{
    Synthetic y;
    space_of(&y, HEAD "space = { MR = [3]; };");
    assert_int_equal(y.space->ngeneral, 1);
    assert_int_not_equal(param(&y.space->general[0], "MR"), 3);
    assert_true(candidate_fits(&y.space->general[0], y.spec, &y.device));
    assert_true(candidate_is_general(&y.space->general[0]));
    Candidate near = y.space->general[0];
    near.choice[0]++;
    assert_false(candidate_is_general(&near));
    assert_false(candidate_fits(&near, y.spec, &y.device));
    arena_free(y.arena);
}

TEST(names_and_values_must_exist)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TemplateList templates;
    const Spec *spec = spec_good(a, HEAD "space = { PG = [0]; MR = [3, 99]; };", spec_templates, 1);
    assert_false(template_read_all(a, spec, spec_templates, 1, &templates, d));
    const char *text = golden_diag(a, d);
    assert_has(text, "spec.cfg:3:11: error: unknown parameter 'PG'; did you mean");
    assert_has(text, "spec.cfg:3:30: error: no template has MR = 99; expected one of 1, 2, 3");
    assert_lacks(strstr(text, " 3, ") + 1, " 3, "); /* which several templates have */
    assert_int_equal(diag_nerror(d), 2);
    arena_free(a);
}
