/* SPDX-License-Identifier: Apache-2.0
 *
 * json: an object's fields keep their order and their types; what has no form in JSON is null.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/base/json.h"

static void expect(json_t *value, const char *want)
{
    char *text = json_dumps(value, 0);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
    json_decref(value);
}

TEST(fields_keep_their_types_and_their_order)
{
    const int64_t large = INT64_MAX;
    const char *const item[] = { "x", "y\"" };
    const char *none = NULL;
    char text[] = "t";
    json_t *o = JSON_OBJECT(FIELD("b", (bool)true), FIELD("a", 7), FIELD("large", large), FIELD("real", 0.5),
                            FIELD("text", text), FIELD("list", json_of_list(item, 2)));
    expect(JSON_SET(o, FIELD("none", none), FIELD("nan", (double)NAN), FIELD("inf", (double)INFINITY)),
           "{\"b\": true, \"a\": 7, \"large\": 9223372036854775807, \"real\": 0.5, \"text\": \"t\", "
           "\"list\": [\"x\", \"y\\\"\"], \"none\": null, \"nan\": null, \"inf\": null}");
}

TEST(text_from_outside_is_quoted) { expect(JSON_OBJECT(FIELD("name", "a\xff")), "{\"name\": \"a?\"}"); }
