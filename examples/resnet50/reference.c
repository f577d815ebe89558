/* SPDX-License-Identifier: MIT-0
 *
 * reference: plain loops. An element of a layer's output is
 *
 *   y[n][p][q][k] = relu( sum of x[n][stride*p + r - pad][stride*q + s - pad][c] * filters[k][r][s][c] * scale[k] + shift[k] + residual[n][p][q][k] )
 *
 * with a residual in expand alone, and without relu in shortcut; x is 0 outside an image.
 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 8 };

/* Eight sums side by side, which a compiler may keep in vectors. */
static double dot(int n, const double *a, const float *b)
{
    double sum[LANES] = { 0 }, rest = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += a[i + lane] * (double)b[i + lane];
    for (; i < n; i++)
        rest += a[i] * (double)b[i];
    return rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

/* The sum of one filter at one place of one image. In a row, the columns of the filter that meet the image lie side by side with all their channels,
 * and so do the pixels. */
static double filtered(const Resnet50Layer *l, const double *image, const float *filter, int p, int q)
{
    const int top = p * l->stride - l->pad, left = q * l->stride - l->pad;
    const int first = left < 0 ? -left : 0, end = left + l->size > l->side ? l->side - left : l->size;
    double sum = 0;
    for (int r = 0; r < l->size; r++)
        if (top + r >= 0 && top + r < l->side)
            sum += dot((end - first) * l->C, image + ((ptrdiff_t)(top + r) * l->side + left + first) * l->C,
                       filter + (ptrdiff_t)(r * l->size + first) * l->C);
    return sum;
}

/* residual may be NULL */
static void convolution(int batch, const Resnet50Layer *l, const Resnet50Weights *w, const double *x, const double *residual, double *y)
{
    ptrdiff_t i = 0;
    for (int n = 0; n < batch; n++, x += (ptrdiff_t)l->side * l->side * l->C)
        for (int p = 0; p < l->out; p++)
            for (int q = 0; q < l->out; q++)
                for (int k = 0; k < l->K; k++, i++) {
                    const double sum = filtered(l, x, w->filters + (ptrdiff_t)k * l->size * l->size * l->C, p, q);
                    const double value = sum * (double)w->scale[k] + (double)w->shift[k] + (residual ? residual[i] : 0);
                    y[i] = value < 0 && l->kind != RESNET50_SHORTCUT ? 0 : value;
                }
}

/* 3 x 3 pixels, stride 2, a pixel of padding that is below all others */
static void max_pooling(int batch, int side, int C, const double *x, double *y)
{
    const int out = resnet50_pooled(side);
    for (int n = 0; n < batch; n++, x += (ptrdiff_t)side * side * C)
        for (int p = 0; p < out; p++)
            for (int q = 0; q < out; q++)
                for (int c = 0; c < C; c++, y++) {
                    *y = -INFINITY;
                    for (int h = 2 * p - 1; h <= 2 * p + 1; h++)
                        for (int v = 2 * q - 1; v <= 2 * q + 1; v++)
                            if (h >= 0 && h < side && v >= 0 && v < side)
                                *y = fmax(*y, x[((ptrdiff_t)h * side + v) * C + c]);
                }
}

/* All layers; map: four buffers for what is between them, each large enough for the images and every output. */
static void network(int batch, const Resnet50Layer *layer, const Resnet50Weights *w, double *const *map, double *y)
{
    double *x = map[0], *shortcut = map[1], *reduced = map[2], *spatial = map[3];
    convolution(batch, layer, w, x, NULL, reduced);
    max_pooling(batch, layer->out, layer->K, reduced, x);
    for (int i = 1; i < RESNET50_LAYERS;) {
        const double *residual = x;
        convolution(batch, &layer[i], &w[i], x, NULL, reduced);
        convolution(batch, &layer[i + 1], &w[i + 1], reduced, NULL, spatial);
        i += 2;
        if (layer[i].kind == RESNET50_SHORTCUT) {
            convolution(batch, &layer[i], &w[i], x, NULL, shortcut);
            residual = shortcut;
            i++;
        }
        /* Each element is read before it is written, so that the output may take the place of its residual. */
        convolution(batch, &layer[i], &w[i], spatial, residual, i + 1 < RESNET50_LAYERS ? x : y);
        i++;
    }
}

int resnet50_reference(int batch, int pixels, const Resnet50Weights *weights, const float *images, double *y)
{
    Resnet50Layer layer[RESNET50_LAYERS];
    const size_t n = (size_t)batch * (size_t)pixels * (size_t)pixels * 3;
    size_t most = n;
    double *map[4];
    int code = 0;
    resnet50_layers(pixels, layer);
    for (int i = 0; i < RESNET50_LAYERS; i++) {
        const size_t elems = (size_t)batch * (size_t)layer[i].out * (size_t)layer[i].out * (size_t)layer[i].K;
        most = elems > most ? elems : most;
    }
    for (int i = 0; i < 4; i++)
        if (!(map[i] = malloc(most * sizeof *map[i])))
            code = -1;
    for (size_t i = 0; code == 0 && i < n; i++)
        map[0][i] = (double)images[i];
    if (code == 0)
        network(batch, layer, weights, map, y);
    for (int i = 0; i < 4; i++)
        free(map[i]);
    return code;
}

double resnet50_error(size_t n, const float *got, const double *expected)
{
    double worst = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((double)got[i] - expected[i]);
        if (isnan(error))
            return error;
        worst = error > worst ? error : worst;
        squares += expected[i] * expected[i];
    }
    return worst / sqrt(squares / (double)n);
}
