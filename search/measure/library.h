/* SPDX-License-Identifier: Apache-2.0
 *
 * library: builds the library's part in the last comparison: the op by a CBLAS or the vendor's library, where there is one for the target.
 */
#ifndef DCGEN_LIBRARY_H
#define DCGEN_LIBRARY_H

#include "search/measure/lab.h"

void library_begin(Lab *l); /* in the background */
void library_build(Lab *l); /* what was begun is taken, if it is done */

#endif
