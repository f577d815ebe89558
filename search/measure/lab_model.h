/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_model: a device that is not there, for `dcgen build`: candidates are compiled, and take the times that the analytic model says, off by
 * chance. What a search tries first is decided by that model and by the first times, so what it tries here is much of what it will try there.
 * In world 0 the model is right; in others it is off in each template, each kernel and each pair of kernel and shape, as real ones are.
 */
#ifndef DCGEN_LAB_MODEL_H
#define DCGEN_LAB_MODEL_H

#include "search/measure/lab.h"

typedef struct LabModel LabModel;

/* l->study is there; Lab.data is this. Its clock stands still: the budget of trials ends the search. */
LabModel *lab_model_new(Arena *a, const Lab *l, uint64_t world);

/* Of Lab.shop it needs what compiling takes. */
extern const LabKind lab_model;

#endif
