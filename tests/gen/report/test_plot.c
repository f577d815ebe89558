/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: what gnuplot is given and what is made of its answer, with scripts in its place.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/report/plot.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

static const char *path; /* as it was */

static int setup(void **state)
{
    if (place_setup(state))
        return -1;
    path = arena_strdup(arena, getenv("PATH"));
    return setenv("PATH", arena_printf(arena, "%s:%s", root, path), 1);
}

static int teardown(void **state)
{
    setenv("PATH", path, 1);
    return place_teardown(state);
}

static void gnuplot_is(const char *script)
{
    put_program(in_root("gnuplot"), arena_printf(arena, "#!/bin/sh\nPATH='%s'\n%s\n", path, script));
}

static Plot plot[2];

/* Draws both: NULL, or why not. Then nothing is left, neither of figures nor open. */
static const char *draw(void)
{
    const char *why = "before";
    const int open = open_files();
    for (int i = 0; i < 2; i++) {
        plot[i] = (Plot){
            .name = i ? "b" : "a", .width = 100 + i, .height = 50 - i, .script = { .arena = arena }, .svg = "before"
        };
        text_printf(&plot[i].script, "draw %d", i);
    }
    const bool ok = plot_run(arena, plot, 2, &why);
    assert_int_equal(open_files(), open);
    assert_int_equal(ok, why == NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(plot[i].svg != NULL, ok);
    return why;
}

#define DOCUMENT(X) \
    "<svg a='1'><g id='canvas'><defs><path id='gpPt0'/></defs><g><path d='M" #X ",2 L3,4'/></g></g></svg>"
#define CONTENT(X) "<g><path d='M" #X ",2 L3,4'/></g>"

TEST(one_gnuplot_draws_all)
{
    gnuplot_is(arena_printf(arena,
                            "echo \"$#,$1,$HOME,$LC_ALL,$GNUTERM,$GNUPLOT_LIB\" >'%s/asked'\ncat >'%s/script'\n"
                            "echo \"<?xml?>" DOCUMENT(1) "between" DOCUMENT(7) "\"",
                            root, root));
    assert_null(draw());
    assert_string_equal(plot[0].svg, CONTENT(1));
    assert_string_equal(plot[1].svg, CONTENT(7));
    assert_string_equal(text_read_file(arena, in_root("asked"), NULL), "1,-d,/,C,svg,\n");
    assert_string_equal(text_read_file(arena, in_root("script"), NULL),
                        "reset\nset terminal svg size 100,50 font 'sans-serif,13' noenhanced name 'a'\ndraw 0\n"
                        "reset\nset terminal svg size 101,49 font 'sans-serif,13' noenhanced name 'b'\ndraw 1\n");
}

/* Far more than a pipe holds at a time. */
TEST(a_large_answer_is_read_whole)
{
    gnuplot_is("echo \"" DOCUMENT(1) "\"; head -c 300000 /dev/zero | tr '\\0' ' '; echo \"" DOCUMENT(7) "\"");
    assert_null(draw());
    assert_string_equal(plot[1].svg, CONTENT(7));
}

TEST(faults_are_told)
{
    static const char failed[] = "gnuplot failed to draw", odd[] = "gnuplot's output was not understood";
    static const struct {
        const char *script, *why;
    } row[] = {
        { "echo \"" DOCUMENT(1) DOCUMENT(7) "\"; exit 1", failed },
        { "echo \"" DOCUMENT(1) DOCUMENT(7) "\"; kill -KILL $$", failed },
        { "echo \"" DOCUMENT(1) "\"", odd },
        { "echo \"" DOCUMENT(1) DOCUMENT(7) DOCUMENT(8) "\"", odd },
        { "echo \"" DOCUMENT(1) "<svg><g><defs></defs><path d='M1,2'/></g>\"", odd },
        { "echo \"" DOCUMENT(1) "<svg><defs></defs></svg>\"", odd },
        { "echo \"" DOCUMENT(1) "<svg><path d='M1,2'/></svg>\"", odd },
        { ":", odd },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        gnuplot_is(row[i].script);
        const char *why = draw();
        assert_non_null(why);
        assert_has(why, row[i].why);
    }
}

/* It is not needed for nothing. */
TEST(none_is_missed_without_figures)
{
    const char *why = "before";
    setenv("PATH", root, 1);
    assert_true(plot_run(arena, NULL, 0, &why));
    assert_null(why);
    assert_false(plot_check(arena, &why));
    const char *told = draw();
    assert_string_equal(told, why);
    assert_has(told, "gnuplot was not found");
    gnuplot_is("");
    assert_true(plot_check(arena, &why));
}

TEST_EACH(setup, teardown)
