/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_elements: what is made of elements at the same place, for the files that lower such operators.
 */
#ifndef DCGEN_LOWER_ELEMENTS_H
#define DCGEN_LOWER_ELEMENTS_H

#include "gen/import/lower.h"

/* What formulas make of one value, with attributes of the node. */
typedef const Elem *ElementsOfOne(Lower *l, const Elem *x);

/* What is made of n elements: a function of formulas, or what `of` makes. */
typedef struct ElementsMaker {
    const Elem *(*of)(Lower *l, const struct ElementsMaker *m, int n, const Elem *const *arg);
    const char *op;
    ElementsOfOne *one;
} ElementsMaker;

/* Gives what is made of n inputs; of those that are known element by element, element by element. */
bool elements_give(Lower *l, int n, ElementType type, ElementsMaker of);
/* Gives a function of the first input. */
bool elements_give_one(Lower *l, ElementType type, ElementsOfOne *one);

#endif
