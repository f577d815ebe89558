/* SPDX-License-Identifier: Apache-2.0
 *
 * ending: what is said of a search that ends without a kernel, word by word.
 */
#include "tests/test.h"
#include "search/loop/search.h"
#include "tests/search/study_place.h"

enum { MOST = 9 };

/* What became of one candidate. */
typedef struct {
    Status status;
    const char *why;       /* NULL: it was not built yet */
    bool left_out, lesser; /* lesser: of another target */
} End;

typedef struct {
    End end[MOST];
    bool fruitless;
    const char *line; /* the first */
} Case;

/* The text with the candidate's key for "KEY". */
static const char *with_key(const char *text, const char *key)
{
    const bool has = strncmp(text, "KEY", 3) == 0;
    return arena_printf(y.arena, "%s%s", has ? key : "", text + (has ? 3 : 0));
}

static Study *study_of_ends(const End *end)
{
    Study *s = new_study();
    for (int i = 0; i < MOST && (end[i].why || end[i].status != STATUS_OK); i++) {
        Candidate c = y.space->candidate[i];
        if (end[i].lesser)
            c.target = target_find(&y.targets, "avx2");
        const int64_t added = study_add(s, &c);
        Trial *t = &s->trial[added];
        t->built = end[i].why;
        t->status = end[i].status;
        t->why = end[i].why ? with_key(end[i].why, t->key) : "";
        t->left_out = end[i].left_out;
    }
    return s;
}

static const char *say(Study *s, bool *fruitless)
{
    Lab lab = { .arena = y.arena, .study = s, .seconds = 1.5 };
    Search q = { .lab = &lab };
    const char *text = ending_text(&q);
    *fruitless = q.fruitless;
    return text;
}

#define END(s, ...)                       \
    {                                     \
        .status = STATUS_##s, __VA_ARGS__ \
    }
#define FAILED END(BUILD_FAILED, .why = "x")
#define WRONG END(WRONG, .why = "y")
#define CRASHED END(CRASHED, .why = "z")
#define LEFT_OUT END(INVALID, .why = "w", .left_out = true)
#define LESSER END(WRONG, .why = "y", .lesser = true)

static const Case cases[] = {
    { { WRONG, { .status = STATUS_OK, .why = "" } },
      true,
      "the time of 1.5 s was up before any of the kernels that work was measured" },
    { { LEFT_OUT }, false, "the machine could neither build nor run any of 1 candidate" },
    { { LEFT_OUT, LEFT_OUT, LESSER }, false, "the machine could neither build nor run any of 2 candidates" },
    { { FAILED }, true, "none of 1 candidate could be built" },
    { { FAILED, FAILED, FAILED }, true, "none of 3 candidates could be built" },
    { { WRONG, LESSER, { .status = STATUS_WRONG, .why = NULL } },
      true,
      "none of 1 kernel that could be built works: 1 wrong" },
    { { WRONG, CRASHED, { .status = STATUS_TIMED_OUT, .why = "t" }, WRONG, { .status = STATUS_INVALID, .why = "r" } },
      true,
      "none of 5 kernels that could be built works: 1 refused, 2 wrong, 1 crashed, 1 timed out" },
    { { FAILED, WRONG, FAILED }, true, "none of 3 candidates works: 2 not built, 1 wrong" },
    { { LEFT_OUT, WRONG, LEFT_OUT },
      true,
      "none of 3 candidates works: 1 wrong, 2 left out because the machine lacked something" },
    { { LEFT_OUT, FAILED },
      true,
      "none of 2 candidates works: 1 not built, 1 left out because the machine lacked something" },
};

TEST(the_first_line_says_what_became_of_all)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool fruitless;
        const char *said = say(study_of_ends(cases[i].end), &fruitless);
        const char *line = arena_strndup(y.arena, said, strcspn(said, "\n"));
        assert_string_equal(line, cases[i].line);
        assert_int_equal(fruitless, cases[i].fruitless);
    }
}

/* The reason of candidate `i`, with it for an example. */
static const char *reason(const Study *s, int i, const char *what)
{
    const Candidate *c = &s->trial[i].c;
    int64_t value[TEMPLATE_MAX_PARAM];
    const char *text = arena_printf(y.arena, "\n  %s\n    for one: %s avx512", what, c->t->name);
    candidate_values(c, value);
    for (int k = 0; k < c->t->nparam; k++)
        text = arena_printf(y.arena, "%s %s=%d", text, c->t->param[k].name, (int)value[k]);
    return text;
}

/* The file that a compiler names is the candidate's own and is left out; numbers are sizes and places. Three reasons,
 * the most frequent first, of those alike the one that was met first; the same words of another status are another
 * reason, and so is a reason's beginning. */
TEST(reasons_alike_are_one)
{
    static const End end[MOST] = {
        { .status = STATUS_CRASHED, .why = "killed" },
        { .status = STATUS_BUILD_FAILED, .why = "KEY.c:10:2: error: %zmm31 of 32" },
        { .status = STATUS_WRONG, .why = "row 1 element 22" },
        { .status = STATUS_BUILD_FAILED, .why = "KEY.c:7: error: %zmm4 of 128" },
        { .status = STATUS_WRONG, .why = "row 17 element 3" },
        { .status = STATUS_WRONG, .why = "row 4 element x" },
        { .status = STATUS_INVALID, .why = "killed", .left_out = true },
        { .status = STATUS_WRONG, .why = "row 123 element 4" },
        { .status = STATUS_WRONG, .why = "row 1" },
    };
    bool fruitless;
    Study *s = study_of_ends(end);
    const char *want =
        arena_printf(y.arena,
                     "none of 9 candidates works: 2 not built, 5 wrong, 1 crashed, 1 left out because the machine "
                     "lacked something%s%s%s",
                     reason(s, 2, "3 x wrong: row 1 element 22"), reason(s, 1, "2 x build_failed: error: %zmm31 of 32"),
                     reason(s, 0, "1 x crashed: killed"));
    assert_string_equal(say(s, &fruitless), want);
    s->ntrial = 7; /* what lacks something is not told by its status */
    s->trial[0].status = STATUS_INVALID;
    s->trial[0].left_out = true;
    for (int i = 1; i < 6; i++)
        s->trial[i].c.target = NULL;
    assert_string_equal(say(s, &fruitless),
                        arena_printf(y.arena, "the machine could neither build nor run any of 2 candidates%s",
                                     reason(s, 0, "2 x left out because the machine lacked something: killed")));
}

TEST_FILE(make, drop)
