/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_tensor: tensors as bytes, whatever list of the file holds them, and what the file says of values.
 */
#include "gen/import/onnx_private.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lists of numbers are used as they lie in memory");

/* A tensor that was read: NULL if it is wrong, which is said once. */
struct ReadTensor {
    const Onnx__TensorProto *proto;
    const OnnxTensor *tensor;
};

/* ---- the list that holds the elements ---- */

typedef struct {
    const void *item;
    size_t n, item_bytes;
    const char *name;
} HeldList;

static HeldList list_of(const Onnx__TensorProto *p, ElementList list)
{
    switch (list) {
    case LIST_FLOATS:
        return (HeldList){ p->float_data, p->n_float_data, 4, "float_data" };
    case LIST_INT32:
        return (HeldList){ p->int32_data, p->n_int32_data, 4, "int32_data" };
    case LIST_INT64:
        return (HeldList){ p->int64_data, p->n_int64_data, 8, "int64_data" };
    case LIST_DOUBLES:
        return (HeldList){ p->double_data, p->n_double_data, 8, "double_data" };
    case LIST_UINT64:
        return (HeldList){ p->uint64_data, p->n_uint64_data, 8, "uint64_data" };
    default:
        return (HeldList){ p->string_data, p->n_string_data, sizeof *p->string_data, "string_data" };
    }
}

/* The lowest `bytes` of each of the list's numbers. NULL: one of them has more digits, which is said. */
static const void *narrowed(const Import *im, const HeldList *l, size_t bytes, const char *name, const char *type)
{
    char *to = arena_alloc(im->arena, l->n * bytes);
    const int64_t end = INT64_C(1) << (8 * bytes), least = -end / 2;
    for (size_t i = 0; i < l->n; i++) {
        int64_t v = 0;
        memcpy(&v, (const char *)l->item + i * l->item_bytes, l->item_bytes);
        v = l->item_bytes == 4 ? (int32_t)v : v;
        if (v < least || v >= end) {
            onnx_error(im, "tensor %s: element %zu is %" PRId64 "; expected a number of type %s",
                       onnx_shown(im->arena, name), i, v, type);
            return NULL;
        }
        memcpy(to + i * bytes, &v, bytes);
    }
    return to;
}

static bool wrong_size(const Import *im, const char *name, const OnnxTensor *t, const char *where, size_t found)
{
    Text dims = { .arena = im->arena };
    for (int i = 0; i < t->rank; i++)
        text_printf(&dims, "%s%" PRId64, i ? "," : "", t->dim[i]);
    return onnx_error(im, "tensor %s: expected %zu bytes for %s[%s], found %zu in its %s", onnx_shown(im->arena, name),
                      t->bytes, elements[t->type].name, text_str(&dims), found, where);
}

/* From a list, of which each number holds an element, a part of a complex one, or a byte of small ones. */
static bool take_list(Import *im, const Onnx__TensorProto *p, const char *name, OnnxTensor *t)
{
    const Element *e = &elements[t->type];
    const HeldList l = list_of(p, e->list);
    size_t bytes = e->bits < 8 ? 1 : (size_t)e->bits / 8; /* of each number */
    bytes = bytes < l.item_bytes ? bytes : l.item_bytes;
    if (l.n != t->bytes / bytes || l.n * bytes != t->bytes)
        return wrong_size(im, name, t, l.name, l.n * bytes);
    t->data = bytes == l.item_bytes ? l.item : narrowed(im, &l, bytes, name, e->name);
    return t->data != NULL;
}

static bool take_data(Import *im, const Onnx__TensorProto *p, const char *name, OnnxTensor *t)
{
    const HeldList l = list_of(p, elements[t->type].list);
    const bool is_external = p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (p->segment)
        return onnx_error(im, "tensor %s is one of several segments; expected a whole one",
                          onnx_shown(im->arena, name));
    if ((int)is_external + (p->has_raw_data && p->raw_data.len > 0) + (l.n > 0) > 1)
        return onnx_error(im, "tensor %s has its elements twice; expected raw_data, %s or external data",
                          onnx_shown(im->arena, name), l.name);
    if (t->type == ELEMENT_STRING)
        return (int64_t)l.n == t->count || onnx_error(im, "tensor %s: expected %" PRId64 " texts, found %zu",
                                                      onnx_shown(im->arena, name), t->count, l.n);
    if (is_external && t->bytes) {
        t->data = onnx_external(im, p, name, t);
        return t->data != NULL;
    }
    if (!p->has_raw_data || (t->bytes && !p->raw_data.len && l.n))
        return t->bytes || l.n ? take_list(im, p, name, t) : true;
    if (p->raw_data.len != t->bytes)
        return wrong_size(im, name, t, "raw_data", p->raw_data.len);
    t->data = t->bytes ? p->raw_data.data : NULL;
    return true;
}

static const OnnxTensor *read_tensor(Import *im, const Onnx__TensorProto *p, const char *name)
{
    int64_t bytes = 0;
    OnnxTensor *t = ARENA_NEW(im->arena, OnnxTensor);
    *t = (OnnxTensor){ .type = element_of_onnx(p->data_type), .rank = (int)p->n_dims, .dim = p->dims };
    const char *shown = onnx_shown(im->arena, name);
    if (t->type == ELEMENT_NONE)
        return onnx_error(im, "tensor %s: the type of its elements, %d, is unknown", shown, p->data_type), NULL;
    if (p->n_dims > ONNX_MAX_RANK)
        return onnx_error(im, "tensor %s has %zu dimensions; expected at most %d", shown, p->n_dims, ONNX_MAX_RANK),
               NULL;
    for (int i = 0; i < t->rank; i++)
        if (t->dim[i] < 0)
            return onnx_error(im, "tensor %s: expected an extent from 0, found %" PRId64, shown, t->dim[i]), NULL;
    if (!element_count(t->dim, t->rank, &t->count) || !element_bytes(t->type, t->count, &bytes))
        return onnx_error(im, "tensor %s: the product of its extents is too large", shown), NULL;
    t->bytes = (size_t)bytes;
    return take_data(im, p, name, t) ? t : NULL;
}

const OnnxTensor *onnx_read_tensor(Import *im, const Onnx__TensorProto *p, const char *name)
{
    const uint64_t hash = index_hash(&p, sizeof p, 0);
    size_t from = 0;
    int64_t i = -1;
    while ((i = index_next(&im->tensors, hash, &from)) >= 0 && im->tensor[i].proto != p)
        ;
    if (i < 0) {
        i = im->ntensor;
        im->tensor = list_room(im->arena, im->tensor, im->ntensor++, &im->tensor_cap, sizeof *im->tensor);
        im->tensor[i] = (struct ReadTensor){ p, read_tensor(im, p, name) };
        index_add(&im->tensors, hash, i);
    }
    if (!im->tensor[i].tensor)
        return NULL;
    OnnxTensor *named = ARENA_NEW(im->arena, OnnxTensor);
    *named = *im->tensor[i].tensor;
    named->name = name;
    return named;
}

/* ---- what the file says of values ---- */

static const char *kind_of(const Onnx__TypeProto *type)
{
    switch (type->value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
    case ONNX__TYPE_PROTO__VALUE__NOT_SET:
        return NULL;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        return "sequence";
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        return "map";
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        return "optional";
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        return "sparse tensor";
    default: /* a later schema has more */
        return "value of another type";
    }
}

static void read_shape(Import *im, const Onnx__TensorShapeProto *shape, OnnxValue *v)
{
    if (shape->n_dim > ONNX_MAX_RANK) {
        onnx_error(im, "value %s has %zu dimensions; expected at most %d", onnx_shown(im->arena, v->name), shape->n_dim,
                   ONNX_MAX_RANK);
        return;
    }
    if (!onnx_spend(im, (int64_t)shape->n_dim))
        return;
    OnnxDim *dim = ARENA_ARRAY(im->arena, shape->n_dim, OnnxDim);
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
        const bool is_number = d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        const bool is_symbol = d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && *d->dim_param;
        dim[i] = (OnnxDim){ is_number ? d->dim_value : -1, is_symbol ? d->dim_param : NULL };
        if (is_number && d->dim_value < 0)
            onnx_error(im, "value %s: expected an extent from 0, found %" PRId64, onnx_shown(im->arena, v->name),
                       d->dim_value);
    }
    v->has_shape = true;
    v->rank = (int)shape->n_dim;
    v->dim = dim;
}

OnnxValue onnx_read_value(Import *im, const Onnx__ValueInfoProto *p, Scope *s)
{
    OnnxValue v = { .name = onnx_outside(im, s, onnx_text(p->name)) };
    if (!p->type)
        return v;
    v.other = kind_of(p->type);
    if (p->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return v;
    const Onnx__TypeProto__Tensor *t = p->type->tensor_type;
    v.type = element_of_onnx(t->elem_type);
    if (v.type == ELEMENT_NONE && t->elem_type != 0)
        onnx_error(im, "value %s: the type of its elements, %d, is unknown", onnx_shown(im->arena, v.name),
                   t->elem_type);
    if (t->shape)
        read_shape(im, t->shape, &v);
    return v;
}
