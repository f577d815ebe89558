/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_record: the record of a kernel of dense that works, as a search writes it, for tests that make up records.
 */
#ifndef DCGEN_TESTS_KERNEL_RECORD_H
#define DCGEN_TESTS_KERNEL_RECORD_H

#include "gen/unit/candidate.h"
#include "search/record/record.h"
#include "tests/kept_list.h"

static inline KernelRecord kernel_record(const Candidate *c, const char *key, const Device *device)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    KernelRecord k = { .key = key,
                       .device = device->id,
                       .op = "dense",
                       .dtype = "f32",
                       .template_name = c->t->name,
                       .template_hash = c->t->hash,
                       .target = c->target->name,
                       .nparam = c->t->nparam,
                       .status = STATUS_OK,
                       .code_bytes = 1000,
                       .why = "" };
    candidate_values(c, value);
    Param param[TEMPLATE_MAX_PARAM];
    for (int i = 0; i < k.nparam; i++)
        param[i] = (Param){ c->t->param[i].name, value[i] };
    k.param = kept(param, sizeof param);
    return k;
}

#endif
