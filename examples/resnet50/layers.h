/* SPDX-License-Identifier: MIT-0
 *
 * layers: the 53 convolutions of ResNet-50 (v1.5: the strides are in the 3 x 3 layers) in the order in which they run, for square images of any size.
 */
#ifndef RESNET50_LAYERS_H
#define RESNET50_LAYERS_H

enum { RESNET50_LAYERS = 53 };

/* The functions of specs/resnet50_sizes.cfg. */
typedef enum { RESNET50_STEM, RESNET50_REDUCE, RESNET50_SPATIAL, RESNET50_HALVE, RESNET50_EXPAND, RESNET50_SHORTCUT } Resnet50Kind;

typedef struct {
    Resnet50Kind kind;
    int C, K;              /* channels of its input; its filters */
    int size, stride, pad; /* of the filters; zeros on each side */
    int side, out;         /* pixels along a side of its input and of its output */
} Resnet50Layer;

/* What belongs to a layer: filters [K][size][size][C], scale [K], shift [K]. */
typedef struct {
    const float *filters, *scale, *shift;
} Resnet50Weights;

/* A block is reduce, spatial or halve, in the first block of a stage shortcut, and expand. Max pooling follows the stem. */
void resnet50_layers(int pixels, Resnet50Layer *layer);
/* The side of an image of so many pixels behind the pooling, 3 x 3 with stride 2 and a pixel of padding. */
int resnet50_pooled(int side);

#endif
