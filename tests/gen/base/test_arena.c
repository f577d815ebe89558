/* SPDX-License-Identifier: Apache-2.0
 *
 * arena and text: zeroed, aligned, apart from each other; growing strings; whole files.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/arena.h"
#include "gen/base/text.h"
#include "tests/tmp_folder.h"

static bool is_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* Blocks of many sizes, each filled with its own byte: none may reach into another. */
static void fill_blocks(Arena *a)
{
    enum { N = 400 };
    char *block[N];
    size_t size[N];
    for (size_t i = 0; i < N; i++) {
        size[i] = i * i % 5000 + (i % 100 == 0 ? 300000 : 0);
        block[i] = arena_alloc(a, size[i]);
        assert_int_equal((uintptr_t)block[i] % 16, 0);
        assert_true(is_zero(block[i], size[i]));
        memset(block[i], (int)(i % 255) + 1, size[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal((unsigned char)block[i][k], i % 255 + 1);
}

TEST(test_blocks)
{
    Arena *a = arena_new();
    for (int round = 0; round < 3; round++) {
        fill_blocks(a);
        arena_reset(a); /* the next round must find zeros again */
    }
    arena_free(a);
    arena_free(NULL);
}

TEST(test_zero_bytes)
{
    Arena *a = arena_new();
    void *p = arena_alloc(a, 0), *q = arena_alloc(a, 0);
    assert_non_null(p);
    assert_ptr_not_equal(p, q);
    assert_non_null(arena_array(a, 0, 8));
    arena_free(a);
}

TEST(test_grow)
{
    Arena *a = arena_new();
    int *v = NULL, *other = NULL;
    size_t cap = 0;
    for (size_t n = 1; n <= 100000; n *= 3) {
        v = arena_grow(a, v, cap, n, sizeof *v);
        assert_true(is_zero((char *)(v + cap), (n - cap) * sizeof *v));
        for (size_t i = 0; i < n; i++) {
            if (i < cap)
                assert_int_equal(v[i], (int)i * 7);
            v[i] = (int)i * 7;
        }
        cap = n;
        if (n % 2) /* sometimes something lies behind it, so that it must move */
            other = ARENA_NEW(a, int);
        *other = -1;
    }
    int *in_place = ARENA_ARRAY(a, 3, int);
    assert_ptr_equal(arena_grow(a, in_place, 3, 300, sizeof *in_place), in_place);
    arena_free(a);
}

/* Two lists that grow by turns, first small, then in chunks of their own, then with such a chunk amid the list of chunks. */
TEST(test_regrow)
{
    Arena *a = arena_new();
    enum { STEPS = 40 };
    int *v[2] = { NULL, NULL };
    size_t cap = 0;
    for (size_t step = 0, n = 10; step < STEPS; step++, cap = n, n += n / 3) {
        for (int k = 0; k < 2; k++) {
            v[k] = arena_regrow(a, v[k], cap, n, sizeof **v);
            assert_int_equal((uintptr_t)v[k] % 16, 0);
            assert_true(is_zero((char *)(v[k] + cap), (n - cap) * sizeof **v));
            for (size_t i = 0; i < cap; i++)
                assert_int_equal(v[k][i], (int)i * 2 + k);
            for (size_t i = cap; i < n; i++)
                v[k][i] = (int)i * 2 + k;
        }
        memset(arena_alloc(a, step * 997), -1, step * 997);
    }
    arena_reset(a);
    fill_blocks(a);
    arena_free(a);
}

TEST(test_strings)
{
    Arena *a = arena_new();
    assert_string_equal(arena_strdup(a, ""), "");
    assert_string_equal(arena_strdup(a, "abc"), "abc");
    assert_string_equal(arena_strndup(a, "abc", 2), "ab");
    assert_string_equal(arena_strndup(a, "abc", 9), "abc");
    assert_string_equal(arena_printf(a, "%d-%s", 7, "x"), "7-x");
    char *long_text = arena_printf(a, "%*d", 200000, 1);
    assert_int_equal(strlen(long_text), 200000);
    arena_free(a);
}

/* A request that cannot be met ends the program with code 3. */
static void check_exit(size_t count, size_t bytes)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static Arena *volatile a; /* reachable at exit, hence no leak */
        fclose(stderr);
        a = arena_new();
        arena_array(a, count, bytes);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

TEST(test_too_much)
{
    check_exit(SIZE_MAX / 2, 3);
    check_exit(1, SIZE_MAX);
}

TEST(test_text)
{
    Arena *a = arena_new();
    Text t = { .arena = a };
    assert_string_equal(text_str(&t), "");
    text_add(&t, "a");
    text_addn(&t, "bcd", 2);
    text_printf(&t, "-%d", 5);
    assert_string_equal(text_str(&t), "abc-5");
    assert_int_equal(t.len, 5);
    text_add(&t, "");
    text_addn(&t, "", 0);
    assert_int_equal(t.len, 5);
    size_t want = t.len;
    for (int i = 0; i < 20000; i++) {
        char number[16];
        want += (size_t)snprintf(number, sizeof number, "%d,", i);
        text_printf(&t, "%s", number);
    }
    assert_int_equal(t.len, want);
    assert_int_equal(strlen(text_str(&t)), want);
    text_printf(&t, "%*d", 100000, 1); /* far more than the room that is kept free */
    assert_int_equal(strlen(text_str(&t)), want + 100000);
    arena_free(a);
}

TEST(test_text_fills_up)
{
    Arena *a = arena_new();
    for (int width = 200; width < 300; width++) { /* around the first capacity */
        Text t = { .arena = a };
        text_printf(&t, "%*d", width, 1);
        text_printf(&t, "%*d", width, 2);
        assert_int_equal(strlen(text_str(&t)), 2 * width);
        assert_int_equal(t.len, 2 * width);
    }
    arena_free(a);
}

TEST(test_read_file)
{
    Arena *a = arena_new();
    char folder[TMP_FOLDER_BYTES];
    assert_non_null(tmp_folder(folder));
    const char *path = arena_printf(a, "%s/file", folder);
    size_t len = 99;
    assert_null(text_read_file(a, path, &len));
    assert_int_equal(errno, ENOENT);
    assert_null(text_read_file(a, folder, &len));
    assert_int_equal(errno, EISDIR);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(text_read_file(a, path, &len), "");
    assert_int_equal(len, 0);
    f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 100000; i++)
        fputc(i % 256, f);
    assert_int_equal(fclose(f), 0);
    char *text = text_read_file(a, path, &len);
    assert_int_equal(len, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal((unsigned char)text[i], i % 256);
    assert_int_equal(text[len], 0);
    assert_non_null(text_read_file(a, path, NULL));
    unlink(path);
    rmdir(folder);
    arena_free(a);
}
