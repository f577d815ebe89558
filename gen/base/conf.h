/* SPDX-License-Identifier: Apache-2.0
 *
 * conf: libconfig with places. Reads a libconfig text (a file, or a part of one such as a template's head), knows the
 * line and column of every name and value, and hands out checked values; what is wrong becomes an error at its place.
 *
 *   Source *src = conf_source(a, path, d);
 *   Conf *c = src ? conf_parse(a, src, 0, src->len, d) : NULL;
 *   if (!c) return NULL;
 *   conf_keys(c, conf_root(c), keys, nkey);           unknown and missing keys
 *   conf_int(c, conf_root(c), "rank", 0, 100, &rank); absent: rank keeps its value, and that is no error
 *   ...
 *   conf_free(c);                                     what the getters gave lives in the arena and stays
 *
 * Getters return false after an error that they have reported. `group` may be any group setting.
 */
#ifndef DCGEN_CONF_H
#define DCGEN_CONF_H

#include <libconfig.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/base/expr.h"

enum { CONF_MAX_BYTES = 1 << 20, CONF_MAX_DEPTH = 16, CONF_MAX_MEMBER = 512 };

typedef struct Conf Conf;
typedef config_setting_t ConfSetting;

/* The whole file, at most CONF_MAX_BYTES. NULL after an error (missing, a folder, too large ...). */
Source *conf_source(Arena *a, const char *path, Diag *d);
/* Bytes begin..end-1 of src as libconfig. NULL after a syntax error or a duplicate key; "@include" is refused. */
Conf *conf_parse(Arena *a, const Source *src, size_t begin, size_t end, Diag *d);
void conf_free(Conf *c); /* NULL is allowed */

ConfSetting *conf_root(const Conf *c);
int conf_length(const ConfSetting *s);               /* of a group, list or array; else 0 */
ConfSetting *conf_elem(const ConfSetting *s, int i); /* i-th element of a list or array, member of a group */
ConfSetting *conf_member(const ConfSetting *group, const char *key); /* NULL when absent (or group is NULL) */
const char *conf_name(const Conf *c, const ConfSetting *s);          /* copied to the arena; NULL for an element */
Loc conf_name_loc(const Conf *c, const ConfSetting *s); /* an element's: its value; the root's: its first setting */
Loc conf_value_loc(const Conf *c, const ConfSetting *s);

/* Reports every key of group that is not in keys (with the nearest that is) and every required one that is absent. */
typedef struct {
    const char *name;
    bool required;
    const char *hint; /* shown when it is missing; may be NULL */
} ConfKey;
bool conf_keys(const Conf *c, const ConfSetting *group, const ConfKey *keys, size_t nkey);

bool conf_is_string(const ConfSetting *s); /* NULL is none */

/* A member's value. Absent: *out stays as it is, true. */
bool conf_int(const Conf *c, const ConfSetting *group, const char *key, int64_t min, int64_t max, int64_t *out);
bool conf_real(const Conf *c, const ConfSetting *group, const char *key, double *out); /* integers too; finite */
bool conf_bool(const Conf *c, const ConfSetting *group, const char *key, bool *out);
bool conf_string(const Conf *c, const ConfSetting *group, const char *key, const char **out);
/* A string that is one of names; *index tells which. what: "dtype". */
bool conf_choice(const Conf *c, const ConfSetting *group, const char *key, const char *what, const char *const *names,
                 size_t nname, int *index);
/* A string, or several side by side, or an integer, parsed as an expression. Names are not checked. */
bool conf_expr(const Conf *c, const ConfSetting *group, const char *key, Expr **out);
/* A group, or a list of anything; NULL when absent or (reported) of another type. */
ConfSetting *conf_group(const Conf *c, const ConfSetting *group, const char *key);
ConfSetting *conf_list(const Conf *c, const ConfSetting *group, const char *key);
/* An array or list of at most max integers or strings; *n of them. Absent: *n stays as it is. */
bool conf_ints(const Conf *c, const ConfSetting *group, const char *key, int64_t min, int64_t max_value, int64_t *out,
               int max, int *n);
bool conf_strings(const Conf *c, const ConfSetting *group, const char *key, const char **out, int max, int *n);

/* The same for a setting at hand, such as an element of a list; s is not NULL. */
bool conf_int_of(const Conf *c, const ConfSetting *s, int64_t min, int64_t max, int64_t *out);
bool conf_real_of(const Conf *c, const ConfSetting *s, double *out);
bool conf_string_of(const Conf *c, const ConfSetting *s, const char **out);
bool conf_expr_of(const Conf *c, const ConfSetting *s, Expr **out);
bool conf_is_group(const Conf *c, const ConfSetting *s); /* false after an error "expected a group { ... }" */

/* Reports every name in e that is not one of names; what: "dim". */
bool conf_check_names(Diag *d, const Expr *e, const char *what, const char *const *names, size_t nname);
/* Index of word in names; -1 after an error: "unknown <what> 'word'; did you mean ...?" or "expected one of ...". */
int conf_lookup(Diag *d, Loc at, const char *what, const char *word, const char *const *names, size_t nname);

#endif
