/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_scan: looks through a file before protobuf-c unpacks it, which would follow messages within messages to any
 * depth, take a hundred times a file's size of memory for empty messages, and merge messages that are there twice.
 *
 * A message is a list of fields, each a key, number * 8 + wire type, and a value: a number of up to ten bytes, 8 bytes,
 * 4 bytes, or a length with so many bytes. What those are, a message, a text or packed numbers, the schema says.
 */
#include "gen/import/onnx_private.h"

#include <inttypes.h>
#include <string.h>

/* MAX_DEPTH is that of Google's protobuf, so no writer goes deeper. Of MAX_MEMORY the largest models that are read
 * (ONNX_MAX_NODES) need about half; what tensors hold is not counted. MAX_NAME: names are paths of modules, at most. */
enum { MAX_DEPTH = 100, MAX_MEMORY = 1 << 30, FIELD_MEMORY = 64, MAX_NAME = 4096 };
enum { WIRE_NUMBER = 0, WIRE_8_BYTES = 1, WIRE_LENGTH = 2, WIRE_4_BYTES = 5 };

typedef struct {
    Arena *arena;
    const uint8_t *bytes;
    size_t size, memory;
    int nnode;
    const char *fault;
} Scan;

static bool scan_message(Scan *s, const ProtobufCMessageDescriptor *type, size_t at, size_t end, int depth);

#define fault(s, ...) ((s)->fault = arena_printf((s)->arena, __VA_ARGS__), false)

static bool no_protobuf(Scan *s, size_t at)
{
    return fault(s, "is no ONNX model: what is at byte %zu is in no protobuf", at);
}

static bool scan_number(Scan *s, size_t *at, size_t end, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = s->bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return *at == s->size ? fault(s, "is cut off at byte %zu", s->size) : no_protobuf(s, *at);
}

/* Where the value of n bytes at `at` ends. */
static bool skip(Scan *s, size_t *at, size_t end, uint64_t n)
{
    if (n > end - *at)
        return end == s->size ? fault(s, "is cut off, or no ONNX model: %" PRIu64 " bytes should be at byte %zu of %zu",
                                      n, *at, s->size)
                              : no_protobuf(s, *at);
    *at += (size_t)n;
    return true;
}

static bool is_varint(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_UINT64 ||
           type == PROTOBUF_C_TYPE_ENUM || type == PROTOBUF_C_TYPE_UINT32;
}

/* Notes that the message has the field; a single message may be there once. */
static bool note_field(Scan *s, const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field,
                       uint64_t *seen, size_t at)
{
    const size_t place = (size_t)(field - type->fields);
    const uint64_t bit = place < 64 ? UINT64_C(1) << place : 0;
    if (field->label != PROTOBUF_C_LABEL_REPEATED && field->type == PROTOBUF_C_TYPE_MESSAGE && (*seen & bit))
        return fault(s, "is no ONNX model: at byte %zu a %s has a second '%s'", at, type->short_name, field->name);
    *seen |= bit;
    return true;
}

/* Is a text looked up? Comments, and values of free keys, are not. */
static bool is_name(const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field)
{
    return type != &onnx__string_string_entry_proto__descriptor && strcmp(field->name, "doc_string") != 0;
}

/* The value, of n bytes at `at`, of a field that has a length. */
static bool scan_value(Scan *s, const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field,
                       size_t at, size_t n, int depth)
{
    if (is_varint(field->type)) /* a byte may become a number of eight */
        s->memory += 8 * n;
    if (field->type == PROTOBUF_C_TYPE_STRING && memchr(s->bytes + at, 0, n))
        return fault(s, "has a NUL character in the '%s' at byte %zu", field->name, at);
    if (field->type == PROTOBUF_C_TYPE_STRING && n > MAX_NAME && is_name(type, field))
        return fault(s, "has a name of %zu bytes at byte %zu; expected at most %d", n, at, MAX_NAME);
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return true;
    s->memory += ((const ProtobufCMessageDescriptor *)field->descriptor)->sizeof_message;
    s->nnode += field->descriptor == &onnx__node_proto__descriptor;
    if (s->nnode > ONNX_MAX_NODES)
        return fault(s, "has more than %d nodes; expected at most that many", ONNX_MAX_NODES);
    return scan_message(s, field->descriptor, at, at + n, depth + 1);
}

static bool scan_field(Scan *s, const ProtobufCMessageDescriptor *type, size_t *at, size_t end, uint64_t *seen,
                       int depth)
{
    const size_t begin = *at;
    uint64_t key, n = 0;
    if (!scan_number(s, at, end, &key))
        return false;
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return no_protobuf(s, begin);
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
    const int wire = (int)(key & 7);
    s->memory += FIELD_MEMORY;
    if (s->memory > MAX_MEMORY)
        return fault(s, "is too large: it has more small parts than %d MiB hold", MAX_MEMORY >> 20);
    if (field && !note_field(s, type, field, seen, begin))
        return false;
    if (wire == WIRE_NUMBER)
        return scan_number(s, at, end, &n);
    if (wire == WIRE_LENGTH && !scan_number(s, at, end, &n))
        return false;
    if (wire != WIRE_LENGTH && wire != WIRE_8_BYTES && wire != WIRE_4_BYTES)
        return no_protobuf(s, begin);
    const size_t value = *at;
    if (!skip(s, at, end, wire == WIRE_LENGTH ? n : wire == WIRE_8_BYTES ? 8 : 4))
        return false;
    return !field || wire != WIRE_LENGTH || scan_value(s, type, field, value, (size_t)n, depth);
}

static bool scan_message(Scan *s, const ProtobufCMessageDescriptor *type, size_t at, size_t end, int depth)
{
    uint64_t seen = 0;
    if (depth > MAX_DEPTH)
        return fault(s, "nests messages deeper than %d; expected at most that many", MAX_DEPTH);
    while (at < end)
        if (!scan_field(s, type, &at, end, &seen, depth))
            return false;
    return true;
}

bool onnx_scan(Arena *a, const uint8_t *bytes, size_t n, const char **fault)
{
    Scan s = { .arena = a, .bytes = bytes, .size = n };
    const bool ok = scan_message(&s, &onnx__model_proto__descriptor, 0, n, 0);
    *fault = s.fault;
    return ok;
}

/* ---- fields that came later than the schema ---- */

/* The unknown field at *from or behind it that has the number and a length: its bytes. */
static const uint8_t *next_unknown(const ProtobufCMessage *m, unsigned number, unsigned *from, size_t *n)
{
    for (; *from < m->n_unknown_fields; ++*from) {
        const ProtobufCMessageUnknownField *f = &m->unknown_fields[*from];
        size_t prefix = 0; /* the length */
        if (f->tag != number || f->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            continue;
        while (prefix < f->len && (f->data[prefix] & 0x80))
            prefix++;
        ++*from;
        *n = f->len - prefix - (prefix < f->len);
        return f->data + f->len - *n;
    }
    return NULL;
}

const char *onnx_late_text(Arena *a, const ProtobufCMessage *m, unsigned number)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(m->descriptor, number);
    if (field)
        return *(char *const *)((const char *)m + field->offset);
    unsigned from = 0;
    size_t n = 0;
    const char *last = NULL;
    for (const uint8_t *text; (text = next_unknown(m, number, &from, &n));)
        last = arena_strndup(a, (const char *)text, n);
    return last;
}

ProtobufCMessage **onnx_late_list(Import *im, const ProtobufCMessage *m, unsigned number,
                                  const ProtobufCMessageDescriptor *type, int *n)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(m->descriptor, number);
    if (field) {
        *n = (int)*(const size_t *)((const char *)m + field->quantifier_offset);
        return *(ProtobufCMessage * *const *)((const char *)m + field->offset);
    }
    struct {
        ProtobufCMessage **item;
        int n, cap;
    } list = { 0 };
    ProtobufCAllocator allocator = onnx_allocator(im->arena);
    unsigned from = 0;
    size_t bytes = 0;
    Scan s = { .arena = im->arena };
    for (const uint8_t *text; (text = next_unknown(m, number, &from, &bytes));) {
        s.bytes = text;
        s.size = bytes;
        ProtobufCMessage *item =
            scan_message(&s, type, 0, bytes, 0) ? protobuf_c_message_unpack(type, &allocator, bytes, text) : NULL;
        if (item)
            *LIST_PUSH(im->arena, &list) = item;
        else
            onnx_error(im, "a field of a %s cannot be read: %s", m->descriptor->short_name, s.fault ? s.fault : "");
    }
    *n = list.n;
    return list.item;
}
