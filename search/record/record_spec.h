/* SPDX-License-Identifier: Apache-2.0
 *
 * record_spec: which spec kernels were measured for. A search records it; where no record is of the spec at hand, this
 * says what differs.
 */
#ifndef DCGEN_RECORD_SPEC_H
#define DCGEN_RECORD_SPEC_H

#include "gen/unit/unit.h"
#include "search/record/study.h"

/* The record of a function's spec for a target. */
SpecRecord record_spec(Arena *a, const UnitContext *u);

typedef enum { HOLD_ALL, HOLD_OUTDATED } HoldKind;
/* Says what the records hold in place of measurements that a study may choose from: "116 kernels of spec 'bert_dense',
 * which has packed = true (here false)"; of the kernels those that are nearest to the spec: of it and of these
 * templates, of it, of a spec of its name, of its op and dtype, of its target and device. "": none. HOLD_OUTDATED: only
 * those of the spec that are not of these templates. */
const char *record_holds(Arena *a, const Study *s, const UnitContext *u, const TemplateList *templates,
                         const Records *r, HoldKind kind);

#endif
