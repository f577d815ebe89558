/* SPDX-License-Identifier: Apache-2.0
 *
 * record_type: the types of records as rows of fields, and what these rows alone suffice for, whichever the type: to
 * check a record, to copy it, to put records in order, to read and to write its line of JSON. Private to search/record.
 */
#ifndef DCGEN_RECORD_TYPE_H
#define DCGEN_RECORD_TYPE_H

#include "gen/base/index.h"
#include "search/record/record.h"

enum {
    RECORD_SCHEMA = 1,
    RECORD_LINE_BYTES = 64 * 1024, /* longer lines are not read */
    RECORD_WRONG_BYTES = 200,
};

typedef enum { RECORD_DEVICE, RECORD_SPEC, RECORD_KERNEL, RECORD_MEASURE, RECORD_LIMIT, RECORD_TYPES } RecordKind;

typedef union {
    Device device;
    SpecRecord spec;
    KernelRecord kernel;
    MeasureRecord measure;
    LimitRecord limit;
} AnyRecord;

/* ---- a field of a type, as a row: record_fields.c has the rows, record_type.c works by them */

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

typedef struct {
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

typedef struct {
    const char *name;
    size_t bytes;
    size_t count_at, array_at;                     /* where Records has their number, and their array */
    const Field *field;                            /* in the order of a line; one without a key is the end */
    const char *order[6];                          /* keys of the fields that canonical text is sorted by */
    const char *(*also_wrong)(const void *record); /* what more may be wrong; may be NULL */
    void (*derive)(void *record);                  /* sets what follows from the fields; may be NULL */
    bool once;                                     /* a file has one of those that `order` does not tell apart */
} RecordType;

extern const RecordType record_types[RECORD_TYPES];

/* Gives what is wrong with a record ("key is not a name"), which may be put into `text`; NULL: nothing. */
const char *record_wrong(const RecordType *t, const void *record, char text[RECORD_WRONG_BYTES]);
/* Copies a good record as it will be read again: text plain, doubles of RECORD_DIGITS digits, and all that follows from
 * its fields. What repeats from record to record (names, extents, params) is in the index's arena once. */
void record_copy(Index *kept, const RecordType *t, const void *record, void *out);
/* Compares two records by the fields that canonical text is sorted by. */
int record_compare(const RecordType *t, const void *x, const void *y);

/* Says in which fields but those of `order` two records differ: "packed = true (here false), ..."; "": in none. */
const char *record_differs(Arena *a, const RecordType *t, const void *there, const void *here);

typedef enum { LINE_RECORD, LINE_OTHER_SCHEMA, LINE_BAD } LineKind;

typedef struct {
    LineKind kind;
    bool object;     /* it is a JSON object; a torn line never is */
    const char *why; /* of LINE_BAD; may point to `text` */
    char text[RECORD_WRONG_BYTES];
    RecordKind type;
    AnyRecord record;
} Line;

/* Reads one line without its newline. Only what a good record points to is kept. */
void line_read(Index *kept, Arena *scratch, const char *text, size_t len, Line *out);

/* Gives the record's line, without a newline. */
char *line_text(Arena *a, const RecordType *t, const void *record);

#endif
