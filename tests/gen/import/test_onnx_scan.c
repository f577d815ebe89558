/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_scan: files that are no model, or a part of one, or that would take too much memory or depth once unpacked.
 */
#include "tests/test.h"
#include "tests/gen/import/onnx_model.h"

#include <fcntl.h>
#include <time.h>

static void bad_bytes(const void *bytes, size_t n, const char *why)
{
    if (read_bytes(bytes, n))
        fail_msg("it was read; expected: %s", why);
    golden_fault(golden_diag(arena, diag), why);
}

static void bad_file(const char *path, const char *why)
{
    diag = diag_new(arena);
    assert_null(onnx_read(arena, path, diag));
    golden_fault(golden_diag(arena, diag), why);
}

TEST(what_is_no_file)
{
    bad_file(in_folder("none"), "none: error: cannot be read: No such file or directory");
    bad_file(folder, "is no regular file; expected an ONNX model");
    put_bytes(in_folder("empty"), "", 0);
    bad_file(in_folder("empty"), "is empty; expected an ONNX model");
    const int fd = open(in_folder("large"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, INT64_C(1) << 31), 0); /* with no bytes on the disk */
    close(fd);
    bad_file(in_folder("large"), "has 2147483648 bytes; expected less than 2 GiB");
}

TEST(what_is_no_protobuf)
{
    static const char text[] = "name = \"bert\";\nop = \"dense\";\n";
    bad_bytes(text, strlen(text), "is no ONNX model: what is at byte ");
    bad_bytes("\0\0\0\0", 4, "is no ONNX model: what is at byte 0 is in no protobuf");
    bad_bytes("\x0b", 1, "is no ONNX model: what is at byte 0 is in no protobuf"); /* the begin of a group */
    bad_bytes("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, "is no ONNX model: what is at byte 11");
    bad_bytes("\x3a\x02\x0a\x05", 4, "is cut off, or no ONNX model: 5 bytes should be at byte 4 of 4");
    bad_bytes("\x3a\x02\x0a\x05\x08\x01", 6, "is no ONNX model: what is at byte 4 is in no protobuf");
    bad_bytes("\x0a\x01\x01", 3, "is no ONNX model: its fields are of other types");
    bad_bytes("\x3a\x00\x3a\x00", 4, "is no ONNX model: at byte 2 a ModelProto has a second 'graph'");
    bad_bytes("\x12\x03"
              "a\0b",
              5, "has a NUL character in the 'producer_name' at byte 2");
}

/* A part of a file is a model only where a field ends: what is left out there is missing. */
TEST(a_file_that_is_cut_off)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    p->producer_name = "who";
    add_one(p->graph, "w");
    attribute_int(NODE(p->graph, "Add", "a", "x w", "y"), "axis", 300);
    size_t n;
    const uint8_t *bytes = packed(p, &n);
    for (size_t i = 1; i < n; i++) {
        OnnxModel *m = read_bytes(bytes, i);
        assert_null(m);
        assert_has(golden_diag(arena, diag), "error: ");
    }
    bad_bytes(bytes, n - 1, "is cut off");
    assert_non_null(read_bytes(bytes, n));
}

/* Any byte may be any other. */
TEST(files_with_one_wrong_byte)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_one(p->graph, "w");
    attribute_int(NODE(p->graph, "Add", "a", "x w", "y"), "axis", 300);
    size_t n;
    uint8_t *bytes = packed(p, &n);
    int nread = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) {
            bytes[i] ^= (uint8_t)(1 << k);
            nread += read_bytes(bytes, n) != NULL;
            bytes[i] ^= (uint8_t)(1 << k);
        }
    assert_true(nread > 0 && nread < (int)n * 8);
}

/* ---- what would take too much ---- */

/* Messages within messages: attributes that hold graphs that hold nodes that hold attributes. */
TEST(messages_within_messages)
{
    static const char tag[] = { 0x0a, 0x2a, 0x32 }; /* node of a graph, attribute of a node, graph of an attribute */
    enum { DEEP = 100000 };
    char *bytes = arena_alloc(arena, 6 * DEEP), *at = bytes + 6 * DEEP;
    size_t n = 0;
    for (int i = 0; i < DEEP; i++) { /* from the inside */
        char prefix[6];
        size_t len = 0;
        prefix[len++] = i + 1 == DEEP ? 0x3a : tag[(DEEP - 2 - i) % 3];
        for (size_t v = n; v || len == 1; v >>= 7)
            prefix[len++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        at -= len;
        memcpy(at, prefix, len);
        n += len;
    }
    bad_bytes(at, n, "nests messages deeper than 100; expected at most that many");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A graph with n nodes that have nothing. */
static const char *empty_messages(int n, char tag, size_t *bytes)
{
    Text t = { .arena = arena };
    *bytes = 2 * (size_t)n;
    text_add(&t, "\x08\x08\x3a"); /* the version, and the graph */
    for (size_t v = *bytes; v; v >>= 7)
        text_addn(&t, (const char[]){ (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)) }, 1);
    for (int i = 0; i < n; i++)
        text_addn(&t, (const char[]){ tag, 0 }, 2);
    *bytes = t.len;
    return t.s;
}

TEST(many_nodes)
{
    size_t n;
    const char *text = empty_messages(1000000, 0x0a, &n);
    const double begin_s = seconds();
    bad_bytes(text, n, "has more than 200000 nodes; expected at most that many");
    assert_true(seconds() - begin_s < 2);
    Onnx__ModelProto *p = model_of_x_and_y();
    p->graph->node = ARENA_ARRAY(arena, ONNX_MAX_NODES, Onnx__NodeProto *);
    for (int i = 0; i < ONNX_MAX_NODES; i++)
        p->graph->node[p->graph->n_node++] = new_node("Add", "", "x x", i == 0 ? "y" : arena_printf(arena, "v%d", i));
    assert_int_equal(good(p)->graph->nnode, ONNX_MAX_NODES);
}

/* Each of two bytes takes two hundred in memory. */
TEST(many_empty_messages)
{
    size_t n;
    const char *text = empty_messages(20000000, 0x2a, &n);
    bad_bytes(text, n, "is too large: it has more small parts than 1024 MiB hold");
}

TEST_EACH(setup_folder, teardown_folder)
