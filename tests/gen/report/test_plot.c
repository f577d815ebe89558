/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: what gnuplot is given and what is made of its answer, with scripts in its place; and its SVG, element by element.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/report/plot.h"
#include "tests/open_files.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static Arena *arena;
static char folder[TMP_FOLDER_BYTES];
static const char *path; /* as it was */

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    path = arena_strdup(arena, getenv("PATH"));
    if (!tmp_folder(folder))
        return -1;
    setenv("PATH", arena_printf(arena, "%s:%s", folder, path), 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    setenv("PATH", path, 1);
    arena_free(arena);
    return tmp_folder_remove(folder);
}

static void gnuplot_is(const char *script)
{
    put_program(arena_printf(arena, "%s/gnuplot", folder),
                arena_printf(arena, "#!/bin/sh\nPATH='%s'\n%s\n", path, script));
}

static Plot plot[2];

/* Draws both: NULL, or why not. Then nothing is left, neither of figures nor open. */
static const char *draw(void)
{
    const char *why = "before";
    const int open = open_files();
    for (int i = 0; i < 2; i++) {
        plot[i] = (Plot){ .width = 100 + i, .height = 50 - i, .script = { .arena = arena }, .svg = "before" };
        text_printf(&plot[i].script, "draw %d\n", i);
    }
    const bool ok = plot_run(arena, plot, 2, &why);
    assert_int_equal(open_files(), open);
    assert_int_equal(ok, why == NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(plot[i].svg != NULL, ok);
    return why;
}

#define PATHS(X) "<svg a='1'><path stroke='rgb(  0,   0,  5)' d='M" #X ",2 L3,4'/></svg>"

static void one_gnuplot_draws_all(void **state)
{
    (void)state;
    gnuplot_is(arena_printf(arena,
                            "echo \"$#,$1,$HOME,$LC_ALL,$GNUTERM,$GNUPLOT_LIB\" >'%s/asked'\ncat >'%s/script'\n"
                            "echo \"<?xml?>" PATHS(1) "between" PATHS(7) "\"",
                            folder, folder));
    assert_null(draw());
    assert_string_equal(plot[0].svg, "<path class=\"l5\" d=\"M1 2L3 4\"/>\n");
    assert_string_equal(plot[1].svg, "<path class=\"l5\" d=\"M7 2L3 4\"/>\n");
    assert_string_equal(text_read_file(arena, arena_printf(arena, "%s/asked", folder), NULL), "1,-d,/,C,svg,\n");
    assert_string_equal(text_read_file(arena, arena_printf(arena, "%s/script", folder), NULL),
                        "reset\nset terminal svg size 100,50 font 'sans-serif,13' noenhanced\ndraw 0\n"
                        "reset\nset terminal svg size 101,49 font 'sans-serif,13' noenhanced\ndraw 1\n");
}

/* Far more than a pipe holds at a time. */
static void a_large_answer_is_read_whole(void **state)
{
    (void)state;
    gnuplot_is("echo \"" PATHS(1) "\"; head -c 300000 /dev/zero | tr '\\0' ' '; echo \"" PATHS(7) "\"");
    assert_null(draw());
    assert_string_equal(plot[1].svg, "<path class=\"l5\" d=\"M7 2L3 4\"/>\n");
}

static void faults_are_told(void **state)
{
    (void)state;
    static const char failed[] = "gnuplot failed to draw", odd[] = "gnuplot's output was not understood";
    static const struct {
        const char *script, *why;
    } row[] = {
        { "echo \"" PATHS(1) PATHS(7) "\"; exit 1", failed },
        { "echo \"" PATHS(1) PATHS(7) "\"; kill -KILL $$", failed },
        { "echo \"" PATHS(1) "\"", odd },
        { "echo \"" PATHS(1) PATHS(7) PATHS(8) "\"", odd },
        { "echo \"" PATHS(1) "<svg><path d='M1,2'/>\"", odd },
        { ":", odd },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        gnuplot_is(row[i].script);
        const char *why = draw();
        assert_non_null(why);
        if (!strstr(why, row[i].why))
            fail_msg("%s: %s", row[i].script, why);
    }
}

/* It is not needed for nothing. */
static void none_is_missed_without_figures(void **state)
{
    (void)state;
    const char *why = "before";
    setenv("PATH", folder, 1);
    assert_true(plot_run(arena, NULL, 0, &why));
    assert_null(why);
    assert_false(plot_check(arena, &why));
    const char *told = draw();
    assert_string_equal(told, why);
    assert_non_null(strstr(told, "gnuplot was not found"));
    gnuplot_is("");
    assert_true(plot_check(arena, &why));
}

static void elements_become_ours(void **state)
{
    (void)state;
#define PLACED(TEXT) "<g transform='translate(1,2)' text-anchor='start'><text>" TEXT "</text></g>"
    static const struct {
        const char *svg, *ours;
    } row[] = {
        /* no colour of ours: an axis */
        { "<path d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path stroke='red' d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path stroke='rgb(0,0,0)' d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path stroke='rgb(0,1,7)' d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path stroke='rgb(1,0,7)' d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        /* coordinates */
        { "<path d='M-0.04,-12.26 10,9.96 L0,99.95Z'/>", "<path class=\"l1\" d=\"M0 -12.3 10 10L0 100Z\"/>\n" },
        { "<path d='M.5,1 q - 7'/>", "<path class=\"l1\" d=\"M0.5 1\"/>\n" },
        { "<path\n\td\t=\t\"M1,2\"\n/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path dd='M3,4' d='M1,2'/>", "<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<path stroke='none'/>", "" },
        { "<path d='M1,2/>", "" },
        { "<path d=M1,2 />", "" },
        { "<path d='M1,2'", "" },
        { "<pathology d='M1,2'/><p d='M1,2'/>", "" },
        { "<defs><path d='M1,2'/></defs><path d='M3,4'/>", "<path class=\"l1\" d=\"M3 4\"/>\n" },
        { "<polygon fill='rgb(0,0,9)'/><polygon fill='rgb(0,0,9)' points='1,2 3,4'/>",
          "<polygon class=\"l9\" points=\"1 2 3 4\"/>\n" },
        /* circles: filled ones, open ones, of one look or several, and an end to each run */
        { "<use xlink:href='#gpPt5' transform='translate(5,6)' color='rgb(0,0,8)'/>"
          "<use xlink:href='#gpPt5' transform='translate(7,8)' color='rgb(0,0,8)'/>",
          "<path class=\"l8\" d=\"M1 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M3 8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>\n" },
        { "<use xlink:href='#gpPt6' transform='translate(5,6)' color='rgb(0,0,8)'/>"
          "<use xlink:href='#gpPt5' transform='translate(5,6)' color='rgb(0,0,8)'/>"
          "<use xlink:href='#gpPt5' transform='translate(5,6)' color='rgb(0,0,9)'/><path d='M1,2'/>",
          "<path class=\"l8\" d=\"M5 6h0\"/>\n<path class=\"l8\" d=\"M1 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>\n"
          "<path class=\"l9\" d=\"M1 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>\n<path class=\"l1\" d=\"M1 2\"/>\n" },
        { "<use transform='translate(5,6)'/><use xlink:href='#gpPt6'/><use xlink:href='#gpPt6' transform='rotate(5)'/>",
          "" },
        /* text: at its group's place, behind all else, sorted, each once */
        { "<text>a</text>", "" },
        { PLACED("b") PLACED("a") PLACED("b") "<path d='M1,2'/>",
          "<path class=\"l1\" d=\"M1 2\"/>\n<text class=\"l1\" transform=\"translate(1 2)\">a</text>\n"
          "<text class=\"l1\" transform=\"translate(1 2)\">b</text>\n" },
        { "<g transform='translate(1,2)'><g fill='red'><text>a</text></g></g>",
          "<text class=\"l1\" transform=\"translate(1 2)\">a</text>\n" },
        { "<g transform='translate(1,2) rotate(90)' text-anchor='end'><text>a</text></g>",
          "<text class=\"l1\" text-anchor=\"end\" transform=\"translate(1 2)\">a</text>\n" },
        { PLACED("a<b/>"), "" },
        { "<g transform='translate(1,2)'><text>a", "" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *svg = arena_strdup(arena, row[i].svg);
        assert_string_equal(plot_normalise(arena, svg, svg + strlen(svg)), row[i].ours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_gnuplot_draws_all, setup, teardown),
        cmocka_unit_test_setup_teardown(a_large_answer_is_read_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(none_is_missed_without_figures, setup, teardown),
        cmocka_unit_test_setup_teardown(elements_become_ours, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
