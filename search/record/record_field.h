/* SPDX-License-Identifier: Apache-2.0
 *
 * record_field: a field of a type of records, as a row: where the record has it, what its values may be, and how a line
 * holds it. Private to record_fields.c, which has the rows, and record_type.c, which works by them.
 */
#ifndef DCGEN_RECORD_FIELD_H
#define DCGEN_RECORD_FIELD_H

#include "search/record/record_type.h"

enum {
    NAME_BYTES = 128,  /* the longest name */
    FREE_BYTES = 4000, /* the longest free text: a device's name, a compiler and its flags */
};

typedef enum {
    FIELD_NAME,   /* const char *: safe as a file name and as a word of a command line */
    FIELD_TEXT,   /* const char *: free text; one line of plain ASCII, at most `high` long, is kept */
    FIELD_INT,    /* int */
    FIELD_LONG,   /* int64_t */
    FIELD_FLAG,   /* bool */
    FIELD_STATUS, /* Status */
    FIELD_REAL,   /* double */
    FIELD_ERROR,  /* double; null in lines where it is not finite, and +inf then */
    FIELD_PARAM   /* Param */
} FieldKind;

/* How many values a field has, and how lines hold them. */
typedef enum {
    FORM_ONE,    /* one */
    FORM_LIST,   /* a list */
    FORM_PARAMS, /* a group of members with names of their own */
    FORM_LEVELS  /* a group of one a Level, by its name, without those that are 0 */
} FieldForm;

typedef enum {
    FIELD_REQUIRED,
    FIELD_NEWER,   /* lines of older releases lack it */
    FIELD_SPARSE,  /* lines lack it where it is 0, false or empty */
    FIELD_FOLLOWS, /* it follows from other fields: written for people and other tools, never read */
} FieldPresence;

typedef struct Field {
    const char *key; /* in lines */
    FieldKind kind;
    size_t at;        /* where the record has it */
    double low, high; /* of numbers */
    FieldPresence presence;
    FieldForm form;
    bool apart; /* of lists and params: the record points to them; else it has them in itself, and room for `most` */
    size_t count_at;   /* of lists and params: where the record has their number, an int */
    int least, most;   /* bounds of that number; least is 0 or 1 */
    const char *of;    /* of lists and params: what they consist of, for messages */
    const char *wrong; /* the message for a field that breaks this; NULL: what is usual for the kind */
} Field;

/* Rounds to the digits that a file has. */
double record_rounded(double v);

#endif
