/* SPDX-License-Identifier: Apache-2.0
 *
 * reselect: the choice as the package will make it, from the records, while a search may still measure what it lacks.
 */
#ifndef DCGEN_RESELECT_H
#define DCGEN_RESELECT_H

#include "search/choose/search.h"
#include "search/choose/select.h"

/* Makes the lab's study again, of what the records say, in their order: as a package's is. */
void reselect_reload(Lab *l);

/* The choice, and the model that it was made with. */
typedef struct {
    const Assignment *as;
    const CostModel *m;
} Selection;

/* Chooses as the package will, from the records; the choice is in scratch, which is reset before. False with *err set: there is no kernel. */
bool reselect(Search *q, Arena *scratch, Selection *c, const char **err);

#endif
