/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_names: the names that a package has anyway, whatever its spec says: no function, operand or extent of the spec
 * may be called so. They are found in what packages are made from: the patterns, the primitives, and the files of each
 * op.
 */
#ifndef DCGEN_UNIT_NAMES_H
#define DCGEN_UNIT_NAMES_H

#include "gen/unit/unit.h"

/* Adds an error, at its place, for each name of these functions of one package that it has already. has_graph: it holds
 * a model, with names of its own. False: there were some. */
bool unit_names_check(Arena *a, const char *package_dir, bool has_graph, const TargetList *targets,
                      Spec *const *function, int nfunction, Diag *d);

#endif
