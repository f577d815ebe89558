/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_external: elements that lie in a file beside the model's. It is mapped once, and must lie in the model's folder
 * or below it, links followed: a model shall not read what else is on a machine.
 */
#define _GNU_SOURCE /* O_PATH */
#include "gen/import/onnx_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *location; /* as the model has it */
    char *bytes;
    size_t size, copied;
    const char *fault; /* NULL: it is mapped */
} MappedFile;

struct OnnxFiles {
    MappedFile *item;
    int n, cap;
    NameTable by_location;
};

void onnx_close(OnnxModel *m)
{
    for (int i = 0; m && m->files && i < m->files->n; i++)
        if (m->files->item[i].size)
            munmap(m->files->item[i].bytes, m->files->item[i].size);
    if (m)
        m->files = NULL;
}

/* ---- a file ---- */

static bool has_step_up(const char *path)
{
    for (; path; path = strchr(path, '/'), path = path ? path + 1 : NULL)
        if (strncmp(path, "..", 2) == 0 && (path[2] == '/' || path[2] == '\0'))
            return true;
    return false;
}

/* The path with links followed; NULL with *fault set. */
static const char *find_file(Arena *a, const char *model, const char *location, const char **fault)
{
    char folder[PATH_MAX], file[PATH_MAX];
    const char *slash = strrchr(model, '/');
    const char *beside = slash ? arena_strndup(a, model, (size_t)(slash + 1 - model)) : "./";
    if (!*location || *location == '/' || has_step_up(location)) {
        *fault = "expected a file in the model's folder";
        return NULL;
    }
    if (!realpath(beside, folder) || !realpath(arena_printf(a, "%s%s", beside, location), file)) {
        *fault = strerror(errno);
        return NULL;
    }
    const size_t n = strlen(folder);
    if (strncmp(file, folder, n) != 0 || (file[n] != '/' && strcmp(folder, "/") != 0)) {
        *fault = "a link leads out of the model's folder; expected a file in it";
        return NULL;
    }
    return arena_strdup(a, file);
}

static void map_file(Arena *a, const char *model, MappedFile *f)
{
    struct stat st;
    const char *path = find_file(a, model, f->location, &f->fault);
    if (!path)
        return;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        f->fault = strerror(errno);
    } else if (!S_ISREG(st.st_mode)) {
        f->fault = "expected a regular file";
    } else if (st.st_size > 0) {
        f->bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        f->fault = f->bytes == MAP_FAILED ? strerror(errno) : NULL;
        f->size = f->fault ? 0 : (size_t)st.st_size;
    }
    if (fd >= 0)
        close(fd);
}

static MappedFile *file_at(Import *im, const char *location)
{
    struct OnnxFiles *all = im->model->files;
    if (!all) {
        all = im->model->files = ARENA_NEW(im->arena, struct OnnxFiles);
        all->by_location = table_new(im->arena);
    }
    const NameRow *row = table_find(&all->by_location, location);
    if (row)
        return &all->item[row->value];
    table_add(&all->by_location, location, all->n);
    MappedFile *f = LIST_PUSH(im->arena, all);
    *f = (MappedFile){ .location = location };
    map_file(im->arena, im->model->src->path, f);
    return f;
}

/* ---- a tensor's part of it ---- */

/* The elements where they can be loaded from: a copy if the file has them elsewhere. Copies of a file's parts take at
 * most twice its size: no honest model has many tensors in one place. */
static const void *loadable(Import *im, MappedFile *f, size_t offset, const OnnxTensor *t, const char *shown)
{
    const char *data = f->bytes + offset;
    const size_t unit = elements[t->type].bits < 16 ? 1 : (size_t)elements[t->type].bits / 8;
    if ((uintptr_t)data % unit == 0)
        return data;
    f->copied += t->bytes;
    if (f->copied > 2 * f->size)
        return onnx_error(im, "tensor %s lies in %s at no multiple of %zu, as many others do; expected a multiple",
                          shown, onnx_shown(im->arena, f->location), unit),
               NULL;
    return memcpy(arena_alloc(im->arena, t->bytes), data, t->bytes);
}

/* A decimal number in the entry of that name; `otherwise` where there is none; -1: it is no number. */
static int64_t entry_number(const Onnx__TensorProto *p, const char *key, int64_t otherwise)
{
    int64_t v = otherwise;
    for (size_t i = 0; i < p->n_external_data; i++) {
        const char *text = onnx_text(p->external_data[i]->value);
        if (strcmp(onnx_text(p->external_data[i]->key), key) != 0)
            continue;
        v = *text ? 0 : -1;
        for (; *text && v >= 0; text++)
            if (*text < '0' || *text > '9' || __builtin_mul_overflow(v, 10, &v) ||
                __builtin_add_overflow(v, *text - '0', &v))
                v = -1;
    }
    return v;
}

const void *onnx_external(Import *im, const Onnx__TensorProto *p, const char *name, const OnnxTensor *t)
{
    const size_t bytes = t->bytes;
    const char *shown = onnx_shown(im->arena, name), *location = NULL;
    for (size_t i = 0; i < p->n_external_data; i++)
        if (strcmp(onnx_text(p->external_data[i]->key), "location") == 0)
            location = onnx_text(p->external_data[i]->value);
    if (!location)
        return onnx_error(im, "tensor %s lies in another file; expected a location", shown), NULL;
    const int64_t offset = entry_number(p, "offset", 0), length = entry_number(p, "length", (int64_t)bytes);
    if (offset < 0 || length != (int64_t)bytes)
        return onnx_error(im, "tensor %s: expected an offset from 0 and a length of %zu in its external data", shown,
                          bytes),
               NULL;
    MappedFile *f = file_at(im, location);
    if (f->fault)
        return onnx_error(im, "tensor %s lies in %s: %s", shown, onnx_shown(im->arena, location), f->fault), NULL;
    if ((size_t)offset > f->size || bytes > f->size - (size_t)offset)
        return onnx_error(im, "tensor %s: expected %zu bytes at byte %" PRId64 " of %s, which has %zu", shown, bytes,
                          offset, onnx_shown(im->arena, location), f->size),
               NULL;
    return loadable(im, f, (size_t)offset, t, shown);
}
