/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_private: what unit.c and its dialects, one a family, share.
 */
#ifndef DCGEN_UNIT_PRIVATE_H
#define DCGEN_UNIT_PRIVATE_H

#include "gen/base/text.h"
#include "gen/unit/unit.h"

/* How a family writes the parts around its kernels. */
typedef struct {
    const Family *family;
    void (*preamble)(Text *t, const UnitContext *u); /* types and macros that kernels use */
    void (*entry)(Text *t, const UnitContext *u);    /* what search/runner/abi.h asks of a candidate */
} UnitDialect;

extern const UnitDialect unit_cpu, unit_cuda;

const char *unit_operand_c(const Spec *s, const Operand *o); /* "float" */
/* Lines "    const float *X;" of the operands that the package has. */
void unit_add_operand_fields(Text *t, const Spec *s, const char *elem);
/* " operand[0], operand[1]," of the same, each behind a cast. */
void unit_add_operand_list(Text *t, const Spec *s, bool cast);

#endif
