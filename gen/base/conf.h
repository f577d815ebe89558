/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: reads settings by libconfig from a file, or from a part of one such as a template's head. It knows the line and
 * column of every name and value and hands out checked values; a wrong one becomes an error with its place.
 *
 *   Source *src = conf_source(a, path, d);
 *   Conf *c = src ? conf_parse(a, src, 0, src->len, d) : NULL;
 *   if (!c) return NULL;
 *   conf_keys(c, c->root, keys, nkey);           unknown and missing keys
 *   conf_int(c, c->root, "rank", 0, 100, &rank); absent: rank keeps its value, and that is no error
 *
 * Getters return false after an error that they have reported; conf_group and conf_list return NULL then, and where the
 * setting is absent. They take a group and the key of a member; with the key NULL they read the setting itself, such as
 * an element of a list. All lives in the arena.
 */
#ifndef DCGEN_CONF_H
#define DCGEN_CONF_H

#include <libconfig.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"

/* Far beyond what people write: they bound what a hostile file costs. */
enum { CONF_MAX_BYTES = 1 << 20, CONF_MAX_DEPTH = 16, CONF_MAX_MEMBER = 512 };

/* libconfig's types. An integer with the suffix L is a CONF_INT64. */
typedef enum {
    CONF_GROUP = CONFIG_TYPE_GROUP,
    CONF_BOOL = CONFIG_TYPE_BOOL,
    CONF_INT = CONFIG_TYPE_INT,
    CONF_INT64 = CONFIG_TYPE_INT64,
    CONF_REAL = CONFIG_TYPE_FLOAT,
    CONF_STRING = CONFIG_TYPE_STRING,
    CONF_ARRAY = CONFIG_TYPE_ARRAY,
    CONF_LIST = CONFIG_TYPE_LIST
} ConfType;

typedef struct ConfSetting ConfSetting;
struct ConfSetting {
    const char *name; /* NULL: an element of a list, or the root */
    Loc name_at;      /* where the name stands; for an element that is its value, for the root its first setting */
    Loc at; /* where the value stands: a value of several lines, or in brackets, is marked at its first character */
    size_t begin, end; /* bytes of the value in its source */
    ConfType type;
    int64_t integer; /* a boolean: 0 or 1 */
    double real;
    const char *text;
    /* a string's text in the file with blanks for quotes and line ends, so that columns in errors are right */
    const char *expr;
    ConfSetting *elem; /* members of a group, elements of a list or array */
    int n;             /* 0 for all other types */
};

typedef struct {
    Arena *arena;
    Diag *diag;
    const ConfSetting *root;
} Conf;

/* The text of a file of at most `most` bytes. NULL: *why says what is wrong with it. */
char *conf_read(Arena *a, const char *path, int64_t most, size_t *len, const char **why);
/* The whole file, at most CONF_MAX_BYTES. NULL after an error (missing, a folder, too large ...). */
Source *conf_source(Arena *a, const char *path, Diag *d);
/* Bytes begin..end-1 of src. NULL after a syntax error or duplicate keys. */
Conf *conf_parse(Arena *a, const Source *src, size_t begin, size_t end, Diag *d);

/* Puts base below c: c gets each setting that it lacks, and of lists of groups that both have, those whose `name` its
 * own lacks. Such a list begins with the groups that c alone has; then those of base follow in their order, one of c
 * standing in for that of its name. */
void conf_inherit(Conf *c, const Conf *base);

const char *conf_type_text(ConfType type);
int conf_length(const ConfSetting *s);                                     /* of a group, list or array; else 0 */
const ConfSetting *conf_elem(const ConfSetting *s, int i);                 /* of a list or array, member of a group */
const ConfSetting *conf_member(const ConfSetting *group, const char *key); /* NULL when absent (or group is NULL) */

typedef struct {
    const char *name;
    bool required;
    const char *hint; /* shown when it is missing; may be NULL */
} ConfKey;
/* Reports keys of the group (NULL: it is absent) that are not in `keys`, and required ones that it lacks. */
bool conf_keys(const Conf *c, const ConfSetting *group, const ConfKey *keys, size_t nkey);

bool conf_int(const Conf *c, const ConfSetting *s, const char *key, int64_t min, int64_t max, int64_t *out);
bool conf_real(const Conf *c, const ConfSetting *s, const char *key, double *out); /* integers too; finite */
bool conf_bool(const Conf *c, const ConfSetting *s, const char *key, bool *out);
bool conf_string(const Conf *c, const ConfSetting *s, const char *key, const char **out);
/* A string that is one of names; *index tells which. `what` names the kind of word in messages: "dtype". */
bool conf_choice(const Conf *c, const ConfSetting *s, const char *key, const char *what, Names names, int *index);
/* A string, or several side by side, or an integer, parsed as an expression. Names are not checked. */
bool conf_expr(const Conf *c, const ConfSetting *s, const char *key, Expr **out);
bool conf_formula(const Conf *c, const ConfSetting *s, const char *key, Expr **out);
/* A group, or a list of anything; NULL when absent or (reported) of another type. */
const ConfSetting *conf_group(const Conf *c, const ConfSetting *s, const char *key);
const ConfSetting *conf_list(const Conf *c, const ConfSetting *s, const char *key);
/* An array or list of integers from min to max, or of strings. out has room for `room` of them, and *n becomes their
 * number; where the setting is absent, *n stays as it is. */
bool conf_ints(const Conf *c, const ConfSetting *s, const char *key, int64_t min, int64_t max, int64_t *out, int room,
               int *n);
bool conf_strings(const Conf *c, const ConfSetting *s, const char *key, const char **out, int room, int *n);
/* True after an error, which begins with `before`: element i of a list of integers or strings equals an earlier one. */
bool conf_twice(const Conf *c, const ConfSetting *list, int i, const char *before);

/* Reports every name in e that is not one of names, and returns false then. what: "dim". */
bool conf_check_names(Diag *d, const Expr *e, const char *what, Names names);
/* True unless there is a fault, which is reported: "the axis 'for' is a keyword of C or C++". */
bool conf_check_name(Diag *d, Loc at, const char *what, const char *name, const char *fault);
/* Index of word in names; -1 after an error: "unknown <what> 'word'; did you mean ...?" or "expected one of ...". */
int conf_lookup(Diag *d, Loc at, const char *what, const char *word, Names names);

#endif
