/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors_read: looks through a file's header. What is read lies within the file, and every byte of it belongs to
 * one tensor.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/json.h"
#include "gen/base/order.h"
#include "gen/import/safetensors.h"

enum { LENGTH_BYTES = 8 };

typedef struct {
    Arena *arena;
    const char **err;
    const char *data; /* behind the header */
    size_t size;
} Reader;

__attribute__((format(printf, 2, 3))) static bool fail(const Reader *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    *r->err = arena_vprintf(r->arena, fmt, ap);
    va_end(ap);
    return false;
}

static bool read_shape(const Reader *r, const json_t *shape, SafeTensor *t)
{
    const size_t n = json_array_size(shape);
    if (!json_is_array(shape) || n > SAFETENSORS_MAX_RANK)
        return fail(r, "tensor '%s': expected a shape of at most %d extents", t->name, SAFETENSORS_MAX_RANK);
    int64_t *dim = ARENA_ARRAY(r->arena, n, int64_t);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(shape, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0)
            return fail(r, "tensor '%s': expected extents that are whole numbers from 0", t->name);
        dim[i] = json_integer_value(v);
    }
    t->rank = (int)n;
    t->dim = dim;
    return true;
}

static bool read_offsets(const Reader *r, const json_t *offsets, SafeTensor *t)
{
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    const int64_t begin = json_integer_value(first), end = json_integer_value(last);
    int64_t count, bytes;
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last) || begin < 0 || end < begin)
        return fail(r, "tensor '%s': expected data_offsets [begin, end]", t->name);
    if ((uint64_t)end > r->size)
        return fail(r, "tensor '%s' ends at byte %" PRId64 " of the elements, expected at most %zu", t->name, end,
                    r->size);
    if (!element_count(t->dim, t->rank, &count) || !element_bytes(t->type, count, &bytes) || bytes != end - begin)
        return fail(r, "tensor '%s' has %" PRId64 " bytes; expected as many as its extents say", t->name, end - begin);
    t->data = r->data + begin;
    t->bytes = (size_t)bytes;
    return true;
}

static bool read_tensor(const Reader *r, const char *name, const json_t *entry, SafeTensor *t)
{
    *t = (SafeTensor){ .name = arena_strdup(r->arena, name) };
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    if (json_object_size(entry) != 3)
        return fail(r, "tensor '%s': expected dtype, shape and data_offsets", t->name);
    t->type = dtype ? element_of_safetensors(dtype) : ELEMENT_NONE;
    if (t->type == ELEMENT_NONE)
        return fail(r, "tensor '%s': the dtype '%s' is unknown", t->name, dtype ? dtype : "");
    return read_shape(r, json_object_get(entry, "shape"), t) &&
           read_offsets(r, json_object_get(entry, "data_offsets"), t);
}

static bool check_metadata(const Reader *r, json_t *metadata)
{
    const char *key;
    json_t *value;
    if (!json_is_object(metadata))
        return fail(r, "expected texts by name in __metadata__");
    json_object_foreach(metadata, key,
                        value) if (!json_is_string(value)) return fail(r, "'%s' in __metadata__: expected a text", key);
    return true;
}

static int order_begins(const void *x, const void *y)
{
    const SafeTensor *a = x, *b = y;
    const int64_t key[][2] = { { (int64_t)(uintptr_t)a->data, (int64_t)a->bytes },
                               { (int64_t)(uintptr_t)b->data, (int64_t)b->bytes } };
    return order_numbers(key[0], key[1], 2);
}

/* Puts tensors in the order of their elements; each begins where the one before it ends. */
static bool check_gaps(const Reader *r, SafeTensor *t, int n)
{
    const char *end = r->data;
    qsort(t, (size_t)n, sizeof *t, order_begins);
    for (int i = 0; i < n; end = (const char *)t[i].data + t[i].bytes, i++)
        if (t[i].data != end)
            return fail(r, "tensor '%s' begins at byte %td of the elements; expected %td, where the one before it ends",
                        t[i].name, (const char *)t[i].data - r->data, end - r->data);
    if (end != r->data + r->size)
        return fail(r, "%td bytes of elements belong to tensors; expected all %zu", end - r->data, r->size);
    return true;
}

static SafeTensors *read_header(const Reader *r, json_t *head)
{
    SafeTensors *all = ARENA_NEW(r->arena, SafeTensors);
    SafeTensor *list = ARENA_ARRAY(r->arena, json_object_size(head), SafeTensor);
    const char *name;
    json_t *entry;
    json_object_foreach(head, name, entry) if (!(strcmp(name, "__metadata__") == 0
                                                     ? check_metadata(r, entry)
                                                     : read_tensor(r, name, entry, &list[all->n++]))) return NULL;
    all->tensor = list;
    return check_gaps(r, list, all->n) ? all : NULL;
}

const SafeTensors *safetensors_read(Arena *a, const char *bytes, size_t n, const char **err)
{
    Reader r = { .arena = a, .err = err };
    uint64_t length = 0;
    if (n < LENGTH_BYTES)
        return fail(&r, "the file has %zu bytes; expected at least %d", n, LENGTH_BYTES), NULL;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | (unsigned char)bytes[i];
    if (length > n - LENGTH_BYTES || length > SAFETENSORS_MAX_HEADER)
        return fail(&r, "the header has %" PRIu64 " bytes; expected at most %zu", length, n - LENGTH_BYTES), NULL;
    json_error_t error;
    json_t *head = json_loadb(bytes + LENGTH_BYTES, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    r.data = bytes + LENGTH_BYTES + length;
    r.size = n - LENGTH_BYTES - (size_t)length;
    SafeTensors *all = NULL;
    if (!head || !json_is_object(head) || bytes[LENGTH_BYTES] != '{')
        fail(&r, "the header is no JSON object: %s", head ? "expected '{'" : error.text);
    else
        all = read_header(&r, head);
    json_decref(head);
    return all;
}
