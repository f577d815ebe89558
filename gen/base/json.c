/* SPDX-License-Identifier: Apache-2.0
 *
 * json: one function for each type of a field, and one that adds fields to an object.
 */
#include "gen/base/json.h"

#include <math.h>

json_t *json_of_bool(bool v) { return json_boolean(v); }
json_t *json_of_real(double v) { return isfinite(v) ? json_real(v) : json_null(); }
json_t *json_of_known(bool known, double v) { return known ? json_of_real(v) : json_null(); }
json_t *json_of_value(json_t *v) { return v; }

json_t *json_of_list(const char *const *item, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, quote_json(item[i]));
    return list;
}

json_t *json_set(json_t *object, const JsonField *field)
{
    for (; field->key; field++)
        json_object_set_new(object, field->key, field->value);
    return object;
}
