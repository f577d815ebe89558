/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d: a call of the operator conv2d, as its peers see it.
 */
#ifndef BENCH_CONV2D_H
#define BENCH_CONV2D_H

#include "bench/dnnl.h"

/* Is the function's formula one that DnnlConv can say? A scale of filters is multiplied into F, once. */
bool conv2d_is_known(const Spec *spec);

/* F is to be packed where the package packs it. */
DnnlConv conv2d_of(Problem *p);

/* Direct; and Winograd's algorithm, where oneDNN has it. */
extern const Peer conv2d_dnnl, conv2d_dnnl_winograd;

#endif
