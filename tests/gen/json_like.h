/* SPDX-License-Identifier: Apache-2.0
 *
 * json_like: a JSON value against what it should be, where real numbers may be rounded.
 */
#ifndef DCGEN_TESTS_JSON_LIKE_H
#define DCGEN_TESTS_JSON_LIKE_H

#include <jansson.h>
#include <math.h>

static inline void json_like(const json_t *got, const json_t *want, const char *where)
{
    const char *key;
    json_t *value;
    size_t i;
    if (!got)
        fail_msg("%s is missing", where);
    if (json_is_number(want) && json_is_number(got)) {
        const double g = json_number_value(got), w = json_number_value(want);
        if (!(fabs(g - w) <= 1e-6 * fabs(w)))
            fail_msg("%s: %.9g, not %.9g", where, g, w);
    } else if (json_is_object(want) && json_is_object(got)) {
        json_object_foreach((json_t *)want, key, value) json_like(json_object_get(got, key), value, key);
        json_object_foreach((json_t *)got, key, value) if (!json_object_get(want, key))
            fail_msg("%s: one too many", key);
    } else if (json_is_array(want) && json_is_array(got)) {
        assert_int_equal(json_array_size(got), json_array_size(want));
        json_array_foreach(want, i, value) json_like(json_array_get(got, i), value, where);
    } else if (!json_equal(got, want)) {
        fail_msg("%s: %s, not %s", where, json_dumps(got, JSON_ENCODE_ANY), json_dumps(want, JSON_ENCODE_ANY));
    }
}

/* The text is one JSON value, like that of `want`, whose strings may be in single quotes. */
static inline void json_text_like(const char *text, const char *want)
{
    json_error_t e;
    char *quoted = strdup(want);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *got = json_loads(text, JSON_REJECT_DUPLICATES, &e),
           *wanted = json_loads(quoted, JSON_REJECT_DUPLICATES, &e);
    assert_non_null(got);
    if (!wanted)
        fail_msg("%s: %s", e.text, quoted);
    json_like(got, wanted, "the value");
    json_decref(got);
    json_decref(wanted);
    free(quoted);
}

#endif
