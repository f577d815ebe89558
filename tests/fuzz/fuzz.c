/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz: see fuzz.h.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const void *data, size_t size)
{
    static int fd = -1;
    static char path[40];
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    REQUIRE(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    return path;
}

Source *fuzz_source(Arena *a, const char *path, const uint8_t *data, size_t size)
{
    Source *src = ARENA_NEW(a, Source);
    char *text = arena_alloc(a, size + 1);
    if (size)
        memcpy(text, data, size);
    *src = (Source){ .path = arena_strdup(a, path), .text = text, .len = size };
    return src;
}

/* Is there a column in that line of the text? The one behind its last counts: what is missing is missing there. */
static bool has_place(const Source *src, int line, int col)
{
    size_t at = 0;
    for (int i = 1; i < line; i++) {
        const char *newline = at < src->len ? memchr(src->text + at, '\n', src->len - at) : NULL;
        if (!newline)
            return false;
        at = (size_t)(newline + 1 - src->text);
    }
    const char *end = at < src->len ? memchr(src->text + at, '\n', src->len - at) : NULL;
    return line >= 1 && col >= 1 && (size_t)col <= (end ? (size_t)(end - src->text) : src->len) - at + 1;
}

/* An entry is "PATH:3:5: error: ..."; snippets are indented, so they cannot look like one. */
static void check_line(const char *line, const Source *src)
{
    const size_t n = strlen(src->path);
    int at_line = 0, col = 0;
    if (strncmp(line, src->path, n) != 0 || line[n] != ':')
        return;
    REQUIRE(sscanf(line + n, ":%d:%d: ", &at_line, &col) == 2);
    REQUIRE(has_place(src, at_line, col));
}

void fuzz_check_diag(const Diag *d, const Source *src)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    REQUIRE(f);
    diag_print(d, f);
    REQUIRE(fclose(f) == 0);
    REQUIRE((diag_nerror(d) > 0) <= (size > 0));
    for (const char *line = out; *line; line += strcspn(line, "\n"), line += *line == '\n')
        check_line(line, src);
    free(out);
}
