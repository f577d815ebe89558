/* SPDX-License-Identifier: Apache-2.0
 *
 * templates/family: a head uses it, stands in for it, or leaves all to it; faults in its text have their place;
 * templates of dense without terms, features and derived names of their own are ranked much as by their heads.
 */
#include "tests/test.h"
#include "model/rank.h"
#include "search/space/cost.h"
#include "tests/gen/pairs.h"
#include "tests/gen/template/template_place.h"

/* A head with nothing but what it must have, and `more`. */
static const char *bare(const char *more)
{
    return arena_printf(arena,
                        "/* dcgen\nname = \"x\"; op = \"dense\"; family = \"cpu\"; doc = \"x\";\n"
                        "params = ( { name = \"MR\"; choices = [2, 4]; doc = \"x\"; } );\n"
                        "tile = { M = \"MR\"; N = \"32\"; K = \"1\"; };\n%s\n*/\nKERNEL MR;\n",
                        more);
}

static int64_t value_of(const Binding *b, const char *name)
{
    int64_t value = -1;
    assert_true(template_lookup((void *)b, name, &value));
    return value;
}

static double term_of(const Binding *b, const char *name)
{
    int64_t slots[TEMPLATE_MAX_SLOT];
    double x = NAN;
    assert_true(template_slots(b, slots));
    for (int i = 0; i < b->t->nterm; i++)
        if (strcmp(b->t->term[i].name, name) == 0)
            assert_int_equal(expr_real_at(b->t->term[i].expr, slots, &x), EXPR_OK);
    return x;
}

static const int64_t two[] = { 2 }, extent[] = { 9, 48, 64 };

/* On avx2, three threads: 48 columns are six vectors of 8 floats, four of them a tile and a thread's. */
TEST(a_head_may_leave_all_to_its_family)
{
    const Binding b = bind(read_small(bare("")), make_spec("NK", false, false), two, extent);
    assert_int_equal(value_of(&b, "UNITS"), 6);
    assert_int_equal(value_of(&b, "UT"), 4);
    assert_int_equal(value_of(&b, "ROW_TILES"), 5);
    assert_int_equal(value_of(&b, "LOWEST"), 1);
    assert_float_equal(term_of(&b, "fma"), 64 * 4 * 9 / 2, 0);
    assert_float_equal(term_of(&b, "call"), 6000, 0);
    assert_true(b.t->nfeature > 20);
}

TEST(a_head_may_stand_in_for_it)
{
    const char *own = "derived = ( { name = \"COL\"; expr = \"16\"; doc = \"x\"; },\n"
                      "{ name = \"MINE\"; expr = \"UT * 100\"; doc = \"x\"; } );\n"
                      "serial_flops = \"MINE\";\n"
                      "terms = ( { name = \"call\"; expr = \"MINE\"; doc = \"x\"; }, { name = \"own\"; expr = \"SUM\"; "
                      "doc = \"x\"; } );";
    const Template *t = read_small(bare(own)), *plain = read_small(bare(""));
    const Binding b = bind(t, make_spec("NK", false, false), two, extent);
    int64_t slots[TEMPLATE_MAX_SLOT];
    double serial;
    assert_int_equal(value_of(&b, "MINE"), 200);
    assert_float_equal(term_of(&b, "call"), 200, 0);
    assert_float_equal(term_of(&b, "own"), 64, 0);
    assert_int_equal(t->nterm, plain->nterm + 1);
    assert_true(template_slots(&b, slots));
    assert_int_equal(expr_real_at(t->serial_flops, slots, &serial), EXPR_OK);
    assert_float_equal(serial, 200, 0);
    assert_string_equal(t->hash, plain->hash); /* none of this is in a kernel */
}

TEST(a_head_may_have_terms_of_its_own_alone)
{
    const Template *t =
        read_small(bare("own_terms = true; terms = ( { name = \"sum\"; expr = \"SUM\"; doc = \"x\"; } );"));
    const Binding b = bind(t, make_spec("NK", false, false), two, extent);
    assert_int_equal(t->nterm, 1);
    assert_int_equal(t->nfeature, 0);
    assert_float_equal(term_of(&b, "sum"), 64, 0);
}

/* What the core says of the op and the tile. */
TEST(calls_and_tiles_are_counted)
{
    Pairs want = { .rest = "FLOPS -> 2*9*48*64; STEP_FLOPS -> 2*2*32; OUT_ROWS -> 9; TILE_ROWS -> 2; OUT_COLS -> 48; "
                           "TILE_COLS -> 32; SUM -> 64; TILE_SUM -> 1; TILES -> 5*2; SUM_STEPS -> 64; "
                           "DATA -> 9*64 + 48*64 + 9*48; TILE_READS -> 34*64; STEP_READS -> 34" };
    while (pairs_next(arena, &want)) {
        int64_t value;
        const char *uses =
            arena_printf(arena, "derived = ( { name = \"D\"; expr = \"%s\"; doc = \"x\"; } );", want.text);
        const Binding b = bind(read_small(bare(uses)), make_spec("NK", false, true), two, extent);
        const Expr *e = expr_parse(arena, want.value, (Loc){ 0 }, diag_new(arena));
        assert_int_equal(expr_int(e, NULL, NULL, &value), EXPR_OK);
        assert_int_equal(value_of(&b, "D"), value);
    }
}

/* `text` as the family's, in a folder that is searched first; what is said of the head. */
static const char *said_of(const char *head, const char *text, bool *ok)
{
    TemplateList list;
    const char *said, *both[] = { root, DCGEN_SOURCE_DIR "/templates" };
    Spec first = *base;
    first.templates = both;
    first.ntemplates = 2;
    const Spec *was = base;
    put("x.c", head);
    assert_int_equal(system(arena_printf(arena, "mkdir -p '%s/family'", root)), 0);
    put("family/cpu.cfg", text);
    base = &first;
    *ok = read_folder(&list, &said);
    base = was;
    assert_int_equal(system(arena_printf(arena, "rm -r '%s/family'", root)), 0);
    return said;
}

#define WORK "padded_flops = \"FLOPS\"; serial_flops = \"FLOPS\";\n"
#define TERM(expr) "terms = ( { name = \"t\"; expr = \"" expr "\"; doc = \"x\"; } );\n"

/* `n` terms, the first of them called t<first>. */
static const char *terms_from(int first, int n)
{
    Text t = { .arena = arena };
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s{ name = \"t%d\"; expr = \"1\"; doc = \"x\"; }", i ? ",\n" : "terms = ( ", first + i);
    return arena_printf(arena, "%s );", text_str(&t));
}

/* A term of the head that stands in for one of the family counts once. */
TEST(there_may_be_so_many_terms)
{
    static const struct {
        int first, n, of_family; /* the head's; the family has t0 and those behind it */
        const char *want;        /* NULL: not too many */
    } row[] = { { 0, TEMPLATE_MAX_TERM, TEMPLATE_MAX_TERM, NULL },
                { 4, TEMPLATE_MAX_TERM - 4, TEMPLATE_MAX_TERM, NULL },
                { 16, 4, 16, NULL },
                { 16, 5, 16, "x.c:5:1: error: more than 20 terms, with those of the family" },
                { 15, 6, 16, "x.c:5:1: error: more than 20 terms, with those of the family" },
                { 15, 5, 16, NULL },
                { 0, 21, 1, "x.c:5:1: error: more than 20 entries" },
                { 0, 1, 21, "cpu.cfg:2:1: error: more than 20 entries" } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        bool ok;
        const char *text = arena_printf(arena, WORK "%s", terms_from(0, row[i].of_family));
        const char *said = said_of(bare(terms_from(row[i].first, row[i].n)), text, &ok);
        if (ok != !row[i].want || (!ok && !strstr(said, row[i].want)))
            fail_msg("%d terms from t%d, and %d of the family\nsaid %s", row[i].n, row[i].first, row[i].of_family,
                     said);
    }
}

TEST(faults_in_its_text_have_their_place)
{
    static const struct {
        const char *text, *want;
    } row[] = {
        { WORK TERM("A") "derived = ( { name = \"A\"; expr = \"B\"; doc = \"x\"; } );",
          "cpu.cfg:3:35: error: unknown name 'B'" },
        { WORK TERM("A") "derived = ( { name = \"A\"; expr = \"A + 1\"; doc = \"x\"; } );",
          "cpu.cfg:3:35: error: unknown name 'A'" },
        { WORK TERM("A") "derived = ( { name = \"A\"; expr = \"MR +\"; doc = \"x\"; } );", "cpu.cfg:3" },
        { WORK TERM("QQ"), "cpu.cfg:2:33: error: unknown name 'QQ'" },
        { WORK, "missing key 'terms'" },
        { TERM("1"), "missing key 'padded_flops'" },
        { WORK TERM("1") "bound = 0;", "unknown key 'bound'" },
        { WORK
          "terms = ( { name = \"t\"; expr = \"1\"; doc = \"x\"; }, { name = \"t\"; expr = \"1\"; doc = \"x\"; } );",
          NULL },
        { WORK TERM("MR"), NULL },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        bool ok;
        const char *said = said_of(bare(""), row[i].text, &ok);
        if (ok != !row[i].want || (!ok && !strstr(said, row[i].want)))
            fail_msg("%s\nsaid %s", row[i].text, said);
    }
    Spec nowhere = *base;
    const Spec *was = base;
    nowhere.ntemplates = 0;
    base = &nowhere;
    check_said(bare(""), "no folder of templates has 'family/cpu.cfg'");
    base = was;
}

/* ---- the templates of dense without what their heads say of time ---- */

/* Without the settings of these names, each of which begins a line and ends with one. If there are any, also without
 * what the head says by derived names of the calls that it serves. */
static const char *without(const char *text, const char *const *key)
{
    char *s = arena_strdup(arena, text), *at = strstr(s, "\nserves = ");
    if (at && *key)
        memmove(at, strchr(at + 1, '\n'), strlen(strchr(at + 1, '\n')) + 1);
    for (; *key; key++)
        if ((at = strstr(s, arena_printf(arena, "\n%s = (\n", *key)))) {
            const char *end = strstr(at, " );\n");
            memmove(at, end + 3, strlen(end + 3) + 1);
        }
    return s;
}

static const Template *read_without(const Spec *spec, const char *name, const char *const *key)
{
    size_t len;
    const char *path = arena_printf(arena, DCGEN_SOURCE_DIR "/templates/dense/%s", name);
    const char *text = without(text_read_file(arena, path, &len), key);
    Diag *d = diag_new(arena);
    const Template *t = template_parse(arena, spec, source_text(arena, path, text), d);
    diag_print(d, stderr);
    assert_non_null(t);
    return t;
}

typedef struct {
    const char *file, *target, *dtype, *layout;
    bool packed;
} Case;

/* Spearman's correlation of what both say of the template's kernels on a shape; the least of some shapes. */
static double agreement(const Case *c, const char *const *key)
{
    static const int64_t extents[][3] = { { 1, 3072, 768 }, { 17, 768, 3072 }, { 300, 768, 768 } };
    static const char *const nothing[] = { NULL };
    Spec *spec = make_spec(c->layout, c->packed, true);
    spec->dtype = c->dtype;
    const Template *both[] = { read_without(spec, c->file, nothing), read_without(spec, c->file, key) };
    const TemplateList list = { 2, both }, whole = { 1, both };
    const Target *target = target_find(&targets, c->target);
    const Device on = target->family == &family_cuda ? device_typical(arena, target) : device;
    const Study study = { .arena = arena, .spec = spec, .device = &on, .target = target };
    const CostModel *m = cost_analytic(arena, &study, &list);
    const Space *space = space_make(arena, spec, &whole, target, &on, diag_new(arena));
    double least = 1;
    for (size_t e = 0; e < LENGTH(extents); e++) {
        RankOrder o = rank_new(arena, space->n);
        for (int64_t i = 0; i < space->n; i += space->n / 1000 + 1) {
            Candidate other = space->candidate[i];
            other.t = both[1];
            if (candidate_is_fixed(&other)) /* for K = 64: what that costs here, none but its head knows */
                continue;
            rank_add(&o, cost_predict(m, &space->candidate[i], extents[e], 1), cost_predict(m, &other, extents[e], 1),
                     i);
        }
        rank_sort(&o);
        least = fmin(least, rank_spearman(arena, &o));
    }
    return least;
}

TEST(templates_are_ranked_without_terms_of_their_own)
{
    static const char *const terms[] = { "terms", "features", NULL }, *const all[] = { "derived", "terms", "features",
                                                                                       NULL };
    static const Case cases[] = {
        { "packed_gemm.c", "avx512", "f32", "NK", true },  { "direct_gemm.c", "avx512", "f32", "KN", false },
        { "repack_gemm.c", "avx512", "f32", "NK", false }, { "dot_gemm.c", "avx512", "f32", "NK", false },
        { "simt_gemm.cu", "sm_90a", "f32", "NK", false },  { "mma_gemm.cu", "sm_90a", "bf16", "NK", false },
        { "gemv.cu", "sm_90a", "bf16", "NK", false },      { "mma_gemv.cu", "sm_90a", "bf16", "NK", false },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double some = agreement(&cases[i], terms), none = agreement(&cases[i], all);
        print_message("%s: rank correlation %.2f without terms and features, %.2f without derived names too\n",
                      cases[i].file, some, none);
        assert_true(some >= 0.9 && none >= 0.5);
    }
}

TEST_FILE(setup, place_teardown)
