/* SPDX-License-Identifier: Apache-2.0
 *
 * The definition of conv2d, which all kernels are compared with: values worked out by hand, and the same ones in other
 * layouts.
 */
#include "tests/test.h"
#include <dlfcn.h>
#include "gen/base/text.h"
#include "tests/gen/place.h"

/* Places in extent[], in the order of op.cfg. */
enum { N, G, H, W, C, K, R, S, STRIDE_H, STRIDE_W, PAD_T, PAD_B, PAD_L, PAD_R, DIL_H, DIL_W, P, Q, IC, OC, NEXTENT };
enum { MOST = 512 };

typedef void Rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                  double *bound);
typedef int64_t Terms(const int64_t *extent);

typedef struct {
    const char *defines;
    bool x_planes, y_planes;
    int f_layout; /* 0 KRSC, 1 KCRS, 2 RSCK */
    void *so;
    Rows *rows;
    Terms *terms;
} Definition;

static Definition definition[] = {
    { .defines = "" },
    { .defines = "-DDCGEN_LAYOUT_X_NCHW -DDCGEN_LAYOUT_F_KCRS -DDCGEN_LAYOUT_Y_NCHW",
      .x_planes = true,
      .y_planes = true,
      .f_layout = 1 },
    { .defines = "-DDCGEN_LAYOUT_X_NCHW -DDCGEN_LAYOUT_F_RSCK", .x_planes = true, .f_layout = 2 },
    { .defines = "-DDCGEN_LAYOUT_Y_NCHW", .y_planes = true },
};
enum { NDEFINITION = sizeof definition / sizeof *definition };

/* The file, compiled for each set of layouts. */
static int setup(void **state)
{
    if (place_setup(state))
        return -1;
    for (int i = 0; i < NDEFINITION; i++) {
        Definition *d = &definition[i];
        const char *so = arena_printf(arena, "%s/%d.so", root, i);
        if (system(arena_printf(
                arena,
                "cd '%s/templates' && gcc -shared -fPIC -O1 -Wall -Wextra -Werror -DDCGEN_DTYPE=dcgen_as_f32 -include "
                "package/element.h %s -o '%s' conv2d/reference.c -lm",
                DCGEN_SOURCE_DIR, d->defines, so)) != 0)
            return -1;
        d->so = dlopen(so, RTLD_NOW | RTLD_LOCAL);
        *(void **)&d->rows = d->so ? dlsym(d->so, "dcgen_reference_rows") : NULL;
        *(void **)&d->terms = d->so ? dlsym(d->so, "dcgen_reference_terms") : NULL;
        if (!d->rows || !d->terms)
            return -1;
    }
    return 0;
}

static int teardown(void **state)
{
    for (int i = 0; i < NDEFINITION; i++)
        dlclose(definition[i].so);
    return place_teardown(state);
}

static void derive(int64_t *e)
{
    e[P] = (e[H] + e[PAD_T] + e[PAD_B] - e[DIL_H] * (e[R] - 1) - 1 + e[STRIDE_H]) / e[STRIDE_H];
    e[Q] = (e[W] + e[PAD_L] + e[PAD_R] - e[DIL_W] * (e[S] - 1) - 1 + e[STRIDE_W]) / e[STRIDE_W];
    e[IC] = e[G] * e[C];
    e[OC] = e[G] * e[K];
}

/* n blocks of `rows` rows of `columns` elements, each block turned. */
static void turn(const float *from, float *to, int64_t n, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < n * rows * columns; i++)
        to[i / rows / columns * rows * columns + i % columns * rows + i / columns % rows] = from[i];
}

/* What a definition makes of X in NHWC and F in KRSC, as Y lies there. Rows are asked for one by one. */
static void define(const Definition *d, const int64_t *e, const float *x, const float *f, double *y, double *bound)
{
    static float x_turned[MOST], f_turned[MOST];
    turn(x, x_turned, e[N], e[H] * e[W], e[IC]);
    if (d->f_layout == 1)
        turn(f, f_turned, e[OC], e[R] * e[S], e[C]);
    else
        turn(f, f_turned, 1, e[OC], e[R] * e[S] * e[C]);
    const void *const operand[] = { d->x_planes ? x_turned : x, d->f_layout ? f_turned : f, NULL };
    for (int64_t row = 0; row < e[N] * e[P] * e[Q]; row++)
        d->rows(e, operand, row, row + 1, y + row * e[OC], bound + row * e[OC]);
}

/* ---- by hand */

typedef struct {
    int64_t extent[NEXTENT]; /* without those that follow from the others */
    float x[9], f[8];
    int ny;
    double y[9], bound[9];
} Case;

#define ONE_BY_ONE 1, 1, 0, 0, 0, 0, 1, 1 /* strides, paddings, dilations */

static const Case cases[] = {
    /* zeros above and on the left */
    { { 1, 1, 3, 3, 1, 1, 2, 2, 1, 1, 1, 0, 1, 0, 1, 1 },
      { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
      { 1, 2, 3, 4 },
      9,
      { 4, 11, 18, 18, 37, 47, 36, 67, 77 },
      { 4, 11, 18, 18, 37, 47, 36, 67, 77 } },
    /* every second column from one on the left of the image on, taps two columns apart */
    { { 1, 1, 1, 7, 1, 1, 1, 3, 1, 2, 0, 0, 1, 1, 1, 2 },
      { 1, 2, 3, 4, 5, 6, 7 },
      { 1, -10, 100 },
      3,
      { 380, 562, -56 },
      { 420, 642, 64 } },
    /* the same along rows */
    { { 1, 1, 7, 1, 1, 1, 3, 1, 2, 1, 1, 1, 0, 0, 2, 1 },
      { 1, 2, 3, 4, 5, 6, 7 },
      { 1, -10, 100 },
      3,
      { 380, 562, -56 },
      { 420, 642, 64 } },
    /* two groups of two channels and two filters */
    { { 1, 2, 1, 1, 2, 2, 1, 1, ONE_BY_ONE },
      { 1, 2, 3, 4 },
      { 1, -1, 2, 0, 1, 1, 0, -3 },
      4,
      { -1, 2, 7, -12 },
      { 3, 2, 7, 12 } },
    /* two images of one pixel, a depthwise filter that sees padding but for its middle */
    { { 2, 2, 1, 1, 1, 1, 1, 3, 1, 1, 0, 0, 1, 1, 1, 1 },
      { 1, 2, 3, 4 },
      { 9, 2, 9, 9, -5, 9 },
      4,
      { 2, -10, 6, -20 },
      { 2, 10, 6, 20 } },
    /* no channels: empty sums */
    { { 1, 1, 1, 2, 0, 1, 1, 1, ONE_BY_ONE }, { 0 }, { 0 }, 2, { 0, 0 }, { 0, 0 } },
};

TEST(values_are_those_by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        int64_t e[NEXTENT];
        double y[MOST], bound[MOST];
        for (int k = 0; k < P; k++)
            e[k] = c->extent[k];
        derive(e);
        assert_int_equal(e[N] * e[P] * e[Q] * e[OC], c->ny);
        define(&definition[0], e, c->x, c->f, y, bound);
        for (int k = 0; k < c->ny; k++)
            assert_true(y[k] == c->y[k] && bound[k] == c->bound[k]);
        assert_int_equal(definition[0].terms(e), e[C] * e[R] * e[S] + 1);
    }
}

/* ---- layouts */

TEST(layouts_make_no_difference)
{
    int64_t e[NEXTENT] = { 2, 2, 4, 5, 3, 2, 2, 3, 1, 2, 1, 0, 2, 1, 2, 1 };
    static float x[MOST], f[MOST];
    static double want[MOST], want_bound[MOST], y[MOST], bound[MOST];
    derive(e);
    for (int i = 0; i < MOST; i++)
        x[i] = (float)(i * 5 % 17 - 8), f[i] = (float)(i * 3 % 11 - 5);
    assert_true(e[N] * e[H] * e[W] * e[IC] <= MOST && e[N] * e[P] * e[Q] * e[OC] <= MOST);
    define(&definition[0], e, x, f, want, want_bound);
    const int64_t pixels = e[P] * e[Q];
    for (int k = 1; k < NDEFINITION; k++) {
        define(&definition[k], e, x, f, y, bound);
        for (int64_t i = 0; i < e[N] * pixels * e[OC]; i++) {
            const int64_t in_image = i % (pixels * e[OC]),
                          at = definition[k].y_planes ? i - in_image + in_image % e[OC] * pixels + in_image / e[OC] : i;
            assert_true(y[at] == want[i] && bound[at] == want_bound[i]);
        }
    }
}

TEST_FILE(setup, teardown)
