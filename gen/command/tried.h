/* SPDX-License-Identifier: Apache-2.0
 *
 * tried: the kernel that `dcgen try` is told, from the words of the command line (command_tried,
 * gen/command/command.h).
 */
#ifndef DCGEN_TRIED_H
#define DCGEN_TRIED_H

#include "gen/command/command.h"

/* The options, with the folder of templates that a template's file lies in as the first of --templates. NULL: there is
 * no such file. */
const Options *tried_options(Run *r);
/* The workload with only those of its functions that the template serves; all of them, if it serves none. */
const Workload *tried_functions(Run *r, const Workload *w);

#endif
