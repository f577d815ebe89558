/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors: what is written is read again, in fixed bytes; a full disk leaves the old file; headers that are wrong.
 */
#include "tests/test.h"
#include "tests/arena.h"
#include "tests/put_file.h"
#include "tests/quoted.h"
#include "tests/tmp_folder.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include "gen/base/text.h"
#include "gen/import/safetensors.h"

static char folder[TMP_FOLDER_BYTES];

static int setup_folder(void **state)
{
    setup(state);
    return tmp_folder(folder) ? 0 : -1;
}

static int teardown_folder(void **state)
{
    tmp_folder_remove(folder);
    return teardown(state);
}

static const char *in_folder(const char *name) { return arena_printf(arena, "%s/%s", folder, name); }

static int nentry(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

/* ---- writing ---- */

static const float reals[] = { 1, 2, 3, 4, 5, 6 };
static const int64_t six[] = { 2, 3 }, one[] = { 1 }, none[] = { 0, 5 }, three[] = { 3 };
static const SafeTensor some[] = { { "b\"\xc3\xb6", ELEMENT_U8, 1, three, "abc", 3 },
                                   { "weight", ELEMENT_F32, 2, six, reals, 24 },
                                   { "index", ELEMENT_S64, 1, one, reals, 8 },
                                   { "scalar", ELEMENT_F16, 0, NULL, reals, 2 },
                                   { "a", ELEMENT_F32, 1, one, reals, 4 },
                                   { "nothing", ELEMENT_BF16, 2, none, NULL, 0 } };

static const char *written(const SafeTensor *t, int n, size_t *bytes)
{
    const char *err = NULL;
    if (!safetensors_write(arena, in_folder("w.safetensors"), t, n, &err))
        fail_msg("%s", err);
    assert_int_equal(nentry(), 1);
    return text_read_file(arena, in_folder("w.safetensors"), bytes);
}

TEST(a_file_has_fixed_bytes)
{
    static const char header[] = "{\"__metadata__\":{\"written_by\":\"dcgen import\"},"
                                 "\"index\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
                                 "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]},"
                                 "\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[12,36]},"
                                 "\"nothing\":{\"dtype\":\"BF16\",\"shape\":[0,5],\"data_offsets\":[36,36]},"
                                 "\"scalar\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[36,38]},"
                                 "\"b\\\"\\u00F6\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[38,41]}}";
    size_t n, again;
    const char *bytes = written(some, LENGTH(some), &n);
    const size_t length = (unsigned char)bytes[0] + 256u * (unsigned char)bytes[1];
    assert_int_equal((8 + length) % 64, 0);
    assert_true(length >= strlen(header) && length < strlen(header) + 64);
    assert_memory_equal(bytes + 2, "\0\0\0\0\0\0", 6);
    assert_memory_equal(bytes + 8, header, strlen(header));
    assert_int_equal(strspn(bytes + 8 + strlen(header), " "), length - strlen(header));
    assert_int_equal(n, 8 + length + 41);
    assert_true(safetensors_is_written(in_folder("w.safetensors")));
    assert_false(safetensors_is_written(in_folder("none")));
    assert_memory_equal(bytes + n - 3, "abc", 3);
    SafeTensor other[LENGTH(some)];
    for (size_t i = 0; i < LENGTH(some); i++)
        other[i] = some[LENGTH(some) - 1 - i];
    const char *same = written(other, LENGTH(some), &again);
    assert_int_equal(n, again);
    assert_memory_equal(bytes, same, n);
}

TEST(what_is_written_is_read)
{
    size_t n;
    const char *err = NULL, *bytes = written(some, LENGTH(some), &n);
    const SafeTensors *all = safetensors_read(arena, bytes, n, &err);
    assert_non_null(all);
    assert_int_equal(all->n, LENGTH(some));
    for (int i = 0; i < all->n; i++) {
        const SafeTensor *got = &all->tensor[i], *want = names_row(NAMES(some, LENGTH(some)), got->name);
        assert_non_null(want);
        assert_true(got->type == want->type && got->rank == want->rank && got->bytes == want->bytes);
        assert_memory_equal(got->dim, want->dim ? want->dim : got->dim, (size_t)got->rank * sizeof *got->dim);
        if (got->bytes)
            assert_memory_equal(got->data, want->data, got->bytes);
        if (got->bytes)
            assert_int_equal(((const char *)got->data - bytes) % (elements[got->type].bits / 8), 0);
    }
    bytes = written(NULL, 0, &n);
    assert_int_equal(n, 64);
    assert_int_equal(safetensors_read(arena, bytes, n, &err)->n, 0);
}

TEST(what_cannot_be_written)
{
    static const struct {
        SafeTensor t;
        const char *why;
    } row[] = {
        { { "c", ELEMENT_C64, 1, one, reals, 8 }, "tensor 'c' cannot be written: the format has no type c64" },
        { { "\xff", ELEMENT_F32, 1, one, reals, 4 }, "cannot be written: the name cannot stand in the format" },
        { { "__metadata__", ELEMENT_F32, 1, one, reals, 4 }, "the name cannot stand in the format" },
        { { "s", ELEMENT_F32, 2, six, reals, 20 }, "tensor 's' cannot be written: its extents do not fit its bytes" },
        { { "s", ELEMENT_F32, 13, six, reals, 20 }, "tensor 's' cannot be written: it has too many dimensions" },
        { { "a", ELEMENT_F32, 1, one, reals, 4 }, "two tensors are called 'a'" },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const SafeTensor list[] = { some[4], row[i].t };
        const char *err = NULL;
        assert_false(safetensors_write(arena, in_folder("w"), list, 2, &err));
        assert_has(err, row[i].why);
        assert_int_equal(nentry(), 0);
    }
    const char *err = NULL;
    assert_false(safetensors_write(arena, in_folder("none/w"), some, 1, &err));
    assert_has(err, "none/w': No such file or directory");
}

/* Where not all fits, the old file stays, and nothing is beside it. */
TEST(a_full_disk)
{
    size_t size;
    written(some, LENGTH(some), &size);
    put_file(in_folder("w.safetensors"), "old");
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    const rlim_t most[] = { 0, 200, size - 1 };
    for (size_t i = 0; i < LENGTH(most); i++) {
        const char *err = NULL;
        limit.rlim_cur = most[i];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const bool ok = safetensors_write(arena, in_folder("w.safetensors"), some, LENGTH(some), &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(ok);
        assert_has(err, "w.safetensors': File too large");
        assert_int_equal(nentry(), 1);
        assert_string_equal(text_read_file(arena, in_folder("w.safetensors"), NULL), "old");
    }
    signal(SIGXFSZ, handler);
}

/* ---- reading ---- */

/* A file of that header and so many bytes of elements. */
static const char *file_of(const char *header, size_t ndata, size_t *n)
{
    const size_t length = strlen(header);
    char *bytes = arena_alloc(arena, 8 + length + ndata);
    memcpy(bytes, &(uint64_t){ length }, 8);
    memcpy(bytes + 8, header, length);
    *n = 8 + length + ndata;
    return bytes;
}

TEST(headers_that_are_wrong)
{
#define TENSOR(shape, offsets) "{'a':{'dtype':'F32','shape':" shape ",'data_offsets':" offsets "}}"
    static const struct {
        const char *header, *why;
    } row[] = {
        { TENSOR("[2]", "[0,8]"), NULL },
        { "{'__metadata__':{'format':'pt'},'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}}", NULL },
        { "", "the header is no JSON object: " },
        { "[]", "the header is no JSON object: expected '{'" },
        { " {}", "the header is no JSON object: expected '{'" },
        { "{'a':", "the header is no JSON object: " },
        { "{'a':{},'a':{}}", "the header is no JSON object: duplicate object key" },
        { "{'a':3}", "tensor 'a': expected dtype, shape and data_offsets" },
        { "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8],'more':1}}",
          "tensor 'a': expected dtype, shape and data_offsets" },
        { "{'a':{'dtype':'F31','shape':[2],'data_offsets':[0,8]}}", "tensor 'a': the dtype 'F31' is unknown" },
        { "{'a':{'dtype':1,'shape':[2],'data_offsets':[0,8]}}", "tensor 'a': the dtype '' is unknown" },
        { TENSOR("2", "[0,8]"), "tensor 'a': expected a shape of at most 12 extents" },
        { TENSOR("[1,1,1,1,1,1,1,1,1,1,1,1,2]", "[0,8]"), "tensor 'a': expected a shape of at most 12 extents" },
        { TENSOR("[-2]", "[0,8]"), "tensor 'a': expected extents that are whole numbers from 0" },
        { TENSOR("[2.0]", "[0,8]"), "tensor 'a': expected extents that are whole numbers from 0" },
        { TENSOR("[4294967296,4294967296]", "[0,8]"), "tensor 'a' has 8 bytes; expected as many as its extents say" },
        { TENSOR("[3]", "[0,8]"), "tensor 'a' has 8 bytes; expected as many as its extents say" },
        { TENSOR("[2]", "[0,8,9]"), "tensor 'a': expected data_offsets [begin, end]" },
        { TENSOR("[2]", "[8,0]"), "tensor 'a': expected data_offsets [begin, end]" },
        { TENSOR("[2]", "[-8,0]"), "tensor 'a': expected data_offsets [begin, end]" },
        { TENSOR("[2]", "[1,9]"), "tensor 'a' ends at byte 9 of the elements, expected at most 8" },
        { TENSOR("[1]", "[4,8]"), "tensor 'a' begins at byte 4 of the elements; expected 0" },
        { TENSOR("[1]", "[0,4]"), "4 bytes of elements belong to tensors; expected all 8" },
        { "{}", "0 bytes of elements belong to tensors; expected all 8" },
        { "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}",
          "tensor 'b' begins at byte 4 of the elements; expected 8, where the one before it ends" },
        { "{'__metadata__':3}", "expected texts by name in __metadata__" },
        { "{'__metadata__':{'a':3}}", "'a' in __metadata__: expected a text" },
    };
#undef TENSOR
    for (size_t i = 0; i < LENGTH(row); i++) {
        const char *err = NULL;
        size_t n;
        const char *bytes = file_of(quoted(row[i].header), 8, &n);
        const SafeTensors *all = safetensors_read(arena, bytes, n, &err);
        assert_int_equal(all == NULL, row[i].why != NULL);
        if (row[i].why)
            assert_has(err, row[i].why);
    }
}

TEST(lengths_that_are_wrong)
{
    const char *err = NULL;
    assert_null(safetensors_read(arena, "1234567", 7, &err));
    assert_has(err, "the file has 7 bytes; expected at least 8");
    assert_null(safetensors_read(arena, "\x03\0\0\0\0\0\0\0{}", 10, &err));
    assert_has(err, "the header has 3 bytes; expected at most 2");
    assert_null(safetensors_read(arena, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, &err));
    assert_has(err, "the header has 18446744073709551615 bytes; expected at most 2");
    size_t n;
    const char *whole = written(some, LENGTH(some), &n);
    for (size_t i = 0; i < n; i++)
        assert_null(safetensors_read(arena, whole, i, &err));
}

TEST(deep_headers)
{
    enum { DEEP = 100000 };
    char *header = arena_alloc(arena, DEEP + 6);
    memcpy(header, "{'a':", 5);
    memset(header + 5, '[', DEEP);
    const char *err = NULL;
    size_t n;
    const char *bytes = file_of(quoted(header), 0, &n);
    assert_null(safetensors_read(arena, bytes, n, &err));
    assert_has(err, "the header is no JSON object: maximum parsing depth reached");
}

TEST_EACH(setup_folder, teardown_folder)
