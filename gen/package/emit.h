/* SPDX-License-Identifier: Apache-2.0
 *
 * emit: the package's files as text, from finished values only: the same spec, records and version give the same bytes.
 */
#ifndef DCGEN_EMIT_H
#define DCGEN_EMIT_H

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/package/dispatch.h"
#include "gen/package/package_write.h"
#include "search/choose/result.h"

/* Of a package's C API and of its shared library (SONAME): raised when packages of the same spec get calls, structs or codes that those
 * compiled against an earlier one cannot use. */
enum { PACKAGE_ABI = 1 };

typedef struct {
    const Result *part; /* by descending rank of their targets, all of one family */
    int npart;
    const char *spec_text; /* spec.cfg */
    const char *records;   /* records.jsonl, canonical */
    const char *report;    /* report.html; NULL: it has none */
    const char *version;   /* of dcgen */
} EmitInput;

/* NULL after errors in d (faulty templates only). */
Package *package_make(Arena *a, const EmitInput *in, Diag *d);

#endif
