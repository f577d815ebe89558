/* SPDX-License-Identifier: MIT-0
 *
 * layers: the list is made of four stages, a row each.
 */
#include "layers.h"

static const struct {
    int blocks, filters;
} stages[] = { { 3, 64 }, { 4, 128 }, { 6, 256 }, { 3, 512 } };

int resnet50_pooled(int side) { return (side - 1) / 2 + 1; }

/* The layer behind it. Padding is such that without a stride the output is as large as the input. */
static Resnet50Layer *add(Resnet50Layer *l, Resnet50Kind kind, int C, int K, int stride, int side)
{
    static const int sizes[] = { [RESNET50_STEM] = 7,  [RESNET50_REDUCE] = 1, [RESNET50_SPATIAL] = 3,
                                 [RESNET50_HALVE] = 3, [RESNET50_EXPAND] = 1, [RESNET50_SHORTCUT] = 1 };
    l->kind = kind;
    l->C = C;
    l->K = K;
    l->size = sizes[kind];
    l->stride = stride;
    l->pad = l->size / 2;
    l->side = side;
    l->out = (side - 1) / stride + 1;
    return l + 1;
}

void resnet50_layers(int pixels, Resnet50Layer *layer)
{
    Resnet50Layer *l = add(layer, RESNET50_STEM, 3, 64, 2, pixels);
    int side = resnet50_pooled(layer->out), C = layer->K;
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < stages[s].blocks; b++) {
            const int stride = s > 0 && b == 0 ? 2 : 1, K = stages[s].filters;
            l = add(l, RESNET50_REDUCE, C, K, 1, side);
            l = add(l, stride == 2 ? RESNET50_HALVE : RESNET50_SPATIAL, K, K, stride, side);
            if (b == 0)
                l = add(l, RESNET50_SHORTCUT, C, 4 * K, stride, side);
            side = (side - 1) / stride + 1;
            l = add(l, RESNET50_EXPAND, K, 4 * K, 1, side);
            C = 4 * K;
        }
}
