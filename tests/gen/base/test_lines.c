/* SPDX-License-Identifier: Apache-2.0
 *
 * lines: lines come whole, in whatever pieces they arrive; one that is too long is dropped alone.
 */
#include "tests/test.h"
#include <fcntl.h>
#include <unistd.h>
#include "gen/base/lines.h"

/* The next status that is not "no whole line yet". */
static LineStatus next(Lines *l, char **line, size_t *len)
{
    LineStatus status;
    while ((status = lines_next(l, line, len)) == LINE_NONE)
        lines_fill(l);
    return status;
}

static void expect(Lines *l, const char *want)
{
    char *line;
    size_t len;
    assert_int_equal(next(l, &line, &len), LINE_READY);
    assert_string_equal(line, want);
    assert_int_equal(len, strlen(want));
}

TEST(lines_come_in_pieces)
{
    int ends[2];
    char *line;
    size_t len;
    Lines l;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_true(lines_open(&l, ends[0]));
    assert_int_equal(lines_next(&l, &line, &len), LINE_NONE);
    lines_fill(&l); /* nothing there: no end */
    assert_int_equal(lines_next(&l, &line, &len), LINE_NONE);
    assert_int_equal(write(ends[1], "one\n\ntw", 7), 7);
    expect(&l, "one");
    expect(&l, "");
    assert_int_equal(lines_next(&l, &line, &len), LINE_NONE);
    assert_int_equal(write(ends[1], "o\nthree\nrest", 12), 12);
    close(ends[1]);
    expect(&l, "two");
    expect(&l, "three");
    assert_int_equal(next(&l, &line, &len), LINE_END); /* what has no newline is no line */
    assert_int_equal(next(&l, &line, &len), LINE_END);
    lines_close(&l);
    close(ends[0]);
}

/* A line has room for one byte less than the bound, as its newline counts; what is longer is told once, and all behind
 * it comes. */
TEST(a_long_line_is_dropped_alone)
{
    static const long sizes[] = { LINE_MAX_BYTES - 2, LINE_MAX_BYTES - 1, LINE_MAX_BYTES, 2 * LINE_MAX_BYTES,
                                  2 * LINE_MAX_BYTES + 7 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *line;
        size_t len;
        Lines l;
        FILE *f = tmpfile();
        assert_non_null(f);
        fprintf(f, "before\n");
        for (long k = 0; k < sizes[i]; k++)
            putc('x', f);
        fprintf(f, "\nbehind\n");
        rewind(f);
        assert_true(lines_open(&l, fileno(f)));
        expect(&l, "before");
        const LineStatus status = next(&l, &line, &len);
        assert_int_equal(status, sizes[i] < LINE_MAX_BYTES ? LINE_READY : LINE_TOO_LONG);
        if (status == LINE_READY)
            assert_int_equal(len, sizes[i]);
        expect(&l, "behind");
        assert_int_equal(next(&l, &line, &len), LINE_END);
        lines_close(&l);
        fclose(f);
    }
}

TEST(an_error_is_an_end)
{
    char *line;
    size_t len;
    Lines l;
    assert_true(lines_open(&l, -1));
    assert_int_equal(next(&l, &line, &len), LINE_END);
    lines_close(&l);
    assert_true(l.ended && !l.buffer);
}
