/* SPDX-License-Identifier: Apache-2.0
 *
 * text: a growing string in an arena, and whole files read into one.
 */
#include "gen/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_FIRST_BYTES = 256, TEXT_LARGE_BYTES = 1 << 20, READ_BYTES = 1024 };

/* Makes room for n more bytes and the NUL. */
static void text_reserve(Text *t, size_t n)
{
    if (t->cap - t->len > n)
        return;
    size_t cap = t->cap ? t->cap : TEXT_FIRST_BYTES;
    while (cap - t->len <= n)
        cap += cap < TEXT_LARGE_BYTES ? cap : cap / 8; /* twice a large text would waste much memory */
    t->s = t->cap < TEXT_LARGE_BYTES ? arena_grow(t->arena, t->s, t->cap, cap, 1)
                                     : arena_regrow(t->arena, t->s, t->cap, cap, 1);
    t->cap = cap;
}

void text_addn(Text *t, const char *s, size_t n)
{
    text_reserve(t, n);
    memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_add(Text *t, const char *s) { text_addn(t, s, strlen(s)); }

void text_printf(Text *t, const char *fmt, ...)
{
    va_list ap, copy;
    va_start(ap, fmt);
    va_copy(copy, ap);
    text_reserve(t, TEXT_FIRST_BYTES); /* in which most texts fit at the first try */
    size_t room = t->cap - t->len;
    int n = vsnprintf(t->s + t->len, room, fmt, ap);
    if (n >= 0 && (size_t)n >= room) {
        text_reserve(t, (size_t)n);
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, copy);
    }
    t->len += n > 0 ? (size_t)n : 0;
    va_end(copy);
    va_end(ap);
}

const char *text_str(const Text *t) { return t->s ? t->s : ""; }

char *text_letters(char *s, int (*to)(int))
{
    for (char *p = s; *p; p++)
        *p = (char)to((unsigned char)*p);
    return s;
}

const char *names_at(Names all, size_t i) { return *(char *const *)((const char *)all.rows + i * all.row_bytes); }

int names_find(Names all, const char *name)
{
    for (size_t i = 0; i < all.n; i++) {
        const char *at = names_at(all, i);
        if (*at == *name && strcmp(at, name) == 0) /* most differ in their first letter: a call less */
            return (int)i;
    }
    return -1;
}

void *names_row(Names all, const char *name)
{
    const int i = names_find(all, name);
    return i < 0 ? NULL : (char *)all.rows + (size_t)i * all.row_bytes;
}

const char *names_join(Arena *a, Names all, const char *between)
{
    Text t = { .arena = a };
    for (size_t i = 0; i < all.n; i++)
        text_printf(&t, "%s%s", i ? between : "", names_at(all, i));
    return text_str(&t);
}

/* Appends all of fd; false with errno set. */
static bool read_all(Text *t, int fd)
{
    for (;;) {
        text_reserve(t, READ_BYTES);
        ssize_t n = read(fd, t->s + t->len, t->cap - t->len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            t->s[t->len] = '\0';
            return n == 0;
        }
        t->len += (size_t)n;
    }
}

char *text_read_file(Arena *a, const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat st;
    Text t = { .arena = a };
    bool ok = fstat(fd, &st) == 0;
    if (ok && S_ISREG(st.st_mode) && st.st_size > 0)
        text_reserve(&t, (size_t)st.st_size + READ_BYTES); /* a regular file is read without growing */
    ok = ok && read_all(&t, fd);
    if (!text_close(fd, ok))
        return NULL;
    if (len)
        *len = t.len;
    return t.s;
}

bool text_write(int fd, const char *s, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, s, n);
        if (done < 0 && errno != EINTR)
            return false;
        s += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool text_close(int fd, bool ok)
{
    const int problem = errno;
    const bool closed = close(fd) == 0;
    if (!ok)
        errno = problem;
    return ok && closed;
}

bool text_write_file(const char *path, const char *s, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd >= 0 && text_close(fd, text_write(fd, s, n));
}

char *text_with_lf(Arena *a, const char *text, size_t *len)
{
    char *lf = arena_alloc(a, *len + 1);
    size_t n = 0;
    for (size_t i = 0; i < *len; i++)
        if (text[i] != '\r' || i + 1 == *len || text[i + 1] != '\n')
            lf[n++] = text[i];
    lf[n] = '\0';
    *len = n;
    return lf;
}
