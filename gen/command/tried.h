/* SPDX-License-Identifier: Apache-2.0
 *
 * tried: the kernel that `dcgen try` is told, from the words of the command line.
 */
#ifndef DCGEN_TRIED_H
#define DCGEN_TRIED_H

#include "gen/driver/run.h"

/* The workload of the spec o->operand, with only those of its functions that the template serves; all of them, if it
 * serves none. The folder of templates that a template's file lies in is searched first. What is wrong is printed. */
const Workload *tried_workload(Run *r);
/* A space of nothing but the kernel, as its general kernel. NULL: there is no such kernel, and what is wrong is
 * printed. */
const Space *tried_space(Run *r, const Job *job, const UnitContext *u);

#endif
