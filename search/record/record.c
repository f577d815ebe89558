/* SPDX-License-Identifier: Apache-2.0
 *
 * record: takes a file of JSON lines, gives the records in memory and a place to append to. Lines are record_line.c's.
 *
 * The file is read in pieces of bounded size, whatever it holds. Appending is one write(2) of one line to a file opened
 * with O_APPEND under flock(2): a kill leaves at most one torn line, at the end.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "search/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/diag.h"
#include "gen/base/number.h"
#include "gen/base/text.h"
#include "search/record/record_line.h"
#include "search/record/record_rules.h"

/* Four growing arrays; *_cap are the places taken in the arena. */
typedef struct {
    Records r;
    int64_t device_cap, kernel_cap, measure_cap, limit_cap;
} Store;

struct RecordFile {
    Arena *arena, *scratch; /* scratch: for one append */
    const char *path;
    int fd;
    Store store;
    off_t cut_at;      /* what lies behind is torn; -1: nothing is */
    bool need_newline; /* the last line is whole but for its newline */
};

/* ---- in memory ---- */

static void *place_new(Arena *a, void *array, int64_t count, int64_t *cap, size_t elem_bytes)
{
    if (count < *cap)
        return array;
    int64_t more = *cap ? 2 * *cap : 64;
    array = arena_grow(a, array, (size_t)*cap, (size_t)more, elem_bytes);
    *cap = more;
    return array;
}

static bool device_known(const Records *r, const char *id)
{
    for (int64_t i = 0; i < r->ndevice; i++)
        if (strcmp(r->device[i].id, id) == 0)
            return true;
    return false;
}

static void store_device(Store *s, Arena *a, const Device *d)
{
    s->r.device = place_new(a, s->r.device, s->r.ndevice, &s->device_cap, sizeof *d);
    s->r.device[s->r.ndevice++] = *d;
}

static void store_kernel(Store *s, Arena *a, const KernelRecord *k)
{
    s->r.kernel = place_new(a, s->r.kernel, s->r.nkernel, &s->kernel_cap, sizeof *k);
    s->r.kernel[s->r.nkernel++] = *k;
}

static void store_measure(Store *s, Arena *a, const MeasureRecord *m)
{
    s->r.measure = place_new(a, s->r.measure, s->r.nmeasure, &s->measure_cap, sizeof *m);
    s->r.measure[s->r.nmeasure++] = *m;
}

static void store_limit(Store *s, Arena *a, const LimitRecord *l)
{
    s->r.limit = place_new(a, s->r.limit, s->r.nlimit, &s->limit_cap, sizeof *l);
    s->r.limit[s->r.nlimit++] = *l;
}

/* ---- reading ---- */

/* What reading found besides records. */
typedef struct {
    Arena *arena;
    Store *store;
    int64_t line;                 /* number of the line at hand, from 1 */
    int64_t nbad, nother, nknown; /* unreadable; of another schema; of a schema, ours or not */
    int64_t first_bad;
    const char *why;         /* the first bad one is bad */
    bool torn, torn_is_ours; /* a torn last line; it begins like a record */
    bool need_newline;
    off_t torn_at;
} Reading;

static const char TOO_LONG[] = "longer than any record";

static void bad_line(Reading *q, const char *why)
{
    if (q->nbad++ == 0) {
        q->first_bad = q->line;
        q->why = arena_strdup(q->arena, why);
    }
}

static bool is_blank(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!memchr(" \t\r", s[i], 3))
            return false;
    return true;
}

static void take_line(Reading *q, const Line *line)
{
    q->nknown += line->type != LINE_BAD;
    if (line->type == LINE_DEVICE)
        store_device(q->store, q->arena, &line->device);
    else if (line->type == LINE_KERNEL)
        store_kernel(q->store, q->arena, &line->kernel);
    else if (line->type == LINE_MEASURE)
        store_measure(q->store, q->arena, &line->measure);
    else if (line->type == LINE_LIMIT)
        store_limit(q->store, q->arena, &line->limit);
    else if (line->type == LINE_OTHER_SCHEMA)
        q->nother++;
    else
        bad_line(q, line->why);
}

static void whole_line(Reading *q, const char *s, size_t n)
{
    Line line;
    q->line++;
    if (n >= RECORD_LINE_BYTES) {
        bad_line(q, TOO_LONG);
    } else if (!is_blank(s, n)) {
        line_read(q->arena, s, n, &line);
        take_line(q, &line);
    }
}

/* What follows the last newline: a line whose newline alone is missing counts (no other prefix of an object is one). */
static void last_line(Reading *q, const char *s, size_t n, off_t at)
{
    static const char opening[] = "{\"v\":";
    size_t begin = n < sizeof opening - 1 ? n : sizeof opening - 1;
    Line line;
    q->line++;
    if (n > 0)
        line_read(q->arena, s, n, &line);
    if (n > 0 && line.object) {
        take_line(q, &line);
        q->need_newline = true;
    } else if (n > 0) {
        q->torn = true;
        q->torn_is_ours = memcmp(s, opening, begin) == 0;
        q->torn_at = at;
    }
}

/* The piece of the file at hand. A line that does not fit is skipped up to its newline. */
typedef struct {
    char *s;
    size_t len;
    off_t at; /* of s[0] in the file */
    bool skipping;
} Piece;

/* Gives the whole lines in the piece, keeps the rest at its beginning. */
static void piece_lines(Reading *q, Piece *p)
{
    size_t begin = 0;
    for (char *end; (end = memchr(p->s + begin, '\n', p->len - begin)) != NULL; begin = (size_t)(end - p->s) + 1) {
        if (!p->skipping)
            whole_line(q, p->s + begin, (size_t)(end - p->s) - begin);
        p->skipping = false;
    }
    if (p->len - begin >= RECORD_LINE_BYTES || p->skipping) {
        if (!p->skipping) {
            q->line++;
            bad_line(q, TOO_LONG);
        }
        p->skipping = true;
        begin = p->len;
    }
    memmove(p->s, p->s + begin, p->len - begin);
    p->len -= begin;
    p->at += (off_t)begin;
}

/* Reads to the end; false with errno set. */
static bool read_lines(Reading *q, int fd)
{
    Piece p = { .s = malloc(2 * RECORD_LINE_BYTES) };
    ssize_t n = p.s ? 1 : -1;
    while (n > 0) {
        n = read(fd, p.s + p.len, 2 * RECORD_LINE_BYTES - p.len);
        if (n > 0) {
            p.len += (size_t)n;
            piece_lines(q, &p);
        } else if (n < 0 && errno == EINTR) {
            n = 1;
        }
    }
    if (n == 0 && p.skipping)
        q->need_newline = true;
    else if (n == 0)
        last_line(q, p.s, p.len, p.at);
    int saved = errno;
    free(p.s);
    errno = saved;
    return n == 0;
}

static void print_warnings(const Reading *q, const char *path, FILE *warn)
{
    if (q->nbad > 0)
        diag_say_at(warn, DIAG_WARNING, path, q->first_bad, "%s; %lld unreadable line%s ignored", q->why,
                    (long long)q->nbad, number_plural(q->nbad));
    if (q->nother > 0)
        diag_say_at(warn, DIAG_WARNING, path, 0, "%lld line%s of another schema version ignored", (long long)q->nother,
                    number_plural(q->nother));
    if (q->torn)
        diag_say_at(warn, DIAG_WARNING, path, q->line, "the last line is torn and is dropped");
}

/* False with errno set. */
static bool store_read(Reading *q, int fd, const char *path, FILE *warn)
{
    if (!read_lines(q, fd))
        return false;
    q->store->r.nignored = q->nbad + q->nother + q->torn;
    if (warn)
        print_warnings(q, path, warn);
    return true;
}

static const char *system_error(Arena *a, const char *path) { return arena_printf(a, "%s: %s", path, strerror(errno)); }

static const char *no_file(Arena *a, const char *path) { return arena_printf(a, "%s: not a regular file", path); }

bool record_check(Arena *a, const char *path, const char **err)
{
    struct stat st;
    const bool other = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    if (other)
        *err = no_file(a, path);
    return !other;
}

/* What is no file is not opened: that may wait for somebody, or make a device act. -1 with *err set. */
static int open_file(Arena *a, const char *path, int flags, const char **err)
{
    struct stat st;
    if (!record_check(a, path, err))
        return -1;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    *err = fd < 0 ? system_error(a, path) : no_file(a, path);
    if (fd >= 0)
        close(fd);
    return -1;
}

bool record_read(Arena *a, const char *path, Records *out, FILE *warn, const char **err)
{
    Store store = { 0 };
    Reading q = { .arena = a, .store = &store };
    int fd = open_file(a, path, O_RDONLY, err);
    bool ok = fd >= 0 && store_read(&q, fd, path, warn);
    if (fd >= 0 && !ok)
        *err = system_error(a, path);
    if (fd >= 0)
        close(fd);
    *out = store.r;
    return ok;
}

/* ---- opening ---- */

/* flock excludes; the POSIX lock beside it, which alone names its holder, is there to be asked for. */
static bool lock_take(RecordFile *f, const char **err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP) {
        (void)fcntl(f->fd, F_SETLK, &lock);
        return true;
    }
    if (errno != EWOULDBLOCK)
        *err = system_error(f->arena, f->path);
    else if (fcntl(f->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
        *err = arena_printf(f->arena, "%s is in use by process %d", f->path, (int)lock.l_pid);
    else
        *err = arena_printf(f->arena, "%s is in use by another process", f->path);
    return false;
}

static bool load(RecordFile *f, FILE *warn, const char **err)
{
    Reading q = { .arena = f->arena, .store = &f->store };
    if (!store_read(&q, f->fd, f->path, warn)) {
        *err = system_error(f->arena, f->path);
        return false;
    }
    if (q.nknown == 0 && (q.nbad > 0 || (q.torn && !q.torn_is_ours))) {
        *err = arena_printf(f->arena, "%s: not a record file", f->path);
        return false;
    }
    f->cut_at = q.torn ? q.torn_at : -1;
    f->need_newline = q.need_newline;
    return true;
}

RecordFile *record_open(Arena *a, const char *path, FILE *warn, const char **err)
{
    RecordFile *f = ARENA_NEW(a, RecordFile);
    f->arena = a;
    f->scratch = arena_new();
    f->path = arena_strdup(a, path);
    f->fd = open_file(a, path, O_RDWR | O_CREAT | O_APPEND, err);
    if (f->fd >= 0 && lock_take(f, err) && load(f, warn, err))
        return f;
    record_close(f);
    return NULL;
}

/* The old file is locked while it is renamed, so that nobody else's goes. */
RecordFile *record_open_new(Arena *a, const char *path, FILE *warn, const char **err)
{
    struct stat st;
    RecordFile *old = record_open(a, path, warn, err);
    if (!old)
        return NULL;
    bool ok = fstat(old->fd, &st) == 0 && (st.st_size == 0 || rename(path, arena_printf(a, "%s~", path)) == 0);
    if (!ok)
        *err = system_error(a, path);
    RecordFile *f = ok && st.st_size > 0 ? record_open(a, path, warn, err) : ok ? old : NULL;
    if (f != old)
        record_close(old);
    return f;
}

const Records *record_all(const RecordFile *f) { return &f->store.r; }

void record_close(RecordFile *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    arena_free(f->scratch);
    f->fd = -1;
    f->scratch = NULL;
}

/* ---- appending ---- */

static bool cut_torn(RecordFile *f)
{
    if (f->cut_at >= 0 && ftruncate(f->fd, f->cut_at) != 0)
        return false;
    f->cut_at = -1;
    return true;
}

static bool append(RecordFile *f, const char *line, const char **err)
{
    Text t = { .arena = f->scratch };
    struct stat st;
    if (!cut_torn(f) || fstat(f->fd, &st) != 0) {
        *err = system_error(f->arena, f->path);
        return false;
    }
    text_printf(&t, "%s%s\n", f->need_newline ? "\n" : "", line);
    if (!text_write(f->fd, t.s, t.len)) {
        *err = system_error(f->arena, f->path);
        f->cut_at = st.st_size;
        (void)cut_torn(f); /* if even that fails, it comes before the next append */
        return false;
    }
    f->need_newline = false;
    arena_reset(f->scratch);
    return true;
}

static bool refuse(RecordFile *f, const char *why, const char **err)
{
    *err = arena_printf(f->arena, "%s: record not written: %s", f->path, why);
    return false;
}

bool record_add_device(RecordFile *f, const Device *d, const char **err)
{
    const char *why = device_wrong(d);
    if (why)
        return refuse(f, why, err);
    if (device_known(&f->store.r, d->id))
        return true;
    Device copy = device_copy(f->arena, d);
    if (!append(f, device_line(f->scratch, &copy), err))
        return false;
    store_device(&f->store, f->arena, &copy);
    return true;
}

bool record_add_kernel(RecordFile *f, const KernelRecord *k, const char **err)
{
    const char *why = kernel_wrong(k);
    if (why)
        return refuse(f, why, err);
    KernelRecord copy = kernel_copy(f->arena, k);
    if (!append(f, kernel_line(f->scratch, &copy), err))
        return false;
    store_kernel(&f->store, f->arena, &copy);
    return true;
}

bool record_add_measure(RecordFile *f, const MeasureRecord *m, const char **err)
{
    const char *why = measure_wrong(m);
    if (why)
        return refuse(f, why, err);
    MeasureRecord copy = measure_copy(f->arena, m);
    if (!append(f, measure_line(f->scratch, &copy), err))
        return false;
    store_measure(&f->store, f->arena, &copy);
    return true;
}

bool record_add_limit(RecordFile *f, const LimitRecord *l, const char **err)
{
    const char *why = limit_wrong(l);
    if (why)
        return refuse(f, why, err);
    LimitRecord copy = limit_copy(f->arena, l);
    if (!append(f, limit_line(f->scratch, &copy), err))
        return false;
    store_limit(&f->store, f->arena, &copy);
    return true;
}

/* ---- canonical text ---- */

typedef struct {
    const void *record;
    const char *line;
} Row;

static int compare_int(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_device(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    const Device *da = a->record, *db = b->record;
    int order = strcmp(da->id, db->id);
    return order ? order : strcmp(a->line, b->line);
}

static int compare_kernel(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    const KernelRecord *ka = a->record, *kb = b->record;
    int order = strcmp(ka->key, kb->key);
    return order ? order : strcmp(a->line, b->line);
}

static int compare_measure(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    const MeasureRecord *ma = a->record, *mb = b->record;
    int order = strcmp(ma->key, mb->key);
    order = order ? order : strcmp(ma->device, mb->device);
    order = order ? order : compare_int(ma->threads, mb->threads);
    order = order ? order : compare_int(ma->naxis, mb->naxis);
    for (int i = 0; order == 0 && i < ma->naxis; i++)
        order = compare_int(ma->extent[i], mb->extent[i]);
    order = order ? order : compare_int(ma->final, mb->final);
    return order ? order : strcmp(a->line, b->line);
}

static int compare_limit(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    const LimitRecord *la = a->record, *lb = b->record;
    int order = strcmp(la->device, lb->device);
    order = order ? order : strcmp(la->target, lb->target);
    order = order ? order : strcmp(la->dtype, lb->dtype);
    order = order ? order : compare_int(la->threads, lb->threads);
    return order ? order : strcmp(a->line, b->line);
}

static void add_sorted(Text *t, Row *row, int64_t n, int (*compare)(const void *, const void *))
{
    if (n > 0)
        qsort(row, (size_t)n, sizeof *row, compare);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(row[i].line, row[i - 1].line) == 0)
            continue;
        text_add(t, row[i].line);
        text_add(t, "\n");
    }
}

Records record_join(Arena *a, const Records *x, const Records *y)
{
    Records all = { .device = ARENA_ARRAY(a, (size_t)(x->ndevice + y->ndevice) + 1, Device),
                    .kernel = ARENA_ARRAY(a, (size_t)(x->nkernel + y->nkernel) + 1, KernelRecord),
                    .measure = ARENA_ARRAY(a, (size_t)(x->nmeasure + y->nmeasure) + 1, MeasureRecord),
                    .limit = ARENA_ARRAY(a, (size_t)(x->nlimit + y->nlimit) + 1, LimitRecord) };
    const Records *const both[] = { x, y };
    for (int i = 0; i < 2; i++) {
        const Records *r = both[i];
        for (int64_t j = 0; j < r->ndevice; j++)
            all.device[all.ndevice++] = r->device[j];
        for (int64_t j = 0; j < r->nkernel; j++)
            all.kernel[all.nkernel++] = r->kernel[j];
        for (int64_t j = 0; j < r->nmeasure; j++)
            all.measure[all.nmeasure++] = r->measure[j];
        for (int64_t j = 0; j < r->nlimit; j++)
            all.limit[all.nlimit++] = r->limit[j];
    }
    return all;
}

char *record_text(Arena *a, const Records *r)
{
    Arena *scratch = arena_new();
    Text t = { .arena = scratch };
    Row *device = ARENA_ARRAY(scratch, (size_t)r->ndevice, Row);
    Row *kernel = ARENA_ARRAY(scratch, (size_t)r->nkernel, Row);
    Row *measure = ARENA_ARRAY(scratch, (size_t)r->nmeasure, Row);
    Row *limit = ARENA_ARRAY(scratch, (size_t)r->nlimit, Row);
    for (int64_t i = 0; i < r->ndevice; i++)
        device[i] = (Row){ &r->device[i], device_line(scratch, &r->device[i]) };
    for (int64_t i = 0; i < r->nkernel; i++)
        kernel[i] = (Row){ &r->kernel[i], kernel_line(scratch, &r->kernel[i]) };
    for (int64_t i = 0; i < r->nmeasure; i++)
        measure[i] = (Row){ &r->measure[i], measure_line(scratch, &r->measure[i]) };
    for (int64_t i = 0; i < r->nlimit; i++)
        limit[i] = (Row){ &r->limit[i], limit_line(scratch, &r->limit[i]) };
    add_sorted(&t, device, r->ndevice, compare_device);
    add_sorted(&t, kernel, r->nkernel, compare_kernel);
    add_sorted(&t, measure, r->nmeasure, compare_measure);
    add_sorted(&t, limit, r->nlimit, compare_limit);
    char *text = arena_strdup(a, text_str(&t));
    arena_free(scratch);
    return text;
}
