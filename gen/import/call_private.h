/* SPDX-License-Identifier: Apache-2.0
 *
 * call_private: what the files call*.c share: the call that is being written, and the parts of its formula's text.
 */
#ifndef DCGEN_CALL_PRIVATE_H
#define DCGEN_CALL_PRIVATE_H

#include "gen/base/text.h"
#include "gen/import/lower.h"

enum { CALL_MAX_AXIS = 8, CALL_MAX_TEXT = 6000, CALL_KEPT = 8 };

/* An element of memory as it was written: formulas read most of theirs several times. */
typedef struct {
    const Elem *elem;
    bool is_chosen; /* within a choice */
    const char *text;
} CallWritten;

typedef struct {
    Lower *lower;
    Step *step;
    Call *call;
    int naxis, row;      /* row: the axis that rows go along; -1: none */
    bool is_plain;       /* what is known to lie along axes must be read so, not by computed indices */
    bool subtracts;      /* sizes that may be negative are differences of two numbers of the call */
    bool lacks_negative; /* a formula failed as it had such a size */
    int nchoice;         /* choices around: what is not chosen need not be there */
    const char *axis[CALL_MAX_AXIS], *letter[CALL_MAX_AXIS]; /* "M", "m" */
    const Poly *extent[CALL_MAX_AXIS];
    int place[CALL_MAX_AXIS];
    Text text;
    int nwritten;
    CallWritten written[CALL_KEPT]; /* the latest ones */
} CallWriter;

bool call_is_equal(CallWriter *w, const Poly *x, const Poly *y);

/* ---- call_size.c ---- */

/* A name like `stem` that nothing of the call has. */
const char *call_new_name(CallWriter *w, const char *stem);
void call_add_size(Call *c, const char *name, const Poly *size);
/* Writes a size, of dims and of places of the axes. False: formulas cannot say it. */
bool call_write_size(CallWriter *w, const Poly *x);

/* ---- call_operand.c ---- */

/* Writes an element of memory, which becomes an operand of the call. False: it cannot be one. */
bool call_write_load(CallWriter *w, const Elem *x);

/* ---- call_value.c ---- */

/* Writes an expression over places of the axes. False: one formula cannot say it. */
bool call_write_elem(CallWriter *w, const Elem *x);
/* The same of a whole number for an output of these: one that is made of a real one is trunc of that. */
bool call_write_whole(CallWriter *w, const Elem *x);

/* ---- call_fits.c ---- */

/* Is it as short, and nested as little, as specs have formulas? */
bool call_fits(const Elem *x);

#endif
