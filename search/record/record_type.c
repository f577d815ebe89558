/* SPDX-License-Identifier: Apache-2.0
 *
 * record_type: works by the rows of record_fields.c, whichever type they are of. The same checks hold for what is read
 * and for what is written, so that whatever is written can be read again. Jansson bounds the nesting of lines, refuses
 * duplicate keys, NaN, infinities, bad UTF-8 and NUL, whatever the locale.
 */
#include "search/record/record_type.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

/* Of each kind of field: the size of a value in a record, and what an error message says behind the key. */
static const struct {
    size_t bytes;
    const char *wrong;
} kinds[] = {
    [FIELD_NAME] = { sizeof(const char *), "is not a name" },
    [FIELD_TEXT] = { sizeof(const char *), "is missing" },
    [FIELD_INT] = { sizeof(int), "is out of range" },
    [FIELD_LONG] = { sizeof(int64_t), "is out of range" },
    [FIELD_FLAG] = { sizeof(bool), NULL }, /* every value is good */
    [FIELD_STATUS] = { sizeof(Status), "is unknown" },
    [FIELD_REAL] = { sizeof(double), "is not a time" },
    [FIELD_ERROR] = { sizeof(double), "is negative" },
    [FIELD_PARAM] = { sizeof(Param), "is not a name" },
};

static int field_count(const Field *f, const void *record)
{
    if (f->form == FORM_ONE)
        return 1;
    return f->form == FORM_LEVELS ? f->most : *(const int *)((const char *)record + f->count_at);
}

static void *field_place(const Field *f, const void *record, int i)
{
    char *first = (char *)record + f->at;
    if (f->apart)
        memcpy(&first, first, sizeof first);
    return i ? first + (size_t)i * kinds[f->kind].bytes : first;
}

/* The value of a kind that is a whole number. A Status is as large as an int. */
static int64_t field_whole(FieldKind kind, const void *at)
{
    if (kind == FIELD_INT || kind == FIELD_STATUS)
        return *(const int *)at;
    if (kind == FIELD_FLAG)
        return *(const bool *)at;
    return kind == FIELD_PARAM ? ((const Param *)at)->value : *(const int64_t *)at;
}

/* An int that does not fit stays out of range: none may be negative, or as large as an int can be. */
static void field_set_whole(FieldKind kind, void *at, int64_t v)
{
    if (kind == FIELD_INT || kind == FIELD_STATUS)
        *(int *)at = v < 0 ? -1 : v > INT32_MAX ? INT32_MAX : (int)v;
    else if (kind == FIELD_FLAG)
        *(bool *)at = v;
    else
        *(kind == FIELD_PARAM ? &((Param *)at)->value : (int64_t *)at) = v;
}

_Static_assert(sizeof(Status) == sizeof(int), "a Status is read and written as an int");

enum { LIST_BYTES = RECORD_MAX_SAMPLE * sizeof(double) }; /* the longest list that a record points to */
_Static_assert(LIST_BYTES >= TEMPLATE_MAX_PARAM * sizeof(Param) && LIST_BYTES >= RECORD_MAX_FACT * sizeof(Param) &&
                   LIST_BYTES >= OP_MAX_EXTENT * sizeof(int64_t),
               "no list is longer");

/* ---- what is wrong with a record ---- */

static bool is_name(const char *s)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    return s && *s && *s != '.' && *s != '-' && s[strspn(s, allowed)] == '\0' && strlen(s) <= NAME_BYTES;
}

static bool within(double v, double low, double high) { return low <= v && v <= high; }

static bool is_good(const Field *f, const void *at)
{
    const double *real = at;
    const char *const *text = at;
    if (f->kind == FIELD_FLAG)
        return true;
    if (f->kind == FIELD_ERROR)
        return !(*real < 0);
    if (f->kind == FIELD_TEXT)
        return *text != NULL;
    if (f->kind == FIELD_NAME || f->kind == FIELD_PARAM)
        return is_name(f->kind == FIELD_PARAM ? ((const Param *)at)->name : *text);
    return within(f->kind == FIELD_REAL ? *real : (double)field_whole(f->kind, at), f->low, f->high);
}

/* True if a field has as many values as it may, all are good, and no two parameters have the same name. */
static bool field_good(const Field *f, const void *record)
{
    const int n = field_count(f, record);
    const Param *param = field_place(f, record, 0);
    bool good = f->form == FORM_ONE || within(n, f->least, f->most);
    for (int i = 0; good && i < n; i++) {
        good = is_good(f, field_place(f, record, i));
        good = good && (f->kind != FIELD_PARAM || names_find(NAMES(param, i), param[i].name) < 0);
    }
    return good;
}

static const char *field_wrong(const Field *f, char text[RECORD_WRONG_BYTES])
{
    if (f->of)
        snprintf(text, RECORD_WRONG_BYTES, "%s is not a %s of %s %d %s", f->key,
                 f->form == FORM_LIST ? "list" : "group", f->least ? "1 to" : "at most", f->most, f->of);
    else
        snprintf(text, RECORD_WRONG_BYTES, "%s %s", f->key, kinds[f->kind].wrong);
    return f->wrong ? f->wrong : text;
}

const char *record_wrong(const RecordType *t, const void *record, char text[RECORD_WRONG_BYTES])
{
    for (const Field *f = t->field; f->key; f++)
        if (f->presence != FIELD_FOLLOWS && !field_good(f, record))
            return field_wrong(f, text);
    return t->also_wrong ? t->also_wrong(record) : NULL;
}

/* ---- copies ---- */

/* What a file has is rounded already, and found so: scaled to a whole number of RECORD_DIGITS digits and back it is the
 * same. Up to 1e22, powers of ten are exact in a double. snprintf and strtod use the same locale, so any will do. */
double record_rounded(double v)
{
    double scale = 1;
    if (v == 0)
        return v;
    while (v > 0 && v * scale < 1e8 && scale < 1e22)
        scale *= 10;
    if (v * scale >= 1e8 && v * scale < 1e9 && rint(v * scale) / scale == v)
        return v;
    char digits[40];
    snprintf(digits, sizeof digits, "%.*g", RECORD_DIGITS, v);
    return strtod(digits, NULL);
}

/* The ASCII quote for a typographic one, as compilers print them; "?" for all else beyond ASCII and for controls. */
static char ascii_of(const char *s)
{
    static const char third[] = "\x98\x99\x9c\x9d", ascii[] = "''\"\"";
    const char *at = strncmp(s, "\xe2\x80", 2) == 0 && s[2] ? strchr(third, s[2]) : NULL;
    return at ? ascii[at - third] : '?';
}

static void plain_copy(char *out, const char *s, size_t max)
{
    size_t n = 0;
    for (; *s && n < max; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\t' || c == '\n' || c == '\r')
            out[n++] = ' ';
        else if (c >= 0x20 && c < 0x7f)
            out[n++] = *s;
        else if (c < 0x80 || c >= 0xc0) /* of a character of several bytes only the first makes a mark */
            out[n++] = ascii_of(s);
    }
    out[n] = '\0';
}

/* Gives the one copy of these bytes that is kept. Before it stands how many they are. */
static const void *keep(Index *kept, const void *bytes, size_t n)
{
    enum { BEFORE = 16 };
    const uint64_t hash = index_hash(bytes, n, 0);
    size_t from = 0;
    for (int64_t at; (at = index_next(kept, hash, &from)) >= 0;) {
        const char *copy = (const char *)(intptr_t)at;
        if (*(const size_t *)copy == n && memcmp(copy + BEFORE, bytes, n) == 0)
            return copy + BEFORE;
    }
    char *copy = arena_alloc(kept->arena, BEFORE + n);
    *(size_t *)copy = n;
    memcpy(copy + BEFORE, bytes, n);
    index_add(kept, hash, (intptr_t)copy);
    return copy + BEFORE;
}

static const char *keep_word(Index *kept, const char *s) { return keep(kept, s, strlen(s) + 1); }

static void copy_one(Index *kept, const Field *f, void *at)
{
    double *real = at;
    const char **text = f->kind == FIELD_PARAM ? &((Param *)at)->name : at;
    if (f->kind == FIELD_TEXT) {
        char plain[FREE_BYTES + 1];
        plain_copy(plain, *text, (size_t)f->high);
        *text = keep_word(kept, plain);
    } else if (f->kind == FIELD_NAME || f->kind == FIELD_PARAM)
        *text = keep_word(kept, *text);
    else if (f->kind == FIELD_REAL || f->kind == FIELD_ERROR)
        *real = isfinite(*real) ? record_rounded(*real) : INFINITY;
}

/* Makes a record point to a copy of a list of its own. Of times, which hardly ever repeat, each list has one. */
static void copy_apart(Index *kept, const Field *f, void *out, int n)
{
    _Alignas(Param) char list[LIST_BYTES];
    const size_t bytes = (size_t)n * kinds[f->kind].bytes;
    const void *copy = NULL;
    if (n)
        memcpy(list, field_place(f, out, 0), bytes);
    for (int i = 0; i < n; i++)
        copy_one(kept, f, list + (size_t)i * kinds[f->kind].bytes);
    if (n)
        copy = f->kind == FIELD_REAL ? memcpy(arena_alloc(kept->arena, bytes), list, bytes) : keep(kept, list, bytes);
    memcpy((char *)out + f->at, &copy, sizeof copy);
}

void record_copy(Index *kept, const RecordType *t, const void *record, void *out)
{
    memcpy(out, record, t->bytes);
    for (const Field *f = t->field; f->key; f++) {
        const int n = field_count(f, out);
        if (f->apart)
            copy_apart(kept, f, out, n);
        for (int i = 0; i < n && !f->apart; i++)
            copy_one(kept, f, field_place(f, out, i));
        if (n < f->most && !f->apart) /* nothing is kept behind the last value */
            memset(field_place(f, out, n), 0, (size_t)(f->most - n) * kinds[f->kind].bytes);
    }
    if (t->derive)
        t->derive(out);
}

static int compare_one(const Field *f, const void *x, const void *y)
{
    if (f->kind == FIELD_NAME || f->kind == FIELD_TEXT)
        return *(const char *const *)x == *(const char *const *)y
                   ? 0
                   : strcmp(*(const char *const *)x, *(const char *const *)y);
    const int64_t a = field_whole(f->kind, x), b = field_whole(f->kind, y);
    return (a > b) - (a < b);
}

int record_compare(const RecordType *t, const void *x, const void *y)
{
    int sign = 0;
    for (const char *const *key = t->order; *key && !sign; key++) {
        const Field *f = t->field;
        while (strcmp(f->key, *key) != 0)
            f++;
        const int n = field_count(f, x), other = field_count(f, y);
        sign = (n > other) - (n < other);
        for (int i = 0; !sign && i < n; i++)
            sign = compare_one(f, field_place(f, x, i), field_place(f, y, i));
    }
    return sign;
}

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
    if (f->kind == FIELD_TEXT)
        return !**(const char *const *)at;
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

static char *text_of(Arena *a, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(RECORD_DIGITS));
    char *out = arena_strdup(a, text ? text : "");
    free(text);
    json_decref(value);
    return out;
}

char *line_text(Arena *a, const RecordType *t, const void *record)
{
    json_t *o = json_pack("{s:i, s:s}", "v", RECORD_SCHEMA, "type", t->name);
    for (const Field *f = t->field; f->key; f++)
        if (f->presence != FIELD_SPARSE || !is_empty(f, record))
            json_object_set_new(o, f->key, json_of(f, record));
    return text_of(a, o);
}

static bool is_of_order(const RecordType *t, const char *key)
{
    const char *const *at = t->order;
    while (*at && strcmp(*at, key) != 0)
        at++;
    return *at != NULL;
}

const char *record_differs(Arena *a, const RecordType *t, const void *there, const void *here)
{
    Text out = { .arena = a };
    for (const Field *f = t->field; f->key; f++) {
        const char *x = text_of(a, json_of(f, there)), *y = text_of(a, json_of(f, here));
        if (strcmp(x, y) != 0 && !is_of_order(t, f->key))
            text_printf(&out, "%s%s = %s (here %s)", out.len ? ", " : "", f->key, x, y);
    }
    return text_str(&out);
}

/* ---- from JSON ---- */

/* Reads one value; its strings stay those of the JSON. False: it is of another type. */
static bool read_one(const Field *f, const json_t *value, void *at)
{
    bool good = json_is_string(value);
    if (f->kind == FIELD_NAME || f->kind == FIELD_TEXT) {
        *(const char **)at = json_string_value(value);
    } else if (f->kind == FIELD_REAL || f->kind == FIELD_ERROR) {
        good = json_is_number(value) || (f->kind == FIELD_ERROR && json_is_null(value));
        *(double *)at = json_is_null(value) ? INFINITY : json_number_value(value);
    } else if (f->kind == FIELD_STATUS) {
        field_set_whole(f->kind, at, good ? status_find(json_string_value(value)) : STATUS_COUNT);
    } else {
        const bool flag = f->kind == FIELD_FLAG;
        good = flag ? json_is_boolean(value) : json_is_integer(value);
        field_set_whole(f->kind, at, flag ? json_is_true(value) : json_integer_value(value));
    }
    return good;
}

/* Reads a list or group. A level that is not there counts as not measured, and an unknown level is ignored. */
static bool read_many(Arena *scratch, const Field *f, json_t *all, void *record)
{
    const bool list = f->form == FORM_LIST, levels = f->form == FORM_LEVELS;
    const size_t n = levels ? (size_t)f->most : list ? json_array_size(all) : json_object_size(all);
    bool good = (list ? json_is_array(all) : json_is_object(all)) && n <= (size_t)f->most;
    void *member = f->form == FORM_PARAMS ? json_object_iter(all) : NULL;
    void *room = good && f->apart ? arena_array(scratch, n, kinds[f->kind].bytes) : NULL;
    if (f->apart)
        memcpy((char *)record + f->at, &room, sizeof room);
    for (size_t i = 0; good && i < n; i++) {
        void *at = field_place(f, record, (int)i);
        json_t *value = levels ? json_object_get(all, level_name((Level)i))
                        : list ? json_array_get(all, i)
                               : json_object_iter_value(member);
        if (f->form == FORM_PARAMS)
            ((Param *)at)->name = json_object_iter_key(member);
        good = (levels && !value) || read_one(f, value, at);
        member = json_object_iter_next(all, member);
    }
    if (!levels)
        *(int *)((char *)record + f->count_at) = (int)n;
    return good;
}

static const char *keep_error_text(Line *out, const json_error_t *e)
{
    plain_copy(out->text, e->text, sizeof out->text - 1);
    return out->text;
}

/* Reads the fields of a record; its strings stay those of the JSON. Gives what is wrong; NULL: nothing. */
static const char *fields_read(Arena *scratch, const RecordType *t, const json_t *o, void *record, Line *out)
{
    for (const Field *f = t->field; f->key; f++) {
        json_t *value = f->presence == FIELD_FOLLOWS ? NULL : json_object_get(o, f->key);
        const bool one = f->form == FORM_ONE;
        if (!value && one && f->presence == FIELD_SPARSE && f->kind == FIELD_TEXT)
            *(const char **)field_place(f, record, 0) = "";
        if (value && !one && !read_many(scratch, f, value, record))
            return field_wrong(f, out->text);
        if ((value && one && !read_one(f, value, field_place(f, record, 0))) ||
            (!value && f->presence == FIELD_REQUIRED)) {
            snprintf(out->text, sizeof out->text, "%s is %s", f->key, value ? "of another type" : "missing");
            return out->text;
        }
    }
    return record_wrong(t, record, out->text);
}

static const char *object_read(Index *kept, Arena *scratch, const json_t *o, Line *out)
{
    json_t *schema = json_object_get(o, "v");
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!json_is_integer(schema))
        return "no schema version";
    if (json_integer_value(schema) != RECORD_SCHEMA) {
        out->kind = LINE_OTHER_SCHEMA;
        return NULL;
    }
    const int kind = type ? names_find(NAMES(record_types, RECORD_TYPES), type) : -1;
    if (kind < 0)
        return "unknown type of record";
    AnyRecord raw = { 0 };
    const char *why = fields_read(scratch, &record_types[kind], o, &raw, out);
    if (!why) {
        record_copy(kept, &record_types[kind], &raw, &out->record);
        out->type = (RecordKind)kind;
        out->kind = LINE_RECORD;
    }
    return why;
}

void line_read(Index *kept, Arena *scratch, const char *text, size_t len, Line *out)
{
    *out = (Line){ .kind = LINE_BAD };
    json_error_t e;
    json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    out->object = json_is_object(o);
    out->why = out->object ? object_read(kept, scratch, o, out) : o ? "not a JSON object" : keep_error_text(out, &e);
    json_decref(o);
}
