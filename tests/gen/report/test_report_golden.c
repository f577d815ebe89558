/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole report of a choice made by hand, and the scripts of its figures, against files in tests/gen/report/golden/golden. A script stands in for
 * gnuplot: it keeps what it is given, and draws the number of each figure.
 */
#include "tests/test.h"
#include <stdlib.h>
#include <sys/stat.h>
#include "gen/report/report.h"
#include "gen/report/report_private.h"
#include "tests/gen/by_hand.h"
#include "tests/gen/golden.h"
#include "tests/tmp_folder.h"

static char folder[TMP_FOLDER_BYTES];
static char *path; /* as it was */

static int setup(void **state)
{
    (void)state;
    char name[TMP_FOLDER_BYTES + 16], places[4096];
    if (!tmp_folder(folder) || !(path = strdup(getenv("PATH"))))
        return -1;
    snprintf(name, sizeof name, "%s/gnuplot", folder);
    FILE *f = fopen(name, "w");
    if (!f)
        return -1;
    fprintf(f,
            "#!/bin/sh\nPATH='%s'\ncat >'%s/script'\n"
            "awk '/^set terminal/ { print \"<svg><g><defs></defs>figure \" ++n \"</g></svg>\" }' '%s/script'\n",
            path, folder, folder);
    snprintf(places, sizeof places, "%s:%s", folder, path);
    return fclose(f) != 0 || chmod(name, 0755) != 0 || setenv("PATH", places, 1) != 0;
}

static int teardown(void **state)
{
    (void)state;
    setenv("PATH", path, 1);
    free(path);
    return tmp_folder_remove(folder);
}

static void check(Arena *a, const Result *in, const char *name)
{
    const char *why = NULL, *html = report_html(a, in, 1, "1.2.3", &why);
    if (!html)
        fail_msg("%s", why);
    const char *body = strstr(html, "<body>"), *script = text_read_file(a, arena_printf(a, "%s/script", folder), NULL);
    assert_true(body && script);
    golden_check(a, arena_printf(a, "golden/%s.html", name), body);
    golden_check(a, arena_printf(a, "golden/%s.plot", name), script);
}

/* 1 GFLOP/s, and 4 GB/s from the L1 cache: every shape needs its operations in ns. */
TEST(by_hand)
{
    ByHand hand;
    assert_true(by_hand_make(&hand));
    const Result in = by_hand_result(&hand, 10);
    check(hand.y.arena, &in, "hand");
    arena_free(hand.y.arena);
}

/* The maps of the shapes of a spec, where kernels change along M and N and across. */
static void check_maps(const char *name, const char *dims, const char *shapes, const char *threads)
{
    Synthetic y;
    Arena *a = arena_new();
    assert_true(synthetic_make(
        &y,
        arena_printf(a,
                     "name = \"maps\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"];\n"
                     "dims = { %s };\nshapes = ( %s ); layout = { W = \"NK\"; };\n"
                     "budget = { kernels = 4; code_kib = 64; trials = 8; seconds = 10; }; threads = [%s];\n",
                     dims, shapes, threads),
        8));
    int *chosen = ARENA_ARRAY(y.arena, (size_t)y.spec->ninstance, int);
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        const int64_t *x = y.spec->instance[i].extent;
        chosen[i] = (x[0] > 30 && x[1] > 16 * 12 && x[0] * x[1] < 60 * 16 * 40) || x[0] % 16 == 5;
    }
    assert_true(y.assignment->nkernel > 1);
    y.assignment->chosen = chosen;
    Result in = synthetic_result(&y);
    in.first = 10;
    Report *r = report_begin(y.arena, &in, "1.2.3", false);
    Text all = { .arena = y.arena };
    report_draw_maps(r);
    assert_true(r->nplot > 0);
    for (int i = 0; i < r->nplot; i++)
        if (strcmp(r->plot[i].word, "plane_figures") == 0)
            text_printf(&all, "%s\n", r->plot[i].caption);
    for (const Plot *p = r->plot; p < r->plot + r->nplot; p++)
        text_printf(&all, "%d x %d\n%s%s\n", p->width, p->height, text_str(&p->script), text_str(&p->drawing));
    golden_check(a, arena_printf(a, "golden/%s.plot", name), text_str(&all));
    arena_free(y.arena);
    arena_free(a);
}

TEST(maps)
{
    /* more rows than a plane shows */
    check_maps("plane", "T = { min = 1; max = 55; }; S = { min = 1; max = 60; };",
               "{ M = \"3*T\"; N = \"16*S\"; K = 8; }", "1");
    /* planes of several shapes: the extent that varies most, and one that does not follow it */
    check_maps("planes", "T = { min = 1; max = 6; }; S = { min = 1; max = 9; };",
               "{ M = \"5*T\"; N = \"16*T\"; K = \"8*S\"; }, { M = \"5*S\"; N = \"3*T\"; K = 8; }, { M = \"T\"; N = "
               "\"T\"; K = 1; }",
               "1, 2");
    /* bars of one extent, with runs too narrow for a name, and a shape that has none */
    check_maps("bars", "T = { min = 1; max = 80; };",
               "{ M = \"T\"; N = 48; K = 16; }, { M = \"3*T\"; N = 320; K = 16; }, { M = 7; N = 7; K = 7; }", "1");
}

TEST_FILE(setup, teardown)
