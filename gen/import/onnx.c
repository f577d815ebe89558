/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx: opens a model's file, has it looked through and unpacked, and reads what it says of itself.
 */
#include "gen/import/onnx_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* MAX_WORK: values, attributes and names, where functions are put in place of calls: less than 100 bytes a piece. */
enum { MAX_WORK = 5000000, MIN_IR_VERSION = 3 };

bool onnx_error(const Import *im, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *message = arena_vprintf(im->arena, fmt, ap);
    va_end(ap);
    return diag_error(im->diag, (Loc){ .src = im->model->src }, "%s", message);
}

bool onnx_spend(Import *im, int64_t n)
{
    im->work += n;
    if (!im->stopped && (im->work > MAX_WORK || im->nnode > ONNX_MAX_NODES)) {
        im->stopped = true;
        onnx_error(
            im,
            "is too large once its functions stand in place of their calls; expected at most %d nodes, and %d values, "
            "attributes and pieces of names",
            ONNX_MAX_NODES, MAX_WORK);
    }
    return !im->stopped;
}

/* ---- the file ---- */

/* protobuf-c takes memory of the arena. */
static void *take(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }
static void leave(void *arena, void *pointer) { (void)arena, (void)pointer; }

ProtobufCAllocator onnx_allocator(Arena *a) { return (ProtobufCAllocator){ take, leave, a }; }

static const Onnx__ModelProto *unpack(Import *im, const uint8_t *bytes, size_t n)
{
    const char *fault;
    if (!onnx_scan(im->arena, bytes, n, &fault))
        return onnx_error(im, "%s", fault), NULL;
    ProtobufCAllocator allocator = onnx_allocator(im->arena);
    const Onnx__ModelProto *p = onnx__model_proto__unpack(&allocator, n, bytes);
    if (!p)
        onnx_error(im, "is no ONNX model: its fields are of other types");
    return p;
}

static const Onnx__ModelProto *unpack_file(Import *im, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return onnx_error(im, "cannot be read: %s", strerror(errno)), NULL;
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return onnx_error(im, "is %s; expected an ONNX model", st.st_size ? "no regular file" : "empty"), NULL;
    if (st.st_size > INT32_MAX)
        return onnx_error(im,
                          "has %" PRId64 " bytes; expected less than 2 GiB, as protobuf has it, and larger weights as "
                          "external data",
                          (int64_t)st.st_size),
               NULL;
    uint8_t *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return onnx_error(im, "cannot be read: %s", strerror(errno)), NULL;
    const Onnx__ModelProto *p = unpack(im, bytes, (size_t)st.st_size);
    munmap(bytes, (size_t)st.st_size);
    return p;
}

static const Onnx__ModelProto *open_model(Import *im)
{
    const int fd = open(im->model->src->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return onnx_error(im, "cannot be read: %s", strerror(errno)), NULL;
    const Onnx__ModelProto *p = unpack_file(im, fd);
    close(fd);
    return p;
}

/* ---- the model ---- */

static void read_versions(Import *im, const Onnx__ModelProto *p)
{
    OnnxModel *m = im->model;
    m->ir_version = p->ir_version;
    m->producer = arena_printf(im->arena, "%s%s%s", onnx_text(p->producer_name),
                               *onnx_text(p->producer_version) ? " " : "", onnx_text(p->producer_version));
    m->opset = -1;
    for (size_t i = 0; i < p->n_opset_import; i++)
        if (!*onnx_domain(p->opset_import[i]->domain))
            m->opset = p->opset_import[i]->version;
    if (m->ir_version < MIN_IR_VERSION)
        onnx_error(im, "expected a version of the format from %d, found %" PRId64, MIN_IR_VERSION, m->ir_version);
    if (m->opset == -1)
        onnx_error(im, "expected an opset of %d to %d, found none", ONNX_MIN_OPSET, ONNX_MAX_OPSET);
    else if (m->opset < ONNX_MIN_OPSET || m->opset > ONNX_MAX_OPSET)
        onnx_error(im, "expected an opset of %d to %d, found %" PRId64, ONNX_MIN_OPSET, ONNX_MAX_OPSET, m->opset);
}

static void read_model(Import *im, const Onnx__ModelProto *p)
{
    if (!p->graph) {
        onnx_error(im, "is no ONNX model: expected a graph in it");
        return;
    }
    read_versions(im, p);
    onnx_read_functions(im, p);
    onnx_note_names(im, p->graph);
    im->model->graph = onnx_read_graph(im, p->graph, NULL, NULL, 0);
}

OnnxModel *onnx_read(Arena *a, const char *path, Diag *d)
{
    const int nerror = diag_nerror(d);
    Source *src = ARENA_NEW(a, Source);
    src->path = arena_strdup(a, path);
    OnnxModel *m = ARENA_NEW(a, OnnxModel);
    *m = (OnnxModel){ .src = src, .diag = d, .producer = "" };
    Import im = {
        .arena = a, .diag = d, .model = m, .functions = table_new(a), .nodes = table_new(a), .values = table_new(a)
    };
    im.tensors.arena = im.attributes.arena = a;
    const Onnx__ModelProto *p = open_model(&im);
    if (p)
        read_model(&im, p);
    if (diag_nerror(d) == nerror)
        return m;
    onnx_close(m);
    return NULL;
}
