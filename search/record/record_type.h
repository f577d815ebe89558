/* SPDX-License-Identifier: Apache-2.0
 *
 * record_type: the types of records as rows of fields, and what these rows alone suffice for, whichever the type: to check a record, to
 * copy it, to put records in order. record_line.c reads and writes lines by the same rows. Private to search/record.
 */
#ifndef DCGEN_RECORD_TYPE_H
#define DCGEN_RECORD_TYPE_H

#include <stddef.h>
#include "search/record/record.h"

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

/* How many of the kind a field has, and what lines have for them. */
typedef enum {
    FORM_ONE,    /* one */
    FORM_LIST,   /* a list */
    FORM_PARAMS, /* a group of members with names of their own */
    FORM_LEVELS  /* a group of one a Level, by its name, without those that are 0 */
} FieldForm;

typedef enum {
    FIELD_REQUIRED,
    FIELD_NEWER,   /* lines of before lack it */
    FIELD_SPARSE,  /* lines lack it where it is 0, false or empty */
    FIELD_FOLLOWS, /* from other fields: written for people and other tools, never read */
} FieldPresence;

typedef struct {
    const char *key; /* in lines */
    FieldKind kind;
    size_t at;        /* where the record has it */
    double low, high; /* of numbers */
    FieldPresence presence;
    FieldForm form;
    size_t count_at;   /* int: how many; of lists and params */
    int least, most;   /* as many may be */
    const char *wrong; /* what to say of one that breaks this; NULL: the key and what is usual for the kind */
} Field;

typedef enum { RECORD_DEVICE, RECORD_KERNEL, RECORD_MEASURE, RECORD_LIMIT, RECORD_TYPES } RecordKind;

typedef union {
    Device device;
    KernelRecord kernel;
    MeasureRecord measure;
    LimitRecord limit;
} AnyRecord;

typedef struct {
    const char *name;
    size_t bytes;
    size_t count_at, array_at;                     /* where Records has them */
    const Field *field;                            /* in the order of a line; one without a key is the end */
    const char *order[6];                          /* keys of the fields that canonical text is sorted by */
    const char *(*also_wrong)(const void *record); /* what more may be wrong; may be NULL */
    void (*derive)(void *record);                  /* sets what follows from the fields; may be NULL */
} RecordType;

extern const RecordType record_types[RECORD_TYPES];

enum { RECORD_WRONG_BYTES = 200 };

/* What is wrong with a record ("key is not a name"), may be put into `text`; NULL: nothing. */
const char *record_wrong(const RecordType *t, const void *record, char text[RECORD_WRONG_BYTES]);
/* A copy of a good record as it will be read again: text plain, doubles of RECORD_DIGITS digits, and all that follows from its fields. */
void record_copy(Arena *a, const RecordType *t, const void *record, void *out);
/* By the fields that canonical text is sorted by. */
int record_compare(const RecordType *t, const void *x, const void *y);

int field_count(const Field *f, const void *record);          /* 1 of FORM_ONE */
void *field_place(const Field *f, const void *record, int i); /* of the i-th */
/* Of kinds that are whole numbers. An int saturates: the checks refuse it then. */
int64_t field_whole(FieldKind kind, const void *at);
void field_set_whole(FieldKind kind, void *at, int64_t v);

/* Free text may hold what a compiler or a stranger's file says: one plain line of at most `max` bytes comes out. */
void plain_copy(char *out, const char *s, size_t max);

#endif
