/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: where the inner tensors of a graph lie in its workspace. A tensor is there from the node that writes it first
 * to the one that reads it last, with those that may run at the same time as these two (beside.h); what is not there at
 * the same time may share memory, whatever the dims are. A tensor that its node may write over one that it reads last
 * takes that one's place.
 *
 * Slots are placed in an order (order.h), or in several of which a call takes the one that needs fewest bytes for its
 * dims: where one does not do for all corners of their ranges.
 */
#ifndef DCGEN_PLAN_H
#define DCGEN_PLAN_H

#include "gen/graph/graph.h"
#include "gen/graph/order.h"

enum { PLAN_ALIGN = 64 /* bytes that slots begin at multiples of */ };

/* A slot as an order places it. */
typedef struct {
    int slot;
    int nbelow, *below; /* it begins where the last of these slots ends; none: at 0 */
} SlotPlace;

/* Slots are parts of the workspace. Tensors of equal places and sizes have one, though they are not there at once. */
typedef struct {
    int nslot, norder;
    const Poly **bytes;           /* of each slot: a multiple of PLAN_ALIGN */
    SlotPlace *order[ORDER_MOST]; /* all slots, each behind those that it begins after */
    double most; /* the workspace over the bytes of all that is there at once, where that is worst; at least 1 */
} Plan;

/* Fills in Tensor.slot of all inner tensors. in_place: for each function of the file the operands, as bits, that its
 * output may be. */
Plan *graph_plan(Arena *a, Graph *g, const unsigned *in_place);

#endif
