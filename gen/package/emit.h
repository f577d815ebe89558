/* SPDX-License-Identifier: Apache-2.0
 *
 * emit: makes the package's files as text. The same spec, records and version of dcgen give the same bytes.
 */
#ifndef DCGEN_EMIT_H
#define DCGEN_EMIT_H

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/graph/graph.h"
#include "gen/package/dispatch.h"
#include "gen/package/package_write.h"
#include "search/choose/result.h"

/* The version of a package's C API and of its shared library (SONAME). It rises when a program that was compiled
 * against an earlier package of the same spec cannot use a new one: other calls, structs or codes. */
enum { PACKAGE_ABI = 3 };

typedef struct {
    int nfunction;
    const ResultList *function; /* targets are of one family: a machine takes the first that it runs */
    Graph *graph;               /* over these functions; NULL: the package has none */
    const char *spec_text;      /* spec.cfg */
    const char *records;        /* records.jsonl, canonical */
    const char *report;         /* report.html; NULL: the package has none */
    const char *version;        /* dcgen's */
} EmitInput;

/* NULL after errors in d: a template is faulty or cannot be read. Nothing else can fail. */
Package *package_make(Arena *a, const EmitInput *in, Diag *d);

#endif
