/* SPDX-License-Identifier: Apache-2.0
 *
 * cover: the first candidates of a search are the best predicted ones of small, middle and large calls of every shape
 * of the spec.
 */
#include "tests/test.h"
#include "search/space/propose.h"
#include "tests/search/study_place.h"

enum { NSIZE = 3, NLIST = 4, FEWER = 9 /* of the space one candidate in so many is used */ };

static Study *s;

static int make_smaller(void **state)
{
    if (make(state) != 0)
        return -1;
    for (int64_t i = 0; i * FEWER < y.space->n; i++)
        y.space->candidate[i] = y.space->candidate[i * FEWER];
    y.space->n /= FEWER;
    return 0;
}

static int begin(void **state)
{
    s = new_study();
    return 0;
}

static int ask(Proposal *out, int n) { return cover(y.arena, s, y.space, cost_fit(y.arena, s, &y.templates), out, n); }

static int64_t shape_of(int64_t m, int64_t n, int64_t k)
{
    const int64_t extent[OP_MAX_EXTENT] = { m, n, k };
    return study_shape(s, extent, 1);
}

static double predicted(const Candidate *c, int64_t shape)
{
    return cost_predict(y.law, c, s->shape[shape]->extent, s->shape[shape]->threads);
}

/* The least prediction on a shape of all candidates without a fixed extent. */
static double least_predicted(int64_t shape)
{
    double least = INFINITY;
    for (int64_t i = 0; i < y.space->n; i++)
        if (!candidate_is_fixed(&y.space->candidate[i]))
            least = fmin(least, predicted(&y.space->candidate[i], shape));
    return least;
}

/* Small, large, middle of the heaviest shape (its middle is geometric: sqrt(16 * 2048) = 181, of which 384 is the
 * nearest in octaves); then those of the others. */
TEST(every_shape_and_size_has_its_best)
{
    const int64_t place[NLIST][NSIZE] = {
        { shape_of(16, 768, 768), shape_of(2048, 768, 768), shape_of(384, 768, 768) },
        { shape_of(16, 2304, 768), shape_of(2048, 2304, 768), shape_of(384, 2304, 768) },
        { shape_of(1, 3072, 768), shape_of(128, 3072, 768), shape_of(24, 3072, 768) },
        { shape_of(16, 768, 3072), shape_of(2048, 768, 3072), shape_of(384, 768, 3072) },
    };
    Proposal p[COVER_TRIALS];
    const int n = ask(p, COVER_TRIALS);
    assert_in_range(n, NSIZE, COVER_TRIALS);
    for (int k = 0; k < NLIST * NSIZE; k++) {
        const int64_t shape = place[k / NSIZE][k % NSIZE];
        const double least = least_predicted(shape);
        bool found = false;
        for (int i = 0; i < n; i++)
            found = found || (proposal_has(&p[i], shape) && predicted(&p[i].c, shape) <= least);
        assert_true(found);
    }
    assert_int_equal(p[0].shape[0], place[0][0]);
    assert_int_equal(p[1].shape[0], place[0][1]);
}

TEST(candidates_are_new_and_legal)
{
    Proposal p[COVER_TRIALS];
    const int64_t tried = study_add(s, &y.space->candidate[0]);
    const int n = ask(p, COVER_TRIALS);
    assert_int_equal(tried, 0);
    assert_in_range(n, 1, COVER_TRIALS - 1);
    for (int i = 0; i < n; i++) {
        assert_int_equal(study_find(s, &p[i].c), -1);
        assert_true(candidate_fits(&p[i].c, y.spec, &y.device) && !candidate_is_fixed(&p[i].c));
        assert_in_range(p[i].nshape, 2, NLIST * NSIZE);
        assert_true(p[i].gain >= 1);
        for (int j = 0; j < i; j++)
            assert_false(candidate_same(&p[i].c, &p[j].c));
    }
}

static void put_in_flight(const Proposal *p, int n)
{
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_add(s, &p[i].c); /* which may move s->trial */
        s->trial[trial].in_flight = true;
    }
}

/* Rounds that are proposed while those before are under way go on where these ended. */
TEST(rounds_go_on)
{
    Proposal whole[COVER_TRIALS], part[COVER_TRIALS];
    const int n = ask(whole, COVER_TRIALS);
    for (int at = 0; at < n; at += 2) {
        const int want = n - at < 2 ? n - at : 2, got = ask(part, 2);
        assert_int_equal(got, want);
        for (int i = 0; i < got; i++)
            assert_true(candidate_same(&part[i].c, &whole[at + i].c));
        put_in_flight(part, got);
    }
    assert_int_equal(ask(part, 2), 0);
}

TEST(it_ends_with_its_trials)
{
    Proposal p[COVER_TRIALS];
    for (int i = 0; i < COVER_TRIALS - 3; i++)
        study_add(s, &y.space->candidate[i * 17]);
    assert_int_equal(ask(p, COVER_TRIALS), 3);
    put_in_flight(p, 3);
    assert_int_equal(ask(p, COVER_TRIALS), 0);
}

/* Are any candidates measured on the shape? */
static bool is_place(const Proposal *p, int n, int64_t shape)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || proposal_has(&p[i], shape);
    return any;
}

/* Of a log, those that stand for most calls are places. */
TEST(places_of_a_log)
{
    const ShapeLog log = { .n = 1 };
    const Spec *declared = s->spec;
    Spec spec = *declared;
    Proposal p[COVER_TRIALS];
    int64_t other = 0;
    const int n = ask(p, COVER_TRIALS);
    while (is_place(p, n, other))
        other++;
    assert_true(other < s->nshape);
    Instance *inst = &spec.instance[s->shape[other] - spec.instance];
    inst->stands = 1e9;
    assert_false(is_place(p, ask(p, COVER_TRIALS), other)); /* of declared shapes each has its three */
    spec.log = &log;
    s->spec = &spec;
    assert_true(is_place(p, ask(p, COVER_TRIALS), other));
    s->spec = declared;
    inst->stands = 0;
}

/* Places where others were measured have their turns behind those where none was. */
TEST(places_without_measurements_come_first)
{
    Proposal before[COVER_TRIALS], p[COVER_TRIALS];
    assert_in_range(ask(before, COVER_TRIALS), 3, COVER_TRIALS);
    const int64_t trial = study_add(s, &before[0].c);
    s->trial[trial].built = true;
    for (int64_t j = 0; j < s->nshape; j++)
        s->trial[trial].ns[j] = j == before[2].shape[0] ? 0 : 1e6;
    assert_in_range(ask(p, COVER_TRIALS), 1, COVER_TRIALS);
    assert_int_equal(p[0].shape[0], before[2].shape[0]);
}

static const char read_in_place[] =
    "name = \"in_place\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 128; }; };\n"
    "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = \"T\"; N = 768; K = 3072; } );\n"
    "tune = { T = [1, 24, 128]; }; layout = { W = \"KN\"; packed = false; };\n";

/* Where predictions of different templates do not compare, each template has its turns. */
TEST(templates_take_turns)
{
    Synthetic z;
    Proposal p[COVER_TRIALS];
    int of_first = 0;
    assert_true(synthetic_make(&z, read_in_place, 2));
    Study *none = study_on(&z);
    const int n = cover(z.arena, none, z.space, cost_fit(z.arena, none, &z.templates), p, COVER_TRIALS);
    for (int i = 0; i < n; i++)
        of_first += p[i].c.t == p[0].c.t;
    assert_ptr_not_equal(p[0].c.t, p[1].c.t);
    assert_in_range(of_first, 2, n - 2);
    arena_free(z.arena);
}

static const char two_strides[] =
    "name = \"strides\"; op = \"conv2d\"; target = [\"host\"]; dims = { T = { min = 7; max = 56; }; }; accuracy = 16;\n"
    "shapes = ( { N = 1; G = 1; H = \"T\"; W = 28; C = 64; K = 48; R = 3; S = 3; PAD = 1; },\n"
    "           { N = 1; G = 1; H = \"T\"; W = 28; C = 64; K = 48; R = 3; S = 3; PAD = 1; STRIDE = 2; } );\n"
    "tune = { T = [7, 28, 56]; }; layout = { packed = true; }; threads = [1];\n";

/* A template whose kernels are for one stride alone has turns at places that they serve, and is measured near them on
 * such as well. */
TEST(candidates_serve_their_shapes)
{
    Synthetic z;
    Proposal p[COVER_TRIALS];
    int nless = 0, nall = 0;
    assert_true(synthetic_make(&z, two_strides, 2));
    Study *none = study_on(&z);
    const int n = cover(z.arena, none, z.space, cost_fit(z.arena, none, &z.templates), p, COVER_TRIALS);
    for (int i = 0; i < n; i++) {
        const bool less = strcmp(p[i].c.t->name, "winograd_conv") == 0;
        nless += less;
        nall += !less;
        assert_true(p[i].nshape > 0);
        for (int at = 0; at < p[i].nshape; at++)
            assert_true(candidate_serves(&p[i].c, z.spec, none->shape[p[i].shape[at]]->extent));
    }
    assert_true(nless > 0 && nall > 0);
    arena_free(z.arena);
}

TEST_EACH(begin, NULL)
TEST_FILE(make_smaller, drop)
