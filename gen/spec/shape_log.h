/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_log: the shapes of a service's calls, counted, as comma-separated values (RFC 4180, of numbers):
 *
 *   M,N,K,count          a header line: names of extents in any order, and `count`, which may lack (1)
 *   37,2304,768,1209     a shape, and how often it was called
 *
 * Lines end in LF or CR LF; those that are empty, and headers that stand again, as where logs were put together, are
 * passed over. Values may stand in quotes and have blanks around. Attributes with a default may have no column.
 */
#ifndef DCGEN_SHAPE_LOG_H
#define DCGEN_SHAPE_LOG_H

#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/spec/op.h"

enum { SHAPE_LOG_MAX_ROW = 1000000, SHAPE_LOG_MAX_BYTES = 1 << 27, SHAPE_LOG_MAX_LINE = 4096 };

/* Rows of equal extents are one, their counts added up. */
typedef struct {
    const Source *src;
    int64_t calls; /* all counts together, at most INT64_MAX */
    int64_t n;
    int ngiven;     /* extents that callers of the op give */
    int64_t *value; /* of n rows: those extents, the count, and the byte of src at which the first such row begins */
} ShapeLog;

static inline const int64_t *shape_log_row(const ShapeLog *l, int64_t i) { return l->value + i * (l->ngiven + 2); }
static inline int64_t shape_log_count(const ShapeLog *l, int64_t i) { return shape_log_row(l, i)[l->ngiven]; }
/* The row with those extents; -1: there is none. */
int64_t shape_log_find(const ShapeLog *l, const int64_t *extent);
/* The place of a row's line. */
Loc shape_log_loc(const ShapeLog *l, int64_t i);

/* Rows ascend by their extents. NULL after errors in d, all of the file's. */
ShapeLog *shape_log_parse(Arena *a, const Source *src, const Op *op, Diag *d);

#endif
