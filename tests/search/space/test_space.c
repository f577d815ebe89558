/* SPDX-License-Identifier: Apache-2.0
 *
 * space: every combination is either kept or rejected once, for the first reason; what is kept fits the hardware,
 * whatever the shapes.
 */
#include "tests/test.h"
#include <string.h>
#include "tests/gen/golden.h"
#include "tests/gen/synthetic_place.h"

TEST(combinations_are_kept_or_rejected)
{
    int64_t rejected = 0;
    for (int i = 0; i < y.space->nrejection; i++)
        rejected += y.space->rejection[i].count;
    assert_int_equal(y.space->n + rejected, y.space->nraw);
    assert_true(y.space->n > 1000 && rejected > 1000);
}

static void assert_fit(const Candidate *c, int64_t n)
{
    assert_true(n > 0);
    for (int64_t i = 0; i < n; i++)
        assert_true(candidate_fits(&c[i], y.spec, &y.device));
}

TEST(what_is_kept_fits)
{
    assert_fit(y.space->candidate, y.space->n);
    assert_fit(y.space->general, y.space->ngeneral);
}

TEST(no_candidate_comes_twice)
{
    for (int64_t i = 1; i < y.space->n; i++) { /* by template, then parameters in order: doubles would be neighbours */
        const Candidate *a = &y.space->candidate[i - 1], *b = &y.space->candidate[i];
        assert_false(candidate_same(a, b));
        if (a->t == b->t)
            assert_true(memcmp(a->choice, b->choice, (size_t)a->t->nparam) < 0);
    }
}

/* A target has the general kernels of the one that it is like. One that does not fit it is no fault of the template. */
TEST(targets_that_are_like_others_have_their_general_kernels)
{
    Target mine = *y.study->target;
    Diag *d = diag_new(y.arena);
    mine.name = "mine";
    assert_null(space_make(y.arena, y.spec, &y.templates, &mine, &y.device, diag_new(y.arena)));
    mine.base = y.study->target;
    const Space *s = space_make(y.arena, y.spec, &y.templates, &mine, &y.device, d);
    assert_true(s && s->ngeneral == y.space->ngeneral && s->n == y.space->n);
    for (int i = 0; i < s->ngeneral; i++) {
        assert_memory_equal(s->general[i].choice, y.space->general[i].choice, sizeof s->general[i].choice);
        assert_ptr_equal(s->general[i].target, &mine);
    }
    target_set_fact(&mine, "VECTOR_REGISTERS", 9);
    s = space_make(y.arena, y.spec, &y.templates, &mine, &y.device, d);
    assert_null(strstr(golden_diag(y.arena, d), "the general kernel"));
    assert_true(!s || s->ngeneral < y.space->ngeneral);
    for (int i = 0; s && i < s->ngeneral; i++)
        assert_true(candidate_fits(&s->general[i], y.spec, &y.device));
}

/* Shapes play no part; hardware does. */
TEST(the_hardware_bounds_the_space)
{
    Diag *d = diag_new(y.arena);
    const Target *avx2 = target_find(&y.targets, "avx2");
    Space *other = space_make(y.arena, y.spec, &y.templates, avx2, &y.device, d);
    assert_non_null(other);
    assert_int_equal(other->nraw, y.space->nraw);
    assert_true(other->n < y.space->n); /* half as many registers of half the size */
    Device small = y.device;
    small.l2_bytes = 64 << 10;
    Space *cramped = space_make(y.arena, y.spec, &y.templates, y.study->target, &small, d);
    assert_non_null(cramped);
    assert_true(cramped->n < y.space->n);
    y.spec->ninstance = 1;
    Space *same = space_make(y.arena, y.spec, &y.templates, y.study->target, &y.device, d);
    assert_int_equal(same->n, y.space->n);
}

/* What the spec searches bounds the space, and counts for its size; general kernels serve whatever it says. */
TEST(the_spec_bounds_the_space)
{
    Synthetic z;
    Diag *d = diag_new(y.arena);
    const Candidate *general = &y.space->general[0];
    int64_t value[TEMPLATE_MAX_PARAM], other = -1;
    candidate_values(general, value);
    const TemplateParam *p = &general->t->param[0];
    for (int k = 0; k < p->nchoice; k++)
        other = p->choice[k] != value[0] ? p->choice[k] : other;
    z = y;
    Spec spec = *y.spec;
    spec.nlimit = 1;
    spec.limit[0] = (SpecLimit){ .param = p->name, .nvalue = 1, .value = { other } };
    z.space = space_make(y.arena, &spec, &y.templates, y.study->target, &y.device, d);
    assert_non_null(z.space);
    int64_t rejected = 0;
    for (int i = 0; i < z.space->nrejection; i++)
        rejected += z.space->rejection[i].count;
    assert_int_equal(z.space->n + rejected, z.space->nraw);
    assert_true(z.space->n > 0 && z.space->n < y.space->n && z.space->nraw < y.space->nraw);
    for (int64_t i = 0; i < z.space->n; i++)
        for (int k = 0; z.space->candidate[i].t == general->t && k < 1; k++) {
            candidate_values(&z.space->candidate[i], value);
            assert_int_equal(value[0], other);
        }
    assert_true(candidate_is_general(general) && candidate_fits(general, &spec, &y.device));
    for (int64_t i = 0; i < y.space->n; i++) {
        const Candidate *c = &y.space->candidate[i];
        candidate_values(c, value);
        if (c->t == general->t)
            assert_int_equal(candidate_fits(c, &spec, &y.device), value[0] == other || candidate_is_general(c));
    }
}

TEST_FILE(make, drop)
