/* SPDX-License-Identifier: Apache-2.0
 *
 * offline: the search where no device can be timed. Candidates that the analytic model ranks first are compiled (registers, spills, size),
 * executed by the emulator (every awkward shape; sectors, wavefronts, barriers), and ranked again by what was found; the kernels chosen are
 * executed on the shapes that they are chosen for, and those that fail are replaced. Which candidates are looked at depends on nothing but
 * the spec, the templates and the target: the same command gives the same package on any machine.
 */
#ifndef DCGEN_OFFLINE_H
#define DCGEN_OFFLINE_H

#include "search/choose/search.h"

/* As search_run; the lab verifies and times nothing (lab_emulator). */
bool offline_run(Search *q, Arena *scratch, const char **err);

#endif
