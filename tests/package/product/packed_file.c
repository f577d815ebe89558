/* SPDX-License-Identifier: Apache-2.0
 *
 * packed_file: W of the package NAME in a file, by the example of docs/package.md (packed_example.h, with NAME filled
 * in). W[n][k] is the same numbers in whatever layout the package takes it.
 *
 *   packed_file write FILE N K    packs W into FILE
 *   packed_file use FILE N K      maps FILE: all kernels give the same bits with it as with W that this process packs
 *   packed_file hostile           what is no such file is refused, and nothing beyond its end is read
 *   packed_file refused FILE N K  FILE is refused
 *
 * Exit code 0: so it is.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdbool.h>
#include "NAME_packed_example.h"
#include "NAME_problem.h"

enum { HEADER = NAME_PACKED_HEADER, WORD = 8 };

static NAME_problem problem_of(int64_t M, int64_t N, int64_t K)
{
    NAME_problem p = NAME_problem_new(M, N, K);
    for (int64_t n = 0; n < N; n++)
        for (int64_t k = 0; k < K; k++)
            p.W[NAME_W_KN ? k * N + n : n * K + k] = (float)((31 * n + 17 * k) % 101) / 64.0F - 0.75F;
    CHECK(NAME_pack(N, K, p.W, p.packed) == NAME_OK);
    return p;
}

static void use(const char *path, int64_t N, int64_t K)
{
    static const int64_t some[] = { 1, 5, 24, 100 };
    const void *mapped = map_packed(path, N, K);
    CHECK(mapped && (uintptr_t)mapped % 64 == 0);
    for (size_t i = 0; mapped && i < sizeof some / sizeof *some; i++) {
        NAME_problem p = problem_of(some[i], N, K), q = p;
        const size_t bytes = (size_t)(p.M * p.N) * sizeof(float);
        q.Y = NAME_take(bytes);
        q.packed = (void *)(uintptr_t)mapped;
        for (int k = 0; k <= NAME_nkernel(); k++) {
            const NAME_exec exec = { .kernel = k };
            memset(p.Y, 0xff, bytes);
            memset(q.Y, 0xff, bytes);
            CHECK(NAME_problem_call(&p, &exec) == NAME_problem_call(&q, &exec));
            CHECK(memcmp(p.Y, q.Y, bytes) == 0);
        }
        free(q.Y);
        NAME_problem_free(&p);
    }
}

/* A file in memory: of `bytes` bytes, whose end is the end of what can be read. */
static char *file_of(const char *from, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + room, page, PROT_NONE))
        abort();
    memcpy(p + room - bytes, from, bytes);
    return p + room - bytes;
}

static void free_file(char *file, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    munmap(file - (room - bytes), room + page);
}

/* Flips bits of data: found if it is looked at. And of the header: always. */
static void flipped(char *file, size_t bytes, int64_t N, int64_t K)
{
    for (size_t bit = 0; bit < 8 * bytes; bit += bit < 8 * HEADER ? 1 : 37) {
        file[bit / 8] = (char)(file[bit / 8] ^ 1 << bit % 8);
        CHECK(NAME_packed_check(N, K, file, bytes, 0) == (bit < 8 * HEADER ? NAME_BAD_PACKED : NAME_OK));
        CHECK(NAME_packed_check(N, K, file, bytes, 1) == NAME_BAD_PACKED);
        file[bit / 8] = (char)(file[bit / 8] ^ 1 << bit % 8);
    }
    CHECK(NAME_packed_check(N, K, file, bytes, 1) == NAME_OK);
}

static void cut_off(const char *file, size_t bytes, int64_t N, int64_t K)
{
    for (size_t i = 0; i < bytes; i += i < 2 * HEADER || i + HEADER >= bytes ? 1 : 61) {
        char *part = file_of(file, i);
        CHECK(NAME_packed_check(N, K, part, i, 0) == NAME_BAD_PACKED);
        CHECK(NAME_packed_check(N, K, part, i, 1) == NAME_BAD_PACKED);
        free_file(part, i);
    }
}

/* As a machine of the other byte order would have written it. */
static void other_order(const char *file, size_t bytes, int64_t N, int64_t K)
{
    char *other = file_of(file, bytes);
    for (size_t i = 0; i < HEADER; i++)
        other[i] = file[i / WORD * WORD + (WORD - 1 - i % WORD)];
    CHECK(NAME_packed_check(N, K, other, bytes, 0) == NAME_BAD_PACKED);
    free_file(other, bytes);
}

static void of_other_extents(const char *file, size_t bytes, int64_t N, int64_t K)
{
    static const int64_t bad[] = { -1, 0, INT64_MIN, INT64_MAX, (int64_t)INT32_MAX + 1 };
    for (int64_t n = 1; n < 2 * N; n++)
        for (int64_t k = 1; k <= K + 2; k++)
            CHECK(NAME_packed_check(n, k, file, bytes, 1) == (n == N && k == K ? NAME_OK : NAME_BAD_PACKED));
    CHECK(N == K || NAME_packed_check(K, N, file, bytes, 0) == NAME_BAD_PACKED);
    CHECK(NAME_packed_check(INT32_MAX, K, file, bytes, 1) == NAME_BAD_PACKED);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char header[HEADER];
        CHECK(NAME_packed_check(bad[i], K, file, bytes, 1) == NAME_BAD_EXTENT &&
              NAME_packed_check(N, bad[i], file, bytes, 1) == NAME_BAD_EXTENT);
        CHECK(NAME_packed_header(bad[i], K, file, header) == NAME_BAD_EXTENT &&
              NAME_packed_header(N, bad[i], file, header) == NAME_BAD_EXTENT);
    }
}

static void hostile(int64_t N, int64_t K)
{
    NAME_problem p = problem_of(1, N, K);
    const size_t bytes = HEADER + NAME_packed_bytes(N, K);
    char *made = NAME_take(bytes + 1), header[HEADER];
    memcpy(made + HEADER, p.packed, bytes - HEADER);
    CHECK(NAME_packed_header(N, K, p.packed, made) == NAME_OK);
    char *file = file_of(made, bytes);
    CHECK(NAME_packed_check(N, K, file, bytes, 0) == NAME_OK && NAME_packed_check(N, K, file, SIZE_MAX, 0) == NAME_OK);
    CHECK(NAME_packed_check(N, K, NULL, 0, 0) == NAME_BAD_POINTER);
    CHECK(NAME_packed_header(N, K, NULL, header) == NAME_BAD_POINTER &&
          NAME_packed_header(N, K, p.packed, NULL) == NAME_BAD_POINTER);
    memmove(made + 1, made, bytes); /* wherever it lies */
    CHECK(NAME_packed_check(N, K, made + 1, bytes, 1) == NAME_OK);
    flipped(file, bytes, N, K);
    cut_off(file, bytes, N, K);
    other_order(file, bytes, N, K);
    of_other_extents(file, bytes, N, K);
    memset(file, 0, bytes);
    CHECK(NAME_packed_check(N, K, file, bytes, 0) == NAME_BAD_PACKED);
    free_file(file, bytes);
    free(made);
    NAME_problem_free(&p);
    CHECK(strstr(NAME_strerror(NAME_BAD_PACKED), "packed"));
}

int main(int argc, char **argv)
{
    const int64_t N = argc == 5 ? atoi(argv[3]) : 0, K = argc == 5 ? atoi(argv[4]) : 0;
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "hostile") == 0) {
        hostile(20, 5);
        hostile(1, 1);
        hostile(16, 7);
    } else if (strcmp(what, "write") == 0) {
        NAME_problem p = problem_of(1, N, K);
        CHECK(write_packed(argv[2], N, K, p.W) == 0);
        NAME_problem_free(&p);
    } else if (strcmp(what, "use") == 0) {
        use(argv[2], N, K);
    } else if (strcmp(what, "refused") == 0) {
        CHECK(!map_packed(argv[2], N, K));
    } else {
        return 2;
    }
    return NAME_failures != 0;
}
