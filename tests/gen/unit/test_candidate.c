/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate: values lead back to it, its key tells it from every other, and it knows the calls that it is for.
 */
#include "tests/test.h"
#include "tests/gen/serve.h"
#include "tests/gen/synthetic_place.h"

TEST(values_lead_back)
{
    for (int64_t i = 0; i < y.space->n; i += 37) {
        const Candidate *c = &y.space->candidate[i];
        int64_t value[TEMPLATE_MAX_PARAM];
        Candidate back;
        candidate_values(c, value);
        assert_true(candidate_from_values(c->t, c->target, value, &back));
        assert_true(candidate_same(c, &back));
        value[0] = -1;
        assert_false(candidate_from_values(c->t, c->target, value, &back));
    }
}

TEST(keys_tell_candidates_apart)
{
    const Candidate *a = &y.space->candidate[0], *b = &y.space->candidate[1];
    Device other = y.device;
    other.flags = "-O2";
    const char *key = candidate_key(y.arena, a, "0123456789abcdef", &y.device);
    assert_int_equal(strlen(key), 32);
    assert_string_equal(candidate_key(y.arena, a, "0123456789abcdef", &y.device), key);
    assert_string_not_equal(candidate_key(y.arena, b, "0123456789abcdef", &y.device), key);
    assert_string_not_equal(candidate_key(y.arena, a, "fedcba9876543210", &y.device), key);
    assert_string_not_equal(candidate_key(y.arena, a, "0123456789abcdef", &other), key);
}

/* Whatever a kernel depends on is in its key, each by itself. */
TEST(keys_know_template_target_and_compiler)
{
    Template renamed = *y.space->candidate[0].t, changed = renamed;
    Candidate other[3] = { y.space->candidate[0], y.space->candidate[0], y.space->candidate[0] };
    Device compiler = y.device;
    const char *key = candidate_key(y.arena, &other[0], "0123456789abcdef", &y.device);
    compiler.compiler = "gcc 99";
    renamed.name = "another";
    changed.hash = "0000000000000000";
    other[0].t = &renamed;
    other[1].t = &changed;
    other[2].target = target_find(&y.targets, "avx2");
    for (int i = 0; i < 3; i++) {
        assert_string_not_equal(candidate_key(y.arena, &other[i], "0123456789abcdef", &y.device), key);
        assert_false(candidate_same(&other[i], &y.space->candidate[0]));
    }
    assert_string_not_equal(candidate_key(y.arena, &y.space->candidate[0], "0123456789abcdef", &compiler), key);
}

/* Parameters whose choices are an axis of the spec. */
TEST(extents_that_are_fixed)
{
    Template t = *y.space->candidate[0].t;
    Candidate c = y.space->candidate[0];
    t.param[0].axis = 1;
    t.param[0].choice[0] = 0;
    t.param[0].choice[1] = 48;
    c.t = &t;
    c.choice[0] = 0;
    assert_false(candidate_is_fixed(&c));
    c.choice[0] = 1;
    assert_true(candidate_is_fixed(&c));
    assert_false(candidate_is_fixed(&y.space->candidate[0]));
}

/* A kernel is for the calls that its template says, of its own parameters. N of the spec is 768, 2304 and 3072: one for
 * none of these does not fit it. */
TEST(calls_that_are_served)
{
    static const struct {
        const char *serves;            /* P is a parameter, 0 or 48; NULL: nothing is said */
        bool does[2], all[2], fits[2]; /* the call of N = 48 and K = 64; every call; any shape of the spec */
    } cases[] = { { NULL, { 1, 1 }, { 1, 1 }, { 1, 1 } },
                  { "P == 0 || N == P", { 1, 1 }, { 1, 0 }, { 1, 0 } },
                  { "P == 0 || K == P", { 1, 0 }, { 1, 0 }, { 1, 0 } },
                  { "M > 1 && K > P", { 0, 0 }, { 0, 0 }, { 1, 1 } },
                  { "N > 16*P", { 1, 0 }, { 0, 0 }, { 1, 1 } },
                  { "P > 3 || K == 64 && N < 49", { 1, 1 }, { 0, 1 }, { 0, 1 } } };
    static const int64_t call[] = { 1, 48, 64 };
    Template t = *y.space->candidate[0].t;
    t.param[0].name = "P";
    t.param[0].choice[0] = 0;
    t.param[0].choice[1] = 48;
    t.nconstraint = 0;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        serve(y.arena, &t, y.spec, cases[i].serves);
        for (int k = 0; k < 2; k++) {
            Candidate c = y.space->candidate[0];
            c.t = &t;
            c.choice[0] = (uint8_t)k;
            if (candidate_serves(&c, y.spec, call) != cases[i].does[k] ||
                candidate_serves_all(&c, y.spec) != cases[i].all[k] ||
                candidate_fits(&c, y.spec, &y.device) != cases[i].fits[k])
                fail_msg("%s with %d", cases[i].serves, k * 48);
        }
    }
}

TEST_FILE(make, drop)
