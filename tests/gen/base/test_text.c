/* SPDX-License-Identifier: Apache-2.0
 *
 * text: strings of every length around the steps in which they grow, and files of every kind read whole; the order of
 * words and numbers (order.h); which names of a folder are listed, in which order (dir.h).
 */
#include "tests/test.h"
#include <errno.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

enum { MOST = 50000 };

static char letters[MOST + 1]; /* no two parts of it are alike for long */

static int make(void **state)
{
    for (int i = 0; i < MOST; i++)
        letters[i] = (char)('a' + ((int64_t)i * i / 7 + i) % 26);
    return place_setup(state);
}

static void is_letters(const char *s, size_t from, size_t n)
{
    assert_int_equal(strlen(s), n);
    assert_memory_equal(s, letters + from, n);
}

/* A piece of every length behind one of every length, by each way to add. */
TEST(pieces_of_every_length)
{
    static const int first[] = { 0, 1, 100, 255, 256, 257, 511, 512, 513 };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        for (int n = 0; n < 1100; n++) {
            Text added = { .arena = arena }, printed = { .arena = arena };
            text_addn(&added, letters, (size_t)first[i]);
            text_printf(&printed, "%.*s", first[i], letters);
            text_printf(&printed, "%.*s", n, letters + first[i]);
            char *piece = strndup(letters + first[i], (size_t)n);
            text_add(&added, piece);
            free(piece);
            is_letters(text_str(&added), 0, (size_t)(first[i] + n));
            is_letters(text_str(&printed), 0, (size_t)(first[i] + n));
            assert_true(added.len == (size_t)(first[i] + n) && printed.len == added.len);
            if (n % 50 == 0)
                arena_reset(arena);
        }
}

/* Other things are taken from the arena in between: the text moves, whole. */
TEST(many_pieces)
{
    Text t = { .arena = arena };
    assert_string_equal(text_str(&t), "");
    for (int i = 0; i < MOST; i += 5) {
        if (i % 10)
            text_addn(&t, letters + i, 5);
        else
            text_printf(&t, "%.5s", letters + i);
        assert_int_equal(*(char *)arena_alloc(arena, 1), 0);
    }
    is_letters(text_str(&t), 0, MOST);
}

static void read_back(const char *path, size_t n)
{
    size_t len = 99;
    put_file(path, arena_strndup(arena, letters, n));
    const char *text = text_read_file(arena, path, &len);
    assert_non_null(text);
    assert_int_equal(len, n);
    is_letters(text, 0, n);
    is_letters(text_read_file(arena, path, NULL), 0, n);
}

TEST(files)
{
    static const size_t size[] = { 0, 1, 255, 256, 16383, 16384, 16385, 32768, 40000, MOST };
    size_t len;
    const int nopen = open_files();
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        read_back(in_root("file"), size[i]);
    assert_null(text_read_file(arena, in_root("none"), &len));
    assert_int_equal(errno, ENOENT);
    assert_null(text_read_file(arena, root, &len));
    assert_int_equal(errno, EISDIR);
    assert_non_null(text_read_file(arena, "/proc/self/stat", &len)); /* its size is said to be 0 */
    assert_true(len > 10);
    assert_int_equal(open_files(), nopen);
}

/* Nobody knows how long it will be, and it comes by parts. */
TEST(a_pipe)
{
    int end[2];
    size_t len = 0;
    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], letters, MOST), MOST);
    close(end[1]);
    const char *text = text_read_file(arena, arena_printf(arena, "/proc/self/fd/%d", end[0]), &len);
    assert_non_null(text);
    assert_int_equal(len, MOST);
    is_letters(text, 0, MOST);
    close(end[0]);
}

TEST(ends_of_lines)
{
    static const struct {
        const char *text, *want;
        size_t len, nwant;
    } rows[] = { { "a\r\nb\r\n", "a\nb\n", 6, 4 },
                 { "a\rb\r", "a\rb\r", 4, 4 },
                 { "\r\r\n", "\r\n", 3, 2 },
                 { "\r\n", "\r", 1, 1 },
                 { "", "", 0, 0 },
                 { "a\0\r\nb", "a\0\nb", 5, 4 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = rows[i].len;
        const char *text = text_with_lf(arena, rows[i].text, &len);
        assert_int_equal(len, rows[i].nwant);
        assert_memory_equal(text, rows[i].want, len);
        assert_int_equal(text[len], 0);
    }
}

TEST(order_and_places)
{
    const char *const word[] = { "b", "a", "b" };
    const int64_t low[] = { 1, INT64_MIN, 3 }, high[] = { 1, INT64_MAX, 2 };
    assert_int_equal(names_find(NAMES(word, 3), "b"), 0);
    assert_int_equal(names_find(NAMES(word, 3), ""), -1);
    assert_int_equal(names_find((Names){ 0 }, "b"), -1);
    static const struct {
        const char *name;
        int n;
    } row[] = { { "one", 1 }, { "two", 2 }, { "two", 3 } };
    assert_int_equal(names_find(NAMES(row, 3), "two"), 1);
    assert_ptr_equal(names_row(NAMES(row, 3), "two"), &row[1]);
    assert_null(names_row(NAMES(row, 1), "two"));
    assert_string_equal(names_at(NAMES(row, 3), 2), "two");
    assert_true(order_word(&word[0], &word[1]) > 0 && order_word(&word[0], &word[2]) == 0);
    assert_true(order_number(&low[1], &high[1]) < 0 && order_number(&low[2], &high[2]) > 0);
    assert_true(order_numbers(low, high, 3) < 0 && order_numbers(high, low, 3) > 0);
    assert_int_equal(order_numbers(low, high, 1), 0);
    assert_int_equal(order_numbers(low, high, 0), 0);
}

/* "a.c b.c ": the names behind the folder's. */
static const char *listed(const char *folder, const char *suffix)
{
    char **path = (char *[]){ "rest of another list" };
    int n = 7;
    const char *names = "";
    assert_true(dir_list(arena, folder, suffix, &path, &n));
    for (int i = 0; i < n; i++) {
        assert_int_equal(strncmp(path[i], folder, strlen(folder)), 0);
        assert_int_equal(path[i][strlen(folder)], '/');
        names = arena_printf(arena, "%s%s ", names, path[i] + strlen(folder) + 1);
    }
    return names;
}

TEST(names_are_sorted_and_plain)
{
    static const char *const name[] = { "b.c",    "a.c",    "B.c", "a.cu",  ".hidden.c", ".c",
                                        "x\ny.c", "x\ry.c", "c",   "c.c.h", "10.c",      "9.c" };
    const int before = open_files();
    char **path;
    int n;
    assert_string_equal(listed(root, ""), "");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        put(name[i], "");
    assert_string_equal(listed(root, ".c"), "10.c 9.c B.c a.c b.c ");
    assert_string_equal(listed(root, "c"), "10.c 9.c B.c a.c b.c c ");
    assert_string_equal(listed(root, ""), "10.c 9.c B.c a.c a.cu b.c c c.c.h ");
    assert_false(dir_list(arena, in_root("none"), "", &path, &n));
    assert_int_equal(open_files(), before);
}

TEST_EACH(make, place_teardown)
