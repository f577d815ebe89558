/* SPDX-License-Identifier: Apache-2.0
 *
 * study_private: what study.c does for study_load.c.
 */
#ifndef DCGEN_STUDY_PRIVATE_H
#define DCGEN_STUDY_PRIVATE_H

#include "search/record/study.h"

void study_set_status(Study *s, Trial *t, Status status, const char *why);
void study_index(Study *s);       /* makes the index of trials anew */
void study_end_loading(Study *s); /* ends loading: works out all times from the measurements that were taken in */

#endif
