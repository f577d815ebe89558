/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_tensor: elements of all types, from each place where a file may have them; sizes that do not fit; files of
 * external data, which lie in the model's folder.
 */
#include "tests/test.h"
#include "tests/gen/import/onnx_model.h"

/* A model whose only constant is w. */
static Onnx__ModelProto *model_of(Onnx__TensorProto *w)
{
    Onnx__ModelProto *p = new_model();
    ADD(p->graph->initializer, p->graph->n_initializer, w);
    return p;
}

static const OnnxTensor *tensor_of(Onnx__TensorProto *w)
{
    const OnnxTensor *t = onnx_constant(good(model_of(w))->graph, "w");
    assert_non_null(t);
    return t;
}

static void check_bytes(Onnx__TensorProto *w, const void *bytes, size_t n)
{
    const OnnxTensor *t = tensor_of(w);
    assert_int_equal(t->bytes, n);
    assert_int_equal((uintptr_t)t->data % 16, 0);
    assert_memory_equal(t->data, bytes, n);
}

/* ---- lists ---- */

TEST(small_numbers_in_int32_data)
{
    static const struct {
        ElementType type;
        int32_t in[3];
        size_t bytes; /* of an element */
    } row[] = { { ELEMENT_S32, { -1, 2, INT32_MIN }, 4 }, { ELEMENT_S16, { -1, 2, -32768 }, 2 },
                { ELEMENT_U16, { 0, 2, 65535 }, 2 },      { ELEMENT_F16, { 0x3c00, 0xffff, 1 }, 2 },
                { ELEMENT_BF16, { 0x3f80, 0, 1 }, 2 },    { ELEMENT_S8, { -128, 127, 255 }, 1 },
                { ELEMENT_U8, { 0, 255, 7 }, 1 },         { ELEMENT_BOOL, { 0, 1, 1 }, 1 },
                { ELEMENT_E4M3, { 0, 255, 7 }, 1 } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Onnx__TensorProto *w = new_tensor("w", row[i].type, "3");
        char want[12];
        for (int k = 0; k < 3; k++) {
            ADD(w->int32_data, w->n_int32_data, row[i].in[k]);
            memcpy(want + (size_t)k * row[i].bytes, &row[i].in[k], row[i].bytes);
        }
        check_bytes(w, want, 3 * row[i].bytes);
    }
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_U8, "1");
    ADD(w->int32_data, w->n_int32_data, 256);
    bad(model_of(w), "tensor 'w': element 0 is 256; expected a number of type u8");
    w->int32_data[0] = -129;
    bad(model_of(w), "tensor 'w': element 0 is -129; expected a number of type u8");
}

/* Two or four elements a byte, each byte a number of the list. */
TEST(packed_elements)
{
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_S4, "3");
    ADD(w->int32_data, w->n_int32_data, 0xf1);
    ADD(w->int32_data, w->n_int32_data, 2);
    check_bytes(w, "\xf1\x02", 2);
    w = new_tensor("w", ELEMENT_U2, "5");
    check_bytes(set_raw(w, "\x1b\x01", 2), "\x1b\x01", 2);
}

TEST(lists_of_large_elements)
{
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_F32, "1 2");
    ADD(w->float_data, w->n_float_data, 1.5f);
    ADD(w->float_data, w->n_float_data, -2.0f);
    check_bytes(w, (const float[]){ 1.5f, -2 }, 8);
    w->data_type = elements[ELEMENT_C64].onnx;
    w->n_dims = 1;
    check_bytes(w, (const float[]){ 1.5f, -2 }, 8);
    w = new_tensor("w", ELEMENT_F64, "1");
    ADD(w->double_data, w->n_double_data, 0.1);
    check_bytes(w, (const double[]){ 0.1 }, 8);
    w = new_tensor("w", ELEMENT_S64, "2");
    ADD(w->int64_data, w->n_int64_data, INT64_MIN);
    ADD(w->int64_data, w->n_int64_data, 5);
    check_bytes(w, (const int64_t[]){ INT64_MIN, 5 }, 16);
    w = new_tensor("w", ELEMENT_U64, "");
    ADD(w->uint64_data, w->n_uint64_data, UINT64_MAX);
    check_bytes(w, (const uint64_t[]){ UINT64_MAX }, 8);
    w->data_type = elements[ELEMENT_U32].onnx;
    w->uint64_data[0] = UINT32_MAX;
    check_bytes(w, (const uint32_t[]){ UINT32_MAX }, 4);
    w->uint64_data[0] = UINT64_C(1) << 32;
    bad(model_of(w), "element 0 is 4294967296; expected a number of type u32");
}

TEST(nothing_in_a_tensor)
{
    const OnnxTensor *t = tensor_of(new_tensor("w", ELEMENT_F32, "3 0 9"));
    assert_true(t->count == 0 && t->bytes == 0 && !t->data && t->rank == 3 && t->dim[2] == 9);
    t = tensor_of(new_tensor("w", ELEMENT_F32, "9223372036854775807 0 9223372036854775807"));
    assert_int_equal(t->count, 0);
    t = tensor_of(set_raw(new_tensor("w", ELEMENT_F32, "0"), "", 0));
    assert_int_equal(t->bytes, 0);
}

TEST(strings_are_not_kept)
{
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_STRING, "2");
    ADD(w->string_data, w->n_string_data, ((ProtobufCBinaryData){ 1, (uint8_t *)"a" }));
    bad(model_of(w), "tensor 'w': expected 2 texts, found 1");
    ADD(w->string_data, w->n_string_data, ((ProtobufCBinaryData){ 1, (uint8_t *)"b" }));
    const OnnxTensor *t = tensor_of(w);
    assert_true(t->type == ELEMENT_STRING && t->count == 2 && !t->data && t->bytes == 0);
}

/* ---- what does not fit ---- */

TEST(sizes_that_do_not_fit)
{
    static const struct {
        const char *dims, *why;
    } row[] = { { "2", "tensor 'w': expected 8 bytes for f32[2], found 4 in its raw_data" },
                { "0", "tensor 'w': expected 0 bytes for f32[0], found 4 in its raw_data" },
                { "65536 65536", "expected 17179869184 bytes for f32[65536,65536], found 4" },
                { "-1", "tensor 'w': expected an extent from 0, found -1" },
                { "0 -1", "tensor 'w': expected an extent from 0, found -1" },
                { "4294967296 4294967296", "tensor 'w': the product of its extents is too large" },
                { "1 9223372036854775807", "tensor 'w': the product of its extents is too large" },
                { "1 1 1 1 1 1 1 1 1 1 1 1 1", "tensor 'w' has 13 dimensions; expected at most 12" } };
    for (size_t i = 0; i < LENGTH(row); i++)
        bad(model_of(set_raw(new_tensor("w", ELEMENT_F32, row[i].dims), "abcd", 4)), row[i].why);
    tensor_of(set_raw(new_tensor("w", ELEMENT_F32, "1 1 1 1 1 1 1 1 1 1 1 1"), "abcd", 4));
    bad(model_of(new_tensor("w", ELEMENT_F32, "1")), "expected 4 bytes for f32[1], found 0 in its float_data");
    bad(model_of(set_raw(new_tensor("w", ELEMENT_F32, ""), "abc", 3)), "expected 4 bytes for f32[], found 3");
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_F32, "0");
    ADD(w->float_data, w->n_float_data, 1);
    bad(model_of(w), "expected 0 bytes for f32[0], found 4 in its float_data");
}

TEST(tensors_that_are_wrong)
{
    Onnx__TensorProto *w = set_raw(new_tensor("w", ELEMENT_F32, "1"), "abcd", 4);
    w->data_type = 77;
    bad(model_of(w), "tensor 'w': the type of its elements, 77, is unknown");
    w->data_type = 0;
    bad(model_of(w), "tensor 'w': the type of its elements, 0, is unknown");
    w->data_type = 1;
    ADD(w->float_data, w->n_float_data, 1);
    bad(model_of(w), "tensor 'w' has its elements twice; expected raw_data, float_data or external data");
    w->n_float_data = 0;
    w->segment = NEW(Onnx__TensorProto__Segment, onnx__tensor_proto__segment__init);
    bad(model_of(w), "tensor 'w' is one of several segments; expected a whole one");
    w->segment = NULL;
    w->name = "";
    bad(model_of(w), "initializer 0 has no name");
    Onnx__ModelProto *p = new_model();
    Onnx__SparseTensorProto *s = NEW(Onnx__SparseTensorProto, onnx__sparse_tensor_proto__init);
    s->values = w;
    w->name = "s";
    ADD(p->graph->sparse_initializer, p->graph->n_sparse_initializer, s);
    bad(p, "initializer 's' is sparse; expected a dense one");
}

/* No other error follows from one. */
TEST(what_reads_a_wrong_tensor)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_tensor(p->graph, "w", ELEMENT_F32, "1");
    add_input(p->graph, "w");
    NODE(p->graph, "Add", "a", "x w", "y");
    bad(p, "tensor 'w': expected 4 bytes");
}

/* ---- Constant nodes ---- */

static Onnx__AttributeProto *constant_with(Onnx__ModelProto **p, const char *name, int type)
{
    *p = new_model();
    add_output((*p)->graph, "w");
    return attribute(NODE((*p)->graph, "Constant", "c", "", "w"), name, type);
}

#define CONSTANT(p, name, TYPE) constant_with(p, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##TYPE)

static void check_constant(const Onnx__ModelProto *p, ElementType type, int rank, const void *bytes, size_t n)
{
    const OnnxGraph *g = good(p)->graph;
    const OnnxTensor *t = onnx_constant(g, "w");
    assert_true(g->nnode == 0 && g->nconstant == 1 && t && t->type == type && t->rank == rank && t->bytes == n);
    assert_string_equal(t->name, "w");
    if (n)
        assert_memory_equal(t->data, bytes, n);
}

TEST(constants_of_nodes)
{
    Onnx__ModelProto *p;
    static int64_t integers[] = { 3, -4 };
    static float reals[] = { 0.5f, 8 };
    CONSTANT(&p, "value", TENSOR)->t = set_raw(new_tensor("", ELEMENT_F32, "1 2"), reals, 8);
    check_constant(p, ELEMENT_F32, 2, reals, 8);
    CONSTANT(&p, "value_int", INT)->i = -4;
    p->graph->node[0]->attribute[0]->has_i = 1;
    check_constant(p, ELEMENT_S64, 0, &integers[1], 8);
    Onnx__AttributeProto *at = CONSTANT(&p, "value_ints", INTS);
    check_constant(p, ELEMENT_S64, 1, NULL, 0);
    at->ints = integers;
    at->n_ints = 2;
    check_constant(p, ELEMENT_S64, 1, integers, 16);
    at = CONSTANT(&p, "value_float", FLOAT);
    at->has_f = 1;
    at->f = 0.5f;
    check_constant(p, ELEMENT_F32, 0, reals, 4);
    at = CONSTANT(&p, "value_floats", FLOATS);
    at->floats = reals;
    at->n_floats = 2;
    check_constant(p, ELEMENT_F32, 1, reals, 8);
    CONSTANT(&p, "value_string", STRING);
    check_constant(p, ELEMENT_STRING, 0, NULL, 0);
    CONSTANT(&p, "value_strings", STRINGS);
    check_constant(p, ELEMENT_STRING, 1, NULL, 0);
}

TEST(constants_that_are_wrong)
{
    static const char want[] = "node 'c' (Constant): expected one output, and one attribute: value, value_int";
    Onnx__ModelProto *p;
    CONSTANT(&p, "value_int", FLOAT);
    bad(p, want);
    CONSTANT(&p, "sparse_value", SPARSE_TENSOR);
    bad(p, want);
    CONSTANT(&p, "value_int", INT);
    attribute_int(p->graph->node[0], "more", 1);
    bad(p, want);
    CONSTANT(&p, "value_int", INT);
    ADD(p->graph->node[0]->output, p->graph->node[0]->n_output, "z");
    bad(p, want);
    CONSTANT(&p, "value", TENSOR)->t = new_tensor("t", ELEMENT_F32, "1");
    bad(p, "tensor 't': expected 4 bytes for f32[1], found 0 in its float_data");
    CONSTANT(&p, "value_int", INT);
    add_one(p->graph, "w");
    bad(p, "node 'w' (Constant) writes 'w', which is there already");
}

/* ---- external data ---- */

static void set_entry(Onnx__TensorProto *w, const char *key, const char *value)
{
    Onnx__StringStringEntryProto *e = NEW(Onnx__StringStringEntryProto, onnx__string_string_entry_proto__init);
    e->key = (char *)key;
    e->value = (char *)value;
    if (value)
        ADD(w->external_data, w->n_external_data, e);
}

/* A number that lies in another file; NULL: no such entry. */
static Onnx__TensorProto *external(const char *location, const char *offset, const char *length)
{
    Onnx__TensorProto *w = new_tensor("w", ELEMENT_F32, "1");
    w->has_data_location = 1;
    w->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    set_entry(w, "location", location);
    set_entry(w, "offset", offset);
    set_entry(w, "length", length);
    return w;
}

static void check_external(Onnx__TensorProto *w, const char *bytes)
{
    OnnxModel *m = good(model_of(w));
    const OnnxTensor *t = onnx_constant(m->graph, "w");
    assert_int_equal(t->bytes, 4);
    assert_int_equal((uintptr_t)t->data % 4, 0);
    assert_memory_equal(t->data, bytes, 4);
    onnx_close(m);
}

TEST(external_data)
{
    put_bytes(in_folder("w.bin"), "0123456789abcdef", 16);
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    put_bytes(in_folder("sub/..w"), "abcd", 4);
    assert_int_equal(symlink("sub/..w", in_folder("link")), 0);
    check_external(external("w.bin", NULL, NULL), "0123");
    check_external(external("w.bin", "8", "4"), "89ab");
    check_external(external("./w.bin", "12", NULL), "cdef");
    check_external(external("w.bin", "5", "4"), "5678"); /* at no multiple of 4 */
    check_external(external("sub/..w", NULL, NULL), "abcd");
    check_external(external("link", NULL, NULL), "abcd");
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    OnnxModel *m = onnx_read(arena, "model.onnx", diag); /* the last one, by a path without a folder */
    assert_memory_equal(onnx_constant(m->graph, "w")->data, "abcd", 4);
    onnx_close(m);
    assert_int_equal(chdir(here), 0);
    Onnx__TensorProto *w = external("none", NULL, NULL);
    w->dims[0] = 0;
    assert_int_equal(tensor_of(w)->bytes, 0);
    onnx_close(NULL);
}

TEST(external_data_that_cannot_be_had)
{
    static const struct {
        const char *location, *offset, *length, *why;
    } row[] = {
        { NULL, NULL, NULL, "tensor 'w' lies in another file; expected a location" },
        { "none", NULL, NULL, "tensor 'w' lies in 'none': No such file or directory" },
        { "", NULL, NULL, "tensor 'w' lies in '': expected a file in the model's folder" },
        { "/etc/passwd", NULL, NULL, "tensor 'w' lies in '/etc/passwd': expected a file in the model's folder" },
        { "../w.bin", NULL, NULL, "tensor 'w' lies in '../w.bin': expected a file in the model's folder" },
        { "sub/../w.bin", NULL, NULL, "tensor 'w' lies in 'sub/../w.bin': expected a file in the model's folder" },
        { "sub/..", NULL, NULL, "tensor 'w' lies in 'sub/..': expected a file in the model's folder" },
        { "out", NULL, NULL,
          "tensor 'w' lies in 'out': a link leads out of the model's folder; expected a file in it" },
        { "up/w.bin", NULL, NULL, "tensor 'w' lies in 'up/w.bin': " },
        { "sub", NULL, NULL, "tensor 'w' lies in 'sub': expected a regular file" },
        { "pipe", NULL, NULL, "tensor 'w' lies in 'pipe': expected a regular file" },
        { "empty", NULL, NULL, "tensor 'w': expected 4 bytes at byte 0 of 'empty', which has 0" },
        { "w.bin", "13", NULL, "tensor 'w': expected 4 bytes at byte 13 of 'w.bin', which has 16" },
        { "w.bin", "9223372036854775807", NULL, "tensor 'w': expected 4 bytes at byte 9223372036854775807 of 'w.bin'" },
        { "w.bin", "9223372036854775808", NULL, "expected an offset from 0 and a length of 4 in its external data" },
        { "w.bin", "-1", NULL, "expected an offset from 0 and a length of 4 in its external data" },
        { "w.bin", "", NULL, "expected an offset from 0 and a length of 4 in its external data" },
        { "w.bin", "0x1", NULL, "expected an offset from 0 and a length of 4 in its external data" },
        { "w.bin", NULL, "8", "expected an offset from 0 and a length of 4 in its external data" },
    };
    put_bytes(in_folder("w.bin"), "0123456789abcdef", 16);
    put_bytes(in_folder("empty"), "", 0);
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(symlink("/etc/passwd", in_folder("out")), 0);
    assert_int_equal(symlink("..", in_folder("up")), 0);
    for (size_t i = 0; i < LENGTH(row); i++)
        bad(model_of(external(row[i].location, row[i].offset, row[i].length)), row[i].why);
    Onnx__TensorProto *w = external("w.bin", NULL, NULL);
    bad(model_of(set_raw(w, "abcd", 4)), "tensor 'w' has its elements twice");
}

/* Many tensors at odd places of one file would be copied as often. */
TEST(copies_of_external_data_are_few)
{
    put_bytes(in_folder("w.bin"), "0123456789abcdef", 16);
    Onnx__ModelProto *p = new_model();
    for (int i = 0; i < 9; i++) {
        Onnx__TensorProto *w = external("w.bin", "1", "4");
        w->name = arena_printf(arena, "w%d", i);
        ADD(p->graph->initializer, p->graph->n_initializer, w);
    }
    bad(p, "tensor 'w8' lies in 'w.bin' at no multiple of 4");
    p->graph->n_initializer = 8;
    onnx_close(good(p));
}

TEST_EACH(setup_folder, teardown_folder)
