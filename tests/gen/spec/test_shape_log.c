/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_log: what a log says, in whatever order and form, and what is said of one that is faulty: every fault, with its
 * place.
 */
#include "tests/test.h"
#include "gen/spec/shape_log.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/spec_text.h"

static const Op *read_op(const char *name)
{
    Diag *d = diag_new(arena);
    const Op *op = op_read(arena, arena_printf(arena, DCGEN_SOURCE_DIR "/templates/%s", name), d);
    assert_string_equal(golden_diag(arena, d), "");
    return op;
}

/* "37 768 64 x 3; ...": extents and counts of all rows. */
static const char *rows_of(const char *op, const char *text)
{
    Diag *d = diag_new(arena);
    const ShapeLog *l = shape_log_parse(arena, source_text(arena, "log.csv", text), read_op(op), d);
    Text t = { .arena = arena };
    assert_string_equal(golden_diag(arena, d), "");
    assert_non_null(l);
    for (int64_t i = 0; i < l->n; i++) {
        text_add(&t, i ? "; " : "");
        for (int k = 0; k < l->ngiven; k++)
            text_printf(&t, "%d ", (int)shape_log_row(l, i)[k]);
        text_printf(&t, "x %lld", (long long)shape_log_count(l, i));
        assert_int_equal(shape_log_find(l, shape_log_row(l, i)), i);
    }
    return text_str(&t);
}

static const char *faults_of_bytes(const char *text, size_t len)
{
    Diag *d = diag_new(arena);
    const Source src = { "log.csv", text, len };
    assert_null(shape_log_parse(arena, &src, read_op("dense"), d));
    assert_true(diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

static const char *faults_of(const char *text) { return faults_of_bytes(text, strlen(text)); }

/* Equal rows are one, and all ascend. */
TEST(rows_are_merged_and_sorted)
{
    const char *text = "M,N,K,count\n5,7,9,2\n1,2,3,10\n5,7,9,40\n1,2,2,1\n";
    assert_string_equal(rows_of("dense", text), "1 2 2 x 1; 1 2 3 x 10; 5 7 9 x 42");
}

TEST(forms_that_a_log_may_have)
{
    static const char *const same[] = {
        "M,N,K\n1,2,3\n4,5,6\n1,2,3\n",  /* each row counts once */
        "K,count,M,N\n3,2,1,2\n6,1,4,5", /* any order, no line end at the end */
        "\xef\xbb\xbf"
        "M,N,K,count\r\n1,2,3,2\r\n\r\n4,5,6,1\r\n", /* a byte order mark, CR LF, empty lines */
        "\n \t\nM,N,K,count\n1,2,3,2\n\n4,5,6,1\n\n",
        "\"M\",\"N\",\"K\",\"count\"\n\"1\",2,\"3\",2\n 4 ,\t5,6 , 1\n", /* quotes and blanks */
        "M,N,K,count\n1,2,3,1\nM,N,K,count\n+1,02,3,1\n4,5,6,1\n",       /* two logs, one behind the other */
    };
    for (size_t i = 0; i < LENGTH(same); i++)
        assert_string_equal(rows_of("dense", same[i]), "1 2 3 x 2; 4 5 6 x 1");
}

/* Attributes have their default where they have no column, or what stands for several of them. */
TEST(attributes)
{
    assert_string_equal(rows_of("conv2d", "N,G,H,W,C,K,R,S\n1,1,8,8,3,4,3,3\n"), "1 1 8 8 3 4 3 3 1 1 0 0 0 0 1 1 x 1");
    assert_string_equal(rows_of("conv2d", "N,G,H,W,C,K,R,S,STRIDE,PAD,PAD_R\n1,1,8,8,3,4,3,3,2,1,0\n"),
                        "1 1 8 8 3 4 3 3 2 2 1 1 1 0 1 1 x 1");
}

TEST(counts_do_not_overflow)
{
    Text t = { .arena = arena };
    text_add(&t, "M,N,K,count\n");
    for (int i = 0; i < 2000; i++)
        text_add(&t, "1,2,3,9007199254740992\n");
    assert_string_equal(rows_of("dense", text_str(&t)), "1 2 3 x 9223372036854775807");
}

TEST(faults_of_headers)
{
    static const char *const of[][2] = {
        { "", "log.csv:1:1: error: the file is empty; expected a header such as M,N,K,count\n" },
        { "\n \n", "log.csv:1:1: error: the file is empty; expected a header such as M,N,K,count\n" },
        { "1,2,3\n", "log.csv:1:1: error: the first line has no names; expected a header such as M,N,K,count\n"
                     "    1,2,3\n    ^~~~~\n" },
        { "M,N,K,cont\n1,2,3,4\n", "log.csv:1:7: error: unknown column 'cont'; did you mean 'count'?\n"
                                   "    M,N,K,cont\n          ^~~~\n" },
        { "M,N,L\n", "log.csv:1:5: error: unknown column 'L'; expected one of M, N, K, count\n"
                     "    M,N,L\n        ^\n" },
        { "M,N,M,K\n", "log.csv:1:5: error: the column 'M' is there twice\n    M,N,M,K\n        ^\n" },
        { "M,count\n", "log.csv:1:1: error: the column 'N' is missing: columns of Y: output features\n"
                       "    M,count\n    ^~~~~~~\n"
                       "log.csv:1:1: error: the column 'K' is missing: columns of X: input features\n"
                       "    M,count\n    ^~~~~~~\n" },
        { "M,N,K\n", "log.csv:2:1: error: there are no rows below the header; expected at least one\n" },
    };
    for (size_t i = 0; i < LENGTH(of); i++)
        assert_string_equal(faults_of(of[i][0]), of[i][1]);
}

/* All of them at once. */
TEST(faults_of_rows)
{
    const char *text = "M,N,K,count\n"
                       "-1,2,3,4\n"
                       "1,2.5,3,-1\n"
                       "1,2,3\n"
                       "1,2,3,4,5\n"
                       "1,,99999999999999999999,1\n"
                       "1,2,2147483648,1\n"
                       "a,\"2,3\",4\n";
    const char *want[] = {
        "log.csv:2:1: error: the extent M is '-1'; expected an integer from 0 to 2147483647\n    -1,2,3,4\n    ^~\n",
        "log.csv:3:3: error: the extent N is '2.5'; expected an integer from 0 to 2147483647\n",
        "log.csv:3:9: error: the count is '-1'; expected an integer from 0 to 9007199254740992\n",
        "log.csv:4:6: error: the line has 3 values, expected 4: M,N,K,count\n",
        "log.csv:5:9: error: the line has more values than the header has names, expected 4: M,N,K,count\n",
        "log.csv:6:3: error: the extent N is missing; expected an integer from 0 to 2147483647\n",
        "log.csv:6:4: error: the extent K is '99999999999999999999'; expected an integer from 0 to 2147483647\n",
        "log.csv:7:5: error: the extent K is '2147483648'; expected an integer from 0 to 2147483647\n",
        "log.csv:8:1: error: the extent M is 'a'; expected an integer from 0 to 2147483647\n",
        "log.csv:8:3: error: the extent N is '\"2'; expected an integer from 0 to 2147483647\n",
    };
    const char *found = faults_of(text);
    for (size_t i = 0; i < LENGTH(want); i++)
        assert_has(found, want[i]);
}

TEST(files_that_are_no_logs)
{
    static const char zero[] = "M,N,K\n1,\0002,3\n";
    assert_string_equal(faults_of_bytes(zero, sizeof zero - 1),
                        "log.csv:2:3: error: a zero byte; expected text\n    1,?2,3\n      ^\n");
    char *line = arena_alloc(arena, SHAPE_LOG_MAX_LINE + 2);
    memset(line, '1', SHAPE_LOG_MAX_LINE + 1);
    assert_has(faults_of(arena_printf(arena, "M,N,K\n%s\n", line)),
               "log.csv:2:1: error: the line has 4097 bytes, more than the 4096 allowed\n");
}

TEST(more_rows_than_there_may_be)
{
    Text t = { .arena = arena };
    text_add(&t, "M,N,K\n");
    for (int i = 0; i <= SHAPE_LOG_MAX_ROW; i++)
        text_add(&t, "1,2,3\n");
    assert_has(faults_of(text_str(&t)), "log.csv:1000002:1: error: more than 1000000 rows; leave the rarest out\n");
    assert_string_equal(rows_of("dense", arena_printf(arena, "%.*s", (int)(t.len - 6), t.s)), "1 2 3 x 1000000");
}

TEST_EACH(setup, teardown)
