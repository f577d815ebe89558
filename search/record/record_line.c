/* SPDX-License-Identifier: Apache-2.0
 *
 * record_line: takes one line of a record file, gives a checked record or what is wrong with it; and back.
 * Jansson bounds the nesting, refuses duplicate keys, NaN, infinities, bad UTF-8 and NUL, whatever the locale.
 */
#include "search/record/record_line.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- to JSON ---- */

static json_t *json_of_one(const Field *f, const void *at)
{
    const double *real = at;
    if (f->kind == FIELD_NAME || f->kind == FIELD_TEXT)
        return json_string(*(const char *const *)at);
    if (f->kind == FIELD_REAL || f->kind == FIELD_ERROR)
        return isfinite(*real) ? json_real(*real) : json_null();
    const int64_t whole = field_whole(f->kind, at);
    if (f->kind == FIELD_STATUS)
        return json_string(status_name((Status)whole));
    return f->kind == FIELD_FLAG ? json_boolean(whole) : json_integer(whole);
}

static bool is_empty(const Field *f, const void *record)
{
    const void *at = field_place(f, record, 0);
    if (f->form != FORM_ONE)
        return field_count(f, record) == 0;
    return f->kind == FIELD_REAL ? !(*(const double *)at > 0) : field_whole(f->kind, at) == 0;
}

static json_t *json_of(const Field *f, const void *record)
{
    if (f->form == FORM_ONE)
        return json_of_one(f, field_place(f, record, 0));
    json_t *all = f->form == FORM_LIST ? json_array() : json_object();
    for (int i = 0; i < field_count(f, record); i++) {
        const void *at = field_place(f, record, i);
        if (f->form == FORM_LIST)
            json_array_append_new(all, json_of_one(f, at));
        else if (f->form == FORM_PARAMS)
            json_object_set_new(all, ((const Param *)at)->name, json_of_one(f, at));
        else if (*(const double *)at > 0)
            json_object_set_new(all, level_name((Level)i), json_of_one(f, at));
    }
    return all;
}

char *line_text(Arena *a, const RecordType *t, const void *record)
{
    json_t *o = json_pack("{s:i, s:s}", "v", RECORD_SCHEMA, "type", t->name);
    for (const Field *f = t->field; f->key; f++)
        if (f->presence != FIELD_SPARSE || !is_empty(f, record))
            json_object_set_new(o, f->key, json_of(f, record));
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS));
    char *line = arena_strdup(a, text ? text : "");
    free(text);
    json_decref(o);
    return line;
}

/* ---- from JSON ---- */

/* False: *e says what is wrong. Strings are still the value's. */
static bool read_one(const Field *f, json_t *value, void *at, json_error_t *e)
{
    json_int_t whole = 0;
    int flag = 0;
    const char *name = "";
    bool good;
    if (f->kind == FIELD_NAME || f->kind == FIELD_TEXT)
        return json_unpack_ex(value, e, 0, "s", (const char **)at) == 0;
    if (f->kind == FIELD_REAL)
        return json_unpack_ex(value, e, 0, "F", (double *)at) == 0;
    if (f->kind == FIELD_ERROR) {
        snprintf(e->text, sizeof e->text, "%s is not a number", f->key);
        *(double *)at = json_is_null(value) ? INFINITY : json_number_value(value);
        return json_is_null(value) || json_is_number(value);
    }
    if (f->kind == FIELD_STATUS) {
        good = json_unpack_ex(value, e, 0, "s", &name) == 0;
        whole = status_find(name);
    } else if (f->kind == FIELD_FLAG) {
        good = json_unpack_ex(value, e, 0, "b", &flag) == 0;
        whole = flag;
    } else {
        good = json_unpack_ex(value, e, 0, "I", &whole) == 0;
    }
    field_set_whole(f->kind, at, whole);
    return good;
}

/* A level that is not there is not measured; one of another name is none of ours. */
static bool read_many(const Field *f, json_t *all, void *record)
{
    const bool list = f->form == FORM_LIST, levels = f->form == FORM_LEVELS;
    const size_t n = levels ? (size_t)f->most : list ? json_array_size(all) : json_object_size(all);
    bool good = (list ? json_is_array(all) : json_is_object(all)) && n <= (size_t)f->most;
    void *member = f->form == FORM_PARAMS ? json_object_iter(all) : NULL;
    json_error_t e;
    for (size_t i = 0; good && i < n; i++) {
        void *at = field_place(f, record, (int)i);
        json_t *value = levels ? json_object_get(all, level_name((Level)i))
                        : list ? json_array_get(all, i)
                               : json_object_iter_value(member);
        if (f->form == FORM_PARAMS)
            ((Param *)at)->name = json_object_iter_key(member);
        good = (levels && !value) || read_one(f, value, at, &e);
        member = json_object_iter_next(all, member);
    }
    if (!levels)
        *(int *)((char *)record + f->count_at) = (int)n;
    return good;
}

static const char *bad_because(Line *out, const json_error_t *e)
{
    plain_copy(out->text, e->text, sizeof out->text - 1);
    return out->text;
}

/* Into a record whose strings are still the object's; NULL, or what is wrong. */
static const char *fields_read(const RecordType *t, json_t *o, void *record, Line *out)
{
    for (const Field *f = t->field; f->key; f++) {
        json_t *value = NULL;
        json_error_t e;
        if (f->presence == FIELD_FOLLOWS)
            continue;
        if (json_unpack_ex(o, &e, 0, f->presence == FIELD_REQUIRED ? "{s:o}" : "{s?o}", f->key, &value) != 0)
            return bad_because(out, &e);
        if (value && f->form == FORM_ONE && !read_one(f, value, field_place(f, record, 0), &e))
            return bad_because(out, &e);
        if (value && f->form != FORM_ONE && !read_many(f, value, record))
            return f->wrong;
    }
    return record_wrong(t, record, out->text);
}

static const char *object_read(Arena *a, json_t *o, Line *out)
{
    json_t *schema = json_object_get(o, "v");
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!json_is_integer(schema))
        return "no schema version";
    if (json_integer_value(schema) != RECORD_SCHEMA) {
        out->kind = LINE_OTHER_SCHEMA;
        return NULL;
    }
    for (int i = 0; type && i < RECORD_TYPES; i++) {
        if (strcmp(record_types[i].name, type) != 0)
            continue;
        AnyRecord raw = { 0 };
        const char *why = fields_read(&record_types[i], o, &raw, out);
        if (!why) {
            record_copy(a, &record_types[i], &raw, &out->record);
            out->type = (RecordKind)i;
            out->kind = LINE_RECORD;
        }
        return why;
    }
    return "unknown type of record";
}

void line_read(Arena *a, const char *text, size_t len, Line *out)
{
    *out = (Line){ .kind = LINE_BAD };
    json_error_t e;
    json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    out->object = json_is_object(o);
    out->why = out->object ? object_read(a, o, out) : o ? "not a JSON object" : bad_because(out, &e);
    json_decref(o);
}
