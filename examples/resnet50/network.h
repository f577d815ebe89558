/* SPDX-License-Identifier: MIT-0
 *
 * network: the convolutions of ResNet-50 with their batch norms, relus and residuals, computed with the package resnet50_sizes
 * (specs/resnet50_sizes.cfg) for any number of square images of any size. Images are NHWC.
 */
#ifndef RESNET50_NETWORK_H
#define RESNET50_NETWORK_H

#include "layers.h"

typedef struct Resnet50 Resnet50;

/* A network for batch images of pixels x pixels, on so many threads. weights: 53, in the order of resnet50_layers; filters are packed, scale and shift
 * are used where they lie and must stay. NULL: no memory, or a size that the package refuses. */
Resnet50 *resnet50_new(int batch, int pixels, int threads, const Resnet50Weights *weights);
/* images [batch][pixels][pixels][3]; y [batch][side][side][2048], side being the last layer's `out`. 0, or what a function of the package returned. */
int resnet50_run(const Resnet50 *net, const float *images, float *y);
void resnet50_free(Resnet50 *net);

#endif
