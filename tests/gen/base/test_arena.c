/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: zeroed, aligned, apart from each other; what grows keeps what it has.
 */
#include "tests/test.h"
#include <sys/wait.h>
#include <unistd.h>
#include "tests/arena.h"

static bool is_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* Blocks of many sizes, each filled with its own byte: none may reach into another. */
static void fill_blocks(void)
{
    enum { N = 400 };
    char *block[N];
    size_t size[N];
    for (size_t i = 0; i < N; i++) {
        size[i] = i * i % 5000 + (i % 100 == 0 ? 300000 : 0);
        block[i] = arena_alloc(arena, size[i]);
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
    for (int round = 0; round < 3; round++) {
        fill_blocks();
        arena_reset(arena); /* the next round must find zeros again */
    }
    arena_free(NULL);
}

TEST(test_zero_bytes)
{
    void *p = arena_alloc(arena, 0), *q = arena_alloc(arena, 0);
    assert_non_null(p);
    assert_ptr_not_equal(p, q);
    assert_non_null(arena_array(arena, 0, 8));
}

TEST(test_grow)
{
    int *v = NULL, *other = NULL;
    size_t cap = 0;
    for (size_t n = 1; n <= 100000; n *= 3) {
        v = arena_grow(arena, v, cap, n, sizeof *v);
        assert_true(is_zero((char *)(v + cap), (n - cap) * sizeof *v));
        for (size_t i = 0; i < n; i++) {
            if (i < cap)
                assert_int_equal(v[i], (int)i * 7);
            v[i] = (int)i * 7;
        }
        cap = n;
        if (n % 2) /* sometimes something lies behind it, so that it must move */
            other = ARENA_NEW(arena, int);
        *other = -1;
    }
    int *in_place = ARENA_ARRAY(arena, 3, int);
    assert_ptr_equal(arena_grow(arena, in_place, 3, 300, sizeof *in_place), in_place);
}

/* Two lists that grow by turns, first small, then in chunks of their own, then with such a chunk amid the list of
 * chunks. */
TEST(test_regrow)
{
    enum { STEPS = 40 };
    int *v[2] = { NULL, NULL };
    size_t cap = 0;
    for (size_t step = 0, n = 10; step < STEPS; step++, cap = n, n += n / 3) {
        for (int k = 0; k < 2; k++) {
            v[k] = arena_regrow(arena, v[k], cap, n, sizeof **v);
            assert_int_equal((uintptr_t)v[k] % 16, 0);
            assert_true(is_zero((char *)(v[k] + cap), (n - cap) * sizeof **v));
            for (size_t i = 0; i < cap; i++)
                assert_int_equal(v[k][i], (int)i * 2 + k);
            for (size_t i = cap; i < n; i++)
                v[k][i] = (int)i * 2 + k;
        }
        memset(arena_alloc(arena, step * 997), -1, step * 997);
    }
    arena_reset(arena);
    fill_blocks();
}

TEST(test_strings)
{
    assert_string_equal(arena_strdup(arena, ""), "");
    assert_string_equal(arena_strdup(arena, "abc"), "abc");
    assert_string_equal(arena_strndup(arena, "abc", 2), "ab");
    assert_string_equal(arena_strndup(arena, "abc", 9), "abc");
    assert_string_equal(arena_printf(arena, "%d-%s", 7, "x"), "7-x");
    char *long_text = arena_printf(arena, "%*d", 200000, 1);
    assert_int_equal(strlen(long_text), 200000);
}

/* A request that cannot be met ends the program with code 3. */
static void check_exit(size_t count, size_t bytes)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fclose(stderr);
        arena_array(arena, count, bytes);
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

TEST_EACH(setup, teardown)
