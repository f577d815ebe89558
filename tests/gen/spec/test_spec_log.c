/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_log: specs whose shapes come from a log: its rows are the instances, by their counts, and those that are tuned
 * are the frequent ones, the ends of the ranges and a sample of all others.
 */
#include "tests/test.h"
#include <inttypes.h>
#include "gen/spec/points.h"
#include "gen/spec/spec_private.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/spec_text.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static char folder[TMP_FOLDER_BYTES];

static int make(void **state) { return setup(state) + (tmp_folder(folder) == NULL); }
static int drop(void **state) { return tmp_folder_remove(folder) + teardown(state); }

/* A spec in the folder, with a log beside it; NULL after errors. *said becomes what is printed, without the folder. */
static Spec *read_with(const char *log, const char *more, const char **said)
{
    const char *text = arena_printf(arena,
                                    "name = \"x\"; op = \"dense\"; dtype = \"f32\";\n"
                                    "shapes = \"log.csv\"; %s\n",
                                    more);
    if (log)
        put_file(arena_printf(arena, "%s/log.csv", folder), log);
    Diag *d = diag_new(arena);
    Spec *s =
        spec_parse(arena, source_text(arena, arena_printf(arena, "%s/x.cfg", folder), text), spec_templates, 1, d);
    Text t = { .arena = arena };
    const char *all = golden_diag(arena, d), *at;
    for (; (at = strstr(all, folder)); all = at + strlen(folder) + 1)
        text_addn(&t, all, (size_t)(at - all));
    text_add(&t, all);
    *said = text_str(&t);
    assert_int_equal(s == NULL, diag_nerror(d) > 0);
    return s;
}

static Spec *read_good(const char *log, const char *more)
{
    const char *said;
    Spec *s = read_with(log, more, &said);
    assert_string_equal(said, "");
    return s;
}

static const Instance *find(const Spec *s, int64_t m, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < s->ninstance; i++)
        if (memcmp(s->instance[i].extent, (int64_t[]){ m, n, k }, 3 * sizeof m) == 0)
            return &s->instance[i];
    fail_msg("no instance %d %d %d", (int)m, (int)n, (int)k);
    return NULL;
}

/* 1000 rows: M from 1 to 1000, N of two values, K fixed; ten counts are high. */
static const char *long_log(void)
{
    Text t = { .arena = arena };
    text_add(&t, "M,N,K,count\n");
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "%d,%d,768,%d\n", 1 + i * 397 % 1000, i % 2 ? 768 : 3072, i < 10 ? 1000 - i : 1 + i % 3);
    return text_str(&t);
}

TEST(rows_are_instances)
{
    const Spec *s = read_good("K,M,N,count\n3,1,2,7\n6,4,5,1\n3,1,2,1\n", "threads = [1, 4];");
    assert_int_equal(s->ninstance, 4);
    assert_int_equal(spec_shape_count(s), 2);
    assert_int_equal(spec_tuned_count(s), 2);
    assert_int_equal(s->nshape, 1);
    assert_true(find(s, 1, 2, 3)->weight == 8 && find(s, 4, 5, 6)->weight == 1);
    assert_int_equal(s->instance[0].threads, 1);
    assert_int_equal(s->instance[3].threads, 4);
    for (int x = 0; x < 3; x++) {
        assert_int_equal(s->box.min[x], 1 + x);
        assert_int_equal(s->box.max[x], 4 + x);
    }
    const char **text = spec_shape_texts(arena, read_good("M,N,K\n1,2,3\n1,8,3\n", ""), 0);
    assert_string_equal(text[0], "1");
    assert_string_equal(text[1], "2..8");
}

TEST(what_is_tuned)
{
    const Spec *s = read_good(long_log(), "");
    int64_t in_part[4] = { 0 };
    assert_int_equal(s->ninstance, 1000);
    assert_int_equal(spec_tuned_count(s), SPEC_TUNE_PER_SHAPE);
    for (int64_t i = 0; i < s->ninstance; i++) {
        const Instance *in = &s->instance[i];
        assert_true(in->tuned || in->weight < 990); /* the frequent ones are */
        assert_true(in->tuned || (in->extent[0] > 1 && in->extent[0] < 1000));
        in_part[in->extent[0] / 251] += in->tuned;
    }
    for (int i = 0; i < 4; i++)
        assert_true(in_part[i] >= 4);
    double stands = 0;
    for (int64_t i = 0; i < s->ninstance; i++) {
        assert_true(s->instance[i].tuned ? s->instance[i].stands >= s->instance[i].weight : s->instance[i].stands == 0);
        stands += s->instance[i].stands;
    }
    assert_true(stands == (double)s->log->calls);
    const Spec *again = read_good(long_log(), "");
    for (int64_t i = 0; i < s->ninstance; i++)
        assert_int_equal(s->instance[i].tuned, again->instance[i].tuned);
}

/* Rows that are never called have no part in the sample. */
TEST(counts_of_zero)
{
    Text t = { .arena = arena };
    text_add(&t, "M,N,K,count\n1,1,1,1\n");
    for (int i = 2; i < 200; i++)
        text_printf(&t, "%d,64,64,0\n", i);
    const Spec *s = read_good(text_str(&t), "");
    assert_int_equal(s->ninstance, 199);
    assert_true(spec_tuned_count(s) < SPEC_TUNE_PER_SHAPE);
    const char *said;
    assert_null(read_with("M,N,K,count\n1,1,1,0\n", "", &said));
    assert_has(said, "x.cfg:2:1: error: all weights are zero: nothing is left to tune for\n");
}

TEST(more_rows_than_instances)
{
    Text t = { .arena = arena };
    text_add(&t, "M,N,K,count\n");
    for (int i = 0; i < SPEC_MAX_INSTANCE + 1000; i++)
        text_printf(&t, "%d,%d,8,%d\n", 1 + i, 8, i < 2000 ? 1 : 2);
    const char *said;
    const Spec *s = read_with(text_str(&t), "", &said);
    assert_has(said, "x.cfg:2:10: warning: of 201000 different shapes the 200000 most frequent count, 99.8 % of the "
                     "calls\n    shapes = \"log.csv\"; \n             ^~~~~~~~~\n");
    assert_non_null(s);
    assert_int_equal(s->ninstance, SPEC_MAX_INSTANCE);
    assert_int_equal(s->box.min[0], 1); /* what is left out is within the declared ranges */
    assert_int_equal(s->box.max[0], SPEC_MAX_INSTANCE + 1000);
    int64_t x[POINTS_MAX_AXIS];
    Points *p = points_declared(arena, s, INT64_MAX);
    assert_false(points_are_all(p));
    assert_true(points_next(p, x));
}

TEST(no_row_has_work)
{
    const char *said;
    assert_null(read_with("M,N,K\n0,2,3\n4,0,6\n", "", &said));
    assert_has(said, "x.cfg:2:10: error: no shape has anything to compute: an extent of each is always 0\n");
    assert_int_equal(read_good("M,N,K\n0,2,3\n4,5,6\n", "")->ninstance, 1);
}

TEST(its_rows_are_the_declared_points)
{
    const Spec *s = read_good("M,N,K\n1,2,3\n4,5,6\n", "threads = [1, 2];");
    static const int64_t want[][4] = { { 1, 2, 3, 1 }, { 4, 5, 6, 1 }, { 1, 2, 3, 2 }, { 4, 5, 6, 2 } };
    int64_t x[POINTS_MAX_AXIS];
    Points *p = points_declared(arena, s, 1000);
    assert_true(points_are_all(p));
    for (size_t i = 0; i < LENGTH(want); i++) {
        assert_true(points_next(p, x));
        assert_memory_equal(x, want[i], sizeof want[i]);
    }
    assert_false(points_next(p, x));
    assert_false(points_are_all(points_declared(arena, s, 3)));
}

/* In a file of several functions each has its own, and dims are the others'. */
TEST(beside_other_functions)
{
    put_file(arena_printf(arena, "%s/log.csv", folder), "M,N,K\n1,2,3\n9,2,3\n");
    const char *text = "name = \"x\"; dims = { T = { min = 2; max = 5; }; };\n"
                       "functions = ( { name = \"a\"; op = \"dense\"; shapes = \"log.csv\"; },\n"
                       "  { name = \"b\"; op = \"dense\"; shapes = ( { M = \"T\"; N = 8; K = 8; } ); } );\n";
    Diag *d = diag_new(arena);
    const SpecFile *f =
        spec_file_parse(arena, source_text(arena, arena_printf(arena, "%s/x.cfg", folder), text), spec_templates, 1, d);
    assert_string_equal(golden_diag(arena, d), "");
    assert_int_equal(f->function[0]->ninstance, 2);
    assert_int_equal(f->function[0]->instance[1].dim[0], 2);
    assert_int_equal(f->function[0]->dims, 0);
    assert_int_equal(f->function[1]->ninstance, 4);
    assert_string_equal(spec_log_path(arena, f->function[0]), "shapes_a.csv");
    assert_string_equal(spec_log_path(arena, read_good("M,N,K\n1,2,3\n", "")), "shapes.csv");
}

/* The place is the spec's where the file cannot be read, else the line's. */
TEST(faults)
{
    const char *said;
    assert_null(read_with(NULL, "", &said));
    assert_has(said, "x.cfg:2:10: error: the shapes 'log.csv': cannot read the file: No such file or directory\n"
                     "    shapes = \"log.csv\"; \n             ^~~~~~~~~\n");
    assert_null(read_with("M,N,K\n1,2,3\n2147483647,2147483647,2\n", "", &said));
    assert_has(said, "log.csv:3:1: error: the size of Y of this shape, M*N, is beyond 2^59\n"
                     "    2147483647,2147483647,2\n    ^~~~~~~~~~~~~~~~~~~~~~~\n");
    assert_null(read_with("M,N,K\nx,2,3\n", "threads = [0];", &said)); /* those of the spec too */
    assert_has_all(said, "log.csv:2:1: error: ", "x.cfg:2:32: error: ");
    assert_int_equal(remove(arena_printf(arena, "%s/log.csv", folder)), 0);
    assert_int_equal(mkdir(arena_printf(arena, "%s/log.csv", folder), 0700), 0);
    assert_null(read_with(NULL, "", &said));
    assert_has(said, "x.cfg:2:10: error: the shapes 'log.csv': this is a folder, expected a file\n");
}

TEST_EACH(make, drop)
