/* SPDX-License-Identifier: Apache-2.0
 *
 * json: a JSON object in one expression, from values of any type that has a form in JSON:
 *
 *   JSON_OBJECT(FIELD("name", spec->name), FIELD("time_ns", ns), FIELD("shapes", list))
 *
 * Text from outside is quoted (gen/base/quote.h), a number that is not finite and text that is NULL are null, and a
 * json_t is handed over. A comparison has the type int, and so has `true`: to be a JSON boolean it is cast to bool.
 */
#ifndef DCGEN_JSON_H
#define DCGEN_JSON_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "gen/base/quote.h"

typedef struct {
    const char *key;
    json_t *value;
} JsonField;

#define FIELD(key, v)                                                                                            \
    {                                                                                                            \
        key, _Generic((v), bool: json_of_bool, int: json_integer, int64_t: json_integer, double: json_of_real, \
                      char *: quote_json, const char *: quote_json, json_t *: json_of_value)(v) \
    }
#define JSON_OBJECT(...) JSON_SET(json_object(), __VA_ARGS__)
#define JSON_SET(object, ...) json_set(object, (const JsonField[]){ __VA_ARGS__, { NULL, NULL } })

static inline json_t *json_of_bool(bool v) { return json_boolean(v); }
static inline json_t *json_of_real(double v) { return isfinite(v) ? json_real(v) : json_null(); }
/* null unless it is known */
static inline json_t *json_of_known(bool known, double v) { return known ? json_of_real(v) : json_null(); }
static inline json_t *json_of_value(json_t *v) { return v; }

static inline json_t *json_of_list(const char *const *item, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, quote_json(item[i]));
    return list;
}

/* Adds the fields behind those that the object has, and gives the object. */
static inline json_t *json_set(json_t *object, const JsonField *field)
{
    for (; field->key; field++)
        json_object_set_new(object, field->key, field->value);
    return object;
}

#endif
