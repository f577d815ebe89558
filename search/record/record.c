/* SPDX-License-Identifier: Apache-2.0
 *
 * record: takes a file of JSON lines, gives the records in memory and a place to append to. Lines are record_type.c's.
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
#include "gen/base/lines.h"
#include "gen/base/number.h"
#include "search/record/record_type.h"

struct RecordFile {
    Arena *arena, *scratch; /* scratch: for one append */
    const char *path;
    int fd;
    Index kept; /* what records have in common */
    Records r;
    size_t room[RECORD_TYPES]; /* of the arrays of r */
    off_t cut_at;              /* what lies behind is torn; -1: nothing is */
    bool need_newline;         /* the last line is whole but for its newline */
};

static int64_t *count_of(const Records *r, const RecordType *t) { return (int64_t *)((char *)r + t->count_at); }

static char *array_of(const Records *r, const RecordType *t)
{
    char *array;
    memcpy(&array, (const char *)r + t->array_at, sizeof array);
    return array;
}

/* Long arrays grow by an eighth: room that nobody needs is memory too. */
static void records_add(RecordFile *f, RecordKind type, const void *record)
{
    const RecordType *t = &record_types[type];
    char *array = array_of(&f->r, t);
    const size_t n = (size_t)(*count_of(&f->r, t))++;
    if (n == f->room[type]) {
        f->room[type] += n / 8 + 8;
        array = arena_regrow(f->arena, array, n, f->room[type], t->bytes);
        memcpy((char *)&f->r + t->array_at, &array, sizeof array);
    }
    memcpy(array + n * t->bytes, record, t->bytes);
}

/* ---- reading ---- */

typedef struct {
    RecordFile *f;
    int64_t line;                 /* number of the line at hand, from 1 */
    int64_t nbad, nother, nknown; /* lines: unreadable; of another schema; of any schema */
    int64_t first_bad;
    const char *why;   /* the first bad line is bad */
    bool torn_is_ours; /* the torn last line begins like a record */
} Reading;

static const char TOO_LONG[] = "longer than any record";

static void bad_line(Reading *q, const char *why)
{
    if (q->nbad++ == 0) {
        q->first_bad = q->line;
        q->why = arena_strdup(q->f->arena, why);
    }
}

/* Takes a whole line, or what follows the last newline. False: that is torn. An object lacks its newline alone. */
static bool take_line(Reading *q, const char *s, size_t n, bool whole)
{
    static const char opening[] = "{\"v\":";
    Line line;
    arena_reset(q->f->scratch);
    line_read(&q->f->kept, q->f->scratch, s, n, &line);
    if (!whole && !line.object) {
        q->torn_is_ours = memcmp(s, opening, n < sizeof opening - 1 ? n : sizeof opening - 1) == 0;
        return false;
    }
    q->nknown += line.kind != LINE_BAD;
    if (line.kind == LINE_RECORD)
        records_add(q->f, line.type, &line.record);
    else if (line.kind == LINE_OTHER_SCHEMA)
        q->nother++;
    else
        bad_line(q, line.why);
    return true;
}

/* Reads to the end; false with errno set. */
static bool read_lines(Reading *q)
{
    Lines l;
    LineStatus status;
    char *line;
    size_t n;
    if (!lines_open(&l, q->f->fd))
        return false;
    while ((status = lines_next(&l, &line, &n)) != LINE_END) {
        q->line += status != LINE_NONE;
        if (status == LINE_NONE)
            lines_fill(&l);
        else if (status == LINE_TOO_LONG || n >= RECORD_LINE_BYTES)
            bad_line(q, TOO_LONG);
        else if (strspn(line, " \t\r") < n)
            take_line(q, line, n, true);
    }
    n = l.end - l.start;
    q->line++;
    q->f->need_newline = l.skipping || n >= RECORD_LINE_BYTES;
    if (q->f->need_newline)
        bad_line(q, TOO_LONG);
    else if (!l.problem && n > 0) {
        q->f->need_newline = take_line(q, l.buffer + l.start, n, false);
        q->f->cut_at = q->f->need_newline ? -1 : lseek(l.fd, 0, SEEK_CUR) - (off_t)n;
    }
    const int problem = l.problem;
    lines_close(&l);
    errno = problem;
    return !problem;
}

static void print_warnings(const Reading *q, FILE *warn)
{
    const char *path = q->f->path;
    if (q->nbad > 0)
        diag_say_at(warn, DIAG_WARNING, path, q->first_bad, "%s; %lld unreadable line%s ignored", q->why,
                    (long long)q->nbad, number_plural(q->nbad));
    if (q->nother > 0)
        diag_say_at(warn, DIAG_WARNING, path, 0, "%lld line%s of another schema version ignored", (long long)q->nother,
                    number_plural(q->nother));
    if (q->f->cut_at >= 0)
        diag_say_at(warn, DIAG_WARNING, path, q->line, "the last line is torn and is dropped");
}

static bool fail(Arena *a, const char *path, const char *why, const char **err)
{
    *err = arena_printf(a, "%s: %s", path, why);
    return false;
}

static bool fail_by_system(Arena *a, const char *path, const char **err) { return fail(a, path, strerror(errno), err); }

static const char NO_FILE[] = "not a regular file";

bool record_check(Arena *a, const char *path, const char **err)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode) || fail(a, path, NO_FILE, err);
}

/* Opens a regular file, and nothing else: a pipe may take forever, a device may act. -1 with *err set. */
static int open_file(Arena *a, const char *path, int flags, const char **err)
{
    struct stat st;
    if (!record_check(a, path, err))
        return -1;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    fail(a, path, fd < 0 ? strerror(errno) : NO_FILE, err);
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool load_records(RecordFile *f, Reading *q, FILE *warn, const char **err)
{
    *q = (Reading){ .f = f };
    f->cut_at = -1;
    if (!read_lines(q))
        return fail_by_system(f->arena, f->path, err);
    f->r.nignored = q->nbad + q->nother + (f->cut_at >= 0);
    if (warn)
        print_warnings(q, warn);
    return true;
}

static RecordFile file_of(Arena *a, const char *path)
{
    return (RecordFile){
        .arena = a, .scratch = arena_new(), .path = arena_strdup(a, path), .kept = { .arena = a }, .fd = -1
    };
}

bool record_read(Arena *a, const char *path, Records *out, FILE *warn, const char **err)
{
    Reading q;
    RecordFile f = file_of(a, path);
    f.fd = open_file(a, path, O_RDONLY, err);
    const bool ok = f.fd >= 0 && load_records(&f, &q, warn, err);
    record_close(&f);
    *out = f.r;
    return ok;
}

/* flock(2) keeps others out. The POSIX lock beside it only tells them who holds the file, which flock does not. */
static bool take_lock(RecordFile *f, const char **err)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP) {
        (void)fcntl(f->fd, F_SETLK, &lock);
        return true;
    }
    if (errno != EWOULDBLOCK)
        return fail_by_system(f->arena, f->path, err);
    const bool known = fcntl(f->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
    *err = arena_printf(f->arena, "%s is in use by %s", f->path,
                        known ? arena_printf(f->arena, "process %d", (int)lock.l_pid) : "another process");
    return false;
}

static bool is_ours(const Reading *q, const char **err)
{
    const bool torn_is_foreign = q->f->cut_at >= 0 && !q->torn_is_ours;
    return q->nknown > 0 || !(q->nbad > 0 || torn_is_foreign) ||
           fail(q->f->arena, q->f->path, "not a record file", err);
}

RecordFile *record_open(Arena *a, const char *path, FILE *warn, const char **err)
{
    Reading q;
    RecordFile *f = ARENA_NEW(a, RecordFile);
    *f = file_of(a, path);
    f->fd = open_file(a, path, O_RDWR | O_CREAT | O_APPEND, err);
    if (f->fd >= 0 && take_lock(f, err) && load_records(f, &q, warn, err) && is_ours(&q, err))
        return f;
    record_close(f);
    return NULL;
}

/* The old file is locked while it is renamed, so that no file goes that another process has open. */
RecordFile *record_open_new(Arena *a, const char *path, FILE *warn, const char **err)
{
    struct stat st;
    RecordFile *old = record_open(a, path, warn, err);
    if (!old)
        return NULL;
    bool ok = fstat(old->fd, &st) == 0 && (st.st_size == 0 || rename(path, arena_printf(a, "%s~", path)) == 0);
    if (!ok)
        fail_by_system(a, path, err);
    RecordFile *f = ok && st.st_size > 0 ? record_open(a, path, warn, err) : ok ? old : NULL;
    if (f != old)
        record_close(old);
    return f;
}

const Records *record_all(const RecordFile *f) { return &f->r; }

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

static bool cut_torn(RecordFile *f)
{
    if (f->cut_at >= 0 && ftruncate(f->fd, f->cut_at) != 0)
        return false;
    f->cut_at = -1;
    return true;
}

static bool append_line(RecordFile *f, const char *line, const char **err)
{
    Text t = { .arena = f->scratch };
    struct stat st;
    if (!cut_torn(f) || fstat(f->fd, &st) != 0)
        return fail_by_system(f->arena, f->path, err);
    text_printf(&t, "%s%s\n", f->need_newline ? "\n" : "", line);
    if (!text_write(f->fd, t.s, t.len)) {
        fail_by_system(f->arena, f->path, err);
        f->cut_at = st.st_size;
        (void)cut_torn(f); /* if that fails too, the next append does it first */
        return false;
    }
    f->need_newline = false;
    arena_reset(f->scratch);
    return true;
}

static bool add(RecordFile *f, RecordKind type, const void *record, const char **err)
{
    const RecordType *t = &record_types[type];
    char text[RECORD_WRONG_BYTES];
    AnyRecord copy;
    const char *why = record_wrong(t, record, text);
    if (why)
        return fail(f->arena, arena_printf(f->arena, "%s: record not written", f->path), why, err);
    record_copy(&f->kept, t, record, &copy);
    const char *there = array_of(&f->r, t);
    for (int64_t i = 0; t->once && i < *count_of(&f->r, t); i++)
        if (record_compare(t, there + (size_t)i * t->bytes, &copy) == 0)
            return true;
    if (!append_line(f, line_text(f->scratch, t, &copy), err))
        return false;
    records_add(f, type, &copy);
    return true;
}

bool record_add_device(RecordFile *f, const Device *d, const char **err) { return add(f, RECORD_DEVICE, d, err); }

bool record_add_spec(RecordFile *f, const SpecRecord *s, const char **err) { return add(f, RECORD_SPEC, s, err); }

bool record_add_kernel(RecordFile *f, const KernelRecord *k, const char **err) { return add(f, RECORD_KERNEL, k, err); }

bool record_add_measure(RecordFile *f, const MeasureRecord *m, const char **err)
{
    return add(f, RECORD_MEASURE, m, err);
}

bool record_add_limit(RecordFile *f, const LimitRecord *l, const char **err) { return add(f, RECORD_LIMIT, l, err); }

/* ---- sets of records ---- */

typedef struct {
    const RecordType *type;
    const void *record;
    int set;
    const char *line; /* NULL: not made yet */
} Row;

static int by_order(const void *x, const void *y)
{
    const Row *a = x, *b = y;
    return record_compare(a->type, a->record, b->record);
}

static int by_line(const void *x, const void *y)
{
    const Row *a = x, *b = y;
    const int sign = strcmp(a->line, b->line);
    return sign ? sign : a->set - b->set;
}

static Row *sorted_rows(Arena *a, const Records *const *set, int nset, const RecordType *type, size_t *n)
{
    size_t all = 0;
    for (int i = 0; i < nset; i++)
        all += (size_t)*count_of(set[i], type);
    Row *row = ARENA_ARRAY(a, all + 1, Row);
    *n = 0;
    for (int i = 0; i < nset; i++) {
        const char *at = array_of(set[i], type);
        for (int64_t k = *count_of(set[i], type); k > 0; k--, at += type->bytes)
            row[(*n)++] = (Row){ type, at, i, NULL };
    }
    qsort(row, all, sizeof *row, by_order);
    return row;
}

/* How many of n rows, whose lines are equal, the set has that has most of them. */
static size_t most_of_a_set(const Row *row, size_t n)
{
    size_t most = 0, of_set = 0;
    for (size_t i = 0; i < n; i++) {
        of_set = i > 0 && row[i].set == row[i - 1].set ? of_set + 1 : 1;
        most = of_set > most ? of_set : most;
    }
    return most;
}

/* Prints n rows that their order does not tell apart. */
static void print_alike(Text *t, Arena *scratch, Row *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i].line = line_text(scratch, row[i].type, row[i].record);
    qsort(row, n, sizeof *row, by_line);
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && strcmp(row[i].line, row[i + same].line) == 0;)
            same++;
        size_t times = row->type == &record_types[RECORD_MEASURE] ? most_of_a_set(row + i, same) : 1;
        for (; times > 0; times--)
            text_printf(t, "%s\n", row[i].line);
    }
}

char *record_text(Arena *a, const Records *r) { return record_text_of(a, &r, 1); }

char *record_text_of(Arena *a, const Records *const *set, int nset)
{
    Text t = { .arena = a };
    Arena *rows = arena_new(), *scratch = arena_new();
    text_add(&t, "");
    for (int i = 0; i < RECORD_TYPES; i++) {
        size_t n;
        Row *row = sorted_rows(rows, set, nset, &record_types[i], &n);
        for (size_t k = 0, alike; k < n; k += alike) {
            for (alike = 1; k + alike < n && by_order(&row[k], &row[k + alike]) == 0;)
                alike++;
            print_alike(&t, scratch, row + k, alike);
            arena_reset(scratch);
        }
    }
    arena_free(rows);
    arena_free(scratch);
    return t.s;
}
