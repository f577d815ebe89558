/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_get: conf's typed getters. Each says what it expected and what it found instead.
 */
#include "gen/base/conf.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/conf_private.h"

static const char *type_text(const ConfSetting *s)
{
    static const char *const text[] = {
        [CONFIG_TYPE_NONE] = "nothing",     [CONFIG_TYPE_GROUP] = "a group { }",   [CONFIG_TYPE_INT] = "an integer",
        [CONFIG_TYPE_INT64] = "an integer", [CONFIG_TYPE_FLOAT] = "a real number", [CONFIG_TYPE_STRING] = "a string",
        [CONFIG_TYPE_BOOL] = "a boolean",   [CONFIG_TYPE_ARRAY] = "an array [ ]",  [CONFIG_TYPE_LIST] = "a list ( )",
    };
    return text[config_setting_type(s)];
}

static bool is_int(const ConfSetting *s)
{
    return config_setting_type(s) == CONFIG_TYPE_INT || config_setting_type(s) == CONFIG_TYPE_INT64;
}

static bool is_sequence(const ConfSetting *s) { return config_setting_is_array(s) || config_setting_is_list(s); }

/* "'threads': " for a member, "" for an element. */
static const char *label(const Conf *c, const ConfSetting *s)
{
    const char *name = config_setting_name(s);
    return name ? arena_printf(c->arena, "'%s': ", name) : "";
}

static bool wrong_type(const Conf *c, const ConfSetting *s, const char *expected)
{
    diag_error(c->diag, conf_value_loc(c, s), "%sexpected %s, found %s", label(c, s), expected, type_text(s));
    return false;
}

/* ---- one value ---- */

bool conf_int_of(const Conf *c, const ConfSetting *s, int64_t min, int64_t max, int64_t *out)
{
    const char *range = arena_printf(c->arena, "an integer from %" PRId64 " to %" PRId64, min, max);
    if (!is_int(s))
        return wrong_type(c, s, range);
    int64_t value = config_setting_get_int64(s);
    if (value < min || value > max) {
        diag_error(c->diag, conf_value_loc(c, s), "%sexpected %s, found %" PRId64, label(c, s), range, value);
        return false;
    }
    *out = value;
    return true;
}

bool conf_real_of(const Conf *c, const ConfSetting *s, double *out)
{
    if (!config_setting_is_number(s))
        return wrong_type(c, s, "a number");
    double value = is_int(s) ? (double)config_setting_get_int64(s) : config_setting_get_float(s);
    if (!isfinite(value)) {
        diag_error(c->diag, conf_value_loc(c, s), "%sexpected a finite number", label(c, s));
        return false;
    }
    *out = value;
    return true;
}

bool conf_string_of(const Conf *c, const ConfSetting *s, const char **out)
{
    if (!conf_is_string(s))
        return wrong_type(c, s, "a string");
    *out = arena_strdup(c->arena, config_setting_get_string(s));
    return true;
}

bool conf_is_string(const ConfSetting *s) { return s && config_setting_type(s) == CONFIG_TYPE_STRING; }

bool conf_is_group(const Conf *c, const ConfSetting *s)
{
    return config_setting_is_group(s) || wrong_type(c, s, "a group { }");
}

/* The strings side by side at s as one text of the same length as their source, so that places stay true: quotes and
 * what is between two strings become blanks. */
static char *expr_source(const Conf *c, const ConfSetting *s)
{
    const ConfPlace *p = config_setting_get_hook(s);
    const char *raw = c->src->text + p->value;
    char *text = arena_strndup(c->arena, raw, p->nvalue);
    for (size_t i = 0; i < p->nvalue;) {
        text[i++] = ' ';
        for (; text[i] != '"'; i++)
            if (text[i] == '\\' && strchr("nrtf", text[i + 1]))
                text[i] = text[i + 1] = ' ';
            else if (text[i] == '\\')
                i++; /* an escaped quote: the parser refuses the backslash */
        text[i++] = ' ';
        for (size_t gap = conf_skip_blank(raw, i, p->nvalue); i < gap; i++)
            text[i] = raw[i] == '\n' ? '\n' : ' ';
    }
    return text;
}

bool conf_expr_of(const Conf *c, const ConfSetting *s, Expr **out)
{
    char *text;
    if (is_int(s))
        text = arena_printf(c->arena, "%lld", config_setting_get_int64(s));
    else if (conf_is_string(s))
        text = expr_source(c, s);
    else
        return wrong_type(c, s, "an integer, or an expression as a string");
    Expr *e = expr_parse(c->arena, text, conf_value_loc(c, s), c->diag);
    if (e)
        *out = e;
    return e != NULL;
}

/* ---- members of a group ---- */

bool conf_int(const Conf *c, const ConfSetting *group, const char *key, int64_t min, int64_t max, int64_t *out)
{
    const ConfSetting *s = conf_member(group, key);
    return !s || conf_int_of(c, s, min, max, out);
}

bool conf_real(const Conf *c, const ConfSetting *group, const char *key, double *out)
{
    const ConfSetting *s = conf_member(group, key);
    return !s || conf_real_of(c, s, out);
}

bool conf_bool(const Conf *c, const ConfSetting *group, const char *key, bool *out)
{
    const ConfSetting *s = conf_member(group, key);
    if (s && config_setting_type(s) != CONFIG_TYPE_BOOL)
        return wrong_type(c, s, "true or false");
    if (s)
        *out = config_setting_get_bool(s) != 0;
    return true;
}

bool conf_string(const Conf *c, const ConfSetting *group, const char *key, const char **out)
{
    const ConfSetting *s = conf_member(group, key);
    return !s || conf_string_of(c, s, out);
}

bool conf_choice(const Conf *c, const ConfSetting *group, const char *key, const char *what, const char *const *names,
                 size_t nname, int *index)
{
    const ConfSetting *s = conf_member(group, key);
    const char *word = NULL;
    if (!s)
        return true;
    if (!conf_string_of(c, s, &word))
        return false;
    int i = conf_lookup(c->diag, conf_value_loc(c, s), what, word, names, nname);
    if (i >= 0)
        *index = i;
    return i >= 0;
}

bool conf_expr(const Conf *c, const ConfSetting *group, const char *key, Expr **out)
{
    const ConfSetting *s = conf_member(group, key);
    return !s || conf_expr_of(c, s, out);
}

ConfSetting *conf_group(const Conf *c, const ConfSetting *group, const char *key)
{
    ConfSetting *s = conf_member(group, key);
    return s && conf_is_group(c, s) ? s : NULL;
}

ConfSetting *conf_list(const Conf *c, const ConfSetting *group, const char *key)
{
    ConfSetting *s = conf_member(group, key);
    if (!s || is_sequence(s))
        return s;
    wrong_type(c, s, "a list ( )");
    return NULL;
}

/* True and the number of elements of s, a list or array of at most max. */
static bool sequence_length(const Conf *c, const ConfSetting *s, const char *expected, int max, int *n)
{
    if (!is_sequence(s))
        return wrong_type(c, s, expected);
    *n = conf_length(s);
    if (*n <= max)
        return true;
    diag_error(c->diag, conf_value_loc(c, s), "%s%d values, at most %d are allowed", label(c, s), *n, max);
    return false;
}

bool conf_ints(const Conf *c, const ConfSetting *group, const char *key, int64_t min, int64_t max_value, int64_t *out,
               int max, int *n)
{
    const ConfSetting *s = conf_member(group, key);
    if (!s)
        return true;
    int count;
    if (!sequence_length(c, s, "integers in [ ]", max, &count))
        return false;
    bool ok = true;
    for (int i = 0; i < count; i++)
        ok = conf_int_of(c, conf_elem(s, i), min, max_value, &out[i]) && ok;
    if (ok)
        *n = count;
    return ok;
}

bool conf_strings(const Conf *c, const ConfSetting *group, const char *key, const char **out, int max, int *n)
{
    const ConfSetting *s = conf_member(group, key);
    if (!s)
        return true;
    int count;
    if (!sequence_length(c, s, "strings in [ ]", max, &count))
        return false;
    bool ok = true;
    for (int i = 0; i < count; i++)
        ok = conf_string_of(c, conf_elem(s, i), &out[i]) && ok;
    if (ok)
        *n = count;
    return ok;
}
