/* SPDX-License-Identifier: Apache-2.0
 *
 * beside: which nodes of a graph may run at the same time, each on a thread of its own. Such a group is of nodes that
 * follow one another in the graph's list, of which none reads or writes what another one writes. Groups are made where
 * they save most; nodes that take several threads alone save nothing, so where all nodes are large there is none.
 */
#ifndef DCGEN_BESIDE_H
#define DCGEN_BESIDE_H

#include "gen/graph/graph.h"

enum { BESIDE_MOST = 8 /* nodes of a group */ };

/* Fills in first and last of all nodes. */
void graph_beside(Arena *a, Graph *g);

#endif
