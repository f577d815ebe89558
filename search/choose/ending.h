/* SPDX-License-Identifier: Apache-2.0
 *
 * ending: why a search ends without a kernel to choose: the time was up, nothing could be built, all that was built is wrong, or the machine
 * lacked what it takes.
 */
#ifndef DCGEN_ENDING_H
#define DCGEN_ENDING_H

#include "search/choose/search.h"

/* One line that says it, then the most frequent reasons of candidates that failed, each with one of them to try. Sets q->fruitless. */
const char *ending_text(Search *q);

#endif
