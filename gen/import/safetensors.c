/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors: writes a file into a temporary folder beside its place (gen/base/tempdir.h), then renames it.
 */
#include "gen/import/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/json.h"
#include "gen/base/order.h"
#include "gen/base/quote.h"
#include "gen/base/tempdir.h"
#include "gen/base/text.h"

enum { LENGTH_BYTES = 8 };

static bool fail(Arena *a, const char **err, const char *path, const char *why)
{
    *err = arena_printf(a, "cannot write '%s': %s", path, why);
    return false;
}

/* ---- the header ---- */

static int order_tensors(const void *x, const void *y)
{
    const SafeTensor *const *a = x, *const *b = y;
    const int bits = elements[(*b)->type].bits - elements[(*a)->type].bits;
    return bits ? bits : strcmp((*a)->name, (*b)->name);
}

static bool is_utf8(const char *s)
{
    json_t *v = json_string(s);
    json_decref(v);
    return v;
}

/* Why a tensor cannot stand in a file; NULL: it can. */
static const char *fault_of(Arena *a, const SafeTensor *t)
{
    int64_t count, bytes;
    if (!elements[t->type].safetensors)
        return arena_printf(a, "the format has no type %s", elements[t->type].name);
    if (!is_utf8(t->name) || strcmp(t->name, "__metadata__") == 0)
        return "the name cannot stand in the format";
    if (t->rank < 0 || t->rank > SAFETENSORS_MAX_RANK)
        return "it has too many dimensions";
    if (!element_count(t->dim, t->rank, &count) || !element_bytes(t->type, count, &bytes) || (size_t)bytes != t->bytes)
        return "its extents do not fit its bytes";
    return NULL;
}

/* Those at `tensor` in the order of their elements; NULL with *err set. */
static const SafeTensor **ordered(Arena *a, const SafeTensor *tensor, int n, const char **err)
{
    const SafeTensor **list = ARENA_ARRAY(a, n, const SafeTensor *);
    for (int i = 0; i < n; i++) {
        const char *fault = fault_of(a, &tensor[i]);
        list[i] = &tensor[i];
        if (fault) {
            *err = arena_printf(a, "tensor '%s' cannot be written: %s", tensor[i].name, fault);
            return NULL;
        }
    }
    qsort(list, (size_t)n, sizeof *list, order_tensors);
    return list;
}

static bool names_differ(Arena *a, const SafeTensor *tensor, int n, const char **err)
{
    const char **name = ARENA_ARRAY(a, n, const char *);
    for (int i = 0; i < n; i++)
        name[i] = tensor[i].name;
    qsort(name, (size_t)n, sizeof *name, order_word);
    for (int i = 1; i < n; i++)
        if (strcmp(name[i - 1], name[i]) == 0) {
            *err = arena_printf(a, "two tensors are called '%s'", name[i]);
            return false;
        }
    return true;
}

/* What files begin with that are written here, behind the length. */
static const char mark[] = "{\"__metadata__\":{\"written_by\":\"dcgen import\"}";

bool safetensors_is_written(const char *path)
{
    char begin[LENGTH_BYTES + sizeof mark - 1];
    FILE *f = fopen(path, "rb");
    const bool is_written = f && fread(begin, 1, sizeof begin, f) == sizeof begin &&
                            memcmp(begin + LENGTH_BYTES, mark, sizeof mark - 1) == 0;
    if (f)
        fclose(f);
    return is_written;
}

static void add_entry(Arena *a, Text *t, const SafeTensor *x, size_t begin)
{
    text_printf(t, ",%s:{\"dtype\":\"%s\",\"shape\":[", quote_json_text(a, x->name), elements[x->type].safetensors);
    for (int i = 0; i < x->rank; i++)
        text_printf(t, "%s%" PRId64, i ? "," : "", x->dim[i]);
    text_printf(t, "],\"data_offsets\":[%zu,%zu]}", begin, begin + x->bytes);
}

/* Length and header, with blanks behind it. */
static Text header(Arena *a, const SafeTensor *const *list, int n)
{
    Text t = { .arena = a }, all = { .arena = a };
    size_t at = 0;
    text_add(&t, mark);
    for (int i = 0; i < n; at += list[i++]->bytes)
        add_entry(a, &t, list[i], at);
    text_add(&t, "}");
    while ((LENGTH_BYTES + t.len) % SAFETENSORS_ALIGN)
        text_add(&t, " ");
    for (int i = 0; i < LENGTH_BYTES; i++)
        text_addn(&all, (const char[]){ (char)((uint64_t)t.len >> (8 * i)) }, 1);
    text_addn(&all, t.s, t.len);
    return all;
}

/* ---- the file ---- */

static bool write_all(int fd, const Text *head, const SafeTensor *const *list, int n)
{
    bool ok = text_write(fd, head->s, head->len);
    for (int i = 0; i < n && ok; i++)
        ok = text_write(fd, list[i]->data, list[i]->bytes);
    return ok && fsync(fd) == 0;
}

bool safetensors_write(Arena *a, const char *path, const SafeTensor *tensor, int n, const char **err)
{
    const SafeTensor **list = ordered(a, tensor, n, err);
    if (!list || !names_differ(a, tensor, n, err))
        return false;
    const Text head = header(a, list, n);
    if (head.len - LENGTH_BYTES > SAFETENSORS_MAX_HEADER)
        return fail(a, err, path, "there are too many tensors for one file");
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *parent = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : ".";
    const char *prefix = arena_printf(a, ".%s.tmp.", name);
    TempDir tmp;
    tempdir_sweep(a, parent, prefix, NULL, NULL);
    if (!tempdir_make(a, parent, prefix, &tmp))
        return fail(a, err, path, strerror(errno));
    const char *fresh = arena_printf(a, "%s/new", tmp.path);
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool ok = fd >= 0 && text_close(fd, write_all(fd, &head, list, n)) && rename(fresh, path) == 0;
    if (!ok)
        fail(a, err, path, strerror(errno));
    tempdir_remove(&tmp);
    return ok;
}
